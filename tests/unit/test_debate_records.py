"""What is kept of a debate, whole: the row of a verdict, and who stood against it with what effect."""

from __future__ import annotations

from typing import Any

import pytest

from ddax.debate.records import TRANSCRIPT_CHARS, Dissent, Speech, Verdict
from ddax.reasoning.protocol import Argument
from ddax.types import Citation
from tests.cases import tables

LONG = "x" * (TRANSCRIPT_CHARS + 1)
QUOTED = Citation("m1", "a.md", "Doc", "a quote")
FOR = Argument("It holds.", (QUOTED,), 0.71234567)
AGAINST = Argument(LONG, (QUOTED, Citation("m2", "b.md", "Doc", "another")), 0.4)
KEPT = Argument(LONG, (QUOTED,), 0.4)
SPOKEN = (Speech("proponent", "ann", FOR, None), Speech("opponent", "bo", AGAINST, KEPT, 0.61234567))


def verdict(value: float, cheap: float, **more: Any) -> Verdict:
    return Verdict(value, cheap, 0.51234567, 0.81234567, transcript=SPOKEN, **more)


def test_the_row_of_a_verdict_holds_all_of_it_with_long_texts_cut() -> None:
    row = verdict(
        0.71234567, 0.61234567, debated=True, why="unsure", reasons=(("support", 0.31234567, LONG),),
        roles={"ann": "proponent"}, raw={"judge": 0.91234567}, first={"judge": 0.4, "other": 0.5},
        models={"judge": "m"}, calls=3,
    ).row()  # fmt: skip
    wanted = tables(__file__)["row"]
    for cut in (row["reasons"][0][2], row["transcript"][1]["text"], row["dissents"][0]["text"]):
        assert cut == "x" * TRANSCRIPT_CHARS
    row["reasons"][0][2] = row["transcript"][1]["text"] = row["dissents"][0]["text"] = "cut"
    assert row == wanted


@pytest.mark.parametrize(
    ("value", "cheap", "who", "impact"),
    [
        (0.5, 0.6, "bo", True),
        (0.5, 0.5, "bo", False),
        (0.6, 0.5, "bo", False),
        (0.4, 0.3, "ann", True),
        (0.4, 0.4, "ann", False),
        (0.4, 0.5, "ann", False),
    ],
)
def test_who_spoke_for_what_lost_dissents_and_moved_the_value_or_not(
    value: float, cheap: float, who: str, impact: bool
) -> None:
    (found,) = verdict(value, cheap).dissents
    kept = {"bo": ("opponent", LONG, (QUOTED,), True), "ann": ("proponent", "It holds.", (), False)}
    assert found == Dissent(who, *kept[who], impact)


def test_a_judge_on_the_other_side_of_a_half_dissents_and_who_says_nothing_does_not() -> None:
    mute = Argument("nothing", (), 0.0)
    first = {"low": 0.4999, "even": 0.5}
    high = Verdict(0.5, 0.5, 0.5, 0.5, transcript=(Speech("opponent", "bo", mute, mute),), first=first)
    assert high.dissents == (
        Dissent("low", "judge", "low valued it at 0.50 before the debate", (), False, False),
    )
    low = Verdict(0.4, 0.5, 0.5, 0.5, first=first)
    assert [one.name for one in low.dissents] == ["even"]


@pytest.mark.parametrize(
    ("made", "value", "begin"),
    [(Verdict.failure, 0.0, "it failed: "), (Verdict.settled, 1.0, "it was checked: ")],
)
def test_what_failed_or_was_checked_is_valued_for_sure_and_at_no_cost(
    made: Any, value: float, begin: str
) -> None:
    assert made(LONG) == Verdict(value, value, value, 1.0, why=f"{begin}{'x' * TRANSCRIPT_CHARS}", calls=0)
