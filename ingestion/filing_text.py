"""The HTML of an SEC filing in, its text in pieces under the items they belong to ("Item 7. Management's Discussion") out."""

import re
from dataclasses import dataclass
from html.parser import HTMLParser

PIECE = 2000  # characters; a longer paragraph or table stays whole, the chunker cuts it where it must
BLOCKS = frozenset(
    ("address", "blockquote", "br", "dd", "div", "dl", "dt", "hr", "li", "ol", "p", "section", "table", "tr", "ul")
).union(f"h{level}" for level in range(1, 7))
UNSEEN = frozenset(("head", "script", "style", "ix:header"))
VOID = frozenset(("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"))
ITEM = re.compile(r"(?:part\s+[iv]+\W+)?item\s+(?P<number>\d{1,2}[a-c]?)\b[\s.:|–—-]*(?P<name>.{0,150})$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FilingPiece:
    item: str  # "" before the first one
    text: str


def filing_pieces(html: str) -> list[FilingPiece]:
    """Paragraphs and table rows joined up to PIECE characters, never across items; rows read "Net sales | 391,035"."""
    pieces: list[FilingPiece] = []
    item, waiting = "", ""
    for block in blocks_of(html):
        heading = ITEM.fullmatch(block)
        if heading or len(waiting) + len(block) > PIECE:
            pieces += [FilingPiece(item, waiting)] if waiting else []
            waiting = ""
        if heading:
            item = f"Item {heading['number'].upper()}. {heading['name'].replace(' | ', ' ').strip()}".rstrip(". ")
        waiting = f"{waiting}\n{block}" if waiting else block
    return pieces + ([FilingPiece(item, waiting)] if waiting else [])


def blocks_of(html: str) -> list[str]:
    """Filings before about 2001 are plain text: there blank lines part the paragraphs."""
    if not re.search(r"<(?:html|body|div|p|table)\b", html, re.IGNORECASE):
        return [" ".join(part.split()) for part in re.split(r"\n\s*\n", html) if part.strip()]
    reader = BlockReader()
    reader.feed(html)
    reader.close()
    return reader.finished_blocks()


class BlockReader(HTMLParser):
    """Collects the lines a reader sees; what is not displayed, like the hidden data of inline XBRL, is left out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[str] = []
        self.text: list[str] = []
        self.cells: list[str] | None = None  # of the table row being read
        self.unseen: list[str] = []  # open elements from the outermost one that is not displayed

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        style = (dict(attributes).get("style") or "").replace(" ", "").lower()
        if self.unseen or tag in UNSEEN or "display:none" in style:
            if tag not in VOID:
                self.unseen.append(tag)
            return
        if tag == "tr":
            self.end_block()
            self.cells = []
        elif tag in BLOCKS and self.cells is None:
            self.end_block()
        elif tag in BLOCKS:
            self.text.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if self.unseen:
            if tag in self.unseen:
                del self.unseen[len(self.unseen) - 1 - self.unseen[::-1].index(tag) :]
            return
        if tag in ("td", "th") and self.cells is not None:
            self.cells.append(self.take_text())
        elif tag == "tr" and self.cells is not None:
            self.add(" | ".join(joined_cells(self.cells)))
            self.cells = None
        elif tag in BLOCKS and self.cells is None:
            self.end_block()

    def handle_data(self, data: str) -> None:
        if not self.unseen:
            self.text.append(data)

    def take_text(self) -> str:
        text = " ".join("".join(self.text).split())
        self.text.clear()
        return text

    def end_block(self) -> None:
        self.add(self.take_text())

    def add(self, block: str) -> None:
        if block:
            self.blocks.append(block)

    def finished_blocks(self) -> list[str]:
        self.end_block()
        return self.blocks


def joined_cells(cells: list[str]) -> list[str]:
    """Filings put currency signs, brackets and percent signs into cells of their own: "$", "391,035"."""
    joined: list[str] = []
    for cell in cells:
        if not cell:
            continue
        if joined and (cell in (")", "%", ")%") or joined[-1] in ("$", "(", "$(", "€", "£")):
            joined[-1] += cell
        else:
            joined.append(cell)
    return joined
