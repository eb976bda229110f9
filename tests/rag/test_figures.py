import pytest

from rag.figures import figures


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("EUR 50,000.00", [("amount", {"50000"}, "EUR")]),
        ("€50k", [("amount", {"50000"}, "EUR")]),
        ("1.234,56 euros", [("amount", {"1234.56"}, "EUR")]),
        ("$1.5 million", [("amount", {"1500000"}, "USD")]),
        ("half a million", [("amount", {"500000"}, "")]),
        ("a quarter of a million dollars", [("amount", {"250000"}, "USD")]),
        ("two hundred and fifty thousand", [("amount", {"250000"}, "")]),
        ("one and a half crore rupees", [("amount", {"15000000"}, "INR")]),
        ("2 lakh", [("amount", {"200000"}, "")]),
        ("eine halbe Million Euro", [("amount", {"500000"}, "EUR")]),
        ("medio millón", [("amount", {"500000"}, "")]),
        ("1,5 Millionen", [("amount", {"1500000"}, "")]),
        ("५ लाख या 50万元", [("amount", {"500000"}, ""), ("amount", {"500000"}, "")]),
        ("a quarter of the year", []),
        ("Rs 1,50,000", [("amount", {"150000"}, "INR")]),
        ("50.000", [("number", {"50", "50000"}, "")]),
        ("3 May 2025", [("date", {"2025-05-03"}, "")]),
        ("May 3rd, 2025", [("date", {"2025-05-03"}, "")]),
        ("03/04/2025", [("date", {"2025-04-03", "2025-03-04"}, "")]),
        ("2025-01-31", [("date", {"2025-01-31"}, "")]),
        ("15th of January", [("date", {"--01-15"}, "")]),
        ("clause 4.2.1(b)", [("clause", {"4.2.1(b)"}, "")]),
        ("Section 5 and 3.1.4", [("clause", {"5"}, ""), ("clause", {"3.1.4"}, "")]),
        ("7.5 per cent", [("percentage", {"7.5"}, "")]),
        ("fifteen percent", [("percentage", {"15"}, "")]),
        ("thirty (30) calendar days", [("period", {"30"}, "day")]),
        ("twenty-one days", [("period", {"21"}, "day")]),
        ("three quotations [1]", [("number", {"3"}, "")]),
        ("form PR-7 in [2]", []),
    ],
)
def test_figures_are_read_whatever_their_spelling(text, found):
    assert [(figure.kind, set(figure.values), figure.unit) for figure in figures(text)] == found


@pytest.mark.parametrize(
    ("claimed", "stated", "same"),
    [
        ("EUR 50,000", "€50k", True),
        ("EUR 50,000", "USD 50,000", False),
        ("50,000", "EUR 50,000", True),
        ("May 2025", "3 May 2025", True),
        ("3 May 2025", "May 2025", False),
        ("3 May", "3 May 2025", True),
        ("3 May 2025", "4 May 2025", False),
        ("15%", "15 days", False),
        ("30 days", "thirty days", True),
        ("30 days", "30 months", False),
    ],
)
def test_a_figure_is_compared_by_what_it_means(claimed, stated, same):
    assert figures(claimed)[0].stated_by(figures(stated)[0]) is same
