"""A question and the documents' languages in; what was done where the question is in none of them, out."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from rag import tokens
from rag.domain import Expansion, FileRecord
from rag.llm import LanguageModel
from rag.prompt import translate_messages

SCRIPTS = {
    "HIRAGANA": "japanese", "KATAKANA": "japanese", "HANGUL": "korean", "CJK": "chinese", "ARABIC": "arabic",
    "HEBREW": "hebrew", "CYRILLIC": "russian", "GREEK": "greek", "DEVANAGARI": "hindi", "THAI": "thai", "BENGALI": "bengali",
    "TAMIL": "tamil", "TELUGU": "telugu", "GUJARATI": "gujarati",
}  # fmt: skip
SHARES_SCRIPT = {
    "arabic": {"persian", "urdu"}, "russian": {"ukrainian", "serbian"}, "hindi": {"nepali", "marathi"}, "chinese": {"japanese"},
}  # fmt: skip
TRANSLATION_TOKENS = 120


def asked_in(question: str) -> str:
    """The language of a question by its script, else by its small words; "" where a few words don't tell."""
    scripts = Counter(unicodedata.name(letter, " ").split()[0] for letter in question if letter.isalpha())
    if scripts["HIRAGANA"] + scripts["KATAKANA"] > 0.1 * scripts.total():
        return "japanese"
    script, letters = scripts.most_common(1)[0] if scripts else ("", 0)
    if script in SCRIPTS:
        return SCRIPTS[script] if letters > 0.5 * scripts.total() else ""
    languages = tokens.likely_languages(question, tokens.WITH_STOP_WORDS)
    return languages[0] if len(languages) == 1 else ""


def wanted_language(question: str, files: Iterable[FileRecord]) -> str:
    """The language most documents are in, where the question's own is known and no document's; "" otherwise."""
    asked = asked_in(question)
    held = Counter(file.metadata["language"].value for file in files if "language" in file.metadata)
    if not asked or not held or held.keys() & {asked, *SHARES_SCRIPT.get(asked, ())}:
        return ""
    return held.most_common(1)[0][0]


def translated_notice(question: str, language: str, *, by: str) -> str:
    return f"The question is in {asked_in(question).title()}, the documents are in {language.title()}: {by} translated it."


def untranslated_notice(question: str, language: str, expansions: Sequence[Expansion]) -> str:
    """Says which words of the question the glossary could turn into the documents', and what to do for the rest."""
    terms = ", ".join(f"{each.found} = {each.definition}" for each in expansions)
    done = f"only the glossary's terms were translated ({terms})" if terms else "it could not be translated"
    return (
        f"The question is in {asked_in(question).title()}, the documents are in {language.title()}, and the built-in embedder "
        f'knows English only: {done}. Ask in {language.title()}, or set [embedding] backend = "multilingual" and rebuild.'
    )


def translate_with(model: LanguageModel) -> Callable[[str, str], str]:
    """Puts a question into another language; the first line of the reply, and nothing where that is no question."""

    def translate(question: str, language: str) -> str:
        reply = model.complete(translate_messages(question, language), max_tokens=TRANSLATION_TOKENS)
        line = next((line.strip().strip('"“”') for line in reply.splitlines() if line.strip()), "")
        return line if len(line) <= 4 * len(question) + 200 else ""

    return translate
