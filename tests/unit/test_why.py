"""`ddax why` and `ddax verify`: tables, flips that really flip, and a ledger that was tampered with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddax.cli.main import run_command
from ddax.dynamics.flip import EVERYONE, Level, flips, levels
from ddax.steps.choices.frontier import descend, frontier, policy_row

POLICY = {"rho": 0.3, "c": 1.2, "w_a": 0.5, "w_q": 1.0, "tabu": 1.0, "damped": True, "floor": 1.0}


def level(seed: int, n: int = 4, **policy: Any) -> Level:
    rng = np.random.default_rng(seed)
    rows = [
        {
            "id": f"0.{k}", "at": "0", "visits": 6, "q": float(rng.random()), "penalty": 0.0,
            "cosine": float(rng.uniform(-1, 1)), "n": int(rng.integers(0, 4)), "prior": float(rng.random()),
        }
        for k in range(n)
    ]  # fmt: skip
    return Level(tuple(rows), {**POLICY, **policy})


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.floats(0, 1))
def test_every_flip_flips_and_nothing_smaller_does(seed: int, rho: float) -> None:
    here = level(seed, rho=rho)
    was, found = here.winner(), flips(here)
    assert found, "some value always beats the best"
    for flip in found:
        key = (flip.candidate, flip.name)
        assert here.winner({key: flip.after}) == flip.winner != was
        assert here.winner({key: flip.before + 0.999 * (flip.after - flip.before)}) == was
    assert [f.share for f in found] == sorted(f.share for f in found)


def test_one_candidate_cannot_be_flipped() -> None:
    assert flips(level(0, n=1)) == []


def test_a_weight_of_zero_leaves_its_input_without_power() -> None:
    assert not any(f.name == "cosine" for f in flips(level(1, w_a=0.0)))


def test_rigidity_alone_can_flip_a_choice() -> None:
    rows = tuple(
        {"id": i, "at": "0", "visits": 9, "cosine": 0.0, "q": q, "n": n, "prior": 0.5, "penalty": 0.0}
        for i, q, n in (("tried", 0.6, 5), ("new", 0.5, 0))
    )
    here = Level(rows, {**POLICY, "rho": 0.0})
    (flip,) = [f for f in flips(here) if (f.candidate, f.name) == (EVERYONE, "rho")]
    assert here.winner() == "new" and flip.winner == "tried" and 0.8 < flip.after < 1.0


async def test_the_ledger_scores_again_what_the_selection_scored(kit: Any) -> None:
    from ddax.nodes.expand import expand
    from ddax.reasoning import protocol as p

    session = kit.session({"expand": [p.Expansion(tuple(kit.leaf(f"x{k}") for k in range(4)))]})
    state = await kit.after(expand, await kit.opened(session, focus=["0"], step=1), session)
    view = await frontier(state, session)
    found = descend(view, frozenset(i for i in state["ideas"] if i in ("0.1", "0.2", "0.3", "0.4")), 1)
    (here,) = levels(found.terms, policy_row(view))
    assert here.terms().total.tolist() == pytest.approx([row["total"] for row in found.terms], abs=1e-5)
    assert here.winner() == found.focus[0]


@pytest.fixture
def thread(kit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a finished thread `t`, and the way to run a command on it."""
    monkeypatch.setenv("DDAX_HOME", str(tmp_path))
    script = kit.script()
    with kit.agent(tmp_path, script) as agent:
        agent.run_sync(kit.question, thread="t")

    def command(*words: str) -> int:
        return run_command(words, opener=lambda _: kit.agent(tmp_path, script))

    return command


@pytest.mark.parametrize("width", [80, 40])
def test_the_terms_fit_a_narrow_terminal(
    thread: Any, capsys: Any, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setattr("ddax.cli.looking.why.columns", lambda: width)
    monkeypatch.setattr("ddax.cli.looking.runs.columns", lambda: width)
    assert thread("why", "t", "2") == 0
    terms = capsys.readouterr().out.split("What would have flipped it")[0].splitlines()[1:]
    assert "explore" in "".join(terms) and "→ 0." in "".join(terms)
    assert max(map(len, terms)) <= width
    assert thread("runs") == 0
    listed = capsys.readouterr().out.splitlines()
    assert len(listed) == (1 if width == 80 else 2)
    assert max(map(len, listed)) <= max(width, 55)


def test_why_shows_the_terms_and_the_flips(thread: Any, capsys: Any) -> None:
    assert thread("why", "t", "2") == 0
    out = capsys.readouterr().out
    assert out.startswith("Step 2: act ") and "alignment" in out and "→ 0." in out
    assert "would have been chosen" in out
    assert thread("why", "t", "2", "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["decision"]["step"] == 2 and len(printed["flips"]) == 3


def test_why_says_when_a_rule_decided_and_when_there_was_no_step(thread: Any, capsys: Any) -> None:
    assert thread("why", "t") == 0
    capsys.readouterr()
    assert thread("why", "t", "99") == 2
    assert "steps 1 to" in capsys.readouterr().err
    assert thread("why", "other") == 2


def test_verify_finds_what_was_done_to_the_ledger(thread: Any, capsys: Any, kit: Any) -> None:
    assert thread("verify", "t") == 0
    assert "none changed" in capsys.readouterr().out
    log = kit.memory._logs["decisions"]
    key, (text, *rest) = next(iter(log.items()))
    log[key] = (json.dumps({**json.loads(text), "rule": "forged"}), *rest)
    assert thread("verify", "t") == 4
    assert "changed: the entry of step 1" in capsys.readouterr().out
    del log[key]
    assert thread("verify", "t", "--json") == 4
    assert json.loads(capsys.readouterr().out)["faults"][0]["kind"] == "removed"
