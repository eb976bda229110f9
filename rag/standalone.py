"""A follow-up and the conversation in; a question that can be understood without it out, by rule."""

import re
from collections.abc import Callable, Sequence

from rag.amounts import CURRENCIES
from rag.bands import Band, Measure, find_bands, is_money, measured, value_of
from rag.categories import APPROVING
from rag.domain import Turn
from rag.figures import figures
from rag.filters import ORDINALS
from rag.followup import (
    ASKS,
    LEAD,
    RELATIONAL,
    RELATIVE_TIME,
    WORD,
    content_words,
    leans_on_earlier,
    points_back,
    words_that_matter,
)
from rag.rule_question import in_words, money
from rag.slots import SIDE, Slot, slots

# "and above that?", "or anything below?", "what about more?"
OTHER_SIDE = re.compile(
    r"(?:for |with )?(?:anything |everything |something |one |ones |(?:an? )?(?:amounts?|purchases?|orders?|contracts?) )?"
    r"(?:(?P<above>above|over|beyond|exceeding|more|higher|bigger|larger|greater)"
    r"|(?P<below>below|under|less|lower|smaller))"
    r"(?: than)?(?: (?:that|this|it|these|those|which))?"
    r"(?: (?:amount|limit|threshold|value|sum|one|purchase|order|contract)s?)?",
    re.IGNORECASE,
)
# "the next band?", "and the level below that?", "one level up?"
NEXT_BAND = re.compile(
    r"(?:for |with )?(?:the |one |an? )?(?:next )?(?:(?P<higher>higher|upper)|(?P<lower>lower))? ?"
    r"(?:bands?|levels?|tiers?|steps?|brackets?|limit|threshold)(?: (?:higher|up|above)| (?P<below>lower|down|below))?"
    r"(?: (?:that|this|it))?",
    re.IGNORECASE,
)
# "Who approves anything above that?"
SIDE_OF_THAT = re.compile(
    r"(?:\b(?:anything|everything|something) )?\b(?:(?P<above>above|over|beyond|exceeding|(?:more|higher|larger|greater) than)"
    r"|(?P<below>below|under|(?:less|lower|smaller) than)) (?:that|this|it)"
    r"(?: (?:amount|limit|threshold|value|sum))?(?= *(?:[?.!,;]|$))",
    re.IGNORECASE,
)
# A follow-up's words that only tie it to the question before: "is that also true for services" asks for services.
APPLIES = re.compile(
    r"(?:(?:is|was|would) (?:that|this|it|the same)(?: also| still)? (?:be )?"
    r"(?:true|the case|so|valid|the same|different|possible|allowed)"
    r"|(?:does|do|would|will) (?:that|this|it|the same|these|they)(?: also| still)? (?:apply|hold|go|count)(?: too)?"
    r"|(?:the )?same(?: thing| rule| question)?|how is (?:that|it)|what is it|how does that work)"
    r"(?: (?=for|to|with|in|on|under|above|below|if|when))",
    re.IGNORECASE,
)
SUPPOSED = re.compile(
    r"(?:if |when )?(?:it is|it['’]s|it was|there (?:is|are)|that is|i (?:need|want|have|buy))\s+", re.IGNORECASE
)
CONDITION = re.compile(r"(?:if|unless|when|without|in case)\b", re.IGNORECASE)
WHO_ASKED = re.compile(r"\W*who\b", re.IGNORECASE)
# "Who signs the contract": a verb and, with no preposition between, what it is done to.
OWN_ACT = re.compile(
    r"who (?:else )?(?:(?:can|may|must|should|shall|will|would|has to|is (?:allowed|authori[sz]ed|entitled) to|needs to) )?"
    r"\w{3,} (?:off )?(?!(?:for|in|on|at|to|under|with|from|by|of|as|during|after|before|above|below|over|up|more|less)\b)"
    r"(?P<what>.+)",
    re.IGNORECASE,
)
PREPOSITION = re.compile(r"(for|in|on|at|to|under|with|from|by|of|as|during|after|before|per|about|without)\s+", re.IGNORECASE)
ARTICLE = re.compile(r"(?:the|an?|any|each|our|my|your|its|their|his|her)\s+", re.IGNORECASE)
TAIL = re.compile(r"(?:[\s,]+(?:then|too|as well|also|instead|please|alone))*[\s?.!]*$", re.IGNORECASE)
PLACE = re.compile(rf"(?:the )?(?P<place>{'|'.join(ORDINALS)}|last|next)(?: one| step| item| option)?s?", re.IGNORECASE)
ITEM = re.compile(r"^\s*(?:[-*•–]|\(?\d{1,2}[.)]|\(?[a-h]\))\s+(.+)$", re.MULTILINE)
ATTRIBUTE_ASKED = re.compile(
    rf"\W*what (?:is|are|was|were) the (?P<attribute>(?:[\w-]+ ){{0,2}}(?:{RELATIONAL.pattern}))"
    r"(?= (?:of|for|in|to|under|on)\b)",
    re.IGNORECASE,
)
PHRASE_ENDS = r"(?=[?.,;:]|$| (?:for|in|on|at|to|under|with|from|by|is|are|be|has|have|must|may|can)\b)"
LONGEST_NOUN = 5  # words
KEPT_BEHIND = ("amount", "revision", "year", "quarter", "month", "date", "period")  # where the question has none of its like
MORE = re.compile(
    r"\W*(?:(?:can|could|would) you |please )?(?:tell me more|(?:give me |any )?more (?:details?|information)"
    r"|more on (?:that|this|it)|go on|explain|elaborate|continue|say more|in other words)"
    r"(?: (?:about |on )?(?:that|this|it|please|in (?:more )?detail))?\W*",
    re.IGNORECASE,
)


def stand_alone(
    question: str, history: Sequence[Turn], *, longest: int = 3, known: Callable[[str], str] = lambda question: ""
) -> str:
    """The question with what it leans on: in the place of its like in the question before, else with that one's words.

    "And above 250,000?" after "Who approves a purchase of 75,000?" asks who approves a purchase above 250,000. An earlier
    answer only settles what "that" or "the second one" is, where the question alone doesn't: it is never a source. `known`
    gives what the documents state to a question in bands of amounts, for the turns whose answer names none.
    """
    if not history or not leans_on_earlier(question):
        return question
    earlier = history[-longest:]
    before = earlier[-1].question
    if longest > 1:
        before = stand_alone(before, earlier[:-1], longest=longest - 1, known=known)
    return substituted(question, before, earlier[-1].answer, known) or joined(question, before)


def substituted(question: str, before: str, answer: str, known: Callable[[str], str]) -> str:
    """The earlier question with the parts that the follow-up names in the place of their like; "" where none has its like."""
    if MORE.fullmatch(question):
        return before
    if (pointed := SIDE_OF_THAT.search(question)) and (amount := amount_on_side(pointed, before, answer, known)):
        asked = LEAD.sub("", question[: pointed.start()] + amount + question[pointed.end() :], count=1)
        if ASKS.match(asked):
            return joined(asked[0].upper() + asked[1:], before)
    fragment = fragment_of(question)
    if not fragment:
        return ""
    if ASKS.match(fragment):
        return with_own_act(fragment, before)
    if other := OTHER_SIDE.fullmatch(fragment) or NEXT_BAND.fullmatch(fragment):
        quantity = last_quantity(before)
        amount = amount_on_side(other, before, answer, known)
        return tidy(f"{before[: quantity[0].start]}{amount}{before[quantity[0].end :]}") if quantity else ""
    if place := PLACE.fullmatch(fragment):
        return at_place(question, place["place"].casefold(), before, answer)
    if moved := in_other_time(fragment, before):
        return moved
    if converted := in_currency(fragment, before):
        return converted
    return with_slots(fragment, before) or with_noun(fragment, before) or with_condition(question, before)


def with_own_act(asked: str, before: str) -> str:
    """The follow-up with nothing but the amount of the question before, where both ask who does what.

    "And who signs the contract?" after "Who approves an award of 2 million?" is no more about awards.
    """
    act, quantity = OWN_ACT.match(asked), last_quantity(before)
    if not act or not quantity or not (WHO_ASKED.match(before) and APPROVING.search(before)):
        return ""
    if points_back(asked) or last_quantity(asked) or not content_words(act["what"]) or RELATIONAL.search(act["what"]):
        return ""
    slot, measure = quantity
    amount = "" if measure == "percentage" else slot.text
    if any(figure.start == 0 for figure in figures(amount)):
        amount = f"of {amount}"
    return tidy(f"{asked[0].upper()}{asked[1:]} {amount}?")


def fragment_of(question: str) -> str:
    """What a follow-up adds, without the words that only tie it: "And for services too?" as "for services"."""
    text = TAIL.sub("", LEAD.sub("", question.strip(), count=1))
    text = APPLIES.sub("", text, count=1)
    return SUPPOSED.sub("", text, count=1).strip(" ,")


def amount_on_side(match: re.Match[str], before: str, answer: str, known: Callable[[str], str]) -> str:
    """ "Above that" as the amount it means: the end of the band that was stated, else the amount of the question."""
    found = match.groupdict()
    side = "below" if found.get("below") or found.get("lower") else "above"
    quantity = last_quantity(before)
    if quantity is None:
        return ""
    slot, measure = quantity
    figure = measured(slot.text, measure)[0]
    asked = find_bands(slot.text, measure)
    stated = find_bands(f"{answer}\n{known(before)}", measure)
    edge = edge_of(side, asked[0] if asked else None, stated, value_of(figure))
    if edge is None:
        return f"{side} {figure.text}"
    return f"{side} {in_words(Band(edge, None, stated_in(stated) or figure.unit), measure).removeprefix('above ')}"


def last_quantity(text: str) -> tuple[Slot, Measure] | None:
    """The last amount of a question, else its last percentage, with the words before it that tell its side."""
    measures: tuple[Measure, ...] = ("amount", "percentage")
    for measure in measures:
        slot = last_of(measure, text)
        if slot and measured(slot.text, measure):
            side = SIDE.search(text[: slot.start])
            start = side.start() if side else slot.start
            return Slot(slot.kind, start, slot.end, text[start : slot.end]), measure
    return None


def edge_of(side: str, asked: Band | None, stated: Sequence[Band], value: float) -> float | None:
    """Where the band ends that was stated or else asked for; None where it is open."""
    near = [band for band in stated if band.holds(value) or value in (band.low, band.high)]
    if asked is not None:  # "above 50,000" was answered by the band that begins there first, not by the one that ends there
        near.sort(key=lambda band: value != (band.low if asked.high is None else band.high))
    for band in [*near, *([asked] if asked else [])]:
        edge = band.high if side == "above" else band.low
        if edge is not None:
            return edge
    return None


def stated_in(bands: Sequence[Band]) -> str:
    return next((band.currency for band in bands if band.currency), "")


def in_currency(fragment: str, before: str) -> str:
    """The earlier question with its amount in the currency that the follow-up names alone: "and in euros?"."""
    code = CURRENCIES.get(PREPOSITION.sub("", fragment, count=1).casefold(), "")
    slot = last_of("amount", before) if code else None
    figure = next((figure for figure in figures(slot.text) if is_money(figure)), None) if slot else None
    if slot is None or figure is None:
        return ""
    start = slot.start + figure.start
    return tidy(f"{before[:start]}{code} {money(value_of(figure))}{before[start + len(figure.text) :]}")


def at_place(question: str, place: str, before: str, answer: str) -> str:
    """ "The second one" as the item of the answer's list; "the second" in the place of "the first" of the question."""
    items = ITEM.findall(answer)
    number = int(ORDINALS.get(place, "0"))
    if items and (place == "last" or 0 < number <= len(items)):
        item = " ".join(WORD.findall(re.split(r"[:;.(\[]", items[-1 if place == "last" else number - 1])[0])[:10])
        return f"{before.rstrip(' ?.')}: {item}?" if item else ""
    if place == "next":
        return ""
    named = re.search(rf"\b(?:{'|'.join(ORDINALS)}|last)\b", before, re.IGNORECASE)
    return f"{before[: named.start()]}{place}{before[named.end() :]}" if named else ""


def in_other_time(fragment: str, before: str) -> str:
    """The earlier question a year or quarter on or back, where the follow-up is "the year after" or "the quarter before"."""
    relative = RELATIVE_TIME.fullmatch(PREPOSITION.sub("", fragment, count=1))
    found = other_time(relative, before) if relative else None
    return tidy(f"{before[: found[0].start]}{found[1]}{before[found[0].end :]}") if found else ""


def other_time(relative: re.Match[str], before: str) -> tuple[Slot, str] | None:
    """The earlier question's year or quarter and the one that "the year after" or "the previous quarter" means."""
    unit = (relative["unit"] or relative["unit_first"]).casefold()
    slot = last_of(unit, before)
    if slot is None:
        return None
    step = -1 if relative["back"] or relative["back_after"] else 1
    if unit == "year":
        year = re.search(r"(?:19|20)\d\d", slot.text)
        return (slot, slot.text.replace(year[0], str(int(year[0]) + step))) if year else None
    number = re.search(r"[1-4]", slot.text)
    digit = int(number[0] if number else ORDINALS.get(slot.text.split()[0].casefold(), "0")) + step
    return (slot, f"Q{digit}") if 1 <= digit <= 4 else None


def with_slots(fragment: str, before: str) -> str:
    """The earlier question with each slot of the fragment in the place of the last one of its kind; "" where one has none.

    What the fragment says beside its slots is kept behind.
    """
    found = slots(fragment)
    text, new = before, ""
    taken: list[tuple[int, int]] = []
    for slot in found:
        there = like(slot, text)
        if there is None:
            if slot.kind in KEPT_BEHIND and not taken and slot is found[0]:
                return tidy(f"{before.rstrip(' ?.')} {fragment}?")
            return ""
        new = without_article(slot.text)
        if slot.kind == "amount" or there.kind == "amount":
            new = amount_in_place(new, there.text)
        elif there.kind == "clause" and slot.kind != "clause":
            new = re.sub(r"\d[\d.]*(?:\s?\([a-z0-9]{1,4}\))*$", new, there.text)
        text = f"{text[: there.start]}{new}{text[there.end :]}"
        taken.append((slot.start, slot.end))
    if not taken:
        return ""
    left = "".join(" " if any(start <= at < end for start, end in taken) else c for at, c in enumerate(fragment))
    known = {word.casefold() for word in content_words(text)}
    beside = [word for word in content_words(left) if word.casefold() not in known]
    return tidy(f"{text} ({' '.join(beside)})" if beside else text)


def without_article(text: str) -> str:
    article = ARTICLE.match(text)
    return text[article.end() :] if article else text


def like(slot: Slot, text: str) -> Slot | None:
    """The part of a text that this one can stand in for: the last of its kind, or of a kind that goes in the same place."""
    kinds = [slot.kind]
    if slot.kind in ("quarter", "month", "date"):
        kinds += ["date", "month", "quarter"]
    if slot.kind == "amount" and re.fullmatch(r"\d{1,2}(?:\.\d{1,2})*", slot.text.split()[-1]):
        kinds = ["clause", *kinds]  # "and 4.3?"
    if slot.kind in ("role", "category", "abbreviation"):
        kinds += ["role", "category", "abbreviation"]
    for kind in kinds:
        if there := last_of(kind, text):
            return there
    return None


def amount_in_place(new: str, old: str) -> str:
    """The new amount with the words before the old one, unless it has words of its own."""
    bare = re.sub(r"^(?:for|of|at|worth)\s+", "", new, flags=re.IGNORECASE)
    if not any(figure.start == 0 for figure in figures(bare)):
        return bare
    amount = next((figure for figure in figures(old) if is_money(figure)), None)
    words = old[: amount.start] if amount else "".join(re.findall(r"^[a-z]+\s+(?=\W|\d)", old))
    return f"{words}{bare}"


def with_noun(fragment: str, before: str) -> str:
    """The earlier question with the fragment's noun phrase in the place of its like; "" where none is.

    Like it is what is asked for in the same way ("the fee of …", "the deadline of …"), what ends in the same word ("the
    standard card", "the fleet card"), or what follows the same preposition.
    """
    preposition = PREPOSITION.match(fragment)
    noun = without_article(fragment[preposition.end() :] if preposition else fragment)
    words = WORD.findall(noun)
    if not words or len(words) > LONGEST_NOUN or content_words(noun) != words:
        return ""
    place = place_of_attribute(words, before) if not preposition else None
    place = place or place_of_head(words, before) or (place_after(preposition[1], before) if preposition else None)
    return tidy(f"{before[: place[0]]}{noun}{before[place[1] :]}") if place else ""


def place_of_attribute(words: Sequence[str], before: str) -> tuple[int, int] | None:
    asked = ATTRIBUTE_ASKED.match(before) if RELATIONAL.fullmatch(words[-1]) else None
    return asked.span("attribute") if asked else None


def place_of_head(words: Sequence[str], before: str) -> tuple[int, int] | None:
    """Where the earlier question has the same last word, with the words before it that describe it."""
    head = re.search(rf"\b{re.escape(words[-1].removesuffix('s'))}s?\b", before, re.IGNORECASE) if len(words) > 1 else None
    if head is None:
        return None
    start = head.start()
    for word in reversed(list(WORD.finditer(before[: head.start()]))):
        if not content_words(word.group()) or before[word.end() : start] != " ":
            break
        start = word.start()
    return (start, head.end()) if start < head.start() else None


def place_after(preposition: str, before: str) -> tuple[int, int] | None:
    """What follows the preposition, where the earlier question has it once."""
    there = list(
        re.finditer(rf"\b{preposition} (?:{ARTICLE.pattern})?(?P<noun>[^?.,;:]+?){PHRASE_ENDS}", before, re.IGNORECASE)
    )
    return there[0].span("noun") if len(there) == 1 else None


def joined(question: str, before: str) -> str:
    """The question with the words that matter of the earlier one, without what the question has in another form itself."""
    asked = slots(question)
    for relative in RELATIVE_TIME.finditer(question):
        if found := other_time(relative, before):
            question = f"{question[: relative.start()]}{found[1]}{question[relative.end() :]}"
            asked = slots(question)
            break
    kinds = {slot.kind for slot in asked} & {"amount", "quarter", "month", "date", "clause", "code", "year"}
    for slot in reversed(slots(before)):
        if slot.kind in kinds:
            before = f"{before[: slot.start]} {before[slot.end :]}"
    known = {word.casefold() for word in content_words(question)}
    borrowed = [word for word in dict.fromkeys(words_that_matter(before)) if word.casefold() not in known]
    return f"{question} ({' '.join(borrowed)})" if borrowed else question


def with_condition(question: str, before: str) -> str:
    """The earlier question with the follow-up's condition behind it: "And if it is not budgeted?"; "" where it is none."""
    text = TAIL.sub("", LEAD.sub("", question.strip(), count=1))
    return tidy(f"{before.rstrip(' ?.')} {text}?") if CONDITION.match(text) else ""


def last_of(kind: str, text: str) -> Slot | None:
    return next((slot for slot in reversed(slots(text)) if slot.kind == kind), None)


def tidy(text: str) -> str:
    return re.sub(r"\s+([?.,;:!])", r"\1", re.sub(r"\s{2,}", " ", text)).strip()
