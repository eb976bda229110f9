"""A model in the files that FlashRank loads, so small that its scores are known by eye.

A pair's logit is 4 for every token "yes" in the passage, less 2: a passage without it scores 0.12, with one 0.88.
The ONNX graph is written byte by byte (https://protobuf.dev/programming-guides/encoding/, onnx.proto), which spares a package.
"""

import json
import struct
from pathlib import Path

from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "yes"]
INT64, FLOAT = 7, 1  # TensorProto.DataType
MISS, HIT = 0.1192, 0.8808  # the sigmoid of -2 and of 2


def write_model(folder: Path, onnx_name: str) -> None:
    folder.mkdir(parents=True)
    (folder / onnx_name).write_bytes(onnx_model())
    tokenizer = Tokenizer(WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    files = {
        "config.json": {"pad_token_id": 0},
        "tokenizer_config.json": {"model_max_length": 512, "pad_token": "[PAD]"},
        "special_tokens_map.json": {"unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]"},
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")


def onnx_model() -> bytes:
    nodes = [
        node("Equal", ["input_ids", "yes"], "is_yes"),
        node("Cast", ["is_yes"], "yes_as_number", to=INT64),
        node("Mul", ["yes_as_number", "token_type_ids"], "in_passage"),
        node("Mul", ["in_passage", "attention_mask"], "seen"),
        node("Cast", ["seen"], "seen_as_float", to=FLOAT),
        node("ReduceSum", ["seen_as_float", "axes"], "count", keepdims=1),
        node("Mul", ["count", "four"], "times_four"),
        node("Sub", ["times_four", "two"], "logits"),
    ]
    constants = [
        constant("yes", INT64, [], struct.pack("<q", WORDS.index("yes"))),
        constant("axes", INT64, [1], struct.pack("<q", 1)),
        constant("four", FLOAT, [], struct.pack("<f", 4)),
        constant("two", FLOAT, [], struct.pack("<f", 2)),
    ]
    inputs = [value(name, INT64) for name in ("input_ids", "attention_mask", "token_type_ids")]
    graph = b"".join(
        [
            *(message(1, each) for each in nodes),
            text(2, "tiny"),
            *(message(5, each) for each in constants),
            *(message(11, each) for each in inputs),
            message(12, value("logits", FLOAT)),
        ]
    )
    return number(1, 8) + message(7, graph) + message(8, number(2, 13))  # IR version 8, opset 13


def node(operator: str, inputs: list[str], output: str, **attributes: int) -> bytes:
    kinds = [text(1, name) + number(3, value) + number(20, 2) for name, value in attributes.items()]  # 2: an integer
    return b"".join([*(text(1, name) for name in inputs), text(2, output), text(4, operator), *(message(5, a) for a in kinds)])


def constant(name: str, kind: int, shape: list[int], raw: bytes) -> bytes:
    return b"".join([*(number(1, size) for size in shape), number(2, kind), text(8, name), message(9, raw)])


def value(name: str, kind: int) -> bytes:
    dimensions = b"".join(message(1, text(2, axis)) for axis in ("batch", "length" if kind == INT64 else "one"))
    return text(1, name) + message(2, message(1, number(1, kind) + message(2, dimensions)))


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def message(field: int, content: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(content)) + content


def text(field: int, content: str) -> bytes:
    return message(field, content.encode())


def varint(value: int) -> bytes:
    parts = []
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes([*parts, value])
