"""A title or a file name in, the kind of document that it names out; "" where it leaves doubt.

A title names its kind by the word that ends its first phrase ("Tender and RFP Guideline" is a guideline, "Guide to
Purchase Orders" a guide, "Contract Management" neither) or by one with a number ("Circular 2025-03: Use of Cards").
"""

import re

FILINGS = (
    ("10-K", r"10-?k"),
    ("10-Q", r"10-?q"),
    ("8-K", r"8-?k"),
)
KINDS = (
    ("annual procurement plan", r"annual procurement plan|supplemental procurement plan"),
    ("procurement monitoring report", r"procurement monitoring report"),
    ("annual report", r"annual (?:\w+ )?report"),
    ("request for quotation", r"request for quotations?|rfq"),
    ("request for proposal", r"request for proposals?|rfp"),
    ("request for information", r"request for information|rfi"),
    ("request for task execution plan", r"request for task execution plan|rtep"),
    ("invitation to bid", r"invitation (?:to|for) (?:bids?|tenders?)|itb"),
    ("bid bulletin", r"bid bulletin"),
    ("performance work statement", r"performance work statement|pws"),
    ("statement of work", r"statement of work"),
    ("terms of reference", r"terms of reference"),
    ("purchase request", r"purchase (?:request|requisition)"),
    ("purchase order", r"purchase order"),
    ("modification log", r"mod(?:ification)?s? log"),
    ("contract", r"(?:terms and )?conditions of (?:contract|purchase|sale)|terms and conditions|contract(?: terms)?|agreement"),
    ("frequently asked questions", r"frequently asked questions|faqs?"),
    ("form", r"(?:enroll?ment|application|request|registration|requisition|order) form"),
    ("memorandum", r"memo(?:randum)?"),
    ("guideline", r"guidelines?"),
    *((word, word) for word in (
        "policy", "guide", "handbook", "manual", "playbook", "matrix", "circular", "report", "budget", "invoice", "quotation",
    )),
)  # fmt: skip
KIND = re.compile("|".join(rf"(?P<k{place}>\b(?:{pattern})\b)" for place, (_, pattern) in enumerate(KINDS)), re.IGNORECASE)
FILING = re.compile(
    "|".join(rf"(?P<k{place}>(?<![\w-]){pattern}(?!\w))" for place, (_, pattern) in enumerate(FILINGS)), re.IGNORECASE
)
PHRASE_END = re.compile(r"\s(?:of|for|on|to|about|in|under|with|from|by|at)\s|\s-\s|[:–—;,(|\n]", re.IGNORECASE)
YEAR = r"(?:19|20)\d\d"
NUMBERED = re.compile(rf"\W*(?:(?:no|number|nr)\b\.?|#)?[\s:._-]*(?!{YEAR}(?![-/\d]))[A-Z]{{0,6}}[-/]?\d[\w/-]*", re.IGNORECASE)
# What may follow the last word of a title: a year, a quarter, a revision, "final".
REST = re.compile(
    rf"[\W_]*(?:(?:(?:fy|cy|fiscal year)[\s-]*)?(?:{YEAR}|\d\d)(?:\s*[-/–]\s*\d{{2,4}})?|q[1-4]"
    r"|(?:rev(?:ision)?|version|ver|v|issue|edition)[.\s]*[\d.]+|final|draft|signed|scan(?:ned)?|copy|template|sample|example"
    r"|amended|approved|updated|ocr|no|(?:[a-z]{1,6}-)+\d[\w-]*|[\d.]+)*[\W_]*",
    re.IGNORECASE,
)
FORM_LINE = re.compile(r"form\s+(10-[KQ]|8-K)(?:/A)?", re.IGNORECASE)
SALES = re.compile(r"(?:tax|commercial|sales|proforma|pro forma|vat|credit)\s+(?=invoice)", re.IGNORECASE)


def kind_of_title(title: str) -> str:
    filing = FILING.search(title)
    if filing:
        return named(filing, FILINGS)
    title = re.sub("(?<=[a-z])-(?=[a-z])", " ", title)  # words of a file name
    matches = list(KIND.finditer(title))
    if not matches:
        return ""
    numbered = not title[: matches[0].start()].strip() and NUMBERED.match(title, matches[0].end())
    if numbered and not any(rest_says_nothing(title[match.end() :]) for match in matches[1:]):
        return named(matches[0], KINDS)
    ends = [end for end in PHRASE_END.finditer(title) if not any(m.start() <= end.start() < m.end() for m in matches)]
    end = next((end.start() for end in ends if end.start() >= matches[0].end()), len(title))
    last = [match for match in matches if match.end() <= end][-1]
    return named(last, KINDS) if rest_says_nothing(title[last.end() : end]) else ""


def kind_of_line(line: str) -> str:
    """What a line says that is nothing but a kind and its number: "INVOICE", "Purchase Order No. 4711", "FORM 10-K"."""
    form = FORM_LINE.fullmatch(line.strip())
    if form:
        return form[1].upper()
    plain = SALES.sub("", line.strip())
    match = KIND.match(plain)
    if not match:
        return ""
    rest = plain[match.end() :].strip()
    return named(match, KINDS) if not rest.strip(":#. ") or NUMBERED.fullmatch(rest) else ""


def rest_says_nothing(text: str) -> bool:
    return all(REST.fullmatch(word) for word in text.split()) or REST.fullmatch(text) is not None


def named(match: re.Match[str], kinds: tuple[tuple[str, str], ...]) -> str:
    place = next(place for place in range(len(kinds)) if match[f"k{place}"])
    return kinds[place][0]
