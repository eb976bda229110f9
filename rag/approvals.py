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
ABBREVIATED = re.compile(r"^(?P<full>.+?)\s*\((?P<short>[A-Za-z&/]{2,8})\)$")
NAMED = 0.6  # share of a category's words in the question from which it asks for that category
SMALLEST_AMOUNT = 100  # a smaller number without a currency is a count, not money


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question asks the rules: a relation at an amount, or everything of one subject."""

    relation: Relation | None
    amount: float | None
    currency: str
    band: Band | None = None


class ApprovalGraph:
    """The rules of an index generation; build it once a generation."""

    def __init__(self, files: Iterable[FileRecord]) -> None:
        self.graph = networkx.MultiDiGraph()
        aliases: dict[str, str] = {}
        rules = [(file, rule) for file in files for rule in file.rules]
        for _, rule in rules:
            if named := ABBREVIATED.match(rule.subject):
                aliases[named["short"].casefold()] = aliases[named["full"].casefold()] = named["full"]
        self.aliases = aliases
        for file, rule in rules:
            subject = self.subject(rule.subject)
            self.graph.add_edge(subject, file.path, file=file, rule=replace(rule, subject=subject))

    def subject(self, name: str) -> str:
        """The full name of a role or method, however it is written: CFO and Chief Financial Officer (CFO) are one node."""
        if named := ABBREVIATED.match(name):
            name = named["full"]
        return self.aliases.get(name.casefold(), name)

    def __len__(self) -> int:
        return self.graph.number_of_edges()

    def match(self, question: str) -> list[Matched]:
        """The rules that answer the question, the most specific first; empty where it asks for none."""
        if not len(self):
            return []
        if LIST_ALL.search(question) and (subjects := self.subjects_named(question)):
            return self.rules_of(subjects)
        wanted = what_is_wanted(question)
        if wanted is None:
            return []
        edges = [(edge["file"], edge["rule"]) for _, _, edge in self.graph.edges(data=True)]
        return narrowed([matched for matched in edges if holds(matched[1], wanted)], question)

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


def what_is_wanted(question: str) -> Wanted | None:
    relation: Relation | None = None
    if WHICH_METHOD.search(question):
        relation = "method"
    elif WHO_APPROVES.search(question):
        relation = "approves"
    if relation is None:
        return None
    amounts = [
        figure
        for figure in figures(question)
        if is_money(figure)
        and (figure.unit or (value_of(figure) >= SMALLEST_AMOUNT and not re.fullmatch(r"(19|20)\d\d", figure.text)))
    ]
    if not amounts:
        return None
    bands = find_bands(question)
    return Wanted(relation, value_of(amounts[0]), amounts[0].unit, bands[0] if bands else None)


def holds(rule: ApprovalRule, wanted: Wanted) -> bool:
    if rule.relation != wanted.relation or (rule.low is None and rule.high is None and not rule.category):
        return False
    if wanted.currency and rule.currency and wanted.currency != rule.currency:
        return False
    amount = wanted.amount
    if wanted.band is not None and wanted.band.high is None and amount is not None:
        amount += 0.01  # "above 75,000" asks for what comes next
    return amount is not None and Band(rule.low, rule.high).holds(amount)


def narrowed(matched: list[Matched], question: str) -> list[Matched]:
    """Rules whose category the question names first, then those that hold for anything; others only if there are no such."""
    asked = set(words(question))

    def fit(rule: ApprovalRule) -> float:
        category = set(words(rule.category))
        return len(category & asked) / len(category) if category else 0.5

    scored = [(fit(rule), file, rule) for file, rule in matched]
    best = max((score for score, _, _ in scored), default=0.0)
    least = 0.5 if best < NAMED else max(NAMED, best - 0.25)  # beside a rule for this very purchase, one for any says little
    kept = [item for item in scored if item[0] >= least] or [item for item in scored if item[0] == best > 0]
    kept.sort(key=lambda item: -item[0])
    return [(file, rule) for _, file, rule in kept]


def conflicting(matched: Sequence[Matched]) -> bool:
    """Whether rules about the same thing name different subjects, which a reader must see side by side."""
    by_category: dict[tuple[str, str], set[str]] = {}
    for _, rule in matched:
        by_category.setdefault((rule.relation, rule.category.casefold()), set()).add(rule.subject.casefold())
    return any(len(subjects) > 1 for subjects in by_category.values())


def found_rule(file: FileRecord, rule: ApprovalRule) -> FoundRule:
    """What is shown of a rule: its band in words, without the document's whole record."""
    unit = f"{rule.currency} " if rule.currency else ""
    low = f"above {unit}{money(rule.low)}" if rule.low is not None else ""
    high = f"up to {unit}{money(rule.high)}" if rule.high is not None else ""
    band = " ".join(part for part in (low, high) if part) or "any amount"
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
