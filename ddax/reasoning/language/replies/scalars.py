"""Single values of a reply, where they were written in another way: numbers as text, shares in percent."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from types import NoneType
from typing import Any

from ddax.reasoning.language.replies.loose_json import Percent

YES, NO = frozenset({"true", "yes", "y", "1"}), frozenset({"false", "no", "n", "0"})
NONE = frozenset({"", "none", "null", "n/a"})
_SHARE = re.compile(
    r"([+-]?(?:\d++(?:\.\d++)?+|\.\d++))\s*(%|percent|(?:/|of|out of)\s*(\d+(?:\.\d+)?))?", re.IGNORECASE
)
_WHOLE = re.compile(r"[^-\d]*(-?\d+)\D*")


class Misfit(ValueError):
    """Say where a value does not fit its form."""


def is_nothing(value: Any) -> bool:
    """Tell whether a value says that there is none."""
    return value in ({}, []) or (isinstance(value, str) and value.strip().casefold() in NONE)


def _kind(value: Any) -> str:
    return {str: "a text", list: "a list", dict: "an object", NoneType: "null"}.get(type(value), "a number")


def kind_of(value: Any) -> str:
    """Say in words what a value is."""
    return {str: "a text", list: "a list", dict: "an object", NoneType: "null"}.get(type(value), "a number")


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, Percent):
        return f"{value.value:g}%"
    if isinstance(value, list) and all(isinstance(x, str) for x in value):
        return "\n".join(value)
    if isinstance(value, Mapping | list):
        raise Misfit(f"Input should be a valid string, not {kind_of(value)}")
    return json.dumps(value)


def as_text(value: Any) -> str:
    """Return a value as the text of an argument: what is no text as JSON."""
    if isinstance(value, Percent):
        return f"{value.value:g}%"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _share(value: Any) -> float:
    if isinstance(value, Percent):
        return value.value / 100
    if isinstance(value, int | float) and not isinstance(value, bool):
        number = float(value)
        return number / 100 if 10 < number <= 100 else number
    said = _SHARE.fullmatch(value.strip()) if isinstance(value, str) else None
    if said is None:
        raise Misfit(f"Input should be a valid number, not {kind_of(value)}")
    number, sign, most = float(said.group(1)), said.group(2), said.group(3)
    if most and float(most) > 0:
        return number / float(most)
    return number / 100 if sign or 10 < number <= 100 else number


def _whole(value: Any) -> int:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    said = _WHOLE.fullmatch(value) if isinstance(value, str) else None
    if said is None:
        raise Misfit(f"Input should be a valid integer, not {kind_of(value)}")
    return int(said.group(1))


def _truth(value: Any) -> bool:
    said = str(value).strip().casefold() if isinstance(value, bool | str | int) else ""
    if said not in YES | NO:
        raise Misfit(f"Input should be true or false, not {kind_of(value)}")
    return said in YES


SCALARS: Mapping[Any, Callable[[Any], Any]] = {str: _text, float: _share, int: _whole, bool: _truth}
"""How each kind of value is read."""
