"""Pages are read whichever way up they lie, with their tables; what can't be read is said."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from ingestion import ocr_tesseract
from ingestion.ocr import OcrEngine, choose_engine, read_page
from ingestion.ocr_words import OcrWord
from ingestion.table_grid import Box
from rag.config import Ocr
from rag.errors import ConfigError, MissingPackage, ReadingError
from tests.ingestion.drawn_scans import draw_sideways, draw_table, scanned

SETTINGS = Ocr(engine="auto", languages="eng", dpi=200, min_confidence=0.5)
LINES = [
    "TERMS OF REFERENCE",
    "The approved budget for the contract is PhP 750,000.00,",
    "inclusive of all government taxes. The supplier shall",
    "complete the works within forty (40) working days from",
    "the receipt of the work order issued by the Director.",
]


class ScriptedEngine:
    """Answers each picture with the next list of words and keeps the pictures' sizes."""

    name = "scripted"
    misses_cells = False

    def __init__(self, *answers: list[OcrWord]) -> None:
        self.answers = list(answers)
        self.sizes: list[tuple[int, int]] = []

    def words(self, picture: np.ndarray, *, dpi: float, seconds: float, block: bool = False) -> list[OcrWord]:
        self.sizes.append((picture.shape[1], picture.shape[0]))
        return self.answers.pop(0)


def line(*texts: str, confidence: float = 0.95, tall: bool = False) -> list[OcrWord]:
    boxes = [
        Box(100, 100 + 90 * at, 120, 180 + 90 * at) if tall else Box(100 + 90 * at, 100, 180 + 90 * at, 120)
        for at in range(len(texts))
    ]
    return [OcrWord(text, confidence, box) for text, box in zip(texts, boxes, strict=True)]


PAGE = Image.new("L", (600, 800), 255)


def test_a_sure_page_is_read_once() -> None:
    engine = ScriptedEngine(line("Terms", "of", "Reference"))
    result = read_page(PAGE, engine, SETTINGS)
    assert (result.text, result.rotation, engine.sizes) == ("Terms of Reference", 0, [(600, 800)])
    assert result.confidence == pytest.approx(0.95)
    assert result.words[0].box.x1 == pytest.approx(64.8)  # 180 pixels at 200 dots per inch, in points


def test_an_unsure_page_is_read_upside_down_too() -> None:
    result = read_page(PAGE, ScriptedEngine(line("ǝɔuǝ", "ɹǝɟ", confidence=0.2), line("Reference", "Terms")), SETTINGS)
    assert (result.text, result.rotation) == ("Reference Terms", 180)


def test_a_page_that_nobody_can_read_keeps_the_best_of_its_tries() -> None:
    tries = line("scribble", confidence=0.3), line("elbbircs", confidence=0.2), line("scrabble", confidence=0.25)
    result = read_page(PAGE, ScriptedEngine(*tries), SETTINGS)
    assert (result.text, result.rotation) == ("scribble", 0)


def test_a_picture_on_a_page_with_text_is_looked_at_once_to_see_that_it_holds_none() -> None:
    engine = ScriptedEngine(line("scribble", confidence=0.3))
    result = read_page(PAGE, engine, SETTINGS, upright=True)
    assert (result.text, result.words, engine.answers) == ("", (), [])


def test_a_page_on_its_side_is_turned_with_its_boxes() -> None:
    result = read_page(PAGE, ScriptedEngine(line("Terms", "Conditions", "Reference", tall=True)), SETTINGS)
    assert result.rotation == 90
    assert all(word.upright for word in result.words)


def test_no_engine_is_asked_for() -> None:
    assert choose_engine(replace(SETTINGS, engine="none")) is None


def test_no_engine_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr_tesseract.shutil, "which", lambda name: None)
    monkeypatch.setattr(ocr_tesseract, "find_spec", lambda name: None)
    assert choose_engine(SETTINGS) is None
    with pytest.raises(ConfigError, match="no Tesseract here"):
        choose_engine(replace(SETTINGS, engine="tesseract"))


def test_rapidocr_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingestion.ocr_rapidocr.find_spec", lambda name: None)
    with pytest.raises(MissingPackage, match="pip install rapidocr"):
        choose_engine(replace(SETTINGS, engine="rapidocr"))


def test_a_language_without_data_is_named() -> None:
    with pytest.raises(ConfigError, match=r"no data for xyz, only for .*eng"):
        choose_engine(replace(SETTINGS, languages="eng+xyz"))


@pytest.fixture(scope="module")
def tesseract() -> OcrEngine:
    engine = choose_engine(SETTINGS)
    assert engine is not None
    return engine


@pytest.mark.model
@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_skewed_scan_is_read_whichever_way_it_lies(tesseract: OcrEngine, turn: int) -> None:
    page = scanned(LINES).rotate(1.5, fillcolor=255, resample=Image.Resampling.BICUBIC).rotate(turn, expand=True)
    result = read_page(page, tesseract, SETTINGS)
    assert " ".join(result.text.split()) == " ".join(LINES)
    assert result.confidence > 0.85
    assert result.rotation == (360 - turn) % 360


@pytest.mark.model
def test_a_table_on_a_scan_is_read_cell_by_cell_also_sideways(tesseract: OcrEngine) -> None:
    rows = [
        ("Category", "Limit", "Approver"),
        ("Equipment", "50,000.00", "Board"),
        ("Vehicles", "", "Board"),
        ("Services", "", "Manager"),
    ]
    page = scanned(["Limits of authority", *[""] * 14, "Signed by the Director"])
    draw_table(page, rows, left=180, top=300, widths=[400, 350, 400])
    draw_sideways(page, "80,000.00", left=700, top=690)
    draw_sideways(page, "24,750.00", left=700, top=880)
    result = read_page(page, tesseract, SETTINGS)
    table = result.tables[0]
    assert table.header == rows[0]
    assert table.rows == (rows[1], ("Vehicles", "80,000.00", "Board"), ("Services", "24,750.00", "Manager"))
    assert result.text == "Limits of authority\n\nSigned by the Director"
    assert result.text[: table.before] == "Limits of authority"


@pytest.mark.model
def test_a_scan_that_takes_too_long_is_given_up(tesseract: OcrEngine) -> None:
    with pytest.raises(ReadingError, match=r"longer than 0.05 seconds.*page_seconds"):
        read_page(scanned(LINES * 6), tesseract, SETTINGS, seconds=0.05)
