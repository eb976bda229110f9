"""An answer and the passages it cites in; each of its figures and quotations out, looked up and proven or not."""

import re
from collections.abc import Sequence

from rag.citations import markers, without_markers
from rag.domain import FigureCheck, Passage
from rag.figures import Figure, figures
from rag.sentences import flattened, sentences

QUOTATION = re.compile(r"“([^“”]{12,})”|\"([^\"\n]{12,})\"|«([^«»]{12,})»")
# Where, not what: "page 5 (printed 2)", and of a document's title its full form and parts like "Revision 4".
PAGE = re.compile(r"\b(?:pages?|pp?\.)\s*\d+(?:\s*[-–]\s*\d+)?(?:\s*\(printed [^)]*\))?|\btables?\s+\d+\b", re.IGNORECASE)
NUMBERED = re.compile(r"[^\W\d_]+\.?\s+\S*\d[\w./-]*|\d+[-/]\d+[\w./-]*")
INSIDE = "\ue000"  # stands for white space in a quotation while an answer is split into sentences
LIST_NUMBER = re.compile(r"^\s*(?:[-*•]\s+|\d{1,2}[.)]\s+|#+\s+)+", re.MULTILINE)


def check_figures(text: str, passages: Sequence[Passage]) -> tuple[FigureCheck, ...]:
    """One check a figure and statement, in the order of the answer.

    A statement's figures are looked up in the passages it cites itself, or, where it cites none, in all that the answer
    cites; in an answer without any citation nothing is proven. `passages[0]` is what [1] means.
    """
    everywhere = [marker for marker in dict.fromkeys(markers(text)) if marker <= len(passages)]
    evidence = {marker: Evidence(passages[marker - 1]) for marker in everywhere}
    names = names_of([passages[marker - 1] for marker in everywhere])
    checks: dict[tuple[str, str], FigureCheck] = {}
    for statement in statements(text):
        cited = [marker for marker in markers(statement) if marker in evidence]
        words = PAGE.sub("", LIST_NUMBER.sub("", without_markers(statement)))
        for shown, kind, holds in claims(words, names):
            marker = next((m for m in cited or everywhere if holds(evidence[m])), None)
            known = checks.get((shown, kind))
            if known is None or (known.proven and marker is None):
                checks[shown, kind] = FigureCheck(text=shown, kind=kind, proven=marker is not None, marker=marker)
    return tuple(checks.values())


class Evidence:
    """A passage read once: its figures, its clause numbers and its words without layout."""

    def __init__(self, passage: Passage) -> None:
        chunk = passage.chunk
        text = "\n".join((passage.text, chunk.text, chunk.document, *chunk.section))
        self.figures = figures(text)
        self.flat = flattened(text)
        self.text = text

    def states(self, figure: Figure) -> bool:
        if any(figure.stated_by(other) for other in self.figures):
            return True
        return figure.kind == "clause" and all(has_clause(self.text, value) for value in figure.values)

    def quotes(self, quotation: str) -> bool:
        """Word for word, whatever the line breaks, hyphenation and kind of quotation marks; "…" stands for what is left out."""
        pieces = [flattened(piece) for piece in re.split(r"…|\[?\.\.\.\]?", quotation)]
        return all(piece in self.flat for piece in pieces if piece)


def names_of(passages: Sequence[Passage]) -> re.Pattern[str]:
    """Finds the titles of documents and sections where an answer says what it goes by: their numbers state nothing."""
    titles = {passage.chunk.document for passage in passages}
    parts = {part.rstrip("./-") for title in titles for part in NUMBERED.findall(title)}
    sections = {section for passage in passages for section in passage.chunk.section if len(section.split()) > 1}
    found = sorted({" ".join(name.split()) for name in titles | parts | sections if name}, key=len, reverse=True)
    return re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in found) or r"(?!)", re.IGNORECASE)


def claims(statement: str, names: re.Pattern[str]):
    """(as written, kind, the question to put to a passage) of every quotation and figure; a quotation's figures go with it."""
    found = []
    for match in QUOTATION.finditer(statement):
        quotation = next(group for group in match.groups() if group)
        found.append((match.start(), quotation, "quotation", lambda e, q=quotation: e.quotes(q)))
    rest = QUOTATION.sub(lambda match: " " * len(match.group()), statement)
    rest = names.sub(lambda match: " " * len(match.group()), rest)
    for figure in figures(rest):
        found.append((figure.start, figure.text, figure.kind, lambda e, f=figure: e.states(f)))
    return [(shown, kind, holds) for _, shown, kind, holds in sorted(found, key=lambda claim: claim[0])]


def statements(text: str) -> list[str]:
    """The sentences of an answer, each with the markers that follow its full stop; a quotation is never split."""
    found: list[str] = []
    text = QUOTATION.sub(lambda match: re.sub(r"\s", INSIDE, match.group()), text)
    for sentence in (each.replace(INSIDE, " ") for each in sentences(text)):
        leading = re.match(r"(?:\[\d+(?:\s*,\s*\d+)*\]\s*[.,;]?\s*)+", sentence)
        if leading and found:
            found[-1] += " " + leading.group()
            sentence = sentence[leading.end() :]
        if sentence:
            found.append(sentence)
    return found


def has_clause(text: str, clause: str) -> bool:
    """Whether a text has a clause number as a number of its own: "4.2" in "4.2 Thresholds", not in "14.2" or "4.2.1"."""
    number, *letters = re.split(r"(?=\()", clause)
    if "." in number:
        found = re.search(rf"(?<![\d.]){re.escape(number)}(?![\d]|\.\d)", text)
    else:
        found = re.search(rf"(?m)^\s*{number}(?:[.)]\s|\s+[A-Z])", text)
    return bool(found) and all(letter in text.replace(" ", "").lower() for letter in letters)
