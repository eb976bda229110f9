import pytest

from rag.tokens import (
    language_name,
    likely_languages,
    openings,
    phrases,
    references,
    stop_words,
    without_contents,
    words,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The suppliers' approvals", ["supplier", "approv"]),
        ("What is the threshold for approving a purchase?", ["threshold", "approv", "purchas"]),
        ("don't", []),
        ("Ｔｅｎｄｅｒ ﬁle", ["tender", "file"]),  # full width letters and a ligature
    ],
)
def test_words_are_stems_without_stop_words(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize(
    "written", ["50,000", "50000", "50k", "50K", "50 thousand", "0.05 million", "50,000.00", "50\u202f000"]
)
def test_a_number_is_one_term_however_it_is_written(written):
    assert "50000" in words(f"up to {written} a year")


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("1.5m", "1500000"),
        ("1.5 million", "1500000"),
        ("2bn", "2000000000"),
        ("1,00,000", "100000"),  # Indian digit groups
        ("5 lakh", "500000"),
        ("2 crore", "20000000"),
        ("1.250.000,50", "1250000.5"),
        ("50.000,00", "50000"),
    ],
)
def test_magnitudes_and_digit_groups(written, number):
    assert words(written)[0] == number


def test_a_point_groups_digits_where_the_language_writes_them_so():
    assert "50000" in words("di 50.000 euro", "it")
    assert "50000" not in words("FAR 50.000")


@pytest.mark.parametrize(
    ("written", "currency"),
    [
        ("$50", "usd"), ("US$50", "usd"), ("USD 50", "usd"), ("USD50", "usd"),
        ("Rs. 50", "inr"), ("Rs 50", "inr"), ("Rs.50", "inr"), ("₹50", "inr"), ("INR 50", "inr"), ("50 rupees", "inr"),
        ("€50", "eur"), ("EUR 50", "eur"), ("50 euros", "eur"), ("£50", "gbp"), ("GBP 50", "gbp"),
    ],
)  # fmt: skip
def test_a_currency_is_one_term_beside_the_number(written, currency):
    assert sorted(words(written)) == sorted([currency, "50"])


def test_percent_is_one_term():
    assert words("5%") == words("5 percent") == words("5 per cent") == ["5", "percent"]


@pytest.mark.parametrize(
    "reference", ["4.2.1(b)", "4.10", "c.7.2.4", "13.003", "52.204-27", "hr-204", "pr-25-06-278", "a/opc", "2024-25"]
)
def test_a_reference_is_kept_whole(reference):
    assert reference in words(f"as required by {reference.upper()}, and in writing")


@pytest.mark.parametrize(
    ("compound", "terms"),
    [
        ("sub-contractor", ["subcontractor", "sub", "contractor"]),
        ("A/OPC", ["a/opc", "opc"]),
        ("R&D", ["r&d"]),
        ("HR-204", ["hr-204", "hr", "204"]),
        ("4.2.1(b)", ["4.2.1(b)", "4.2.1"]),
        ("U.S.", ["us"]),
        ("bidder(s)", ["bidder"]),
    ],
)
def test_a_compound_gives_its_parts_and_the_whole(compound, terms):
    assert words(compound) == terms


def test_a_range_of_amounts_gives_both_ends():
    assert words("5,000–50,000") == ["5000", "50000"]


def test_scripts_without_spaces_give_overlapping_pieces():
    assert words("調達方針") == ["調達", "達方", "方針"]
    assert words("จัดซื้อ") == ["จัด", "ัดซ", "ดซื", "ซื้", "ื้อ"]
    assert words("案 ISO認証") == ["案", "iso", "認証"]


def test_words_of_scripts_with_combining_vowels_stay_whole():
    assert words("खरीद नीति", "unknown") == ["खरीद", "नीति"]


def test_other_languages_have_stemmers_and_stop_words_of_their_own():
    assert words("Die Vergabe der Aufträge", "de") == words("Vergabe Auftrag", "german")
    assert words("l'approvazione dei contratti", "it") == words("approvazioni contratto", "italian")


def test_an_unknown_language_loses_nothing():
    assert words("The Tenders", "klingon") == ["the", "tenders"]


def test_language_names():
    assert [language_name(name) for name in ("it", "it-IT", "Italian", "pt_BR")] == ["italian"] * 2 + ["italian", "portuguese"]


def test_stop_lists_leave_words_that_carry_meaning():
    assert not {"available", "contain", "necessary", "provide", "zero", "limit"} & stop_words("english")


def test_the_language_of_a_question_is_that_of_its_stop_words():
    among = ["english", "italian"]
    assert likely_languages("what is the limit?", among) == ["english"]
    assert likely_languages("qual è il limite per gli acquisti?", among) == ["italian"]
    assert likely_languages("CONSIP", among) == among


def test_phrases_are_neighbouring_pairs_and_triples():
    assert phrases(["a", "b", "c", "d"]) == ["a b", "b c", "c d", "a b c", "b c d"]
    assert phrases(["a"]) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see clause 4.2.1(b)", ["4.2.1(b)", "4.2.1"]),
        ("FAR 13.003 applies", ["13.003", "far-13.003"]),
        ("policy HR 204", ["hr-204"]),
        ("policy HR-204", ["hr-204"]),
        ("use form A/OPC or FAC-C", ["a-opc", "fac-c"]),
        ("Rule 149 of the rules", ["rul 149"]),
        ("Article 5, art. 5, Artikel 5", ["art 5"]),
        ("a purchase of $75k", ["75000"]),
        ("a purchase of USD 800", ["800"]),
        ("800 rupees", ["800"]),
        ("250,000 items", ["250000"]),
        ("12 suppliers in 2024", []),
        ("the 2nd quarter: N/A", []),
        ("submit the form a week before", []),
    ],
)
def test_references(text, expected):
    assert references(text) == expected


@pytest.mark.parametrize(
    ("line", "opening"),
    [
        ("4.2.1(b) For works, 0.1 percent", ["4.2.1(b)"]),
        ("6.10 Local preference", ["6.10"]),
        ("5 Price, invoicing and payment", ["5"]),
        ("Article 12 Disputes", ["12"]),
        ("PR-11 Contract variation request", ["pr-11"]),
        ("No.: 7.4 | Transaction: Budget transfer", ["7.4"]),
        ("as 6.10 says", []),
        ("12 months later", []),
        ("2.5 percent of the price", []),
        ("50,000 USD", []),
    ],
)
def test_a_reference_that_opens_a_line(line, opening):
    assert openings(line) == opening


def test_entries_of_a_table_of_contents_are_left_out():
    contents = "Contents\n6.1 Opening … 3 6.10 Preference … iv\n7.2 Cards ........ 14\n4.4.3.1 Testing … 4-5\nAnnex 1 … A.1-1"
    assert without_contents(f"{contents}\nand so on. 5") == "Contents\n\n\n\n\nand so on. 5"


@pytest.mark.parametrize("period", ["FY 2018", "FY2018", "FY18", "FY2023-24", "Q3", "Q2 2024", "2024Q2", "H1-2024"])
def test_a_period_is_no_literal_reference(period):
    assert references(f"the plan of {period}") == []


def test_what_only_looks_like_a_period_is_a_reference():
    assert references("Q12 of FYB-2018") == ["q12", "fyb-2018"]
