"""A document's file name, pages and PDF information in; its metadata out, each value with the place where it was found."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import tomli

from ingestion.layout import Line
from rag.domain import MetadataValue, Page

KEYS = (
    "title", "document_type", "organisation", "year", "quarter", "effective_date", "revision", "supersedes", "language",
    "section",
)  # fmt: skip

# Wrong metadata hides documents from filters, so a pattern stands here only where it is hardly ever wrong.

DOCUMENT_TYPES = (  # the first match wins: the special before the general
    ("10-K", r"\b10-?k\b|\bannual report (?:pursuant to|on form 10-k)"),
    ("10-Q", r"\b10-?q\b|\bquarterly report pursuant to"),
    ("8-K", r"\b8-?k\b|\bcurrent report pursuant to"),
    ("annual procurement plan", r"annual procurement plan|supplemental procurement plan|\bapp[\s_-]+(?:fy|20\d\d)"),
    ("procurement monitoring report", r"procurement monitoring report"),
    ("request for quotation", r"requests? for quotations?|\brfq\b"),
    ("request for proposal", r"requests? for proposals?|\brfp\b"),
    ("request for information", r"requests? for information|\brfi\b"),
    ("request for task execution plan", r"\brtep\b"),
    ("invitation to bid", r"invitations? to (?:bid|tender)|\bitb\b"),
    ("bid bulletin", r"bid bulletin"),
    ("performance work statement", r"performance work statement|\bpws\b"),
    ("statement of work", r"statement of work"),
    ("terms of reference", r"terms of reference"),
    ("purchase request", r"purchase requests?\b"),
    ("purchase order", r"purchase orders?\b"),
    ("invoice", r"\binvoice\b"),
    ("modification log", r"\bmod(?:ification)?s? log\b"),
    ("contract", r"\b(?:master )?contract\b|\bagreement\b"),
    ("policy", r"\bpolicy\b"),
    ("annual report", r"annual (?:\w+ )?report"),
    ("handbook", r"\bhandbook\b"),
    ("playbook", r"\bplaybook\b"),
    ("guideline", r"\bguidelines?\b"),
    ("guide", r"\bguide\b"),
    ("memorandum", r"\bmemo(?:randum)?\b"),
    ("frequently asked questions", r"frequently asked questions|\bfaqs?\b"),
    ("budget", r"\bbudget\b"),
    ("form", r"\b(?:enrollment|application|request) form\b"),
)
SECTIONS = {  # of financial documents: a section label needs several of its words
    "underwriting": ("underwriting", "gross written premium", "combined ratio", "loss ratio", "reinsurance"),
    "investment": ("investment portfolio", "fixed income", "asset allocation", "investment return", "fair value"),
    "capital": ("solvency", "own funds", "capital requirement", "tier 1", "capital adequacy"),
    "risk": ("risk appetite", "risk management", "risk profile", "stress test"),
    "balance sheet": ("balance sheet", "total assets", "total liabilities", "shareholders’ equity"),
    "income": ("income statement", "net income", "net sales", "operating income", "earnings per share"),
}
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
)  # fmt: skip
MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
DATE = rf"(?:\d{{4}}-\d\d-\d\d|\d{{1,2}}(?:st|nd|rd|th)?\.? {MONTH},? \d{{4}}|{MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}})"
THIS = r"\bthis (?:policy|procedure|guideline|manual|handbook|document|circular|regulation|agreement|contract)\b"
EFFECTIVE = re.compile(
    rf"(?:\beffective date(?: is| of)?[: ]+|^effective(?: as of| from| on)?[: ]+"
    rf"|{THIS}[^.\n]{{0,40}}\beffective (?:as of |from |on )?)({DATE})",
    re.IGNORECASE | re.MULTILINE,
)
REVISION = re.compile(
    r"\b(?:revision|version|rev\.?|ver\.)(?: no\.?| number)?[: ]\s*v?(\d{1,2}(?:\.\d{1,3}){0,2}|[A-Z])\b(?!\s*of)",
    re.IGNORECASE,
)
SUPERSEDES = re.compile(r"\b(?:supersedes|replaces|cancels)(?: and replaces)?:? ((?:[^.;\n]|\.(?=\S)){4,150})", re.IGNORECASE)
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
ORDINALS = ("first", "second", "third", "fourth")
REGISTRANT = re.compile(r"(.{3,80}?)\s*\n+\s*\(\s*exact name of (?:the )?registrant", re.IGNORECASE)
FILING_NAME = re.compile(r"^([A-Za-z0-9&-]+?)[_ ](?:19|20)\d\d(?:Q[1-4])?[_ ](?:10-?[KQ]|8-?K|annual|quarterly)", re.IGNORECASE)
ORGANISATION = re.compile(
    r"^(?:(?:the )?[A-Z][\w.&'’-]*(?: (?:of|and|for|the|de|&|[A-Z][\w.&'’-]*)){0,7} )?"
    r"(?:Department|Ministry|University|Agency|Administration|Authority|Bureau|Commission|Corporation|Company|Inc\.?|LLC|Ltd\.?|"
    r"Limited|GmbH|AG|[Pp]lc)(?: (?:of|and|for|the|[A-Z][\w.&'’-]*)){0,7}$",
)
SENSELESS_TITLE = re.compile(
    r"^(?:untitled|document\d*|title|slide \d+|(?:table of )?contents|microsoft (?:word|excel|powerpoint) - .*"
    r"|.*\.(?:docx?|xlsx?|pptx?|indd|pdf|qxd|tmp|rtf|png|jpe?g|tiff?|exe)(?: - google (?:sheets|docs))?"
    r"|[a-z]:\\.*|.*[/\\].*|scan.*|img.*|[\W\d]*|powerpoint presentation|adobe photoshop pdf"
    r"|form [\w-]+|united states securities and exchange commission)$",
    re.IGNORECASE,
)
FUNCTION_WORDS = {
    "english": {"the", "and", "of", "to", "in", "for", "is", "that", "with", "shall"},
    "german": {"der", "die", "und", "das", "den", "von", "zu", "mit", "ist", "nicht"},
    "french": {"le", "les", "des", "et", "la", "une", "dans", "est", "pour", "du"},
    "spanish": {"el", "los", "las", "y", "del", "que", "una", "por", "para", "con"},
    "italian": {"il", "gli", "che", "della", "di", "una", "per", "sono", "con", "non"},
    "portuguese": {"o", "os", "das", "dos", "uma", "não", "para", "com", "que", "em"},
    "dutch": {"het", "een", "van", "de", "dat", "voor", "niet", "zijn", "met", "wordt"},
    "tagalog": {"ang", "ng", "mga", "sa", "na", "ay", "para", "kung", "hindi", "ito"},
}
SCRIPTS = (
    ("HIRAGANA", "japanese"), ("KATAKANA", "japanese"), ("HANGUL", "korean"), ("CJK", "chinese"), ("ARABIC", "arabic"),
    ("HEBREW", "hebrew"), ("CYRILLIC", "russian"), ("GREEK", "greek"), ("DEVANAGARI", "hindi"), ("THAI", "thai"),
)  # fmt: skip


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
    found: dict[str, MetadataValue] = {}
    finders = (from_sidecar(sidecar), from_name(stem), from_first_page(first), from_first_pages(pages[:5]))
    for key, value in (pair for finder in finders for pair in finder):
        found.setdefault(key, value)
    found.setdefault("title", find_title(stem, first, opening, information))
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
    spaced = re.sub(r"[_\s]+|(?<=[a-z])(?=[A-Z])", " ", stem)
    years = set(YEAR_IN_NAME.findall(spaced.replace("-", " ")))
    if len(years) == 1:
        yield "year", MetadataValue(years.pop(), "file name")
    quarter = quarter_in(spaced)
    if quarter:
        yield "quarter", MetadataValue(quarter, "file name")
    kind = document_type_in(spaced)
    if kind:
        yield "document_type", MetadataValue(kind, "file name")
    revision = re.search(r"(?:\bv|\brev(?:ision)?[. ]?|\bversion )(\d{1,2}(?:\.\d{1,3})*)\b", spaced, re.IGNORECASE)
    if revision:
        yield "revision", MetadataValue(revision.group(1), "file name")


def from_first_page(page: Page | None) -> Found:
    if page is None:
        return
    place = f"page {page.number}"
    registrant = REGISTRANT.search(page.text)
    lines = [line.strip() for line in f"{page.header}\n{page.text}".split("\n") if line.strip()][:10]
    if registrant:
        yield "organisation", MetadataValue(registrant.group(1).strip(), place)
    else:
        for line in lines[:6]:
            if len(line) < 70 and ORGANISATION.match(line):
                yield "organisation", MetadataValue(line, place)
                break
    opening = "\n".join(lines)[:800]
    kind = document_type_in("\n".join(line for line in lines[:8] if len(line.split()) <= 8))
    if kind:
        yield "document_type", MetadataValue(kind, place)
    for text in (opening, page.text):
        years = YEAR_IN_TEXT.findall(text)
        if years:
            yield "year", MetadataValue(Counter(years).most_common(1)[0][0], place)
            break
    quarter = quarter_in(opening)
    if quarter:
        yield "quarter", MetadataValue(quarter, place)


def from_first_pages(pages: Sequence[Page]) -> Found:
    for page in pages:
        text, place = f"{page.header}\n{page.text}\n{page.footer}", f"page {page.number}"
        effective = EFFECTIVE.search(text)
        if effective and (day := iso_date(effective.group(1))):
            yield "effective_date", MetadataValue(day, place)
        supersedes = SUPERSEDES.search(text)
        if supersedes and re.search(r"[A-Z\d]", supersedes.group(1)):  # "supersedes it in its entirety" names nothing
            yield "supersedes", MetadataValue(supersedes.group(1).strip(), place)
        revision = REVISION.search(text) if page.number == 1 else None
        if revision:
            yield "revision", MetadataValue(revision.group(1), place)


def document_type_in(text: str) -> str:
    found = ((match.start(), kind) for kind, pattern in DOCUMENT_TYPES if (match := re.search(pattern, text, re.IGNORECASE)))
    return next((kind for _, kind in found), "")


def quarter_in(text: str) -> str:
    found = {f"Q{one or two or three or ORDINALS.index(word.lower()) + 1}" for one, two, three, word in QUARTER.findall(text)}
    return found.pop() if len(found) == 1 else ""


def iso_date(text: str) -> str:
    """2024-07-01 for "July 1, 2024" or "1 July 2024"; "" for a day that does not exist."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return text
    month = next(number for number, name in enumerate(MONTHS, 1) if name[:3] in text.lower())
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    try:
        return date(max(numbers), month, min(numbers)).isoformat()
    except ValueError:
        return ""


def find_title(stem: str, page: Page | None, opening: Sequence[Line], information: Mapping[str, str]) -> MetadataValue:
    """The PDF's own title where it makes sense, else the largest lines of the first page, else the file name."""
    given = " ".join(information.get("Title", "").split())
    if 4 <= len(given) <= 150 and not SENSELESS_TITLE.match(given) and given != stem:
        return MetadataValue(given, "pdf information")
    if page is not None:
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
    names_only_the_author = ORGANISATION.match(text.title() if text.isupper() else text)
    return text if 4 <= len(text) <= 150 and not SENSELESS_TITLE.match(text) and not names_only_the_author else ""


def section_label(pages: Sequence[Page]) -> MetadataValue | None:
    """What a short financial document is about, where one topic clearly leads; a whole annual report has no single one."""
    if not 1 <= len(pages) <= 40:
        return None
    text = " ".join(page.text for page in pages).lower()
    counts = Counter({label: sum(text.count(word) for word in words) for label, words in SECTIONS.items()})
    (label, most), (_, second) = counts.most_common(2)
    return MetadataValue(label, "text") if most >= 5 and most >= 2 * second else None


def language_of(text: str) -> str:
    """By script, then by function words; "" where it is not clear."""
    letters = [c for c in text[:20000] if c.isalpha()]
    if len(letters) < 100:
        return ""
    scripts = Counter(unicodedata.name(c, " ").split()[0] for c in letters[::10])
    for script, language in SCRIPTS:
        if scripts[script] > 0.3 * scripts.total() or (script in ("HIRAGANA", "KATAKANA") and scripts[script] > 3):
            return language
    words = Counter(re.findall(r"[^\W\d_]+", text[:20000].lower()))
    scores = Counter({language: sum(words[word] for word in marks) for language, marks in FUNCTION_WORDS.items()})
    (language, most), (_, second) = scores.most_common(2)
    return language if most >= 5 and most > 1.3 * second else ""
