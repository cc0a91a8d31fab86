"""Amounts of money on a page, before or behind their sign or word: “$9.50”, “9,50 €”, “9 EUR”."""

from __future__ import annotations

import re

_SIGN = r"(?:[$€£]|(?:EUR|USD|GBP|CHF|SEK|NOK|DKK|euros?|dollars?|pounds?)\b)"
_AMOUNT = r"\d[\d,]*(?:\.\d+)?"
_PRICE = re.compile(
    rf"{_SIGN}\s?(?P<behind>{_AMOUNT})"
    rf"|(?<!\d)(?<!\d,)(?P<before>\d[\d,]*+(?:\.\d+)?)\s?{_SIGN}",
    re.IGNORECASE,
)
_CENTS = re.compile(r"\d+,\d{2}")
"""A decimal comma: “9,50” is no nine hundred and fifty."""


def price_in(text: str) -> float | None:
    """Return the first amount of money that a text says; None where it says none."""
    found = _PRICE.search(text)
    if found is None:
        return None
    said = found["behind"] or found["before"]
    return float(said.replace(",", "." if _CENTS.fullmatch(said) else ""))
