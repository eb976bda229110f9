import pytest

from ingestion.own_statements import said_of_itself
from rag.domain import Page, Table


def said(text, *, title="Vendor Guide", **page):
    found: dict[str, str] = {}
    for key, value in said_of_itself([Page(1, "text", text, **page)], title):
        found.setdefault(key, value.value)
    return found


def test_a_title_block():
    text = "Procurement Policy\nRevision 4\n\nEffective 1 February 2025. Supersedes Revision 3 of 15 March 2023.\n\nBody."
    assert said(text, title="Procurement Policy") == {
        "revision": "4",
        "effective_date": "2025-02-01",
        "supersedes": "Revision 3 of 15 March 2023",
    }


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("LRWA-FIN-007, issue 6, effective 1 February 2025", {"revision": "6", "effective_date": "2025-02-01"}),
        (
            "To all departments. Effective April 1, 2025. Replaces Circular 2022-11.",
            {"effective_date": "2025-04-01", "supersedes": "Circular 2022-11"},
        ),
        ("Vendor Guide, Version 2.1", {"revision": "2.1"}),
        ("Rev. B", {"revision": "B"}),
        ("Version 1, December 1998", {"revision": "1"}),
        ("Version 1 December 1998", {"revision": "1"}),
        ("V.1 Dec 2016", {"revision": "1"}),
        ("Revision 3, effective 1 December 1998", {"revision": "3", "effective_date": "1998-12-01"}),
        ("This guideline explains how to apply the Procurement Policy, Revision 4. Where the two", {}),
        ("Revision 4 of the Procurement Policy raises the limit of micro-purchases.", {}),
        ("Row 3.5 of the Delegation of Authority, issue 6, effective 1 February 2025", {}),
        ("He retires effective September 1, 2022.", {}),
        ("Supersedes all earlier rules", {}),
        ("Effective February 31, 2024", {}),
    ],
)
def test_lines_that_speak_of_this_document_and_lines_that_speak_of_others(line, found):
    assert said(line) == found


def test_a_running_header_or_footer():
    assert said("Body", title="Procurement Policy", header="Acme Ltd Procurement Policy, Revision 3 (2023)") == {
        "revision": "3"
    }
    assert said("Body", title="Procurement Policy", footer="ACM-POL-014 Rev. 3 | Uncontrolled when printed") == {
        "revision": "3"
    }


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("This policy takes effect on 1 July 2024.", {"effective_date": "2024-07-01"}),
        ("This policy is effective from July 1, 2024.", {"effective_date": "2024-07-01"}),
        ("This policy supersedes Revision 3 of 2023, in its entirety.", {"supersedes": "Revision 3 of 2023"}),
        (
            "This policy sets out how we buy. It replaces Revision 2 of 10 May 2020.",
            {"supersedes": "Revision 2 of 10 May 2020"},
        ),
        ("The Contract supersedes all prior agreements. The order takes effect on 1 July 2024.", {}),
        ("This policy supersedes it in its entirety.", {}),
    ],
)
def test_sentences_about_this_very_document(sentence, found):
    assert said("\n".join(["Title line"] * 20 + [sentence])) == found


def test_a_document_control_table():
    control = Table(
        ("Document no.", "ACM-7"), (("Revision", "5"), ("Effective date", "1 May 2024"), ("Supersedes", "Revision 4"))
    )
    assert said("Body", tables=(control,)) == {"revision": "5", "effective_date": "2024-05-01", "supersedes": "Revision 4"}
    history = Table(("Revision", "Date"), (("1", "1 May 2020"), ("2", "1 May 2022")))
    assert said("Body", tables=(history,)) == {}
