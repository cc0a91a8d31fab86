"""Calls of tools that a model writes into its text in place of making them.

Models without a template for calls write the object itself: fenced, between tags, in doubled braces. Such a
text is a call where it ends in one that names a tool that was offered.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from ddax.reasoning.language.loose import Broken, CutObject, read_at

MOST = 16
"""Places of a text at which a call is looked for."""
NAMES, ARGUMENTS = ("name", "tool", "function"), ("arguments", "args", "parameters", "input")
AROUND = re.compile(r"[\s`\[\]{},;]|</?[a-z_|]{1,24}>|\[/?[A-Z_]{1,24}\]", re.IGNORECASE)
"""What stands around a call: fences, lists, doubled braces, tags as `</tool_call>` and `[TOOL_CALLS]`."""


def written_calls(text: str, names: Collection[str]) -> tuple[list[tuple[str, str]], str]:
    """Return the calls a text ends in (name, arguments as JSON) and what it says before them.

    >>> written_calls('Sure: {"name": "play", "arguments": {"volume": "low"}}', ["play"])
    ([('play', '{"volume": "low"}')], 'Sure:')
    """
    found: list[tuple[str, str]] = []
    begun, at, ended, tries = len(text), 0, 0, 0
    while (start := text.find("{", at)) >= 0 and tries < MOST:
        tries, at = tries + 1, start + 1
        try:
            read = read_at(text, start)
        except Broken:
            continue
        if (call := _call(read.value, names)) is None:
            continue
        begun = min(begun, start)
        found.append(call)
        at = ended = read.end
    if not found or AROUND.sub("", text[ended:]):
        return [], text
    return found, re.sub(r"```\w*+\s*+$", "", text[:begun].rstrip(" {[\n")).rstrip()


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
