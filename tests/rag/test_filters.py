import pytest

from rag.domain import FileRecord, Filters, MetadataValue
from rag.filters import infer, known_values, matching, nothing_matches, only_metadata_words


def record(path, **metadata):
    found = {name: MetadataValue(value, "file name") for name, value in metadata.items()}
    return FileRecord(sha256=path, paths=(path,), size=1, outcome="read", metadata=found)


FILES = [
    record("p2023.pdf", title="Procurement Policy", document_type="policy", year="2023", organisation="Meridian Utilities Ltd"),
    record("p2025.pdf", title="Procurement Policy", document_type="policy", year="2025", organisation="Meridian Utilities Ltd"),
    record("q1.pdf", title="Spend Report", document_type="report", year="FY2025", quarter="Q1"),
    record("q2.pdf", title="Spend Report", document_type="report", year="FY2025", quarter="Q2"),
    record("psa.pdf", title="Annual Procurement Plan", year="2023", organisation="Philippine Space Agency"),
    record("notes.pdf", title="Notes"),
]
KNOWN = known_values(FILES)


@pytest.mark.parametrize(
    ("question", "filters", "left"),
    [
        ("How much was spent in Q1 FY2025?", Filters(year=("2025",), quarter=("Q1",)), "How much was spent?"),
        (
            "What was the first quarter of FY25 total?",
            Filters(year=("2025",), quarter=("Q1",)),
            "What was the total?",
        ),
        ("Compare IT spend of Q1 and Q2", Filters(quarter=("Q1", "Q2")), "Compare IT spend"),
        (
            "What did the 2023 policy say on bids?",
            Filters(year=("2023",), document_type=("policy",)),
            "What did the policy say on bids?",
        ),
        (
            "Bid limit in the procurement policy 2023",
            Filters(year=("2023",), document_type=("policy",)),
            "Bid limit in the procurement policy",
        ),
        (
            "Who leads the Philippine Space Agency's bids?",
            Filters(organisation=("Philippine Space Agency",)),
            "Who leads the bids?",
        ),
        ("How much went to IT in Q1 of FY2025?", Filters(year=("2025",), quarter=("Q1",)), "How much went to IT?"),
        ("In Q1 FY2025, how much was spent on IT?", Filters(year=("2025",), quarter=("Q1",)), "how much was spent on IT?"),
        (
            "What is in the Q1 FY2025 spend table?",
            Filters(year=("2025",), quarter=("Q1",)),
            "What is in the spend table?",
        ),
        ("What did PSA buy?", Filters(organisation=("Philippine Space Agency",)), "What did buy?"),
        ("Meridian Utilities travel rules", Filters(organisation=("Meridian Utilities Ltd",)), "travel rules"),
    ],
)
def test_infers_what_a_question_names_beyond_doubt(question, filters, left):
    assert infer(question, KNOWN) == (filters, left)


@pytest.mark.parametrize(
    "question",
    [
        "What happened in 2023?",  # a year alone may be anywhere in any document
        "Is the 2025 target met?",
        "What was bought in Q3 FY2025?",  # no document of that quarter
        "What did the 2019 policy say?",  # nor of that year
        "psa",  # not written as a name
        "How many items cost 2,023.50?",
        "When is the policy reviewed?",
    ],
)
def test_infers_nothing_that_could_be_wrong(question):
    assert infer(question, KNOWN) == (Filters(), question)


@pytest.mark.parametrize(
    "question",
    [
        "PSA-GDL-030",
        "What does PSA-GDL-030 say?",
        "Who won PSA/2023/06?",
        "What is in PSA-POL?",
        "What is policy MUP-2023-014?",
    ],
)
def test_codes_stay_whole(question):
    assert infer(question, KNOWN) == (Filters(), question)


def test_a_year_written_with_a_dash_is_no_code():
    assert infer("Total of Q1 FY-2025", KNOWN)[0] == Filters(year=("2025",), quarter=("Q1",))


def test_an_alias_of_two_organisations_is_no_alias():
    files = [record("a", organisation="Public Service Agency"), record("b", organisation="Philippine Space Agency")]
    assert infer("What did PSA buy?", known_values(files))[0] == Filters()


def test_an_organisation_that_other_documents_speak_of_is_no_filter():
    files = [record("handbook", organisation="Contoso"), record("booklet", organisation="Northwind")]
    shares = {"Contoso": 0.4, "Northwind": 0.95}
    known = known_values(files, lambda name, places: shares[name])
    assert infer("How much leave do Contoso employees get?", known)[0] == Filters()
    assert infer("What does Northwind cover?", known)[0] == Filters(organisation=("Northwind",))


def test_the_words_stay_where_nothing_else_would_be_left():
    assert infer("Philippine Space Agency", KNOWN) == (
        Filters(organisation=("Philippine Space Agency",)),
        "Philippine Space Agency",
    )


@pytest.mark.parametrize(
    ("filters", "paths"),
    [
        (Filters(), [file.path for file in FILES]),
        (Filters(year=("2025",)), ["p2025.pdf", "q1.pdf", "q2.pdf"]),
        (Filters(year=("2023", "FY2025"), document_type=("Policy",)), ["p2023.pdf", "p2025.pdf"]),
        (Filters(quarter=("2",)), ["q2.pdf"]),
        (Filters(file=("notes.pdf",)), ["notes.pdf"]),
        (Filters(file=("gone.pdf",)), []),
    ],
)
def test_every_restriction_must_hold_and_values_are_alternatives(filters, paths):
    assert [file.path for file, allowed in zip(FILES, matching(filters, FILES), strict=True) if allowed] == paths


def test_an_empty_choice_is_explained_with_what_there_is():
    assert nothing_matches(Filters(quarter=("Q4",)), FILES) == (
        "No indexed document has quarter Q4. There is: Q1, Q2. Remove that filter or choose another value."
    )
    assert nothing_matches(Filters(file=("gone.pdf",)), FILES) == (
        "No indexed document is called gone.pdf. Remove that filter or give a path as listed."
    )
    assert nothing_matches(Filters(year=("2023",), quarter=("Q1",)), FILES) == (
        "No indexed document has all of: year 2023, quarter Q1. Remove one of these filters."
    )


@pytest.mark.parametrize(
    ("question", "only"),
    [
        ("Philippine Space Agency 2023?", True),
        ("The Meridian Utilities policy", True),
        ("Philippine Space Agency bids", False),
        ("How much is in it in the FY2025 report?", True),
        ("How much is the IT report in FY2025?", False),
    ],
)
def test_tells_a_question_that_only_names_documents(question, only):
    filters, _ = infer(question, KNOWN)
    assert only_metadata_words(question, filters, KNOWN) is only
