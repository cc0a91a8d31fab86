"""Who sits in a debate, what of an argument counts, who dissents, and the rubric of a task."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ddax.configs.settings import Debate
from ddax.debate.gate import opening, weighted_median
from ddax.debate.panel import Seat, debaters, fixed_roles, load_panel
from ddax.debate.quotes import _QUOTED, Bearing, Carrying, verified
from ddax.debate.roles import Debater, assign_roles
from ddax.debate.task_rubric import requirements, rubric_row, task_rubric
from ddax.debate.verdict import Case, evaluate_outcome
from ddax.errors import SettingsError
from ddax.reasoning.embedded import EmbeddedReasoner
from ddax.reasoning.entailment.rules import lexical
from ddax.reasoning.protocol import Argument, Judgment
from ddax.reasoning.scripted import ScriptedReasoner
from ddax.steps.accounts.judges import has_own_rubric, judging
from ddax.types import Citation, Passage

PASSAGE = Passage("p1", "a.txt", "A", "The bridge was opened in 1932 by the premier. It is painted red.")
OPENED = Citation("p1", "a.txt", "A", "The bridge was opened in 1932 by the premier.")
RED = Citation("p1", "a.txt", "A", "It is painted red.")


def carrying(result: str) -> Carrying:
    return Carrying(lexical, result)


def test_the_shipped_panel_has_three_names_and_a_file_may_fix_roles(tmp_path: Path) -> None:
    assert [s.name for s in load_panel()] == ["advocate", "sceptic", "arbiter"]
    mine = tmp_path / "mine.yaml"
    mine.write_text("debaters:\n  ann: {role: judge}\n  bob: {model: 'x:y'}\n  cy: {role: opponent}\n")
    seats = load_panel(mine)
    assert seats == (Seat("ann", "judge"), Seat("bob", "any", "x:y"), Seat("cy", "opponent"))
    assert fixed_roles(seats) == {"ann": "judge", "cy": "opponent"}
    own, other = ScriptedReasoner({}), ScriptedReasoner({})
    present = debaters(seats, own, {"x:y": other}.__getitem__)
    assert [d.reasoner for d in present] == [own, other, own]
    for seed in range(5):
        roles = assign_roles(present, np.random.default_rng(seed), fixed_roles(seats))
        assert roles.names() == {"proponent": "bob", "opponent": "cy", "judges": "ann"}


@pytest.mark.parametrize(
    "text", ["debaters: []\n", "debaters:\n  a: {role: king}\n", "debaters:\n  a: {size: 3}\n"]
)
def test_a_wrong_panel_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "p.yaml"
    file.write_text(text)
    with pytest.raises(SettingsError, match="debater"):
        load_panel(file)
    with pytest.raises(SettingsError, match="default"):
        load_panel("defualt")


def test_who_is_excluded_loses_a_fixed_role() -> None:
    low, high = Debater("low", ScriptedReasoner({}), 0.1), Debater("high", ScriptedReasoner({}), 0.7)
    roles = assign_roles([low, high], np.random.default_rng(0), {"low": "judge"})
    assert roles.judges == (high,)


@pytest.mark.parametrize(
    ("fixed", "seats"),
    [
        ("P proponent", "P X P"), ("P judge", "P X P"), ("P opponent", "X P X"),
        ("P proponent, X judge", "P P X"), ("P proponent, X opponent", "P X P"), ("P judge, X judge", None),
        ("P proponent, Y judge", "P X Y"), ("P judge, X opponent", "Y X P"), ("P opponent, Y any", None),
    ],
)  # fmt: skip
def test_nobody_judges_its_own_objection_while_somebody_else_is_there(fixed: str, seats: str | None) -> None:
    roles = dict(pair.split() for pair in fixed.split(", "))
    here = "PXY" if "Y" in f"{fixed}{seats}" else "PX"
    present = [Debater(name, ScriptedReasoner({})) for name in here]
    for seed in range(10):
        found = assign_roles(present, np.random.default_rng(seed), roles)
        names = found.names()
        assert seats is None or " ".join(names.values()) == seats
        assert found.opponent not in found.judges
        for name, role in roles.items():
            held = {"proponent": [found.proponent], "opponent": [found.opponent], "judge": found.judges}
            assert role in ("any", "judge") or name in [d.name for d in held[role]]


def test_a_quote_must_carry_what_is_argued() -> None:
    right, wrong = carrying("The bridge was opened in 1932."), carrying("The bridge was opened in 1940.")
    pro, con = Argument("So it is.", (OPENED,), 0.9), Argument("Not so.", (OPENED, RED), 0.9)
    assert verified(pro, [PASSAGE], side="proponent", carrying=right) == pro
    assert verified(pro, [PASSAGE], side="proponent", carrying=wrong) is None
    assert verified(con, [PASSAGE], side="opponent", carrying=right) is None
    held = verified(con, [PASSAGE], side="opponent", carrying=wrong)
    assert held is not None and held.citations == (OPENED,), "the quote about paint carries nothing"


def test_repeating_a_quote_does_not_carry_an_argument() -> None:
    padded = Argument(f"This is weak, as “{RED.quote}” shows.", (RED,), 1.0)
    assert verified(padded, [PASSAGE], side="opponent", carrying=carrying("It opened in 1932.")) is None


def test_an_inch_mark_opens_no_quotation() -> None:
    text = f'One screen has 24".\n\n{RED.quote}\n\nThe other has 30".'
    con = Argument(text, (RED,), 1.0)
    assert verified(con, [PASSAGE], side="opponent", carrying=carrying("It opened in 1932.")) == con
    for quoted in (f'"{RED.quote}"', f"„{RED.quote}“", f"«{RED.quote}»"):
        said = Argument(f"This is weak, as {quoted} shows.", (RED,), 1.0)
        assert verified(said, [PASSAGE], side="opponent", carrying=carrying("It opened in 1932.")) is None


def test_a_quotation_may_close_with_another_mark() -> None:
    for quoted in ("„It is red“", "„It is red”", '„It is red"', "“It is red”", '“It is red"', '"It is red"'):
        assert _QUOTED.sub("…", f"Who says {quoted} errs.") == "Who says … errs."


async def verdict_of(cheap: float, *arguments: Argument, result: str, after: float = 0.2, **more: object):
    replies = {
        "judge": [Judgment(cheap, 0.6, ()), Judgment(after, 0.8, ())],
        "argue": list(arguments),
    }
    reasoner = ScriptedReasoner(replies)
    return await evaluate_outcome(
        Case("When?", "i", result, "a year", (PASSAGE,)), [Debater(reasoner.name, reasoner)],
        settings=Debate(), rng=np.random.default_rng(1), check=lexical, **more,  # type: ignore[arg-type]
    )  # fmt: skip


async def test_a_verdict_names_who_dissented_with_what() -> None:
    con = Argument("Not so.", (OPENED,), 0.9)
    found = await verdict_of(0.55, con, con, result="The bridge was opened in 1940.")
    assert found.value == 0.2 and found.calls == 4
    sides = {d.role: d for d in found.dissents}
    assert set(sides) == {"proponent", "judge"}
    assert not sides["proponent"].supported and not sides["proponent"].impact
    assert sides["judge"].text.startswith("scripted valued it at 0.55")
    row = found.row()
    assert row["dissents"][0]["name"] == "scripted" and row["raw"] == {"scripted": 0.2}


async def test_selection_gets_the_calibrated_value_and_the_raw_one_is_kept() -> None:
    quiet = Argument("", (), 0.0)
    found = await verdict_of(0.9, quiet, quiet, result=OPENED.quote, correct=lambda model, value: value / 2)
    assert (found.value, found.raw, found.models) == (0.45, {"scripted": 0.9}, {"scripted": "scripted"})
    assert found.debated, "the gate opens by the calibrated value"


def test_the_gate_is_a_setting() -> None:
    def opens(**settings: object) -> bool:
        return opening(Debate(**settings), [0.9], confidence=0.4).opens  # type: ignore[arg-type]

    assert not opens() and opens(gate="always") and opens(gate="doubt") and not opens(gate="never")
    assert (
        not opens(gate="doubt", doubt=0.3) and opens(margin=0.45) and not opens(gate="always", enabled=False)
    )
    assert not opening(Debate(gate="always"), [0.5], confidence=0.4, quotable=False).opens


FALSE = "The bridge was opened in 1940 by the premier."


async def test_a_result_that_what_was_read_contradicts_is_debated_however_sure_the_judge_is() -> None:
    con, none = Argument("Not so.", (OPENED,), 0.9), Argument("Nothing.", (), 0.0)
    found = await verdict_of(0.9, none, con, result=FALSE)
    assert found.debated and found.value == 0.2 and "contradicts “The bridge" in found.why
    kept = await verdict_of(0.9, none, con, result=OPENED.quote)
    assert not kept.debated and kept.value == 0.9, "what was read carries it, and the value is far off"
    low = await verdict_of(0.1, none, con, result=FALSE)
    assert not low.debated, "a low value has nothing to learn from a contradiction"


async def test_a_gate_by_evidence_is_shut_where_nothing_read_bears_on_the_result() -> None:
    none = Argument("Nothing.", (), 0.0)
    found = await verdict_of(0.5, none, none, result="Whales sing at night.")
    assert not found.debated and found.calls == 1 and found.why == "nothing read bears on the result"
    near = await verdict_of(0.5, none, none, result=OPENED.quote)
    assert near.debated, "near the boundary, and there is something to quote"


def test_how_what_was_read_bears_on_a_result() -> None:
    both = carrying(f"{OPENED.quote} {FALSE}").bearing([PASSAGE])
    assert both == Bearing(FALSE, False)
    assert carrying(OPENED.quote).bearing([PASSAGE]) == Bearing("", False)
    assert carrying("Whales sing at night.").bearing([PASSAGE]) == Bearing("", True)
    told = Passage("p2", "b.txt", "B", FALSE)
    assert carrying(FALSE).bearing([PASSAGE, told]) == Bearing("", False), "another page carries it"
    assert Carrying(lexical, FALSE, 1.0).bearing([PASSAGE]) == Bearing("", True), "too unsure to count"


def test_the_gates_by_evidence_differ_at_a_boundary() -> None:
    def opens(gate: str, value: float, bearing: Bearing) -> bool:
        return opening(Debate(gate=gate), [value], confidence=0.4, bearing=bearing).opens  # type: ignore[arg-type]

    carried, disputed, silent = Bearing(), Bearing("It is red."), Bearing(silent=True)
    assert [opens("both", v, carried) for v in (0.1, 0.45, 0.55, 0.9)] == [False, True, True, False]
    assert [opens("both", v, disputed) for v in (0.1, 0.45, 0.55, 0.9)] == [False, True, True, True]
    assert [opens("evidence", v, disputed) for v in (0.1, 0.45, 0.55, 0.9)] == [False, False, True, True]
    assert not any(opens(g, v, silent) for g in ("both", "evidence") for v in (0.1, 0.5, 0.9))
    assert not any(opens("evidence", v, carried) for v in (0.1, 0.5, 0.9))
    agreed = opening(Debate(), [0.9, 0.8], confidence=0.4, bearing=disputed)
    assert not agreed.opens and "agree" in agreed.why


def test_trust_decides_between_judges() -> None:
    assert weighted_median([0.2, 0.8, 0.9], [0.9, 0.2, 0.2]) == 0.2
    assert weighted_median([0.2, 0.8], [0.6, 0.6]) == 0.5
    assert weighted_median([0.2, 0.8], [0.0, 0.0]) == 0.5


def test_the_rubric_of_a_task_comes_from_what_it_asks_for() -> None:
    rubric = task_rubric("When did the architect of the Corvane Tower die?")
    assert rubric.names == ("bears on Corvane Tower", "gives a date")
    listed = task_rubric("Compare the two ports.\n- name the older one\n- give the year of each harbour")
    assert "meets: give the year of each harbour" in listed.names
    assert requirements("What is it?") == []
    row = rubric_row(("coverage",), rubric)
    assert row["rubric"][0] == "coverage" and row["version"] == rubric_row(("coverage",), rubric)["version"]
    assert row["version"] != rubric_row(("support",), rubric)["version"]


@pytest.mark.parametrize(
    ("task", "names"),
    [
        ("When was Ilse Maran born? Use two sources.", ["bears on Ilse Maran"]),
        ("Compare the tower of Belmark with that of Trondby.", ["bears on Belmark", "bears on Trondby"]),
        ("Summarise what Ada Calder wrote. Keep it short.", ["bears on Ada Calder"]),
        ("Is Norway larger?", ["bears on Norway"]),
    ],
)
def test_the_word_an_order_begins_with_is_no_criterion(task: str, names: list[str]) -> None:
    assert [name for name in task_rubric(task).names if name.startswith("bears on")] == names


@pytest.mark.parametrize(("asked", "own"), [(None, False), (True, True), (False, False)])
async def test_with_a_model_a_task_has_no_criteria_of_its_own_unless_asked_for(
    kit: Any, asked: bool | None, own: bool
) -> None:
    session = kit.session({}, debate={"task_rubric": asked})
    state = await kit.opened(session, "When was Ilse Maran born?")
    row = await judging(state, session, "When was Ilse Maran born?")
    assert ("bears on Ilse Maran" in row["rubric"]) is own
    assert has_own_rubric(replace(session, reasoner=EmbeddedReasoner(session.embedder))) is (
        asked is not False
    )
