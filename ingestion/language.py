"""A text in, the language it is written in out; "" where that is not clear, since a wrong one stems every word wrongly."""

import re
import unicodedata
from collections import Counter

# Words that hold sentences together. One that several languages share counts for each of them only in part.
FUNCTION_WORDS = {
    "english": "the and of to in for is that with shall by or be are on as this not it from",
    "german": "der die und das den von zu mit ist nicht dem des ein eine für auf im werden wird sich bei nach auch",
    "french": "le les des et la une dans est pour du de un en que qui par sur au aux sont il ne pas avec",
    "spanish": "el los las y del que una por para con de la en un se al su es lo como más no sus o",
    "italian": "il gli che della di una per sono con non del la e le dei alla nel si da un al delle è i dal in",
    "portuguese": "o os as das dos uma não para com que em de do da e a um por se ao no na pelo pela até são é",
    "dutch": "het een van de dat voor niet zijn met wordt en op te aan bij worden deze door of is in",
    "tagalog": "ang ng mga sa na ay para kung hindi ito at nang ni si",
    "polish": "i w z na się do nie jest o że przez od dla oraz lub po ze co jego",
    "turkish": "ve bir bu için ile olarak olan da de en her veya göre kadar ise",
    "swedish": "och att det som är för på av med till den inte ett en i har ska eller",
    "danish": "og at det som er for på af med til den ikke et en i har skal eller",
    "indonesian": "yang dan di untuk dengan dari pada dalam ini itu tidak adalah atau oleh akan",
    "romanian": "și în de la cu pe nu este din care pentru sau a să că prin al ale",
    "czech": "a v na se je že s z do o pro nebo jako podle by při k které",
}
WORDS = {language: frozenset(words.split()) for language, words in FUNCTION_WORDS.items()}
SHARED_BY = Counter(word for words in WORDS.values() for word in words)
SCRIPTS = {
    "HIRAGANA": "japanese", "KATAKANA": "japanese", "HANGUL": "korean", "CJK": "chinese", "ARABIC": "arabic",
    "HEBREW": "hebrew", "CYRILLIC": "russian", "GREEK": "greek", "DEVANAGARI": "hindi", "THAI": "thai", "BENGALI": "bengali",
    "TAMIL": "tamil", "TELUGU": "telugu", "GUJARATI": "gujarati", "KANNADA": "kannada", "MALAYALAM": "malayalam",
    "GEORGIAN": "georgian", "ARMENIAN": "armenian",
}  # fmt: skip
# Letters that another language of a script has and the one named above has not.
TELLING = {
    "CYRILLIC": (("іїєґ", "ukrainian"), ("ђћџљњј", "serbian")),
    "ARABIC": (("ٹڈڑےہ", "urdu"), ("پچژگکی", "persian")),
}
LOOKED_AT = 20_000  # characters
LEAST_LETTERS = 40


def language_of(text: str) -> str:
    """By script, then by the small words of sentences."""
    text = unicodedata.normalize("NFKC", text[:LOOKED_AT])  # Arabic is often stored as presentation forms
    characters = [character for character in text if character.isalpha()]
    if len(characters) < LEAST_LETTERS:
        return ""
    scripts = Counter(unicodedata.name(character, " ").split()[0] for character in characters)
    if scripts["HIRAGANA"] + scripts["KATAKANA"] > 0.1 * scripts.total():  # Japanese is written in Chinese signs too
        return "japanese"
    script, most = scripts.most_common(1)[0]
    if script in SCRIPTS:
        return by_letters(script, characters) if most > 0.5 * scripts.total() else ""
    found = Counter(re.findall(r"[^\W\d_]+", text.lower()))
    scores = Counter({language: sum(found[word] / SHARED_BY[word] for word in words) for language, words in WORDS.items()})
    seen = {language: len(words & found.keys()) for language, words in WORDS.items()}
    (language, best), (_, second) = scores.most_common(2)
    sure = best > 1.5 * second and seen[language] >= 5 and best > 0.04 * found.total()
    return language if sure else ""


def by_letters(script: str, characters: list[str]) -> str:
    counts = Counter(characters)
    for telling, language in TELLING.get(script, ()):
        if sum(counts[letter] for letter in telling) > 0.01 * len(characters):
            return language
    return SCRIPTS[script]
