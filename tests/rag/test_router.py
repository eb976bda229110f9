from rag.domain import FileRecord, MetadataValue
from rag.router import Router, metadata_line


def record(path, **metadata):
    return FileRecord(
        path, (path,), 1, "read", metadata={key: MetadataValue(value, "file name") for key, value in metadata.items()}
    )


FILES = [
    record(
        "filings/BESTBUY_2024Q2_10Q.pdf", organisation="Best Buy Co., Inc.", document_type="10-Q", year="2024", quarter="Q2"
    ),
    record("filings/BESTBUY_2023_10K.pdf", organisation="Best Buy Co., Inc.", document_type="10-K", year="2023"),
    record("filings/ADOBE_2022_10K.pdf", organisation="Adobe Inc.", document_type="10-K", year="2022"),
]


def test_the_line_holds_the_file_name_in_words_and_the_metadata():
    assert metadata_line(FILES[0]) == (
        "BESTBUY_2024Q2_10Q, Best Buy Co., Inc., 2024, Q2, 10-Q, 2024, BESTBUY 2024 Q2 10Q, BESTBUY_2024Q2_10Q"
    )


def test_the_document_that_a_question_names_comes_first():
    router = Router(FILES)
    assert router.documents("How many Best Buy stores were there in Q2 of FY2024?", num_results=3)[0][0] == 0
    assert router.documents("What was Adobe's operating income in FY2022?", num_results=3)[0][0] == 2


def test_a_question_that_names_none_has_no_document():
    assert Router(FILES).documents("Who signs the delegation matrix?", num_results=3) == []
    assert Router([]).documents("Best Buy", num_results=3) == []
