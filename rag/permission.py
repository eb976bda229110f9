"""A question in; the thing it asks leave for ("gift cards" of "Are gift cards allowed?"), and whether a text rules, out."""

import re

from rag.tokens import words
from rag.wording import said_for

ADVERB = r"(?:\s+(?:also|ever|still|always|just|even|then))?"
ALLOWED = (
    r"(?:allowed|permitted|permissible|allowable|acceptable|eligible|covered|reimbursable|reimbursed|excluded|prohibited|"
    r"forbidden|banned)"
)
SOMEBODY = r"(?:i|we|one|they|he|she|somebody|someone|anyone|anybody|people|employees|staff)"
# What lies between the verb and "with the card", "on a trip", "if I am late".
TIED = (
    r"(?=\s+(?:with|on|by|using|for|from|in|at|to|under|when|if|after|before|during|without|through|via|as|while|against)\b"
    r"|\s*[?.,;:]|\s*$)"
)
THING = rf"(?P<{{}}>[\w&/'’-]+(?:\s+[\w&/'’-]+){{{{0,4}}}}?){TIED}"
ASKS = re.compile(
    rf"(?:^|[.;,:?]\s*)(?:(?:and|but|so)\s+)?(?:"
    rf"(?:may|can|could)\s+{SOMEBODY}{ADVERB}\s+(?!(?:get|see|find|ask)\b)\w+\s+"
    rf"{THING.format('bought')}"
    rf"|(?:am|are|is)\s+(?:i|we|you|one|they|he|she|it){ADVERB}\s+(?:allowed|permitted)\s+to\s+\w+\s+{THING.format('done')}"
    rf"|(?:is|are)\s+(?P<named>[\w&/'’-]+(?:\s+[\w&/'’-]+){{0,4}}?){ADVERB}\s+{ALLOWED}\b"
    rf"|(?:may|can|could)\s+(?P<passive>[\w&/'’-]+(?:\s+[\w&/'’-]+){{0,3}}?)\s+be\s+\w+"
    r")",
    re.IGNORECASE,
)
RULES = re.compile(
    r"\b(?:may|can|cannot|must|shall|yes|only|unless|allow(?:s|ed|able)?|permit(?:s|ted)?|permissible|eligible|entitled|"
    r"accept(?:ed|able)|reimburs\w+|not|no|never|nobody|none|neither|nor|prohibit\w*|forbid\w*|exclud\w*|ineligible|disallow\w*|unallowable|banned|"
    r"(?:can|don|doesn|mustn|isn|aren|won|shouldn)['’]t)\b",
    re.IGNORECASE,
)


def thing_asked(question: str) -> str:
    """What a question asks leave to have or to use, in its words; "" where it asks for no leave or names no thing."""
    found = ASKS.search(question)
    thing = next((each for each in found.groups() if each), "") if found else ""
    return thing if words(thing) else ""


def speaks_of(thing: str, terms: frozenset[str]) -> bool:
    """Whether terms hold more than half of a thing's words, or what documents say for them."""
    asked = words(thing)
    held = sum(term in terms or any(words(name) and set(words(name)) <= terms for name in said_for(term)) for term in asked)
    return 2 * held > len(asked)


def rules_on(text: str) -> bool:
    """Whether a text permits or prohibits anything."""
    return RULES.search(text) is not None
