from ingestion.layout import Word, lines_in_reading_order


def words(*rows, size=10.0):
    """(x, top, text) rows in stream order as words of five points a character."""
    found = []
    for x, top, text in rows:
        for position, word in enumerate(text.split()):
            found.append(Word(word, x, top, x + 5 * len(word), top + size, size, joined=position > 0))
            x += 5 * len(word) + 3
    return found


def texts(found, tables=()):
    return [line.text if line.table is None else f"[table {line.table}]" for line in lines_in_reading_order(found, tables)]


def test_lines_go_from_top_to_bottom_whatever_the_stream_order():
    assert texts(words((72, 100, "second line"), (72, 88, "first line"))) == ["first line", "second line"]


def test_raised_characters_stay_on_their_line():
    mark = Word("2", 141, 98, 145, 104, 6)
    assert texts([*words((72, 100, "the 737 MAX.")), mark, *words((150, 100, "See below."))]) == ["the 737 MAX. 2 See below."]


def test_words_drawn_apart_are_joined_where_they_touch():
    halves = [Word("regula", 72, 100, 102, 110, 10), Word("tion", 102.2, 100, 122, 110, 10)]
    assert texts(halves) == ["regulation"]


def prose(x, top, lines, name):
    return [(x, top + 12 * number, f"{name} line {number} goes on and on here") for number in range(lines)]


def test_three_columns_under_a_heading():
    heading = (72, 40, "a heading that runs over all of the three columns of this page of the official journal, whole")
    columns = [prose(72 + 200 * number, 60, 6, name) for number, name in enumerate(("one", "two", "six"))]
    rows = [row for line in zip(*columns, strict=True) for row in line]  # drawn line by line
    assert texts(words(heading, *rows)) == [heading[2], *(row[2] for column in columns for row in column)]


def test_full_width_paragraph_between_columns_divides_them():
    upper = [*prose(72, 60, 4, "one"), *prose(272, 60, 4, "two")]
    middle = [(72, 120, "this paragraph runs over both of the columns and so ends what stands above it on the page")]
    lower = [*prose(72, 140, 4, "six"), *prose(272, 140, 4, "ten")]
    assert texts(words(*upper, *middle, *lower)) == [row[2] for row in (*upper, *middle, *lower)]


def test_prose_in_table_cells_keeps_the_order_of_the_cells():
    rows = []
    for number in range(4):
        top = 60 + 40 * number
        rows += [(72, top, f"requirement {number} of the buyer is"), (72, top + 12, "that the supplier delivers it all")]
        rows += [(272, top, f"answer {number} of the supplier is yes"), (272, top + 12, "and it delivers all of it soon")]
    assert texts(words(*rows)) == [row[2] for row in rows]


def test_columns_of_figures_are_rows_of_a_table():
    rows = [
        (x, 60 + 12 * number, text)
        for number in range(5)
        for x, text in ((72, f"Item {number}"), (272, "1,000"), (372, "2,000"))
    ]
    by_column = sorted(rows)
    assert texts(words(*by_column)) == [f"Item {number} 1,000 2,000" for number in range(5)]


def test_label_and_value_stay_on_one_line():
    rows = [
        (72, 60, "Supplier"),
        (272, 60, "Acme Ltd"),
        (72, 72, "Amount"),
        (272, 72, "5,000"),
        (72, 84, "Due"),
        (272, 84, "May"),
    ]
    assert texts(words(*rows)) == ["Supplier Acme Ltd", "Amount 5,000", "Due May"]


def test_a_table_stands_where_it_stood():
    found = words((72, 60, "above it"), (72, 300, "below it"))
    assert texts(found, [(60, 100, 400, 250)]) == ["above it", "[table 0]", "below it"]


def test_a_table_in_one_column_stays_in_it():
    left, right = prose(72, 60, 10, "one"), prose(272, 60, 4, "two")
    lower = prose(272, 140, 4, "six")
    found = words(*left, *right, *lower)
    assert texts(found, [(272, 110, 460, 136)]) == [row[2] for row in (*left, *right)] + ["[table 0]"] + [
        row[2] for row in lower
    ]


def test_gaps_are_counted_as_cells():
    (line,) = lines_in_reading_order(words((72, 60, "Item"), (200, 60, "1,000"), (300, 60, "2,000")))
    assert (line.text, line.cells) == ("Item 1,000 2,000", 3)


def test_hebrew_parts_of_a_line_go_from_right_to_left():
    first, second = [Word("שלום", 300, 60, 330, 70, 10)], [Word("עולם", 200, 60, 230, 70, 10)]
    assert texts([*second, *first]) == ["שלום עולם"]


def test_labels_side_by_side_keep_what_stands_under_each():
    rows = [(72, 100, "Bill to:"), (200, 100, "Ship to:"), (72, 112, "Ann Lee"), (200, 112, "Main Store")]
    rows += [(72, 124, "Lima"), (200, 124, "Quito"), (350, 124, "Due: 31 January"), (72, 160, "Items follow.")]
    assert texts(words(*rows)) == [
        *("Bill to: Ann Lee", "Lima"),
        *("Ship to: Main Store", "Quito"),
        "Due: 31 January",
        "Items follow.",
    ]


def test_labels_with_their_values_on_the_right_stay_lines():
    rows = [
        (72, 100, "Date:"),
        (150, 100, "1 May"),
        (300, 100, "No.:"),
        (380, 100, "17"),
        (72, 112, "Lima"),
        (300, 112, "Peru"),
    ]
    assert texts(words(*rows)) == ["Date: 1 May No.: 17", "Lima Peru"]
