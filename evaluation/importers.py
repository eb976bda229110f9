"""Golden questions from other layouts (FinanceBench, BEIR) in, our JSON lines out."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path

from evaluation.golden import GoldenError


def from_financebench(path: Path) -> Iterator[dict]:
    """FinanceBench's open-source JSON lines; its `evidence_page_num` is 0-based, ours is the 1-based physical page."""
    for number, record in read_json_lines(path):
        try:
            evidence = record["evidence"]
            places = [
                {
                    "file": f"{item.get('doc_name') or record['doc_name']}.pdf",
                    "pages": [int(item["evidence_page_num"]) + 1],
                    "evidence": item.get("evidence_text", ""),
                }
                for item in evidence
            ]
            first, *others = places
            yield {
                "id": record["financebench_id"],
                "question": record["question"],
                "answer": record["answer"],
                "kind": record.get("question_type", "lookup"),
                **first,
                "also": others,
            }
        except (KeyError, TypeError, ValueError) as error:
            raise GoldenError(
                f"{path} line {number} is not a FinanceBench record: {error!r} is missing or malformed."
            ) from None


def from_beir(folder: Path) -> Iterator[dict]:
    """A BEIR folder (queries.jsonl, qrels/test.tsv); a document id "FILE#PAGE" or "FILE" (page 1) names the place."""
    queries = {record["_id"]: record["text"] for _, record in read_json_lines(folder / "queries.jsonl")}
    judged = folder / "qrels" / "test.tsv"
    if not judged.is_file():
        raise GoldenError(f"{judged} is not there: a BEIR folder holds queries.jsonl and qrels/test.tsv.")
    places: dict[str, list[dict]] = {}
    with judged.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            if int(row["score"]) > 0:
                file, _, page = row["corpus-id"].partition("#")
                places.setdefault(row["query-id"], []).append({"file": file, "pages": [int(page or 1)]})
    for query_id, (first, *others) in places.items():
        if query_id not in queries:
            raise GoldenError(f"{judged} judges query {query_id}, which queries.jsonl does not hold.")
        yield {"id": query_id, "question": queries[query_id], "kind": "lookup", **first, "also": others}


def read_json_lines(path: Path) -> Iterator[tuple[int, dict]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise GoldenError(f"{path} is not there.") from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except ValueError as error:
                raise GoldenError(f"{path} line {number} is not JSON: {error}.") from None


IMPORTERS = {"financebench": from_financebench, "beir": from_beir}
