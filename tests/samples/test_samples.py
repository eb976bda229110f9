"""The sample pack in the repository is what `python -m samples` writes, and it has the traits it was made to show."""

from dataclasses import replace

import pypdfium2
import pytest
from PIL import Image, ImageChops

from samples.layout import set_pages
from samples.markup import Clause, Grid, Heading, Note, Paragraph, parse
from samples.pack import PROJECT, TARGETS, documents, pdf_of
from tests.samples.page_text import page_texts

PACK = {path.relative_to(PROJECT).as_posix(): (path, document) for path, document in documents()}
DATA = [name for name in PACK if name.startswith("data/")]
SCAN = "data/memos/Memo_2025-017_Emergency_Repair_Brackett_Point_scanned.pdf"


def labels(name: str) -> list[str]:
    document = pypdfium2.PdfDocument(PACK[name][0])
    return [document.get_page_label(number) for number in range(len(document))]


@pytest.mark.parametrize("name", PACK)
def test_the_checked_in_pdf_is_the_written_one(name):
    # Text and page count, not bytes: another zlib or FreeType may pack the same page differently.
    path, document = PACK[name]
    assert page_texts(path.read_bytes()) == page_texts(pdf_of(document))


def test_writing_twice_gives_the_same_bytes():
    for name in (SCAN, "data/finance/Annual_Budget_FY2025.pdf"):  # pictures, and a table of contents
        assert pdf_of(PACK[name][1]) == pdf_of(PACK[name][1])


def test_nothing_else_lies_among_the_samples():
    lying = {path.relative_to(PROJECT).as_posix() for target in TARGETS.values() for path in target.rglob("*.pdf")}
    assert lying == set(PACK)


def test_the_pack_is_small_and_its_documents_are_of_office_length():
    assert 8 <= len(DATA) <= 12
    assert sum(PACK[name][0].stat().st_size for name in DATA) < 4_000_000
    for name in DATA:
        assert 2 <= len(pypdfium2.PdfDocument(PACK[name][0])) <= 14, name


def test_the_scanned_memo_has_pictures_and_no_text_layer():
    path, document = PACK[SCAN]
    assert [text.strip() for text in page_texts(path.read_bytes())] == ["", ""]
    assert "boil water notice for 6,300 customers" in " ".join(" ".join(page_texts(set_pages(document))).split())
    page = pypdfium2.PdfDocument(path)[0]
    (picture,) = page.get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE])
    assert (picture.get_metadata().width, picture.get_metadata().height) == (1700, 2200)  # letter paper at 200 dpi
    assert "DCTDecode" in picture.get_filters()


def grey_pages(pdf: bytes) -> list[Image.Image]:
    return [page.render(grayscale=True).to_pil() for page in pypdfium2.PdfDocument(pdf)]


def test_the_scan_shows_the_memo_as_it_is_written():
    path, document = PACK[SCAN]
    paragraph = next(block for block in document.blocks if isinstance(block, Paragraph))
    changed = replace(paragraph, text=paragraph.text.replace("6,300", "7,300"))
    another = replace(document, blocks=tuple(changed if block is paragraph else block for block in document.blocks))
    kept = grey_pages(path.read_bytes())

    def furthest_apart(pages: list[Image.Image]) -> int:
        return max(ImageChops.difference(*pair).getextrema()[1] for pair in zip(kept, pages, strict=True))

    assert furthest_apart(grey_pages(pdf_of(document))) < 64  # of 255: room for another JPEG encoder
    assert furthest_apart(grey_pages(pdf_of(another))) > 128  # one changed digit


def test_preliminary_pages_have_roman_labels_in_the_pdf_and_on_paper():
    name = "data/policies/Procurement_Policy_Rev4_2025.pdf"
    assert labels(name) == ["i", "ii", "iii", "1", "2", "3", "4", "5", "6"]
    texts = page_texts(PACK[name][0].read_bytes())
    assert "Uncontrolled when printed iii" in texts[2]
    assert "Page 1 of 6" in texts[3]


def test_every_page_but_a_cover_has_its_running_header_and_footer():
    for name in DATA:
        path, document = PACK[name]
        if document.settings.scanned:
            continue
        for number, text in enumerate(page_texts(path.read_bytes()), 1):
            if number > 1 or not document.settings.cover:
                assert document.settings.header in text, (name, number)
                assert document.settings.footer in text, (name, number)


def test_the_approval_matrix_runs_over_two_pages_and_repeats_its_header():
    texts = page_texts(PACK["data/policies/Delegation_of_Authority_Matrix_2025.pdf"][0].read_bytes())
    with_header = [
        number for number, text in enumerate(texts, 1) if "No. Transaction Band BH HoD CPO CFO GC GM TC Board" in text
    ]
    assert with_header == [2, 3]


def test_the_circular_stands_in_two_columns():
    page = pypdfium2.PdfDocument(PACK["data/memos/Procurement_Circular_2025-03_Purchasing_Cards.pdf"][0])[0].get_textpage()
    lefts = {
        words: page.get_charbox(page.search(words).get_next()[0])[0] for words in ("Why this circular", "What may be bought")
    }
    assert lefts["Why this circular"] < 100
    assert lefts["What may be bought"] > 300


def test_the_markup_knows_its_blocks():
    text = """
# 1 Scope
1.1 Text with **weight**.
(a) first
  (i) deeper
- point
> Mind this.
Plain words.
@table ruled widths=30,70 right=2 units="USD" caption="Table 1. Cost"
| Item | Cost |
| Pump | 5 |
* Estimate.
"""
    heading, clause, letter, deeper, point, note, plain, table = parse(text)
    assert heading == Heading(level=1, text="1 Scope")
    assert clause == Clause(number="1.1", text="Text with **weight**.", depth=0)
    assert (letter, deeper) == (Clause(number="(a)", text="first", depth=1), Clause(number="(i)", text="deeper", depth=2))
    assert point == Clause(number="•", text="point", depth=1)
    assert (note, plain) == (Note(text="Mind this."), Paragraph(text="Plain words."))
    assert table == Grid(
        style="ruled",
        widths=(30.0, 70.0),
        right=(2,),
        units="USD",
        caption="Table 1. Cost",
        rows=[("Item", "Cost"), ("Pump", "5")],
        footnotes=["Estimate."],
    )
