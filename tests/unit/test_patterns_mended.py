"""Patterns that were made linear find what their older, slower forms found, which `patterns_before.json` has.

What differs on purpose: a quote does not begin again inside itself, a match does not begin in the middle of a
word or a number, and no part of one is made of blanks alone.
"""

from __future__ import annotations

import json
import random
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.patterns_hostile import samples

BEFORE: dict[str, str] = json.loads(
    Path(__file__).with_name("patterns_before.json").read_text(encoding="utf-8")
)
PLAIN = """
    Set the volume to 80 and save it , then press OK . Send “hello there” to Ann Lee . Open Mon - Fri 9-17 ,
    closed on 1.5 h days . What does it cost when , tea or coffee ? | a | b | - item one 2. two
    (three) "four" 12 g
    sugar 3,5 kg of rice is it open do they open Dr Ann-Marie Fox (chair) a@b.co turn the lamp on
    12 € and 7 - 3 =
    """.split()  # noqa: SIM905
TOLD = frozenset(
    """
    text.question:_SUBORDINATE memory.gate.order_forms:_FOUND
    """.split()  # noqa: SIM905
)
"""Those that only say whether they find something: where they begin to is another place now."""


@cache
def forms(name: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the older form of a pattern and the one of today."""
    module, _, path = name.partition(":")
    value: Any = getattr(import_module(f"ddax.{module}"), path.split("[")[0])
    for index in re.findall(r"\[(\d+)\]", path):
        value = value[int(index)]
    return re.compile(BEFORE[name], value.flags), value


@cache
def pieces(name: str) -> list[str]:
    """Return texts that parts of a pattern take, and the whole of it."""
    shape = list(parser.parse(BEFORE[name], forms(name)[0].flags & ~re.UNICODE))
    parts = [text for place in range(len(shape)) for text in samples(shape[place:])[:4]]
    found = [" ".join(text.split()) for text in [*parts, *samples(shape)]]
    return [text for text in dict.fromkeys(found) if text and len(text) < 200] or PLAIN


def found(form: re.Pattern[str], text: str, *, told: bool) -> object:
    if told:
        return form.search(text) is not None
    parts = [[(group or "").strip() for group in match.groups()] for match in form.finditer(text)]
    return parts, [match.group().strip() for match in form.finditer(text)]


NAMES = [name for name in BEFORE if not BEFORE[name].startswith("b:")]


@pytest.mark.parametrize("name", NAMES)
def test_it_finds_what_it_found(name: str) -> None:
    old, new = forms(name)
    rng = random.Random(name)
    for _ in range(120):
        words = [rng.choice(rng.choice([PLAIN, pieces(name)])) for _ in range(rng.randint(1, 7))]
        text = " ".join(words)
        told = name in TOLD
        assert found(new, text, told=told) == found(old, text, told=told), text


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(NAMES), st.lists(st.sampled_from(PLAIN), max_size=12))
def test_it_finds_what_it_found_in_any_words(name: str, words: list[str]) -> None:
    old, new = forms(name)
    told = name in TOLD
    assert found(new, " ".join(words), told=told) == found(old, " ".join(words), told=told)
