"""`ddax traces export`: chat examples of what led to the answer, and of the whole search."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from ddax import Context, open_agent
from ddax.cli.main import run_command
from ddax.configs.settings import Mood
from ddax.graph.services import Parts
from ddax.ideas.traces import Run, trace
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.lock import OwnerLock
from ddax.memory.records import RECORD
from ddax.memory.store.sqlite import RecordStore
from ddax.reasoning.scripted import ScriptedReasoner
from ddax.testing.pages import PageLibrary
from ddax.types import ActionCall, Idea
from tests.unit.store_files import edited


def leaf(name: str, parent: str, *, evidence: list[str], needs: list[str] | None = None) -> Idea:
    call = ActionCall(name="visit", args={"source": name}, intent="")
    return Idea(
        id=name,
        parent=parent,
        kind="leaf",
        title=f"read {name}",
        needs=needs or [],
        action=call,
        evidence=evidence,
    )


def lived(idea: str, step: int, value: float, *, ok: bool = True, surprise: float = 0.1) -> dict[str, Any]:
    return {
        "idea": idea,
        "step": step,
        "ok": ok,
        "actual": f"saw {idea}",
        "value": value,
        "surprise": surprise,
    }


@pytest.fixture
def run() -> Run:
    ideas = {
        "0": Idea(id="0", parent="", kind="inner", title="task", needs=[]),
        "0.1": leaf("0.1", "0", evidence=["a"]),
        "0.2": leaf("0.2", "0", evidence=["b"]),
        "0.3": Idea(id="0.3", parent="0", kind="inner", title="deeper", needs=["0.1"]),
        "0.3.1": leaf("0.3.1", "0.3", evidence=["c"]),
    }
    decisions = [{"step": 2, "terms": [{"id": "0.1", "total": 0.7}, {"id": "0.2", "total": 0.4}]}]
    rows = [lived("0.3.1", 4, 0.9), lived("0.1", 2, 0.6), lived("0.2", 2, 0.1, ok=False, surprise=0.9)]
    return Run("Where?", "There.", "0", ideas, frozenset({"c"}), rows, decisions)


def said(example: Any, role: str) -> list[str]:
    return [m["content"] for m in example["messages"] if m["role"] == role]


def test_imitation_keeps_what_the_answer_rests_on(run: Run) -> None:
    example = trace(run, "imitation")
    actions = [
        json.loads(text.splitlines()[-1])["args"]["source"] for text in said(example, "assistant")[:-1]
    ]
    assert actions == ["0.1", "0.3.1"], "0.2 brought nothing; 0.3.1 is cited and rests on 0.1"
    assert said(example, "assistant")[-1] == "There."
    assert said(example, "user") == ["Where?", "Observation: saw 0.1", "Observation: saw 0.3.1"]


def test_exploratory_keeps_considering_valuing_and_going_back(run: Run) -> None:
    first, second, third, last = said(trace(run, "exploratory"), "assistant")
    assert "I consider read 0.1 (score 0.70); read 0.2 (score 0.40)." in first
    assert "worth 0.60" in second
    assert "not as expected" in third and "I go back to: deeper." in third
    assert last == "The outcome was as expected; it is worth 0.90.\n\nThere."


def test_a_run_without_answer_or_action_is_no_example(run: Run) -> None:
    assert trace(Run(**{**vars(run), "answer": " "}), "imitation") is None
    assert trace(Run(**{**vars(run), "ledger": []}), "exploratory") is None


def lived_in(home: Path, kit: Any, *threads: str) -> None:
    """Fill a home with threads that are done, and with what they remember."""
    parts = Parts(
        reasoner=ScriptedReasoner(kit.script(), repeat=True),
        library=PageLibrary(kit.pages),
        embedder=HashEmbedder(),
    )
    with open_agent(Context(mood=Mood(engine="numpy")), home=home, parts=parts) as agent:
        for thread in threads:
            assert agent.run_sync(kit.question, thread=thread)["status"] == "done"


def test_export_from_the_shell(kit: Any, tmp_path: Path, monkeypatch: Any, capsysbinary: Any) -> None:
    monkeypatch.setenv("DDAX_HOME", str(tmp_path))
    lived_in(tmp_path, kit, "t")

    def command(*words: str) -> int:
        return run_command(("traces", "export", *words))

    for form in ("imitation", "exploratory"):
        assert command("--format", form) == 0
        (line,) = capsysbinary.readouterr().out.decode().splitlines()
        messages = json.loads(line)["messages"]
        assert [m["role"] for m in messages[:3]] == ["system", "user", "assistant"]
        assert messages[1]["content"] == kit.question and messages[-1]["content"].endswith("Trondby.")
    assert command("-o", str(tmp_path / "t.jsonl")) == 0
    assert (tmp_path / "t.jsonl").read_text().count("\n") == 1
    assert command("-o", str(tmp_path / "no" / "t.jsonl")) == 2
    assert command("--thread", "other") == 2
    assert command("--format", "csv") == 2


def test_half_a_character_in_what_was_seen_costs_no_export(
    kit: Any, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.setenv("DDAX_HOME", str(tmp_path))
    lived_in(tmp_path, kit, "t")
    half = r"""json_set(row, '$.actual', json('"half \ud83d"'))"""
    edited(tmp_path / "memory" / RECORD, f"UPDATE log SET row = {half} WHERE name = 'ledger'")
    assert run_command(("traces", "export")) == 0
    (line,) = capsys.readouterr().out.splitlines()
    seen = [m["content"] for m in json.loads(line)["messages"] if m["content"].startswith("Observation:")]
    assert seen and set(seen) == {"Observation: half ?"}


def test_an_export_of_many_threads_says_how_far_it_is_and_opens_the_record_once(
    kit: Any, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.setenv("DDAX_HOME", str(tmp_path))
    monkeypatch.setattr("ddax.cli.looking.traces.TOLD_SECONDS", 0.0)
    lived_in(tmp_path, kit, "one", "two", "three")
    opened: list[Path] = []
    record = RecordStore.__init__

    def counted(self: RecordStore, path: Path, **options: Any) -> None:
        opened.append(path)
        record(self, path, **options)

    monkeypatch.setattr(RecordStore, "__init__", counted)
    assert run_command(("traces", "export")) == 0
    out, err = capsys.readouterr()
    assert out.count("\n") == 3 and len(opened) == 1
    told = ["Reading 3 threads …", "0 of 3 threads …", "1 of 3 threads …", "2 of 3 threads …"]
    assert err.splitlines() == [*told, "3 of 3 threads exported (imitation)."]


def test_an_export_reads_beside_a_process_that_has_the_memory(
    kit: Any, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.setenv("DDAX_HOME", str(tmp_path))
    lived_in(tmp_path, kit, "t")
    lock = OwnerLock(tmp_path / "memory", "the memory", clock=time.time)
    lock.acquire(0)
    try:
        assert run_command(("traces", "export")) == 0
    finally:
        lock.release()
    assert capsys.readouterr().out.count("\n") == 1


def test_an_export_says_which_threads_give_nothing_and_why(
    kit: Any, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.setenv("DDAX_HOME", str(tmp_path))
    lived_in(tmp_path, kit, "t")
    shutil.rmtree(tmp_path / "memory")
    assert run_command(("traces", "export")) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("0 of 1 thread exported (imitation).\nLeft out: t. No step")


def test_a_row_of_an_idea_that_is_no_more_is_passed_over(run: Run) -> None:
    more = Run(**{**vars(run), "ledger": [*run.ledger, lived("0.9", 5, 0.5)]})
    assert trace(more, "exploratory") == trace(run, "exploratory")
