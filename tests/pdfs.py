"""Small PDFs that show one fault each, written where a test needs them."""

import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

Draw = Callable[[Canvas], None]
WIDTH, HEIGHT = A4


def write_pdf(path: Path, *pages: Draw, size: tuple[float, float] = A4, **options) -> Path:
    """One page for each function, which draws it; points count from the bottom left, as PDF does."""
    canvas = Canvas(str(path), pagesize=size, invariant=True, **options)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return path


def text_at(
    canvas: Canvas, x: float, y: float, lines: Sequence[str], *, size: float = 10, font: str = "Helvetica", leading: float = 0
) -> None:
    """Lines from the top down, the first with its baseline at y."""
    canvas.setFont(font, size)
    for number, line in enumerate(lines):
        canvas.drawString(x, y - number * (leading or 1.2 * size), line)


def text_page(*lines: str, size: float = 10) -> Draw:
    return lambda canvas: text_at(canvas, 72, HEIGHT - 150, lines, size=size)


def write_raw_pdf(path: Path, objects: Sequence[bytes], *, root: int = 1) -> Path:
    """A PDF of these objects, numbered from 1, with a correct cross-reference table."""
    data = b"%PDF-1.7\n"
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    data += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    data += b"trailer\n<</Size %d/Root %d 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, root, data.rindex(b"xref\n0"))
    path.write_bytes(data)
    return path


def stream(content: bytes, entries: bytes = b"") -> bytes:
    packed = zlib.compress(content, 9)
    return b"<<%s/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream" % (entries, len(packed), packed)


def page_objects(count: int, *, contents: Sequence[int], resources: bytes = b"<<>>", box: str = "0 0 595 842") -> list[bytes]:
    """Catalog, page tree and pages; page n shows the content stream numbered contents[n]."""
    kids = b" ".join(b"%d 0 R" % (3 + number) for number in range(count))
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[%s]/Resources %s/Contents %d 0 R>>"
    return [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count %d/Kids[%s]>>" % (count, kids),
        *(page % (box.encode(), resources, contents[number]) for number in range(count)),
    ]


FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"


def shown(text: str) -> bytes:
    return b"BT /F1 12 Tf 72 700 Td (%s) Tj ET" % text.encode()


def write_nested_forms(path: Path, *, depth: int = 12, width: int = 10) -> Path:
    """Three pages; the second draws a form that draws a form ten times that draws a form ten times, and so on."""
    resources = b"<</Font<</F1 6 0 R>>/XObject<</X 10 0 R>>>>"
    objects = page_objects(3, contents=(7, 8, 9), resources=resources)
    objects += [FONT, stream(shown("before")), stream(b"/X Do"), stream(shown("after"))]
    for level in range(depth):
        last = level == depth - 1
        inner = b"<</Font<</F1 6 0 R>>>>" if last else b"<</XObject<</X %d 0 R>>>>" % (11 + level)
        content = shown("deep") if last else b"/X Do " * width
        objects.append(stream(content, b"/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources %s" % inner))
    return write_raw_pdf(path, objects)


def write_flate_bomb(path: Path, *, megabytes: int = 500) -> Path:
    """Two pages; the first page's content stream unpacks to so many megabytes of text."""
    packer = zlib.compressobj(1)
    piece = (shown("bomb") + b"\n") * 20000
    packed = b"".join(packer.compress(piece) for _ in range(megabytes * 1_000_000 // len(piece))) + packer.flush()
    objects = page_objects(2, contents=(5, 6), resources=b"<</Font<</F1 7 0 R>>>>")
    bomb = b"<</Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream" % (len(packed), packed)
    return write_raw_pdf(path, [*objects, bomb, stream(shown("after")), FONT])


def write_huge_picture(path: Path, *, side: int = 20000) -> Path:
    """Two pages; the first shows a grey picture of 400 megapixels."""
    packer = zlib.compressobj(1)
    packed = b"".join(packer.compress(bytes(side)) for _ in range(side)) + packer.flush()
    entries = b"/Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8/ColorSpace/DeviceGray" % (side, side)
    resources = b"<</XObject<</I 7 0 R>>/Font<</F1 8 0 R>>>>"
    objects = page_objects(2, contents=(5, 6), resources=resources)
    picture = b"<<%s/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream" % (entries, len(packed), packed)
    return write_raw_pdf(path, [*objects, stream(b"500 0 0 500 40 200 cm /I Do"), stream(shown("after")), picture, FONT])
