"""A question in; the words to look for in documents: without instructions for the answer, in the words that they use."""

import csv
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from rag import tokens
from rag.filters import years_in
from rag.followup import WORD, content_words, leans_on_earlier

GLOSSARY = Path(__file__).resolve().parent.parent / "glossary"
# Textbook measures and the lines of a statement that they are computed from: documents print the lines, not the measure.
MEASURES = GLOSSARY / "measures.csv"
# What people say and what offices write: a boss is a supervisor, an offer a bid, and who is kicked out is debarred.
SYNONYMS = GLOSSARY / "synonyms.csv"
LONGEST_SYNONYM = 4  # words
MUCH_RARER = 0.15  # than the everyday word itself: then it is the documents' own word, and its synonym says little
# Sentences that say who answers and how; no document holds them.
INSTRUCTIONS = (
    r"(?:assume|imagine|pretend|suppose) (?:that )?you are\b[^.?!:]*[.:]",
    r"(?:you are|act as|answer as)\b[^.?!:]*[.:]",
    r"(?:please )?(?:answer|respond|reply)\b[^.?!:]*[.:!]?",
    r"(?:please )?(?:give|provide|state) (?:the|your|a|an) (?:answer|response)\b[^.?!:]*[.:!]?",
    r"(?:please )?(?:round|be (?:brief|concise|specific)|explain your|show your|think step)\b[^.?!:]*[.!]?",
    r"if [^.?!]*\b(?:not|isn['’]t|cannot|can['’]t)\b[^.?!]*\b(?:state|say|tell|explain|provide|answer)\b[^.?!]*[.?!]?",
)
INSTRUCTION = re.compile(rf"(?:^|(?<=[.?!:;]\s))\s*(?:{'|'.join(INSTRUCTIONS)})", re.IGNORECASE)

PARTS = re.compile(r"(?<=\?)\s+|[,;]?\s+(?:and|but)\s+(?=(?:what|which|who|whom|whose|when|where|why|how)\b)", re.IGNORECASE)


def without_instructions(question: str) -> str:
    """The question without sentences on how to answer it, or unchanged where little would be left."""
    left = " ".join(INSTRUCTION.sub(" ", question).split())
    return left if len(content_words(left)) >= 2 else question


def parts_of(question: str) -> list[str]:
    """The questions that one question joins, each of which stands alone; none where it is one question.

    "What limit does the handbook set, and how many quotes does the policy demand?" is answered on two pages, and what is
    near to both halves at once is near to neither.
    """
    parts = [part.strip() for part in PARTS.split(question) if part.strip()]
    alone = [part for part in parts if len(content_words(part)) >= 3 and not leans_on_earlier(part)]
    return alone if len(alone) > 1 else []


def spelled_out(text: str) -> str:
    """The text with what its years and measures are printed as: "FY2022" also as "2022", "capex" as its lines."""
    added = [year for year in dict.fromkeys(years_in(text)) if not re.search(rf"(?<!\w){year}(?!\w)", text)]
    found = {match.group().casefold() for match in measure_pattern().finditer(text)}
    added += [found_as for measure, found_as in measures().items() if measure in found]
    return f"{text} ({'; '.join(dict.fromkeys(added))})" if added else text


def in_document_words(text: str, rows_holding: Callable[[str], int]) -> str:
    """The text with what documents say beside its everyday words, so far as these documents do; "" where it has none.

    A question that names a clause, a code or an amount is in the documents' words, and so are names: both are left alone.
    `rows_holding` tells in how many pieces of the index a term stands.
    """
    if tokens.references(text) or "english" not in tokens.likely_languages(text, tokens.WITH_STOP_WORDS):
        return ""
    words = list(WORD.finditer(text))
    stems = stemmed(" ".join(match.group() for match in words))
    parts, at, place = [], 0, 0
    while place < len(words):
        sizes = range(min(LONGEST_SYNONYM, len(words) - place), 0, -1)
        size = next((size for size in sizes if tuple(stems[place : place + size]) in synonyms()), 0)
        is_name = place > 0 and words[place].group()[0].isupper()
        said = () if is_name else synonyms().get(tuple(stems[place : place + size]), ())
        least = MUCH_RARER * rows_holding(stems[place]) if size == 1 else 0.0
        if known := [name for name in said if (held := times_held(name, rows_holding)) and held >= least]:
            end = words[place + size - 1].end()
            parts.append(f"{text[at:end]} {' '.join(known)}")
            at = end
        place += max(size, 1)
    return "".join((*parts, text[at:])) if parts else ""


def times_held(text: str, rows_holding: Callable[[str], int]) -> int:
    return min((rows_holding(term) for term in tokens.words(text)), default=0)


def stemmed(text: str) -> list[str]:
    stem = tokens.stemmer("english")
    return [stem(word.casefold()) for word in text.split()]


@cache
def synonyms() -> dict[tuple[str, ...], tuple[str, ...]]:
    """What documents say for an everyday word or phrase, by its stems."""
    with SYNONYMS.open(encoding="utf-8", newline="") as file:
        return {tuple(stemmed(row["everyday"])): tuple(row["documents_say"].split("; ")) for row in csv.DictReader(file)}


def said_for(term: str) -> tuple[str, ...]:
    """What documents say for an everyday word, given by its stem."""
    return synonyms().get((term,), ())


@cache
def measures() -> dict[str, str]:
    with MEASURES.open(encoding="utf-8", newline="") as file:
        return {row["measure"].casefold(): row["found_as"] for row in csv.DictReader(file)}


@cache
def measure_pattern() -> re.Pattern[str]:
    names = "|".join(re.escape(name) for name in sorted(measures(), key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{names})(?!\w)", re.IGNORECASE)
