import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from rag import postings
from rag.lexical import FIELDS, LexicalBuilder, LexicalIndex, Okapi, average_idf
from rag.postings import ARRAYS, SAMPLED, Builder, Postings, Stored
from rag.tokens import phrases, words

TERMS = st.lists(st.sampled_from("abcdefgh"), max_size=12)
CORPORA = st.lists(TERMS, min_size=1, max_size=25).filter(any)
PIECES = ["tender", "supplier", "contract", "bid", "4.2", "HR-204", "¥", "50k"]
TEXTS = st.lists(st.lists(st.sampled_from(PIECES)).map(" ".join), max_size=8)
LIMITS = [
    "The chief financial officer approves purchases above 50,000.",
    "A department head approves purchases up to 10,000.",
    "Travel is booked through the agency. See clause 4.2.1(b).",
    "Suppliers are registered before the first order.",
    "Invoices are paid within thirty days.",
]


def index_of(*texts: str, languages: tuple[str, ...] = ("english",)) -> LexicalIndex:
    builder = LexicalBuilder()
    for at, text in enumerate(texts):
        builder.add(text, language=languages[at % len(languages)])
    return builder.finish()


def okapi_of(corpus: list[list[str]]) -> Okapi:
    builder = Builder()
    for terms in corpus:
        builder.add(terms)
    field = builder.finish()
    return Okapi(field, average_idf=average_idf(field))


@given(CORPORA, TERMS)
def test_scores_are_those_of_rank_bm25(corpus, query):
    expected = BM25Okapi(corpus).get_scores(query)
    scores = okapi_of(corpus).scores(query)
    np.testing.assert_allclose(np.zeros(len(corpus)) if scores is None else scores, expected, atol=1e-5)


def test_words_and_phrases_have_statistics_of_their_own():
    words_of = [words(text) for text in LIMITS]
    query = words("who approves purchases above the limit")
    expected = BM25Okapi(words_of).get_scores(query)
    expected += 2 * BM25Okapi([phrases(each) for each in words_of]).get_scores(phrases(query))
    ranking = index_of(*LIMITS).search("who approves purchases above the limit", num_results=5, phrase_weight=2)
    np.testing.assert_allclose(ranking.scores, expected[ranking.rows], atol=1e-5)
    assert sorted(ranking.rows) == [0, 1]


def test_a_row_without_any_of_the_words_is_left_out():
    index = index_of(*LIMITS)
    assert index.search("invoices", num_results=5).rows.tolist() == [4]
    assert len(index.search("helicopters", num_results=5)) == 0
    assert len(index.search("what is the", num_results=5)) == 0
    assert len(index_of().search("invoices", num_results=5)) == 0


def test_only_allowed_rows_come_back():
    allowed = np.array([False, True, True, True, True])
    assert index_of(*LIMITS).search("approves purchases", num_results=5, allowed=allowed).rows.tolist() == [1]


def test_num_results_cuts_and_ties_stand_in_the_order_of_their_rows():
    index = index_of("tender alpha", "tender beta", *["unrelated"] * 6, "tender gamma")
    assert index.search("tender", num_results=2).rows.tolist() == [0, 1]


def test_a_literal_reference_finds_its_rows_however_it_is_written():
    index = index_of(*LIMITS)
    assert index.references("what does 4.2.1(b) say?", num_results=5).rows.tolist() == [2]
    assert index.references("buying for $50k", num_results=5).rows.tolist() == [0]
    assert len(index.references("what does the policy say?", num_results=5)) == 0


def test_a_rarer_reference_ranks_first():
    index = index_of("clause 4.2", "clause 4.2 and clause 7.1", "clause 4.2", "none")
    assert index.references("7.1 or 4.2", num_results=2).rows.tolist() == [1, 0]


def test_a_question_finds_documents_in_each_language_by_that_languages_stems():
    index = index_of("The suppliers of contracts", "I fornitori dei contratti", languages=("en", "it"))
    assert index.languages == ("english", "italian")
    fillers = index_of(*["nothing here"] * 6)
    index = index.changed(kept=np.ones(2, bool), new=fillers)
    assert index.search("contract supplier", num_results=2).rows.tolist()[0] == 0
    assert index.search("qual è il fornitore?", num_results=2).rows.tolist()[0] == 1


def test_the_stop_words_of_the_questions_language_do_not_match_foreign_documents():
    index = index_of("il contratto: the term", "the purchase limit", "altro", "resto", languages=("it", "en"))
    assert index.search("what is the limit", num_results=4).rows.tolist() == [1]


@given(TEXTS, TEXTS, st.data())
@settings(deadline=None)
def test_rows_taken_away_and_added_equal_an_index_built_anew(old, new, data):
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(old), max_size=len(old))), bool)
    changed = index_of(*old).changed(kept=kept, new=index_of(*new))
    anew = index_of(*[text for text, stays in zip(old, kept, strict=True) if stays], *new)
    for name in FIELDS:
        for array in ARRAYS:
            np.testing.assert_array_equal(getattr(changed.fields[name], array), getattr(anew.fields[name], array))
    assert changed.average_idfs == anew.average_idfs


def test_a_saved_index_is_read_back_without_being_loaded(tmp_path, monkeypatch):
    monkeypatch.setattr("rag.stored.IN_MEMORY_UP_TO", 0)  # as if it were large
    index = index_of(*LIMITS)
    index.save(tmp_path / "bm25")
    loaded = LexicalIndex.load(tmp_path / "bm25")
    assert isinstance(loaded.fields["phrases"].terms, Stored)
    assert loaded.languages == ("english",)
    expected = index.search("approves purchases", num_results=5)
    found = loaded.search("approves purchases", num_results=5)
    assert (found.rows.tolist(), found.scores.tolist()) == (expected.rows.tolist(), expected.scores.tolist())


def test_no_array_on_disk_is_a_pickle(tmp_path):
    index_of(*LIMITS).save(tmp_path / "bm25")
    for path in (tmp_path / "bm25").rglob("*.npy"):
        np.load(path, allow_pickle=False)
    assert {path.suffix for path in (tmp_path / "bm25").rglob("*.*")} == {".npy", ".json"}


def test_positions_beyond_32_bits_are_kept_in_64():
    assert postings.ends(np.array([3, 0, 4])).tolist() == [0, 3, 3, 7]
    assert postings.ends(np.array([3])).dtype == np.uint32
    assert postings.ends(np.array([2**33])).tolist() == [0, 2**33]


def test_every_term_of_a_long_vocabulary_is_found(tmp_path):
    builder = Builder()
    for number in range(3 * SAMPLED):
        builder.add([f"term {number}"])
    builder.finish().save(tmp_path / "terms")
    for field in (builder.finish(), Postings.load(tmp_path / "terms")):
        assert [field.rows[field.find(f"term {number}")].tolist() for number in range(3 * SAMPLED)] == [
            [number] for number in range(3 * SAMPLED)
        ]
        assert field.find("absent") == slice(0, 0)


@pytest.mark.parametrize("times", [1, 70_000])
def test_a_term_is_counted_up_to_what_16_bits_hold(times):
    builder = Builder()
    builder.add(["x"] * times)
    field = builder.finish()
    assert field.counts.tolist() == [min(times, 65_535)]
    assert field.lengths.tolist() == [times]


CLAUSES = [
    "Contents 6.1 Opening … 3 6.10 Local preference … 4",
    "As section 6.10 says, bidders of the county are preferred.",
    "Policy | 6 Evaluation\n6.10 Local preference. Bidders of the county are preferred.",
    "Policy | 6 Evaluation\n6.1 Bids are opened in public.",
    "4.2.1 Damages are paid:\n4.2.1(a) for goods, 0.5 percent;",
    "4.2.1(b) for works, 0.1 percent a day.",
    "12 Disputes\nThey go to court.",
    "Payment follows 12 months later.",
]


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("What does 6.10 say?", [2, 1]),  # where it begins, then where it is mentioned; never the contents or 6.1
        ("What does 6.1 say?", [3]),
        ("What does clause 4.2.1(b) say?", [5, 4]),
        ("What does clause 4.2.1(d) say?", [4, 5]),  # nowhere: the clause around it
        ("What does clause 12 say?", [6]),
    ],
)
def test_a_clause_is_found_where_it_begins(question, rows):
    assert index_of(*CLAUSES).references(question, num_results=5).rows.tolist() == rows
