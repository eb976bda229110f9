"""Chunks as a reader would check them: where they start and end, which section they name, and that nothing is lost."""

from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ingestion.chunking import chunk_document
from ingestion.reading import ReadDocument
from rag.config import Chunking
from rag.domain import Chunk, Heading, MetadataValue, Page, Parent, Table

SETTINGS = Chunking(strategy="recursive", search_size=100, search_overlap=20, chunk_size=250, chunk_overlap=50)
LIMITS = Table(
    header=("Category", "Limit", "Approver"),
    rows=(("IT equipment", "50,000", "CFO"), ("Travel", "5,000", "Line manager")),
    caption="Approval limits",
    units="USD",
)


def words_in(texts):
    return [len(text.split()) for text in texts]


def chunked(
    *pages: Page, title="Policy", settings=SETTINGS, max_tokens=256, metadata=None, sha256="a" * 64, file="policy.pdf"
) -> tuple[list[Chunk], list[Parent]]:
    document = ReadDocument(
        sha256=sha256, pages=pages, outcome="read", reason="", next_step="", metadata=metadata or {}, seconds=0.0
    )
    return chunk_document(document, file=file, title=title, settings=settings, count_tokens=words_in, max_tokens=max_tokens)


def joined_without_overlaps(chunks: list[Chunk]) -> str:
    text, end = "", 0
    for chunk in chunks:
        assert chunk.start <= end, "a gap between two chunks"
        text += chunk.text[end - chunk.start :]
        end = chunk.end
    return text


def test_a_short_page_is_one_chunk_that_is_its_own_parent():
    chunks, parents = chunked(Page(3, "text", "Three quotations are required.", label="iii"))
    assert [(c.page, c.page_label, c.kind, c.start, c.end, c.text) for c in chunks] == [
        (3, "iii", "text", 0, 30, "Three quotations are required.")
    ]
    assert [(p.page, p.text) for p in parents] == [(3, "Three quotations are required.")]
    assert chunks[0].parent == parents[0].id


def test_white_space_alone_gives_no_chunk():
    assert chunked(Page(1, "empty"), Page(2, "text", " \n\n\t "), Page(3, "failed", reason="It took too long.")) == ([], [])


def test_cuts_between_paragraphs_and_else_between_sentences():
    paragraphs = ["The buyer asks three vendors for a quotation in writing. " * 2, "The lowest one wins. " * 5]
    chunks, _ = chunked(Page(1, "text", "\n\n".join(text.strip() for text in paragraphs)))
    new_text = [chunk.text for chunk in chunks if chunk.start == 0 or chunk.text.startswith("The lowest")]
    assert new_text[0] == "The buyer asks three vendors for a quotation in writing. "
    assert all(chunk.text.rstrip().endswith(".") for chunk in chunks)


def test_overlap_repeats_whole_words_from_the_end_of_the_chunk_before():
    chunks, _ = chunked(Page(1, "text", " ".join(f"word{number:03}" for number in range(60))))
    for before, after in pairwise(chunks):
        shared = before.text[after.start - before.start :]
        assert shared.startswith("word")
        assert 0 < len(shared) <= SETTINGS.search_overlap
        assert len(after.text) <= SETTINGS.search_size


def test_a_chunk_begins_at_a_heading_and_does_not_reach_back_over_it():
    body = "Goods are bought by tender above the limit of the delegation of authority. "
    text = f"4 Thresholds\n{body * 3}\n4.1 Quotations\n{body * 3}"
    start = text.index("4.1")
    headings = (Heading(0, 1, "4 Thresholds"), Heading(start, 2, "4.1 Quotations"))
    chunks, parents = chunked(Page(1, "text", text, headings=headings))
    assert start in [chunk.start for chunk in chunks]
    assert [parent.start for parent in parents] == [0, start]


def test_clauses_stand_alone_unless_they_are_very_short():
    text = "4.1 Micro\n4.2 Three written quotations are needed.\n4.3 The lowest responsive offer wins.\n"
    headings = tuple(Heading(text.index(number), 2, number) for number in ("4.1", "4.2", "4.3"))
    chunks, parents = chunked(Page(1, "text", text, headings=headings))
    assert [chunk.text for chunk in chunks] == [
        "4.1 Micro\n4.2 Three written quotations are needed.\n",
        "4.3 The lowest responsive offer wins.\n",
    ]
    assert [parent.text for parent in parents] == [text]


def test_section_path_goes_on_over_pages_until_a_heading_of_its_level():
    first = Page(1, "text", "4 Thresholds\nSee below.", headings=(Heading(0, 1, "4 Thresholds"),))
    second = Page(2, "text", "4.2 Quotations\nThree are required.", headings=(Heading(0, 2, "4.2 Quotations"),))
    third = Page(3, "text", "They are kept for ten years.")
    fourth = Page(4, "text", "5 Payment\nWithin 30 days.", headings=(Heading(0, 1, "5 Payment"),))
    chunks, _ = chunked(first, second, third, fourth)
    assert [" > ".join(chunk.section) for chunk in chunks] == [
        "4 Thresholds",
        "4 Thresholds > 4.2 Quotations",
        "4 Thresholds > 4.2 Quotations",
        "5 Payment",
    ]


def test_prefix_names_document_organisation_year_and_section():
    found = {
        "document_type": MetadataValue("annual report", "page 1"),
        "organisation": MetadataValue("Northwind", "page 1"),
        "year": MetadataValue("2024", "file name"),
    }
    page = Page(1, "text", "5 Payment\nWithin 30 days.", headings=(Heading(0, 1, "5 Payment"),))
    chunks, _ = chunked(page, title="Annual Report 2024", metadata=found)
    assert chunks[0].prefix == "Annual Report 2024, Northwind | 5 Payment"
    assert chunks[0].searched_text == "Annual Report 2024, Northwind | 5 Payment\n5 Payment\nWithin 30 days."


def test_prefix_of_a_policy_leaves_out_the_organisation_that_all_policies_share():
    found = {"document_type": MetadataValue("policy", "file name"), "organisation": MetadataValue("Northwind", "page 1")}
    chunks, _ = chunked(Page(1, "text", "Within 30 days."), title="Travel Policy", metadata=found)
    assert chunks[0].prefix == "Travel Policy"


def test_the_title_and_the_innermost_heading_alone_are_embedded():
    headings = (Heading(0, 1, "4 Hotels"), Heading(0, 2, "4.2 Limits"))
    chunks, _ = chunked(Page(1, "text", "200 a night.", headings=headings), title="Travel Policy")
    assert chunks[0].searched_text == "Travel Policy | 4 Hotels > 4.2 Limits\n200 a night."
    assert chunks[0].embedded_text == "Travel Policy | 4.2 Limits\n200 a night."


def test_a_long_prefix_keeps_the_innermost_heading():
    headings = tuple(Heading(at, at + 1, f"{'Heading ' * 12}{at}") for at in range(3))
    chunks, _ = chunked(Page(1, "text", "Within 30 days.", headings=headings))
    assert len(chunks[0].prefix) <= 200
    assert chunks[0].prefix.endswith("Heading 2")


def test_token_exceed_split_keeps_every_word_within_the_embedders_limit():
    text = " ".join(f"w{number}" for number in range(200))
    chunks, _ = chunked(Page(1, "text", text), max_tokens=12)
    assert joined_without_overlaps(chunks) == text
    assert max(words_in(chunk.searched_text for chunk in chunks)) <= 12
    assert min(words_in(chunk.text for chunk in chunks[:-1])) >= 5, "small neighbours are merged back"


def test_pages_read_by_ocr_give_ocr_chunks():
    chunks, _ = chunked(Page(1, "ocr", "Memo on the tender", confidence=0.9))
    assert [chunk.kind for chunk in chunks] == ["ocr"]


def test_a_table_is_shown_as_markdown_and_searched_as_sentences():
    chunks, parents = chunked(Page(1, "text", "The limits:", tables=(LIMITS,)), settings=replace(SETTINGS, search_size=200))
    table = chunks[1]
    assert table.kind == "table"
    assert table.text.splitlines()[-2:] == ["| IT equipment | 50,000 | CFO |", "| Travel | 5,000 | Line manager |"]
    assert "Category: IT equipment | Limit: 50,000 | Approver: CFO" in table.searched_text
    assert "Approval limits" in table.searched_text
    assert table.text == parents[1].text


def test_rows_are_never_split_and_every_piece_repeats_the_header():
    rows = tuple((f"Category {number}", f"{number},000", "Head of procurement") for number in range(1, 31))
    chunks, parents = chunked(Page(1, "text", "", tables=(Table(header=LIMITS.header, rows=rows),)))
    markdown_head = ["| Category | Limit | Approver |", "| --- | --- | --- |"]
    for texts in ([chunk.text for chunk in chunks], [parent.text for parent in parents]):
        lines = [line for text in texts for line in text.splitlines()]
        assert [line for line in lines if line not in markdown_head] == [f"| {' | '.join(row)} |" for row in rows]
        assert all(text.splitlines()[:2] == markdown_head for text in texts)
    assert len({chunk.id for chunk in chunks}) == len(chunks)


def test_rows_that_stand_under_a_row_of_their_group_say_so_in_a_later_piece():
    rows = (("Services", "", ""), *((f"Service {number}", f"{number},000", "CFO") for number in range(1, 20)))
    chunks, _ = chunked(Page(1, "text", "", tables=(Table(header=LIMITS.header, rows=rows),)))
    assert "Services | Category: Service 19 | Limit: 19,000 | Approver: CFO" in chunks[-1].searched_text


def test_a_row_longer_than_the_embedder_takes_is_shown_whole_and_searched_in_parts():
    row = ("Travel", "5,000", " ".join(f"n{number}" for number in range(60)))
    chunks, _ = chunked(Page(1, "text", "", tables=(Table(header=LIMITS.header, rows=(row,)),)), max_tokens=30)
    assert len(chunks) > 1
    assert all(row[2] in chunk.text for chunk in chunks)
    assert max(words_in(chunk.searched_text for chunk in chunks)) <= 30
    assert {f"n{number}" for number in range(60)} <= {word for chunk in chunks for word in chunk.searched_text.split()}


def test_ids_depend_on_content_and_place_not_on_the_files_name():
    page = Page(1, "text", "Within 30 days. " * 20)
    here, _ = chunked(page, file="a.pdf")
    renamed, _ = chunked(page, file="new/b.pdf", title="Other title")
    other, _ = chunked(page, sha256="b" * 64)
    assert [chunk.id for chunk in here] == [chunk.id for chunk in renamed]
    assert not {chunk.id for chunk in here} & {chunk.id for chunk in other}


fragments = st.sampled_from(
    ["word ", "A sentence ends here. ", "\n", "\n\n", "  ", "中文字符。", "x" * 130, ". ", "4.2 Heading\n", "aaaa", "\u00a0"]
)


@given(
    text=st.lists(fragments, max_size=80).map("".join),
    starts=st.lists(st.integers(0, 1500), max_size=5, unique=True),
    max_tokens=st.integers(12, 60),
)
def test_chunks_of_a_page_joined_without_overlaps_equal_the_page(text, starts, max_tokens):
    headings = tuple(Heading(at, 1 + at % 3, text[at : at + 8]) for at in sorted(starts) if at < len(text))
    chunks, parents = chunked(Page(1, "text", text, headings=headings), max_tokens=max_tokens)
    assert joined_without_overlaps(chunks) == (text if text.strip() else "")
    by_id = {parent.id: parent for parent in parents}
    for chunk in chunks:
        parent = by_id[chunk.parent]
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.text.strip()
        assert parent.start <= chunk.start
        assert chunk.end <= parent.end
        assert parent.text == text[parent.start : parent.end]
    assert len({chunk.id for chunk in chunks}) == len(chunks)


def test_a_list_item_is_searched_as_the_clause_it_is():
    text = "4.2.1 Damages are paid:\n(a) for goods, 0.5 percent a week;\n(b) for works, 0.1 percent a day."
    chunks, _ = chunked(Page(1, "text", text, headings=(Heading(0, 1, "4.2.1"),)))
    assert [chunk.text for chunk in chunks] == [text]
    assert "4.2.1(b) for works" in chunks[0].searched_text
    assert "4.2.1(b)" not in chunks[0].text
