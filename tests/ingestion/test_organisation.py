import pytest

from ingestion.organisation import find_organisation
from rag.domain import Page


def organisation(text, *, header="", information=None, title="", outcome="text"):
    found = find_organisation([Page(1, outcome, text, header=header)], information or {}, title)
    return found.value if found else ""


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Acme Holdings Ltd", "Acme Holdings Ltd"),
        ("The Larkmere Regional Water Authority", "Larkmere Regional Water Authority"),
        ("Larkmere Regional Water Authority Vendor Onboarding Guide", "Larkmere Regional Water Authority"),
        ("Larkmere Regional Water Authority Procurement Policy, Revision 3 (2023)", "Larkmere Regional Water Authority"),
        ("Stadtwerke Lindenau am See GmbH Ausschreibung SWL-2025-008", "Stadtwerke Lindenau am See GmbH"),
        ("Acque Valdora S.p.A. Avviso di gara 12/2025", "Acque Valdora S.p.A."),
        ("SmartPay U.S. General Services Administration", "U.S. General Services Administration"),
        ("Department of Health", "Department of Health"),
        ("Delegation of Authority Matrix", ""),
        ("Delegation of Authority (DoA) Matrix 2025", ""),
        ("Contracting Authority", ""),
        ("UNITED STATES SECURITIES AND EXCHANGE COMMISSION", ""),
        ("The Larkmere Water Authority (LWA) serves 412,000 people.", ""),
        ("that the Department of Health approved for it", ""),
    ],
)
def test_cut_out_of_a_line_of_the_letterhead_or_the_running_header(line, name):
    assert organisation(f"{line}\n\nThe buyer obtains quotations.") == name
    assert organisation("The buyer obtains quotations.", header=line) == name


def test_not_from_the_body():
    assert organisation("Purpose\nScope\nRules\nLimits\nAcme Holdings Ltd\nreplied.") == ""


def test_two_names_leave_doubt():
    assert organisation("Acme Holdings Ltd\nBorealis Pumps Inc.\n\nPayable in 30 days") == ""


def test_a_logo_read_as_letters_by_ocr_is_left_out():
    assert organisation("ry Larkmere Regional Water Authority Memorandum 2025-017", outcome="ocr") == (
        "Larkmere Regional Water Authority"
    )


@pytest.mark.parametrize(
    ("author", "text", "name"),
    [
        ("Companhia de Águas do Vale Sereno", "A Companhia de Águas do Vale Sereno compra bombas.", "as given"),
        ("Wordsmith Consulting LLC", "The Authority buys pumps.", ""),  # whoever typed it
        ("Jane Doe", "Jane Doe wrote this.", ""),
    ],
)
def test_the_author_of_the_file_counts_only_as_an_organisation_the_pages_name(author, text, name):
    assert organisation(text, information={"Author": author}) == (author if name else "")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("UNITED STATES\nAMCOR PLC\n(Exact name of registrant as specified in its charter)\nAmcor plc sells.", "Amcor plc"),
        ("FORM 10-K\nCommission file number 1-3285\n\n3M COMPANY\n\nState of Incorporation", "3M COMPANY"),
    ],
)
def test_the_registrant_of_a_filing_as_the_text_spells_it(text, name):
    assert organisation(text) == name


def test_a_title_that_begins_like_the_name_is_not_part_of_it():
    assert organisation("text", header="Strategic Plan General Services Administration", title="GSA Strategic Plan") == ""
