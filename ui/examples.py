"""The index in; four questions that its documents can answer, for the empty page, out."""

import re

from rag.domain import Chunk
from rag.index import Snapshot

EXAMPLES = 4
NUMBERING = re.compile(r"^(?:(?:section|chapter|article|part|annex|clause)\s+)?[\dIVXivx]+(?:[.)]\d*)*[.):]?\s+", re.IGNORECASE)
TOO_GENERAL = re.compile(
    r"^(?:introduction|purpose|scope|general|overview|background|contents|table of contents|definitions?|foreword|preface|"
    r"annex|appendix|document control|revision history|version history|summary|conclusion|references?)\b",
    re.IGNORECASE,
)


def example_questions(snapshot: Snapshot, configured: tuple[str, ...]) -> list[str]:
    """Those of the configuration, else one a document: what it says under one of its headings."""
    if configured:
        return list(configured[:EXAMPLES])
    questions = []
    for index, record in enumerate(snapshot.files):
        topic = next(
            (topic for row in snapshot.rows_of(index) if (topic := topic_of(snapshot.chunk(int(row)), record.title))), ""
        )
        if topic:
            questions.append(f"What does {record.title} say about {topic}?")
        if len(questions) == EXAMPLES:
            break
    return questions


def topic_of(chunk: Chunk, title: str) -> str:
    """The chunk's innermost heading as it reads in a sentence; "" where it is too short, too long or too general."""
    heading = NUMBERING.sub("", chunk.section[-1]).strip(" .:") if chunk.section else ""
    words = heading.split()
    if not 2 <= len(words) <= 6 or TOO_GENERAL.match(heading) or heading.casefold() in title.casefold():
        return ""
    return " ".join(word if word[1:] != word[1:].lower() else word.lower() for word in words)
