"""Text in, the terms that BM25 counts out: stemmed words, phrases of two and three, and literal references."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import cache
from itertools import pairwise

import Stemmer
from bm25s import stopwords

# \w leaves out the marks that words of Indic, Arabic, Hebrew and South-East Asian scripts are written with.
MARKS = (
    "\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u0670\u06d6-\u06ed\u0900-\u0963\u0980-\u0dff"
    "\u0e31-\u0e4e\u0eb1-\u0ece\u1000-\u1049\u1780-\u17d3"
)
PIECE = rf"(?:[^\W_]|[{MARKS}])+"
# Chinese, Japanese and Korean are cut into overlapping pairs, other scripts without spaces between words into triples.
UNSPACED = re.compile(
    "(?P<pairs>[\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+)"
    "|(?P<triples>[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+)"
)

MAGNITUDES = {
    "k": 10**3, "thousand": 10**3, "lakh": 10**5, "lakhs": 10**5, "lac": 10**5, "crore": 10**7, "crores": 10**7, "cr": 10**7,
    "m": 10**6, "mn": 10**6, "mio": 10**6, "million": 10**6, "millions": 10**6,
    "bn": 10**9, "billion": 10**9, "billions": 10**9, "mrd": 10**9,
}  # fmt: skip
SPELLED = "|".join(sorted((name for name in MAGNITUDES if len(name) > 1), key=len, reverse=True))
MAGNITUDE = rf"[km]|\s?(?:{SPELLED})"
GROUPED = (
    r"\d{1,3}(?:\.\d{3})+,\d{1,2}|\d{1,3}(?:\.\d{3}){2,}"  # 50.000,00 and 1.250.000
    r"|\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?"  # 50,000.00 and the Indian 1,00,000
)
SCANNER = re.compile(
    rf"(?<![\w.])(?P<grouped>{GROUPED})(?P<times>{MAGNITUDE})?(?!\w)"
    rf"|(?<![\w./-])(?P<plain>\d+(?:\.\d+)?)(?P<of>{MAGNITUDE})?(?![-./]?\w|\()"
    rf"|(?P<run>{PIECE}(?:[-./&]{PIECE})*(?:\([a-z0-9]{{1,5}}\))*)"
)
DIGIT = re.compile(r"\d")
ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)")
# "FY 2018", "Q3", "H1-2024": when something was, which most pages of a document leave unsaid, not which passage.
PERIOD = re.compile(
    r"(?:fy|cy|sy)[-/]?\d{2,4}(?:[-/]\d{2,4})?|(?:q[1-4]|h[12])(?:[-/]?(?:fy)?(?:\d{2}|\d{4}))?|\d{4}[-/]?(?:q[1-4]|h[12])"
)
BRACKETS = re.compile(r"(?:\([a-z0-9]{1,5}\))+$")
POINT_GROUP = re.compile(r"\d{1,3}\.\d{3}")
SPACE_GROUP = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")  # 50 000 with a no-break space
DASHES = str.maketrans("\u2010\u2011\u2012\u2013", "----")
# One way to write what readers take for the same: digits of any script, Arabic separators of numbers, the Turkish capital İ;
# and without what is only there for the eye: joiners, direction marks, soft hyphens, Arabic and Hebrew vowel signs, nuktas.
SAME = (
    {code: str(unicodedata.decimal(chr(code))) for code in range(0x80, 0x10000) if chr(code).isdecimal()}
    | {0x066B: ".", 0x066C: ",", 0x0130: "i"}
    | dict.fromkeys(
        [0xAD, 0x640, 0x670, 0x93C, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A),
         *range(0x64B, 0x660), *range(0x591, 0x5BE), 0x5BF, 0x5C1, 0x5C2, 0x5C4, 0x5C5]
    )
    | DASHES
)  # fmt: skip
# The nasal before a consonant of its own row is also written as a dot: अन्तिम and अंतिम. So is the half moon.
NASAL = re.compile("ङ्(?=[क-घ])|ञ्(?=[च-झ])|ण्(?=[ट-ढ])|न्(?=[त-ध])|म्(?=[प-भ])|ँ")
# "5万元" and "超过50,000元": digits among characters that are not parted by spaces. "第4条" is a reference and stays whole.
CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
CJK_MAGNITUDES = {"万": 10**4, "萬": 10**4, "만": 10**4, "億": 10**8, "亿": 10**8, "억": 10**8}
CJK_NUMBER = re.compile(
    rf"(?<![第0-9a-zA-Z.,/-])(?P<digits>\d+(?:[.,]\d+)*)\s?(?P<times>[{''.join(CJK_MAGNITUDES)}]?)(?![0-9a-zA-Z/-])"
)
CJK_CLAUSE = re.compile("第\\d+[条條章款節节項项号號]")
# "ITB-2025-06を参照" holds a code.
CJK_EDGE = re.compile(rf"(?<=[0-9a-zA-Z])(?<!第\d)(?<!第\d\d)(?=[{CJK}])|(?<=[{CJK}])(?<!第)(?=[0-9a-zA-Z])")
# "And the …" is one word in Arabic; its stemmer takes the article off, and only where nothing stands before it.
ARABIC_AND = re.compile(r"^[وف](?=(?:[بكل]?ال|لل)\w{3})")

# One word for a currency however it is written, so that "Rs. 50,000", "₹50k" and "INR 50000" meet.
SIGN = re.compile(
    r"(?P<usd>\b(?:us\s?\$|u\.s\.\s?\$|usd(?=\d))|\$)|(?P<inr>₹|\b(?:rs\b\.?|rs\.?(?=\d)|inr(?=\d)|rupees?\b))"
    r"|(?P<eur>€|\b(?:eur(?=\d)|euros?\b))|(?P<gbp>£|\bgbp(?=\d))|(?P<percent>%|\bper\s+cent\b)"
)
CURRENCY_BEFORE = re.compile(r"\b(?:usd|inr|eur|gbp)\s+$")
CURRENCY_AFTER = re.compile(r"\s+(?:usd|inr|eur|gbp)\b")

# References that only capitals give away: form codes (A/OPC, FAC-C), numbered sources (FAR 13.003) and named parts (Rule 149).
FORM_CODE = re.compile(r"(?<![\w/-])(?!N/A\b)[A-Z]{1,5}(?:[-/][A-Z]{1,5})+(?![\w/-])")
NUMBERED_SOURCE = re.compile(r"\b(?!USD|INR|EUR|GBP)([A-Z]{2,6})\s(?:No\.?\s)?(\d+(?:[.-]\d+)*)(?![\d%]|,\d)")
NAMED_PART = re.compile(
    r"\b((?i:rule|clause|section|art(?:icle|icolo|ículo|igo|ikel)?|annex(?:ure)?|appendix|schedule|form|chapter|exhibit"
    r"|regulation|table|para(?:graph)?)|§)\.?\s?(?:No\.?\s?)?(\d+[A-Za-z]?|[A-Z]\d*|[IVX]+)\b(?![./-]\w)"
)

# A clause number or code that opens a line or, as the first cell, a table row: "4.2.1(b) For works", "No.: 7.4 | Transfer".
OPENING = re.compile(
    r"^(?:[^:|\n]{1,30}: (?=[\w./-]+ \|))?(?:(?:section|article|clause|rule|chapter|para(?:graph)?)\s)?"
    r"(?:(?P<clause>(?:[A-Z]\.)?\d{1,3}(?:\.\d{1,3})+(?:\([a-z0-9]{1,5}\))*|\d{1,3}(?:\([a-z0-9]{1,5}\))+)(?=[.:]?(?:\s|$))"
    r"(?!\s(?:%|per\s?cent|million|billion))|(?P<section>\d{1,3})(?=[.:]?\s+(?-i:[A-Z]))|(?P<code>[A-Z][A-Z/-]{0,6}[-/]\d[\w/-]*)(?=[.:]?(?:\s|$)))",
    re.IGNORECASE | re.MULTILINE,
)
# What ends an entry of a table of contents, which names a clause that stands elsewhere.
LEADER = re.compile(
    r"(?:…|(?:\.[^\S\n]?){4,})[^\S\n]*(?:(?:(?:\d{1,2}|[A-Z])[.-]){0,2}\d{1,4}|[ivxlc]{1,6})\b"
)  # 12, 4-5, A.1-1, iv

LANGUAGES = {
    "en": "english", "de": "german", "fr": "french", "it": "italian", "es": "spanish", "pt": "portuguese", "nl": "dutch",
    "da": "danish", "sv": "swedish", "no": "norwegian", "nb": "norwegian", "ru": "russian", "tr": "turkish", "pl": "polish",
    "cs": "czech", "fi": "finnish", "hu": "hungarian", "ro": "romanian", "el": "greek", "ar": "arabic", "hi": "hindi",
    "ta": "tamil", "id": "indonesian", "fa": "persian", "ca": "catalan", "sr": "serbian", "lt": "lithuanian",
    "et": "estonian", "ga": "irish", "eu": "basque", "hy": "armenian", "ne": "nepali",
}  # fmt: skip

WITH_STOP_WORDS = (
    "english", "german", "french", "italian", "spanish", "portuguese", "dutch", "danish", "swedish", "norwegian", "russian",
    "turkish",
)  # fmt: skip


def words(text: str, language: str = "english", *, stops: frozenset[str] | None = None) -> list[str]:
    """The terms of a text in their order: stems, numbers, codes whole and in parts; `stops` (the language's) are left out."""
    stops, stem = stop_words(language) if stops is None else stops, stemmer(language)
    if language_name(language) == "turkish":
        text = text.replace("I", "ı")  # whose small letter has no dot in Turkish
    found: list[str] = []
    for match in SCANNER.finditer(normalised(text)):
        run = match["run"]
        if run is None:
            found.extend(number_terms(match, point_groups=language_name(language) != "english"))
        elif run.isascii() and run.isalpha():
            if run not in stops:
                found.append(stem(run))
        else:
            for token in split_run(run):
                if token not in stops:
                    found.extend(stemmed(token, stem))
    return found


def phrases(words: list[str]) -> list[str]:
    """Every two and every three neighbouring words, joined by spaces."""
    pairs = [f"{first} {second}" for first, second in pairwise(words)]
    return pairs + [f"{pair} {third}" for pair, third in zip(pairs, words[2:], strict=False)]


def references(text: str) -> list[str]:
    """The literal references in a text, each once: clause numbers, codes, form names, amounts; "HR 204" as "hr-204"."""
    plain = normalised(text)
    found: dict[str, None] = {}
    for match in SCANNER.finditer(plain):
        run = match["run"]
        if run is None:
            digits = match["grouped"] or match["plain"]
            near_currency = CURRENCY_BEFORE.search(plain[: match.start()][-12:]) or CURRENCY_AFTER.match(plain, match.end())
            if match["grouped"] or match["of"] or near_currency or "." in digits or len(digits) > 4:
                found[number_terms(match)[0]] = None
        elif (
            not run.isalpha()
            and not run.isdigit()
            and DIGIT.search(run)
            and not (ORDINAL.fullmatch(run) or PERIOD.fullmatch(run))
        ):
            found[run.replace("/", "-")] = None
            found[BRACKETS.sub("", run).replace("/", "-")] = None
    cased = unicodedata.normalize("NFKC", text).translate(DASHES)
    for match in FORM_CODE.finditer(cased):
        found[match[0].casefold().replace("/", "-")] = None
    for match in NUMBERED_SOURCE.finditer(cased):
        numbered = f"{match[1]}-{match[2]}".casefold()
        if not PERIOD.fullmatch(numbered):
            found[numbered] = None
    for match in NAMED_PART.finditer(cased):
        found[f"{match[1][:3]} {match[2]}".casefold()] = None  # "Art. 5", "Article 5" and "Artikel 5" are one
    return list(found)


def openings(text: str) -> list[str]:
    """The references that a line or a table row begins with, each once: here the clause itself stands."""
    return list(dict.fromkeys(match[match.lastgroup or 0].casefold().replace("/", "-") for match in OPENING.finditer(text)))


def without_contents(text: str) -> str:
    """The text without entries of a table of contents: of each line what follows its last dot leader and page number."""
    if "…" not in text and ".." not in text and ". ." not in text:
        return text
    lines = text.split("\n")
    return "\n".join(line[max((leader.end() for leader in LEADER.finditer(line)), default=0) :] for line in lines)


def normalised(text: str) -> str:
    """One way to write what can be written in several: width, case, dashes, currency signs, no-break digit groups."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", SPACE_GROUP.sub(",", text)).translate(SAME)
        if NASAL.search(text):
            text = NASAL.sub("ं", text)
        if UNSPACED.search(text):
            text = CJK_CLAUSE.sub(r" \g<0> ", CJK_NUMBER.sub(spaced_number, text))
            text = CJK_EDGE.sub(" ", text)
    return SIGN.sub(lambda match: f" {match.lastgroup} ", text.casefold())


def spaced_number(match: re.Match[str]) -> str:
    value, times = match["digits"], match["times"]
    if times and not re.search(r"[.,].*[.,]|,\d\d?$", value):
        value = format((Decimal(value.replace(",", "")) * CJK_MAGNITUDES[times]).normalize(), "f")
        times = ""
    return f" {value}{times} "


def number_terms(match: re.Match[str], *, point_groups: bool = False) -> list[str]:
    """50,000.00, 50.000,00, 50k and 0.05 million as the one number they are; a short decimal may be a clause: kept as it is."""
    digits, magnitude = match["grouped"] or match["plain"], match["times"] or match["of"]
    if not match["grouped"] and not magnitude and digits.find(".") < 4 and len(digits) < 8:
        thousands = point_groups and POINT_GROUP.fullmatch(digits)  # 50.000 in most of Europe
        return [digits, digits.replace(".", "")] if thousands else [digits]
    if 0 <= digits.find(".") < digits.rfind(",") or digits.count(".") > 1:
        digits = digits.replace(".", "").replace(",", ".")
    value = Decimal(digits.replace(",", "")) * (MAGNITUDES[magnitude.strip()] if magnitude else 1)
    plain = format(value, "f")
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return [plain, match[0]] if magnitude in ("k", "m") else [plain]  # 5m may as well be five metres


def split_run(run: str) -> Iterable[str]:
    """The terms of letters, digits and the signs that join them: codes whole and in parts, compounds joined and in parts."""
    base = BRACKETS.sub("", run)
    if DIGIT.search(run):
        yield run
        if base != run:
            yield base
        parts = re.split("[-/&]", base)
        if len(parts) > 1:
            yield from (part for part in parts if len(part) > 1)
        return
    if base != run:  # "bidder(s)", "a(b)"
        yield from re.split("[-/&.]", base)
        return
    dotted = run.split(".")
    if len(dotted) > 1 and all(len(part) == 1 for part in dotted):  # U.S.A
        yield "".join(dotted)
        return
    for part in dotted:
        pieces = re.split("[-/&]", part)
        if len(pieces) > 1:
            if "-" in part and not {"/", "&"} & set(part):
                yield "".join(pieces)  # sub-contractor is also written subcontractor
            elif min(map(len, pieces)) <= 3:
                yield part  # A/OPC, R&D
            yield from (piece for piece in pieces if len(piece) > 1)
        else:
            yield part


def stemmed(token: str, stem: Callable[[str], str]) -> Iterable[str]:
    """The token's stem, or its overlapping character pairs or triples where its script puts no spaces between words."""
    if token.isascii():
        yield stem(token) if token.isalpha() else token
        return
    at = 0
    for match in UNSPACED.finditer(token):
        if match.start() > at:
            yield stem(token[at : match.start()])
        size = 2 if match["pairs"] else 3
        part = match[0]
        yield from (part[start : start + size] for start in range(max(1, len(part) - size + 1)))
        at = match.end()
    if at < len(token):
        yield stem(token[at:])


def language_name(language: str) -> str:
    """ "it", "it-IT", "Italian" and "italian" as "italian"; a language we know nothing of stays as it is."""
    name = language.casefold()
    return LANGUAGES.get(name.replace("_", "-").split("-")[0], name)


def likely_languages(text: str, among: Iterable[str]) -> list[str]:
    """Those of the languages whose stop words occur most often in the text; all of them when none occurs."""
    found = set(re.findall(PIECE, normalised(text)))
    counts = {language: len(found & stop_words(language)) for language in among}
    most = max(counts.values(), default=0)
    return [language for language, count in counts.items() if count == most]


@cache
def stemmer(language: str) -> Callable[[str], str]:
    name = language_name(language)
    if name not in Stemmer.algorithms():
        return str
    stem = Stemmer.Stemmer(name).stemWord
    return (lambda word: stem(ARABIC_AND.sub("", word))) if name == "arabic" else stem


@cache
def stop_words(language: str) -> frozenset[str]:
    """Words of a language too common to search for; empty where bm25s has no list of its own."""
    name = language_name(language)
    listed = stopwords.STOPWORDS_EN_PLUS if name == "english" else getattr(stopwords, f"STOPWORDS_{name.upper()}", ())
    return frozenset(part for word in listed for part in word.casefold().split("'"))
