"""A search that found no answer in; the sentence that says so, the nearest pages and the files that may hold it unread, out."""

import re
from collections.abc import Sequence

from rag.approvals import cited_lines
from rag.citations import page_reference
from rag.domain import FileRecord, Passage, Retrieval
from rag.tokens import words

NOT_FOUND = "I could not find this in the documents."
NEAREST = 3  # pages named
UNREAD = 5  # files named


def says_not_found(text: str) -> bool:
    return text.strip().strip("*_").casefold().startswith(NOT_FOUND.rstrip(".").casefold())


def not_found_text(question: str, retrieval: Retrieval, files: Sequence[FileRecord]) -> str:
    """The passages are numbered as everywhere, so that the nearest pages can be opened by their markers."""
    if not re.search(r"\w", question):
        return f"{NOT_FOUND}\n\nThe question has no words to look for."
    passages = retrieval.passages
    near = nearest_rules(retrieval) or nearest_pages(passages)
    reason = "" if retrieval.rules else retrieval.rules_note
    return "\n\n".join(part for part in (NOT_FOUND, reason, near, unread_files(question, files)) if part)


def nearest_rules(retrieval: Retrieval) -> str:
    lines = [f"- {line}" for line in cited_lines(retrieval.near_rules, retrieval.passages)]
    return "\n".join(["What the documents do say of it:", "", *lines]) if lines else ""


def nearest_pages(passages: Sequence[Passage]) -> str:
    pages: dict[tuple[str, int], str] = {}
    for marker, passage in enumerate(passages, 1):
        chunk = passage.chunk
        page = page_reference(chunk.page, chunk.page_label)
        titles = [title for title in chunk.section[1:] if re.search(r"[^\W\d_]{3}", title)]  # "6.1" alone says nothing
        section = f": {titles[-1]}" if titles else ""
        pages.setdefault((chunk.file, chunk.page), f"- {chunk.document}, page {page}{section} [{marker}]")
    lines = list(pages.values())[:NEAREST]
    return "\n".join(["These pages came nearest:", "", *lines]) if lines else ""


def unread_files(question: str, files: Sequence[FileRecord]) -> str:
    """Files that failed or were read in part; those whose name or title has words of the question first."""
    asked = set(words(question))
    unread = [record for record in files if record.outcome != "read"]
    unread.sort(key=lambda record: (-len(asked & set(words(f"{record.path} {record.title}"))), record.path))
    lines = [
        f"- {record.path}: {' '.join((record.reason, record.next_step)).strip() or record.outcome}"
        for record in unread[:UNREAD]
    ]
    if len(unread) > UNREAD:
        lines.append(f"- and {len(unread) - UNREAD} more on the Documents page")
    return "\n".join(["These files could not be read in full and may hold it:", "", *lines]) if lines else ""
