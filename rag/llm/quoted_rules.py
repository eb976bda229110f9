"""Approval rules that hold for a question in; their lines, and the rows and sentences of the passages that state them, out."""

from collections.abc import Iterator, Sequence

from rag.approvals import marked
from rag.citations import Support
from rag.domain import FoundRule, Passage
from rag.figures import figures
from rag.quotable import Quote, quotes_of
from rag.tokens import words

RULES_QUOTED = 3  # a longer list of rules stands alone


def rule_lines(
    stated: Sequence[tuple[FoundRule, Sequence[int]]], passages: Sequence[Passage], support: list[Support]
) -> Iterator[str]:
    """The rules, under their subject where it is one; a few of them with the rows or sentences that state them."""
    subjects = {rule.subject for rule, _ in stated}
    categories = {rule.category for rule, _ in stated}
    if len(stated) > 1 and len(subjects) == 1:
        yield f"{stated[0][0].subject}:\n\n"
        stated_as = [f"{rule.category}: {rule.band}" if rule.category else f"{rule.band}, in general" for rule, _ in stated]
    elif len(stated) > 1 and len(categories) == 1 and "" not in categories:
        yield f"{stated[0][0].category}:\n\n"
        stated_as = [f"{rule.subject}: {rule.band}" for rule, _ in stated]
    else:
        stated_as = [str(rule) for rule, _ in stated]
    stated = [(rule, [*numbers, *stating_amounts(rule, numbers, passages)]) for rule, numbers in stated]
    found: dict[tuple[int, str], Quote] = {}
    for line, (rule, numbers) in zip(stated_as, stated, strict=True):
        for number in numbers:
            if quote := stating(rule, number, passages[number - 1]) or with_amounts(rule, number, passages[number - 1]):
                support.append(Support(number, line, quote.text))
                found.setdefault((number, quote.text), quote)
    lines = [f"{line} {marked(numbers)}" for line, (_, numbers) in zip(stated_as, stated, strict=True)]
    yield "\n".join(f"- {line}" for line in lines) if len(lines) > 1 else lines[0]
    if len(stated) > RULES_QUOTED or not found:
        return
    yield "\n\nThis stands in:\n"
    for quote in found.values():
        support += quote.support
        yield f"\n- {quote.source}: {quote.cited}"


def stating_amounts(rule: FoundRule, numbers: Sequence[int], passages: Sequence[Passage]) -> list[int]:
    """The passage with the amounts of a rule that its own row only names ("band B"); none where they stand in the row."""
    amounts = [figure for figure in figures(rule.band) if figure.kind == "amount"]

    def holds(number: int) -> bool:
        stated = figures(passages[number - 1].text)
        return all(any(amount.stated_by(other) for other in stated) for amount in amounts)

    if any(holds(number) for number in numbers):
        return []
    others = (number for number in range(1, len(passages) + 1) if passages[number - 1].chunk.file == rule.file)
    return [number for number in others if holds(number)][:1]


def stating(rule: FoundRule, marker: int, passage: Passage) -> Quote | None:
    """The row or sentence of a passage that shares most words with what the rule was read from."""
    wanted = set(words(rule.quote))
    quotes = list(quotes_of(marker, passage))
    best = max(quotes, key=lambda quote: len(wanted & quote.terms) / (len(wanted | quote.terms) or 1), default=None)
    return best if best and len(wanted & best.terms) >= len(best.terms) / 2 else None


def with_amounts(rule: FoundRule, marker: int, passage: Passage) -> Quote | None:
    """The row or sentence of a passage that has the most amounts of a rule's band."""
    amounts = [figure for figure in figures(rule.band) if figure.kind == "amount"]

    def held(quote: Quote) -> int:
        stated = figures(quote.text)
        return sum(any(amount.stated_by(other) for other in stated) for amount in amounts)

    best = max(quotes_of(marker, passage), key=held, default=None)
    return best if best and held(best) else None
