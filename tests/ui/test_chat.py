"""The chat page: what is offered, asked, stored, shown again, stopped, retried and rated."""

import threading
from dataclasses import replace
from datetime import timedelta

import pytest

from rag.domain import Filters
from rag.errors import IndexMismatch, ModelError
from tests.ui.fakes import FakeChat, FakeReader, answer, retrieval
from ui.asking import ask as start_asking
from ui.asking import asked_before_a_reload, why_not_now


def texts(app):
    return "\n".join(element.value for element in [*app.markdown, *app.caption, *app.error, *app.warning, *app.info, *app.text])


def ask(app, question):
    app.chat_input(key="question").set_value(question).run()
    assert not app.exception


def buttons(app):
    return [button.label for button in app.main.button]


def messages(services):
    return services.history.messages(services.history.list_conversations()[0].id)


def test_the_empty_page_says_what_is_indexed_and_offers_questions_the_documents_can_answer(start, open_app):
    start()
    app = open_app()
    assert "1 document with 12 pages" in texts(app)
    assert buttons(app) == ["What are the rules on written quotations?"]


def test_configured_examples_come_first_and_asking_one_answers_it(start, open_app):
    chat = FakeChat()
    services = start(chat, examples=("When is a tender needed?",))
    app = open_app()
    app.button(key="example_0").click().run()
    assert chat.asked == [("When is a tender needed?", None, ())]
    assert [message.state for message in messages(services)] == ["done", "done"]


def test_without_documents_it_says_how_to_add_some(start, open_app):
    start(reader=FakeReader(files=()))
    app = open_app()
    assert "nothing to answer from yet" in texts(app)
    assert "No documents indexed yet" in texts(app)


def test_an_index_of_another_model_is_explained(start, open_app, monkeypatch):
    reader = FakeReader()

    def refuse():
        raise IndexMismatch("The index was built with model A: run `python -m ingestion rebuild`.")

    monkeypatch.setattr(reader, "snapshot", refuse, raising=False)
    start(reader=reader)
    assert open_app().warning[0].value == "The index was built with model A: run `python -m ingestion rebuild`\\."


def test_an_answer_has_its_sources_and_checks_and_is_there_again_in_a_new_session(start, open_app):
    start()
    app = open_app()
    ask(app, "How many quotations?")
    conversation = app.query_params["chat"]
    for shown in (app, open_app(chat=conversation)):
        assert "Three written quotations are required above EUR 5,000 :blue-badge[1]." in texts(shown)
        assert r":blue-badge[1] Procurement Policy Rev 4 · p\. 6 \(printed 4\)" in buttons(shown)
        assert "Found on the cited pages: EUR 5,000, 1 quotation" in texts(shown)
        assert "Not found on the cited pages: EUR 7,000" in texts(shown)
        assert "Quoting passages" in texts(shown)


def test_a_question_that_is_too_long_stays_in_the_box_with_the_limit_beside_it(start, open_app):
    chat = FakeChat()
    services = start(chat)
    app = open_app()
    ask(app, "why " * 600)
    assert "has 2,399 characters, and 2,000 are the most" in app.warning[0].value
    assert app.chat_input(key="question").proto.value == ("why " * 600).strip(), "what the browser is told to show"
    assert (chat.asked, services.history.list_conversations()) == ([], ())
    ask(app, "How many quotations?")
    assert not app.warning
    assert [question for question, *_ in chat.asked] == ["How many quotations?"]


def test_a_question_asked_while_another_is_answered_has_to_wait(start):
    chat = FakeChat(pause=threading.Event())
    services = start(chat)
    conversation = services.history.create().id
    job = start_asking(services, conversation, "How many quotations?")
    assert "still being answered" in why_not_now(services, conversation, "And for works?")
    assert why_not_now(services, None, "And for works?") == ""
    chat.pause.set()
    with job.changed:
        assert job.changed.wait_for(lambda: job.ended, 10)
    assert why_not_now(services, conversation, "And for works?") == ""


def test_a_reload_that_is_quicker_than_the_address_leads_back_to_the_question(start, open_app, monkeypatch):
    services = start()
    ask(open_app(), "How many quotations?")
    [asked] = services.history.list_conversations()
    assert open_app().query_params["chat"] == asked.id
    assert asked_before_a_reload(services, "somebody else") is None
    assert asked_before_a_reload(services, "") is None
    monkeypatch.setattr("ui.asking.RELOADED_WITHIN", timedelta(0))
    assert "chat" not in open_app().query_params


def test_the_answer_explains_how_it_was_found_when_asked(start, open_app):
    start()
    app = open_app()
    ask(app, "How many quotations?")
    assert "Searched for" not in texts(app)
    app.session_state["how_2"] = True
    app.run()
    assert "**Searched for**: How many quotations? RFQ \\(Request for Quotation\\)" in texts(app)
    assert "**Ranked by meaning** · 50 chunks by meaning\\. :gray[3.2 ms]" in texts(app)
    assert app.dataframe[0].value.to_dict("records") == [{"Page": 6, "Score": 0.8}]


def test_how_a_question_was_understood_stands_below_the_answer_and_is_undone_one_by_one(start, open_app):
    filters = Filters(year=("2024", "2025"), organisation=("LRWA",))
    chat = FakeChat(answer(retrieval=retrieval(filters=filters)))
    services = start(chat)
    app = open_app()
    ask(app, "How many quotations?")
    readings = [button.label for button in app.main.button if button.key.startswith("undo_")]
    assert readings == ["Organisation: LRWA", "Year: 2024", "Year: 2025", "RFQ = Request for Quotation"]
    app.button(key="undo_2_only_year_2024").click().run()
    app.button(key="undo_2_term_RFQ").click().run()
    app.button(key="undo_2_only_organisation_LRWA").click().run()
    assert chat.asked[1:] == [
        ("How many quotations?", Filters(year=("2025",), organisation=("LRWA",)), ()),
        ("How many quotations?", filters, ("RFQ",)),
        ("How many quotations?", Filters(year=("2024", "2025")), ("RFQ",)),
    ]
    assert [message.role for message in messages(services)] == ["user", "assistant"]
    assert len(chat.forgotten) == 3


def test_a_follow_up_shows_the_question_that_it_was_completed_to(start, open_app):
    found = retrieval("And for works?")
    query = replace(found.query, standalone="How many quotations for works?", rewritten_by="rule", expansions=())
    start(FakeChat(answer(retrieval=replace(found, query=query))))
    app = open_app()
    ask(app, "And for works?")
    assert "Understood as “How many quotations for works?”" in texts(app)


def test_a_question_that_was_understood_as_typed_is_not_repeated(start, open_app):
    found = retrieval()
    start(FakeChat(answer(retrieval=replace(found, query=replace(found.query, expansions=())))))
    app = open_app()
    ask(app, "How many quotations?")
    assert "Understood as" not in texts(app)


def test_of_an_earlier_answer_one_sees_how_it_was_understood(start, open_app):
    start(FakeChat(answer(retrieval=retrieval(filters=Filters(year=("2025",))))))
    app = open_app()
    ask(app, "How many quotations?")
    ask(app, "And for works?")
    assert [button.key for button in app.main.button if "only_year" in button.key] == ["undo_4_only_year_2025"]
    assert ":gray-badge[Year: 2025]" in texts(app)


def test_a_model_error_keeps_the_words_names_cause_and_fix_and_can_be_retried(start, open_app):
    chat = FakeChat(error=ModelError("Ollama does not answer.", "Start it with `ollama serve`."))
    services = start(chat)
    app = open_app()
    ask(app, "How many quotations?")
    assert app.error[0].value == r"**Ollama does not answer\.** Start it with `ollama serve`\."
    assert "Three" in texts(app)
    assert r"Procurement Policy Rev 4 · p\. 6 \(printed 4\)" in buttons(app)
    chat.error = None
    app.button(key="again_2").click().run()
    assert not app.error
    assert [(message.role, message.state) for message in messages(services)] == [("user", "done"), ("assistant", "done")]


def test_an_error_before_anything_was_found_is_shown_too(start, open_app):
    class Broken(FakeChat):
        def ask(self, question, **options):
            raise ModelError("There is no index.", "Run `python -m ingestion sync`.")

    start(Broken())
    app = open_app()
    ask(app, "How many quotations?")
    assert app.error[0].value == r"There is no index\. Run `python -m ingestion sync`\."


def test_a_stopped_answer_keeps_what_was_written(start, open_app):
    chat = FakeChat(pause=threading.Event())
    services = start(chat)
    conversation = services.history.create().id
    job = start_asking(services, conversation, "How many quotations?")
    with job.changed:
        assert job.changed.wait_for(lambda: job.text == "Three", 10)
    job.stop()
    chat.pause.set()
    app = open_app(chat=conversation)
    assert "Three" in [element.value for element in app.markdown]
    assert "You stopped this answer." in texts(app)
    assert "Try again" in buttons(app)


def test_an_answer_cut_by_a_restart_says_so(start, open_app):
    services = start()
    conversation = services.history.create().id
    services.history.add_question(conversation, "How many quotations?")
    services.history.start_answer(conversation)
    services.history.mark_interrupted()
    app = open_app(chat=conversation)
    assert "interrupted" in app.warning[0].value
    app.button(key="again_2").click().run()
    assert "Three written quotations" in texts(app)


@pytest.mark.parametrize("tier", ["low", "none"])
def test_notices_stand_beside_the_answer(start, open_app, tier):
    notice = "The passages found may not answer this question."
    start(FakeChat(answer(tier=tier, notices=(notice,))))
    app = open_app()
    ask(app, "How many quotations?")
    assert r"The passages found may not answer this question\." in texts(app)


def test_not_found_without_citations_offers_the_nearest_pages(start, open_app):
    start(FakeChat(answer("I could not find this in the documents.", tier="none", citations=(), checks=())))
    app = open_app()
    ask(app, "Who is the mayor?")
    assert "Nearest pages" in texts(app)
    assert r"Procurement Policy Rev 4 · p\. 6 \(printed 4\)" in buttons(app)


def test_thumbs_and_a_comment_are_stored(start, open_app):
    services = start()
    app = open_app()
    ask(app, "How many quotations?")
    app.feedback(key="rating_2").set_value(0).run()
    assert messages(services)[1].rating == -1
    app.text_input(key="comment_2").set_value("The waiver is missing.").run()
    assert (messages(services)[1].rating, messages(services)[1].comment) == (-1, "The waiver is missing.")
    app.feedback(key="rating_2").set_value(1).run()
    assert (messages(services)[1].rating, messages(services)[1].comment) == (1, "")


def test_what_documents_say_is_never_interpreted(start, open_app):
    hostile = answer("Pay $5 or $6 ![x](http://evil.example/leak) [here](http://evil.example) :red[now] [1].")
    start(FakeChat(hostile))
    app = open_app()
    ask(app, "How many quotations?")
    assert r"Pay \$5 or \$6 x here \:red[now] :blue-badge[1]." in [element.value for element in app.markdown]
    assert "evil.example" not in texts(app)


def test_an_unknown_conversation_leads_to_a_new_one(start, open_app):
    start()
    app = open_app(chat="0123")
    assert "no longer there" in app.info[0].value
    assert "chat" not in app.query_params


def test_long_conversations_show_their_end_first(start, open_app):
    services = start()
    conversation = services.history.create().id
    for number in range(12):
        services.history.add_question(conversation, f"Question {number}?")
        message = services.history.start_answer(conversation)
        services.history.finish_answer(message.id, text="Yes [1].", answer=answer("Yes [1]."))
    app = open_app(chat=conversation)
    assert "Question 0?" not in texts(app)
    assert "Question 11?" in texts(app)
    next(button for button in app.main.button if button.label == "Show 4 earlier messages").click().run()
    assert "Question 0?" in texts(app)


def test_a_failed_start_is_told_instead_of_an_answer(config, open_app):
    import ui.services

    def refuse(_):
        raise IndexMismatch("index/ was built with model A, config says B: run `python -m ingestion rebuild`.")

    ui.services.started = ui.services.Services(config, load=refuse)
    assert ui.services.started.loaded.wait(10)
    try:
        app = open_app()
        assert "run `python -m ingestion rebuild`" in app.warning[0].value
        ask(app, "How many quotations?")
        assert "run `python -m ingestion rebuild`" in app.error[0].value
    finally:
        ui.services.stop_services()
