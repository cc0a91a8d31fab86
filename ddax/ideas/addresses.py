"""Take addresses apart: whoever wrote one, a model or a page, it need be none. Pure."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

NONE = SplitResult("", "", "", "", "")


def parts_of(address: str) -> SplitResult:
    """Return the parts of an address; all are empty for what no address can be (`http://[x`)."""
    try:
        return urlsplit(address)
    except ValueError:
        return NONE
