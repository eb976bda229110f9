from ingestion import drawings, pdf
from tests.pdfs import WIDTH, text_page, write_pdf


def test_grid_and_decoration(tmp_path):
    def grid(canvas):
        canvas.grid([72, 200, 300], [600, 620, 640, 660])

    def decoration(canvas):
        canvas.rect(-5, 700, WIDTH + 10, 100, fill=1)
        for y in range(100, 600, 20):
            canvas.line(72, y, 400, y)

    def open_table(canvas):
        for y in (600, 620, 640):
            canvas.line(72, y, 300, y)
        canvas.line(200, 600, 200, 640)

    document = pdf.open_pdf(write_pdf(tmp_path / "lines.pdf", grid, decoration, text_page("none"), open_table))
    found = []
    for number in range(4):
        page = document[number]
        found.append(drawings.has_grid(page))
        page.close()
    document.close()
    assert found == [True, False, False, True]


def test_huge_page_is_rendered_smaller(tmp_path):
    document = pdf.open_pdf(write_pdf(tmp_path / "poster.pdf", text_page("x"), size=(14000, 14000)))
    page = document[0]
    picture = drawings.render(page, dots_per_inch=200)
    page.close()
    document.close()
    assert picture.width * picture.height <= drawings.LARGEST_PICTURE * 1.01
