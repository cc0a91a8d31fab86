"""Cases of tests as data: the rows of a test stand under its name in the YAML file beside its module."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml


def cases(*names: str) -> Callable[[Any], Any]:
    """Parametrize a test by its rows: lists of the arguments, or values where there is one name."""

    def marked(test: Any) -> Any:
        rows = tables(test.__globals__["__file__"])[test.__name__]
        return pytest.mark.parametrize(names if len(names) > 1 else names[0], rows)(test)

    return marked


@cache
def tables(module: str) -> dict[str, Any]:
    """Return what the YAML file beside a module holds, by name."""
    text = Path(module).with_suffix(".yaml").read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.safe_load(text)
    return found
