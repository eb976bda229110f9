"""A question and the categories that approval rules are about in; the categories that the question names out."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from rag.figures import figures
from rag.followup import content_words
from rag.tokens import words

NOT = "¬"  # before the stem of a word that is denied: "unbudgeted" and "not budgeted" are one term
NEGATION = frozenset(["not", "no", "non", "never", "without", "outside", "neither", "nor"]) | frozenset(
    ["fail", "fails", "failed", "failing", "lack", "lacks", "lacking", "missing"]
)
SIDES = frozenset(["inside", "outside", "between", "within", "before", "after", "during", "without", "above", "below"])
PREPOSITIONS = frozenset(
    ["of", "for", "in", "on", "at", "by", "to", "with", "under", "over", "from", "into", "about", "against"]
)
BOUNDARY = (SIDES - NEGATION) | PREPOSITIONS | frozenset(["and", "or", "that", "which", "who", "is", "are"])
PREFIXED = re.compile(r"(?:non-?|un)(\w{4,})")
TOKEN = re.compile(r"\w+(?:['’]\w+)?(?:-\w+)*|[,;:.()]")
ALTERNATIVES = re.compile(r"\s*(?:[,;/]|\b(?:and|or)\b|&)\s*")
HEAD_ENDS = re.compile(
    rf"\s+(?:{'|'.join(sorted(BOUNDARY - {'and', 'or'}))}|{'|'.join(sorted(NEGATION))})\b|[,;(]", re.IGNORECASE
)
OF = re.compile(r"\bof\b", re.IGNORECASE)
ASIDE = re.compile(r"[?(,;:]")
OWNER = re.compile(r"\b\w+['’]s\b")  # "a vendor's invoice" is an invoice
ABBREVIATION = re.compile(r"\(([A-Z][A-Za-z&/]{1,7})\)")
DENIED = re.compile(
    rf"\b(?:(?:{'|'.join(sorted(NEGATION))})\s+[^\W\d][\w-]*(?:\s+[^\W\d][\w-]*){{0,3}}|un\w{{3,}}(?:ed|en|able)|non-\w+)\b",
    re.IGNORECASE,
)
ARTICLE = re.compile(r"\b(?:an?|the|this|our|my|your|its)\b", re.IGNORECASE)
APPROVING = re.compile(
    r"\b(?:approv\w*|sign(?:s|ed|ing|ature)?(?: off)?|authori[sz]\w*|award\w*|ratif\w*|releas\w*|sanction\w*)\b", re.IGNORECASE
)
DIGIT = re.compile(r"\d")
# What a question says around the act it asks about, and the acts that any rule speaks of.
AROUND = frozenset(
    words("may can must shall should could would allow allowed able entitled authorised authorized authority approve approval "
          "approver worth value valued amount total need needed require required decide decision person officer role level "
          "usd eur dollars euros percent percentage method procedure process route modality apply applies applicable use used "
          "many much quotes quotations bids offers exactly precisely roughly approximately cost costing priced price up more "
          "less exceed exceeding least most revision rev version thing sign signed signature authorise authorize award ratify "
          "ratification release sanction competent possible give get day week month year new please tell list everything")
)  # fmt: skip
ACTS = frozenset(words("approve sign signing authorise authorize award ratify ratification sanction"))
# What any purchase is called.
PURCHASES = frozenset(
    words("purchase purchasing buy buying bought procure procurement contract commitment expenditure expense order transaction "
          "acquisition acquire requisition spend spending tender bid award deal agreement")
)  # fmt: skip
PURCHASE = frozenset(words("purchase"))
# Of which a rule about the one says nothing about the other, as stems.
OPPOSITES = frozenset(
    (one, other)
    for pair in ("early late", "increase decrease", "increase reduction", "internal external", "acceptance rejection",
                 "partial full", "minor major", "temporary permanent", "opening closing")
    for one in words(pair.split()[0])
    for other in words(pair.split()[1])
)  # fmt: skip
# What an act may be called without being another one.
MANNER = frozenset(words("early late first second third old used small large big entire whole current proposed single"))
BUYING = re.compile(r"\b(?:buy(?:ing)?|purchasing|procuring|acquiring)\b", re.IGNORECASE)
BOUGHT = frozenset(
    words("goods services works supplies equipment vehicles software hardware consultants consulting consultancy construction "
          "maintenance lease rental insurance licences licenses furniture stationery fuel chemicals catering IT")
)  # fmt: skip
NAMED = 0.6  # share of a category's words in the question from which it asks for that category
TOLD = 0.5  # share of what a question says of its own that a category must have where it has little of the category
NEAR = 0.33  # the same share from which a category is near to something that none names: a "sale of assets" to their disposal
CLOSE = 0.75  # of the weight of the best category, which others named beside it must reach
TEXTS_KEPT = 8192  # categories and rows whose terms are remembered from question to question
SHARED_STEM = 5  # letters that two forms of a word have in common: "termination" and "terminates"


@dataclass(frozen=True, slots=True)
class Named:
    """Categories in the order given; what the question says of its own, as stems; what it asks about that none names."""

    categories: tuple[str, ...]
    special: tuple[str, ...]
    unknown: tuple[str, ...]


def named_categories(question: str, categories: Iterable[str], *, leave_out: Collection[str] = ()) -> Named:
    """The categories that a question names, the closest alone; `leave_out` are names that it holds of another kind, as roles.

    One is named by most of its words; else by its head noun or by what the question says of its own, and by both where that
    is a purchase ("a purchase of travel bags" is no travel). Where the question
    denies what the category says, or the reverse ("unbudgeted", "budgeted"), it isn't. What none names and is no purchase
    gets the nearest, with its words as unknown.
    """
    all_of = {category: alternatives(category) for category in dict.fromkeys(categories) if category}
    question = OWNER.sub(" ", in_full(without_names(question, leave_out), all_of))
    phrase = phrase_asked(question)
    known = {term.removeprefix(NOT) for terms in all_of.values() for term in terms[0]}
    own = [positive_or_denied(term, known) for term in terms_of(question)]
    said = [term for term in own if term.removeprefix(NOT) not in AROUND]
    special = [term for term in said if term not in PURCHASES]
    frequency = Counter(term for terms in all_of.values() for term in terms[0])

    @cache
    def weight(term: str) -> float:
        """By rarity among the categories; a word that none of them has is the rarest."""
        held = sum(count for other, count in frequency.items() if same_term(term, other))
        return math.log(1 + len(all_of) / (held or 0.5))

    total = sum(map(weight, special)) or 1.0
    strong: dict[str, float] = {}
    weak: dict[str, float] = {}
    touched: dict[str, float] = {}
    denied: list[str] = []
    buys = any(term in PURCHASES for term in terms_of(phrase))
    for category, choices in all_of.items():
        terms = choices[0]
        if any(denies(one, other) for one in own for other in terms):
            denied.append(category)  # "an unmatched invoice": its other words are not foreign
            continue
        shared = sum(weight(term) for term in special if any(same_term(term, other) for other in terms))
        best = max((coverage(choice, own) for choice in choices if is_special(choice)), default=0.0)
        whole = any(coverage(choice, own) == 1.0 for choice in choices if choice is terms or len(choice) > 1)
        if whole or (shared and best >= NAMED):
            strong[category] = shared
        elif shared and (is_headed(category, special) + (shared / total >= TOLD) >= 1 + buys):
            weak[category] = shared
        elif shared:
            touched[category] = shared
    most = max((strong or weak).values(), default=0.0)
    chosen = strong | {category: shared for category, shared in weak.items() if shared >= most}
    close = [category for category, shared in chosen.items() if shared >= CLOSE * most]
    sides = {category: len(sides_of(question) & sides_of(category)) for category in close}
    named = tuple(category for category in close if sides[category] == max(sides.values()))
    if not named:
        unknown = unknown_words(question, phrase, special)
        near = max(touched.values(), default=0.0) if unknown and not buys else 0.0
        nearest = tuple(category for category, shared in touched.items() if shared == near >= NEAR * total)
        return Named(nearest, tuple(special), unknown)
    return Named(named, tuple(special), left_over(question, (*named, *denied)))


def left_over(question: str, categories: Collection[str], *, leave_out: Collection[str] = ()) -> tuple[str, ...]:
    """The words of what is asked about that none of the categories has: "bad debt" beside a write-off of stock.

    What tells the kind of a contract or of what is bought ("the cleaning contract") makes it no other thing.
    """
    held = [term for category in categories for term in terms_of(category)]
    question = in_full(question, categories)
    found: list[str] = []
    for part in OF.split(act_asked(without_names(question, leave_out))):
        terms = terms_of(part)
        if terms and terms[-1] not in PURCHASES | BOUGHT:
            found += [word for word in content_words(part) if is_unknown(word, held)]
    return tuple(found)


def is_unknown(word: str, held: Collection[str]) -> bool:
    """Whether a word says something of its own that none of the terms held says, nor denies."""
    terms = [term for term in terms_of(word) if term.removeprefix(NOT) not in AROUND | PURCHASES | MANNER]
    forms = [form for term in terms for form in (term.removeprefix(NOT), positive(term))]
    return bool(terms) and not any(same_stem(form, other.removeprefix(NOT)) for form in forms for other in held)


def is_about(question: str, category: str, *, leave_out: Collection[str] = ()) -> bool:
    """Whether a question asks about nothing but a category: each has most words of the other."""
    if not category:
        return False
    choices = alternatives(category)
    question = in_full(without_names(question, leave_out), {category: choices})
    own = [positive_or_denied(term, {other.removeprefix(NOT) for other in choices[0]}) for term in terms_of(question)]
    said = [term for term in own if term.removeprefix(NOT) not in AROUND and term not in PURCHASE]
    if not said or any(denies(one, other) for one in own for other in choices[0]):
        return False
    known = sum(any(same_term(term, other) for other in choices[0]) for term in said)
    return max(coverage(choice, own) for choice in choices) >= NAMED and known / len(said) >= NAMED


@lru_cache(maxsize=TEXTS_KEPT)
def alternatives(category: str) -> tuple[tuple[str, ...], ...]:
    """The terms of a category, then of each part of it that stands for itself: "ITB or RFP", "Purchase, ratification"."""
    plain = re.sub(r"\([^)]*\)", " ", category)
    plain = plain if terms_of(plain) else category
    parts = [part for part in ALTERNATIVES.split(plain) if part and part != plain]
    return (terms_of(plain), *(terms for part in parts if (terms := terms_of(part))))


@lru_cache(maxsize=TEXTS_KEPT)
def terms_of(text: str) -> tuple[str, ...]:
    """The stems of a text without its figures; those that a "not" or "without" denies, up to the next preposition, marked."""
    found: list[str] = []
    denied = begun = False
    for token in TOKEN.findall(without_figures(text)):
        word = token.casefold()
        if word in NEGATION:
            denied, begun = True, False
        elif word in BOUNDARY or not word[0].isalnum():
            denied = denied and not begun and word in BOUNDARY
        elif prefixed := re.fullmatch(r"non-?(\w{4,})", word):
            found += [NOT + stem for stem in words(prefixed[1])]
        else:
            stems = words(" ".join(word.split("-")))
            begun = begun or bool(stems)
            found += [NOT + stem if denied else stem for stem in stems]
    return tuple(found)


def without_figures(text: str) -> str:
    """The text with each amount and number in digits blotted out; "three-way" stays."""
    for figure in figures(text):
        if figure.kind == "amount" or DIGIT.search(figure.text):
            text = text[: figure.start] + " " * len(figure.text) + text[figure.start + len(figure.text) :]
    return text


def positive_or_denied(term: str, known: Collection[str]) -> str:
    """ "unbudget" as the denied "budget", where the categories speak of that."""
    prefixed = PREFIXED.fullmatch(term)
    if prefixed and not any(same_stem(term, other) for other in known) and any(same_stem(prefixed[1], o) for o in known):
        return NOT + prefixed[1]
    return term


def positive(term: str) -> str:
    """ "budget" of "unbudget"."""
    prefixed = PREFIXED.fullmatch(term.removeprefix(NOT))
    return prefixed[1] if prefixed else term.removeprefix(NOT)


def in_full(question: str, categories: Iterable[str]) -> str:
    """The question with the abbreviations that categories explain spelled out: "LD" as "liquidated damages (LD)" says."""
    for category in categories:
        for match in ABBREVIATION.finditer(category):
            full = re.findall(r"[\w-]+", category[: match.start()])[-len(match[1]) :]
            question = re.sub(rf"(?<!\w){re.escape(match[1])}s?(?!\w)", " ".join(full), question)
    return question


def without_names(question: str, names: Collection[str]) -> str:
    for name in sorted(names, key=len, reverse=True):
        question = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", question, flags=re.IGNORECASE)
    return question


def is_plain_purchase(category: str) -> bool:
    """Whether a category is called by what is bought alone: "Goods", "Purchase of vehicles"."""
    return all(term in PURCHASES or term in BOUGHT or term in ACTS for term in alternatives(category)[0])


def is_special(terms: Iterable[str]) -> bool:
    """Whether something is said beyond that there is a purchase, and that someone approves it."""
    return any(term not in PURCHASES and term not in ACTS for term in terms)


def is_headed(category: str, special: Iterable[str]) -> bool:
    """Whether the question has the last word of a category's first phrase: "payment" of "Advance payment"."""
    head = head_of(category)
    return bool(head) and any(same_term(head, term) for term in special)


@lru_cache(maxsize=TEXTS_KEPT)
def head_of(category: str) -> str:
    terms = [term for term in terms_of(HEAD_ENDS.split(category, maxsplit=1)[0]) if term not in PURCHASES and term not in ACTS]
    return terms[-1] if terms else ""


def coverage(terms: Collection[str], own: Collection[str]) -> float:
    """The share of a category's terms that the question has, in whatever form."""
    terms = set(terms)
    return sum(any(same_term(term, other) for other in own) for term in terms) / len(terms) if terms else 0.0


def same_term(one: str, other: str) -> bool:
    return one.startswith(NOT) == other.startswith(NOT) and same_stem(one.removeprefix(NOT), other.removeprefix(NOT))


def denies(one: str, other: str) -> bool:
    """Whether one term says the opposite of the other: "with" and "without cost", "early" and "late"."""
    if (one, other) in OPPOSITES or (other, one) in OPPOSITES:
        return True
    return one.startswith(NOT) != other.startswith(NOT) and same_stem(one.removeprefix(NOT), other.removeprefix(NOT))


@lru_cache(maxsize=16 * TEXTS_KEPT)
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


def sides_of(text: str) -> set[str]:
    """The words that tell "inside a department" from "between departments"; those before a figure tell its side alone."""
    return {word for word in re.findall(r"\b[a-z]+\b(?!\s+(?:[A-Z]{3}\s?|[$€£₹]\s?)?\d)", text.casefold()) if word in SIDES}


def unknown_words(question: str, phrase: str, special: Collection[str]) -> tuple[str, ...]:
    """What is asked about, where that is neither a purchase nor what is bought: "a donation", "cancelling a contract".

    A purchase "without a tender" is not just any purchase.
    """
    if any(term.startswith((NOT, "un")) for term in special) and (denied := DENIED.search(question)):
        return tuple(denied.group().split())
    first = next((part for part in ARTICLE.split(phrase) if set(terms_of(part)) - AROUND), phrase)
    terms = [term for term in terms_of(first) if term not in AROUND]
    if not terms or BUYING.search(first) or terms[-1] in PURCHASES | BOUGHT:  # but a "contract extension" is no purchase
        return ()
    return tuple(word for word in content_words(first) if set(words(word)) & set(special))


def act_asked(question: str) -> str:
    """The first phrase after the first verb with all that hangs on it by "of": "late release of retention money"."""
    question = without_figures(question)
    verb = APPROVING.search(question)
    said: list[str] = []
    begun = False
    for token in re.findall(r"[\w'’-]+", ASIDE.split(question[verb.end() if verb else 0 :].strip(" ,:"), maxsplit=1)[0]):
        if begun and token.casefold() in (BOUNDARY | NEGATION) - {"of"}:
            break
        begun = begun or bool(set(words(token)) - AROUND)
        said.append(token)
    return " ".join(said)


def phrase_asked(question: str) -> str:
    """The first phrase after the verb, up to a preposition; the whole question where the verb ends it. Without figures."""
    question = without_figures(question)
    after = [match.end() for match in APPROVING.finditer(question)]
    said: list[str] = []
    begun = False
    for token in re.findall(r"[\w'’-]+", question[after[-1] :] if after else question):
        if token.casefold() in BOUNDARY:
            if begun:
                break
            continue
        begun = begun or bool(set(words(token)) - AROUND)
        said.append(token)
    return " ".join(said) if begun else question
