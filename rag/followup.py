"""A question and the earlier ones in; whether it leans on them, and a question that stands alone, by rule."""

import re
from collections.abc import Sequence
from functools import cache

from rag.domain import Turn

WORD = re.compile(r"[^\W_](?:(?:[\w.\-/&'’]|,(?=\d))*[^\W_])?")
FUNCTION_WORDS = """
    a about after again all also always am an and another any anything are aren't as at be because been before being
    between both but by can can't cannot could couldn't did didn't do does doesn't doing don't during each either else
    ever every few for from further get gets give given goes going got had has have having he her here hers him his how
    i if in into is isn't it its itself just kind know least less let like long made make many may me mean means might mine
    more most much must my need needs neither no nor not now of off often on once one ones only or other others our out
    over own per please possible same say says shall she should so some someone something soon still such tell than that the
    their them then there these they this those through to too under until up upon us use very via was we were what
    what's when where whether which while who whom whose why will with within without would yes yet you your
"""
# "And the deadline?", "What about services?": the sentence goes on from the one before.
CONTINUES = re.compile(
    r"\s*(?:and|but|or|also|then|so|plus|yes|no|ok(?:ay)?|what about|how about|what if|what else|who else|why not|same for)\b",
    re.IGNORECASE,
)
# Words that stand for something said before: "Can they be used", "How much of that is", "the same limit".
STANDS_FOR = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|she|him|his|her|hers|therein|thereof|"
    r"(?:the|that|this) (?:one|latter|former|same|other|others)|th[eo]se ones|"
    r"(?:this|these|those|that) (?:case|amount|limit|threshold|document|policy|contract|rule|period|clause|section|plan)s?|"
    r"(?:of|for|in|on|by|to|with|from|about|under|than|after|before|does|is|was|do|did|why) (?:that|this|these|those)"
    r"(?=\s*(?:[?.,;!]|$)|\s+(?:is|are|was|were|for|of|in|on|to|apply|applies|mean|means|work|include|change|cost|take)\b))"
    r"(?!\w)",
    re.IGNORECASE,
)
# "Is that allowed?"
STARTS_WITH_POINTER = re.compile(
    r"\s*(?:is|are|was|were|do|does|did|can|could|will|would|should) (?:that|this|these|those)\b", re.IGNORECASE
)
# "How long would the offer then stay binding?", but not "if … then".
THEN = re.compile(r"^(?!.*\bif\b).*\b(?<!since )(?<!by )(?<!and )then\b", re.IGNORECASE | re.DOTALL)
# "How many were needed …", "Which apply …", "How much on a single one?": a question word whose noun was said before.
NOUN_LEFT_OUT = re.compile(
    r"\s*(?:how many|which)(?: of (?:them|those|these))? (?:are|is|was|were|do|does|did|can|could|must|may|need|apply|have)\b",
    re.IGNORECASE,
)
SUBJECT_LEFT_OUT = re.compile(
    r"\s*how (?:much|many|long|often|soon) (?:on|for|in|at|under|with|per|from|during|if|when|after|before)\b", re.IGNORECASE
)
# Nouns that ask for their owner: a question with nothing else has it from the one before.
RELATIONAL = re.compile(
    r"(?:address|amount|approval|approver|ceiling|condition|consequence|contact|cost|date|deadline|deductible|duration|"
    r"exception|fee|form|limit|maximum|minimum|owner|penalty|percentage|period|phone|price|procedure|process|purpose|rate|"
    r"reason|requirement|schedule|signatory|step|term|threshold|timeline|total|validity|value)(?:s|es)?|penalties|signatories",
    re.IGNORECASE,
)
BOUNDARY = re.compile(r"\band\b|\bor\b|\bbut\b|[,.;:!?]", re.IGNORECASE)


def leans_on_earlier(question: str) -> bool:
    """Whether the question can't be understood without the one before."""
    if any(pattern.match(question) for pattern in (CONTINUES, NOUN_LEFT_OUT, STARTS_WITH_POINTER, THEN)):
        return True
    if any(not antecedent_in(question[: match.start()]) for match in STANDS_FOR.finditer(question)):
        return True
    content = content_words(question)
    if SUBJECT_LEFT_OUT.match(question) and len(content) <= 3:
        return True
    if len(content) > 2 or names_something(question):
        return False
    asks_who_or_how = re.match(r"\s*(?:who|when|where|why|how)\b", question, re.IGNORECASE)
    return not content or bool(RELATIONAL.fullmatch(content[-1])) or (len(content) == 1 and bool(asks_who_or_how))


def antecedent_in(before: str) -> bool:
    """Whether what stands before a pronoun can be what it stands for: a clause with a noun, or several content words."""
    clauses = BOUNDARY.split(before)
    return len(content_words(before)) > 2 or names_something(before) or any(content_words(clause) for clause in clauses[:-1])


@cache
def function_words() -> frozenset[str]:
    return frozenset(FUNCTION_WORDS.split())


def content_words(text: str) -> list[str]:
    """The words that carry meaning, in order."""
    return [word for word in WORD.findall(text) if word.casefold().replace("’", "'") not in function_words()]


def names_something(text: str) -> bool:
    """Whether a name, an abbreviation or a number stands in the text: it then has a subject of its own."""
    words = WORD.findall(text)
    later = [word for word in words[1:] if word != "I" and not word.startswith(("I'", "I’"))]
    first = [word for word in words[:1] if sum(map(str.isupper, word)) > 1]
    return any(any(map(str.isupper, word)) or any(map(str.isdigit, word)) for word in (*first, *later))


def stand_alone(question: str, history: Sequence[Turn], *, longest: int = 3) -> str:
    """The question with the content words of the ones it leans on; itself where it leans on none.

    Goes back from the last question to the first that stands alone, three at most. Answers are left out: history helps
    to understand a question and is never a source.
    """
    if not history or not leans_on_earlier(question):
        return question
    known = {word.casefold() for word in content_words(question)}
    borrowed: list[str] = []
    for turn in reversed(history[-longest:]):
        new = [word for word in content_words(turn.question) if word.casefold() not in known]
        known.update(word.casefold() for word in new)
        borrowed = [*dict.fromkeys(new), *borrowed]
        if not leans_on_earlier(turn.question):
            break
    return f"{question} ({' '.join(borrowed)})" if borrowed else question
