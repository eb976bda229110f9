from collections.abc import Sequence

from langchain_core.documents import Document

from rag.cache import LeastRecentlyUsed
from rag.config import load_config
from rag.rerank import BATCH, FlashrankCompressor, Reranker, open_reranker


class NumberScorer:
    """A text is as relevant as the number it is; `scored` lists the texts it was given."""

    name = "numbers"

    def __init__(self) -> None:
        self.scored: list[str] = []

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        self.scored += texts
        return [float(text) for text in texts]


def compressed(texts, **settings):
    documents = [Document(page_content=text, metadata={"n": place}) for place, text in enumerate(texts)]
    kept = FlashrankCompressor(scorer=NumberScorer(), **settings).compress_documents(documents, "?")
    assert [document.metadata for document in documents] == [{"n": place} for place in range(len(texts))]  # left as given
    return [(document.metadata["n"], document.metadata["relevance_score"]) for document in kept]


def test_keeps_what_reaches_the_threshold_best_first():
    assert compressed(["0.2", "0.9", "0.6", "0.7"], top=1) == [(1, 0.9), (3, 0.7), (2, 0.6)]


def test_keeps_the_best_few_whatever_they_score():
    assert compressed(["0.1", "0.3", "0.2"], top=2) == [(1, 0.3), (2, 0.2)]


def test_equal_scores_stay_in_the_order_given():
    assert compressed(["0.8", "0.8", "0.8"]) == [(0, 0.8), (1, 0.8), (2, 0.8)]


def test_nothing_in_nothing_out():
    assert compressed([]) == []


def test_stops_once_enough_are_certain():
    scorer = NumberScorer()
    texts = ["0.9"] * 3 + ["0.1"] * BATCH * 3
    kept = Reranker(FlashrankCompressor(scorer=scorer, top=2), "").order("?", texts, keep=3, identities=range(len(texts)))
    assert [place for place, _ in kept] == [0, 1, 2]
    assert len(scorer.scored) == BATCH


def test_goes_on_while_too_few_are_certain():
    scorer = NumberScorer()
    texts = ["0.6"] * BATCH * 2 + ["0.99"]
    kept = Reranker(FlashrankCompressor(scorer=scorer, top=2), "").order("?", texts, keep=2, identities=range(len(texts)))
    assert kept[0] == (BATCH * 2, 0.99)
    assert len(scorer.scored) == len(texts)


def test_without_a_model_the_note_says_who_ranks_and_why(tmp_path):
    settings = load_config().with_values(rerank={"cache": tmp_path, "download": False}).rerank
    reranker = open_reranker(settings)
    assert reranker.compressor is None
    assert reranker.note.startswith("Ranked by the built-in scorer. FlashRank's model is not in")


def test_reranking_can_be_turned_off():
    assert open_reranker(load_config().with_values(rerank={"enabled": False}).rerank) == Reranker(
        None, "Reranking is off: pages stand in their fused order."
    )


def test_a_score_is_remembered_for_the_same_question_text_and_generation():
    scorer = NumberScorer()
    reranker = Reranker(FlashrankCompressor(scorer=scorer, top=1, remembered=LeastRecentlyUsed(holds=100)), "")
    first = reranker.order("?", ["0.6", "0.9"], keep=2, identities=[("gen-1", 0), ("gen-1", 1)])
    assert first == [(1, 0.9), (0, 0.6)]
    again = reranker.order("?", ["0.7", "0.6", "0.9"], keep=2, identities=[("gen-1", 2), ("gen-1", 0), ("gen-1", 1)])
    assert again == [(2, 0.9), (0, 0.7), (1, 0.6)]
    assert scorer.scored == ["0.6", "0.9", "0.7"]
    reranker.order("?", ["0.8"], keep=1, identities=[("gen-2", 0)])
    reranker.order("Why?", ["0.9"], keep=1, identities=[("gen-1", 1)])
    assert scorer.scored == ["0.6", "0.9", "0.7", "0.8", "0.9"]


def test_documents_of_another_chain_are_never_remembered():
    scorer = NumberScorer()
    compressor = FlashrankCompressor(scorer=scorer, remembered=LeastRecentlyUsed(holds=100))
    for text in ("0.6", "0.7"):
        kept = compressor.compress_documents([Document(page_content=text)], "?")
        assert kept[0].metadata["relevance_score"] == float(text)
