"""The index in; a few questions that people ask and its documents answer, for the empty page, out."""

import re
from collections.abc import Sequence

from rag.domain import ApprovalRule, Chunk, FileRecord
from rag.index import Snapshot
from rag.revisions import superseded

EXAMPLES = 4
LOOKED_AT = 300  # chunks of a document; its topics are found by then
BY_AMOUNT = {"approves": "Who approves a {thing} of {amount}?", "method": "Which method applies to a {thing} of {amount}?"}
THINGS = {
    "purchase": r"purchas|procure|commitment|estimated value",
    "contract": r"contract",
    "payment": r"payment|invoice",
    "expense": r"expens",
}
STATES_RULES = re.compile(
    r"polic|rule|guid|terms|contract|circular|procedure|manual|handbook|regulation|directive|\bcode\b", re.IGNORECASE
)
FIGURE = re.compile(
    r"[$€£₹]\s?\d|\b[A-Z]{3} \d|\d\s?(?:%|percent|(?:calendar |working |business )?(?:days|months|years|hours)\b)"
)
NEEDS_NO_ARTICLE = re.compile(r"\b(?:and|or)\b|[^s]s$", re.IGNORECASE)  # "bids and tenders", "liquidated damages"
NUMBERING = re.compile(
    r"^(?:(?:section|chapter|article|part|annex|clause|table)\s+)?[\dIVX]+(?:[.)]\d*)*[.):]?\s+|^\(?[a-z][.)]\s+", re.IGNORECASE
)
TOO_GENERAL = re.compile(
    r"^(?:introduction|purpose|scope|general|overview|background|contents|table of contents|definitions?|foreword|preface|"
    r"why|how|what|who|when|where|which|before|after|about|this|these|our|your|to|the|annex|appendix|document control|message|"
    r"roles|responsibilities|frequently|questions|warning|key|revision history|version history|summary|conclusion|references?|"
    r"\w+ing(?! card| limit| period| fee| rate| cost))\b|\bfrom\b.*\bto\b|[:,;]",
    re.IGNORECASE,
)


def example_questions(snapshot: Snapshot, configured: tuple[str, ...]) -> list[str]:
    """Those of the configuration; else who approves an amount and which method it takes, then one topic a document.

    Of the topics those come first whose text holds a figure, and a document of every folder before a second one of it.
    """
    if configured:
        return list(configured[:EXAMPLES])
    questions = amount_questions(in_force(snapshot))
    topics: dict[str, str] = {}  # topic -> question
    for index in one_a_folder_first(snapshot):
        if len(questions) + len(topics) == EXAMPLES:
            break
        record = snapshot.files[index]
        chunks = [snapshot.chunk(int(row)) for row in snapshot.rows_of(index)[:LOOKED_AT]]
        found = [(not FIGURE.search(chunk.text), topic) for chunk in chunks if (topic := topic_of(chunk, record.title))]
        free = [each for each in found if each[1] not in topics]
        if free:
            topic = min(free, key=lambda each: each[0])[1]  # the first in the text, among equals
            topics[topic] = topic_question(topic, record)
    return [*questions, *topics.values()][:EXAMPLES]


def in_force(snapshot: Snapshot) -> list[FileRecord]:
    """The documents that no other one replaces, the newest first."""
    replaced = superseded(snapshot.files)
    files = [record for index, record in enumerate(snapshot.files) if index not in replaced]
    return sorted(files, key=effective_date, reverse=True)


def effective_date(record: FileRecord) -> str:
    found = record.metadata.get("effective_date") or record.metadata.get("year")
    return found.value if found else ""


def amount_questions(files: Sequence[FileRecord]) -> list[str]:
    """One for each relation that some document lays down in bands that follow upon one another."""
    questions = []
    for relation, wording in BY_AMOUNT.items():
        for record in files:
            bands = ladder([rule for rule in record.rules if rule.relation == relation and not rule.category])
            thing = thing_of(bands)
            if thing:
                middle = bands[len(bands) // 2]
                questions.append(wording.format(thing=thing, amount=f"{middle.currency} {inside(middle):,}".strip()))
                break
    return questions


def ladder(rules: Sequence[ApprovalRule]) -> list[ApprovalRule]:
    """The bands in their order, each beginning where the one before ends, if there are three or more; else none."""
    steps: list[ApprovalRule] = []
    for rule in sorted(rules, key=lambda rule: (rule.low or 0, rule.high or float("inf"))):
        if (rule.low or 0) == (steps[-1].high if steps else 0):
            steps.append(rule)
    return steps if len(steps) >= 3 else []


def thing_of(bands: Sequence[ApprovalRule]) -> str:
    quotes = " ".join(rule.quote for rule in bands)
    return next((thing for thing, words in THINGS.items() if re.search(words, quotes, re.IGNORECASE)), "")


def inside(band: ApprovalRule) -> int:
    """A round amount within the band."""
    low = band.low or 0
    middle = (low + band.high) / 2 if band.high else low * 2
    step = 10 ** (len(str(int(middle))) - 1)
    rounded = round(middle / step) * step
    return int(rounded if low < rounded <= (band.high or rounded) else middle)


def topic_question(topic: str, record: FileRecord) -> str:
    kind = record.metadata.get("document_type")
    language = record.metadata.get("language")
    english = language is None or language.value == "english"
    if english and STATES_RULES.search(f"{kind.value if kind else ''} {record.title}"):
        return f"What are the rules on {topic}?"
    return f"What is said about {topic} in {record.title}?"


def one_a_folder_first(snapshot: Snapshot) -> list[int]:
    replaced = superseded(snapshot.files)
    seen: dict[str, int] = {}
    order = []
    for index, record in enumerate(snapshot.files):
        if index in replaced:
            continue
        folder = record.path.rpartition("/")[0]
        seen[folder] = seen.get(folder, 0) + 1
        order.append((not STATES_RULES.search(f"{record.path} {record.title}"), seen[folder], index))
    return [index for *_, index in sorted(order)]


def topic_of(chunk: Chunk, title: str) -> str:
    """The chunk's innermost heading as it reads in a sentence; "" where it would not, or is too short, long or general."""
    headings = [heading for heading in chunk.section if any(character.isalpha() for character in heading)]
    heading = NUMBERING.sub("", headings[-1]).strip(" .:") if headings else ""
    words = heading.split()
    says_more = set(heading.casefold().split()) - set(title.casefold().split())
    if not 2 <= len(words) <= 5 or heading.isupper() or TOO_GENERAL.search(heading) or len(says_more) < 2:
        return ""
    if not NEEDS_NO_ARTICLE.search(heading):
        return ""
    return " ".join(word.lower() if word[1:].islower() or len(word) == 1 else word for word in words)
