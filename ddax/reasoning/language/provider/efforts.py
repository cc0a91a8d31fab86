"""How each class of chat models is told how much to think: one word here, many settings there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, get_args

BUDGETS: Mapping[str, int] = {"minimal": 1024, "low": 2048, "medium": 8192, "high": 16_384}
"""Tokens of thought, for models that are told a number."""
LESS: Mapping[str, str] = {"": "low", "high": "low", "medium": "low", "low": "minimal"}
"""The effort with which a reply is asked for again that ended in its thoughts."""
_BY_NUMBER = re.compile(r"claude-(?:3|opus-4(?:-[01]\b|-2|$)|sonnet-4(?:-[05]\b|-2|$)|haiku-4-5)|gemini-2")
"""Models that are told a number of tokens though their class takes a word too."""
_BY_LEVEL = re.compile(r"gpt-oss")
"""Models that take a level where others of their class are only told whether to think."""


def effort_fields(fields: Mapping[str, Any], effort: str, *, model: str, most: int = 0) -> dict[str, Any]:
    """Return the fields of a model class that ask for an effort; nothing where it has none.

    `most` is its limit of output tokens, of which thoughts are a part; 0 for none.
    """
    if not effort:
        return {}
    by_number = _BY_NUMBER.search(model) is not None
    if "reasoning_effort" in fields and not (by_number and {"thinking", "thinking_budget"} & set(fields)):
        return {"reasoning_effort": _word(fields["reasoning_effort"], effort)}
    budget = min(BUDGETS[effort], most * 3 // 4) if most else BUDGETS[effort]
    if "thinking_budget" in fields:
        return {"thinking_budget": budget}
    if "thinking" in fields:
        return {"thinking": {"type": "enabled", "budget_tokens": max(1024, budget)}}
    if "reasoning" in fields:
        return {"reasoning": effort if _BY_LEVEL.search(model) else effort != "minimal"}
    return {}


def _word(field: Any, effort: str) -> str:
    """Return the word of a class for an effort: its least one where it has none as little."""
    words = [word for part in (field.annotation, *get_args(field.annotation)) for word in get_args(part)]
    return "low" if effort == "minimal" and "low" in words and effort not in words else effort
