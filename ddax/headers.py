"""Read what a server asks for in the headers of a reply; what it wrote may be anything."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite


def retry_after(stated: str, now: datetime | None) -> float | None:
    """Return the seconds a `Retry-After` asks to wait, from a number or a date; None where it says neither.

    A date is held against `now`, and says nothing where that is not known.
    """
    try:
        seconds = float(stated)
    except ValueError:
        until = http_date(stated)
        return None if until is None or now is None else max(0.0, (until - now).total_seconds())
    return max(0.0, seconds) if isfinite(seconds) else None


def http_date(stated: str) -> datetime | None:
    """Return the moment a date of a header names, in UTC where it names no zone; None where it is no date."""
    try:
        moment = parsedate_to_datetime(stated)
    except (ValueError, TypeError, OverflowError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
