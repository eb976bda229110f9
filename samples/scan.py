"""Turns a printed PDF into what an office scanner makes of it: skewed, grainy page pictures and no text layer."""

import io
import random

import pypdfium2
from PIL import Image, ImageChops, ImageFilter
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

DPI = 200
SKEW_DEGREES = (0.6, -0.4)
JPEG_QUALITY = 45


def scanned(pdf: bytes, *, title: str) -> bytes:
    """The same pages as pictures in a PDF."""
    source, buffer = pypdfium2.PdfDocument(pdf), io.BytesIO()
    canvas = Canvas(buffer, invariant=1)
    canvas.setTitle(title)
    canvas.setCreator("LRWA-MFP-2F")
    for number in range(len(source)):
        page = source[number]
        width, height = page.get_size()
        picture = through_the_glass(page.render(scale=DPI / 72, grayscale=True).to_pil(), number=number)
        jpeg = io.BytesIO()
        picture.save(jpeg, "JPEG", quality=JPEG_QUALITY, dpi=(DPI, DPI))
        canvas.setPageSize((width, height))
        canvas.drawImage(ImageReader(io.BytesIO(jpeg.getvalue())), 0, 0, width, height)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def through_the_glass(picture: Image.Image, *, number: int) -> Image.Image:
    """A page as the scanner sees it: a little turned, soft, speckled, the paper not quite white."""
    turned = picture.convert("L").rotate(
        SKEW_DEGREES[number % len(SKEW_DEGREES)], resample=Image.Resampling.BICUBIC, fillcolor=255
    )
    soft = turned.filter(ImageFilter.GaussianBlur(0.6)).point(lambda tone: 22 + round(tone * 222 / 255))
    grain = Image.frombytes("L", soft.size, random.Random(2025 + number).randbytes(soft.width * soft.height))
    return ImageChops.subtract(soft, grain.point(lambda tone: tone // 24), scale=1, offset=0)
