"""Scans are made grey, level and of bounded size before they are read."""

import io

import numpy as np
import pytest
from PIL import Image

from ingestion import ocr_image
from ingestion.ocr_image import bounded_scale, prepare, skew, whiten
from rag.errors import ReadingError
from tests.ingestion.drawn_scans import draw_table, scanned

PAGE = scanned(["The contracting officer reviews the quotations of all suppliers."] * 25)


@pytest.mark.parametrize("angle", [-3.0, -1.5, 1.5, 4.0])
def test_the_skew_of_a_page_is_measured(angle: float) -> None:
    tilted = np.asarray(PAGE.rotate(angle, resample=Image.Resampling.BICUBIC, fillcolor=255))
    assert skew(tilted) == pytest.approx(-angle, abs=0.15)


@pytest.mark.parametrize(
    "page", [PAGE, Image.new("L", (800, 1100), 255), Image.new("L", (800, 1100), 0)], ids=["level", "white", "black"]
)
def test_nothing_is_turned_without_need(page: Image.Image) -> None:
    assert skew(np.asarray(page)) == 0


def test_a_skewed_page_is_levelled() -> None:
    scan = prepare(PAGE.rotate(2, resample=Image.Resampling.BICUBIC, fillcolor=255), dpi=200)
    assert scan.dpi == 200
    assert scan.skew == pytest.approx(-2, abs=0.15)
    assert skew(scan.picture) == 0


def test_rules_are_taken_out_and_letters_stay() -> None:
    page = scanned(["Category"])
    before = np.asarray(page).copy()
    draw_table(page, [("", ""), ("", "")], left=180, top=300, widths=[400, 400])
    scan = prepare(page, dpi=200)
    assert scan.has_rules
    assert np.count_nonzero(scan.text[280:] < 128) == 0
    assert np.count_nonzero(scan.text[:280] < 128) == np.count_nonzero(before < 128)
    assert not prepare(PAGE, dpi=200).has_rules


def test_shaded_ground_becomes_white_and_letters_stay_dark() -> None:
    shaded = np.full((200, 400), 150, np.uint8)
    shaded[90:110, 100:104] = 20
    cleaned = whiten(shaded)
    assert cleaned[20, 20] == 255
    assert cleaned[100, 102] < 60


def test_a_page_of_any_size_is_rendered_with_a_bounded_number_of_pixels() -> None:
    assert bounded_scale(595, 842, 200) == pytest.approx(200 / 72)
    scale = bounded_scale(14400, 14400, 200)
    assert (14400 * scale) ** 2 <= ocr_image.MAX_PIXELS * 1.001


def test_a_large_picture_is_scaled_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr_image, "MAX_PIXELS", 10_000)
    scan = prepare(Image.new("RGB", (400, 100), "white"), dpi=200)
    assert scan.picture.shape == (50, 200)
    assert scan.dpi == pytest.approx(100)


def test_a_large_jpeg_is_decoded_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr_image, "MAX_PIXELS", 10_000)
    monkeypatch.setattr(ocr_image, "MAX_SOURCE_PIXELS", 200_000)
    encoded = io.BytesIO()
    Image.new("L", (1600, 400), 255).save(encoded, "JPEG")
    assert prepare(Image.open(encoded), dpi=200).picture.shape == (50, 200)


def test_a_picture_that_would_take_gigabytes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr_image, "MAX_PIXELS", 10_000)
    monkeypatch.setattr(ocr_image, "MAX_SOURCE_PIXELS", 100_000)
    with pytest.raises(ReadingError, match="1000 x 1000 pixels"):
        prepare(Image.new("L", (1000, 1000)), dpi=200)


def test_a_transparent_ground_is_white() -> None:
    assert prepare(Image.new("RGBA", (50, 50), (0, 0, 0, 0)), dpi=200).picture.min() == 255
