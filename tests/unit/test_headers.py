"""What a server asks for in its headers: a wait in seconds or by a date, and nothing out of nonsense."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.headers import http_date, retry_after

NOW = datetime(2026, 10, 21, 7, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("stated", "seconds"),
    [
        ("7", 7.0), (" 1.5 ", 1.5), ("-3", 0.0), ("Wed, 21 Oct 2026 07:28:00 GMT", 1680.0),
        ("Wed, 21 Oct 2026 07:28:00 -0000", 1680.0), ("Wed, 21 Oct 2026 07:28:00", 1680.0),
        ("Wed, 21 Oct 2026 09:28:00 +0200", 1680.0), ("Wed, 21 Oct 2026 06:00:00 GMT", 0.0),
    ],
)  # fmt: skip
def test_a_wait_is_read_from_a_number_or_a_date(stated: str, seconds: float) -> None:
    assert retry_after(stated, NOW) == seconds


@pytest.mark.parametrize(
    "stated",
    ["", "soon", "²", "nan", "inf", "Wed, ² Oct 2026 07:28:00 GMT", "Wed, 21 Oct 2026 07:28:00 +2400",
     "Wed, 21 Oct 2026 07:28:00 +99999999999999", "Wed, 21 Oct 99999999999999999999 07:28:00 GMT"],
)  # fmt: skip
def test_nonsense_asks_for_nothing(stated: str) -> None:
    assert retry_after(stated, NOW) is None
    assert http_date(stated) is None


def test_a_date_says_nothing_where_the_moment_is_not_known() -> None:
    assert retry_after("Wed, 21 Oct 2026 07:28:00 GMT", None) is None
    assert retry_after("7", None) == 7.0


@given(st.text(max_size=60) | st.from_regex(r"[A-Z][a-z]{2}, \d+ Oct \d+ \d\d:\d\d:\d\d [+-]\d+"))
def test_whatever_a_server_writes_is_read_without_a_fault(stated: str) -> None:
    wait = retry_after(stated, NOW)
    assert wait is None or wait >= 0
