"""A question in, the approval rules of the indexed documents whose amount band it falls into out, as a walk over a graph.

Nodes are the subjects (roles, methods, requirements); each rule is an edge from a subject to the document that states
it. "Who approves a 75,000 IT purchase?" asks for the rules that hold at an amount, "List everything the CFO must sign"
for the edges of one subject.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import networkx

from rag.bands import Band, find_bands, is_money, value_of
from rag.domain import ApprovalRule, FileRecord, FoundRule, Passage
from rag.figures import figures
from rag.tokens import words

Matched = tuple[FileRecord, ApprovalRule]
Relation = Literal["approves", "method", "requires"]

WHO_APPROVES = re.compile(
    r"\b(?:who|whose|whom|which (?:role|officer|manager|level|authority|committee|person|position)|what (?:level|authority))\b"
    r".*\b(?:approv|sign|authori[sz]|award|release|ratif)"
    r"|\bapproval (?:authority|level|is needed|is required)|\bneeds? (?:the )?approval|\bapprover\b",
    re.IGNORECASE,
)
CAN_APPROVE = re.compile(
    r"^\W*(?:can|may|could|is|are|does|do|has|have|must|should)\b.*\b(?:approv|sign|authori[sz]|award|releas|ratif)",
    re.IGNORECASE,
)
WHICH_METHOD = re.compile(
    r"\b(?:which|what)\b.*\b(?:method|procedure|process|route|modality)\b"
    r"|\bhow (?:do|should|must|can|is|are)\b.*\b(?:buy|bought|procur|purchas)"
    r"|\bhow many (?:quotes|quotations|bids)\b",
    re.IGNORECASE,
)
LIST_ALL = re.compile(
    r"\b(?:list|everything|all|what|which)\b.*\b(?:can|may|must|does|has to|have to|could|should|is)\b"
    r".*\b(?:approve|sign|authori[sz]e|award)",
    re.IGNORECASE,
)
WHO = re.compile(
    r"\b(?:who|whose|whom|(?:which|what) (?:role|officer|manager|level|authority|committee|person|position|body)|approver|"
    r"signatory|decides?)\b",
    re.IGNORECASE,
)
HOW_MUCH = re.compile(
    r"\b(?:how much|(?:what|which) (?:is|are|amounts?|values?|limits?)|up to (?:what|which)|limits?)\b"
    r".*\b(?:approv|sign|authori|award|waive|releas|settl|commit|spend|may|can|limit)",
    re.IGNORECASE,
)
# What a question says around the act it asks about; the rest is what a rule's category must be about.
AROUND_AN_ACT = frozenset(
    words("may can must shall should could allowed able entitled authorised authorized authority approve approval worth value "
          "amount total need needed decide decision person officer role level usd eur dollars purchase")
)  # fmt: skip
ABBREVIATED = re.compile(r"^(?P<full>.+?)\s*\((?P<short>[A-Za-z&/]{2,8})\)$")
ABOUT = 0.6  # share of a question's own words that a rule's category must have where no amount is approved
SHARED_STEM = 5  # letters that two forms of a word have in common: "termination" and "terminates"
NAMED = 0.6  # share of a category's words in the question from which it asks for that category
BEYOND = 0.01
SMALLEST_AMOUNT = 100  # a smaller number without a currency is a count, not money


@dataclass(frozen=True, slots=True)
class Amount:
    """A sum that a question names; `currency` is an ISO 4217 code or ""."""

    value: float
    currency: str


class ApprovalGraph:
    """The rules of an index generation; build it once a generation."""

    def __init__(self, files: Iterable[FileRecord]) -> None:
        self.graph = networkx.MultiDiGraph()
        aliases: dict[str, str] = {}
        rules = [(file, rule) for file in files for rule in file.rules]
        for _, rule in rules:
            if named := ABBREVIATED.match(rule.subject):
                aliases[named["short"].casefold()] = aliases[named["full"].casefold()] = named["full"]
        names = {self.plain_name(rule.subject).casefold(): self.plain_name(rule.subject) for _, rule in rules}
        for name in names:  # "Board" is the Board of Directors, where it is the only such one
            longer = [full for other, full in names.items() if other.startswith(f"{name} of ")]
            if len(longer) == 1:
                aliases.setdefault(name, longer[0])
        self.aliases = aliases
        for file, rule in rules:
            subject = self.subject(rule.subject)
            self.graph.add_edge(subject, file.path, file=file, rule=replace(rule, subject=subject))

    def subject(self, name: str) -> str:
        """The full name of a role or method, however it is written: CFO and Chief Financial Officer (CFO) are one node."""
        name = self.plain_name(name)
        return self.aliases.get(name.casefold(), name)

    def plain_name(self, name: str) -> str:
        named = ABBREVIATED.match(name)
        return named["full"] if named else name

    def __len__(self) -> int:
        return self.graph.number_of_edges()

    def match(self, question: str) -> list[Matched]:
        """The rules that answer the question, the most specific first; empty where it asks for none."""
        if not len(self):
            return []
        amount = amount_asked(question)
        if (LIST_ALL.search(question) or HOW_MUCH.search(question)) and (subjects := self.subjects_named(question)):
            rules = [matched for matched in self.rules_of(subjects) if amount is None or holds(matched[1], amount)]
            named = [matched for matched in rules if is_about(question, matched[1].category, subjects)]
            return named or rules
        relation = relation_asked(question)
        if relation is None and CAN_APPROVE.search(question) and self.subjects_named(question):
            relation = "approves"  # "Can the CPO approve 100,000?" is answered by who does
        edges = [(edge["file"], edge["rule"]) for _, _, edge in self.graph.edges(data=True)]
        if relation is not None and amount is not None:
            return narrowed([each for each in edges if each[1].relation == relation and holds(each[1], amount)], question)
        if relation == "method" or not WHO.search(question):
            return []
        about = [each for each in edges if each[1].relation == "approves" and is_about(question, each[1].category)]
        return narrowed([each for each in about if amount is None or holds(each[1], amount)], question)

    def subjects_named(self, question: str) -> list[str]:
        folded = question.casefold()
        names: dict[str, list[str]] = {self.subject(name): [] for name in self.graph if self.graph.out_degree(name)}
        for alias, full in self.aliases.items():
            names.setdefault(full, []).append(alias)
        return [
            full
            for full, short in names.items()
            if any(re.search(rf"(?<!\w){re.escape(form)}(?!\w)", folded) for form in [full.casefold(), *short])
        ]

    def rules_of(self, subjects: Sequence[str]) -> list[Matched]:
        edges = self.graph.out_edges(list(subjects), data=True)
        return [(edge["file"], edge["rule"]) for _, _, edge in edges if edge["rule"].relation == "approves"]


def relation_asked(question: str) -> Relation | None:
    if WHICH_METHOD.search(question):
        return "method"
    return "approves" if WHO_APPROVES.search(question) else None


def amount_asked(question: str) -> Amount | None:
    """The first sum of money of a question; "above 75,000" asks for what comes next."""
    amounts = [
        figure
        for figure in figures(question)
        if is_money(figure)
        and (figure.unit or (value_of(figure) >= SMALLEST_AMOUNT and not re.fullmatch(r"(19|20)\d\d", figure.text)))
    ]
    if not amounts:
        return None
    band = next(iter(find_bands(question)), None)
    beyond = band is not None and band.high is None
    return Amount(value_of(amounts[0]) + (BEYOND if beyond else 0.0), amounts[0].unit)


def holds(rule: ApprovalRule, amount: Amount) -> bool:
    if rule.low is None and rule.high is None and not rule.category and not rule.condition:
        return False
    if amount.currency and rule.currency and amount.currency != rule.currency:
        return False
    return Band(rule.low, rule.high).holds(amount.value)


def narrowed(matched: list[Matched], question: str) -> list[Matched]:
    """Rules whose category the question names first, then those that hold for anything; others only if there are no such."""
    asked = set(words(question))

    def fit(rule: ApprovalRule) -> float:
        """0.5 for a rule that holds for anything: more than one whose category the question only touches."""
        named = coverage(rule.category, asked) if rule.category else 0.5
        return named if named >= NAMED or not rule.category else min(named, 0.45)

    scored = [(fit(rule), file, rule) for file, rule in matched]
    best = max((score for score, _, _ in scored), default=0.0)
    least = 0.5 if best < NAMED else max(NAMED, best - 0.25)  # beside a rule for this very purchase, one for any says little
    kept = [item for item in scored if item[0] >= least] or [item for item in scored if item[0] == best > 0]
    kept.sort(key=lambda item: -item[0])
    return [(file, rule) for _, file, rule in kept]


def is_about(question: str, category: str, subjects: Sequence[str] = ()) -> bool:
    """Whether a question asks about what a rule is for: each has most words of the other."""
    if not category:
        return False
    figured = {word for figure in figures(question) for word in words(figure.text)}
    asked = set(words(question)) - AROUND_AN_ACT - figured - set(words(" ".join(subjects)))
    of_rule = words(plain(category))
    known = sum(any(same_stem(word, other) for other in of_rule) for word in asked)
    return bool(asked) and coverage(category, set(words(question))) >= NAMED and known / len(asked) >= ABOUT


def coverage(category: str, asked: set[str]) -> float:
    """The share of a category's words that the question has, in whatever form."""
    of_rule = set(words(plain(category))) or set(words(category))
    return sum(any(same_stem(word, other) for other in asked) for word in of_rule) / len(of_rule) if of_rule else 0.0


def plain(category: str) -> str:
    """Without what brackets add to a name: "Waiver of liquidated damages (LD)"."""
    return re.sub(r"\([^)]*\)", " ", category)


def same_stem(one: str, other: str) -> bool:
    """Whether two stems are of one word: "waiv" and "waiver", "settl" and "settlement"."""
    short, long = sorted((one, other), key=len)
    return (
        one == other
        or (len(short) > 3 and long.startswith(short))
        or (
            len(short) >= SHARED_STEM
            and long.startswith(short[: max(SHARED_STEM, len(short) - 2)])
            and len(long) - len(short) < 4
        )
    )


def conflicting(matched: Sequence[Matched]) -> bool:
    """Whether rules about the same thing give one amount to different subjects, which a reader must see side by side."""
    rules = [rule for _, rule in matched]
    return any(
        one.relation == other.relation
        and one.category.casefold() == other.category.casefold()
        and one.condition.casefold() == other.condition.casefold()
        and one.subject.casefold() != other.subject.casefold()
        and overlap(one, other)
        for place, one in enumerate(rules)
        for other in rules[place + 1 :]
    )


def overlap(one: ApprovalRule, other: ApprovalRule) -> bool:
    """Whether there is an amount in both bands."""
    lows = [rule.low for rule in (one, other) if rule.low is not None]
    highs = [rule.high for rule in (one, other) if rule.high is not None]
    return not lows or not highs or max(lows) < min(highs)


def found_rule(file: FileRecord, rule: ApprovalRule) -> FoundRule:
    """What is shown of a rule: its band in words, without the document's whole record."""
    unit = f"{rule.currency} " if rule.currency else ""
    low = f"above {unit}{money(rule.low)}" if rule.low is not None else ""
    high = f"up to {unit}{money(rule.high)}" if rule.high is not None else ""
    band = " ".join(part for part in (low, high) if part) or ("" if rule.condition else "any amount")
    band = ", ".join(part for part in (band, rule.condition[:1].lower() + rule.condition[1:]) if part)
    return FoundRule(file.path, rule.page, rule.subject, band, rule.category, rule.quote)


def cited(rules: Sequence[FoundRule], passages: Sequence[Passage]) -> list[tuple[FoundRule, list[int]]]:
    """Each rule once, with the passages, by number, on whose page it stands; without those whose page is not there."""
    numbers = {(passage.chunk.file, passage.chunk.page): number for number, passage in reversed([*enumerate(passages, 1)])}
    found: dict[str, tuple[FoundRule, list[int]]] = {}
    for rule in rules:
        if number := numbers.get((rule.file, rule.page)):
            markers = found.setdefault(str(rule), (rule, []))[1]
            if number not in markers:
                markers.append(number)
    return list(found.values())


def cited_lines(rules: Sequence[FoundRule], passages: Sequence[Passage]) -> list[str]:
    """The rules that a passage states, one a line, with their markers."""
    return [f"{rule} {marked(markers)}" for rule, markers in cited(rules, passages)]


def marked(markers: Sequence[int]) -> str:
    return "".join(f"[{number}]" for number in markers)


def money(value: float) -> str:
    rounded = round(value) if abs(value - round(value)) <= 0.011 else value
    return f"{rounded:,.0f}" if float(rounded).is_integer() else f"{rounded:,.2f}"
