"""How money is written: currency marks with their ISO 4217 codes, and the words and letters that scale a number."""

import re

CURRENCIES = {
    "$": "USD",
    "us$": "USD",
    "usd": "USD",
    "dollar": "USD",
    "dollars": "USD",
    "€": "EUR",
    "eur": "EUR",
    "euro": "EUR",
    "euros": "EUR",
    "£": "GBP",
    "gbp": "GBP",
    "₹": "INR",
    "rs": "INR",
    "rs.": "INR",
    "inr": "INR",
    "php": "PHP",
    "₱": "PHP",
    "chf": "CHF",
    "¥": "JPY",
    "jpy": "JPY",
    "aud": "AUD",
    "cad": "CAD",
    "kes": "KES",
    "zar": "ZAR",
}
SCALES = {
    "k": 1e3,
    "thousand": 1e3,
    "m": 1e6,
    "mn": 1e6,
    "million": 1e6,
    "bn": 1e9,
    "billion": 1e9,
    "lakh": 1e5,
    "lakhs": 1e5,
    "crore": 1e7,
    "crores": 1e7,
}
MARK = "|".join(sorted((re.escape(mark) for mark in CURRENCIES), key=len, reverse=True))
