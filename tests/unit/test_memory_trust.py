"""Trust: both formulas, the depth of a dissent, the draw of the devil's advocate."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.memory.agents.trust import (
    EXCLUDED_BELOW,
    Tally,
    draw,
    human_standing,
    trust_corrected,
    trust_source,
)


@st.composite
def tallies(draw: st.DrawFn) -> Tally:
    dissents, overrides = draw(st.integers(0, 500)), draw(st.integers(0, 500))
    impactful, settled = draw(st.integers(0, dissents)), draw(st.integers(0, overrides))
    verified, depth = draw(st.integers(0, dissents)), draw(st.floats(0, 2))
    wrong = draw(st.integers(0, dissents - verified))
    return Tally(
        dissents, impactful, verified, depth * dissents, overrides, settled, draw(st.integers(0, settled)),
        wrong, depth * (dissents - wrong), *(draw(st.integers(0, 500)) for _ in range(3)),
    )  # fmt: skip


@given(tallies())
def test_trust_lies_in_0_1(tally: Tally) -> None:
    assert 0 <= trust_source(tally) <= 1
    assert 0 <= trust_corrected(tally) <= 1


def test_a_new_agent_stands_at_0_6() -> None:
    assert trust_source(Tally()) == 0.6
    assert trust_corrected(Tally()) == pytest.approx(0.6)


def test_source_is_the_published_formula_clipped() -> None:
    tally = Tally(dissents=10, impactful=5, depth=8.0, overrides=4, settled=4, regretted=1)
    assert trust_source(tally) == pytest.approx(0.4 * 0.5 + 0.3 * 0.8 + 0.3 * 0.75)
    assert trust_source(Tally(dissents=1, impactful=1, depth=2.0)) == 1.0


@given(tallies())
def test_regret_of_the_human_never_lowers_the_corrected_trust(tally: Tally) -> None:
    if tally.regretted < tally.settled:
        assert trust_corrected(replace(tally, regretted=tally.regretted + 1)) >= trust_corrected(tally)


@given(tallies())
def test_a_right_dissent_never_lowers_it_and_a_wrong_one_never_raises_it(tally: Tally) -> None:
    good = tally + Tally(dissents=1, verified=1, depth=2.0, held=2.0)
    bad = tally + Tally(dissents=1, wrong=1, depth=2.0)
    assert trust_corrected(good) >= trust_corrected(tally) - 1e-12
    assert trust_corrected(bad) <= trust_corrected(tally) + 1e-12


def test_neither_silence_nor_constant_dissent_pays() -> None:
    for faulty, sound in ((50, 50), (10, 90), (90, 10)):
        silent = Tally(missed=faulty, agreed=sound)
        loud = Tally(dissents=100, verified=faulty, wrong=sound, held=0.8 * faulty)
        found, spared = round(0.7 * faulty), round(0.7 * sound)
        honest = Tally(
            dissents=found + sound - spared, verified=found, wrong=sound - spared, held=0.8 * found,
            missed=faulty - found, agreed=spared,
        )  # fmt: skip
        assert trust_corrected(honest) > max(trust_corrected(silent), trust_corrected(loud))


def test_a_human_stands_by_the_overrides_that_stood() -> None:
    assert human_standing(Tally()) == 0.6
    assert human_standing(Tally(overrides=9, settled=9)) > 0.9
    assert human_standing(Tally(overrides=9, settled=9, regretted=9)) < 0.2
    assert human_standing(Tally(overrides=9)) == 0.6


def test_exclusion_can_be_reached_by_doing_badly() -> None:
    bad = [Tally(dissents=n, wrong=n, missed=n, overrides=n, settled=n) for n in range(50)]
    rounds = next(n for n, tally in enumerate(bad) if trust_corrected(tally) < EXCLUDED_BELOW)
    assert 2 < rounds < 20


def test_the_draw_is_in_proportion_to_trust_and_leaves_out_who_must_wait() -> None:
    rng = np.random.default_rng(1)
    trust, rounds = [0.9, 0.3, 0.19, 1.0, 0.2], [9, 9, 9, 4, 5]
    drawn = Counter(draw(trust, rounds, rng) for _ in range(7000))
    assert set(drawn) == {0, 1, 4}
    assert [drawn[k] / 7000 for k in (0, 1, 4)] == pytest.approx([9 / 14, 3 / 14, 2 / 14], abs=0.03)


def test_somebody_is_always_drawn() -> None:
    rng = np.random.default_rng(2)
    assert draw([0.1], [9], rng) == 0
    assert {draw([0.0, 0.0], [9, 9], rng) for _ in range(50)} == {0, 1}
