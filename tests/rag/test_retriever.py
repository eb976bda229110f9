import dataclasses
import json
import os
import shutil
import time

import numpy as np
import pytest
from langchain_core.retrievers import BaseRetriever

from glossary.expand import Glossary, Term
from glossary.learn import Proposal, accept
from rag.chat import Chat
from rag.config import load_config
from rag.domain import Chunk, Filters, MetadataValue, Turn
from rag.index import IndexReader
from rag.retriever import HybridRetriever, both_ways
from rag.scorer import Evidence
from tests.published import DIMENSION, FINGERPRINT, SETTINGS, document, publish_documents, vector


class HashEmbedder:
    """A text is near itself and nothing else; `asked` lists the questions that were embedded."""

    name, fingerprint, dimension, max_tokens = "hashes", FINGERPRINT, DIMENSION, 256

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed_query(self, text: str) -> np.ndarray:
        self.asked.append(text)
        return vector(text)


def with_metadata(segment, **values):
    metadata = {**segment.record.metadata, **{name: MetadataValue(value, "file name") for name, value in values.items()}}
    return dataclasses.replace(segment, record=dataclasses.replace(segment.record, metadata=metadata))


POLICY = document(
    "policy.pdf",
    "Purchases above 50,000 need three written quotations.",
    "A Letter of Authority names who may sign contracts.",
    "Suppliers are registered before the first order.",
)
TRAVEL = document(
    "travel.pdf", "Flights are booked through the agency.", "Hotel rates are capped at 120 per night.", "See HR-204."
)
GLOSSARY = Glossary((Term("LOA", "Letter of Authority"),))


def retriever_of(index_dir, **tables) -> HybridRetriever:
    config = load_config(index=index_dir).with_values(**{"rerank": {"download": False, "cache": index_dir / "none"}, **tables})
    return HybridRetriever.open(
        config, HashEmbedder(), IndexReader(index_dir, fingerprint=FINGERPRINT, settings=SETTINGS), GLOSSARY
    )


@pytest.fixture
def retriever(tmp_path) -> HybridRetriever:
    publish_documents(tmp_path, [POLICY, TRAVEL])
    return retriever_of(tmp_path)


def places(retrieval):
    return [(passage.chunk.file, passage.chunk.page) for passage in retrieval.passages]


def test_finds_by_words_and_by_nearness_and_says_which(retriever):
    found = retriever.search("Hotel rates are capped at 120 per night.")
    assert places(found)[0] == ("travel.pdf", 2)
    assert found.passages[0].found_by == ("dense", "lexical")
    assert found.passages[0].text == "Around: Hotel rates are capped at 120 per night."
    assert found.passages[0].stage_scores["coverage"] == pytest.approx(1)


def test_a_page_is_listed_once_and_no_more_than_asked_for(retriever):
    found = retriever.search("quotations suppliers contracts flights hotel", k=4)
    assert len(found.passages) == len(set(places(found))) == 4
    assert len(retriever.search("hotel", k=1).passages) == 1


def test_an_abbreviation_finds_its_definition_unless_undone(retriever):
    found = retriever.search("LOA")
    assert places(found)[0] == ("policy.pdf", 2)
    assert [(e.found, e.definition) for e in found.query.expansions] == [("LOA", "Letter of Authority")]
    assert retriever.search("LOA", expand=False).query.expanded == "LOA"
    assert retriever.search("LOA", skip=("LOA",)).query.expansions == ()


def test_the_document_that_bears_a_number_comes_before_those_that_mention_it(tmp_path):
    guide = document("guide.pdf", "Vendor guide. ACME-GDL-030, March 2025", "Vendors register on the portal.")
    mentions = "Vendors register as ACME-GDL-030 says: ACME-GDL-030 holds for all vendors who register."
    publish_documents(tmp_path, [document("other.pdf", mentions), guide])
    assert places(retriever_of(tmp_path).search("ACME-GDL-030"))[0] == ("guide.pdf", 1)
    asked = retriever_of(tmp_path).search("ACME-GDL-030: Vendors register on the portal.")
    assert places(asked)[0] == ("guide.pdf", 2)


def test_a_question_in_everyday_words_finds_the_page_in_officialese(retriever, tmp_path):
    found = retriever.search("Which sellers?")  # no word of it stands in a document
    assert places(found)[0] == ("policy.pdf", 3)
    assert "Also searched for: Which sellers supplier?" in [step.note for step in found.trace]
    plain = retriever_of(tmp_path, query={"multi_query": False}).search("Which sellers?")
    assert "reworded" not in [step.stage for step in plain.trace]


def test_two_wordings_give_a_page_the_mean_of_its_scores_and_the_better_of_each_feature():
    asked = [Evidence(1, 0, (1,), 3.0, {"words": 0.1, "lift": 2.0}), Evidence(2, 1, (2,), 2.0, {"words": 0.2, "lift": 1.0})]
    reworded = [Evidence(2, 1, (2,), 6.0, {"words": 0.8, "lift": 0.5}), Evidence(1, 0, (1,), 1.0, {"words": 0.0, "lift": 3.0})]
    judged = both_ways(asked, reworded)
    assert [(each.page, each.score) for each in judged] == [(2, 4.0), (1, 2.0)]
    assert [dict(each.features) for each in judged] == [{"words": 0.8, "lift": 1.0}, {"words": 0.1, "lift": 3.0}]


def test_a_literal_reference_comes_first(retriever):
    assert places(retriever.search("What is HR-204?"))[0] == ("travel.pdf", 3)


def test_a_follow_up_searches_with_the_words_it_leans_on(retriever):
    found = retriever.search("And per night?", history=[Turn("What are the hotel rates?")])
    assert places(found)[0] == ("travel.pdf", 2)
    assert found.query.standalone == "And per night? (hotel rates)"


def test_words_that_no_document_has_are_a_normal_question(retriever):
    found = retriever.search("zzz qqq")
    lexical = next(step for step in found.trace if step.stage == "lexical")
    assert lexical.note == "Nothing found."
    assert {passage.found_by for passage in found.passages} == {("dense",)}


def test_every_stage_leaves_a_line_with_its_milliseconds(retriever):
    found = retriever.search("Hotel rates")
    stages = [step.stage for step in found.trace]
    assert stages == ["query", "embed", "dense", "lexical", "reference", "fuse", "rerank", "evidence", "read"]
    assert set(found.milliseconds()) == set(stages)
    assert next(step for step in found.trace if step.stage == "rerank").note.startswith("Ranked by the built-in scorer.")


def test_a_filter_is_hard_and_an_empty_one_lifts_it(tmp_path):
    publish_documents(tmp_path, [with_metadata(POLICY, year="2023"), with_metadata(TRAVEL, year="2025")])
    retriever = retriever_of(tmp_path)
    assert {file for file, _ in places(retriever.search("Hotel rates", filters=Filters(year=("2023",))))} == {"policy.pdf"}
    assert places(retriever.search("Hotel rates", filters=Filters()))[0] == ("travel.pdf", 2)


def test_a_filter_that_nothing_matches_says_what_there_is(tmp_path):
    publish_documents(tmp_path, [with_metadata(POLICY, year="2023")])
    found = retriever_of(tmp_path).search("quotations", filters=Filters(year=("1999",)))
    assert found.passages == ()
    assert "No indexed document has year 1999. There is: 2023." in found.notices[0]


def test_filters_are_inferred_from_the_question(tmp_path):
    report = with_metadata(
        document("q1.pdf", "Spend on hotels was 9,000."), year="FY2025", quarter="Q1", document_type="report"
    )
    other = with_metadata(document("q2.pdf", "Spend on hotels was 7,000."), year="FY2025", quarter="Q2", document_type="report")
    publish_documents(tmp_path, [report, other])
    found = retriever_of(tmp_path).search("Spend on hotels in Q2 FY2025")
    assert found.query.filters == Filters(year=("2025",), quarter=("Q2",))
    assert places(found) == [("q2.pdf", 1)]


def test_the_newer_revision_comes_first_unless_the_older_is_asked_for(tmp_path):
    text = "The bid limit is {} for goods."
    old = with_metadata(
        document("old.pdf", text.format("10,000"), title="Bids"), revision="1", year="2020", document_type="policy"
    )
    new = with_metadata(
        document("new.pdf", "Goods: a bid limit of 25,000.", title="Bids"), revision="2", year="2024", document_type="policy"
    )
    publish_documents(tmp_path, [old, new, TRAVEL])
    retriever = retriever_of(tmp_path)
    found = retriever.search(text.format("10,000"), filters=Filters())
    assert places(found)[:2] == [("new.pdf", 1), ("old.pdf", 1)]
    assert "(old.pdf)" in found.notices[0]
    assert places(retriever.search(f"Revision 1: {text.format('10,000')}"))[0] == ("old.pdf", 1)


def test_a_remembered_result_is_not_that_of_another_glossary(retriever):
    assert retriever.search("Who signs a BOR?").query.expansions == ()
    retriever.glossary = Glossary((*GLOSSARY.terms, Term("BOR", "Bid Opening Record")))
    assert [each.term for each in retriever.search("Who signs a BOR?").query.expansions] == ["BOR"]


def test_a_chat_takes_up_terms_that_are_added_while_it_runs(tmp_path):
    publish_documents(tmp_path, [POLICY, TRAVEL])
    glossary = tmp_path / "glossary.csv"
    glossary.write_text("abbreviation,definition,category,notes\n", encoding="utf-8")
    config = load_config(index=tmp_path).with_values(rerank={"download": False, "cache": tmp_path}, glossary={"file": glossary})
    reader = IndexReader(tmp_path, fingerprint=FINGERPRINT, settings=SETTINGS)
    chat = Chat(config, embedder=HashEmbedder(), index=reader)
    assert chat.search("Who signs a BOR?").query.expansions == ()
    accept(glossary, Proposal("BOR", "Bid Opening Record", 2))
    assert [each.definition for each in chat.search("Who signs a BOR?").query.expansions] == ["Bid Opening Record"]


def test_a_remembered_result_says_how_the_index_is_now(retriever, tmp_path):
    question = "Hotel rates are capped at 120 per night."
    assert retriever.search(question).notices == ()
    (tmp_path / "CURRENT").unlink()
    assert "There is no index" in retriever.search(question).notices[0]
    (tmp_path / "status.json").write_text(json.dumps({"phase": "reading", "pid": os.getpid(), "ts": time.time()}))
    assert "The index is being built anew." in retriever.search(question).notices[0]


def test_a_repeated_question_is_remembered_and_a_deleted_document_never_comes_back(tmp_path):
    publish_documents(tmp_path, [POLICY, TRAVEL])
    retriever = retriever_of(tmp_path)
    first = retriever.search("Hotel rates")
    again = retriever.search("Hotel rates")
    assert again.passages == first.passages
    assert again.trace[0].stage == "cache"
    assert retriever.embedder.asked == ["Hotel rates"]
    publish_documents(tmp_path, [], keep=[POLICY.record])
    gone = retriever.search("Hotel rates")
    assert gone.generation != first.generation
    assert all(file == "policy.pdf" for file, _ in places(gone))
    assert retriever.embedder.asked == ["Hotel rates"]  # the question's vector is still good


def test_a_question_asked_again_is_not_searched_for_again(retriever, monkeypatch):
    first = retriever.search("Hotel rates")
    for stage in ("understand", "search_all", "judge", "passage_of"):
        monkeypatch.delattr(f"rag.retriever.{stage}")  # whatever would call it fails
    assert retriever.search("Hotel rates").passages == first.passages
    with pytest.raises(NameError):
        retriever.search("Hotel rates, please")


def test_an_index_that_is_deleted_and_built_anew_at_once_shares_nothing_with_the_old_one(tmp_path):
    publish_documents(tmp_path, [POLICY, TRAVEL])
    retriever = retriever_of(tmp_path)
    first = retriever.search("Hotel rates")
    assert ("travel.pdf", 2) in places(first)
    for path in (tmp_path / first.generation, tmp_path / "CURRENT"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    publish_documents(tmp_path, [POLICY])
    anew = retriever.search("Hotel rates")
    assert anew.generation == first.generation
    assert {file for file, _ in places(anew)} == {"policy.pdf"}


@pytest.mark.parametrize("rerank", [True, False], ids=["scored", "fused"])
def test_the_kept_order_of_words_ranks_as_the_texts_themselves_do(tmp_path, rerank):
    """After a document went and others came, in two languages, with numbers and with what a title adds to a text."""
    italian = document(
        "appalto.pdf", "Le offerte si presentano entro 30 giorni.", "I pagamenti: 60 giorni.", language="italian"
    )
    publish_documents(tmp_path, [TRAVEL, POLICY])
    publish_documents(tmp_path, [italian], keep=[POLICY.record])
    publish_documents(tmp_path, [TRAVEL], keep=[POLICY.record, italian.record])
    questions = ["Hotel rates per night", "How many quotations above 50,000?", "Offerte entro quanti giorni?", "HR-204", "LOA"]

    def answers(*, kept: bool):
        retriever = retriever_of(tmp_path, rerank={"download": False, "cache": tmp_path / "none", "enabled": rerank})
        if not kept:
            retriever.reader.snapshot().lexical.order = None
        found = [retriever.search(question).passages for question in questions]
        return [[(each.chunk, each.text, each.score, each.stage_scores) for each in passages] for passages in found]

    assert all(answers(kept=True))
    assert answers(kept=True) == answers(kept=False)


def test_each_part_of_a_question_finds_its_page(retriever):
    found = retriever.search("Which hotel rates per night are capped, and who names those that may sign contracts?")
    assert set(places(found)[:2]) == {("travel.pdf", 2), ("policy.pdf", 2)}
    assert [step.note for step in found.trace if step.stage == "part"] == [
        "Also searched for: Which hotel rates per night are capped",
        "Also searched for: who names those that may sign contracts?",
    ]
    assert len(set(places(found))) == len(found.passages)


def test_chunks_lists_every_passage(retriever):
    assert len(retriever.search("quotations suppliers contracts flights hotel", k=10, chunks=True).passages) == 6


def test_reranking_off_keeps_the_fused_order(tmp_path):
    publish_documents(tmp_path, [POLICY, TRAVEL])
    found = retriever_of(tmp_path, rerank={"enabled": False}).search("Hotel rates are capped")
    fused = next(step for step in found.trace if step.stage == "fuse")
    assert places(found) == [(item["file"], item["page"]) for item in fused.items[:5]]


@pytest.mark.parametrize(
    "tables", [{"retrieval": {"fusion": "rrf"}}, {"retrieval": {"router_weight": 1.0}}, {"query": {"multi_query": True}}]
)
def test_every_way_of_fusing_finds_the_page(tmp_path, tables):
    publish_documents(tmp_path, [POLICY, TRAVEL])
    assert places(retriever_of(tmp_path, **tables).search("Which hotel rates are capped?"))[0] == ("travel.pdf", 2)


def test_a_language_chain_gets_documents_with_the_fields_of_a_chunk(retriever):
    assert isinstance(retriever, BaseRetriever)
    first = retriever.invoke("Hotel rates are capped")[0]
    assert first.page_content == "Hotel rates are capped at 120 per night."
    fields = {field.name for field in dataclasses.fields(Chunk)} - {"text"}
    assert set(first.metadata) == fields | {"score", "found_by"}
    assert (first.metadata["file"], first.metadata["page"]) == ("travel.pdf", 2)
