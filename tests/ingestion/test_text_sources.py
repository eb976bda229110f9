"""Chats and ready chunks as documents: where their metadata comes from, and what is said of bad ones."""

import pytest

from ingestion.text_sources import read_source

CHAT = "31/12/24, 09:00 - Ann: The offer for the bridge is forty thousand.\n"


@pytest.fixture
def chat(tmp_path):
    path = tmp_path / "Chat with Miller Q4 2024.txt"
    path.write_text(CHAT, encoding="utf-8")
    return path


def test_a_sidecar_goes_before_the_file_name_and_that_before_the_text(chat, config):
    (chat.parent / f"{chat.name}.toml").write_text('quarter = "Q1"\norganisation = "Larkmere"')
    metadata = read_source(chat, config).metadata
    assert {key: (value.value, value.found_in) for key, value in metadata.items() if key != "language"} == {
        "title": ("Chat with Miller Q4 2024", "file name"),
        "document_type": ("chat", "text"),
        "organisation": ("Larkmere", "sidecar"),
        "year": ("2024", "file name"),
        "quarter": ("Q1", "sidecar"),
        "first_message": ("2024-12-31 09:00", "text"),
        "last_message": ("2024-12-31 09:00", "text"),
    }


def test_utf_16_is_read_too(chat, config):
    chat.write_text(CHAT, encoding="utf-16")
    assert read_source(chat, config).pages[0].text == "2024-12-31 09:00 Ann: The offer for the bridge is forty thousand."


def test_text_in_another_encoding_fails_with_what_to_do(chat, config):
    chat.write_bytes(CHAT.replace("bridge", "brücke").encode("latin-1"))
    document = read_source(chat, config)
    assert (document.outcome, document.pages, document.next_step) == ("failed", (), "Export it again.")
    assert "not UTF-8" in document.reason


def test_too_large_and_vanished_files_are_described(chat, config):
    too_small = config.with_values(documents={"max_file_mb": 0})
    assert "files above 0 MB are not read" in read_source(chat, too_small).reason
    chat.unlink()
    assert "removed" in read_source(chat, config).reason


def test_a_chat_without_messages_says_so(chat, config):
    chat.write_text("31/12/24, 09:00 - Messages are end-to-end encrypted.\n")
    document = read_source(chat, config)
    assert (document.outcome, document.reason) == ("read", "None of its pages holds text.")
