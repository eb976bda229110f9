"""A page, as pdfplumber opens it, in; whether what it should draw is destroyed out."""

import zlib
from typing import Any

from pdfminer.pdfexceptions import PDFException
from pdfminer.pdftypes import PDFStream, resolve1

LEAST_BYTES = 16  # a shorter stream draws nothing even when it is whole
LEAST_PRINTABLE = 0.7  # of the characters: a content stream is a program in plain text


def is_destroyed(plumber_page: Any) -> bool:
    """Whether the page has content that can't be unpacked, or unpacks to no program; a blank page has none or a plain one."""
    streams = [resolve1(stream) for stream in plumber_page.page_obj.contents]
    stored = [stream for stream in streams if isinstance(stream, PDFStream) and len(stream.rawdata or b"") >= LEAST_BYTES]
    return bool(stored) and not any(is_program(unpacked(stream)) for stream in stored)


def unpacked(stream: PDFStream) -> bytes:
    try:
        return bytes(stream.get_data())
    except (PDFException, zlib.error, ValueError, TypeError, KeyError, IndexError, EOFError):  # a filter that can't be undone
        return b""


def is_program(data: bytes) -> bool:
    printable = sum(32 <= byte < 127 or byte in b"\t\n\f\r" for byte in data)
    return len(data) > 0 and printable >= LEAST_PRINTABLE * len(data)
