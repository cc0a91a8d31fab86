"""Hostile strings of every family are inert where they are shown or kept, and the check can fail."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.hostile_text import PIECES, PLACES, STEERING, drawn, plain_types, prompted, tried
from ddax.reasoning.language.quote import clean


@pytest.mark.parametrize("family", PIECES)
async def test_a_family_is_inert_everywhere(family: str, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    rng = np.random.default_rng(7)
    texts = [drawn(family, rng, str(canary)) for _ in range(60)]
    assert any(map(STEERING.search, texts)) or family in ("lc payloads", "markup", "Python objects")
    assert tried(texts) == dict.fromkeys(PLACES, 0)
    assert await prompted(texts[:5]) == 0
    assert not canary.exists()


@pytest.mark.parametrize("hidden", ["\U000e0100", "\U000e0041", "\u2063", "\u061c", "\ufff9", "\u202e"])
def test_a_sign_that_nobody_sees_does_not_enter_a_prompt(hidden: str) -> None:
    assert clean(f"a{hidden}b") == "ab"


def test_words_on_two_lines_stay_two_words() -> None:
    assert clean("one\u2028two\u2029three") == "one\ntwo\nthree"


def test_an_object_is_no_plain_value() -> None:
    assert plain_types({"a": [1, None, {"b": 2.0}]}) and not plain_types({"a": [Path()]})
