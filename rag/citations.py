"""An answer with [n] markers and its numbered passages in; the answer without invented markers, and its citations, out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag.domain import Citation, Passage
from rag.sentences import LEFT_OUT, is_rule, is_table_row, sentences
from rag.tokens import words

MARKER = re.compile(r"[\[【]\s*\^?(\d{1,3}(?:\s*[,;]\s*\^?\d{1,3})*)(?:†[^\]】]*)?\s*[\]】]")
QUOTE_LENGTH = 500  # characters; longer evidence is cut to its best sentence


@dataclass(frozen=True, slots=True)
class CitedText:
    text: str
    citations: tuple[Citation, ...]
    invented: int


def page_reference(page: int, label: str) -> str:
    """How a page is named everywhere: "5", or "5 (printed iv)" where the page itself bears another number."""
    return f"{page} (printed {label})" if label not in ("", str(page)) else str(page)


def markers(text: str) -> list[int]:
    """The passage numbers in the order of the text: "[1, 3] … [2]" is 1, 3, 2."""
    return [int(number) for match in MARKER.finditer(text) for number in re.findall(r"\d+", match[1])]


def without_markers(text: str) -> str:
    return re.sub(rf"\s*(?:{MARKER.pattern})", "", text)


def cite(text: str, passages: Sequence[Passage], *, states: bool = True) -> CitedText:
    """Writes every marker as [n], drops those of passages that were never given, and quotes the evidence of the rest.

    `passages[0]` is what [1] means; that was fixed before the answer was written. A text that `states` nothing only
    points to pages: what was found there is quoted.
    """
    invented = sum(not 1 <= number <= len(passages) for number in markers(text))

    def known(match: re.Match[str]) -> str:
        numbers = [int(number) for number in re.findall(r"\d+", match[1])]
        return "".join(f"[{number}]" for number in dict.fromkeys(numbers) if 1 <= number <= len(passages))

    text = MARKER.sub(known, text)
    text = re.sub(r"[ \t]+(?=[.,;:!?](?:\s|$))", "", text) if invented else text
    support: dict[int, list[str]] = {number: [] for number in markers(text)}
    for line in text.splitlines() if states else ():
        for statement, numbers in marked_statements(line):
            for number in numbers:
                support[number].append(statement)
    citations = tuple(citation(number, passages[number - 1], support[number]) for number in sorted(support))
    return CitedText(text=text, citations=citations, invented=invented)


def marked_statements(line: str) -> list[tuple[str, list[int]]]:
    """Pieces of a line with the markers that end them: a marker supports what stands between it and the one before."""
    found: list[tuple[str, list[int]]] = []
    start = 0
    for run in re.finditer(rf"(?:{MARKER.pattern}\s*)+", line):
        found.append((line[start : run.start()], markers(run.group())))
        start = run.end()
    return found


def citation(marker: int, passage: Passage, statements: Sequence[str]) -> Citation:
    chunk = passage.chunk
    return Citation(
        marker=marker,
        file=chunk.file,
        document=chunk.document,
        page=chunk.page,
        page_label=chunk.page_label,
        quote=supporting_quote(passage, statements),
        chunk=chunk.id,
        section=chunk.section,
    )


def supporting_quote(passage: Passage, statements: Sequence[str]) -> str:
    """The verbatim stretch of the passage that supports the statements: their best sentences, and what lies between them.

    Where they lie too far apart it is the first statement's. The found chunk is preferred to the text around it where
    both say as much.
    """
    text = passage.text if passage.chunk.text in passage.text else passage.chunk.text
    found = sentences(text)
    heads = {row for row, rule in pairwise(found) if is_rule(rule)}  # a table's header names columns and supports nothing
    pieces = [piece for piece in found if not is_rule(piece) and piece not in heads]
    best: list[str] = []
    for statement in statements:
        wanted = set(words(without_markers(statement)))
        scored = [(overlap(wanted, piece) + 0.05 * (piece in passage.chunk.text), piece) for piece in pieces]
        score, piece = max(scored, key=lambda pair: pair[0], default=(0.0, ""))
        if score >= 0.2:
            best.append(piece)
    if not best:
        return shortened(passage.chunk.text)
    spans = [(text.index(piece), text.index(piece) + len(piece)) for piece in best]
    start, end = min(span[0] for span in spans), max(span[1] for span in spans)
    together = text[start:end]
    if len(together) <= QUOTE_LENGTH and LEFT_OUT not in together and not any(is_table_row(piece) for piece in best):
        return together
    return best[0]


def overlap(wanted: set[str], piece: str) -> float:
    """The share of a statement's words that a piece has, a little less for pieces that say much else."""
    if not wanted:
        return 0.0
    found = set(words(piece))
    shared = len(wanted & found)
    return shared / len(wanted) - 0.1 * (1 - shared / len(found) if found else 1)


def shortened(text: str) -> str:
    return text if len(text) <= QUOTE_LENGTH else text[:QUOTE_LENGTH].rsplit(None, 1)[0]
