"""Approval rules kept in Neo4j, against a loopback server that answers as its Query API is documented to."""

import base64
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from rag.domain import ApprovalRule, FileRecord
from rag.errors import RulesUnavailable
from rag.index import IndexReader
from rag.neo4j_rules import CLEAR, MARK, PRUNE, READ, SET_MARK, UNMARK, WRITE, open_neo4j, through_neo4j
from rag.prepared import prepare
from tests.published import FINGERPRINT, SETTINGS, document, publish_documents

FIRST = ApprovalRule("approves", "CFO", 50_000.0, None, "USD", "", 3, "Above USD 50,000: CFO")
SECOND = ApprovalRule("method", "Request'} DETACH DELETE", None, 5_000.0, "", "IT", 4, "Up to 5,000: quotation", "specified")
FILES = [FileRecord("a", ("policy.pdf",), 1, "read", rules=(FIRST, SECOND)), FileRecord("b", ("travel.pdf",), 1, "read")]


class Handler(BaseHTTPRequestHandler):
    """Holds what the known statements write, in place of a database."""

    def log_message(self, *arguments) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, self.headers["Authorization"], body["statement"]))
        if self.server.refuses:
            failure = {"code": "Neo.ClientError.Security.Unauthorized", "message": "Invalid credential."}
            return self.reply(401, {"errors": [failure]})
        fields, rows = self.answer(body["statement"], body["parameters"])
        values = [[row.get(field) for field in fields] for row in rows]
        self.reply(202, {"data": {"fields": fields, "values": values}, "bookmarks": ["FB:kcwQ"]})

    def answer(self, statement, given):
        held = self.server.held
        if statement == MARK:
            return ["generation", "rules"], [held["mark"]] if held["mark"] else []
        if statement == READ:
            return ["path", *ApprovalRule.__dataclass_fields__], sorted(held["rules"], key=lambda row: row["place"])
        changes = {
            UNMARK: {"mark": None},
            CLEAR: {"rules": []},
            WRITE: {"rules": given.get("rules")},
            PRUNE: {},
            SET_MARK: {"mark": {"generation": given.get("generation"), "rules": given.get("count")}},
        }
        held.update(changes[statement])
        return [], []

    def reply(self, status, body) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@pytest.fixture
def server(monkeypatch):
    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.asked, running.held, running.refuses = [], {"mark": None, "rules": []}, False
    threading.Thread(target=running.serve_forever, daemon=True).start()
    monkeypatch.setenv("NEO4J_URL", f"http://127.0.0.1:{running.server_port}/")
    monkeypatch.setenv("NEO4J_USER", "reader")
    monkeypatch.setenv("NEO4J_PASSWORD", "secret")
    yield running
    running.shutdown()
    running.server_close()


def statements(server):
    return [statement for _, _, statement in server.asked]


def test_rules_are_written_once_a_generation_and_come_back_as_they_were(server, config):
    store = open_neo4j(config.rules, index="/srv/index")
    assert through_neo4j(FILES, store, generation="gen-1") == FILES
    assert statements(server) == [MARK, UNMARK, CLEAR, WRITE, PRUNE, SET_MARK, READ]
    path, authorization, _ = server.asked[0]
    assert path == "/db/neo4j/query/v2"
    assert authorization == "Basic " + base64.b64encode(b"reader:secret").decode()
    server.asked.clear()
    assert through_neo4j(FILES, store, generation="gen-1") == FILES
    assert statements(server) == [MARK, READ]
    through_neo4j(FILES[:1], store, generation="gen-2")
    assert server.held["mark"] == {"generation": "gen-2", "rules": 2}


def test_no_value_stands_inside_a_statement(server, config):
    through_neo4j(FILES, open_neo4j(config.rules, index="/srv/in'dex"), generation="gen-1")
    assert not any("DETACH" in statement or "in'dex" in statement for statement in statements(server))


def test_what_it_holds_of_a_generation_that_broke_off_is_written_anew(server, config):
    server.held["rules"] = [{"path": "gone.pdf", "place": 0}]
    assert through_neo4j(FILES, open_neo4j(config.rules, index="/srv/index"), generation="gen-1") == FILES


def test_rules_that_something_else_deleted_are_missed(server, config):
    store = open_neo4j(config.rules, index="/srv/index")
    through_neo4j(FILES, store, generation="gen-1")
    server.held["rules"].pop()
    with pytest.raises(RulesUnavailable, match="does not hold all rules"):
        through_neo4j(FILES, store, generation="gen-1")


def test_where_it_refuses_or_is_not_there_the_embedded_graph_answers_with_a_notice(server, config, tmp_path):
    publish_documents(tmp_path, [document("policy.pdf", "Purchases.")])
    snapshot = IndexReader(tmp_path, fingerprint=FINGERPRINT, settings=SETTINGS).snapshot()
    store = open_neo4j(config.rules, index=str(tmp_path))
    assert prepare(snapshot, store).notice == ""
    server.refuses = True
    assert "refused (Invalid credential.). Correct [rules]" in prepare(snapshot, store).notice
    server.shutdown()
    server.server_close()
    assert "can't be reached (ConnectError)" in prepare(snapshot, store).notice
