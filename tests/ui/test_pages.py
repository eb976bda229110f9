"""What stands around and beside the chat: conversations, status, search, glossary, export, examples, routes."""

import json
import os
import re
import time
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from rag.confidence import EVIDENCE
from rag.config import PROJECT
from rag.domain import ApprovalRule
from tests.ui.fakes import CHUNK, POLICY, FakeChat, FakeReader, answer
from tests.ui.test_chat import ask, texts
from ui.conversations import period_of, problem_of_name
from ui.examples import example_questions, topic_of
from ui.export import conversation_as_markdown
from ui.how_found import STAGES
from ui.visitor import PageHeaders

NOW = datetime(2025, 6, 30, 12)


def test_conversations_are_listed_by_recency_and_opened_by_a_click(start, open_app, monkeypatch):
    monkeypatch.setattr("ui.asking.RELOADED_WITHIN", timedelta(0))  # the second visit is no reload
    services = start()
    first = open_app()
    ask(first, "How many quotations?")
    second = open_app()
    ask(second, "Who approves?")
    titles = [button.label for button in second.sidebar.button]
    assert titles.index("Who approves?") < titles.index("How many quotations?")
    older = services.history.list_conversations()[1]
    second.sidebar.button(key=f"open_{older.id}").click().run()
    assert second.query_params["chat"] == older.id


def test_people_see_their_own_conversations_only_but_may_pass_on_the_address(start, open_app):
    services = start()
    theirs = services.history.create(owner="somebody else").id
    services.history.add_question(theirs, "How many quotations?")
    app = open_app(chat=theirs)
    assert "How many quotations?" not in [button.label for button in app.sidebar.button]
    assert "How many quotations?" in texts(app)


@pytest.mark.parametrize(
    ("updated", "period"),
    [
        (datetime(2025, 6, 30, 0), "Today"),
        (datetime(2025, 6, 29, 23), "Yesterday"),
        (datetime(2025, 6, 24), "Last 7 days"),
        (datetime(2025, 6, 1), "Older"),
    ],
)
def test_periods(updated, period):
    assert period_of(updated, NOW) == period


def test_a_run_shows_its_progress_on_every_page(start, open_app, config):
    start()
    status = {"phase": "reading", "who": "cli", "pid": os.getpid(), "file": "a/new_rules.pdf", "page": 3, "pages": 12}
    status |= {"files_done": 4, "files_total": 9, "ts": time.time(), "last_error": ""}
    config.documents.index.mkdir(exist_ok=True)
    (config.documents.index / "status.json").write_text(json.dumps(status))
    for page in ("chat.py", "documents.py", "search.py"):
        app = open_app(page)
        assert r"Reading new\_rules\.pdf" in texts(app)
        assert "4 of 9 files done · page 3 of 12" in texts(app)


def test_the_last_error_of_indexing_is_shown(start, open_app):
    services = start()
    services.watch_problem = lambda: "The documents folder is not there: mount it."
    assert "The documents folder is not there: mount it" in texts(open_app())


def test_search_lists_passages_without_an_answer(start, open_app):
    start()
    app = open_app("search.py")
    app.text_input(key="words").set_value("quotations").run()
    assert r"Three written quotations are required for every purchase above EUR 5,000\." in texts(app)
    assert "found by meaning and words" in texts(app)


def test_search_shows_table_rows_as_a_table(start, open_app, monkeypatch):
    chat = FakeChat()
    found = answer().retrieval
    rows = "**In USD**\n| Band | Limit |\n| --- | --- |\n| *A* | $5 |"
    table = replace(CHUNK, kind="table", text=rows)
    monkeypatch.setattr(
        chat, "search", lambda *_, **__: replace(found, passages=(replace(found.passages[0], chunk=table),)), raising=False
    )
    start(chat)
    app = open_app("search.py")
    app.text_input(key="words").set_value("limit").run()
    assert "In USD\n|Band|Limit|\n| --- | --- |\n|\\*A\\*|\\$5|" in texts(app)


def test_the_glossary_lists_terms_and_takes_up_what_the_documents_define(start, open_app, config):
    config.glossary.file.write_text("abbreviation,definition,category,notes\nPO,Purchase Order,,\n")
    chunks = tuple(replace(CHUNK, text=f"A Letter of Authority (LOA) is signed. {n}") for n in range(2))
    start(reader=FakeReader(chunks=(*chunks, replace(CHUNK, text="The Chief Financial Officer (CFO) signs."))))
    app = open_app("terms.py")
    assert app.dataframe[0].value["Abbreviation"].tolist() == ["PO"]
    assert "**LOA** Letter of Authority :gray[in 2 places]" in texts(app)
    app.button(key="add_0").click().run()
    assert "LOA,Letter of Authority,learned" in config.glossary.file.read_text()
    app.button(key="dismiss_0").click().run()
    assert "Found in your documents" not in texts(app)
    assert app.dataframe[0].value["Abbreviation"].tolist() == ["LOA", "PO"]


def test_a_glossary_with_mistakes_names_their_lines(start, open_app, config):
    config.glossary.file.write_text("abbreviation,definition,category,notes\nPO,,,\n")
    start()
    assert "Line 2: the definition is empty" in open_app("terms.py").warning[0].value


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ("Quotations", ""),
        ("", "Type a name."),
        ("x" * 81, "This name has 81 characters, and 80 are the most that fit: shorten it."),
    ],
)
def test_a_name_that_does_not_fit_is_refused_in_words(typed, problem):
    assert problem_of_name(typed) == problem


def test_every_stage_of_a_search_has_a_name_for_people():
    sources = [*(PROJECT / "rag").glob("*.py")]
    added = {stage for path in sources for stage in re.findall(r'(?:trace\.add|TraceStep)\(\s*"(\w+)"', path.read_text())}
    assert added >= {"fuse", "reworded", "rules", "answer"}
    assert {*added, EVIDENCE} - {"query"} <= set(STAGES)


def test_an_exported_conversation_has_its_sources(start):
    services = start()
    conversation = services.history.create().id
    services.history.add_question(conversation, "How many quotations?")
    message = services.history.start_answer(conversation)
    services.history.finish_answer(message.id, text=answer().text, answer=answer())
    assert conversation_as_markdown("Quotations", services.history.messages(conversation)) == (
        "# Quotations\n\n## How many quotations?\n\nThree written quotations are required above EUR 5,000 [1].\n\n"
        "Sources:\n\n- [1] Procurement Policy Rev 4, page 6 (printed 4), policies/policy.pdf: "
        "“Three written quotations are required for every purchase above EUR 5,000.”\n\n"
        "Not found on the cited pages: EUR 7,000\n"
    )


def rule(relation, low, high, category=""):
    return ApprovalRule(relation, "CFO", low, high, "EUR", category, 1, "Final approver of purchases")


def test_examples_ask_about_amounts_inside_the_bands_of_the_documents():
    bands = (rule("approves", None, 5000), rule("approves", 5000, 75000), rule("approves", 75000, None))
    methods = (
        rule("method", 5000, 20000),
        rule("method", None, 5000),
        rule("method", None, 20000),
        rule("method", 20000, 90000),
    )
    limits = (rule("approves", None, 60, "Hotel"), rule("approves", 60, 90, "Hotel"), rule("approves", 90, 120, "Hotel"))
    policy = replace(POLICY, rules=(*bands, *methods, *limits))
    assert example_questions(FakeReader(files=(policy,), chunks=()), ()) == [
        "Who approves a purchase of EUR 40,000?",
        "Which method applies to a purchase of EUR 10,000?",
    ]
    unconnected = replace(POLICY, rules=(rule("approves", None, 5000), rule("approves", 9000, None), *limits))
    assert example_questions(FakeReader(files=(unconnected,), chunks=()), ()) == []


@pytest.mark.parametrize(
    ("heading", "topic"),
    [
        ("4.2 Liquidated damages", "liquidated damages"),
        ("E. Bid Securities", "bid securities"),
        ("Lost or stolen cards", "lost or stolen cards"),
        ("Approval of IT Purchases", "approval of IT purchases"),
        ("1 Purpose and scope", ""),
        ("4.1 Choosing between ITB and RFP", ""),
        ("2 Message of the Chief Financial Officers", ""),
        ("5 Two-envelope procedure", ""),
        ("DISTRIBUTION AGREEMENTS", ""),
        ("2.3.1", ""),
    ],
)
def test_topics_are_headings_that_read_in_a_sentence(heading, topic):
    assert topic_of(replace(CHUNK, section=("4 Thresholds", heading)), "Procurement Policy") == topic


def test_examples_take_one_topic_a_document_with_a_figure_first():
    budget = replace(POLICY, sha256="d" * 64, paths=("finance/budget.pdf",), metadata={})
    sections = [
        (POLICY.path, "4.1 Vendors and partners", "They are registered first."),
        (POLICY.path, "4.2 Late bids", "They are returned within 10 days."),
        (budget.path, "4.2 Late bids", "They are returned within 10 days."),
        (budget.path, "Table 3 Capital projects", "A pump for $50,000."),
    ]
    chunks = tuple(replace(CHUNK, file=file, section=(heading,), text=text) for file, heading, text in sections)
    assert example_questions(FakeReader(files=(POLICY, budget), chunks=chunks), ()) == [
        "What are the rules on late bids?",
        "What is said about capital projects in budget?",
    ]


@pytest.fixture
def client(start, config):
    import app

    (config.documents.directory / "policies").mkdir()
    (config.documents.directory / "policies" / "policy.pdf").write_bytes(b"%PDF-1.7")
    (config.documents.directory / "private.txt").write_text("not a document")
    page = Route("/", lambda request: HTMLResponse("<html><head></head><p>page</p></html>"))
    return TestClient(Starlette(routes=[*app.routes, page], middleware=[Middleware(PageHeaders)]))


def test_ready_says_whether_questions_can_be_answered(start, client):
    start()
    assert client.get("/api/ready").json() == {"ready": True, "problem": "", "generation": "gen-1"}
    start(reader=FakeReader(files=()))
    response = client.get("/api/ready")
    assert response.status_code == 503
    assert "There is no index yet" in response.json()["problem"]


def test_documents_of_the_live_index_are_served_and_nothing_else(start, client):
    start()
    response = client.get(f"/api/documents/{POLICY.sha256}/policy.pdf")
    assert (response.status_code, response.content) == (200, b"%PDF-1.7")
    assert response.headers["content-disposition"].startswith("inline")
    for path in (
        f"/api/documents/{'0' * 64}/policy.pdf",
        "/api/documents/private.txt/x",
        "/api/documents/..%2Fprivate.txt/x",
    ):
        assert client.get(path).status_code == 404


def test_pages_name_a_new_browser_once_and_allow_no_foreign_pictures(client):
    first = client.get("/")
    assert first.headers["content-security-policy"] == "img-src 'self' data: blob:"
    assert "HttpOnly; SameSite=Lax" in first.headers["set-cookie"]
    assert "set-cookie" not in client.get("/").headers


def test_pages_are_told_where_their_server_is(client):
    script = '<script>window.__streamlit = {...window.__streamlit, BACKEND_BASE_URL: location.origin + "/"}</script>'
    assert client.get("/").text == f"<html><head>{script}</head><p>page</p></html>"
