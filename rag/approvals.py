"""A question in, the approval rules of the indexed documents whose amount band it falls into out, as a walk over a graph.

Nodes are the subjects (roles, methods, requirements); each rule is an edge from a subject to the document that states
it. "Who approves a 75,000 IT purchase?" asks for the rules that hold at an amount, "List everything the CFO must sign"
for the edges of one subject.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import networkx

from rag.bands import Band, Measure, find_bands
from rag.categories import Named, is_about, is_plain_purchase, left_over, named_categories, same_term, terms_of
from rag.domain import ApprovalRule, FileRecord, FoundRule, Passage
from rag.rule_question import (
    CAN_APPROVE,
    HOW_MUCH,
    LIST_ALL,
    WHO,
    Relation,
    RuleQuestion,
    in_words,
    measures_asked,
    parts_with_sums,
    relation_asked,
    without_markup,
)

Matched = tuple[FileRecord, ApprovalRule]

ABBREVIATED = re.compile(r"^(?P<full>.+?)\s*\((?P<short>[A-Za-z&/]{2,8})\)$")
BESIDE_AMOUNTS: tuple[Measure, ...] = ("percentage", "period")
MOST_NEAR = 12  # rules shown where none holds
NAMED_AT_MOST = 3  # categories, in what is said of them


@dataclass(frozen=True, slots=True)
class Ruling:
    """The rules that answer a question, the most specific first.

    Where none does though the question names what they are about, `near` are those about it and `note` says what they lack.
    A note beside rules tells that none is about this very thing.
    """

    rules: tuple[Matched, ...] = ()
    near: tuple[Matched, ...] = ()
    note: str = ""

    def __bool__(self) -> bool:
        return bool(self.rules or self.note)


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
        for place, (file, rule) in enumerate(rules):
            subject = self.subject(rule.subject)
            self.graph.add_edge(subject, file.path, place=place, file=file, rule=replace(rule, subject=subject))

    def subject(self, name: str) -> str:
        """The full name of a role or method, however it is written: CFO and Chief Financial Officer (CFO) are one node."""
        name = self.plain_name(name)
        return self.aliases.get(name.casefold(), name)

    def plain_name(self, name: str) -> str:
        named = ABBREVIATED.match(name)
        return named["full"] if named else name

    def __len__(self) -> int:
        return self.graph.number_of_edges()

    def match(self, question: str, *, among: Collection[str] | None = None) -> Ruling:
        """The rules that answer the question, of the documents with these paths; an empty ruling where it asks for none."""
        edges = [each for each in self.in_order() if (among is None or each[0].path in among) and states(each[1])]
        return together([self.match_part(part, edges) for part in parts_with_sums(without_markup(question))])

    def match_part(self, question: str, edges: Sequence[Matched]) -> Ruling:
        """The same for a question about one sum, percentage or period at most."""
        asked = measures_asked(question)
        subjects = self.subjects_named(question)
        names = [name for subject in subjects for name in self.names_of(subject)]
        if (LIST_ALL.search(question) or HOW_MUCH.search(question)) and subjects:
            listed = [(file, rule) for file, rule in edges if rule.subject in subjects and rule.relation == "approves"]
            rules = [matched for matched in listed if holds(matched[1], asked)]
            about = [matched for matched in rules if is_about(question, matched[1].category, leave_out=names)]
            return Ruling(tuple(about or rules))
        relation = relation_asked(question)
        if relation is None and CAN_APPROVE.search(question) and subjects:
            relation = "approves"  # "Can the CPO approve 100,000?" is answered by who does
        pool = [matched for matched in edges if matched[1].relation == (relation or "approves")]
        if relation is not None and (asked.bands or asked.negative):
            named = named_categories(question, [rule.category for _, rule in pool], leave_out=names)
            if named.categories:
                found = ruling([matched for matched in pool if is_meant(matched[1], named)], asked, named.categories)
                return told(found, named.unknown, relation, "the nearest are given")
            if asked.amount or asked.negative:
                found = general_ruling([matched for matched in pool if not matched[1].category], asked)
                unknown = named.unknown or named_elsewhere(question, relation, edges)
                return told(found, unknown, relation, "what is given holds for purchases in general")
        if relation == "method" or not WHO.search(question):
            return Ruling()
        about = [matched for matched in pool if is_about(question, matched[1].category, leave_out=names)]
        categories = list(dict.fromkeys(rule.category for _, rule in about))
        unknown = left_over(question, categories, leave_out=names)
        return told(ruling(about, asked, categories), unknown, relation or "approves", "the nearest are given")

    def in_order(self) -> list[Matched]:
        """Every rule, as the documents have them one after the other."""
        edges = sorted((edge for _, _, edge in self.graph.edges(data=True)), key=lambda edge: edge["place"])
        return [(edge["file"], edge["rule"]) for edge in edges]

    def names_of(self, subject: str) -> list[str]:
        return [subject, *(alias for alias, full in self.aliases.items() if full == subject)]

    def subjects_named(self, question: str) -> list[str]:
        """Who can approve something and is named, in full or in short."""
        folded = question.casefold()
        approving = dict.fromkeys(
            subject for subject, _, edge in self.graph.edges(data=True) if edge["rule"].relation == "approves"
        )
        return [
            subject
            for subject in approving
            if any(re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", folded) for name in self.names_of(subject))
        ]


def states(rule: ApprovalRule) -> bool:
    """Whether a rule says for what it holds."""
    return rule.low is not None or rule.high is not None or bool(rule.category or rule.condition)


def is_meant(rule: ApprovalRule, named: Named) -> bool:
    """Whether a rule is of a category that was named; one of none is where its own row or sentence says all that was."""
    if rule.category:
        return rule.category in named.categories
    stated = terms_of(rule.quote)
    return bool(named.special) and all(any(same_term(term, other) for other in stated) for term in named.special)


def ruling(rules: Sequence[Matched], asked: RuleQuestion, categories: Sequence[str]) -> Ruling:
    """Those of the rules about the categories asked for that hold; where none does, all of them and what they lack.

    A rule in percent answers an amount only where none in money does.
    """
    if not rules:
        return Ruling()
    about = f" on {' and '.join(f'“{category}”' for category in categories)}" if 0 < len(categories) <= NAMED_AT_MOST else ""
    if asked.negative:
        return Ruling(near=tuple(rules[:MOST_NEAR]), note=f"No rule{about} covers a negative amount ({asked.negative}).")
    if holding := tuple(matched for matched in rules if holds(matched[1], asked)):
        in_money = tuple(matched for matched in holding if not in_percent(matched[1])) if asked.amount else ()
        return Ruling(holding if "percentage" in asked.bands else in_money or holding)
    lack = other_currency(rules, asked, about) or f"No rule{about} covers {' and '.join(asked.said.values())}."
    return Ruling(near=tuple(rules[:MOST_NEAR]), note=lack)


def general_ruling(rules: Sequence[Matched], asked: RuleQuestion) -> Ruling:
    """The same of the rules that hold for any purchase. One is only said to be missing where that is beyond doubt."""
    if lack := other_currency(rules, asked, ""):
        return Ruling(near=tuple(rules[:MOST_NEAR]), note=lack)
    found = ruling(rules, asked, ())
    return found if found.rules or asked.negative else Ruling()


def told(found: Ruling, unknown: Sequence[str], relation: Relation, given: str) -> Ruling:
    """With a note beside its rules that they are not about what is asked."""
    kind = "rule on the method" if relation == "method" else "approval rule"
    return replace(found, note=f"No {kind} names “{' '.join(unknown)}”: {given}.") if found.rules and unknown else found


def named_elsewhere(question: str, relation: Relation, edges: Sequence[Matched]) -> tuple[str, ...]:
    """What rules of another relation name that is no plain purchase: a sole source may be approved, its method not stated."""
    others = [rule.category for _, rule in edges if rule.relation != relation]
    return tuple(category for category in named_categories(question, others).categories if not is_plain_purchase(category))[:1]


def together(rulings: Sequence[Ruling]) -> Ruling:
    """The rulings on the parts of a question as one; what a part lacks stays said."""
    if len(rulings) == 1:
        return rulings[0]
    rules = tuple(matched for each in rulings for matched in each.rules)
    near = () if rules else tuple(matched for each in rulings for matched in each.near)
    return Ruling(rules, near, " ".join(dict.fromkeys(each.note for each in rulings if each.note)))


def other_currency(rules: Sequence[Matched], asked: RuleQuestion, about: str) -> str:
    """What to say where the rules' amounts are all in another currency than the question's; "" where they aren't."""
    currencies = list(dict.fromkeys(rule.currency for _, rule in rules if rule.low is not None or rule.high is not None))
    if not asked.currency or not currencies or {"", asked.currency} & set(currencies):
        return ""
    return f"The amounts of the rules{about} are in {' and '.join(currencies)}: {asked.said['amount']} was not converted."


def holds(rule: ApprovalRule, asked: RuleQuestion) -> bool:
    """Whether a rule's amounts have the one asked for among them, and so its percentages and periods where it has any."""
    if asked.amount is not None:
        if (
            asked.currency
            and rule.currency
            and asked.currency != rule.currency
            and (rule.low is not None or rule.high is not None)
        ):
            return False
        if not Band(rule.low, rule.high).meets(asked.amount):
            return False
    for measure in BESIDE_AMOUNTS:
        bands = find_bands(f"{rule.category}, {rule.condition}", measure) if measure in asked.bands else []
        if bands and not any(band.meets(asked.bands[measure]) for band in bands):
            return False
    return True


def in_percent(rule: ApprovalRule) -> bool:
    """Whether a rule's limits are shares alone, which say nothing of an amount: "Advance payment", "up to 15 percent"."""
    return rule.low is None and rule.high is None and bool(find_bands(f"{rule.category}, {rule.condition}", "percentage"))


def conflicting(matched: Sequence[Matched]) -> bool:
    """Whether rules about the same thing give one amount to different subjects, which a reader must see side by side."""
    rules = [rule for _, rule in matched]
    return any(
        one.relation == other.relation
        and one.category.casefold() == other.category.casefold()
        and one.condition.casefold() == other.condition.casefold()
        and one.subject.casefold() != other.subject.casefold()
        and Band(one.low, one.high).meets(Band(other.low, other.high))
        for place, one in enumerate(rules)
        for other in rules[place + 1 :]
    )


def found_rule(file: FileRecord, rule: ApprovalRule) -> FoundRule:
    """What is shown of a rule: its band in words, without the document's whole record."""
    band = in_words(Band(rule.low, rule.high, rule.currency)) or ("" if rule.condition else "any amount")
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
