import threading

import pytest

from rag.chat import Chat
from rag.domain import FileRecord, Filters, Finished, Found, Token, Turn
from rag.errors import ModelError, ProductError
from rag.graph import CAVEAT, MOST_MESSAGES, recall, remember
from rag.history import History
from rag.llm import AnswerCut
from tests.rag.fakes import EVEN_CONFIDENCE, FakeReader, FakeRetriever, ScriptedModel, choosing, passage

TENDER = passage("Purchases above EUR 50,000 require an open tender. Bids stay valid for ninety days.")
TRAVEL = passage("The per diem is USD 120.", document="Travel Policy", file="travel.pdf", page=9)
LOCKED = FileRecord("x", ("locked.pdf",), 1, "failed", reason="It is encrypted.")


def chat_with(config, model=None, *, retriever=None, files=(LOCKED,), history=None) -> Chat:
    retriever = retriever or FakeRetriever(TENDER, TRAVEL)
    config = config.with_values(confidence=EVEN_CONFIDENCE)
    return Chat(config, retriever=retriever, index=FakeReader(*files), history=history, open_model=choosing(model))


def finished(events):
    return list(events)[-1].answer


def test_found_comes_first_then_the_words_then_the_checked_answer(config):
    events = list(chat_with(config, ScriptedModel("A tender above EUR 50,000 [1].")).ask("When is a tender needed?"))
    assert [type(event) for event in events] == [Found, *[Token] * 6, Finished]
    assert events[0].tier == "high"
    assert [found.chunk.file for found in events[0].retrieval.passages] == ["policy.pdf", "travel.pdf"]
    assert "".join(event.text for event in events[1:-1]) == "A tender above EUR 50,000 [1]. "
    answer = events[-1].answer
    assert answer.text == "A tender above EUR 50,000 [1]."
    assert [(c.marker, c.page, c.quote) for c in answer.citations] == [
        (1, 4, "Purchases above EUR 50,000 require an open tender.")
    ]
    assert [(check.text, check.proven) for check in answer.checks] == [("EUR 50,000", True)]
    assert (answer.model, answer.tier, answer.complete, answer.notices) == ("scripted", "high", True, ())
    assert [step.stage for step in answer.trace] == ["answer", "check"]


def test_without_a_model_the_documents_are_quoted(config):
    answer = finished(chat_with(config).ask("How long do bids stay valid?"))
    assert answer.text.startswith("According to Procurement Policy, page 4: “Bids stay valid for ninety days.” [1]")
    assert answer.model == "extractive"
    assert answer.citations[0].quote == "Bids stay valid for ninety days."


def test_invented_markers_and_pictures_do_not_reach_the_reader(config):
    model = ScriptedModel("A tender ![x](https://evil.example/?q=1) is needed [1][9].")
    events = list(chat_with(config, model).ask("When is a tender needed?"))
    answer = events[-1].answer
    assert answer.text == "A tender is needed [1]." or answer.text == "A tender  is needed [1]."
    assert answer.invented_markers == 1
    assert "![" not in "".join(event.text for event in events if isinstance(event, Token))


def test_nothing_found_is_said_without_asking_the_model(config):
    model = ScriptedModel("The sky is blue.")
    events = list(chat_with(config, model, retriever=FakeRetriever(TENDER, strength=0.0)).ask("Why is the sky blue?"))
    answer = events[-1].answer
    assert events[0].tier == answer.tier == "none"
    assert answer.text.startswith("I could not find this in the documents.")
    assert "- Procurement Policy, page 4 [1]" in answer.text
    assert "- locked.pdf: It is encrypted." in answer.text
    assert [c.page for c in answer.citations] == [4]
    assert model.asked == []


def test_no_passage_at_all_is_a_normal_answer(config):
    answer = finished(chat_with(config, retriever=FakeRetriever(), files=()).ask("Anything?"))
    assert (answer.tier, answer.text, answer.citations) == ("none", "I could not find this in the documents.", ())


def test_a_model_that_finds_nothing_in_the_passages_is_believed(config):
    events = list(chat_with(config, ScriptedModel("I could not find this in the documents.")).ask("What is the moon made of?"))
    answer = events[-1].answer
    assert answer.tier == "none"
    assert "- Procurement Policy, page 4 [1]" in answer.text
    shown = "".join(event.text for event in events if isinstance(event, Token))
    assert " ".join(shown.split()) == " ".join(answer.text.split())


def test_a_weak_match_is_answered_with_a_caveat(config):
    retriever = FakeRetriever(TENDER, strength=0.45)
    answer = finished(chat_with(config, ScriptedModel("Perhaps [1]."), retriever=retriever).ask("What about ships?"))
    assert answer.tier == "low"
    assert answer.notices == (CAVEAT,)


def test_a_model_that_fails_leaves_the_documents_quoted_and_says_why(config):
    model = ScriptedModel([ModelError("Bedrock is throttling requests.", "Wait a minute.")], "Back again [1].")
    chat = chat_with(config, model)
    answer = finished(chat.ask("How long do bids stay valid?"))
    assert answer.model == "extractive"
    assert answer.complete
    assert answer.notices == (
        "scripted failed, so the documents are quoted instead. Bedrock is throttling requests. Wait a minute.",
    )
    assert "“Bids stay valid for ninety days.” [1]" in answer.text
    assert finished(chat.ask("And now?")).text == "Back again [1]."


def test_a_model_that_fails_half_way_keeps_what_it_said(config):
    model = ScriptedModel(["Bids stay valid", ModelError("The connection broke off.", "Ask again.")])
    events = list(chat_with(config, model).ask("How long do bids stay valid?"))
    answer = events[-1].answer
    assert answer.text.startswith("Bids stay valid …\n\nAccording to Procurement Policy, page 4:")
    assert not answer.complete
    shown = "".join(event.text for event in events if isinstance(event, Token))
    assert " ".join(shown.split()) == " ".join(answer.text.split())


def test_an_answer_cut_by_the_model_stands_with_its_notice(config):
    model = ScriptedModel(["Bids stay valid for ninety days [1]", AnswerCut("The answer was cut at 9 tokens.", "Raise it.")])
    answer = finished(chat_with(config, model).ask("How long do bids stay valid?"))
    assert answer.text == "Bids stay valid for ninety days [1]"
    assert answer.notices == ("The answer was cut at 9 tokens. Raise it.",)
    assert not answer.complete


def test_an_empty_answer_counts_as_a_failure(config):
    answer = finished(chat_with(config, ScriptedModel(" ")).ask("How long do bids stay valid?"))
    assert answer.model == "extractive"
    assert "empty answer" in answer.notices[0]


def test_closing_the_events_ends_the_model_call(config):
    model = ScriptedModel("word " * 5000)
    events = chat_with(config, model).ask("When is a tender needed?")
    assert isinstance(next(events), Found)
    assert isinstance(next(events), Token)
    events.close()
    assert model.closed == 1


def test_options_reach_the_search(config):
    retriever = FakeRetriever(TENDER)
    filters = Filters(year=("2025",))
    list(chat_with(config, retriever=retriever).ask("Which limit?", filters=filters, expand=False, skip=["LOA"]))
    assert retriever.calls[0]["filters"] is filters
    assert retriever.calls[0]["expand"] is False
    assert retriever.calls[0]["skip"] == ("LOA",)
    assert retriever.calls[0]["k"] == config.context.passages


@pytest.mark.parametrize(("question", "problem"), [("  ", "no question"), ("x" * 2001, "2,001 characters")])
def test_a_question_that_can_not_be_asked_is_refused(config, question, problem):
    with pytest.raises(ProductError, match=problem):
        next(chat_with(config).ask(question))


# Memory


def test_a_conversation_remembers_its_last_three_pairs(config):
    model = ScriptedModel(*(f"Answer {number} [1]." for number in range(5)))
    chat = chat_with(config.with_values(query={"infer_filters": False}), model)
    for number in range(5):
        # The fake retriever asks for a rewrite whenever there is history; the script then answers twice a question.
        model.answers = [[f"Standalone {number}"]] * bool(number) + [[f"Answer {number} [1]."]]
        list(chat.ask(f"Question {number}?", conversation="c"))
    last = model.asked[-1]
    assert [line.split(":")[0] for line in last] == ["system", "human", "ai", "human", "ai", "human", "ai", "human"]
    assert last[1] == "human: Question 1?"
    assert last[6] == "ai: Answer 3."


def test_conversations_do_not_mix(config):
    retriever = FakeRetriever(TENDER)
    chat = chat_with(config, retriever=retriever)
    list(chat.ask("About tenders?", conversation="one"))
    list(chat.ask("About travel?", conversation="two"))
    list(chat.ask("And then?", conversation="one"))
    list(chat.ask("A question on its own?"))
    assert [[turn.question for turn in call["history"]] for call in retriever.calls] == [[], [], ["About tenders?"], []]


def test_after_a_restart_memory_comes_back_from_the_history(config, tmp_path):
    history = History(f"sqlite:///{tmp_path}/history.sqlite")
    conversation = history.create().id
    for number in range(5):
        history.add_question(conversation, f"Question {number}?")
        history.finish_answer(history.start_answer(conversation).id, text=f"Answer {number}.")
    history.add_question(conversation, "And then?")  # the page stores a question before it asks
    retriever = FakeRetriever(TENDER)
    list(chat_with(config, retriever=retriever, history=history).ask("And then?", conversation=conversation))
    assert [turn.question for turn in retriever.calls[0]["history"]] == ["Question 2?", "Question 3?", "Question 4?"]


def test_history_that_is_given_is_what_counts(config):
    retriever = FakeRetriever(TENDER)
    chat = chat_with(config, retriever=retriever)
    list(chat.ask("First?", conversation="c"))
    list(chat.ask("Second?", history=[Turn("Told?", "Yes.")], conversation="c"))
    assert retriever.calls[1]["history"] == (Turn("Told?", "Yes."),)


def test_earlier_questions_count_without_their_answers(config):
    retriever = FakeRetriever(TENDER)
    told = (Turn("When is a tender needed?"), Turn("And how long?"))
    list(chat_with(config, retriever=retriever).ask("And above that?", history=told))
    assert retriever.calls[0]["history"] == told


def test_a_forgotten_conversation_starts_anew(config, tmp_path):
    retriever = FakeRetriever(TENDER)
    chat = chat_with(config, retriever=retriever, history=History(f"sqlite:///{tmp_path}/history.sqlite"))
    list(chat.ask("First?", conversation="c"))
    chat.forget("c")
    list(chat.ask("Second?", conversation="c"))
    assert retriever.calls[1]["history"] == ()


def test_memory_does_not_grow_with_the_questions(config):
    chat = chat_with(config)
    for number in range(10):
        list(chat.ask(f"Question {number}?", conversation="c"))
    list(chat.ask("On its own?"))
    memory = chat.graph.checkpointer
    assert list(memory.storage) == ["c"]
    assert len(list(memory.list({"configurable": {"thread_id": "c"}}))) == 1


def test_working_memory_has_one_system_message_and_thirteen_at_most():
    turns = [Turn(f"Question {number}?", f"Answer {number}.") for number in range(9)]
    messages = remember([], *turns)
    assert len(messages) == MOST_MESSAGES
    assert [message.type for message in messages].count("system") == 1
    assert [turn.question for turn in recall(messages)] == [f"Question {number}?" for number in range(3, 9)]


def test_a_question_asked_again_replaces_its_answer():
    messages = remember([], Turn("Same?", "Old."), Turn("Other?", "Yes."))
    assert recall(remember(messages, Turn("Same?", "New."))) == (Turn("Other?", "Yes."), Turn("Same?", "New."))


def test_many_threads_ask_at_once(config):
    chat = chat_with(config)
    answers: list[str] = []

    def ask(number: int) -> None:
        answers.append(finished(chat.ask("How long do bids stay valid?", conversation=f"c{number % 3}")).text)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 12
    assert len(set(answers)) == 1


# What the page asks for


def test_search_needs_no_model(config):
    retriever = FakeRetriever(TENDER, TRAVEL)
    found = chat_with(config, retriever=retriever).search(" per diem ", k=1, chunks=True)
    assert len(found.passages) == 1
    assert retriever.calls[0]["question"] == "per diem"
    assert retriever.calls[0]["chunks"] is True


def test_a_better_model_is_looked_for_again(config, monkeypatch):
    looked: list[int] = []

    def open_model(config):
        looked.append(1)
        return choosing(None)(config) if len(looked) > 1 else type(choosing(None)(config))(None, "", preferred=False)

    chat = Chat(config, retriever=FakeRetriever(TENDER), index=FakeReader(), open_model=open_model)
    chat.model()
    chat.model()
    assert len(looked) == 1
    chat.chosen_at -= 3600
    chat.model()
    assert len(looked) == 2


def test_a_stopped_question_leaves_nothing_behind_for_the_next_one_to_stumble_over(config, caplog, tmp_path, monkeypatch):
    monkeypatch.setattr("langgraph.checkpoint.serde.jsonplus._warned_unregistered_types", set())  # it warns once a process
    history = History(f"sqlite:///{tmp_path}/history.sqlite")
    conversation = history.create().id
    chat = chat_with(config, ScriptedModel("A tender [1].", "Ninety days [1]."), history=history)
    events = chat.ask("When is a tender needed?", conversation=conversation)
    next(event for event in events if isinstance(event, Token))
    events.close()
    assert finished(chat.ask("How long do bids stay valid?", conversation=conversation)).text == "Ninety days [1]."
    assert caplog.messages == []
