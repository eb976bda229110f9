"""A WhatsApp chat exported as text in, one page for every window of its messages out, with the window's dates and bounds."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from rag.config import Whatsapp
from rag.domain import Heading, MetadataValue, Page

DateOrder = Literal["day", "month", "year"]  # what a date begins with

# "[31.12.24, 23:59:10] Ann: text" (iPhone) and "12/31/24, 11:59 PM - Ann: text" (Android), with invisible marks and
# narrow spaces before AM and PM; day, month and year stand in the order of the phone's region.
STAMP = re.compile(
    r"^[\u200e\u200f\u202a-\u202e]*"
    r"(?P<open>\[)?(?P<date>\d{1,4}[./-]\d{1,2}[./-]\d{1,4})\.?,?\s+"
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.]\d{2})?(?:\s*(?P<half>[AaPp])\.?\s?[Mm]\.?)?"
    r"(?(open)\]\s*|\s+-\s+)(?P<rest>.*)$"
)
MARKS = "\u200e\u200f\u202a-\u202e"
SENDER = re.compile(rf"^[{MARKS}]*(?:~\s?)?(?P<sender>[^:\n]{{1,60}}?)[{MARKS}]*:\s(?P<text>.*)$", re.DOTALL)
# What the program itself wrote: events have no sender, but may quote a colon; on the iPhone they come with an invisible mark.
EVENT = re.compile(r"\b(?:created group|changed (?:the|this|their|to)|added|removed|joined|pinned)\b")
MARKED = re.compile(
    rf"[{MARKS}]+(?:messages and calls are|.* (?:created|joined|left|added|removed|changed|pinned)\b|your security code|"
    r"missed (?:voice|video) call)",
    re.IGNORECASE,
)
GONE = re.compile(r"(?:this message was deleted|you deleted this message|waiting for this message.*|null)\.?", re.IGNORECASE)
ATTACHED = re.compile(r"<attached: (?P<name>[^>]+)>|(?P<file>[^\n]{1,200}\.\w{2,5}) \(file attached\)")
OMITTED = re.compile(r"<Media omitted>|\b(?:image|video|audio|sticker|document|GIF|Contact card) omitted\b", re.IGNORECASE)
PHONE_DIGITS = 7
SNIFFED = 5  # lines at the start of a file; one of them is stamped in every export


@dataclass(frozen=True, slots=True)
class Message:
    when: datetime
    sender: str
    text: str

    def line(self) -> str:
        return f"{self.when:%Y-%m-%d %H:%M} {self.sender}: {self.text}"


def is_export(start: str) -> bool:
    """Whether a text that starts like this is an exported chat."""
    return any(STAMP.match(line) for line in start.lstrip("\ufeff").splitlines()[:SNIFFED])


def read_chat(path: Path, text: str, settings: Whatsapp) -> tuple[tuple[Page, ...], dict[str, MetadataValue]]:
    """One page a window, whose label and heading name the messages and the time they span; and the chat's metadata."""
    messages = list(parse(text))
    if settings.senders == "pseudonymised":
        messages = pseudonymised(messages)
    pages = tuple(
        window_page(number, first, messages[first:end])
        for number, (first, end) in enumerate(windows(len(messages), settings), start=1)
    )
    return pages, chat_metadata(path, messages)


def windows(count: int, settings: Whatsapp) -> Iterator[tuple[int, int]]:
    """Half-open ranges of messages; the last one is not made up of repeated messages alone."""
    first, step = 0, settings.window_messages - settings.overlap_messages
    while first < count:
        yield first, min(first + settings.window_messages, count)
        if first + settings.window_messages >= count:
            return
        first += step


def window_page(number: int, first: int, messages: Sequence[Message]) -> Page:
    bounds = f"messages {first + 1}–{first + len(messages)}"
    begin, end = messages[0].when, messages[-1].when
    dates = f"{begin:%Y-%m-%d}" if begin.date() == end.date() else f"{begin:%Y-%m-%d} to {end:%Y-%m-%d}"
    text = "\n".join(message.line() for message in messages)
    return Page(number, "text", text, label=f"{bounds}, {dates}", headings=(Heading(0, 1, f"{bounds}, {dates}"),))


def chat_metadata(path: Path, messages: Sequence[Message]) -> dict[str, MetadataValue]:
    name = re.sub(r"[_\s]+", " ", path.stem).strip()
    found = {"title": MetadataValue(name, "file name"), "document_type": MetadataValue("chat", "text")}
    years = {message.when.year for message in messages}
    if len(years) == 1:
        found["year"] = MetadataValue(str(years.pop()), "text")
    if messages:
        found["first_message"] = MetadataValue(messages[0].when.isoformat(" ", "minutes"), "text")
        found["last_message"] = MetadataValue(messages[-1].when.isoformat(" ", "minutes"), "text")
    return found


def parse(text: str) -> Iterator[Message]:
    """The messages people wrote, in their order; system lines are left out, attachments named where the export names them."""
    order = date_order(text)
    current: Message | None = None
    lines: list[str] = []
    for line in text.lstrip("\ufeff").splitlines():
        stamp = STAMP.match(line)
        when = moment(stamp, order) if stamp else None
        if stamp is None or when is None:
            lines.append(line)  # a message of several lines
            continue
        yield from finished(current, lines)
        said = SENDER.match(stamp["rest"])
        current = Message(when, said["sender"].strip(), "") if said and not EVENT.search(said["sender"]) else None
        lines = [said["text"]] if said else []
    yield from finished(current, lines)


def finished(message: Message | None, lines: Sequence[str]) -> Iterator[Message]:
    """The message with its text, unless the program wrote it or nothing is left of it."""
    text = "\n".join(lines)
    if message is None or MARKED.match(text):
        return
    text = ATTACHED.sub(lambda found: f"[attached: {found['name'] or found['file']}]", text)
    text = OMITTED.sub("[attachment not exported]", text)
    text = re.sub(f"[{MARKS}]", "", text).strip()
    if text and not GONE.fullmatch(text):
        yield replace(message, text=text)


def date_order(text: str) -> DateOrder:
    """Whether dates begin with the day, the month or the year: what all of them allow, else what keeps them in sequence."""
    dates = [tuple(map(int, re.split(r"[./-]", stamp["date"]))) for line in text.splitlines() if (stamp := STAMP.match(line))]
    if any(first > 31 for first, _, _ in dates):
        return "year"
    if any(first > 12 for first, _, _ in dates):
        return "day"
    if any(second > 12 for _, second, _ in dates):
        return "month"
    by_day = [(year, month, day) for day, month, year in dates]
    by_month = [(year, month, day) for month, day, year in dates]
    return "month" if by_day != sorted(by_day) and by_month == sorted(by_month) else "day"


def moment(stamp: re.Match[str], order: DateOrder) -> datetime | None:
    first, second, third = map(int, re.split(r"[./-]", stamp["date"]))
    year, month, day = {"day": (third, second, first), "month": (third, first, second), "year": (first, second, third)}[order]
    hour = int(stamp["hour"])
    if stamp["half"]:
        hour = hour % 12 + (12 if stamp["half"].lower() == "p" else 0)
    try:
        return datetime(year + 2000 if year < 100 else year, month, day, hour, int(stamp["minute"]))
    except ValueError:  # it only looks like a date
        return None


def pseudonymised(messages: Sequence[Message]) -> list[Message]:
    """Senders as "Participant 1" in the order they first write, in their messages and in those that name them."""
    names = list(dict.fromkeys(message.sender for message in messages))
    alias = {name: f"Participant {number}" for number, name in enumerate(names, start=1)}
    spellings = dict(alias)
    for name in names:
        digits = "".join(filter(str.isdigit, name))
        if len(digits) >= PHONE_DIGITS:
            spellings[digits] = alias[name]  # "@4915112345678" names a sender listed as "+49 151 12345678"
    longest_first = sorted(spellings, key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)") if names else None
    return [
        replace(
            message,
            sender=alias[message.sender],
            text=pattern.sub(lambda found: spellings[found[0]], message.text) if pattern else message.text,
        )
        for message in messages
    ]
