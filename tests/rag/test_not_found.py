from rag.domain import FileRecord, Filters, FoundRule, Query, Retrieval
from rag.not_found import not_found_text, says_not_found
from tests.rag.fakes import passage

READ = FileRecord("a", ("policy.pdf",), 1, "read")
SCAN = FileRecord("b", ("memo.pdf",), 1, "partly", reason="Pages 2-3 could not be read.", next_step="Install an OCR engine.")
LOCKED = FileRecord("c", ("fees/consultants.pdf",), 1, "failed", reason="It is encrypted.")


def found(*passages, **more):
    return Retrieval(Query("?", "?", "?", (), Filters()), passages, (), "gen-1", **more)


def test_nearest_pages_and_unread_files_are_named():
    near = (
        passage("One.", label="iv", section=("Procurement Policy", "Approvals", "3.1")),
        passage("Two.", label="iv"),
        passage("Three.", document="Annex", file="annex.pdf", page=2),
    )
    assert not_found_text("What are the fees of consultants?", found(*near), (READ, SCAN, LOCKED)) == (
        "I could not find this in the documents.\n\n"
        "These pages came nearest:\n\n"
        "- Procurement Policy, page 4 (printed iv): Approvals [1]\n"
        "- Annex, page 2 [3]\n\n"
        "These files could not be read in full and may hold it:\n\n"
        "- fees/consultants.pdf: It is encrypted.\n"
        "- memo.pdf: Pages 2-3 could not be read. Install an OCR engine."
    )


def test_with_nothing_near_and_all_read_one_sentence_is_enough():
    assert not_found_text("What?", found(), (READ,)) == "I could not find this in the documents."


def test_many_unread_files_are_counted():
    files = [FileRecord(str(n), (f"{n}.pdf",), 1, "failed", reason="Damaged.") for n in range(9)]
    assert "and 4 more on the Documents page" in not_found_text("What?", found(), files)


def test_rules_of_which_none_holds_are_shown_with_what_they_lack():
    match = FoundRule("policy.pdf", 4, "CFO", "up to USD 10,000", "Payment outside the match", "row")
    text = not_found_text(
        "Who approves a payment outside the match of 12,000?",
        found(passage("6.3"), near_rules=(match,), rules_note="No rule on “Payment outside the match” covers 12,000."),
        (READ,),
    )
    assert text == (
        "I could not find this in the documents.\n\n"
        "No rule on “Payment outside the match” covers 12,000.\n\n"
        "What the documents do say of it:\n\n"
        "- CFO: up to USD 10,000 (Payment outside the match) [1]"
    )


def test_a_model_that_says_so_is_understood():
    assert says_not_found("**I could not find this in the documents**.")
    assert not says_not_found("The limit is 5 [1]. I could not find the rest.")
