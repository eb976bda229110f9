"""The pages of a document in, its approval rules out: who approves, which method applies, what is required in an amount band.

Three kinds of table are understood: rows that pair a band with an approver, method or requirement; matrices whose
columns are roles and whose cells say A (approves); matrices whose cells are each role's limit. Sentences are
understood where a role, a verb of approving and a band stand together.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rag.bands import Band, beside_band, cell_band, find_bands, is_money, value_of
from rag.domain import ApprovalRule, Page, Table
from rag.figures import figures
from rag.sentences import sentences

Relation = Literal["approves", "method", "requires"]
RELATIONS: tuple[tuple[Relation, re.Pattern[str]], ...] = (
    (
        "approves",
        re.compile(r"\b(?:approv\w*|authori[sz]\w*|authority|signator\w*|signed by|sign-off|delegate\w*)\b", re.IGNORECASE),
    ),
    ("method", re.compile(r"\b(?:methods?|procedures?|process|mode|route|modality|modalities)\b", re.IGNORECASE)),
    (
        "requires",
        re.compile(r"\b(?:documents?|documentation|requirements?|required|minimum|quotations?|bids|forms?)\b", re.IGNORECASE),
    ),
)
BAND_HEADER = re.compile(
    r"\b(?:amounts?|values?|thresholds?|bands?|limits?|commitments?|ranges?|ceilings?)\b|\$|€|£", re.IGNORECASE
)
LETTERS = re.compile(r"([A-Z])(?:\s*(?:to|–|-)\s*([A-Z])|\s*(?:and|,|&)\s*([A-Z]))?")
MATRIX_MARK = re.compile(r"^(?:[ARCIX✓✔•]|[ARCI](?:\s?/\s?[ARCI])*|yes|no|n/?a|-|–|—|)$", re.IGNORECASE)
APPROVES_MARK = re.compile(r"^(?:A(?:\s?/\s?[RCI])*|[X✓✔•]|yes)$", re.IGNORECASE)
ABOUT_AUTHORITY = re.compile(r"approv|authori|delegat|signator|limit", re.IGNORECASE)
NO_SUBJECT = re.compile(r"(?:n\.?/?a\.?|none|nil|not applicable|tbd|tba|yes|no|[\W\d_]*)\.?", re.IGNORECASE)
LONGEST_SUBJECT = 120  # characters
SMALLEST = 100  # a smaller band without a currency counts members or days, not money

ROLE_PIECE = r"[A-Z][\w&/’'-]*|of|the|for|and"
OFFICE = (
    r"(?:[a-z][\w-]*\s){0,3}(?:officer|official|manager|director|head|board|committee|council|authority|executive|supervisor)"
    r"(?:\sof\s(?:the\s)?[a-z]+(?:\s(?:activity|agency|department|office|unit))?)?"
)
ROLE = (
    rf"(?:the |a |an |their |its )?(?P<role>(?:{ROLE_PIECE})(?:\s(?:{ROLE_PIECE}|\([A-Z/&]{{2,8}}\)))*"
    rf"(?<! for)(?<! of)(?<! the)|{OFFICE})"
)
APPROVING = r"approve|authori[sz]e|sign|award|commit|ratify"
ACTING = (
    r"waive|write off|release|settle|dispose of|transfer|spend|incur|buy|purchase|procure|issue|grant|accept|enter into|pay|"
    r"reimburse|raise|increase|extend|terminate|cancel|order|execute|delegate|adjust|forgive|lend|lease"
)
MAY_ACT = re.compile(
    ROLE
    + r",? (?:may|can|shall|must|will|is (?:authori[sz]ed|empowered|delegated|entitled|permitted|allowed) to"
    + r"|has (?:the )?(?:authority|power) to)"
    + rf"(?: also| only)? (?P<verb>{APPROVING}|{ACTING})\b(?P<object>[^.;,]*)"
)
APPROVES = re.compile(ROLE + r" (?:approves|authori[sz]es|signs|awards|ratifies)\b(?P<object>[^.;,]*)")
APPROVED_BY = re.compile(
    r"(?:approv(?:ed|al)|sign(?:ed|ature)|authori[sz](?:ed|ation)|award(?:ed)?|ratified)(?: in writing)?(?: by| of| from) "
    + ROLE
)
# "approved by the CPO up to 75,000, by the GM up to 250,000, and by the Board above": a ladder of roles.
STEP = re.compile(
    r"\b(?:by|of|from) "
    + ROLE
    + r",?\s+(?:for (?:amounts|values|purchases|contracts)\s+)?"
    + r"(?P<bound>up to|not exceeding|below|under|above|over|beyond|exceeding)\b"
)
ABOVE = re.compile(r"above|over|beyond|exceeding", re.IGNORECASE)
RUN_IN = re.compile(r"\s*\d+(?:\.\d+)+\.?\s+(?P<topic>(?:\S+\s){0,5}\S+?)\.\s")  # "8.1 Sole source. A purchase …"
CLAUSE_NUMBER = re.compile(r"\s*\d+(?:\.\d+)+\.?\s")
# What any purchase is called: a rule about these holds for anything.
GENERAL = re.compile(
    r"\b(?:purchas\w+|proposed|contracts?|commitments?|expenditures?|expenses?|procurements?|awards?|orders?|transactions?|acquisitions?|"
    r"amounts?|values?|requisitions?|spending|costs?|tenders?|bids?|an?|the|all|any|every|each|of|in|with|for|to|and|or|on|its|"
    r"their|single|individual|up|not|more|than|less|exceeding|below|under|above|over|between|from|worth|total|valued?|at|is|are|"
    r"must|shall|may|be|which|that|new|requires?)\b|\W+",
    re.IGNORECASE,
)
METHOD_NAMES = (
    r"request for quotations?(?: \(RFQ\))?", "RFQ", r"request for proposals?(?: \(RFP\))?", "RFP",
    r"invitation to bid(?: \(ITB\))?", "ITB", r"invitation to tender(?: \(ITT\))?", "ITT",
    r"open (?:competitive )?(?:tender(?:ing)?|bidding|procedure)", r"restricted (?:tender|procedure)",
    r"competitive (?:sealed )?bidding", r"limited (?:tender|bidding)", r"s(?:ingle|ole)[- ]source",
    r"direct (?:purchase|award|contracting)", "shopping", "small value procurement", r"micro-?purchases?", "petty cash",
    r"purchas(?:e|ing) cards?", r"(?:one|two|three|four|five) (?:written |competitive )?(?:quotations?|quotes|bids)",
)  # fmt: skip
METHODS = re.compile(
    r"\b(?:by(?: means of)?|through|using|via|requires?|required|uses?|follows?|needs?)(?: the| an?| at least| a minimum of)? "
    rf"(?P<method>{'|'.join(METHOD_NAMES)})\b(?!\s+(?:justification|form|waiver|report|request))",
    re.IGNORECASE,
)
ROLE_WORDS = re.compile(
    r"\b(?:officers?|managers?|directors?|director-general|heads?|boards?|committees?|councils?|secretar\w+|president\w*|vice-\w+|"
    r"chair\w*|chief|treasurer|comptroller|controller|administrators?|ministers?|authority|\w*holders?|executives?|"
    r"commissioners?|partners?|supervisors?|buyers?|mayor|dean|rector|principals?|leads?|general counsel|requesters?|owners?|"
    r"dirett\w+|directeur|gerente|leiter\w*|vorstand|consiglio|presidente|diretor\w*|responsab\w+)\b",
    re.IGNORECASE,
)
ABBREVIATION = re.compile(r"\b(?:[A-Z]{2,6}|[A-Z][a-z]{1,2}[A-Z]{1,2})\b")  # CFO, HoD
POINTS_ELSEWHERE = re.compile(
    r"\bbands?\b|\bsee\b|\bas per\b|\baccording to\b|\bmatrix\b|\bby value\b", re.IGNORECASE
)  # "DoA, bands D to F"
LONGEST_SENTENCE = 600  # characters
BOUND_AT_END = re.compile(
    r"(?:\s+(?:of|for|in|with|at|up|to|not|exceeding|a|an|the|value|amount|total|more|less|than|above|over|below|under|between|"
    r"is|are|must|shall|valued|worth))*\s*$",
    re.IGNORECASE,
)
VERB = re.compile(
    r"\s+(?:(?P<passive>(?:must|shall|should|may|will|can)(?: only)? (?:be|require)|is|are|needs?|requires?)"
    r"|must|shall|should|may|will|can|obtains?|seeks?)\b"
)
ARTICLE = re.compile(r"^(?:for )?(?:the|an?|any|all|each|every)\s+", re.IGNORECASE)
SUBJECT = re.compile(r"(?P<subject>\w.{2,60}?)\s+(?:requires?|needs?|must|shall|is|are|may|will)\b", re.DOTALL)
MOST = 0.7  # of a column's filled cells


@dataclass(frozen=True, slots=True)
class Columns:
    """What each column of a table is for, by index."""

    bands: int
    relations: dict[int, Relation]
    marks: tuple[int, ...]
    category: int | None


def approval_rules(pages: Sequence[Page]) -> tuple[ApprovalRule, ...]:
    """Every rule once, in the order of the pages."""
    letters = band_letters(table for page in pages for table in page.tables)
    found: list[ApprovalRule] = []
    for page in pages:
        for table in page.tables:
            found += rules_of_table(table, page.number, letters)
        found += rules_of_text(page.text, page.number)
    return tuple(dict.fromkeys(found))


def band_letters(tables: Iterable[Table]) -> dict[str, Band]:
    """Bands that a table names by one letter ("B | 5,000.01 to 25,000"), for the tables that use the letter."""
    letters: dict[str, Band] = {}
    for table in tables:
        if len(table.header) < 2 or "band" not in table.header[0].lower():
            continue
        currency = currency_of(table)
        for row in table.rows:
            band = next((band for cell in row[1:] if (band := cell_band(cell))), None)
            if re.fullmatch("[A-Z]", row[0].strip()) and band:
                letters.setdefault(row[0].strip(), replace(band, currency=band.currency or currency))
    return letters


def rules_of_table(table: Table, page: int, letters: dict[str, Band]) -> Iterator[ApprovalRule]:
    columns = read_columns(table, letters)
    if columns is None:
        yield from rules_of_limits(table, page)
        return
    currency = currency_of(table)
    for row in table.rows:
        cell = row[columns.bands]
        band = lettered_band(cell, letters)
        condition = "" if LETTERS.fullmatch(cell.strip()) else beside_band(cell)
        if band is None:
            if not columns.marks:
                continue
            band, condition = Band(None, None), cell.strip(" -–—")  # "up to 6 months": what holds there is no amount
        category = row[columns.category] if columns.category is not None else ""

        for index, relation in columns.relations.items():
            if is_subject(row[index]) and not (relation == "approves" and POINTS_ELSEWHERE.search(row[index])):
                yield rule(relation, row[index], band, currency, category, page, table, row, condition)
        for index in columns.marks:
            if APPROVES_MARK.match(row[index].strip()):
                yield rule("approves", table.header[index], band, currency, category, page, table, row, condition)


def read_columns(table: Table, letters: dict[str, Band]) -> Columns | None:
    """The roles of the columns, or None where the table has no column of bands beside one that says what applies."""
    width = len(table.header)
    filled = [[row[index].strip() for row in table.rows if row[index].strip()] for index in range(width)]
    bands = [
        index
        for index in range(width)
        if filled[index] and share(filled[index], lambda cell: lettered_band(cell, letters) is not None) >= 0.5
    ]
    if not bands:
        return None
    named = [index for index in bands if BAND_HEADER.search(table.header[index])]
    band = max(named or bands, key=lambda index: sum(lettered_band(cell, {}) is not None for cell in filled[index]))
    marks = tuple(
        index
        for index in range(width)
        if index != band
        and is_role(table.header[index])
        and filled[index]
        and all(MATRIX_MARK.match(cell) for cell in filled[index])
    )
    relations: dict[int, Relation] = {}
    for index in range(width):
        if index in bands or index in marks:
            continue
        for relation, pattern in RELATIONS:
            if pattern.search(table.header[index]) and filled[index]:
                relations[index] = relation
                break
    if not relations and not (len(marks) >= 2 and ABOUT_AUTHORITY.search(f"{table.caption} {' '.join(table.header)}")):
        return None
    texts = [i for i in range(width) if i not in {*bands, *relations, *marks} and share(filled[i], is_wordy) >= MOST]
    return Columns(bands=band, relations=relations, marks=marks, category=texts[0] if texts else None)


def rules_of_limits(table: Table, page: int) -> Iterator[ApprovalRule]:
    """A matrix of limits: each role's column says up to which amount it approves what the row names."""
    if not ABOUT_AUTHORITY.search(f"{table.caption} {' '.join(table.header)}"):
        return
    roles = [
        index
        for index in range(1, len(table.header))
        if is_role(table.header[index])
        and share([row[index].strip() for row in table.rows if row[index].strip()], lambda cell: limit_of(cell) is not None)
        >= MOST
    ]
    if len(roles) < 2:
        return
    currency = currency_of(table)
    for row in table.rows:
        below: float | None = None
        limits = [(limit, index) for index in roles if (limit := limit_of(row[index])) and limit.high != 0]
        for limit, index in sorted(limits, key=lambda pair: pair[0].high if pair[0].high is not None else float("inf")):
            yield rule(
                "approves", table.header[index], Band(below, limit.high, limit.currency), currency, row[0], page, table, row
            )
            below = limit.high


def limit_of(cell: str) -> Band | None:
    """The limit that a cell states: "50,000", "up to 50,000" or "unlimited"."""
    band = cell_band(cell)
    if band is not None:
        return band if band.low is None else None
    found = figures(cell)
    if len(found) == 1 and is_money(found[0]) and len(found[0].text) >= len(cell.strip()) - 5:
        return Band(None, value_of(found[0]), found[0].unit)
    return None


def lettered_band(cell: str, letters: dict[str, Band]) -> Band | None:
    """The band of a cell, also where it names bands by their letters ("B", "B to F", "D and E")."""
    if letters and (match := LETTERS.fullmatch(cell.strip())):
        first, last = letters.get(match[1]), letters.get(match[2] or match[3] or match[1])
        if first and last:
            return Band(first.low, last.high, first.currency or last.currency)
    band = cell_band(cell)
    return band if band is not None and is_amount(band) else None


def is_amount(band: Band) -> bool:
    """Whether a band is one of money: it names a currency, is large enough, or is the open one."""
    ends = [end for end in (band.low, band.high) if end is not None]
    return not ends or bool(band.currency) or max(ends) >= SMALLEST


def is_role(name: str) -> bool:
    """Whether a column's header or a phrase names someone who can decide."""
    return len(name) <= LONGEST_SUBJECT and bool(ROLE_WORDS.search(name) or ABBREVIATION.fullmatch(name.strip()))


def is_subject(cell: str) -> bool:
    """Whether a cell names an approver, a method or a requirement, and is no date, code or "N/A"."""
    text = cell.strip(" -–—")
    if NO_SUBJECT.fullmatch(text) or len(text) > LONGEST_SUBJECT or text.endswith("?"):
        return False
    return not any(figure.kind == "date" for figure in figures(text))


def rules_of_text(text: str, page: int) -> Iterator[ApprovalRule]:
    """Role, verb and band must stand in one part of a sentence; a semicolon separates parts."""
    topic = ""  # of a clause that begins "8.1 Sole source.": what its rules are about
    for whole in sentences(text):
        run_in = RUN_IN.match(whole)
        if CLAUSE_NUMBER.match(whole):
            topic = run_in["topic"] if run_in and not is_role(run_in["topic"]) else ""
        for part in (part.strip() for part in whole.split(";")):
            if len(part) <= LONGEST_SENTENCE:
                yield from rules_of_sentence(part, topic, page)


def rules_of_sentence(sentence: str, topic: str, page: int) -> Iterator[ApprovalRule]:
    if steps := list(rules_of_ladder(sentence, topic, page)):
        yield from steps
        return
    bands = [band for band in find_bands(sentence) if is_amount(band)]
    if not bands:
        return
    for pattern in (MAY_ACT, APPROVES, APPROVED_BY):
        for match in pattern.finditer(sentence):
            if role := clean_role(match["role"]):
                band = nearest(bands, match.start())
                category = about(match, band, sentence) or topic
                yield ApprovalRule("approves", role, band.low, band.high, band.currency, category, page, sentence)
    for match in METHODS.finditer(sentence):
        band = nearest(bands, match.start())
        first, last = sorted(((match.start(), match.end()), (band.start, band.end)))
        if not ABOUT_AUTHORITY.search(sentence[first[1] : last[0]]):
            yield ApprovalRule("method", match["method"], band.low, band.high, band.currency, topic, page, sentence)


def rules_of_ladder(sentence: str, topic: str, page: int) -> Iterator[ApprovalRule]:
    """Each role with its step: from where the one before ends, up to its own limit."""
    steps = list(STEP.finditer(sentence))
    if len(steps) < 2 or not ABOUT_AUTHORITY.search(sentence):
        return
    subject = SUBJECT.match(CLAUSE_NUMBER.sub("", sentence))
    about = topic or (special(subject["subject"]) if subject else "")
    below: float | None = None
    currency = ""
    for at, step in enumerate(steps):
        following = sentence[step.end() : steps[at + 1].start() if at + 1 < len(steps) else len(sentence)]
        amount = next((figure for figure in figures(following) if is_money(figure)), None)
        above = ABOVE.fullmatch(step["bound"])
        role = clean_role(step["role"])
        low = (value_of(amount) if amount else below) if above else below
        high = None if above else value_of(amount) if amount else None
        if role and (low is not None or high is not None):
            currency = (amount.unit if amount else "") or currency
            yield ApprovalRule("approves", role, low, high, currency, about, page, sentence)
        below = high


def about(match: re.Match[str], band: Band, sentence: str) -> str:
    """What a rule is about: the verb's object, or what "must be approved"; "" where that is any purchase."""
    parts = match.groupdict()
    if "object" in parts:
        start = match.start("object")
        thing = sentence[start : max(start, min(match.end("object"), band.start))] if band.start > start else parts["object"]
        verb = parts.get("verb") or ""
        verb = "" if not verb or re.fullmatch(APPROVING, verb) else verb
    else:
        thing, verb = sentence[: min(band.start, match.start())], ""
        thing = CLAUSE_NUMBER.sub("", thing).rsplit(",", 1)[-1].rsplit(". ", 1)[-1]
        said = VERB.search(thing)
        thing = (thing[: said.start()] if said["passive"] else "") if said else thing
    thing = BOUND_AT_END.sub("", thing)
    return f"{verb} {ARTICLE.sub('', thing.strip(' ,:–-'))}" if verb else special(thing)


def special(thing: str) -> str:
    """The name of a kind of purchase; "" where it says no more than purchase, contract or amount."""
    thing = thing.strip(" ,:–-")
    return ARTICLE.sub("", thing) if GENERAL.sub("", thing) and len(thing) <= LONGEST_SUBJECT / 2 else ""


def clean_role(text: str) -> str:
    """The role's name without the words that led into it; "" where what was caught is no role."""
    role = re.sub(
        r"^(?:(?:the|of|and|for|a|an|purchases|contracts|all|any|only|if|when)\s)+|(?:\s(?:of|the|for|and))+$",
        "",
        text,
        flags=re.I,
    )
    return role if ROLE_WORDS.search(role) or ABBREVIATION.search(role) else ""


def nearest(bands: Sequence[Band], position: int) -> Band:
    return min(bands, key=lambda band: min(abs(band.start - position), abs(band.end - position)))


def rule(
    relation: Relation,
    subject: str,
    band: Band,
    currency: str,
    category: str,
    page: int,
    table: Table,
    row: Sequence[str],
    condition: str = "",
) -> ApprovalRule:
    quote = " | ".join(
        f"{head}: {cell}" if head else cell for head, cell in zip(table.header, row, strict=True) if cell.strip()
    )
    named = band.currency or currency
    return ApprovalRule(relation, subject.strip(), band.low, band.high, named, category.strip(), page, quote, condition)


def currency_of(table: Table) -> str:
    """The currency that units, caption or header name, for cells that name none."""
    for text in (table.units, table.caption, *table.header):
        for figure in figures(re.sub(r"([A-Z]{3}|[$€£₹])", r"\1 1", text)):
            if figure.kind == "amount" and figure.unit:
                return figure.unit
    return ""


def share(cells: Sequence[str], test) -> float:
    return sum(map(bool, map(test, cells))) / len(cells) if cells else 0.0


def is_wordy(cell: str) -> bool:
    return sum(character.isalpha() for character in cell) >= 3
