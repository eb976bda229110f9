"""A question in; whether it leans on an earlier one, and the words of it that carry meaning, out."""

import re
from functools import cache

from rag import tokens

LETTER = rf"(?:[^\W_]|[{tokens.MARKS}])"
WORD = re.compile(rf"{LETTER}(?:(?:{LETTER}|[_.\-/&'’]|,(?=\d))*{LETTER})?")
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
    r"\s*(?:and|but|or|also|then|so|plus|yes|no|ok(?:ay)?|what about|how about|what if|what else|who else|why not|same for|"
    r"tell me more|more (?:details?|information|about (?:that|this|it))|go on|explain|elaborate|continue|in other words|"
    r"for example)\b",
    re.IGNORECASE,
)
# The words that only tie it to the question before.
LEAD = re.compile(
    r"\W*(?:(?:and|but|or|also|then|so|plus|yes|no|ok(?:ay)?|well)\b[\s,]*)*(?:(?:what|how) (?:about|if)\b\s*)?", re.IGNORECASE
)
ASKS = re.compile(
    r"\s*(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|can|could|may|must|should|shall|will|would|"
    r"has|have|had|please|list|show|give|name|find|describe|compare)\b",
    re.IGNORECASE,
)
# "The year after", "in the previous quarter": one counted from a year or quarter that was said before.
RELATIVE_TIME = re.compile(
    r"(?:the )?(?:(?:next|following|coming|(?P<back>previous|preceding|prior|last)) (?:fiscal )?(?P<unit>year|quarter)"
    r"|(?P<unit_first>year|quarter) (?:after|(?P<back_after>before))(?: that)?)(?!\w)",
    re.IGNORECASE,
)
# Nouns that point back when nothing else says which: "Which firm did the work?", "Who takes the decision?"
POINTS_BACK = re.compile(
    r"\b(?:the|that|this|those|these) (?:work|job|incident|event|matter|issue|problem|decision|outcome|result|rest|remainder|"
    r"latter|former|difference|exception|reason|answer|steps?|items?|options?)\b",
    re.IGNORECASE,
)
# The same in other languages: words that open a sentence that goes on, and words that stand for something said before.
# None of them is an English word, so that one list serves every question.
OPENS = """
    und aber oder auch dann et mais ou alors aussi donc y e pero también entonces ¿y mas também então ma anche allora maar ook
    dan och men också så ve ama peki och ale oraz jak и а но также тогда или و ولكن أو وماذا وكيف ماذا और तथा लेकिन या तो
"""
STANDS_IN = """
    das dies dafür davon dazu dabei darüber darunter diese dieser dieses cela ça celui-ci celle-ci celles-ci ceux-ci eso esto
    ello ese esa esos esas isso isto disso nisso ele ela questo quello ciò questi dat dit daarvan daarvoor hiervan
    это этого этому этом он она они его её их ذلك هذا هذه تلك यह वह इसका उसका इसके उसके इसे उसे इनके उनके
    bunu onu şu bunun onun
"""
ASKS_WHY = """
    warum wieso pourquoi perché waarom varför hvorfor neden niçin dlaczego почему لماذا क्यों 为什么 為什麼 なぜ 왜
"""
UNSPACED_OPENS = re.compile(r"\W*(?:那么|那|还有|而且|另外|以及|それでは|では|それから|じゃあ|また|그럼|그러면|그리고)")
UNSPACED_STANDS_IN = re.compile(r"它|这个|那个|这些|那些|其中|他们|それ|これ|その|この|そちら|그것|이것")
SHORT = 6  # words, and twice as many characters of scripts without spaces between words
# Words that stand for something said before: "Can they be used", "How much of that is", "the same limit".
STANDS_FOR = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|she|him|his|her|hers|therein|thereof|"
    r"(?:the|that|this) (?:one|latter|former|same|other|others)|th[eo]se ones|"
    r"(?:this|these|those|that) (?:case|amount|limit|threshold|document|policy|contract|rule|period|clause|section|plan)s?|"
    r"(?:of|for|in|on|by|to|with|from|about|under|over|above|below|beyond|than|after|before|"
    r"does|is|was|do|did|why) (?:that|this|these|those)"
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
    if asks_in_full(question):
        return False
    if leans_in_another_language(question):
        return True
    if any(pattern.match(question) for pattern in (CONTINUES, NOUN_LEFT_OUT, STARTS_WITH_POINTER, THEN)):
        return True
    if any(not antecedent_in(question[: match.start()]) for match in pronouns(question)):
        return True
    content = content_words(question)
    if counts_from_before(question):
        return True
    if POINTS_BACK.search(question) and len(content) <= 3 and not names_something(question):
        return True
    if SUBJECT_LEFT_OUT.match(question) and len(content) <= 3:
        return True
    if len(content) > 2 or names_something(question):
        return False
    asks_who_or_how = re.match(r"\s*(?:who|when|where|why|how)\b", question, re.IGNORECASE)
    return not content or bool(RELATIONAL.fullmatch(content[-1])) or (len(content) == 1 and bool(asks_who_or_how))


def asks_in_full(question: str) -> bool:
    """Whether a question that opens like a follow-up ("And who …") says all it needs: nothing in it points back."""
    rest = LEAD.sub("", question, count=1)
    if rest == question or not ASKS.match(rest) or points_back(rest):
        return False
    content = content_words(rest)
    return len(content) >= 4 or (len(content) >= 3 and names_something(rest))


def points_back(question: str) -> bool:
    if any(pattern.match(question) for pattern in (NOUN_LEFT_OUT, STARTS_WITH_POINTER, THEN, SUBJECT_LEFT_OUT)):
        return True
    if POINTS_BACK.search(question) or counts_from_before(question):
        return True
    return any(not antecedent_in(question[: match.start()]) for match in pronouns(question))


def pronouns(question: str) -> list[re.Match[str]]:
    """The words that stand for something said before; "IT" in a question of small letters is a name."""
    return [match for match in STANDS_FOR.finditer(question) if not is_abbreviation(match.group(), question)]


def counts_from_before(question: str) -> bool:
    """Whether a question speaks of "the year after" and names no year to count from."""
    return RELATIVE_TIME.search(question) is not None and not re.search(r"\b(?:19|20)\d\d\b|\bFY ?\d|\bQ[1-4]", question)


def leans_in_another_language(question: str) -> bool:
    """By the words that open a continuation or stand for something in other languages, in a question that is short."""
    if UNSPACED_OPENS.match(question):
        return True
    unspaced = sum(len(match.group()) for match in tokens.UNSPACED.finditer(question))
    if unspaced and unspaced <= 2 * SHORT and UNSPACED_STANDS_IN.search(question):
        return True
    words = [word.casefold() for word in WORD.findall(question)]
    if not words or len(words) > SHORT:
        return False
    if len(words) == 1 and words[0] in ASKS_WHY.split():
        return True
    return words[0] in opening_words() or any(word in standing_words() for word in words) or not words_that_matter(question)


@cache
def opening_words() -> frozenset[str]:
    return frozenset(OPENS.split())


@cache
def standing_words() -> frozenset[str]:
    return frozenset(STANDS_IN.split())


def antecedent_in(before: str) -> bool:
    """Whether what stands before a pronoun can be what it stands for: a clause with a noun, or several content words."""
    clauses = BOUNDARY.split(before)
    return len(content_words(before)) > 2 or names_something(before) or any(content_words(clause) for clause in clauses[:-1])


@cache
def function_words() -> frozenset[str]:
    return frozenset(FUNCTION_WORDS.split())


def content_words(text: str) -> list[str]:
    """The words that carry meaning, in order; "IT" and "US" among small letters are names, whatever "it" and "us" are."""
    return [
        word
        for word in WORD.findall(text)
        if word.casefold().replace("’", "'") not in function_words() or is_abbreviation(word, text)
    ]


def is_abbreviation(word: str, text: str) -> bool:
    """Whether capitals tell a word from its namesake in small letters: not where the whole text is written in capitals."""
    return len(word) > 1 and word.isupper() and any(map(str.islower, text))


def words_that_matter(text: str) -> list[str]:
    """The content words of a text in any language that has a list of stop words; in others all words."""
    languages = tokens.likely_languages(text, tokens.WITH_STOP_WORDS)
    if "english" in languages or len(languages) == len(tokens.WITH_STOP_WORDS):
        return content_words(text)
    stops = frozenset[str]().union(*(tokens.stop_words(language) for language in languages))
    return [word for word in WORD.findall(text) if word.casefold() not in stops]


def names_something(text: str) -> bool:
    """Whether a name, an abbreviation or a number stands in the text: it then has a subject of its own."""
    words = WORD.findall(text)
    later = [word for word in words[1:] if word != "I" and not word.startswith(("I'", "I’"))]
    first = [word for word in words[:1] if sum(map(str.isupper, word)) > 1]
    return any(any(map(str.isupper, word)) or any(map(str.isdigit, word)) for word in (*first, *later))
