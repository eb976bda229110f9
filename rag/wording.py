"""A question in; the words to look for in documents: without instructions for the answer, years and measures spelled out."""

import csv
import re
from functools import cache
from pathlib import Path

from rag.filters import years_in
from rag.followup import content_words, leans_on_earlier

# Textbook measures and the lines of a statement that they are computed from: documents print the lines, not the measure.
MEASURES = Path(__file__).resolve().parent.parent / "glossary" / "measures.csv"
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


@cache
def measures() -> dict[str, str]:
    with MEASURES.open(encoding="utf-8", newline="") as file:
        return {row["measure"].casefold(): row["found_as"] for row in csv.DictReader(file)}


@cache
def measure_pattern() -> re.Pattern[str]:
    names = "|".join(re.escape(name) for name in sorted(measures(), key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{names})(?!\w)", re.IGNORECASE)
