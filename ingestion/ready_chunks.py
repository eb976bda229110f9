"""A JSONL file of ready chunks in, as financial pipelines export them; a page for every chunk, with its own bounds, out."""

import json
from collections.abc import Mapping
from typing import Any

from rag.domain import Heading, MetadataValue, Page

# What is the same in all chunks describes the document; these are the names that pipelines give it.
DOCUMENT_KEYS = {
    "title": ("title",),
    "document_type": ("document_type", "form", "form_type", "filing_type"),
    "organisation": ("organisation", "organization", "company", "company_name"),
    "year": ("year", "fiscal_year"),
    "quarter": ("quarter",),
}
SOURCE_KEYS = ("source", "file", "filename", "file_name")
SECTION_KEYS = ("section", "heading", "item")
PAGE_KEYS = ("page", "page_number", "page_label")


def is_ready_chunks(start: str) -> bool:
    """Whether the first line is, or begins like, an object with a text."""
    first = start.lstrip("\ufeff \r\n").split("\n", 1)[0]
    try:
        return chunk_of(first) is not None
    except ValueError:  # longer than what was looked at
        return first.startswith("{") and '"text"' in first and not first.rstrip().endswith("}")


def ready_pages(text: str) -> tuple[tuple[Page, ...], dict[str, MetadataValue]]:
    """One page a line, a failed one where the line can't be used; and the metadata that all chunks share."""
    pages: list[Page] = []
    shared: list[Mapping[str, Any]] = []
    for number, line in enumerate(text.lstrip("\ufeff").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            chunk = chunk_of(line)
        except ValueError as error:
            pages.append(Page(number, "failed", reason=f"line {number} is not JSON ({error})"))
            continue
        if chunk is None:
            pages.append(Page(number, "failed", reason=f'line {number} is not an object with a "text"'))
            continue
        given = chunk.get("metadata")
        metadata: Mapping[str, Any] = given if isinstance(given, dict) else {}
        shared.append(metadata)
        path = [value for keys in (SOURCE_KEYS, SECTION_KEYS) if (value := first_of(metadata, keys))]
        pages.append(
            Page(
                number,
                "text" if chunk["text"].strip() else "empty",
                chunk["text"],
                label=first_of(metadata, PAGE_KEYS) or str(chunk.get("id", "")),
                headings=tuple(Heading(0, level, text) for level, text in enumerate(path, start=1)),
            )
        )
    return tuple(pages), shared_metadata(shared)


def chunk_of(line: str) -> dict[str, Any] | None:
    """The object of a line, None where it is something else; raises ValueError where it is not JSON."""
    try:
        data = json.loads(line)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return data if isinstance(data, dict) and isinstance(data.get("text"), str) else None


def first_of(metadata: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    return next((str(metadata[key]) for key in keys if metadata.get(key) not in (None, "")), "")


def shared_metadata(chunks: list[Mapping[str, Any]]) -> dict[str, MetadataValue]:
    found = {}
    for key, names in DOCUMENT_KEYS.items():
        values = {first_of(metadata, names) for metadata in chunks}
        if len(values) == 1 and (value := values.pop()):
            found[key] = MetadataValue(value, "chunk metadata")
    return found
