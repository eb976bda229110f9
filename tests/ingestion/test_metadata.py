import pytest

from ingestion.layout import Line
from ingestion.metadata import Sidecar, find_metadata, read_sidecar
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


def test_the_kind_from_the_title_only_where_the_page_bears_it():
    information = {"Title": "Vendor Invoice"}
    assert value("document_type", name="x.pdf", text="Vendor\nInvoice", information=information) == ("invoice", "page 1")
    assert value("document_type", name="x.pdf", text="Rules for buying", information=information) is None


def test_the_kind_never_from_the_body():
    text = "Delegation of Authority\n\nAll amounts refer to the total value of the contract, not to a single order or invoice."
    assert value("document_type", name="x.pdf", text=text) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("For the fiscal year ended December 31, 2022", "2022"),
        ("Fiscal Year 2024\nadopted in Fiscal Year 2025", "2024"),
        ("FY 2022 to FY 2026", None),
        ("Rules\n" * 9 + "the budget of fiscal year 2023", None),
    ],
)
def test_the_year_from_the_top_of_the_first_page(text, found):
    assert value("year", name="x.pdf", text=text) == ((found, "page 1") if found else None)


def test_all_that_one_page_says_of_its_document():
    text = "Travel Policy\n\nACM-FIN-015, effective 1 September 2024\n\nThis policy follows the Procurement Policy, Revision 4."
    pages = [Page(1, "text", text, header="Acme Holdings Ltd Travel Policy")]
    found = find_metadata("travel.pdf", pages, [], {"Title": "Travel Policy"}, Sidecar())
    assert {key: value.value for key, value in found.items()} == {
        "title": "Travel Policy",
        "document_type": "policy",
        "organisation": "Acme Holdings Ltd",
        "effective_date": "2024-09-01",
    }


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ("Procurement Policy 2024", ("Procurement Policy 2024", "pdf information")),
        ("Microsoft Word - policy_final(2).doc", ("some policy", "file name")),
        ("untitled", ("some policy", "file name")),
        ("0001437749-23-003123", ("some policy", "file name")),
        ("plan.xlsx - Google Sheets", ("some policy", "file name")),
        ("MC_Mod_Log_thru_PO0024 - Google Sheets", ("some policy", "file name")),
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


def test_no_title_from_a_later_page():
    def line(text, size, top):
        return Line(text, 72, top, 300, top + size, size)

    signatures = [line("Prepared by", 9, 700), line("by Sanchez", 14, 715), line("Head of Procurement", 9, 740)]
    tables = [Page(number, "text", "") for number in range(1, 6)]
    found = find_metadata("Plan 2023.pdf", [*tables, Page(6, "text", "by Sanchez")], signatures, {}, Sidecar())
    assert found["title"] == MetadataValue("Plan 2023", "file name")


def test_section_of_a_financial_document():
    text = "Gross written premium rose. The combined ratio of underwriting fell, and so did the loss ratio. Underwriting stays."
    assert value("section", text=text) == ("underwriting", "text")
    assert value("section", text="The buyer shall obtain three quotations.") is None


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
