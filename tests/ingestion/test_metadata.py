import pytest

from ingestion.layout import Line
from ingestion.metadata import Sidecar, find_metadata, language_of, read_sidecar
from rag.domain import MetadataValue, Page


def metadata(name="file.pdf", text="", opening=(), information=None, sidecar=None):
    pages = [Page(1, "text", text)]
    return find_metadata(name, pages, list(opening), information or {}, sidecar or Sidecar())


def value(key, **given):
    found = metadata(**given).get(key)
    return (found.value, found.found_in) if found else None


@pytest.mark.parametrize(
    ("name", "key", "found"),
    [
        ("Acme_2024Q2_10Q.pdf", "year", "2024"),
        ("Acme_2024Q2_10Q.pdf", "quarter", "Q2"),
        ("Acme_2024Q2_10Q.pdf", "document_type", "10-Q"),
        ("Acme_2022_8K_dated-2022-07-01.pdf", "year", "2022"),
        ("Annual Procurement Plan FY 2025.pdf", "document_type", "annual procurement plan"),
        ("PR 25-07-335 RFQ.pdf", "document_type", "request for quotation"),
        ("Procurement Policy v3.1.pdf", "revision", "3.1"),
        ("Procurement Policy v3.1.pdf", "document_type", "policy"),
        ("IT_Handbook.pdf", "document_type", "handbook"),
        ("DigitalAcquisitionGuide.pdf", "document_type", "guide"),
    ],
)
def test_from_the_file_name(name, key, found):
    assert value(key, name=name) == (found, "file name")


@pytest.mark.parametrize("name", ["report 2019 to 2024.pdf", "SVP-079-25 25-1475.pdf", "120240601.pdf"])
def test_no_year_where_the_name_leaves_doubt(name):
    assert value("year", name=name) is None


def test_the_file_name_wins_over_the_text():
    assert value("year", name="Plan 2025.pdf", text="Fiscal Year 2024") == ("2025", "file name")
    assert value("year", name="Plan.pdf", text="Fiscal Year 2024") == ("2024", "page 1")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Effective date: July 1, 2024", "2024-07-01"),
        ("This policy is effective from 1 July 2024.", "2024-07-01"),
        ("Effective 2024-07-01", "2024-07-01"),
        ("Effective date: February 31, 2024", None),
        ("He retires effective September 1, 2022.", None),
        ("an effective policy of 1 July 2024", None),
    ],
)
def test_effective_date(text, found):
    assert value("effective_date", text=text) == ((found, "page 1") if found else None)


def test_what_it_supersedes():
    text = "This policy supersedes the Procurement Policy of 2021, revision 2. It applies to all."
    assert value("supersedes", text=text) == ("the Procurement Policy of 2021, revision 2", "page 1")


@pytest.mark.parametrize(
    ("text", "found"), [("Revision 4", "4"), ("Version 2.1", "2.1"), ("Rev. B", "B"), ("a revision of it", None)]
)
def test_revision(text, found):
    assert value("revision", text=text) == ((found, "page 1") if found else None)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Acme Holdings Ltd\nProcurement Policy", "Acme Holdings Ltd"),
        ("Department of Health\nAnnual Procurement Plan", "Department of Health"),
        ("ACME COMPANY\n(Exact name of registrant as specified in its charter)", "ACME COMPANY"),
        ("The company buys from suppliers\nthat the Department of Health approved for it", None),
    ],
)
def test_organisation(text, found):
    assert value("organisation", text=text) == ((found, "page 1") if found else None)


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ("Procurement Policy 2024", ("Procurement Policy 2024", "pdf information")),
        ("Microsoft Word - policy_final(2).doc", ("some policy", "file name")),
        ("untitled", ("some policy", "file name")),
        ("0001437749-23-003123", ("some policy", "file name")),
        ("plan.xlsx - Google Sheets", ("some policy", "file name")),
        (r"C:\Users\me\policy", ("some policy", "file name")),
        ("", ("some policy", "file name")),
    ],
)
def test_title_from_the_information_only_where_it_makes_sense(given, title):
    assert value("title", name="some_policy.pdf", information={"Title": given}) == title


def test_title_from_the_largest_lines():
    def line(text, size, top):
        return Line(text, 72, top, 300, top + size, size)

    opening = [
        line("Acme Ltd", 10, 50),
        line("Policy on Buying", 24, 80),
        line("Goods", 24, 110),
        line("for all", 10, 150),
        line("since May", 10, 170),
    ]
    assert value("title", text="x", opening=opening) == ("Policy on Buying Goods", "page 1")


def test_section_of_a_financial_document():
    text = "Gross written premium rose. The combined ratio of underwriting fell, and so did the loss ratio. Underwriting stays."
    assert value("section", text=text) == ("underwriting", "text")
    assert value("section", text="The buyer shall obtain three quotations.") is None


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (
            "The buyer shall obtain three quotations and the head of the department is to approve each of them in writing. "
            * 2,
            "english",
        ),
        (
            "Die Vergabestelle holt drei Angebote ein und die Leitung der Abteilung ist mit der Vergabe nicht befasst. " * 2,
            "german",
        ),
        ("项目描述负责四川省甘孜州丹巴磨子电站引水隧洞爆破方案优化设计" * 5, "chinese"),
        ("تعتبر البرمجة من الأدوات القوية التي يمكن أن تعزز الإنتاجية" * 3, "arabic"),
        ("Item 5,000", ""),
    ],
)
def test_language(text, language):
    assert language_of(text) == language


@pytest.mark.parametrize("name", ["policy.pdf.toml", "policy.meta.toml"])
def test_the_sidecar_wins(tmp_path, name):
    (tmp_path / name).write_text('title = "Our Policy"\nyear = 2023\npassword = "secret"\n')
    sidecar = read_sidecar(tmp_path / "policy.pdf")
    assert (sidecar.password, sidecar.problem) == ("secret", "")
    found = metadata(name="policy 2024.pdf", sidecar=sidecar)
    assert found["title"] == MetadataValue("Our Policy", "sidecar")
    assert found["year"] == MetadataValue("2023", "sidecar")


def test_a_sidecar_that_can_not_be_used_is_reported(tmp_path):
    (tmp_path / "policy.pdf.toml").write_text('titel = "Our Policy"\n')
    assert read_sidecar(tmp_path / "policy.pdf").problem == (
        "policy.pdf.toml holds an unknown titel; the known names are title, document_type, organisation, year, quarter, "
        "effective_date, revision, supersedes, language, section and password."
    )
    (tmp_path / "policy.pdf.toml").write_text("title = Our Policy\n")
    assert read_sidecar(tmp_path / "policy.pdf").problem.startswith(
        "policy.pdf.toml was left out, because it is not valid TOML: "
    )
