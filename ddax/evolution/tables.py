"""Reads the tables of repairs: which edits are tried, what makes a patch a fix, which options are known."""

from __future__ import annotations

import ast
import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def table(name: str) -> Any:
    """Return what a JSON file beside this module holds."""
    return json.loads((files("ddax.evolution") / f"{name}.json").read_text("utf-8"))


def families(name: str) -> Any:
    """Return what the table of families has under a name, as `functions` or `switches`."""
    return table("operators/families")[name]


def swaps(name: str) -> dict[type[ast.AST], tuple[Any, ...]]:
    """Return a table of signs as the classes of their nodes: each with those that it is taken for."""
    return {getattr(ast, old): tuple(getattr(ast, n) for n in new) for old, new in families(name).items()}
