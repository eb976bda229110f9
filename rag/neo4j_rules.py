"""The approval rules of an index generation in; the same rules as Neo4j holds them, written there first if need be, out.

By Neo4j's HTTP Query API (https://neo4j.com/docs/query-api/current/query/), so that no driver is needed: one statement a
request, each in a transaction of its own. Values travel as parameters, never inside a statement. A generation counts as
written once its mark is, which is the last thing written, so one that broke off is written anew.
"""

import os
import urllib.parse
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import httpx

from rag.config import Rules
from rag.domain import ApprovalRule, FileRecord
from rag.errors import RulesUnavailable

CONNECT_SECONDS = 3.0
ANSWER_SECONDS = 20.0
RULE = [each.name for each in fields(ApprovalRule)]

MARK = "MATCH (g:ApprovalGeneration {index: $index}) RETURN g.generation AS generation, g.rules AS rules"
UNMARK = "MATCH (g:ApprovalGeneration {index: $index}) DELETE g"
CLEAR = "MATCH (:ApprovalSubject)-[r:STATED_IN {index: $index}]->(:ApprovalDocument) DELETE r"
WRITE = """
UNWIND $rules AS rule
MERGE (s:ApprovalSubject {name: rule.subject})
MERGE (d:ApprovalDocument {index: $index, path: rule.path})
CREATE (s)-[r:STATED_IN]->(d)
SET r = rule, r.index = $index
"""
PRUNE = "MATCH (n) WHERE (n:ApprovalSubject OR n:ApprovalDocument) AND NOT (n)--() DELETE n"
SET_MARK = "CREATE (:ApprovalGeneration {index: $index, generation: $generation, rules: $count})"
READ = f"""
MATCH (:ApprovalSubject)-[r:STATED_IN {{index: $index}}]->(:ApprovalDocument)
RETURN r.path AS path, {", ".join(f"r.{name} AS {name}" for name in RULE)}
ORDER BY r.place
"""


@dataclass(frozen=True, slots=True)
class Neo4j:
    """A database and the index whose rules it holds: several indexes may share one."""

    url: str
    database: str
    user: str
    password: str
    index: str

    def run(self, statement: str, **parameters: Any) -> list[dict[str, Any]]:
        """The rows of a statement by their names. Raises RulesUnavailable."""
        address = f"{self.url}/db/{urllib.parse.quote(self.database, safe='')}/query/v2"
        here = urllib.parse.urlsplit(self.url).hostname in ("127.0.0.1", "localhost", "::1")
        try:
            reply = httpx.post(
                address,
                json={"statement": statement, "parameters": {"index": self.index, **parameters}},
                auth=(self.user, self.password),
                headers={"Accept": "application/json"},
                timeout=httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS),
                trust_env=not here,
            )
            body = reply.json()
            if not reply.is_success or body.get("errors"):
                raise RulesUnavailable(f"{self.url} refused ({reason(body, reply.status_code)})")
            return [dict(zip(body["data"]["fields"], row, strict=True)) for row in body["data"]["values"]]
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise RulesUnavailable(f"{self.url} can't be reached ({type(error).__name__})") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise RulesUnavailable(f"what answers at {self.url} does not speak Neo4j's Query API") from error


def reason(body: Mapping[str, Any], status: int) -> str:
    stated = [str(error.get("message") or error.get("code")) for error in body.get("errors") or []]
    return "; ".join(stated) or f"HTTP {status}"


def open_neo4j(settings: Rules, *, index: str) -> Neo4j:
    """By config.toml; NEO4J_URL, NEO4J_USER and NEO4J_PASSWORD come from the environment, and so from .env."""
    url = (os.environ.get("NEO4J_URL") or settings.neo4j_url).rstrip("/")
    user, password = os.environ.get("NEO4J_USER") or "neo4j", os.environ.get("NEO4J_PASSWORD") or ""
    return Neo4j(url, settings.neo4j_database, user, password, index)


def through_neo4j(files: Sequence[FileRecord], store: Neo4j, *, generation: str) -> list[FileRecord]:
    """The files with their rules as Neo4j holds them. Raises RulesUnavailable."""
    rules = [(file.path, rule) for file in files for rule in file.rules]
    if store.run(MARK) != [{"generation": generation, "rules": len(rules)}]:
        write(rules, store, generation=generation)
    found: dict[str, list[ApprovalRule]] = {}
    for row in store.run(READ):
        found.setdefault(row.pop("path"), []).append(rule_of(row))
    if sum(map(len, found.values())) != len(rules):
        raise RulesUnavailable(f"{store.url} does not hold all rules: something else changed them")
    return [replace(file, rules=tuple(found.get(file.path, ()))) for file in files]


def write(rules: Sequence[tuple[str, ApprovalRule]], store: Neo4j, *, generation: str) -> None:
    """Replaces the rules of this index's earlier generations."""
    rows = [{**asdict(rule), "path": path, "place": place} for place, (path, rule) in enumerate(rules)]
    for statement, parameters in (
        (UNMARK, {}),
        (CLEAR, {}),
        (WRITE, {"rules": rows}),
        (PRUNE, {}),
        (SET_MARK, {"generation": generation, "count": len(rows)}),
    ):
        store.run(statement, **parameters)


def rule_of(row: Mapping[str, Any]) -> ApprovalRule:
    amounts = {side: None if row[side] is None else float(row[side]) for side in ("low", "high")}
    return ApprovalRule(**{**row, **amounts})
