"""A conversation's messages in; a markdown document with numbered sources and the figures that were checked, out."""

from collections.abc import Sequence

from rag.citations import page_reference
from rag.domain import Answer
from rag.history import Message


def conversation_as_markdown(title: str, messages: Sequence[Message]) -> str:
    parts = [f"# {title}"]
    for message in messages:
        if message.role == "user":
            parts.append(f"## {message.text}")
        elif message.answer:
            parts.append(answer_as_markdown(message.text, message.answer))
        elif message.text:
            parts.append(f"*{message.text}*")
    return "\n\n".join(parts) + "\n"


def answer_as_markdown(text: str, answer: Answer) -> str:
    """The answer with its sources as a numbered list, so that it can be checked wherever it is pasted."""
    parts = [text]
    if answer.citations:
        lines = []
        for cited in answer.citations:
            page = page_reference(cited.page, cited.page_label)
            quote = " ".join(cited.quote.split())
            lines.append(f"[{cited.marker}] {cited.document}, page {page}, {cited.file}: “{quote}”")
        parts.append("Sources:\n\n" + "\n".join(f"- {line}" for line in lines))
    missing = [check.text for check in answer.checks if not check.proven]
    if missing:
        parts.append(f"Not found on the cited pages: {', '.join(missing)}")
    return "\n\n".join(parts)
