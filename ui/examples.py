"""The index in; a few questions that its documents can answer, for the empty page, out."""

import re

from rag.domain import Chunk
from rag.index import Snapshot

EXAMPLES = 4
NUMBERING = re.compile(
    r"^(?:(?:section|chapter|article|part|annex|clause|table)\s+)?[\dIVX]+(?:[.)]\d*)*[.):]?\s+", re.IGNORECASE
)
TOO_GENERAL = re.compile(
    r"^(?:introduction|purpose|scope|general|overview|background|contents|table of contents|definitions?|foreword|preface|"
    r"why|how|what|who|when|where|which|before|after|about|this|these|our|your|to|annex|appendix|document control|"
    r"revision history|version history|summary|conclusion|references?)\b",
    re.IGNORECASE,
)


def example_questions(snapshot: Snapshot, configured: tuple[str, ...]) -> list[str]:
    """Those of the configuration, else one a document: what it says under one of its headings.

    A document of every folder comes first, then further ones; no topic comes twice.
    """
    if configured:
        return list(configured[:EXAMPLES])
    asked: dict[str, str] = {}  # topic -> question
    for index in one_a_folder_first(snapshot):
        title = snapshot.files[index].title
        topics = (topic_of(snapshot.chunk(int(row)), title) for row in snapshot.rows_of(index))
        if topic := next((topic for topic in topics if topic and topic not in asked), ""):
            asked[topic] = f"What does the {shortened(title)} say about {topic}?"
        if len(asked) == EXAMPLES:
            break
    return list(asked.values())


def shortened(title: str) -> str:
    return re.split(r"\s[–—-]\s", title)[0]


def one_a_folder_first(snapshot: Snapshot) -> list[int]:
    seen: dict[str, int] = {}
    order = []
    for index, record in enumerate(snapshot.files):
        folder = record.path.rpartition("/")[0]
        seen[folder] = seen.get(folder, 0) + 1
        order.append((seen[folder], index))
    return [index for _, index in sorted(order)]


def topic_of(chunk: Chunk, title: str) -> str:
    """The chunk's innermost heading as it reads in a sentence; "" where it is too short, too long or too general."""
    headings = [heading for heading in chunk.section if any(character.isalpha() for character in heading)]
    heading = NUMBERING.sub("", headings[-1]).strip(" .:") if headings else ""
    words = heading.split()
    says_more = set(heading.casefold().split()) - set(title.casefold().split())
    if not 1 <= len(words) <= 6 or len(heading) < 5 or TOO_GENERAL.match(heading) or len(says_more) < min(len(words), 2):
        return ""
    return " ".join(word.lower() if word[1:].islower() or len(word) == 1 else word for word in words)
