"""The text layer of a page in, "" out where it can be used, else the reason why the page has to be read by OCR."""

import re

MAX_UNMAPPED = 0.25  # share of characters that have no meaning
MIN_LATIN_WORDS = 20
MAX_STRANGE_WORDS = 0.4  # of the words of Latin letters; English, German, French and Tagalog texts stay under 0.1
GLYPH_NAME = re.compile(r"\(cid:\d+\)|/g\d+|/uni[0-9A-F]{4}|/[A-Z]\d\d(?=/)")
MIN_LETTERS = 200
COMMON_LETTERS = "aeiorstnl"
MIN_COMMON_LETTERS = 0.5  # their share was 0.57 to 0.75 on 1,460 pages in English, German, French and Tagalog
UNMAPPED = re.compile("[\ufffd\ue000-\uf8ff\U000f0000-\U0010fffd\ud800-\udfff\x00-\x08\x0e-\x1f\x7f-\x9f]")
LATIN_WORD = re.compile("[a-zA-Zà-öø-ÿÀ-ÖØ-ß]{4,}")
VOWEL = re.compile(r"[aeiouyàáâãäåæèéêëìíîïòóôõöøœùúûüýÿ]", re.IGNORECASE)


def unusable_because(text: str) -> str:
    """Why the text layer can't be what the page shows: its font maps to nothing, to glyph names, or to the wrong letters."""
    count = len(text) - text.count(" ") - text.count("\n")
    unmapped = len(UNMAPPED.findall(text))
    if unmapped > MAX_UNMAPPED * count:
        return "its font does not say which letters its glyphs are"
    if 0 < count < 20 and not re.search(r"[^\W\d_]{2}", text):
        return "its few characters form no word"
    if 12 * len(GLYPH_NAME.findall(text)) > count > 0:
        return "its text layer holds glyph names instead of letters"
    words = LATIN_WORD.findall(text)
    strange = len(words) >= MIN_LATIN_WORDS and sum(map(looks_strange, words)) > MAX_STRANGE_WORDS * len(words)
    return "its text layer is not made of words" if strange or letters_are_odd(words) else ""


def looks_strange(word: str) -> bool:
    """No vowel in four letters or more, or capitals amid small letters; short words in capitals are abbreviations."""
    if word.isupper():
        return len(word) > 6 and not VOWEL.search(word)
    return not VOWEL.search(word) or bool(re.search(r"[a-zà-ÿ][A-Z].*[a-zà-ÿ][A-Z]", word))


def letters_are_odd(words: list[str]) -> bool:
    """Whether the letters common in every language of Latin script are rare, as where a font maps them to others."""
    letters = "".join(word for word in words if len(word) > 4).lower()
    return len(letters) >= MIN_LETTERS and sum(map(letters.count, COMMON_LETTERS)) < MIN_COMMON_LETTERS * len(letters)
