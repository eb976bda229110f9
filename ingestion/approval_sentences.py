"""The text of a page in, the approval rules that its sentences state out: role, verb and amount band stand together."""

import re
from collections.abc import Iterator, Sequence

from rag.bands import Band, find_bands, is_money, value_of
from rag.domain import ApprovalRule
from rag.figures import figures
from rag.sentences import sentences

ABOUT_AUTHORITY = re.compile(r"approv|authori|delegat|signator|limit|sanction", re.IGNORECASE)
LONGEST_SUBJECT = 120  # characters
SMALLEST = 100  # a smaller band without a currency counts members or days, not money
ROLE_PIECE = r"[A-Z][\w&/’'-]*|of|the|for|and"
OFFICE = (
    r"(?:[a-z][\w-]*\s){0,3}(?:officer|official|manager|director|head|board|committee|council|authority|executive|supervisor)"
    r"(?:\sof\s(?:the\s)?[a-z]+(?:\s(?:activity|agency|department|office|unit))?)?"
)
ROLE = (
    rf"(?:the |a |an |their |its )?(?P<role>(?:{ROLE_PIECE})(?:\s(?:{ROLE_PIECE}|\([A-Z/&]{{2,8}}\)))*"
    rf"(?<! for)(?<! of)(?<! the)|{OFFICE})"
)
APPROVING = r"approve|authori[sz]e|sanction|sign|award|commit|ratify"
ACTING = (
    r"waive|write off|release|settle|dispose of|transfer|spend|incur|buy|purchase|procure|issue|grant|accept|enter into|pay|"
    r"reimburse|raise|increase|extend|terminate|cancel|order|execute|delegate|adjust|forgive|lend|lease"
)
MAY_ACT = re.compile(
    ROLE
    + r",? (?:may|can|shall|must|will|is (?:authori[sz]ed|empowered|delegated|entitled|permitted|allowed) to"
    + r"|has (?:the )?(?:authority|power) to)"
    + rf"(?: also| only)? (?P<verb>{APPROVING}|{ACTING})\b(?P<object>[^.;,]*)"
)
APPROVES = re.compile(ROLE + r" (?:approves|authori[sz]es|sanctions|signs|awards|ratifies)\b(?P<object>[^.;,]*)")
APPROVED_BY = re.compile(
    r"(?:approv(?:ed|al)|sanction(?:ed)?|sign(?:ed|ature)|authori[sz](?:ed|ation)|award(?:ed)?|ratified)(?: in writing)?"
    r"(?: by| of| from) " + ROLE
)
# "approved by the CPO up to 75,000, by the GM up to 250,000, and by the Board above": a ladder of roles.
STEP = re.compile(
    r"\b(?:by|of|from) "
    + ROLE
    + r",?\s+(?:for (?:amounts|values|purchases|contracts)\s+)?"
    + r"(?P<bound>up to|not exceeding|below|under|above|over|beyond|exceeding)\b"
)
ABOVE = re.compile(r"above|over|beyond|exceeding", re.IGNORECASE)
RUN_IN = re.compile(r"\s*\d+(?:\.\d+)+\.?\s+(?P<topic>(?:\S+\s){0,5}\S+?)\.\s")  # "8.1 Sole source. A purchase …"
CLAUSE_NUMBER = re.compile(r"\s*\d+(?:\.\d+)+\.?\s")
# What any purchase is called: a rule about these holds for anything.
GENERAL = re.compile(
    r"\b(?:purchas\w+|proposed|contracts?|commitments?|expenditures?|expenses?|procurements?|awards?|orders?|transactions?|acquisitions?|"
    r"amounts?|values?|requisitions?|spending|costs?|tenders?|bids?|an?|the|all|any|every|each|of|in|with|for|to|and|or|on|its|"
    r"their|single|individual|up|not|more|than|less|exceeding|below|under|above|over|between|from|worth|total|valued?|at|is|are|"
    r"must|shall|may|be|which|that|new|requires?)\b|\W+",
    re.IGNORECASE,
)
METHOD_NAMES = (
    r"request for quotations?(?: \(RFQ\))?", "RFQ", r"request for proposals?(?: \(RFP\))?", "RFP",
    r"invitation to bid(?: \(ITB\))?", "ITB", r"invitation to tender(?: \(ITT\))?", "ITT",
    r"open (?:competitive )?(?:tender(?:ing)?|bidding|procedure)", r"restricted (?:tender|procedure)",
    r"competitive (?:sealed )?bidding", r"limited (?:tender|bidding)", r"s(?:ingle|ole)[- ]source",
    r"direct (?:purchase|award|contracting)", "shopping", "small value procurement", r"micro-?purchases?", "petty cash",
    r"purchas(?:e|ing) cards?", r"(?:one|two|three|four|five) (?:written |competitive )?(?:quotations?|quotes|bids)",
)  # fmt: skip
METHODS = re.compile(
    r"\b(?:by(?: means of)?|through|using|via|requires?|required|uses?|follows?|needs?)(?: the| an?| at least| a minimum of)? "
    rf"(?P<method>{'|'.join(METHOD_NAMES)})\b(?!\s+(?:justification|form|waiver|report|request))",
    re.IGNORECASE,
)
ROLE_WORDS = re.compile(
    r"\b(?:officers?|managers?|directors?|director-general|heads?|boards?|committees?|councils?|secretar\w+|president\w*|vice-\w+|"
    r"chair\w*|chief|treasurer|comptroller|controller|administrators?|ministers?|authority|\w*holders?|executives?|"
    r"commissioners?|partners?|supervisors?|buyers?|mayor|dean|rector|principals?|leads?|general counsel|requesters?|owners?|"
    r"dirett\w+|directeur|gerente|leiter\w*|vorstand|consiglio|presidente|diretor\w*|responsab\w+)\b",
    re.IGNORECASE,
)
ABBREVIATION = re.compile(r"\b(?:[A-Z]{2,6}|[A-Z][a-z]{1,2}[A-Z]{1,2})\b")  # CFO, HoD
LONGEST_SENTENCE = 600  # characters
BOUND_AT_END = re.compile(
    r"(?:\s+(?:of|for|in|with|at|up|to|not|exceeding|a|an|the|value|amount|total|more|less|than|above|over|below|under|between|"
    r"is|are|must|shall|valued|worth))*\s*$",
    re.IGNORECASE,
)
VERB = re.compile(
    r"\s+(?:(?P<passive>(?:must|shall|should|may|will|can)(?: only)? (?:be|require)|is|are|needs?|requires?)"
    r"|must|shall|should|may|will|can|obtains?|seeks?)\b"
)
ARTICLE = re.compile(r"^(?:for )?(?:the|an?|any|all|each|every)\s+", re.IGNORECASE)
SUBJECT = re.compile(r"(?P<subject>\w.{2,60}?)\s+(?:requires?|needs?|must|shall|is|are|may|will)\b", re.DOTALL)


def is_amount(band: Band) -> bool:
    """Whether a band is one of money: it names a currency, is large enough, or is the open one."""
    ends = [end for end in (band.low, band.high) if end is not None]
    return not ends or bool(band.currency) or max(ends) >= SMALLEST


def is_role(name: str) -> bool:
    """Whether a column's header or a phrase names someone who can decide."""
    return len(name) <= LONGEST_SUBJECT and bool(ROLE_WORDS.search(name) or ABBREVIATION.fullmatch(name.strip()))


def rules_of_text(text: str, page: int) -> Iterator[ApprovalRule]:
    """Role, verb and band must stand in one part of a sentence; a semicolon separates parts."""
    topic = ""  # of a clause that begins "8.1 Sole source.": what its rules are about
    for whole in sentences(text):
        run_in = RUN_IN.match(whole)
        if CLAUSE_NUMBER.match(whole):
            topic = run_in["topic"] if run_in and not is_role(run_in["topic"]) else ""
        for part in (part.strip() for part in whole.split(";")):
            if len(part) <= LONGEST_SENTENCE:
                yield from rules_of_sentence(part, topic, page)


def rules_of_sentence(sentence: str, topic: str, page: int) -> Iterator[ApprovalRule]:
    if steps := list(rules_of_ladder(sentence, topic, page)):
        yield from steps
        return
    bands = [band for band in find_bands(sentence) if is_amount(band)]
    if not bands:
        return
    for pattern in (MAY_ACT, APPROVES, APPROVED_BY):
        for match in pattern.finditer(sentence):
            if role := clean_role(match["role"]):
                band = nearest(bands, match.start())
                category = about(match, band, sentence) or topic
                yield ApprovalRule("approves", role, band.low, band.high, band.currency, category, page, sentence)
    for match in METHODS.finditer(sentence):
        band = nearest(bands, match.start())
        first, last = sorted(((match.start(), match.end()), (band.start, band.end)))
        if not ABOUT_AUTHORITY.search(sentence[first[1] : last[0]]):
            yield ApprovalRule("method", match["method"], band.low, band.high, band.currency, topic, page, sentence)


def rules_of_ladder(sentence: str, topic: str, page: int) -> Iterator[ApprovalRule]:
    """Each role with its step: from where the one before ends, up to its own limit."""
    steps = list(STEP.finditer(sentence))
    if len(steps) < 2 or not ABOUT_AUTHORITY.search(sentence):
        return
    subject = SUBJECT.match(CLAUSE_NUMBER.sub("", sentence))
    about = topic or (special(subject["subject"]) if subject else "")
    below: float | None = None
    currency = ""
    for at, step in enumerate(steps):
        following = sentence[step.end() : steps[at + 1].start() if at + 1 < len(steps) else len(sentence)]
        amount = next((figure for figure in figures(following) if is_money(figure)), None)
        above = ABOVE.fullmatch(step["bound"])
        role = clean_role(step["role"])
        low = (value_of(amount) if amount else below) if above else below
        high = None if above else value_of(amount) if amount else None
        if role and (low is not None or high is not None):
            currency = (amount.unit if amount else "") or currency
            yield ApprovalRule("approves", role, low, high, currency, about, page, sentence)
        below = high


def about(match: re.Match[str], band: Band, sentence: str) -> str:
    """What a rule is about: the verb's object, or what "must be approved"; "" where that is any purchase."""
    parts = match.groupdict()
    if "object" in parts:
        start = match.start("object")
        thing = sentence[start : max(start, min(match.end("object"), band.start))] if band.start > start else parts["object"]
        verb = parts.get("verb") or ""
        verb = "" if not verb or re.fullmatch(APPROVING, verb) else verb
    else:
        thing, verb = sentence[: min(band.start, match.start())], ""
        thing = CLAUSE_NUMBER.sub("", thing).rsplit(",", 1)[-1].rsplit(". ", 1)[-1]
        said = VERB.search(thing)
        thing = (thing[: said.start()] if said["passive"] else "") if said else thing
    thing = BOUND_AT_END.sub("", thing)
    return f"{verb} {ARTICLE.sub('', thing.strip(' ,:–-'))}" if verb else special(thing)


def special(thing: str) -> str:
    """The name of a kind of purchase; "" where it says no more than purchase, contract or amount."""
    thing = thing.strip(" ,:–-")
    return ARTICLE.sub("", thing) if GENERAL.sub("", thing) and len(thing) <= LONGEST_SUBJECT / 2 else ""


def clean_role(text: str) -> str:
    """The role's name without the words that led into it; "" where what was caught is no role."""
    role = re.sub(
        r"^(?:(?:the|of|and|for|a|an|purchases|contracts|all|any|only|if|when)\s)+|(?:\s(?:of|the|for|and))+$",
        "",
        text,
        flags=re.I,
    )
    return role if ROLE_WORDS.search(role) or ABBREVIATION.search(role) else ""


def nearest(bands: Sequence[Band], position: int) -> Band:
    return min(bands, key=lambda band: min(abs(band.start - position), abs(band.end - position)))
