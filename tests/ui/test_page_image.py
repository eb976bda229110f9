"""A passage is marked where it stands: on normal, rotated and cropped pages, across lines and table rows."""

import io

import pypdfium2 as pdfium
import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from rag.errors import ReadingError
from ui.page_image import PASSAGE_COLOUR, page_image, passage_spans

LINES = [
    "4.2 Three written quotations are required for every",
    "purchase above EUR 5,000 and up to EUR 50,000.",
    "4.3 Above that amount a tender is published.",
]


@pytest.fixture
def page(tmp_path):
    """Writes a page of LINES and returns it with a passage marked."""

    def write_and_mark(quote, *, figures=(), rotate=0, crop=None, lines=LINES):
        path = tmp_path / "policy.pdf"
        canvas = Canvas(str(path), pagesize=(400, 600))
        for number, line in enumerate(lines):
            canvas.drawString(60, 400 - 20 * number, line)
        canvas.showPage()
        canvas.save()
        document = pdfium.PdfDocument(path)
        if rotate:
            document[0].set_rotation(rotate)
        if crop:
            document[0].set_cropbox(*crop)
        buffer = io.BytesIO()
        document.save(buffer)
        path.write_bytes(buffer.getvalue())
        return page_image(path, f"{rotate}{crop}{lines}", 1, quote, figures)

    return write_and_mark


def marked_area(image):
    """The box around everything in the marker's colour, as parts of the picture's width and height."""
    picture = Image.open(io.BytesIO(image.jpeg)).convert("RGB")
    red, green, blue = PASSAGE_COLOUR
    yellow = Image.frombytes(
        "L",
        picture.size,
        bytes(
            255 if abs(r - red) < 12 and abs(g - green) < 12 and abs(b - blue) < 25 else 0
            for r, g, b in zip(*[iter(picture.tobytes())] * 3, strict=True)
        ),
    )
    left, top, right, bottom = yellow.getbbox()
    return left / picture.width, top / picture.height, right / picture.width, bottom / picture.height


def test_a_passage_over_two_lines_gets_one_mark_a_line(page):
    image = page("required for every purchase above EUR 5,000")
    assert (image.width, image.height) == (800, 1200)
    assert image.passage_marks == 2
    left, top, right, bottom = marked_area(image)
    assert 0.13 < left < 0.17
    assert 190 / 600 < top < 195 / 600  # the first line's letters reach from about 191 to 203 points below the top
    assert 222 / 600 < bottom < 227 / 600
    assert right < 0.95


def test_the_mark_turns_with_a_rotated_page(page):
    image = page("4.2 Three written quotations are required for every purchase above EUR 5,000", rotate=90)
    assert (image.width, image.height) == (1200, 800)
    assert image.passage_marks == 2
    left, _, right, _ = marked_area(image)
    assert 373 / 600 < left < 378 / 600  # what was the bottom is now the left side
    assert 409 / 600 < right < 413 / 600


def test_the_mark_stays_on_its_line_of_a_cropped_page(page):
    image = page("required for every purchase above EUR 5,000", crop=(50, 300, 400, 500))
    assert (image.width, image.height) == (700, 400)
    assert image.passage_marks == 2
    _, top, _, bottom = marked_area(image)
    assert 90 / 200 < top < 95 / 200
    assert 122 / 200 < bottom < 127 / 200


def test_the_proven_figure_is_marked_more_strongly_and_only_as_a_whole(page):
    quote = "above EUR 5,000 and up to EUR 50,000."
    assert page(quote, figures=("EUR 5,000",)).figure_marks == 1
    assert page(quote, figures=("0,000",)).figure_marks == 0
    assert page(quote, figures=("EUR 5",)).figure_marks == 0
    assert page(quote, figures=("4.3",)).figure_marks == 0  # on the page, but not in the passage


def test_a_passage_that_is_not_on_the_page_leaves_the_page_unmarked(page):
    image = page("Travel expenses are settled within thirty days of the journey.")
    assert image.passage_marks == 0
    assert image.pages == 1


def test_case_spaces_hyphens_and_ligatures_make_no_difference():
    assert passage_spans("The of\ufb01ce's\npro-\ncurement", "office's Procurement") == [(4, 24)]


def test_table_rows_are_found_when_the_header_is_repeated_above_them():
    text = "Band Approver Limit\nBand A Line manager EUR 5,000\nBand B Head of procurement EUR 50,000\nBand C Chief executive"
    piece = "| Band | Approver | Limit |\n| --- | --- | --- |\n| Band B | Head of procurement | EUR 50,000 |"
    marked = " ".join(text[first : last + 1] for first, last in passage_spans(text, piece))
    assert "B Head of procurement EUR 50,000" in marked
    assert "Line manager" not in marked
    assert "Chief executive" not in marked


def test_a_missing_file_and_a_missing_page_say_what_to_do(tmp_path, page):
    with pytest.raises(ReadingError, match="no longer in the documents folder"):
        page_image(tmp_path / "gone.pdf", "x", 1)
    page("anything")
    with pytest.raises(ReadingError, match="has 1 pages, so there is no page 2"):
        page_image(tmp_path / "policy.pdf", "y", 2)
