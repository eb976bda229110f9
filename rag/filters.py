"""A question and what is known of the indexed documents in; the documents it restricts itself to, and the words left, out."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from rag.domain import FileRecord, Filters
from rag.followup import content_words

FIELDS = ("organisation", "year", "quarter", "document_type")
LEGAL_FORM = re.compile(
    r",?\s+(?:inc|incorporated|corp|corporation|co|company|ltd|limited|llc|llp|plc|gmbh|ag|s\.?a|s\.?p\.?a|b\.?v|pty|pvt|"
    r"private|holdings?|group)\.?$",
    re.IGNORECASE,
)
MENTIONS_AT_HOME = 0.9
ORDINALS = {"first": "1", "1st": "1", "second": "2", "2nd": "2", "third": "3", "3rd": "3", "fourth": "4", "4th": "4"}
YEAR = re.compile(
    r"\b(?:FY|fiscal year|financial year)?[\s'’-]*((?:19|20)\d\d)(?!\d|,\d)(?:\s*[-–/]\s*(?:20)?\d\d\b)?", re.IGNORECASE
)
SHORT_FISCAL_YEAR = re.compile(r"\bFY[\s'’-]*(\d\d)\b(?!\d)", re.IGNORECASE)
QUARTER = re.compile(
    r"\b(?:Q\s?([1-4])|([1-4])Q|quarter\s+([1-4])|(first|second|third|fourth|1st|2nd|3rd|4th)\s+quarter)(?=\b|FY|\d{4}|[-/])",
    re.IGNORECASE,
)
WORDS = re.compile(r"[^\W\d_]{3,}")
# "LRWA-GDL-030", "ITB-2025-06": what stands inside is part of the code. "FY-2025" and "Q1/2025" are no codes.
CODE = re.compile(
    r"(?<![\w/-])(?!(?:FY|CY|Q[1-4]|[1-4]Q)[-/\d])[A-Z][A-Z\d]*(?:[-/][A-Z\d]+)*[-/]\d[\w/.-]*(?<!\.)"
    r"|(?<![\w/-])\d+[-/][A-Z][\w/-]*\d"
)
# Between a quarter and its year: "Q1 of FY2025", "FY2025, Q1".
JOIN = re.compile(r"[\s,/()-]*(?:of|in|for|the)?[\s,/()-]*", re.IGNORECASE)
# What only leads to a name, or from one to the next, and says nothing once the names are gone: "in Q1 and Q2".
LEADS_TO = re.compile(
    r"(?:\b(?:in|of|for|during|from|by|at|on|since|within|through|throughout|the|between|and|or|to|versus|vs\.?)\s+)+$",
    re.IGNORECASE,
)
BETWEEN = re.compile(rf"{JOIN.pattern}|[\s,]*\b(?:and|or|to|versus|vs\.?|with|than)\b[\s,]*(?:in|of|for)?\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mention:
    """A value that a question names, and where."""

    value: str
    start: int
    end: int


@dataclass(frozen=True)
class KnownValues:
    """What the documents of one index are about: only these values can be inferred."""

    files: tuple[FileRecord, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)  # casefolded alias to the organisation it can only mean
    # The share of a text's mentions that lie in the given files (places in `files`); 1 where that can't be known.
    share_of_mentions: Callable[[str, Collection[int]], float] = lambda text, places: 1.0

    @cached_property
    def alias_pattern(self) -> re.Pattern[str]:
        """Any alias, the longest first; one pattern, because a store may know thousands."""
        names = "|".join(re.escape(alias) for alias in sorted(self.aliases, key=len, reverse=True))
        return re.compile(rf"(?<![\w/-])({names or '(?!)'})(?:['’]s)?(?!\w|[-/](?-i:[A-Z\d]))", re.IGNORECASE)

    @cached_property
    def title_words(self) -> dict[str, set[str]]:
        return {file.sha256: set(WORDS.findall(file.title.casefold())) for file in self.files}

    def having(self, name: str, value: str) -> list[FileRecord]:
        return [file for file in self.files if same_value(name, value_of(file, name), value)]


def known_values(
    files: Sequence[FileRecord], share_of_mentions: Callable[[str, Collection[int]], float] = lambda text, places: 1.0
) -> KnownValues:
    """Organisations get aliases (without the legal form; initials); one that fits two organisations is no alias."""
    meant_by: dict[str, set[str]] = {}
    for name in {value for file in files if (value := value_of(file, "organisation"))}:
        for alias in aliases_of(name):
            meant_by.setdefault(alias.casefold(), set()).add(name)
    unambiguous = {alias: next(iter(names)) for alias, names in meant_by.items() if len(names) == 1}
    return KnownValues(tuple(files), unambiguous, share_of_mentions)


def aliases_of(organisation: str) -> set[str]:
    short = LEGAL_FORM.sub("", organisation).strip()
    initials = "".join(word[0] for word in re.findall(r"\w+", short) if word[0].isupper())
    return {organisation, short, *([initials] if len(initials) >= 3 else [])}


def value_of(file: FileRecord, name: str) -> str:
    found = file.metadata.get(name)
    return found.value if found else ""


def same_value(name: str, stored: str, asked: str) -> bool:
    """Years are the same by any year they name ("FY2024-25" is 2024), quarters by their digit, the rest but for case."""
    if not stored:
        return False
    if name == "year":
        return bool(set(years_in(stored)) & set(years_in(asked)))
    if name == "quarter":
        return re.findall(r"[1-4]", stored)[:1] == re.findall(r"[1-4]", asked)[:1] != []
    return " ".join(stored.split()).casefold() == " ".join(asked.split()).casefold()


def years_in(text: str) -> list[str]:
    return [match[1] for match in YEAR.finditer(text)] + [f"20{match[1]}" for match in SHORT_FISCAL_YEAR.finditer(text)]


def matching(filters: Filters, files: Sequence[FileRecord]) -> np.ndarray:
    """For each file, whether every restriction holds for it; the values of one restriction are alternatives."""
    return np.array([holds(filters, file) for file in files], bool)


def holds(filters: Filters, file: FileRecord) -> bool:
    if filters.file and not set(filters.file) & set(file.paths):
        return False
    return all(
        not (asked := getattr(filters, name)) or any(same_value(name, value_of(file, name), value) for value in asked)
        for name in FIELDS
    )


def infer(question: str, known: KnownValues) -> tuple[Filters, str]:
    """The restrictions that a question names beyond doubt, and the question without the words that only do that.

    A wrong restriction hides the answer, so a value counts only where documents have it, and
    - a quarter together with its year ("Q1 FY2025"), or alone where only one year has that quarter;
    - a year beside the type or title words of documents that all have a year ("the 2023 policy");
    - an organisation by a name that only it can bear and that hardly another's document mentions (a benefits booklet of
      Northwind for the employees of Contoso answers questions about Contoso).
    """
    plain = without_codes(question)
    organisations = [mention for mention in organisation_mentions(plain, known) if is_at_home(mention.value, known)]
    quarters = quarter_mentions(plain, known)
    years = year_mentions(plain, known)
    paired = [year for year in years if any(beside(plain, year, quarter) for quarter in quarters)]
    kept_quarters = [quarter for quarter in quarters if quarter_is_certain(quarter, paired, known)]
    kept_years = years if kept_quarters and paired else [year for year in years if names_a_document(plain, year, known)]
    types = type_mentions(plain, [*kept_years, *kept_quarters], known)
    filters = Filters(
        organisation=values(organisations),
        year=values(kept_years),
        quarter=values(kept_quarters),
        document_type=values(types),
    )
    if not filters or not matching(filters, known.files).any():
        return Filters(), question
    return filters, without(question, [*organisations, *kept_quarters, *kept_years])


def without_codes(question: str) -> str:
    """The question with each code blotted out, and every other character in its place."""
    return CODE.sub(lambda match: "\0" * len(match.group()), question)


def values(mentions: Iterable[Mention]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(mention.value for mention in mentions))


def organisation_mentions(question: str, known: KnownValues) -> list[Mention]:
    return [
        Mention(known.aliases[match[1].casefold()], match.start(), match.end())
        for match in known.alias_pattern.finditer(question)
        if any(map(str.isupper, match.group()))
    ]


def is_at_home(organisation: str, known: KnownValues) -> bool:
    """Whether nearly all that is said of an organisation is said in its own documents."""
    own = [place for place, file in enumerate(known.files) if value_of(file, "organisation") == organisation]
    return known.share_of_mentions(LEGAL_FORM.sub("", organisation), own) >= MENTIONS_AT_HOME


def quarter_mentions(question: str, known: KnownValues) -> list[Mention]:
    found = []
    for match in QUARTER.finditer(question):
        named = next(group for group in match.groups() if group)
        value = f"Q{ORDINALS.get(named.casefold(), named)}"
        if known.having("quarter", value):
            found.append(Mention(value, match.start(), match.end()))
    return found


def year_mentions(question: str, known: KnownValues) -> list[Mention]:
    matches = [(match[1], match) for match in YEAR.finditer(question)]
    matches += [(f"20{match[1]}", match) for match in SHORT_FISCAL_YEAR.finditer(question)]
    found = []
    for year, match in matches:
        lead = len(match.group()) - len(match.group().lstrip(" '’-"))
        if known.having("year", year):
            found.append(Mention(year, match.start() + lead, match.end()))
    return sorted(found, key=lambda mention: mention.start)


def beside(question: str, one: Mention, other: Mention) -> bool:
    first, second = sorted((one, other), key=lambda mention: mention.start)
    return first.end >= second.start or JOIN.fullmatch(question[first.end : second.start]) is not None


def quarter_is_certain(quarter: Mention, years: Sequence[Mention], known: KnownValues) -> bool:
    having = known.having("quarter", quarter.value)
    if years:
        return any(same_value("year", value_of(file, "year"), year.value) for file in having for year in years)
    return len({value_of(file, "year") for file in having}) == 1


def names_a_document(question: str, year: Mention, known: KnownValues) -> bool:
    """Whether a year stands right beside the type or title words of documents, one of which is of that year."""
    before = [word.casefold() for word in content_words(question[: year.start])[-4:]]
    after = [word.casefold() for word in content_words(question[year.end :])[:4]]
    if JOIN.fullmatch(question[year.end :].partition(after[0])[0] if after else "x") is None:
        after = []
    family = [file for file in known.files if is_named(file, " ".join(before), known) or is_named(file, " ".join(after), known)]
    all_dated = all(value_of(file, "year") for file in family)
    return all_dated and any(same_value("year", value_of(file, "year"), year.value) for file in family)


def is_named(file: FileRecord, words: str, known: KnownValues) -> bool:
    """Whether words name a document: by its type, or by two or more words of its title."""
    kind = value_of(file, "document_type").casefold()
    shared = known.title_words[file.sha256] & set(WORDS.findall(words))
    return bool(kind and re.search(rf"\b{re.escape(kind)}s?\b", words)) or len(shared) >= 2


def type_mentions(question: str, beside_these: Sequence[Mention], known: KnownValues) -> list[Mention]:
    """Document types that stand right after or before a kept year or quarter: "Q1 FY2025 spend report"."""
    found: list[Mention] = []
    if not beside_these:
        return found
    for kind in {value for file in known.files if (value := value_of(file, "document_type"))}:
        for match in re.finditer(rf"\b{re.escape(kind)}s?\b", question, re.IGNORECASE):
            mention = Mention(kind, match.start(), match.end())
            if any(beside(question, mention, other) for other in beside_these):
                found.append(mention)
    return found


def without(question: str, mentions: Sequence[Mention]) -> str:
    """The question without those words and what only leads to them, or unchanged where nothing to search for is left."""
    parts, at = [], 0
    for start, end in stretches(question, mentions):
        before = question[at:start]
        if not names_more(question[end:]):
            before = LEADS_TO.sub("", before)
        parts.append(before)
        at = end
    left = re.sub(r"\s+([?.,;:!])", r"\1", re.sub(r"\s{2,}", " ", "".join((*parts, question[at:])))).strip(" ,;:")
    return left if content_words(left) else question


def stretches(question: str, mentions: Sequence[Mention]) -> list[tuple[int, int]]:
    """Where the mentions stand, as one where nothing but a joint lies between them: "Q1 of FY2025", "Q1 and Q2"."""
    found: list[tuple[int, int]] = []
    for mention in sorted(mentions, key=lambda mention: mention.start):
        if found and (mention.start < found[-1][1] or BETWEEN.fullmatch(question[found[-1][1] : mention.start])):
            found[-1] = (found[-1][0], max(found[-1][1], mention.end))
        else:
            found.append((mention.start, mention.end))
    return found


def names_more(rest: str) -> bool:
    """Whether what follows a name goes on naming, so that what leads to it still leads to something: "the 2023 policy"."""
    word = re.match(r"\s+([^\W\d_][\w-]*)", rest)
    return bool(word and content_words(word[1]))


def describe(filters: Filters) -> str:
    """ "year 2023 or 2024, quarter Q1": for sentences that users read."""
    return ", ".join(f"{name.replace('_', ' ')} {' or '.join(found)}" for name, found in filters.as_dict().items())


def nothing_matches(filters: Filters, files: Sequence[FileRecord]) -> str:
    """Says which restriction no document meets, and what there is instead."""
    if filters.file and not any(set(filters.file) & set(file.paths) for file in files):
        return f"No indexed document is called {' or '.join(filters.file)}. Remove that filter or give a path as listed."
    for name in FIELDS:
        asked: tuple[str, ...] = getattr(filters, name)
        there = sorted({value for file in files if (value := value_of(file, name))})
        if asked and not any(same_value(name, value, wanted) for value in there for wanted in asked):
            wanted = f"{name.replace('_', ' ')} {' or '.join(asked)}"
            choice = f" There is: {', '.join(there[:12])}." if there else ""
            return f"No indexed document has {wanted}.{choice} Remove that filter or choose another value."
    return f"No indexed document has all of: {describe(filters)}. Remove one of these filters."


def only_metadata_words(question: str, filters: Filters, known: KnownValues) -> bool:
    """Whether a question names documents and asks nothing about them: "Contoso 2023"."""
    plain = without_codes(question)
    mentions = [*organisation_mentions(plain, known), *quarter_mentions(plain, known), *year_mentions(plain, known)]
    if not filters or not mentions:
        return False
    parts, at = [], 0
    for mention in sorted(mentions, key=lambda mention: mention.start):
        parts.append(question[at : mention.start])
        at = max(at, mention.end)
    rest = " ".join((*parts, question[at:]))
    kinds = {value_of(file, "document_type").casefold() for file in known.files}
    return not [word for word in content_words(rest) if word.casefold() not in kinds]
