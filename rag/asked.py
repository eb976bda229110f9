"""A question in; what its answer must hold (a reason, a name, a year, a denial), and what a quote lacks of it, out."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from rag.domain import Query
from rag.figures import Figure, figures
from rag.filters import ORDINALS, QUARTER, without_codes, years_in
from rag.permission import rules_on, speaks_of, thing_asked
from rag.quotable import Quote
from rag.scorer import names_in
from rag.tokens import words
from rag.wording import said_for

POSITION = (
    r"officers?|directors?|managers?|heads?|presidents?|secretar(?:y|ies)|ministers?|chiefs?|chair\w*|counsels?|treasurers?|"
    r"controllers?|administrators?|commissioners?|auditors?|supervisors?|c[efot]o|cpo|ombuds\w+"
)
ROLE = (
    rf"{POSITION}|committees?|boards?|councils?|authorit(?:y|ies)|departments?|units?|teams?|buyers?|requesters?|holders?|"
    r"employees?|staff|members?|consultants?|contractors?|vendors?|suppliers?|bidders?|compan(?:y|ies)|firms?|persons?|people|"
    r"officials?|offices?|agenc(?:y|ies)|applicants?|everyone|nobody|anyone"
)
OF_A_ROLE = re.compile(rf"\b(?:{ROLE})\b", re.IGNORECASE)
ACTOR = re.compile(rf"\b(?i:{ROLE})\b|(?<=[\w,;:|] )[A-Z][\w&-]+")
REASON = re.compile(
    r"\b(?:because|since|due to|owing to|caused?|causes|reasons?|therefore|thus|hence|so that|in order to|as a result|"
    r"result(?:s|ed)? (?:of|from)|explain(?:s|ed)?|attribut\w+|led to|driven by|reflect(?:s|ed|ing)|on account of|thanks to|"
    r"given that|following|after|for (?=\w+ing\b)|failed|failure|to (?:avoid|prevent|ensure|protect|allow|reduce))\b",
    re.IGNORECASE,
)
# "J. Doe" inside a line, or alone before a comma at its start, where "A. General" would be a heading.
INITIALS = r"(?:[A-Z]\.[ -]?){1,3}(?<!U\.S\.)(?<!U\.S\. )[A-Z][\w'’-]+"
TITLED = r"\b(?:Mr|Mrs|Ms|Dr|Prof|Shri|Smt|Sir|Hon)\b\.?\s[A-Z][\w.'’-]+"
FULL_NAME = r"[A-Z][a-z'’]+(?:\s[A-Z]\.)?\s[A-Z][\w'’-]+"
NAME = re.compile(rf"(?<=\S\s){INITIALS}|^\W*{INITIALS}(?=\s*(?:[,;(]|$))|{TITLED}", re.MULTILINE)
BY_POSITION = re.compile(
    rf"(?P<before>{FULL_NAME})\s?[,(–-]\s?(?:[\w&]+\s){{0,4}}(?i:{POSITION})\b"
    rf"|\b(?i:{POSITION})(?:\s\([A-Z]+\))?\s?[:,–-]\s?(?P<after>{FULL_NAME})"
)
A_YEAR = re.compile(r"(?:19|20)\d\d")
NUMBER_OF_A_CLAUSE = re.compile(r"\d[\d.]*\s+(?=[A-Z\d])")
WHEN_GIVEN = re.compile(
    r"\b(?:before|after|within|until|till|once|upon|by the (?:end|close|date|\d)|as soon as|every|each|daily|weekly|monthly|"
    r"quarterly|annually|yearly|immediately|at once|current|no later|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
    r"|\b(?:19|20)\d\d\b",
    re.IGNORECASE,
)
HOW_OFTEN_GIVEN = re.compile(
    r"\b(?:daily|weekly|monthly|quarterly|annual\w*|yearly|once|twice|every|each|at once|immediately|until|never)\b", re.I
)
# A noun is what is asked for where it ends the phrase: "the gift limit", "the limit for gifts", not "the budget holder".
AMOUNT_NOUN = (
    r"(?:limits?|thresholds?|amounts?|values?|costs?|prices?|fees?|budgets?|ceilings?|rates?|percentages?|shares?|salar(?:y|ies)|"
    r"totals?|sums?|maximum|minimum|tolerance|weight|penalt(?:y|ies)|deductible|balance|revenues?|income|expenditures?|margin)"
)
PLAIN = r"(?:(?!of|for|in|to|on|by|with|and|that|which|from|under)[\w'’-]+\s+){0,5}"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of answer: its name for readers, the bonus of a quote that holds it, the questions that want it, what holds it."""

    name: str
    liked: float
    wanted_by: re.Pattern[str]
    held_by: Callable[[str, Sequence[Figure]], bool]


def of_kinds(*kinds: str) -> Callable[[str, Sequence[Figure]], bool]:
    """Figures of these kinds; a year says when, and the number that a clause or row begins with says which it is."""

    def held(text: str, found: Sequence[Figure]) -> bool:
        begins = NUMBER_OF_A_CLAUSE.match(text)
        told = (figure for figure in found if figure.start or not begins)
        return any(figure.kind in kinds and not (figure.kind == "number" and A_YEAR.fullmatch(figure.text)) for figure in told)

    return held


def holds_name(text: str, found: Sequence[Figure] = ()) -> bool:
    """Whether a person is named: with initials or a title, or beside a position ("Jane Doe, Head of Finance")."""
    beside = (match["before"] or match["after"] for match in BY_POSITION.finditer(text))
    return bool(NAME.search(text)) or any(not OF_A_ROLE.search(name) for name in beside)


REASON_WANTED = Kind(
    "a reason",
    0.4,
    re.compile(r"\bwhy\b|\breasons?\b|\bwhat (?:caused|causes|explains|led to)\b", re.I),
    lambda text, _: bool(REASON.search(text)),
)
NAME_WANTED = Kind(
    "a person's name",
    0.6,
    re.compile(
        rf"\b(?:name of|named?|called)\b[^?]*\b(?:{POSITION})\b|\bwho (?:signed|wrote|authored|drafted|prepared)\b"
        rf"|^\W*who(?:['’]s|\s+(?:is|was|are|were))\s+(?:(?!who\b|that\b|for\b|to\b)[\w'’&-]+\s+){{0,5}}(?:{POSITION})\b"
        r"(?![^?]*\b(?:for|who|that|to|when|if|above|up|in charge)\b)",
        re.IGNORECASE,
    ),
    holds_name,
)
ACTOR_WANTED = Kind(
    "who it is",
    0.15,
    re.compile(
        r"\bwho(?:m|se)?\b|\bwhich (?:officer|committee|role|person|department|authority)\b|\b(?:approver|signatory)\b", re.I
    ),
    lambda text, _: bool(ACTOR.search(text)),
)
DATE_WANTED = Kind(
    "a date or time",
    0.2,
    re.compile(
        r"^\W*(?:(?:and|by|until|since|from|on|in)\s+)?(?:when\b|(?:what|which)\s+(?:date|day|year|month)\b)|\band when\b", re.I
    ),
    lambda text, found: of_kinds("date", "period")(text, found) or bool(WHEN_GIVEN.search(text)),
)
FIGURES_WANTED = (
    Kind(
        "how long or how often",
        0.2,
        re.compile(r"how (?:long|soon|often|fast|quickly|many (?:\w+ )?(?:days|weeks|months|years|hours|minutes))\b", re.I),
        lambda text, found: of_kinds("period", "number", "date")(text, found) or bool(HOW_OFTEN_GIVEN.search(text)),
    ),
    Kind("a number", 0.2, re.compile(r"how many\b", re.I), of_kinds("number", "amount", "period", "percentage")),
    Kind(
        "an amount",
        0.2,
        re.compile(
            rf"how (?:much|large|big|high|expensive)\b|what (?:does|do|did)\b[^?]*\bcost\b"
            rf"|what(?:['’]s|\s+(?:is|was|are|were))\s+(?:the|our|a)?\s*{PLAIN}{AMOUNT_NOUN}\b"
            r"(?=\s*(?:[?.,]|$|(?:of|for|in|per|on|under|by|to|at)\b))"
            r"|(?:what|which)\s+(?:share|percentage|amount|price|rate)\b",
            re.I,
        ),
        of_kinds("amount", "percentage", "number", "period"),
    ),
)
# The looser words only make a quote likelier that has the kind.
AMOUNT_LIKELY = re.compile(rf"how much|\b{AMOUNT_NOUN}\b", re.I)
PERIOD_LIKELY = re.compile(r"\b(?:how (?:long|soon|quickly|fast)|duration|period|within|validity|notice)\b", re.I)
DATE_LIKELY = re.compile(r"\bwhen\b|\b(?:date|deadline|effective|due|expire|valid until)\b", re.I)

DENIAL = re.compile(
    r"\b(?:not|never|no(?!\.)|nobody|none|neither|nor|cannot|(?:can|don|doesn|didn|mustn|isn|aren|wasn|won|shouldn)['’]t|"
    r"prohibit\w*|forbid\w*|exclud\w*|exclusions?|ineligib\w+|disallow\w*|unallowable|banned|exempt\w*|except\w*)\b"
    r"(?!\s+(?:later|more|less|fewer|only|earlier)\b)(?<!or not)",
    re.IGNORECASE,
)
DENIAL_NOUN = re.compile(r"(?:exception|exclusion|exemption)s?", re.IGNORECASE)  # a question for them denies nothing
# These deny what stands before them: "Which purchases are excluded?"
DENIED_OF = re.compile(r"(?:exclud|prohibit|forbid|bann|exempt|ineligib|disallow|unallow)\w*", re.IGNORECASE)
DENIED_WORDS = 3  # after the denial in the question
NEAR_A_DENIAL = 3  # words around it in the quote
REVISION = re.compile(r"\b(?:rev(?:ision)?|version|edition)\b\.?\s*(\d+(?:\.\d+)*)", re.IGNORECASE)


def kinds_wanted(question: str) -> tuple[Kind, ...]:
    """A figure of one kind at most: "how many days" wants a period, not any number."""
    named = [kind for kind in (REASON_WANTED, NAME_WANTED, ACTOR_WANTED, DATE_WANTED) if kind.wanted_by.search(question)]
    figure = next((kind for kind in FIGURES_WANTED if kind.wanted_by.search(question)), None)
    return (*named, *([figure] if figure else []))


def marks_of_time(text: str) -> set[str]:
    """Years, quarters, revisions and dates that a text names, each in one form."""
    quarters = (next(group for group in match.groups() if group).casefold() for match in QUARTER.finditer(text))
    return {
        *years_in(text),
        *(f"Q{ORDINALS.get(quarter, quarter)}" for quarter in quarters),
        *(f"Revision {match[1]}" for match in REVISION.finditer(text)),
    }


class Asked:
    """A question, read for what an answer to it must hold."""

    def __init__(self, query: Query) -> None:
        self.query = query
        self.question = singular(query.standalone)
        plain = without_codes(self.question)
        self.kinds = kinds_wanted(f"{self.question} {' '.join(each.definition for each in query.expansions)}")
        self.marks = marks_of_time(plain)
        self.dates = [figure for figure in figures(plain) if figure.kind == "date"]
        self.denied = denied_words(self.question)
        self.thing = thing_asked(self.question)

    @cached_property
    def filtered(self) -> set[str]:
        """What every passage found is about, because the question restricts itself to such documents."""
        return marks_of_time(" ".join((*self.query.filters.year, *self.query.filters.quarter)))

    def settled(self, quote: Quote) -> set[str]:
        """Of those marks what is true of a quote that does not say it: a quarter; a year of a budget or report, or one that
        the question names its document by ("the 2023 policy"). The year of an edition is not when a thing happened."""
        document = quote.passage.chunk.document
        title = set(words(document))
        return {
            mark
            for mark in self.filtered
            if not A_YEAR.search(mark)
            or PERIODIC.search(document)
            or any(title & set(words(" ".join(near))) for near in words_beside(mark, self.question))
        }

    def denied_by(self, quote: Quote) -> bool:
        """Whether a quote denies what the question denies."""
        return self.denied is not None and denial(quote.shown, self.denied, of_whom=ACTOR_WANTED in self.kinds) == 2

    def liking(self, quote: Quote, found: Sequence[Figure]) -> float:
        """A bonus for a quote that holds the kind of answer wanted, denies what the question denies, and is of its time."""
        held = {figure.kind for figure in found}
        bonus = sum(kind.liked if kind.held_by(quote.text, found) else -kind.liked / 2 for kind in self.kinds)
        if AMOUNT_LIKELY.search(self.question):
            bonus += 0.2 * bool(held & {"amount", "percentage"}) or 0.1 * ("number" in held)
        if PERIOD_LIKELY.search(self.question):
            bonus += 0.2 * ("period" in held)
        if DATE_LIKELY.search(self.question):
            bonus += 0.2 * ("date" in held)
        if self.denied is not None:
            bonus += DENIES[denial(quote.shown, self.denied, of_whom=ACTOR_WANTED in self.kinds)]
        if self.thing and speaks_of(self.thing, said_in(quote)):
            bonus += RULED if rules_on(quote.shown) else RULED / 2
        if self.marks:
            borne = marks_of_time(setting(quote))
            bonus += OF_ITS_TIME * (len(self.marks & (borne | self.filtered)) / len(self.marks) - 1)
        return bonus

    def lacking(self, quote: Quote, around: str = "") -> list[str]:
        """What an answer must hold and this quote does not, in words; `around` is said right before and after it."""
        found = figures(quote.text)
        whole = f"{setting(quote)} {around}"
        certain = (kind for kind in self.kinds if kind is not ACTOR_WANTED)  # anything may be who acts: "by the travel desk"
        lacks = [kind.name for kind in certain if not kind.held_by(quote.text, found)]
        least = 2 if DENIED_OF.search(self.question) and not self.thing else 1
        if self.denied is not None and denial(quote.shown, self.denied, of_whom=ACTOR_WANTED in self.kinds) < least:
            lacks.append("what is not so")
        if self.thing and not (rules_on(quote.shown) and speaks_of(self.thing, said_in(quote))):
            lacks.append(f"whether that holds for {self.thing}")
        lacks += sorted(self.marks - marks_of_time(whole) - self.settled(quote))
        stated = figures(whole) if self.dates else []
        lacks += [date.text for date in self.dates if not any(date.stated_by(other) for other in stated)]
        return [*lacks, *self.names_lacking(quote)]

    def names_lacking(self, quote: Quote) -> list[str]:
        """Names of the question that stand nowhere in the passage, nor what the glossary says they are."""
        chunk = quote.passage.chunk
        said = " ".join((quote.passage.text, chunk.text, chunk.document, chunk.file, *chunk.section))
        page = set(words(said))
        title = f"{chunk.document} {chunk.file}".casefold()
        spelled = {each.found.casefold(): set(words(each.definition)) for each in self.query.expansions}
        lacks = []
        for name in names_in(self.question):
            told = set(words(name))
            if name.isdigit() or REVISION.match(f"{name} 1") or marks_of_time(name) or name.casefold() in title:
                continue
            if not (told or name.isupper()):
                continue
            meant = spelled.get(name.casefold(), told)
            # "IT" is no word to search for, but a name
            stands = told <= page if told else re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said)
            if not (stands or (meant and meant <= page)):
                lacks.append(name)
        return lacks


DENIES = (-0.3, 0.1, 0.6)  # not at all; something; what the question denies
OF_ITS_TIME = 0.25
# Titles of documents that are about the year they are of.
PERIODIC = re.compile(
    r"\b(?:reports?|budgets?|statements?|accounts|plans?|reviews?|outlook|results|minutes|audit|survey|statistics|bulletin|"
    r"forecasts?|annual|quarterly|monthly|yearly|fiscal)\b|rapport|bericht|haushalt|informe|presupuesto|relat[óo]rio|orçamento|"
    r"报告|報告|预算|預算|予算|보고서|예산|रिपोर्ट|बजट|تقرير|ميزانية",
    re.IGNORECASE,
)
RULED = 0.8  # for a quote that permits or prohibits the very thing that leave is asked for


def said_in(quote: Quote) -> frozenset[str]:
    """The words of a quote as it is shown, and of the heading it stands under."""
    return quote.terms | frozenset(words(f"{quote.heading} {quote.shown}"))


def singular(text: str) -> str:
    """Abbreviations as they stand in documents: "RFPs" as "RFP"."""
    return re.sub(r"\b([A-Z]{2,})s\b", r"\1", text)


def setting(quote: Quote) -> str:
    """A quote with what says of when and of what it is: its document, headings, caption and header."""
    chunk = quote.passage.chunk
    return " ".join((chunk.document, *chunk.section, quote.table, *quote.header, quote.shown, quote.text))


def denied_words(question: str) -> frozenset[str] | None:
    """The words that a question denies: "reimburs" of "What is not reimbursed?"; None where it denies nothing."""
    found = next((match for match in DENIAL.finditer(question) if not DENIAL_NOUN.fullmatch(match.group())), None)
    if not found:
        return None
    said = words_in(question[: found.end()], len(question))[-DENIED_WORDS - 1 :]
    before = said if DENIED_OF.fullmatch(found.group()) else []
    return frozenset(words(" ".join((*before, *words_in(question[found.end() :], DENIED_WORDS)))))


def words_beside(year: str, question: str) -> Iterator[list[str]]:
    """The two words before each mention of a year, and the two after it."""
    said = re.findall(r"[\w'’-]+", question)
    for at, word in enumerate(said):
        if year in (word, *years_in(word)):
            yield [*said[max(at - 2, 0) : at], *said[at + 1 : at + 3]]


def words_in(text: str, number: int) -> list[str]:
    return [word for word in re.findall(r"[\w'’-]+", text) if words(word)][:number]


def denial(text: str, denied: frozenset[str], *, of_whom: bool = False) -> int:
    """2 where a text denies one of the words, or something of somebody where that is asked; 1 where it denies anything."""
    best = 0
    for match in DENIAL.finditer(text):
        before = " ".join(re.findall(r"[\w'’-]+", text[: match.start()])[-NEAR_A_DENIAL:])
        after = " ".join(re.findall(r"[\w'’-]+", text[match.start() :])[: NEAR_A_DENIAL + 1])
        near = set(words(f"{before} {after}"))
        meant = denied & (near | {term for word in near for name in said_for(word) for term in words(name)}) or (
            of_whom and OF_A_ROLE.search(before)
        )
        best = max(best, 2 if meant else 1)
    return best
