"""Calls of tools that a model writes into its text in place of making them.

Models without a template for calls write the object itself: fenced, between tags, in doubled braces. A text
that is nothing else is a call, also one that misspells its tool, which is refused as any such call. One with
words of its own is not: it may tell of a call that was read.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from ddax.reasoning.language.replies.loose_json import Broken, CutObject, Loose, read_at

NAMES, ARGUMENTS = ("name", "tool", "function"), ("arguments", "args", "parameters", "input")
LISTED = ("calls", "tool_calls")
"""Names under which a list of calls stands that is all there is."""
SHAPED = re.compile(r"[A-Za-z0-9]++(?:[_.][A-Za-z0-9]++)+")
"""Names such as tools have and nothing else."""
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
            if not (calls := _calls(read.value, names)):
                return []
            found += calls
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


def _calls(value: Any, names: Collection[str]) -> list[tuple[str, str]]:
    """Read an object as a call or a list of them; an empty list where it is neither, or not whole."""
    if isinstance(value, CutObject) or not isinstance(value, dict):
        return []
    listed = next((value[key] for key in LISTED if isinstance(value.get(key), list)), None)
    if listed is not None and not any(other for key, other in value.items() if key not in LISTED):
        several = [_call(one, names) for one in listed]
        return [one for one in several if one is not None] if None not in several else []
    one = _call(value, names)
    return [] if one is None else [one]


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
    if not _is_tool(name, names) or not isinstance(given, dict) or isinstance(given, CutObject):
        return None
    return name, json.dumps(given, ensure_ascii=False)


def _is_tool(name: str, names: Collection[str]) -> bool:
    """Tell whether a name is that of a tool, or was meant to be."""
    if name in names or SHAPED.fullmatch(name):
        return True
    return bool(difflib.get_close_matches(name.casefold(), [one.casefold() for one in names], 1))
