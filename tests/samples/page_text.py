"""A PDF in, the text of its pages out, as PDFium reads it; and folded, so that line ends and hyphens don't matter."""

import re

import pypdfium2


def page_texts(pdf: bytes) -> list[str]:
    document = pypdfium2.PdfDocument(pdf)
    return [document[number].get_textpage().get_text_bounded() for number in range(len(document))]


def folded(text: str) -> str:
    """Without white space and hyphens, also the ones PDFium puts for a hyphen at a line end, in small letters."""
    return re.sub("[\\s\\-\u00ad\u0002\ufffe]", "", text).casefold()
