"""What Tesseract, RapidOCR and Textract answer becomes the same words; Textract is a server on this machine here."""

import json
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import numpy as np
import pytest

from ingestion.ocr import choose_engine
from ingestion.ocr_rapidocr import words_of_lines
from ingestion.ocr_tesseract import words_of
from ingestion.table_grid import Box
from rag.config import PROJECT, Ocr
from rag.errors import ReadingError

PICTURE = np.full((1000, 2000), 255, np.uint8)


def test_tesseract_numbers_its_lines_within_paragraphs_and_blocks() -> None:
    found = {
        "text": ["", "Terms", "of", "Budget", "  "],
        "conf": [-1, 96, 90, 80, 95],
        "block_num": [1, 1, 1, 2, 2],
        "par_num": [0, 1, 1, 1, 1],
        "line_num": [0, 1, 1, 1, 1],
        "left": [0, 10, 60, 10, 90],
        "top": [0, 5, 5, 40, 40],
        "width": [99, 40, 20, 60, 9],
        "height": [99, 12, 12, 12, 12],
    }
    words = words_of(found)
    assert [(word.text, word.confidence, word.line, word.paragraph) for word in words] == [
        ("Terms", 0.96, 0, 0),
        ("of", 0.9, 0, 0),
        ("Budget", 0.8, 1, 1),
    ]
    assert words[1].box == Box(60, 5, 80, 17)


def test_rapidocr_pieces_on_one_height_are_one_line_and_words_share_their_width() -> None:
    pieces = [
        ("Signed", 0.9, Box(0, 80, 60, 100)),
        ("50,000", 0.8, Box(200, 11, 260, 31)),
        ("IT goods", 0.99, Box(0, 10, 80, 30)),
    ]
    assert [(word.text, word.box.x0, word.box.x1, word.line, word.paragraph) for word in words_of_lines(pieces)] == [
        ("IT", 0, 20, 0, 0),
        ("goods", 30, 80, 0, 0),
        ("50,000", 200, 260, 0, 0),
        ("Signed", 0, 60, 1, 1),
    ]


class TextractServer(BaseHTTPRequestHandler):
    """Answers every call with `answer` and keeps what it was asked."""

    answer: tuple[int, dict] = (200, {})
    asked: list[tuple[str, dict]] = []  # noqa: RUF012 - shared by all connections on purpose

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append((self.headers["X-Amz-Target"], body))
        status, answer = self.answer
        encoded = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/x-amz-json-1.1")
        self.send_header("Content-Length", str(len(encoded)))
        self.end_headers()
        self.wfile.write(encoded)

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def textract(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[TextractServer]]:
    server = HTTPServer(("127.0.0.1", 0), TextractServer)
    Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("AWS_ENDPOINT_URL_TEXTRACT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    TextractServer.asked = []
    yield TextractServer
    server.shutdown()
    server.server_close()


def block(kind: str, name: str, text: str, left: float, top: float, width: float, *children: str) -> dict:
    return {
        "BlockType": kind,
        "Id": name,
        "Text": text,
        "Confidence": 98.5,
        "Geometry": {"BoundingBox": {"Left": left, "Top": top, "Width": width, "Height": 0.02}},
        "Relationships": [{"Type": "CHILD", "Ids": list(children)}] if children else [],
    }


def test_textract_words_come_line_by_line_in_pixels(textract: type[TextractServer]) -> None:
    blocks = [
        block("LINE", "l1", "Total budget", 0.1, 0.1, 0.3, "w1", "w2"),
        block("LINE", "l2", "Approved", 0.1, 0.3, 0.1, "w3"),
        block("WORD", "w1", "Total", 0.1, 0.1, 0.1),
        block("WORD", "w2", "budget", 0.25, 0.1, 0.15),
        block("WORD", "w3", "Approved", 0.1, 0.3, 0.1),
    ]
    textract.answer = (200, {"Blocks": blocks})
    engine = choose_engine(Ocr(engine="textract", languages="eng", dpi=200, min_confidence=0.5))
    assert engine is not None
    words = engine.words(PICTURE, dpi=200, seconds=10)
    assert [(word.text, word.line, word.paragraph) for word in words] == [("Total", 0, 0), ("budget", 0, 0), ("Approved", 1, 1)]
    assert words[1].confidence == pytest.approx(0.985)
    assert words[1].box.x0 == pytest.approx(500)
    assert textract.asked[0][0] == "Textract.DetectDocumentText"


def test_a_textract_failure_says_what_to_check(textract: type[TextractServer]) -> None:
    textract.answer = (400, {"__type": "AccessDeniedException", "message": "not authorised"})
    engine = choose_engine(Ocr(engine="textract", languages="eng", dpi=200, min_confidence=0.5))
    assert engine is not None
    with pytest.raises(ReadingError, match=r"not authorised.*textract:DetectDocumentText"):
        engine.words(PICTURE, dpi=200, seconds=10)


def test_tesseract_comes_without_the_memory_of_pandas():
    code = "import sys, ingestion.ocr_tesseract; print('pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True).stdout == "False\n"
