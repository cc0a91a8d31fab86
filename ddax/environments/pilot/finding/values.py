"""Tell whether what a field holds is what was written, though the page writes it in its own form."""

from __future__ import annotations

import re

from ddax.environments.pilot.orders.dates import find_date
from ddax.environments.pilot.words import plain

_NUMBER = re.compile(
    r"[$€£¥]? ?(?P<minus>-?)(?P<whole>\d{1,3}(?:[.,]\d{3}){1,6}|\d{1,30})"
    r"(?:[.,](?P<part>\d{1,9}))? ?[$€£¥%]?"
)
_PHONE = 5
"""Digits from which a text may have signs put between them, as a phone."""


def same_value(one: str, other: str) -> bool:
    """Tell whether two texts are one value, though a page writes it in its own form."""
    if plain(one) == plain(other):
        return True
    if (day := find_date(one)) or find_date(other):
        return day == find_date(other)
    first, second = _NUMBER.fullmatch(one.strip()), _NUMBER.fullmatch(other.strip())
    if first and second:
        return _amount(first) == _amount(second)
    bare, held = (re.sub(r"[\s()/-]", "", plain(text)) for text in (one, other))
    return bare == held and len(re.findall(r"\d", bare)) >= _PHONE


def _amount(found: re.Match[str]) -> tuple[str, str, str]:
    return found["minus"], re.sub(r"[.,]", "", found["whole"]), (found["part"] or "").rstrip("0")
