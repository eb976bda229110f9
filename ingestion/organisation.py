"""The first pages and the PDF's information in, the organisation that issued the document out, where a line names it.

All documents of one organisation should get the same string, so it is cut out of its line ("Acme Ltd Travel Policy" is
"Acme Ltd") and a name in capitals is written as the text writes it elsewhere.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ingestion.document_type import KIND
from rag.domain import MetadataValue, Page

WORD = r"(?:[^\W\d_a-z][\w.&'’-]*|\d[A-Z]\w*)"
SMALL = r"(?:of|and|for|the|&|de|da|do|dos|das|del|della|di|la|le|les|du|des|am|an|der|im|und|y|e|et)"
LEGAL = (
    r"(?:Inc|Incorporated|Corp|LLC|LLP|Ltd|Limited|GmbH|AG|plc|S\.?\s?A|S\.?\s?p\.?\s?A|S\.?r\.?l|Ltda|B\.?V|N\.?V|Oy|AB|Co)"
    r"\b\.?"
)
BODY = (
    r"(?:Authority|Agency|Administration|Corporation|Company|Companies|Commission|Council|Bureau|University|Institute|Foundation"
    r"|Association|Utilities|Municipality|Ministry|Cooperative|(?:School|Water|Utility|Park|Sanitary) District)"
)
HEAD = (
    r"(?:Department|Ministry|University|City|County|Government|Bank|Bureau|Institute|Ministerio|Ministero|Ministério|Universidad"
    r"|Università|Universidade|Companhia|Compañía|Comune|Ayuntamiento|Stadtwerke|Stadt|Ville)"
)
WORDS = rf"{WORD}(?:,? (?:{SMALL} ){{0,2}}{WORD})"
# "Acme Holdings Ltd", "Larkmere Regional Water Authority": the name ends with what it is.
ENDED = re.compile(
    rf"(?:(?i:the) )?(?P<name>{WORDS}{{0,7}}?,? (?:(?i:{LEGAL})|(?i:{BODY})(?!\w))(?:,? (?i:{LEGAL}))*)(?P<rest>.*)"
)
# "Department of Health", "Companhia de Águas do Vale Sereno": it begins with what it is, so only the line's end ends it.
BEGUN = re.compile(
    rf"(?:(?i:the) )?(?P<name>(?:U\.?S\.? |United States |{WORD} )?(?i:{HEAD})(?: {SMALL}){{0,2}} {WORDS}{{0,7}})"
)
SAYS_SO = re.compile(rf"(?i:\b{LEGAL}|\b{BODY})\W*$|^{BEGUN.pattern}$")
# Roles in a contract, and what only ends like an organisation.
NO_NAME = re.compile(
    r"^(?:contracting|approving|issuing|procuring|awarding|competent|granting|signing|parent|holding|limited liability|the|this"
    r"|our|each|any|insurance|public|local|government|federal|purchasing|delegated|signature|financial|approval|responsible|your"
    r"|name of|business|customer|vendor|supplier|contractor)(?: (?:the|and|or|contracting|public|limited))*"
    r" (?:authority|agency|administration|company|companies|corporation|commission|association|council|district)$"
    r"|\b(?:of|to|and|or|for) (?:authority|agency|company|administration)$"
    r"|\b(?:public|business|contract|general|human) administration$"
    r"|^(?:u\.?s\.? |united states )?securities and exchange commission$"  # whose form it is, not whose report
    r"|\b(?:form|invoice|page|section|chapter|appendix|annex|table|re|subject|from|to|bill|ship|attn|prepared|issued|date)\b",
    re.IGNORECASE,
)
REGISTRANT = re.compile(
    r"(?P<named>.{2,80}?)\s*\n+\s*\(\s*exact name of (?:the )?registrant"
    r"|commission file (?:number|no\.?):?\s*\d+-\d+\s+(?P<numbered>[^\n(]{2,80})\n",
    re.IGNORECASE,
)
COUNTRY_INSIDE = re.compile(r"^.+\s(?=(?:U\.S\.|United States)\s)")  # after the name of a brand or a title
LETTERHEAD = 4  # lines


def find_organisation(pages: Sequence[Page], information: Mapping[str, str], title: str) -> MetadataValue | None:
    """The registrant of a filing; the PDF's author or company if the pages say so too; else the one the letterhead names."""
    first = next((page for page in pages if page.text.strip()), None)
    if first is None:
        return None
    registrant = REGISTRANT.search(first.text)
    if registrant:
        name = registrant["named"] or registrant["numbered"]
        return MetadataValue(spelled(name.strip(" *_"), pages), f"page {first.number}")
    shown = letters(" ".join(f"{page.header} {page.text} {page.footer}" for page in pages[:3]))
    for key in ("Company", "Author"):
        name = " ".join(information.get(key, "").split())
        if is_organisation(name) and letters(name) in shown:
            return MetadataValue(spelled(name, pages), "pdf information")
    for page in pages[:3]:
        names = set(names_in(page, title, first=page is first))
        if len(names) == 1:
            return MetadataValue(spelled(names.pop(), pages), f"page {page.number}")
        if names:
            return None
    return None


def names_in(page: Page, title: str, *, first: bool) -> Iterator[str]:
    """Of the running header, and on the first page of the lines at its top; not one that begins with words of the title."""
    lines = page.header.split("\n")
    if first:
        lines += [line for line in page.text.split("\n") if line.strip()][:LETTERHEAD]
    for line in lines:
        line = line.strip()
        if page.outcome == "ocr":
            line = re.sub(r"^[^A-Z]{1,4}\s(?=[A-Z])", "", line)  # a logo, read as letters
        name = name_at_start(line)
        begins = " ".join(name.split()[:2]).casefold()
        if name and (begins not in title.casefold() or name.casefold() in title.casefold()):
            yield name


def name_at_start(line: str) -> str:
    """The organisation that opens a line of a letterhead; "" where it is a sentence or the name's end is not clear."""
    if len(line) > 120:
        return ""
    ended = ENDED.fullmatch(line)
    if ended and is_name(ended["name"]) and re.match(r"$|[\s,|–—-]+[^\Wa-z_]", ended["rest"]):
        return COUNTRY_INSIDE.sub("", ended["name"].strip())
    begun = BEGUN.fullmatch(line)
    return begun["name"] if begun and is_name(begun["name"]) else ""


def is_organisation(name: str) -> bool:
    return 4 <= len(name) <= 80 and bool(SAYS_SO.search(name)) and is_name(name)


def is_name(name: str) -> bool:
    return not NO_NAME.search(name) and not KIND.search(name) and len(name) <= 80


def spelled(name: str, pages: Sequence[Page]) -> str:
    """A name in capitals as the text writes it most often, if it does."""
    name = " ".join(name.split())
    if not name.isupper():
        return name
    pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
    written = Counter(" ".join(match[0].split()) for page in pages for match in pattern.finditer(page.text))
    mixed = [spelling for spelling, _ in written.most_common() if not spelling.isupper() and not spelling[0].islower()]
    return mixed[0] if mixed else name


def letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
