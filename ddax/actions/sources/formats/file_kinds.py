"""The kinds of files beside text, pages and PDF: by their ending, and who reads each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

ENDINGS: Mapping[str, str] = {
    ".docx": "docx", ".docm": "docx", ".pptx": "pptx", ".pptm": "pptx", ".ppsx": "pptx", ".xlsx": "xlsx",
    ".xlsm": "xlsx", ".xls": "xls", ".ods": "ods", ".odt": "odt", ".ott": "odt", ".odp": "odp",
    ".rtf": "rtf", ".epub": "epub", ".eml": "eml", ".ipynb": "ipynb",
}  # fmt: skip
"""Which kind each ending is of."""
HEADED = frozenset({"docx", "pptx", "odt", "odp", "ipynb"})
"""Kinds whose first heading is their title, where they state no other."""
Read = tuple[str, str, dict[str, Any]]
"""A title, a text and fields."""


def _office(content: bytes, *, kind: str) -> Read:
    from ddax.actions.sources.formats.office import read_office

    return read_office(content, kind)


def _mail(content: bytes) -> Read:
    from ddax.actions.sources.formats.mail import read_mail

    return read_mail(content)


def _notebook(content: bytes) -> Read:
    from ddax.actions.sources.formats.notebook import read_notebook

    return "", read_notebook(content.decode("utf-8-sig")), {}


def _book(content: bytes) -> Read:
    from ddax.actions.sources.formats.epub import read_book

    return read_book(content)


KINDS: Mapping[str, Callable[[bytes], Read]] = {
    **{kind: partial(_office, kind=kind)
       for kind in ("docx", "pptx", "xlsx", "xls", "ods", "odt", "odp", "rtf")},
    "eml": _mail, "ipynb": _notebook, "epub": _book,
}  # fmt: skip
"""Who reads a kind; an ImportError says that the extra is missing, any other that the file is damaged."""
