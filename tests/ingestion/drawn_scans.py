"""Pictures of pages drawn for the tests of OCR, at 200 dots per inch: letters of 12 points, text in plain sight of the test."""

from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT = 1654, 2339  # A4
FONT = ImageFont.load_default(size=34)


def scanned(lines: Sequence[str], *, top: int = 200, left: int = 180) -> Image.Image:
    image = Image.new("L", (WIDTH, HEIGHT), 255)
    pen = ImageDraw.Draw(image)
    for number, line in enumerate(lines):
        pen.text((left, top + 60 * number), line, font=FONT, fill=0)
    return image


def draw_table(image: Image.Image, rows: Sequence[Sequence[str]], *, left: int, top: int, widths: Sequence[int]) -> None:
    pen = ImageDraw.Draw(image)
    height = 190
    for row, cells in enumerate(rows):
        x = left
        for text, width in zip(cells, widths, strict=True):
            pen.rectangle((x, top + row * height, x + width, top + (row + 1) * height), outline=0, width=3)
            pen.text((x + 20, top + row * height + 20), text, font=FONT, fill=0)
            x += width


def draw_sideways(image: Image.Image, text: str, *, left: int, top: int) -> None:
    """Text that runs downwards."""
    size = FONT.getbbox(text)
    label = Image.new("L", (int(size[2]) + 4, int(size[3]) + 8), 255)
    ImageDraw.Draw(label).text((2, 2), text, font=FONT, fill=0)
    image.paste(label.rotate(270, expand=True), (left, top))
