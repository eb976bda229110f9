"""Amount bands as policies write them."""

import pytest

from rag.bands import beside_band, cell_band, find_bands


@pytest.mark.parametrize(
    ("text", "low", "high", "currency"),
    [
        ("Up to 5,000", None, 5_000, ""),
        ("5,000.01 to 25,000", 5_000, 25_000, ""),
        ("USD 5,001 – 25,000", 5_000.99, 25_000, "USD"),
        ("between $5,000 and $50,000", 4_999.99, 50_000, "USD"),
        ("above 5,000 up to 25,000", 5_000, 25_000, ""),
        ("Above 1,000,000", 1_000_000, None, ""),
        ("> EUR 250k", 250_000, None, "EUR"),
        ("upto Rs. 2 lakh", None, 200_000, "INR"),
        ("not exceeding Rs. 25,000", None, 25_000, "INR"),
        ("below 10,000", None, 9_999.99, ""),
        ("250,000 and above", 249_999.99, None, ""),
        ("All", None, None, ""),
        ("Unlimited", None, None, ""),
    ],
)
def test_a_cell_states_one_band(text, low, high, currency):
    band = cell_band(text)
    assert band is not None
    assert (band.low, band.high, band.currency) == (
        pytest.approx(low) if low else low,
        pytest.approx(high) if high else high,
        currency,
    )


@pytest.mark.parametrize(
    "text", ["Up to 15 percent", "Up to 6 months", "12,500", "Chief Financial Officer", "1 to 5 years", ""]
)
def test_other_cells_state_none(text):
    assert cell_band(text) is None


def test_a_sentence_may_state_several():
    bands = find_bands("Purchases up to $5,000 need one quotation; those above $5,000 and up to $50,000 need three.")
    assert [(band.low, band.high) for band in bands] == [(None, 5_000), (5_000, 50_000)]


@pytest.mark.parametrize("text", ["2024 to 2025", "Resolution No. 06-2022", "24 to 6", "from page 9 to 3"])
def test_years_and_falling_numbers_are_no_band(text):
    assert [band for band in find_bands(text) if band.high is not None and band.low is not None] == []


@pytest.mark.parametrize(
    ("text", "measure", "low", "high"),
    [
        ("Variation within 15 percent in total", "percentage", None, 15),
        ("above 15%", "percentage", 15, None),
        ("10 to 15 per cent", "percentage", 9.99, 15),
        ("Up to 6 months", "period", None, 180),
        ("1 to 5 years", "period", 364.99, 1825),
        ("up to 5,000", "percentage", 0, 0),
    ],
)
def test_bands_of_percentages_and_periods(text, measure, low, high):
    found = [(band.low, band.high, band.currency) for band in find_bands(text, measure)]
    assert found == ([(low, high, "")] if (low, high) != (0, 0) else [])


@pytest.mark.parametrize(
    ("cell", "beside"),
    [
        ("Above 75,000, requirement fully specified", "requirement fully specified"),
        ("Any value, repeated needs", "repeated needs"),
        ("5,000.01 to 75,000", ""),
        ("USD 5,000 and above", ""),
        ("Up to 10,000 (urgent cases)", "urgent cases"),
    ],
)
def test_what_a_cell_says_beside_its_band(cell, beside):
    assert beside_band(cell) == beside


def test_the_band_decides_on_its_edges():
    band = find_bands("above 5,000 up to 25,000")[0]
    assert [band.holds(amount) for amount in (5_000, 5_000.01, 25_000, 25_000.01)] == [False, True, True, False]
