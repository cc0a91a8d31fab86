"""The ablation with a model: what is switched off are settings, rounds are whole, and the sums are right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import model_ablation as ablation
from benchmarks import model_questions
from benchmarks.hotpot import Case
from benchmarks.model_questions import Fate
from ddax import Context
from ddax.configs.identities import load_identity

CASES = [Case(f"Who built tower {n}?", "Ilse", frozenset()) for n in range(4)]


def fates(right: list[bool], tokens: int) -> list[Fate]:
    return [Fate("Ilse did." if one else "Nobody.", True, 2, tokens, 1.0) for one in right]


def test_every_variant_is_made_of_settings(tmp_path: Path) -> None:
    found = ablation.variants(tmp_path)
    assert len(found) == len(ablation.OFF) + 3
    for settings in found.values():
        Context.model_validate(settings)
    still = load_identity(found["without rigidity"]["identity"])
    assert (still.gamma, still.initial_rho, still.protect_threshold) == (0.0, 0.0, 1.0)
    none = found["without any"]
    assert none["debate"] == {"gate": "never", "ask": "never"} and none["mood"]["enabled"] is False
    assert found[ablation.ALL] == {"effort": "deep"}, "the variants share no setting"


def test_a_ceremony_that_costs_tokens_is_priced_and_one_that_saves_them_is_not() -> None:
    found = {name: fates([True, True, False, False], 3000) for name in ablation.variants(Path("/tmp"))}
    found["without judge"] = fates([True, False, False, False], 1000)
    found["without verify"] = fates([True, True, False, False], 4000)
    told = {figure.name: figure for figure in ablation.figures(CASES, found, 0)}
    assert told["judge: right answers it brings"].value == 0.25
    assert told["judge: right answers a 1,000 tokens"].value == pytest.approx(0.125)
    low, high = (
        told["judge: right answers a 1,000 tokens"].low,
        told["judge: right answers a 1,000 tokens"].high,
    )
    assert low is not None and high is not None and low <= 0.125 <= high
    assert "verify: right answers a 1,000 tokens" not in told
    assert told["verify: tokens it costs a question"].value == -1000


async def test_a_run_that_is_cut_has_asked_everyone_as_often(tmp_path: Path, monkeypatch: Any) -> None:
    asked: list[tuple[str, str]] = []

    async def one(
        bench: Any, case: Case, relay: Any, settings: Any, *, home: Path, hide: bool = False
    ) -> Fate:
        asked.append((case.question, json.dumps(settings, sort_keys=True)))
        return Fate("", False, 1, 1, 1.0)

    class Twice:
        left = 2

        def over(self) -> bool:
            Twice.left -= 1
            return Twice.left < 0

    async def bench(*_: Any) -> None:
        return None

    monkeypatch.setattr(ablation, "asked_of", one)
    monkeypatch.setattr(ablation, "Clock", Twice)
    monkeypatch.setattr(ablation.hotpot, "bench_of", bench)
    found = await ablation.rounds(CASES, {}, object(), tmp_path, 0)  # type: ignore[arg-type]  # unused
    assert {len(fates) for fates in found.values()} == {2}
    assert [question for question, _ in asked] == [CASES[n].question for n in (0, 1) for _ in found]
    assert model_questions.asked_of is not one
