"""Text nobody on our side wrote in; markdown out that Streamlit shows as it was meant and that fetches nothing."""

import re

DIRECTIVE = r":(?=[\w/-]+(?:\[|:))"  # :red[…], :material/home:, :smile:
SPECIAL = re.compile(rf"([\\`*_{{}}\[\]()#+\-.!|~<>$&]|:(?=//)|{DIRECTIVE})")  # "://" would make a link of what follows
IMAGE = re.compile(r"!\[")
LINK = re.compile(r"\[([^\[\]]*)\]\((?:[^()\s]|\([^()]*\))*(?:\s+[^()]*)?\)")
LINK_DEFINITION = re.compile(r"^\s*\[[^\]]+\]:\s*\S+.*$", re.MULTILINE)
MARKER = re.compile(r" ?\[(\d{1,2}(?:\s*,\s*\d{1,2})*)\](?!\()")


def literal(text: str) -> str:
    """One line of `text` in which markdown finds nothing to interpret: titles, file names, words of a document."""
    return SPECIAL.sub(r"\\\1", " ".join(text.split()))


def sentence(text: str) -> str:
    """A message of ours, whose commands stand in backticks; what it quotes of file names and the like stays literal."""
    pieces = re.split(r"(`[^`]+`)", " ".join(text.split()))
    return "".join(piece if piece.startswith("`") else SPECIAL.sub(r"\\\1", piece) for piece in pieces)


def answer_markdown(text: str) -> str:
    """An answer, finished or half written, with its lists and emphasis but no images, links, formulas or directives.

    A model can be talked into writing an image whose address carries the conversation away; the browser would fetch it.
    """
    text = LINK_DEFINITION.sub("", text)
    text = IMAGE.sub("[", text)
    text = LINK.sub(r"\1", text)
    text = text.replace("$", "\\$").replace("<", "&lt;")
    text = re.sub(DIRECTIVE, r"\\:", text)
    return MARKER.sub(badges, text)


def badges(match: re.Match[str]) -> str:
    """`[1, 2]` as small numbered badges, the same as on the chips below the answer."""
    return " " + " ".join(f":blue-badge[{number.strip()}]" for number in match.group(1).split(","))
