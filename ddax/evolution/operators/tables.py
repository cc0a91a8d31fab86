"""Reads the tables of this folder: which names are taken for one another, and which edits are patterns."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def table(name: str) -> Any:
    """Return what a JSON file beside this module holds."""
    return json.loads((files("ddax.evolution.operators") / f"{name}.json").read_text("utf-8"))


def families(name: str) -> Any:
    """Return what the table of families has under a name, as `functions` or `switches`."""
    return table("families")[name]
