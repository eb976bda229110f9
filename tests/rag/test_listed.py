"""Questions for several things, answered by the rows of a table that they mean."""

import pytest

from rag.asked import Asked
from rag.listed import asks_for_several, number_asked, rows_meant
from rag.quotable import quotable
from tests.rag.fakes import passage, query

AWARDS = passage(
    "**Table 5. Contracts awarded in the second quarter**\n\n"
    "| Tender | Subject | Awarded to | Value |\n| --- | --- | --- | --- |\n"
    "| ITB-2025-05 | Chlorine | Corvane Chemicals | 2,360 |\n| RFP-2025-03 | Laboratory system | Assayworks | 392 |\n"
    "| ITB-2025-11 | Solar plant | Helioform | 487 |\n| Total | | | 3,239 |"
)
BUDGET = passage(
    "**Table 3. Budget by category**\n\n| Category | 2024 | 2025 | 2027 | Change, % |\n| --- | --- | --- | --- | --- |\n"
    "| Personnel | 38,420 | 40,115 | 41,000 | +4.4 |\n| Consultants | 3,225 | 3,150 | – | -2.3 |\n"
    "| Travel | 610 | 585 | 600 | -4.1 |"
)
TIERS = passage(
    "**Table 2. Vendor tiers**\n\n| Tier | Spend | What follows |\n| --- | --- | --- |\n"
    "| Strategic | Above 1,000,000 | Quarterly review |\n| One-time | Up to 5,000 | No registration; W-9 only |"
)


def meant(question: str, table) -> tuple[list[str], str]:
    quotes = list(quotable([table]))
    listed = rows_meant(Asked(query(question)), quotes[0], quotes)
    return [row.row[0] for row in listed.rows], listed.unmet


@pytest.mark.parametrize(
    ("question", "table", "rows"),
    [
        ("Which contracts were awarded in the second quarter?", AWARDS, ["ITB-2025-05", "RFP-2025-03", "ITB-2025-11"]),
        ("Which ITBs were awarded in the second quarter?", AWARDS, ["ITB-2025-05", "ITB-2025-11"]),
        ("Which RFPs were awarded?", AWARDS, ["RFP-2025-03"]),
        ("List all contracts that were awarded.", AWARDS, ["ITB-2025-05", "RFP-2025-03", "ITB-2025-11"]),
        ("Which categories decrease?", BUDGET, ["Consultants", "Travel"]),
        ("Which categories grow in 2025?", BUDGET, ["Personnel"]),
        ("Which categories have no budget in 2027?", BUDGET, ["Consultants"]),
        ("Which vendors need no registration?", TIERS, ["One-time"]),
    ],
)
def test_the_rows_that_are_meant(question, table, rows):
    assert meant(question, table) == (rows, "")


def test_what_the_table_cannot_tell_is_said():
    assert meant("Which vendors are blacklisted?", TIERS)[1] == "which of these rows are meant, if any"
    assert meant("Which categories are above 3,000?", BUDGET)[1] == "which of the rows of this table meet the condition"
    assert meant("Which tenders rose?", AWARDS)[1] == "which of the rows of this table rise or fall"


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("Which vendors need no registration?", True),
        ("Who are the ten largest vendors?", True),
        ("List the signs of collusion.", True),
        ("What documents must be handed in?", True),
        ("Name the three largest projects.", True),
        ("Which department has the fastest growing budget?", False),
        ("Which document describes the steps?", False),
        ("What happens at 55 days from the date?", False),
        ("What is the limit?", False),
        ("How much was paid for the largest contracts?", False),
    ],
)
def test_whether_several_things_are_asked_for(question, several):
    assert asks_for_several(question) == several


def test_how_many_are_asked_for():
    assert number_asked("Who are the ten largest vendors?") == 10
    assert number_asked("Name the top 5 vendors") == 5
    assert number_asked("Which vendors are the largest?") == 0
