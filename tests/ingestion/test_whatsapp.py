"""Exported chats as phones write them: both forms, every order of dates, and what is no message."""

from datetime import datetime
from pathlib import Path

import pytest

from ingestion.whatsapp import is_export, parse, read_chat, windows
from rag.config import Whatsapp

SETTINGS = Whatsapp(window_messages=20, overlap_messages=5, senders="kept")

ANDROID = """\
12/31/24, 11:58 PM - Messages and calls are end-to-end encrypted. Only people in this chat can read them.
12/31/24, 11:58 PM - Ann Smith created group "Bridge: repairs"
12/31/24, 11:58 PM - Ann Smith changed the subject to "Bridge: urgent repairs"
12/31/24, 11:59\u202fPM - Ann Smith: Two offers came in:
Miller 40,000
Jones 45,000
1/1/25, 12:03 AM - +49 151 12345678: <Media omitted>
1/1/25, 12:04 AM - +49 151 12345678: offer.pdf (file attached)
1/1/25, 12:05 AM - Ann Smith: This message was deleted
1/1/25, 12:06 AM - Ann Smith: @4915112345678 he left the group of bidders
"""

IPHONE = """\
[31.12.24, 23:58:01] Bridge: \u200eMessages and calls are end-to-end encrypted.
[31.12.24, 23:58:02] Bridge: \u200eAnn Smith created this group
[31.12.24, 23:59:10] Ann Smith: Two offers came in:
Miller 40,000
\u200e[01.01.25, 00:03:00] ~\u202fBob: \u200e<attached: 00000012-PHOTO.jpg>
[01.01.25, 00:04:00] ~\u202fBob: \u200eimage omitted
"""


def lines(text):
    return [message.line() for message in parse(text)]


def test_android_export():
    assert lines(ANDROID) == [
        "2024-12-31 23:59 Ann Smith: Two offers came in:\nMiller 40,000\nJones 45,000",
        "2025-01-01 00:03 +49 151 12345678: [attachment not exported]",
        "2025-01-01 00:04 +49 151 12345678: [attached: offer.pdf]",
        "2025-01-01 00:06 Ann Smith: @4915112345678 he left the group of bidders",
    ]


def test_iphone_export():
    assert lines(IPHONE) == [
        "2024-12-31 23:59 Ann Smith: Two offers came in:\nMiller 40,000",
        "2025-01-01 00:03 Bob: [attached: 00000012-PHOTO.jpg]",
        "2025-01-01 00:04 Bob: [attachment not exported]",
    ]


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        (["31/12/24", "01/02/25"], [datetime(2024, 12, 31, 9, 0), datetime(2025, 2, 1, 9, 0)]),
        (["12/31/24", "1/2/25"], [datetime(2024, 12, 31, 9, 0), datetime(2025, 1, 2, 9, 0)]),
        (["2024-12-31", "2025-01-02"], [datetime(2024, 12, 31, 9, 0), datetime(2025, 1, 2, 9, 0)]),
        (["03.04.2024", "05.04.2024"], [datetime(2024, 4, 3, 9, 0), datetime(2024, 4, 5, 9, 0)]),
        (["1/12/24", "2/1/24"], [datetime(2024, 1, 12, 9, 0), datetime(2024, 2, 1, 9, 0)]),  # by day they would go back
    ],
)
def test_the_order_of_day_and_month_is_found_from_all_dates(dates, expected):
    text = "\n".join(f"{date}, 09:00 - Ann: hello" for date in dates)
    assert [message.when for message in parse(text)] == expected


def test_a_line_that_only_looks_stamped_belongs_to_the_message():
    text = "31/12/24, 09:00 - Ann: the dates are\n99/99/99, 10:00 - none of them\n31/12/24, 09:01 - Bob: ok"
    assert [message.text for message in parse(text)] == ["the dates are\n99/99/99, 10:00 - none of them", "ok"]


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (0, []),
        (3, [(0, 3)]),
        (20, [(0, 20)]),
        (21, [(0, 20), (15, 21)]),
        (35, [(0, 20), (15, 35)]),
        (36, [(0, 20), (15, 35), (30, 36)]),
    ],
)
def test_windows_of_20_messages_repeat_5(count, expected):
    assert list(windows(count, SETTINGS)) == expected


def test_a_window_is_a_page_that_names_its_messages_and_dates():
    text = "\n".join(f"{day:02}/12/24, 09:00 - Ann: message {day}" for day in range(1, 26))
    pages, metadata = read_chat(Path("WhatsApp Chat with Supplier.txt"), text, SETTINGS)
    assert [page.label for page in pages] == [
        "messages 1–20, 2024-12-01 to 2024-12-20",
        "messages 16–25, 2024-12-16 to 2024-12-25",
    ]
    assert pages[0].headings[0].text == pages[0].label
    assert pages[1].text.splitlines()[0] == "2024-12-16 09:00 Ann: message 16"
    assert {key: value.value for key, value in metadata.items()} == {
        "title": "WhatsApp Chat with Supplier",
        "document_type": "chat",
        "year": "2024",
        "first_message": "2024-12-01 09:00",
        "last_message": "2024-12-25 09:00",
    }


def test_senders_can_be_pseudonymised_wherever_they_are_named():
    hidden = Whatsapp(window_messages=20, overlap_messages=5, senders="pseudonymised")
    pages, _ = read_chat(Path("chat.txt"), ANDROID + "1/1/25, 1:00 AM - Bob 2: Ann Smith said 2 offers\n", hidden)
    text = pages[0].text
    assert "Ann Smith" not in text
    assert "12345678" not in text
    assert "@Participant 2 he left" in text
    assert text.splitlines()[-1] == "2025-01-01 01:00 Participant 3: Participant 1 said 2 offers"


@pytest.mark.parametrize("text", [ANDROID, IPHONE, "\ufeff" + IPHONE])
def test_an_export_is_told_from_other_text(text):
    assert is_export(text)


@pytest.mark.parametrize("text", ["", "Meeting notes\n31/12/24 budget agreed", "# Read me\n\n- one"])
def test_other_text_is_no_export(text):
    assert not is_export(text)
