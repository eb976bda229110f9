import numpy as np
import pytest

from rag.index import IndexReader
from rag.prepared import prepare
from rag.scorer import Evidence, WordCounts, abbreviations_asked_for, closest, defines, judge, nearer_first
from rag.tokens import words
from rag.word_order import number_of, numbers_of
from tests.published import FINGERPRINT, SETTINGS, document, publish_documents, vector


@pytest.fixture
def prepared(tmp_path):
    pages = document(
        "policy.pdf",
        "Cards that are lost must be reported within 24 hours.",
        "Cards are issued by the bank. Lost property goes to the desk.",
        "A Statement of Objectives (SOO) is short.",
        "The SOO is attached.",
        *(f"Filler about matter {n}." for n in range(8)),
    )
    publish_documents(tmp_path, [pages])
    return prepare(IndexReader(tmp_path, fingerprint=FINGERPRINT, settings=SETTINGS).snapshot())


def judged(prepared, question, near=""):
    pages = sorted({prepared.page_of(row) for row in range(len(prepared.snapshot))})
    return judge(question, question, vector(near or question), pages, prepared)


def test_the_page_whose_words_stand_close_together_comes_first(prepared):
    first, second = judged(prepared, "lost cards reported")[:2]
    assert prepared.place(first.page)["page"] == 1
    assert first.features["coverage"] == pytest.approx(1)
    assert first.features["close_words"] > second.features["close_words"]


def test_words_count_as_a_share_of_what_can_be_reached(prepared):
    """Few shared words among many strange ones must not outweigh the nearest vector, as they do when scaled to 0..1."""
    near = "The SOO is attached."
    best = judged(prepared, "desk zebra xylophone quartz jungle", near=near)[0]
    assert prepared.place(best.page)["page"] == 4
    assert max(each.features["words"] for each in judged(prepared, "desk zebra xylophone quartz jungle", near=near)) < 0.2


def found(page, score, **features):
    return Evidence(page, page, (page,), score, {"words": 0.0, "lift": 0.0, "reference": 0.0, **features})


def test_vectors_weigh_more_the_fewer_words_of_the_question_any_page_holds():
    near, worded = found(1, 1.0, lift=5.0), found(2, 1.5, lift=1.0)
    assert [each.page for each in nearer_first([worded, near])] == [1, 2]
    some = found(3, 1.4, words=0.15)  # three quarters of what is few: a quarter of the weight is added
    assert [each.score for each in nearer_first([worded, some, near])] == pytest.approx([1.55, 1.4, 1.25])


@pytest.mark.parametrize("known", [{"words": 0.2}, {"reference": 1.0}])
def test_scores_stay_where_a_page_holds_the_words_or_the_reference(known):
    judged = [found(2, 1.5, lift=1.0, **known), found(1, 1.0, lift=5.0)]
    assert nearer_first(judged) == judged


def test_a_figure_counts_only_where_one_is_asked_for(prepared):
    pages = {prepared.place(each.page)["page"]: each for each in judged(prepared, "How soon are lost cards reported?")}
    assert (pages[1].features["figure"], pages[2].features["figure"]) == (1, 0)
    assert all(each.features["figure"] == 0 for each in judged(prepared, "Who reports lost cards?"))


def test_the_page_that_spells_an_abbreviation_out_comes_first(prepared):
    assert prepared.place(judged(prepared, "What does SOO stand for?")[0].page)["page"] == 3


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What does SOO stand for?", {"SOO"}),
        ("What is an A/OPC?", {"A/OPC"}),
        ("What are CLPs, what do they mean?", {"CLP"}),
        ("What is FACES at OPM?", {"FACES"}),
        ("What are IBA and CBA?", {"IBA", "CBA"}),
        ("What is the CAF rate?", set()),
        ("What is the ABC for the laminating machine?", set()),
        ("Who signs the SOO?", set()),
        ("What does coverage mean?", set()),
    ],
)
def test_abbreviations_whose_meaning_is_asked(question, names):
    assert abbreviations_asked_for(question) == names


def test_a_mention_is_no_definition():
    assert defines("A Statement of Objectives (SOO) is short.", {"SOO"})
    assert not defines("The SOO is attached.", {"SOO"})


def test_the_figure_of_the_question_is_no_answer():
    def closest_in(text):
        return closest(numbers_of(words(text)), {number_of("limit"): 2.0, number_of("50000"): 3.0})

    assert closest_in("The limit of 50,000 applies.") == (pytest.approx(1), 0.0)
    assert closest_in("The limit of 50,000 is now 60,000.") == (pytest.approx(1), 1.0)
    assert closest_in("Nothing of it.") == (0.0, 0.0)


def test_counts_come_from_the_postings(prepared):
    counts = WordCounts(prepared.snapshot, "lost unheard", np.array([0, 1, 2]))
    assert counts.counts.tolist() == [[1, 1, 0], [0, 0, 0]]
    assert counts.coverage(counts.counts)[2] == 0
    assert 0 < counts.coverage(counts.counts)[0] < 0.5  # the unheard word weighs more


def test_nothing_to_judge(prepared):
    assert judge("?", "?", vector("?"), [], prepared) == []


def test_a_page_that_does_not_speak_of_a_name_shows_it(prepared):
    pages = {prepared.place(each.page)["page"]: each.features for each in judged(prepared, "Are lost cards of Acme reported?")}
    assert pages[1]["names"] == 0
    assert judged(prepared, "are lost cards reported?")[0].features["names"] == 1
    assert judged(prepared, "Is the SOO attached?")[0].features["names"] == 1


def test_the_page_where_a_clause_begins_comes_before_those_that_mention_it(tmp_path):
    mention = "As clause 4.2 says, three quotations are needed for every purchase of goods."
    clause = "4.2 Records are kept."
    filler = [f"Filler about matter {n}." for n in range(8)]
    publish_documents(tmp_path, [document("policy.pdf", mention, clause, *filler)])
    prepared = prepare(IndexReader(tmp_path, fingerprint=FINGERPRINT, settings=SETTINGS).snapshot())
    first = judged(prepared, "What does clause 4.2 say?")[0]
    assert prepared.place(first.page)["page"] == 2
    assert first.features["reference"] == 1.0
