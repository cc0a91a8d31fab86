"""`ddax memory show|history|forget|rebuild`: what they print, what they change, and what they refuse."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from ddax.cli.backend import run_folder
from ddax.cli.main import run_command
from ddax.cli.maintaining.memory import with_memory
from ddax.cli.scripted import ScriptedAgent
from ddax.errors import StateError
from ddax.graph.threads.manifests import RunInfo
from ddax.ideas.idea import root
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.rules import PlanStep, Rule, learn
from ddax.types import Document, Record

PAGE = "Füße. The Corvane Tower was designed by Ilse Maran in 1931. It stands on a hill."
QUOTE = "The Corvane Tower was designed by Ilse Maran in 1931."
START = PAGE.index(QUOTE)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ddax.memory.embeddings.open_embedder", HashEmbedder)


def call(capsys: Any, *argv: str, state: Any = None) -> tuple[int, str, str]:
    code = run_command(("memory", *argv), opener=ScriptedAgent({}, events=[], state=state or {}).open)
    out, err = capsys.readouterr()
    return code, out, err


def told(capsys: Any, *argv: str, state: Any = None) -> Any:
    code, out, err = call(capsys, *argv, "--json", state=state)
    assert code == 0, err
    return json.loads(out)


def seen(text: str = QUOTE, **changes: Any) -> Record:
    given = {"source": "tower.md", "title": "Tower", "task": "a", "idea": "0.1", "step": 3}
    given |= {"start": START, "end": START + len(QUOTE)}
    return Record("observation", text, **{**given, **changes})


@pytest.fixture
def stored() -> str:
    async def work(memory: Any) -> str:
        page = Document(doc_id="tower", source="tower.md", title="Tower", text=PAGE)
        key = await memory.put_page(page)
        (memory_id,) = await memory.put([seen(meta={"page": key})])
        return str(memory_id)

    return with_memory(None, work)


def test_show_tells_where_a_memory_comes_from(capsys: Any, stored: str) -> None:
    found = told(capsys, "show", stored[:12])
    assert found["memory"]["id"] == stored and found["memory"]["text"] == QUOTE
    assert found["provenance"]["idea"] == "0.1"
    first, last = found["provenance"]["bytes"]
    assert PAGE.encode()[first:last].decode() == QUOTE
    code, out, _ = call(capsys, "show", stored)
    assert code == 0
    assert QUOTE in out and f"bytes {first} to {last}" in out and "tower.md" in out


def test_show_tells_since_when_it_holds_and_what_stands_against_it(capsys: Any) -> None:
    async def work(memory: Any) -> list[str]:
        old = await memory.put([seen("The tower has 120 steps.", step=1, created=1000.0)])
        there = {"source": "guide.md", "step": 2, "created": 2000.0}
        other = await memory.put([seen("The tower has 140 steps.", **there)])
        new = await memory.put([seen("The tower has 150 steps.", step=3, created=3000.0)])
        return [*old, *other, *new]

    old, other, new = with_memory(None, work)
    found = told(capsys, "show", old)
    assert (found["valid_from"], found["superseded_by"], found["contradicts"]) == (1000.0, [new], [other])
    assert {*told(capsys, "show", other)["contradicts"]} == {old, new}
    out = call(capsys, "show", old)[1]
    assert f"superseded by {new[:12]}" in out and f"contradicts {other[:12]}" in out
    assert "held to be true from 1970-01-01" in out


def test_history_tells_of_repeats_and_of_the_end(capsys: Any, stored: str) -> None:
    with_memory(None, lambda memory: memory.put([seen(task="b", step=1)]))
    events = [event["what"] for event in told(capsys, "history", stored[:12])["events"]]
    assert "written in task a" in events
    assert any("refused as duplicate" in event for event in events)
    assert call(capsys, "forget", stored[:12])[0] == 0
    code, out, _ = call(capsys, "history", stored)
    assert code == 0 and "forgotten" in out


def test_what_is_forgotten_is_gone_and_not_stored_again(capsys: Any, stored: str) -> None:
    assert told(capsys, "forget", stored[:12]) == {"forgotten": [stored], "thoughts": []}
    code, _, err = call(capsys, "show", stored)
    assert code == 2 and "ddax memory history" in err
    assert with_memory(None, lambda memory: memory.put([seen(task="b")])) == []
    assert QUOTE not in call(capsys, "search", "who designed the Corvane Tower")[1]


def thinks(text: str, *cited: str) -> str:
    async def work(memory: Any) -> str:
        row = Record("internal_thought", text, task="a", step=4, meta={"kind": "merge", "cites": [*cited]})
        return str((await memory.inner.put([row]))[0])

    return with_memory(None, work)


def test_a_thought_that_quotes_what_is_forgotten_is_forgotten_with_it(capsys: Any, stored: str) -> None:
    quoting = thinks(f"It is known: {QUOTE}", stored)
    own = thinks("Maran was its architect.", stored)
    found = told(capsys, "forget", stored[:12])
    assert found == {"forgotten": [stored], "thoughts": [quoting]}
    hits = told(capsys, "search", QUOTE)["hits"]
    assert [hit["record"]["id"] for hit in hits] == [own]
    assert told(capsys, "audit")["rows"] == 1
    assert "forgotten" in call(capsys, "history", quoting)[1]


def test_forget_says_how_many_thoughts_go_and_which(capsys: Any, stored: str) -> None:
    ids = [thinks(f"{QUOTE} Seen {n} times.", stored) for n in ("two", "three")]
    code, out, _ = call(capsys, "forget", stored[:12])
    assert code == 0
    assert out.splitlines() == [
        f"{stored[:12]} is forgotten.",
        "Thoughts that repeat it are forgotten as well, 2:",
        *(f"  {row_id[:12]}" for row_id in ids),
    ]


def test_a_wrong_name_among_several_forgets_nothing(capsys: Any, stored: str) -> None:
    code, _, err = call(capsys, "forget", stored[:12], "ffffffffffff")
    assert code == 2 and "ffffffffffff" in err
    assert told(capsys, "show", stored)["memory"]["id"] == stored


@pytest.mark.parametrize("command", ["show", "history", "forget"])
def test_an_id_that_is_not_there_is_a_wrong_use(capsys: Any, command: str) -> None:
    code, out, err = call(capsys, command, "0123456789ab")
    assert (code, out) == (2, "") and "0123456789ab" in err


def test_rebuild_makes_the_index_anew_and_finds_the_same(capsys: Any, stored: str) -> None:
    before = [hit["record"]["id"] for hit in told(capsys, "search", QUOTE, "-k", "1")["hits"]]
    assert before == [stored]
    assert told(capsys, "rebuild") == {"namespace": "default", "rows": 1}
    assert [hit["record"]["id"] for hit in told(capsys, "search", QUOTE)["hits"]] == before
    assert ": 1 row." in call(capsys, "rebuild")[1]


def test_another_namespace_does_not_see_it(capsys: Any, stored: str) -> None:
    assert call(capsys, "show", stored, "--namespace", "other")[0] == 2
    assert told(capsys, "rebuild", "--namespace", "other")["rows"] == 0


def test_goals_are_read_off_the_checkpoint_with_what_is_known_for_them(capsys: Any, stored: str) -> None:
    task = "Who designed the Corvane Tower?"
    top = {**root(0, task), "status": "waiting"}
    below = {**root(0, QUOTE), "id": "0.1", "parent": "0", "depth": 1, "needs": ["0.2"]}
    needed = {**below, "id": "0.2", "title": "look", "needs": []}
    over = {**below, "id": "0.3", "status": "done"}
    ideas = {idea["id"]: idea for idea in (top, below, needed, over)}
    work = {"id": "w", "root": "0", "text": task, "opened": time.time() + 60}
    state = {"work": work, "ideas": ideas, "focus": ["0.1"], "step": 4}
    rule = Rule("Who designed the something?", 1, (PlanStep("something", slot=0),), "something")

    async def work_well(memory: Any) -> None:
        for number in range(3):
            await learn(memory, rule, task=f"w{number}", at=1.0)

    with_memory(None, work_well)
    run_folder().save(RunInfo("t", task, "interrupted", created=1.0, updated=2.0))
    found = told(capsys, "goals", "t", state=state)
    assert [(node["id"], node["waits_for"]) for node in found["stack"]] == [("0", []), ("0.1", ["0.2"])]
    assert [hit["record"]["id"] for hit in found["hits"]] == [stored]
    assert [(row["id"], row["rate"]) for row in found["rules"]] == [(rule.id, 0.8)]
    out = call(capsys, "goals", "t", state=state)[1]
    assert "waits for 0.2" in out and stored[:12] in out and rule.situation in out
    ended = {**state, "ideas": {key: {**idea, "status": "done"} for key, idea in ideas.items()}}
    assert "Every goal of this thread is over." in call(capsys, "goals", "t", state=ended)[1]
    assert call(capsys, "goals", "t")[0] == 2 == call(capsys, "goals", "nowhere")[0]


def test_an_empty_namespace_is_refused(capsys: Any) -> None:
    code, _, err = call(capsys, "stats", "--namespace", "")
    assert code == 2 and "namespace" in err and "ddax.errors" not in err


@pytest.mark.parametrize(
    "argv",
    [
        ("memory", "stats"),
        ("memory", "audit"),
        ("memory", "search", "tower"),
        ("gc",),
        ("gc", "--json"),
        ("memory", "consolidate", "--dry-run"),
    ],
)
def test_looking_makes_no_home(
    argv: tuple[str, ...], tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DDAX_HOME", str(tmp_path / "home"))
    assert run_command(argv) == 0, capsys.readouterr().err
    assert capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_an_export_that_fails_leaves_nothing_and_makes_no_home(
    capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def half(memory: Any) -> Any:
        yield {"kind": "header"}
        raise StateError("The record is damaged.")

    monkeypatch.setenv("DDAX_HOME", str(tmp_path / "home"))
    with monkeypatch.context() as patch:
        patch.setattr("ddax.memory.upkeep.transfer.exported", half)
        assert call(capsys, "export", str(tmp_path / "all.jsonl"))[0] == 4
    assert call(capsys, "forget", "abcd")[0] == 2
    assert list(tmp_path.iterdir()) == []
    assert call(capsys, "export", str(tmp_path / "all.jsonl"))[0] == 0
    assert [path.name for path in tmp_path.iterdir()] == ["all.jsonl"]


@pytest.mark.parametrize("last", ['{"kind": "row", "text"', '{"kind": "row"}', "[]", "\udcff"])
def test_a_damaged_export_is_refused_whole(capsys: Any, stored: str, tmp_path: Path, last: str) -> None:
    whole, broken = tmp_path / "whole.jsonl", tmp_path / "broken.jsonl"
    assert call(capsys, "export", str(whole))[0] == 0
    lines = whole.read_text(encoding="utf-8").splitlines()
    broken.write_text("\n".join([*lines, last]), encoding="utf-8", errors="surrogateescape")
    code, _, err = call(capsys, "import", str(broken), "--namespace", "other")
    assert code == (2 if last == "\udcff" else 4)
    assert code == 2 or (f"Line {len(lines) + 1} " in err and "ddax memory export FILE" in err)
    assert told(capsys, "search", QUOTE, "--namespace", "other")["hits"] == []
    code, out, _ = call(capsys, "import", str(whole), "--namespace", "other")
    assert (code, out) == (0, "1 row, 1 page, 0 logs, 0 relations, 0 tombstones, 0 refused\n")
    assert len(told(capsys, "search", QUOTE, "--namespace", "other")["hits"]) == 1


def test_a_moment_before_all_calendars_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = call(capsys, "search", "x", "--as-of", "0001-01-01")
    assert code == 2 and "'0001-01-01' is no time." in err


def test_no_word_of_a_memory_steers_the_terminal(capsys: Any, tmp_path: Path) -> None:
    red, file = "\x1b[31mred\x1b[2J\u202e", tmp_path / "steering.jsonl"
    row = {"kind": "row", "memory_type": "internal_thought", "text": QUOTE, "id": "a" * 64}
    lines: list[dict[str, Any]] = [
        {"kind": "header", "schema": 1, "namespace": "default"},
        {**row, **dict.fromkeys(("writer", "task", "idea", "source"), red)},
        {"kind": "log", "table": "tasks", "row": {"task": red, "thread": red}},
        {"kind": "relation", "relation": {"kind": "contradicts", "newer": "a" * 64, "older": "a" * 64}},
        {"kind": "tombstone", "id": "d" * 64, "reason": red, "task": red, "into": red},
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert call(capsys, "import", str(file))[0] == 0
    (memory_id,) = (hit["record"]["id"] for hit in told(capsys, "search", QUOTE)["hits"])
    for argv in (("show", memory_id), ("history", memory_id), ("history", "dddd"), ("stats",), ("audit",)):
        code, out, err = call(capsys, *argv)
        assert code == 0 and ("red" in out or argv == ("audit",)), err
        assert "\x1b" not in out and "\u202e" not in out
