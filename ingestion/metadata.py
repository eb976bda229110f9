"""A document's file name, pages and PDF information in; its metadata out, each value with the place where it was found."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import tomli

from ingestion.document_type import kind_of_line, kind_of_title
from ingestion.language import language_of
from ingestion.layout import Line
from ingestion.organisation import find_organisation, is_organisation
from ingestion.own_statements import MONTH, said_of_itself
from rag.domain import MetadataValue, Page

KEYS = (
    "title", "document_type", "organisation", "year", "quarter", "effective_date", "revision", "supersedes", "language",
    "section",
)  # fmt: skip

SECTIONS = {  # of financial documents: a section label needs several of its words
    "underwriting": ("underwriting", "gross written premium", "combined ratio", "loss ratio", "reinsurance"),
    "investment": ("investment portfolio", "fixed income", "asset allocation", "investment return", "fair value"),
    "capital": ("solvency", "own funds", "capital requirement", "tier 1", "capital adequacy"),
    "risk": ("risk appetite", "risk management", "risk profile", "stress test"),
    "balance sheet": ("balance sheet", "total assets", "total liabilities", "shareholders’ equity"),
    "income": ("income statement", "net income", "net sales", "operating income", "earnings per share"),
}
YEAR = r"((?:19|20)\d\d)"
YEAR_IN_NAME = re.compile(rf"(?<!\d){YEAR}(?!\d)")
YEAR_IN_TEXT = re.compile(
    r"\b(?:fiscal year(?: ended?| ending)?|fy|year ended|year ending|calendar year|for the year)[: ]*"
    rf"(?:{MONTH} \d{{1,2}}, )?{YEAR}\b",
    re.IGNORECASE,
)
QUARTER = re.compile(
    r"(?<![a-z\d])(?:q([1-4])(?![a-z\d])|(?:20\d\d)q([1-4])|([1-4])(?:st|nd|rd|th) (?:quarter|qtr)"
    r"|(first|second|third|fourth) quarter)",
    re.IGNORECASE,
)
OPENING = 8  # lines at the top of the first page
LAST_TITLE_PAGE = 2  # large type further on is a name under a table or the title of a part
ORDINALS = ("first", "second", "third", "fourth")
SENSELESS_TITLE = re.compile(
    r"^(?:untitled|document\d*|title|slide \d+|(?:table of )?contents|microsoft (?:word|excel|powerpoint) - .*"
    r"|.*\.(?:docx?|xlsx?|pptx?|indd|pdf|qxd|tmp|rtf|png|jpe?g|tiff?|exe)(?: - google (?:sheets|docs))?"
    r"|\w*_\w*(?: - google (?:sheets|docs))?"  # the name of a file
    r"|[a-z]:\\.*|.*[/\\].*|scan.*|img.*|[\W\d]*|powerpoint presentation|adobe photoshop pdf"
    r"|form [\w-]+|united states securities and exchange commission)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Sidecar:
    """What the admin wrote beside a file; `problem` is a sentence where it can't be used."""

    values: Mapping[str, str] = field(default_factory=dict)
    password: str = ""
    problem: str = ""


def sidecar_paths(path: Path) -> tuple[Path, Path]:
    """NAME.pdf.toml and NAME.meta.toml beside NAME.pdf."""
    return path.with_name(f"{path.name}.toml"), path.with_name(f"{path.stem}.meta.toml")


def read_sidecar(path: Path) -> Sidecar:
    for place in sidecar_paths(path):
        try:
            data = tomli.loads(place.read_text(encoding="utf-8"))
        except FileNotFoundError:
            continue
        except (OSError, tomli.TOMLDecodeError, UnicodeDecodeError) as error:
            return Sidecar(problem=f"{place.name} was left out, because it is not valid TOML: {error}.")
        unknown = [name for name in data if name not in (*KEYS, "password")]
        known = f"the known names are {', '.join(KEYS)} and password"
        problem = f"{place.name} holds an unknown {unknown[0]}; {known}." if unknown else ""
        values = {name: str(data[name]) for name in KEYS if name in data}
        return Sidecar(values, str(data.get("password", "")), problem)
    return Sidecar()


def find_metadata(
    name: str, pages: Sequence[Page], opening: Sequence[Line], information: Mapping[str, str], sidecar: Sidecar
) -> dict[str, MetadataValue]:
    """What the sidecar says, else the file name, else the first pages or the PDF's information."""
    stem = name.rsplit(".", 1)[0]
    first = next((page for page in pages if page.text.strip()), None)
    title = find_title(stem, first, opening, information)
    found: dict[str, MetadataValue] = {}
    finders = (from_sidecar(sidecar), from_name(stem), from_opening(title, first), said_of_itself(pages, title.value))
    for key, value in (pair for finder in finders for pair in finder):
        found.setdefault(key, value)
    found.setdefault("title", title)
    organisation = find_organisation(pages, information, title.value)
    if organisation:
        found.setdefault("organisation", organisation)
    label = section_label(pages)
    if label:
        found.setdefault("section", label)
    language = language_of(" ".join(page.text for page in pages[:20]))
    if language:
        found.setdefault("language", MetadataValue(language, "text"))
    return {key: found[key] for key in KEYS if key in found}


def after_rename(metadata: Mapping[str, MetadataValue], name: str) -> dict[str, MetadataValue]:
    """The metadata of a document that has another name now: what its old name said is replaced, the rest stays."""
    stem = name.rsplit(".", 1)[0]
    found = {key: value for key, value in metadata.items() if value.found_in == "sidecar"}
    for key, value in from_name(stem):
        found.setdefault(key, value)
    for key, value in metadata.items():
        if value.found_in != "file name":
            found.setdefault(key, value)
    found.setdefault("title", find_title(stem, None, (), {}))
    return {key: found[key] for key in KEYS if key in found}


Found = Iterator[tuple[str, MetadataValue]]


def from_sidecar(sidecar: Sidecar) -> Found:
    for key, value in sidecar.values.items():
        yield key, MetadataValue(value, "sidecar")


def from_name(stem: str) -> Found:
    spaced = re.sub(r"[_\s]+|(?<=[a-z])(?=[A-Z])|(?<=[a-z]{3})(?=\d)", " ", stem)
    if year := year_of(YEAR_IN_NAME.findall(spaced.replace("-", " "))):
        yield "year", MetadataValue(year, "file name")
    quarter = quarter_in(spaced)
    if quarter:
        yield "quarter", MetadataValue(quarter, "file name")
    kind = kind_of_title(spaced)
    if kind:
        yield "document_type", MetadataValue(kind, "file name")
    revision = re.search(r"(?:\bv|\brev(?:ision)?[. ]?|\bversion )(\d{1,2}(?:\.\d{1,3})*)\b", spaced, re.IGNORECASE)
    if revision:
        yield "revision", MetadataValue(revision.group(1), "file name")


def from_opening(title: MetadataValue, first: Page | None) -> Found:
    """What the title says, and the lines at the top of the first page that say nothing but that."""
    if first is None:
        return
    place = f"page {first.number}"
    lines = [line.strip() for line in f"{first.header}\n{first.text}".split("\n") if line.strip()]
    shown = title.value if is_shown(title, first) else ""
    kind = kind_of_title(shown) or next(filter(None, map(kind_of_line, lines[:OPENING])), "")
    if kind:
        yield "document_type", MetadataValue(kind, place)
    if quarter := quarter_in("\n".join([shown, *lines[:3]])):
        yield "quarter", MetadataValue(quarter, place)
    if year := year_of(YEAR_IN_NAME.findall(shown)):
        yield "year", MetadataValue(year, place)
    short = "\n".join(line for line in lines[:OPENING] if len(line.split()) <= 12)
    if year := year_of(YEAR_IN_TEXT.findall(short)):
        yield "year", MetadataValue(year, place)


def year_of(years: Sequence[str]) -> str:
    """The one year named, or the first of two that follow each other as a fiscal year's do; else ""."""
    found = sorted({int(year) for year in years})
    return str(found[0]) if found and found[-1] - found[0] <= len(found) - 1 <= 1 else ""


def is_shown(title: MetadataValue, page: Page) -> bool:
    """Whether the page bears the title too: those of a PDF's information often stem from another document."""
    words = re.findall(r"\w+", title.value.casefold())
    there = set(re.findall(r"\w+", f"{page.header} {page.text}".casefold()))
    return title.found_in != "file name" and sum(word in there for word in words) >= 0.8 * len(words) > 0


def quarter_in(text: str) -> str:
    found = {f"Q{one or two or three or ORDINALS.index(word.lower()) + 1}" for one, two, three, word in QUARTER.findall(text)}
    return found.pop() if len(found) == 1 else ""


def find_title(stem: str, page: Page | None, opening: Sequence[Line], information: Mapping[str, str]) -> MetadataValue:
    """The PDF's own title where it makes sense, else the largest lines of the first page, else the file name."""
    given = " ".join(information.get("Title", "").split())
    if 4 <= len(given) <= 150 and not SENSELESS_TITLE.match(given) and given != stem:
        return MetadataValue(given, "pdf information")
    if page is not None and page.number <= LAST_TITLE_PAGE:
        largest = largest_lines(opening)
        if largest:
            return MetadataValue(largest, f"page {page.number}")
    return MetadataValue(re.sub(r"[_\s]+", " ", stem).strip(), "file name")


def largest_lines(lines: Sequence[Line]) -> str:
    """The first run of lines in the largest type, if it is larger than the rest and reads like a title."""
    worded = [line for line in lines if sum(c.isalpha() for c in line.text) >= 4 and not line.aside]
    if len(worded) < 3:
        return ""
    largest = max(line.size for line in worded)
    usual = sorted(line.size for line in worded)[len(worded) // 2]
    if largest < 1.25 * usual:
        return ""
    first = next(position for position, line in enumerate(worded) if line.size >= 0.97 * largest)
    title = []
    for line in worded[first : first + 4]:
        if line.size < 0.97 * largest:
            break
        title.append(line.text)
    text = " ".join(title)
    return text if 4 <= len(text) <= 150 and not SENSELESS_TITLE.match(text) and not is_organisation(text) else ""


def section_label(pages: Sequence[Page]) -> MetadataValue | None:
    """What a short financial document is about, where one topic clearly leads; a whole annual report has no single one."""
    if not 1 <= len(pages) <= 40:
        return None
    text = " ".join(page.text for page in pages).lower()
    counts = Counter({label: sum(text.count(word) for word in words) for label, words in SECTIONS.items()})
    (label, most), (_, second) = counts.most_common(2)
    return MetadataValue(label, "text") if most >= 5 and most >= 2 * second else None
