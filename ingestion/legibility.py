"""The text layer of a page in, "" out where it can be used, else the reason why the page has to be read by OCR."""

import re
import unicodedata

MIN_CHARACTERS = 8  # less is too little to judge
MAX_UNMAPPED = 0.25  # share of characters that have no meaning
MIN_LATIN_WORDS = 20
MAX_STRANGE_WORDS = 0.4  # of the words of Latin letters; English, German, French and Tagalog texts stay under 0.1
GLYPH_NAME = re.compile(r"\(cid:\d+\)|/g\d+|/uni[0-9A-F]{4}|/[A-Z]\d\d(?=/)")
LATIN_WORD = re.compile(r"[^\W\d_]{4,}")
VOWEL = re.compile(r"[aeiouyàáâãäåæèéêëìíîïòóôõöøœùúûüýÿ]", re.IGNORECASE)


def unusable_because(text: str) -> str:
    """Why the text layer can't be what the page shows: its font maps to nothing, to glyph names, or to the wrong letters."""
    characters = [c for c in text if not c.isspace()]
    if len(characters) < MIN_CHARACTERS:
        return "its few characters have no meaning" if characters and all(map(has_no_meaning, characters)) else ""
    if len(GLYPH_NAME.findall(text)) * 6 > len(characters) / 2:
        return "its text layer holds glyph names instead of letters"
    unmapped = sum(map(has_no_meaning, characters)) / len(characters)
    if unmapped > MAX_UNMAPPED:
        return "its font does not say which letters its glyphs are"
    words = [word for word in LATIN_WORD.findall(text) if word.isascii() or unicodedata.name(word[0], "").startswith("LATIN")]
    if len(words) >= MIN_LATIN_WORDS and sum(map(looks_strange, words)) > MAX_STRANGE_WORDS * len(words):
        return "its text layer is not made of words"
    return ""


def has_no_meaning(character: str) -> bool:
    return character == "\ufffd" or unicodedata.category(character) in ("Co", "Cn", "Cc", "Cs")


def looks_strange(word: str) -> bool:
    """No vowel in four letters or more, or capitals amid small letters; short words in capitals are abbreviations."""
    if word.isupper():
        return len(word) > 6 and not VOWEL.search(word)
    return not VOWEL.search(word) or bool(re.search(r"[a-zà-ÿ][A-Z].*[a-zà-ÿ][A-Z]", word))
