"""Amount bands as policies write them."""

import pytest

from rag.bands import cell_band, find_bands


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


def test_the_band_decides_on_its_edges():
    band = find_bands("above 5,000 up to 25,000")[0]
    assert [band.holds(amount) for amount in (5_000, 5_000.01, 25_000, 25_000.01)] == [False, True, True, False]
