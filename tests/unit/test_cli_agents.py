"""`ddax agents` and `ddax rubric`: what they print, what they change, and what they refuse."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from ddax.cli.backend import home_of, run_folder
from ddax.cli.main import run_command
from ddax.cli.scripted import ScriptedAgent
from ddax.graph.threads.manifests import RunInfo
from ddax.memory.agents.agent_store import AgentStore
from ddax.memory.agents.dissents import LoggedDissent

RESULT = {
    "thread_id": "t", "status": "done", "stop_reason": "", "answer": "It is 42.", "short": "42",
    "citations": [], "ideas": 3, "steps": 4, "rigidity": 0.1, "mood": "EXPLORE", "failures": [],
    "question": None,
    "usage": {"model_calls": 0, "tokens": 0, "usd": 0.0, "seconds": 0.5},
}  # fmt: skip
STATE = {"work": {"root": "0", "thread": "t"}, "answer": {"text": "It is 42.", "found": True}}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def call(capsys: Any, *argv: str) -> tuple[int, str, str]:
    code = run_command(argv, opener=ScriptedAgent(RESULT, events=[], state=STATE).open)
    out, err = capsys.readouterr()
    return code, out, err


def told(capsys: Any, *argv: str) -> Any:
    code, out, err = call(capsys, *argv, "--json")
    assert code == 0, err
    return json.loads(out)


@pytest.fixture
def thread() -> str:
    run_folder().save(RunInfo("t", "what is it?", "done", created=1.0, updated=2.0))
    return "t"


def test_an_empty_home_says_so_and_makes_nothing(capsys: Any) -> None:
    assert "No agents yet" in call(capsys, "agents", "list")[1]
    assert told(capsys, "agents", "list")["agents"] == []
    assert "version 1" in call(capsys, "rubric", "show")[1]
    assert not home_of().exists()
    assert call(capsys, "agents", "check")[0] == 0


def test_an_answer_is_overridden_and_the_override_reverted(capsys: Any, thread: str) -> None:
    made = told(capsys, "agents", "override", "t", "--decision", "It is 43.", "--by", "Ü")["override"]
    assert (made["agent"], made["human"], made["agent_output"]) == ("embedded", "human:Ü", "It is 42.")
    again = told(capsys, "agents", "override", "t", "--decision", "It is 43.", "--by", "U\u0308")["override"]
    assert again["id"] == made["id"]
    assert {row["name"] for row in told(capsys, "agents", "list")["agents"]} == {"embedded", "human:Ü"}
    assert "0 dissents, 1 override, 0 regretted" in call(capsys, "agents", "list")[1]
    assert "1 override in all" in call(capsys, "agents", "show", "embedded")[1]
    code, out, _ = call(capsys, "agents", "revert", made["id"][:6], "--by", "Bob")
    assert code == 0 and "in force again: It is 42." in out
    assert told(capsys, "agents", "show", "human:Ü")["trust_score"] < 0.6
    assert "regretted by Bob" in call(capsys, "agents", "show", "embedded")[1]
    assert told(capsys, "agents", "list")["metrics"]["regret_rate"] == 1.0
    assert call(capsys, "agents", "revert", made["id"])[0] == 2


def test_a_thread_shows_what_was_put_in_the_place_of_its_answer(capsys: Any, thread: str) -> None:
    assert "Overridden" not in call(capsys, "show", "t")[1] and not home_of().joinpath("agents").exists()
    made = told(capsys, "agents", "override", "t", "--decision", "It is\x1b[31m 43.")["override"]
    line = f"  override {made['id']} by human ({{}}): It is 42. → It is 43."
    assert line.format("stands") in call(capsys, "show", "t")[1].splitlines()
    assert told(capsys, "show", "t")["overrides"] == [made]
    call(capsys, "agents", "revert", made["id"], "--by", "Bob")
    assert line.format("regretted by Bob") in call(capsys, "show", "t")[1].splitlines()
    run_folder().save(RunInfo("u", "what is it?", "done"))
    assert told(capsys, "show", "u")["overrides"] == []
    next(home_of().joinpath("agents").glob("*.json")).write_text("{")
    code, out, err = call(capsys, "show", "t")
    assert code == 0 and "It is 42." in out and "Overrides are not shown. The file" in err


def test_what_was_reverted_can_be_decided_again(capsys: Any, thread: str) -> None:
    words = ("agents", "override", "t", "--decision", "It is 43.")
    first = told(capsys, *words)["override"]
    assert call(capsys, "agents", "revert", first["id"])[0] == 0
    second = told(capsys, *words)["override"]
    assert second["id"] != first["id"] and not second["regret"]
    assert told(capsys, *words)["override"] == second
    kept = told(capsys, "agents", "show", "embedded")["override_history"]
    assert [(one["id"], one["regret"]) for one in kept] == [(first["id"], True), (second["id"], False)]


def test_another_override_of_the_same_answer_is_noted(capsys: Any, thread: str) -> None:
    told(capsys, "agents", "override", "t", "--decision", "It is 43.")
    told(capsys, "agents", "override", "t", "--decision", "It is 44.", "--by", "Bob")
    first, second = told(capsys, "agents", "show", "embedded")["override_history"]
    assert (first["final_output"], second["final_output"]) == ("It is 44.", "It is 44.")


def test_a_lesson_goes_to_the_rubric_on_approval(
    capsys: Any, thread: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DDAX_TRUST__PROPOSE_FROM", "0.5")
    proposal = told(capsys, "agents", "override", "t", "--decision", "43", "--lesson", "Count twice.")[
        "proposal"
    ]
    assert f"proposal {proposal['id']} (open)" in call(capsys, "rubric", "show")[1]
    assert told(capsys, "rubric", "approve", proposal["id"])["version"] == 2
    assert "count-twice" in told(capsys, "rubric", "show")["history"][-1]["criteria"]
    assert told(capsys, "rubric", "undo")["version"] == 3
    assert call(capsys, "rubric", "undo")[0] == 2
    assert call(capsys, "rubric", "refuse", proposal["id"])[0] == 2


@pytest.mark.parametrize(
    "argv",
    [
        ("agents", "show", "nobody"),
        ("agents", "override", "no-thread", "--decision", "x"),
        ("agents", "override", "t", "--decision", " "),
        ("agents", "revert", "ffff"),
        ("agents", "check", "ffff"),
        ("agents", "list", "--nonsense"),
        ("rubric", "approve", "ffff"),
        ("rubric", "show", "--name", "nothing"),
    ],
)
def test_what_is_wrong_is_said_with_exit_code_2(capsys: Any, thread: str, argv: tuple[str, ...]) -> None:
    code, _, err = call(capsys, *argv)
    assert (code, "Traceback" in err, bool(err.strip())) == (2, False, True)


@pytest.mark.parametrize(("flag", "value"), [("--by", " "), ("--lesson", "It should be this, please.")])
def test_an_override_that_cannot_be_taken_in_whole_is_not_taken_in(
    capsys: Any, thread: str, flag: str, value: str
) -> None:
    assert call(capsys, "agents", "override", "t", "--decision", "It is 43.", flag, value)[0] == 2
    assert told(capsys, "agents", "list")["agents"] == []


def test_names_of_any_kind_are_listed_safely(capsys: Any) -> None:
    store = AgentStore(home_of() / "agents", clock=time.time)
    names = ["../x", "CON", "n" * 300, "\x1b[31mred", "a\nb"]
    for name in names:
        store.log_round(name)
    assert {row["name"] for row in told(capsys, "agents", "list")["agents"]} == set(names)
    out = call(capsys, "agents", "list")[1]
    assert "\x1b" not in out
    assert "a b" in out
    assert all(call(capsys, "agents", "show", name)[0] == 0 for name in names)


@pytest.mark.parametrize(
    "damage",
    [
        "{", "[]", "{}", '{"agent_name": 5}', '{"agent_name": "A", "schema": "a"}',
        '{"agent_name": "A", "schema": null}', '{"agent_name": "A", "schema": 2}',
        '{"agent_name": "A", "dissent_history": null}', '{"agent_name": "A", "trust_score": "high"}',
        '{"agent_name": "A", "dissent_history": ["x"]}', '{"agent_name": "A", "long_term_stats": []}',
    ],
)  # fmt: skip
def test_a_damaged_file_ends_with_4(capsys: Any, damage: str) -> None:
    store = AgentStore(home_of() / "agents", clock=time.time)
    store.log_round("A")
    store.path("A").write_text(damage)
    for argv in (("list",), ("show", "A")):
        code, _, err = call(capsys, "agents", *argv)
        assert code == 4 and "move" in err.lower(), err


def test_a_file_of_an_older_release_is_read(capsys: Any) -> None:
    store = AgentStore(home_of() / "agents", clock=time.time)
    store.log_round("A")
    store.path("A").write_text('{"agent_name": "A", "trust_score": 1, "long_term_stats": {}}')
    assert told(capsys, "agents", "list")["agents"][0]["name"] == "A"


def test_who_is_likely_to_dissent_well_on_a_topic(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from ddax.memory.embeddings import HashEmbedder

    monkeypatch.setattr("ddax.memory.embeddings.open_embedder", HashEmbedder)
    store = AgentStore(home_of() / "agents", clock=time.time, embedder=HashEmbedder())
    for number in range(6):
        said = LoggedDissent(
            text="the harbour wall", citations=[], impact=True, supported=True, verified_better=True
        )
        store.log_dissent("A", said, round_id=f"{number}")
    (found,) = told(capsys, "agents", "list", "--topic", "the harbour wall")["forecasts"]
    assert found["chance"] > 0.8
    assert "Brier" in call(capsys, "agents", "list", "--topic", "the harbour wall")[1]
