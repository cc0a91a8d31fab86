"""Calls of tools that a model writes into its text in place of making them.

Models without a template for calls write the object itself: fenced, between tags, in doubled braces. A text
that is nothing else is a call. One with words of its own is not: it may tell of a call that was read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from ddax.reasoning.language.loose import Broken, CutObject, Loose, read_at

NAMES, ARGUMENTS = ("name", "tool", "function"), ("arguments", "args", "parameters", "input")
AROUND = re.compile(r"```\w*+|\[/?[a-z_]{1,24}\]|</?[a-z_|]{1,24}>|[\s`\[\]{},;]", re.IGNORECASE)
"""What stands around a call: fences, lists, doubled braces, tags as `</tool_call>` and `[TOOL_CALLS]`."""


def written_calls(text: str, names: Collection[str]) -> list[tuple[str, str]]:
    r"""Return the calls (name, arguments as JSON) that a text consists of; none where it says anything else.

    >>> written_calls('```json\n{"name": "play", "arguments": {"volume": "low"}}\n```', ["play"])
    [('play', '{"volume": "low"}')]
    >>> written_calls('I will not do this: {"name": "play", "arguments": {}}', ["play"])
    []
    """
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        read = _object_at(text, at)
        if read is not None:
            if (call := _call(read.value, names)) is None:
                return []
            found.append(call)
            at = read.end
        elif (around := AROUND.match(text, at)) is not None:
            at = around.end()
        else:
            return []
    return found


def _object_at(text: str, at: int) -> Loose | None:
    if text[at] != "{":
        return None
    try:
        return read_at(text, at)
    except Broken:
        return None


def _call(value: Any, names: Collection[str]) -> tuple[str, str] | None:
    """Read an object as a call; None where it is none, or not whole."""
    if not isinstance(value, dict) or isinstance(value, CutObject):
        return None
    inner = value.get("function")
    body: Mapping[str, Any] = inner if isinstance(inner, dict) else value
    name = next((body[key] for key in NAMES if isinstance(body.get(key), str)), "")
    given = next((body[key] for key in ARGUMENTS if key in body), None)
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            return None
    if name not in names or not isinstance(given, dict) or isinstance(given, CutObject):
        return None
    return name, json.dumps(given, ensure_ascii=False)
