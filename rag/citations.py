"""An answer with [n] markers and its numbered passages in; the answer with one marker a quote, and its citations, out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag.domain import Citation, Passage
from rag.sentences import LEFT_OUT, NEXT_PAGE, flattened, is_rule, is_table_row, sentences
from rag.tokens import words

MARKER = re.compile(r"[\[【]\s*\^?(\d{1,3}(?:\s*[,;]\s*\^?\d{1,3})*)(?:†[^\]】]*)?\s*[\]】]")
MARKER_RUN = re.compile(rf"(?:{MARKER.pattern}\s*)+")
QUOTE_LENGTH = 500  # characters; longer evidence is cut to its best sentence


@dataclass(frozen=True, slots=True)
class Support:
    """What a statement rests on, where that is known from how it was made: the passage's number and its verbatim text."""

    marker: int
    statement: str
    quote: str


@dataclass(frozen=True, slots=True)
class CitedText:
    """`passages[0]` is the one that [1] of `text` cites; one cited for two different quotes stands there twice."""

    text: str
    citations: tuple[Citation, ...]
    invented: int
    passages: tuple[Passage, ...] = ()


def page_reference(page: int, label: str) -> str:
    """How a page is named everywhere: "5", or "5 (printed iv)" where the page itself bears another number."""
    return f"{page} (printed {label})" if label not in ("", str(page)) else str(page)


def markers(text: str) -> list[int]:
    """The passage numbers in the order of the text: "[1, 3] … [2]" is 1, 3, 2."""
    return [int(number) for match in MARKER.finditer(text) for number in re.findall(r"\d+", match[1])]


def without_markers(text: str) -> str:
    return re.sub(rf"\s*(?:{MARKER.pattern})", "", text)


def cite(text: str, passages: Sequence[Passage], *, support: Sequence[Support] = (), states: bool = True) -> CitedText:
    """The text with a marker of its own for every quote that its statements rest on, numbered as they come, and the citations.

    In `text` [1] means `passages[0]`, which was fixed before the answer was written; markers of passages that were never
    given are dropped. One passage gets several markers where different quotes of it are cited: each opens what its
    statement rests on. A text that `states` nothing only points to pages: what was found there is quoted.
    """
    invented = sum(not 1 <= number <= len(passages) for number in markers(text))
    found: dict[tuple[int, str], Citation] = {}

    def cited(statement: str, numbers: Sequence[int]) -> str:
        written = []
        for number in dict.fromkeys(numbers):
            if 1 <= number <= len(passages):
                for quote in quotes_for(statement, number, passages[number - 1], support if states else (), states=states):
                    new = citation(len(found) + 1, passages[number - 1], quote)
                    written.append(found.setdefault((number, quote), new).marker)
        return "".join(f"[{marker}]" for marker in dict.fromkeys(written))

    lines = []
    before = ""
    for line in text.split("\n"):
        shown, start = "", 0
        for run in MARKER_RUN.finditer(line):
            statement = line[start : run.start()]
            before = statement if re.search(r"\w", statement) else before  # a marker after a marker supports the same
            space = run.group()[len(run.group().rstrip()) :]
            shown += statement + cited(before, markers(run.group())) + space
            start = run.end()
        lines.append(shown + line[start:])
    text = "\n".join(lines)
    text = re.sub(r"[ \t]+(?=[.,;:!?](?:\s|$))", "", text) if invented else text
    numbers = {citation.marker: number for (number, _), citation in found.items()}
    return CitedText(
        text=text,
        citations=tuple(found.values()),
        invented=invented,
        passages=tuple(passages[numbers[marker] - 1] for marker in sorted(numbers)),
    )


def quotes_for(statement: str, number: int, passage: Passage, support: Sequence[Support], *, states: bool) -> list[str]:
    """The verbatim texts that a statement rests on: the known ones, else the best that the passage has."""
    said = flattened(statement)
    known = [each for each in support if each.marker == number and flattened(each.statement) in said]
    if known:
        closest = max(known, key=lambda each: len(each.statement))
        return list(dict.fromkeys(each.quote for each in known if each.statement == closest.statement))
    return [supporting_quote(passage, sentences(statement) if states else ())]


def place_of(passage: Passage, quote: str) -> tuple[int, str]:
    """The page that a quote of a passage stands on, and its printed number: a list may go on on the next page."""
    chunk = passage.chunk
    before, _, after = passage.text.partition(NEXT_PAGE)
    if quote in before or quote not in after:
        return chunk.page, chunk.page_label
    return chunk.page + 1, str(int(chunk.page_label) + 1) if chunk.page_label.isdigit() else ""


def citation(marker: int, passage: Passage, quote: str) -> Citation:
    chunk = passage.chunk
    page, label = place_of(passage, quote)
    return Citation(
        marker=marker,
        file=chunk.file,
        document=chunk.document,
        page=page,
        page_label=label,
        quote=quote,
        chunk=chunk.id,
        section=chunk.section,
    )


def supporting_quote(passage: Passage, statements: Sequence[str]) -> str:
    """The verbatim stretch of the passage that supports some statements: their best sentences, and what lies between them.

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
    apart = LEFT_OUT in together or NEXT_PAGE in together
    if len(together) <= QUOTE_LENGTH and not apart and not any(is_table_row(piece) for piece in best):
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
