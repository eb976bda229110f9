"""Sets a document's blocks as PDF pages: running header and footer, headings, clauses, tables; the same bytes every time."""

import io
import re
from xml.sax.saxutils import escape

from reportlab.lib.colors import HexColor, black
from reportlab.lib.enums import TA_JUSTIFY, TA_LEFT, TA_RIGHT
from reportlab.lib.pagesizes import LETTER
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    KeepTogether,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Spacer,
    Table,
    TableStyle,
)
from reportlab.platypus import Paragraph as Text
from reportlab.platypus.tableofcontents import TableOfContents

from samples.markup import Block, Break, Clause, Contents, Document, Grid, Heading, Note, Paragraph, Settings

INK, RULE, TINT, FAINT = HexColor(0x0B4F6C), HexColor(0x9DB4BF), HexColor(0xE4EDF1), HexColor(0xF5F8FA)
WIDTH, HEIGHT = LETTER
SIDE, TOP, BOTTOM, GUTTER = 68.0, 82.0, 68.0, 20.0
TEXT_WIDTH = WIDTH - 2 * SIDE
LONG_TABLE = 20  # rows from which a table may run over a page end
FACES = {
    "Helvetica": ("Helvetica", "Helvetica-Bold"),
    "Times": ("Times-Roman", "Times-Bold"),
    "Courier": ("Courier", "Courier-Bold"),
}


def set_pages(document: Document) -> bytes:
    """The PDF of a document; it is set twice, because the footer names the number of pages."""
    front = front_pages(document)
    pages = 0
    for _ in range(2):
        buffer = io.BytesIO()
        template = Template(buffer, settings=document.settings, front=front, pages=pages)
        template.multiBuild(story(document))
        pages = template.page - front
    return buffer.getvalue()


def front_pages(document: Document) -> int:
    """How many preliminary pages stand before the page that is printed as 1."""
    breaks = [block.ends_front for block in document.blocks if isinstance(block, Break)]
    return breaks.index(True) + 1 + bool(document.settings.cover) if True in breaks else 0


def roman(number: int) -> str:
    return ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")[number]


class Template(BaseDocTemplate):
    """A reportlab document that dresses its pages and numbers them as printed: i, ii, … and then 1, 2, …"""

    def __init__(self, buffer: io.BytesIO, *, settings: Settings, front: int, pages: int) -> None:
        self.settings, self.front, self.pages = settings, front, pages
        super().__init__(
            buffer,
            pagesize=LETTER,
            title=settings.title,
            author=settings.organisation,
            subject=settings.subtitle,
            lang=settings.language,
            invariant=1,
        )
        column = (TEXT_WIDTH - GUTTER * (settings.columns - 1)) / settings.columns
        opening = HEIGHT - BOTTOM - TOP - (70 if settings.columns > 1 else 0)  # the title runs across the columns
        first, later = (
            [Frame(SIDE + number * (column + GUTTER), BOTTOM, column, height, 0, 0, 0, 0) for number in range(settings.columns)]
            for height in (opening, HEIGHT - BOTTOM - TOP)
        )
        self.addPageTemplates(
            [
                PageTemplate(id="first", frames=first, onPage=self.dress_first),
                PageTemplate(id="later", frames=later, onPage=self.dress),
            ]
        )

    def printed(self, page: int) -> str:
        return roman(page) if page <= self.front else str(page - self.front)

    def dress_first(self, canvas: Canvas, template: BaseDocTemplate) -> None:
        if self.front:
            canvas.addPageLabel(0, "ROMAN_LOWER", 1)
            canvas.addPageLabel(self.front, "ARABIC", 1)
        if self.settings.cover:
            draw_cover(canvas, settings=self.settings)
            return
        self.dress(canvas, template)
        if self.settings.columns > 1:
            draw_banner(canvas, settings=self.settings)

    def dress(self, canvas: Canvas, _: BaseDocTemplate) -> None:
        """Draws the running header and footer."""
        page, (face, bold) = canvas.getPageNumber(), FACES[self.settings.font]
        canvas.setStrokeColor(RULE)
        canvas.setLineWidth(0.6)
        canvas.line(SIDE, HEIGHT - 61, WIDTH - SIDE, HEIGHT - 61)
        canvas.line(SIDE, 51, WIDTH - SIDE, 51)
        if self.settings.emblem:
            draw_drop(canvas, x=SIDE + 5, y=HEIGHT - 55, size=12)
        canvas.setFillColor(INK)
        canvas.setFont(bold, 8)
        canvas.drawString(SIDE + (15 if self.settings.emblem else 0), HEIGHT - 54, self.settings.organisation)
        canvas.setFillColor(black)
        canvas.setFont(face, 8)
        canvas.drawRightString(WIDTH - SIDE, HEIGHT - 54, self.settings.header)
        canvas.drawString(SIDE, 39, self.settings.footer)
        number = "{page}" if page <= self.front else self.settings.number
        canvas.drawRightString(WIDTH - SIDE, 39, number.format(page=self.printed(page), pages=self.pages))

    def beforeDocument(self) -> None:
        self.entries = 0

    def afterFlowable(self, flowable: Flowable) -> None:
        """Enters a heading into the outline and the table of contents."""
        level = getattr(flowable, "heading_level", 3)
        if level > 2:
            return
        self.entries += 1
        key, text = f"heading-{self.entries}", flowable.getPlainText()
        self.canv.bookmarkPage(key)
        self.canv.addOutlineEntry(text, key, level - 1, closed=True)
        if self.page > self.front:
            self.notify("TOCEntry", (level - 1, text, self.page - self.front, key))


def story(document: Document) -> list[Flowable]:
    """The document as reportlab's flowables."""
    settings = document.settings
    flowables: list[Flowable] = [NextPageTemplate("later")]
    if settings.cover:
        flowables += [Spacer(1, 1), PageBreak()]
    elif settings.columns == 1:
        flowables += [Text(settings.title, style(settings, "title"))]
        flowables += [Text(settings.subtitle, style(settings, "subtitle"))] if settings.subtitle else []
    for block in document.blocks:
        parts = flow(block, settings=settings)
        if isinstance(block, Grid) and len(block.rows) < LONG_TABLE:
            while hasattr(flowables[-1], "heading_level"):
                parts.insert(0, flowables.pop())
            parts = [KeepTogether(parts)]
        flowables += parts
    return flowables


def flow(block: Block, *, settings: Settings) -> list[Flowable]:
    match block:
        case Heading(level=level, text=text):
            heading = Text(inline(text), style(settings, f"heading{level}"))
            heading.heading_level = level
            return [heading]
        case Clause(number=number, text=text, depth=depth):
            return [Text(inline(text), clause_style(settings, number=number, depth=depth), bulletText=number)]
        case Note(text=text):
            return [Text(inline(text), style(settings, "note"))]
        case Grid():
            return grid(block, settings=settings)
        case Contents():
            contents = TableOfContents(dotsMinLevel=0)
            contents.tableStyle = TableStyle([("TOPPADDING", (0, 0), (-1, -1), 1), ("BOTTOMPADDING", (0, 0), (-1, -1), 1)])
            contents.levelStyles = [style(settings, "contents1"), style(settings, "contents2")]
            return [contents]
        case Break():
            return [PageBreak()]
        case Paragraph(text=text):
            return [Text(inline(text), style(settings, "body"))]
    raise TypeError(f"{block!r} has no layout")


def inline(text: str) -> str:
    """**bold** and *italic* as reportlab's tags; a soft hyphen (~-) stays a possible break."""
    tagged = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", escape(text))
    return re.sub(r"\*(.+?)\*", r"<i>\1</i>", tagged).replace("~-", "\u00ad")


def style(settings: Settings, name: str) -> ParagraphStyle:
    """One of the document's few paragraph styles."""
    (face, bold), size = FACES[settings.font], settings.size
    body = {
        "fontName": face,
        "fontSize": size,
        "leading": size * 1.36,
        "spaceAfter": size * 0.62,
        "embeddedHyphenation": 1,
        "allowWidows": 0,
        "allowOrphans": 0,
    }
    heading = {"fontName": bold, "textColor": INK, "keepWithNext": 1}
    changes: dict[str, dict[str, object]] = {
        "body": {"alignment": TA_JUSTIFY if settings.columns > 1 else TA_LEFT},
        "title": {**heading, "fontSize": 18, "leading": 22, "spaceAfter": 4},
        "subtitle": {"fontSize": size + 1, "leading": size * 1.6, "spaceAfter": 14, "textColor": HexColor(0x445566)},
        "heading1": {**heading, "fontSize": size + 4, "leading": size + 7, "spaceBefore": 14, "spaceAfter": 6},
        "heading2": {**heading, "fontSize": size + 1.5, "leading": size + 4.5, "spaceBefore": 9, "spaceAfter": 4},
        "heading3": {**heading, "fontSize": size, "spaceBefore": 6, "spaceAfter": 3, "textColor": black},
        "note": {
            "backColor": TINT,
            "borderColor": INK,
            "borderWidth": 0.5,
            "borderPadding": (6, 8, 6, 8),
            "leftIndent": 9,
            "rightIndent": 9,
            "spaceBefore": 10,
            "spaceAfter": 14,
        },
        "caption": {"fontName": bold, "fontSize": size - 0.5, "spaceBefore": 6, "spaceAfter": 3, "keepWithNext": 1},
        "units": {"fontSize": size - 1.5, "spaceAfter": 3, "alignment": TA_RIGHT, "keepWithNext": 1},
        "footnote": {"fontSize": size - 2, "leading": (size - 2) * 1.3, "spaceAfter": 2},
        "cell": {"fontSize": size - 1.2, "leading": (size - 1.2) * 1.25, "spaceAfter": 0},
        "number": {"fontSize": size - 1.2, "leading": (size - 1.2) * 1.25, "spaceAfter": 0, "alignment": TA_RIGHT},
        "contents1": {"fontName": bold, "leading": size * 1.2, "spaceBefore": 4, "spaceAfter": 0},
        "contents2": {"leftIndent": 16, "leading": size * 1.2, "spaceAfter": 0},
    }
    return ParagraphStyle(name, **{**body, **changes[name]})


def clause_style(settings: Settings, *, number: str, depth: int) -> ParagraphStyle:
    """Body text behind a hanging number."""
    indent = {0: 0.0, 1: 34.0, 2: 56.0}[depth]
    hang = max(34.0, 8.0 + 5.4 * len(number)) if depth == 0 else 22.0
    hang = 12.0 if number == "•" else hang
    indent = 12.0 if number == "•" and depth == 1 else indent
    return ParagraphStyle(
        "clause",
        parent=style(settings, "body"),
        leftIndent=indent + hang,
        bulletIndent=indent,
        bulletFontName=FACES[settings.font][0],
        bulletFontSize=settings.size,
        spaceAfter=settings.size * (0.6 if depth == 0 else 0.4),
    )


def grid(block: Grid, *, settings: Settings) -> list[Flowable]:
    """A table with its caption and units above and its footnotes below; the header row repeats on every page."""
    width = (TEXT_WIDTH - GUTTER * (settings.columns - 1)) / settings.columns
    share = block.widths or (100 / len(block.rows[0]),) * len(block.rows[0])
    cells = []
    for row, texts in enumerate(block.rows):
        styles = [style(settings, "number" if column in block.right else "cell") for column in range(1, len(texts) + 1)]
        named = row == 0 and block.style != "fields"
        marked = [f"<b>{inline(text)}</b>" if named and text else inline(text) for text in texts]
        cells.append([Text(text, cell) for text, cell in zip(marked, styles, strict=True)])
    drawn = Table(
        cells,
        colWidths=[width * part / sum(share) for part in share],
        repeatRows=1,
        style=lines(block),
        spaceBefore=2,
        spaceAfter=4 if block.footnotes else 12,
    )
    above = [Text(inline(block.caption), style(settings, "caption"))] if block.caption else []
    above += [Text(inline(block.units), style(settings, "units"))] if block.units else []
    below = [Text(inline(note), style(settings, "footnote")) for note in block.footnotes]
    below += [Spacer(1, 8)] if below else []
    return [*above, drawn, *below]


def lines(block: Grid) -> list[tuple[object, ...]]:
    """The rules and shades of a table's style."""
    commands: list[tuple[object, ...]] = [
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("TOPPADDING", (0, 0), (-1, -1), 3),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 4),
        ("LEFTPADDING", (0, 0), (-1, -1), 5),
        ("RIGHTPADDING", (0, 0), (-1, -1), 5),
    ]
    if block.style == "ruled":
        commands += [("GRID", (0, 0), (-1, -1), 0.5, black), ("BACKGROUND", (0, 0), (-1, 0), TINT)]
    if block.style == "lined":
        commands += [
            ("LINEABOVE", (0, 0), (-1, 0), 1, INK),
            ("LINEBELOW", (0, 0), (-1, 0), 0.6, INK),
            ("LINEBELOW", (0, 1), (-1, -2), 0.25, RULE),
            ("LINEBELOW", (0, -1), (-1, -1), 1, INK),
            ("ROWBACKGROUNDS", (0, 1), (-1, -1), (None, FAINT)),
        ]
    return commands


def draw_drop(canvas: Canvas, *, x: float, y: float, size: float) -> None:
    """The authority's emblem, a drop of water standing at x, y."""
    path = canvas.beginPath()
    path.moveTo(x, y + size)
    path.curveTo(x + size * 0.12, y + size * 0.7, x + size * 0.4, y + size * 0.5, x + size * 0.4, y + size * 0.27)
    path.curveTo(x + size * 0.4, y - size * 0.1, x - size * 0.4, y - size * 0.1, x - size * 0.4, y + size * 0.27)
    path.curveTo(x - size * 0.4, y + size * 0.5, x - size * 0.12, y + size * 0.7, x, y + size)
    canvas.setFillColor(INK)
    canvas.drawPath(path, stroke=0, fill=1)


def draw_cover(canvas: Canvas, *, settings: Settings) -> None:
    """The first page of a longer document: emblem, title, and the lines that identify it."""
    face, bold = FACES[settings.font]
    canvas.setFillColor(INK)
    canvas.rect(0, HEIGHT - 18, WIDTH, 18, stroke=0, fill=1)
    draw_drop(canvas, x=SIDE + 18, y=HEIGHT - 150, size=48)
    canvas.setFont(bold, 14)
    canvas.drawString(SIDE + 50, HEIGHT - 135, settings.organisation)
    canvas.setFont(bold, 30)
    for number, part in enumerate(settings.title.split(" – ")):
        canvas.drawString(SIDE, HEIGHT - 290 - 38 * number, part)
    canvas.setFillColor(black)
    canvas.setFont(face, 12)
    canvas.drawString(SIDE, HEIGHT - 372, settings.subtitle)
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(1.5)
    canvas.line(SIDE, HEIGHT - 392, SIDE + 150, HEIGHT - 392)
    for number, (name, value) in enumerate(settings.cover.items()):
        canvas.setFont(bold, 10)
        canvas.drawString(SIDE, 230 - 20 * number, name)
        canvas.setFont(face, 10)
        canvas.drawString(SIDE + 125, 230 - 20 * number, value)


def draw_banner(canvas: Canvas, *, settings: Settings) -> None:
    """The title of a document in columns, across them."""
    face, bold = FACES[settings.font]
    canvas.setFillColor(INK)
    canvas.setFont(bold, 16)
    canvas.drawString(SIDE, HEIGHT - TOP - 20, settings.title)
    canvas.setFillColor(black)
    canvas.setFont(face, 10)
    canvas.drawString(SIDE, HEIGHT - TOP - 38, settings.subtitle)
    canvas.setStrokeColor(RULE)
    canvas.line(SIDE, HEIGHT - TOP - 50, WIDTH - SIDE, HEIGHT - TOP - 50)
