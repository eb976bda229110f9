"""The Amazon Textract adapter: a grey picture in, words with boxes and confidences out, one paid call a page."""

import io
from typing import Any

import boto3
import numpy as np
from botocore.config import Config as ClientConfig
from botocore.exceptions import BotoCoreError, ClientError
from PIL import Image

from ingestion.ocr_words import OcrWord
from ingestion.table_grid import Box
from rag.errors import ConfigError, ReadingError

LONGEST_SIDE = 10_000  # pixels; Textract refuses more, and more than 10 MB


class Textract:
    """DetectDocumentText; region, credentials and endpoint come from the environment or the AWS profile."""

    name = "textract"
    misses_cells = False

    def __init__(self) -> None:
        try:
            self.client = boto3.client("textract", config=ClientConfig(retries={"mode": "adaptive", "max_attempts": 5}))
        except BotoCoreError as error:
            raise ConfigError(
                f'config.toml, [ocr] engine = "textract": {error} Set AWS_REGION in .env, or choose another engine.'
            ) from error

    def words(self, picture: np.ndarray, *, dpi: float, seconds: float, block: bool = False) -> list[OcrWord]:
        image = Image.fromarray(picture)
        image.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
        encoded = io.BytesIO()
        image.save(encoded, "JPEG", quality=85)
        try:
            answer = self.client.detect_document_text(Document={"Bytes": encoded.getvalue()})
        except (BotoCoreError, ClientError) as error:
            raise ReadingError(
                f"Amazon Textract did not read the page: {error}",
                "Check the AWS credentials, the region and the permission textract:DetectDocumentText.",
            ) from error
        return words_of_blocks(answer["Blocks"], width=picture.shape[1], height=picture.shape[0])


def words_of_blocks(blocks: list[dict[str, Any]], *, width: int, height: int) -> list[OcrWord]:
    """The words in the order of their lines; a gap of most of a line begins a paragraph."""
    by_id = {block["Id"]: block for block in blocks}
    words: list[OcrWord] = []
    paragraph = 0
    before: Box | None = None
    lines = [block for block in blocks if block["BlockType"] == "LINE"]
    for number, line in enumerate(lines):
        place = box_of(line, width, height)
        if before is not None and not -0.5 * place.height <= place.top - before.bottom <= 0.8 * place.height:
            paragraph += 1
        before = place
        for child in [key for relation in line.get("Relationships", []) for key in relation["Ids"]]:
            word = by_id[child]
            words.append(OcrWord(word["Text"], word["Confidence"] / 100, box_of(word, width, height), number, paragraph))
    return words


def box_of(block: dict[str, Any], width: int, height: int) -> Box:
    place = block["Geometry"]["BoundingBox"]
    left, top = place["Left"] * width, place["Top"] * height
    return Box(left, top, left + place["Width"] * width, top + place["Height"] * height)
