"""Texts in; abbreviations that they define out, as proposals that an admin accepts into the glossary or dismisses."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from glossary.expand import Glossary, Term
from glossary.terms import load, save, write_atomically

NOTHING_KNOWN = Glossary()
SHORT_FORM = r"[A-Z0-9][A-Za-z0-9&/.\-]{0,9}"
# "Letter of Authority (LOA)": the words before the bracket are searched for the definition.
DEFINITION_FIRST = re.compile(rf"((?:[\w'’&/\-]+,?[ \t\n]+){{1,14}})\(\s*[\"“]?({SHORT_FORM})[\"”]?\s*\)")
# "LOA (Letter of Authority)": the words in the bracket are.
ABBREVIATION_FIRST = re.compile(rf"(?<![\w(])({SHORT_FORM})[ \t\n]+\(\s*([A-Za-z][^()]{{3,90}}?)\s*\)")
# "| LOA | Letter of Authority |" or "LOA: Letter of Authority" on a line of its own: an entry of a list of abbreviations.
LISTED = re.compile(
    rf"(?m)^[ \t]*(?:\|[ \t]*)?({SHORT_FORM})[ \t]*(?:[|:=–—\t]|[ ]-[ ])[ \t]*([A-Za-z][^|\n()]{{3,90}}?)[ \t]*(?:\||$)"
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """An abbreviation and a definition that the documents give it, and how many times they do."""

    abbreviation: str
    definition: str
    count: int


def learn(texts: Iterable[str], *, known: Glossary = NOTHING_KNOWN) -> list[Proposal]:
    """What the texts define and the glossary `known` doesn't, most frequent first; rival definitions stand side by side.

    Schwartz and Hearst, "A simple algorithm for identifying abbreviation definitions in biomedical text", PSB 2003
    (https://psb.stanford.edu/psb-online/proceedings/psb03/schwartz.pdf).
    """
    counts: Counter[tuple[str, str]] = Counter()
    spellings: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for text in texts:
        for abbreviation, definition in definitions_in(text):
            key = abbreviation, definition.casefold()
            counts[key] += 1
            spellings[key][definition] += 1
    return [
        Proposal(key[0], spellings[key].most_common(1)[0][0], count)
        for key, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        if key[0].casefold() not in known.by_abbreviation
    ]


def definitions_in(text: str) -> list[tuple[str, str]]:
    """Every (abbreviation, definition) that one text spells out."""
    found = []
    for match in DEFINITION_FIRST.finditer(text):
        abbreviation = singular(match[2])
        if is_abbreviation(abbreviation):
            words = match[1].split()
            # A definition has at most min(letters + 5, letters * 2) words (Schwartz and Hearst, section 2).
            letters = len(letters_of(abbreviation))
            definition = long_form(abbreviation, " ".join(words[-min(letters + 5, letters * 2) :]))
            if definition:
                found.append((abbreviation, definition))
    for match in (*ABBREVIATION_FIRST.finditer(text), *LISTED.finditer(text)):
        abbreviation = singular(match[1])
        inside = " ".join(match[2].split())
        if is_abbreviation(abbreviation) and long_form(abbreviation, inside) == inside:
            found.append((abbreviation, inside))
    return found


def is_abbreviation(text: str) -> bool:
    """Two capitals at least: "PO" and "FAC-C", not "Inc" nor "2019"."""
    return sum(character.isupper() for character in text) >= 2


def singular(abbreviation: str) -> str:
    """ "CLPs" is the plural of CLP."""
    return abbreviation[:-1] if len(abbreviation) > 2 and abbreviation.endswith("s") else abbreviation


def letters_of(abbreviation: str) -> str:
    return "".join(character.lower() for character in abbreviation if character.isalnum())


def long_form(abbreviation: str, candidate: str) -> str:
    """The end of `candidate` that spells the abbreviation, "" if none does.

    Letters are matched from right to left; the first one must begin a word, and so must most of the others, which keeps
    out chance matches inside words.
    """
    letters = letters_of(abbreviation)
    text = candidate.lower()
    at = len(text)
    initials = 0
    for position, letter in reversed(list(enumerate(letters))):
        at -= 1
        while at >= 0 and (text[at] != letter or (position == 0 and not begins_word(text, at))):
            at -= 1
        if at < 0:
            return ""
        initials += begins_word(text, at)
    definition = candidate[at:].strip(" ,;:-–")
    words = re.findall(r"\w+", definition)
    too_short = len(definition) <= len(abbreviation) or len(words) < 2
    if too_short or initials < 0.6 * len(letters) or abbreviation.lower() in (word.lower() for word in words):
        return ""
    return definition


def begins_word(text: str, at: int) -> bool:
    return at == 0 or not text[at - 1].isalnum()


def accept(path: Path, proposal: Proposal, *, category: str = "learned") -> Glossary:
    """Adds a proposal to glossary.csv and returns the glossary it makes. Raises GlossaryFault."""
    terms = (*load(path).terms, Term(proposal.abbreviation, proposal.definition, category))
    save(path, terms)
    return Glossary(terms)


def read_dismissed(path: Path) -> set[tuple[str, str]]:
    """The (abbreviation, definition) pairs that an admin turned down; empty where the file does not exist."""
    if not path.is_file():
        return set()
    return {(abbreviation, definition) for abbreviation, definition in json.loads(path.read_text(encoding="utf-8"))}


def dismiss(path: Path, proposal: Proposal) -> None:
    """Remembers that a proposal was turned down."""
    pairs = read_dismissed(path) | {(proposal.abbreviation, proposal.definition)}
    write_atomically(path, json.dumps(sorted(pairs), ensure_ascii=False, indent=1) + "\n")
