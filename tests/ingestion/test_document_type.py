import pytest

from ingestion.document_type import kind_of_line, kind_of_title


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("Tender and RFP Guideline 2025", "guideline"),
        ("Delegation of Authority Matrix 2025", "matrix"),
        ("Quarterly Spend Report Q1 FY2025", "report"),
        ("Quarterly Spend Report – Q1 FY2025", "report"),
        ("Annual Budget – Fiscal Year 2025", "budget"),
        ("Circular 2025-03: Use of Purchasing Cards", "circular"),
        ("Memo 2025-017 Emergency Repair Brackett Point scanned", "memorandum"),
        ("Standard Contract Terms LRWA-CON-100 2024", "contract"),
        ("Guide to Purchase Orders", "guide"),
        ("Policy on Contracts", "policy"),
        ("Procurement Policy, Revision 3", "policy"),
        ("TechFAR Handbook Final 1.01", "handbook"),
        ("2013-annual-report", "annual report"),
        ("Request for Proposal: Sludge Dewatering", "request for proposal"),
        ("SVP-079-25 GSD RFQ SVP-079-25", "request for quotation"),
        ("ACME 2022 8K dated-2022-07-01", "8-K"),
        ("Contract Management", ""),  # about contracts, none itself
        ("Invoice Processing", ""),
        ("RFP 2025-04 Contract", "contract"),
        ("Fake Invoices", ""),
        ("Strategic Plan 2022", ""),
    ],
)
def test_a_title_is_of_the_kind_its_first_phrase_ends_with(title, kind):
    assert kind_of_title(title) == kind


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("INVOICE", "invoice"),
        ("Tax Invoice No. 4711", "invoice"),
        ("REQUEST FOR QUOTATION", "request for quotation"),
        ("Purchase Order #PO-2025-18", "purchase order"),
        ("FORM 10-K", "10-K"),
        ("Invoice the goods at once", ""),
        ("Contract Manager", ""),
    ],
)
def test_a_line_counts_only_if_it_says_nothing_else(line, kind):
    assert kind_of_line(line) == kind
