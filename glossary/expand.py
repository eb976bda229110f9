"""A text in; the text with its abbreviations spelled out, and which ones, by one compiled pattern."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

# Written in small letters these are everyday English, so "it" is not IT and "far" is not FAR: such an abbreviation
# must stand in the text exactly as in the glossary. Any other one is found whatever its case.
EVERYDAY_WORDS = """
    a act aid all am an and any are art as ask at be buy by can cap car did do due end far few fit fix for get go had
    has he her hi him his how i if in is it its let low may me met my new no nor not now of off on one or our out own
    par per pro put re run see set she so sub ten than that the them then they this to too top try two up us use via
    was way we who why will win with yes you
"""


@dataclass(frozen=True, slots=True)
class Term:
    """One line of the glossary."""

    abbreviation: str
    definition: str
    category: str = ""
    notes: str = ""


@dataclass(frozen=True)
class Glossary:
    """The terms, each abbreviation once (whatever its case)."""

    terms: tuple[Term, ...] = ()

    def expand(self, text: str, skip: Collection[str] = ()) -> tuple[str, tuple[tuple[str, str, str], ...]]:
        """`text` with "LOA" as "LOA (Letter of Authority)" and the reverse, and what was found as (found, term, definition).

        A term is spelled out once, where it first stands, and not at all where the text already gives both its forms.
        `skip` names abbreviations to leave alone.
        """
        left_alone = {name.casefold() for name in skip}
        shouted = not any(character.islower() for character in text)
        mentions: list[tuple[re.Match[str], Term, bool]] = []
        for match in self.pattern.finditer(text):
            term, is_abbreviation = self.term_of(match)
            if is_abbreviation and not stands_for_term(match["abbreviation"], term, shouted):
                continue
            if term.abbreviation.casefold() not in left_alone:
                mentions.append((match, term, is_abbreviation))
        spelled_both_ways = {t for _, t, short in mentions if short} & {t for _, t, short in mentions if not short}
        parts: list[str] = []
        found: list[tuple[str, str, str]] = []
        at = 0
        done: set[Term] = set()
        for match, term, is_abbreviation in mentions:
            if term in done:
                continue
            done.add(term)
            found.append((match.group(), term.abbreviation, term.definition))
            if term not in spelled_both_ways:
                other_form = term.definition if is_abbreviation else term.abbreviation
                parts.append(f"{text[at : match.end()]} ({other_form})")
                at = match.end()
        return "".join((*parts, text[at:])), tuple(found)

    def term_of(self, match: re.Match[str]) -> tuple[Term, bool]:
        """The term that a match names, and whether by its abbreviation."""
        if match["abbreviation"]:
            return self.by_abbreviation[match["abbreviation"].casefold()], True
        return self.by_definition[folded(match["definition"])], False

    @cached_property
    def by_abbreviation(self) -> dict[str, Term]:
        return {term.abbreviation.casefold(): term for term in self.terms}

    @cached_property
    def by_definition(self) -> dict[str, Term]:
        return {folded(term.definition): term for term in reversed(self.terms)}

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Longest alternative first; a plural "s" may follow; "PO-1234" and "LOA.2" are references, not mentions."""
        if not self.terms:
            return re.compile(r"(?P<abbreviation>(?!))(?P<definition>(?!))")
        abbreviations = "|".join(re.escape(name) for name in longest_first(self.by_abbreviation))
        definitions = "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in longest_first(self.by_definition))
        return re.compile(
            rf"(?<!\w)(?:(?P<definition>{definitions})s?|(?P<abbreviation>{abbreviations})(?:['’]?s)?)(?!\w|[-.]\d)",
            re.IGNORECASE,
        )


def stands_for_term(found: str, term: Term, shouted: bool) -> bool:
    """Whether a text means the abbreviation and not the everyday word that looks like it."""
    if term.abbreviation.casefold() not in EVERYDAY_WORDS.split():
        return True
    return found == term.abbreviation and not shouted


def longest_first(names: Collection[str]) -> list[str]:
    return sorted(names, key=lambda name: (-len(name), name))


def folded(text: str) -> str:
    return " ".join(text.split()).casefold()
