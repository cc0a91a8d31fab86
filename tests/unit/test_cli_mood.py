"""`ddax mood` and `ddax metacognition`: over a real memory in a home of their own."""

import asyncio
import json
from pathlib import Path

import pytest

from ddax.cli.looking.mood import _lines, _print
from ddax.cli.main import run_command
from ddax.configs.settings import Recall
from ddax.graph.threads.manifests import RunFolder, RunInfo
from ddax.memory.embeddings import open_embedder
from ddax.memory.home import Home
from ddax.memory.lock import OwnerLock
from ddax.memory.store.namespace import open_memory
from ddax.metacognition.controller import Controller
from ddax.metacognition.matrices import OBSERVATIONS, Matrices, load_matrices
from ddax.metacognition.versions import write_version


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DDAX_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def rows(thread="t", task="a"):
    controller = Controller(engine="numpy")
    mood, found = controller.open_mood(), []
    for step, observation in enumerate(OBSERVATIONS):
        mood, action, _ = controller.observe(mood, observation)
        found.append({
            "task": task, "thread": thread, "step": step, "idea": "0.1", "observation": observation,
            "belief": mood["belief"], "action": action, "efe": mood["efe"], "terms": controller.terms(mood),
            "reason": "so it \x1b[31mis", "epsilon": 0.2, "novelty": None, "progress": None,
        })  # fmt: skip
    return found


async def fill(home: Path, **threads: str) -> None:
    memory = await open_memory(
        Home(home).ensure().memory, namespace="default", embedder=open_embedder(), clock=lambda: 1.0,
        recall=Recall(),
    )  # fmt: skip
    for thread, task in (threads or {"t": "a", "other": "a"}).items():
        for row in rows(thread, task):
            await memory.log("moods", row, key=f"{thread}:{row['step']}")
    await memory.close()


def test_the_mood_of_one_thread_as_a_table_and_as_series(home, capsys):
    asyncio.run(fill(home))
    RunFolder(home / "runs").save(RunInfo("t", "task", "done", context={"namespace": "default"}))
    assert run_command(["mood", "t"]) == 0
    out = capsys.readouterr().out
    assert out.count("0.1") >= 4 and "VERIFY" in out and "\x1b" not in out and "in nats" in out
    assert run_command(["mood", "t", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["mood"]
    assert found["observation"] == list(OBSERVATIONS) and len(found["belief"]["BORED"]) == 4
    assert run_command(["metacognition", "learn"]) == 2
    assert "more than one decision: 1." in capsys.readouterr().err


def test_the_mood_is_read_beside_a_run_that_owns_the_home(home, capsys):
    asyncio.run(fill(home))
    RunFolder(home / "runs").save(RunInfo("t", "task", "running", context={"namespace": "default"}))
    owner = OwnerLock(Home(home).memory, "the memory", clock=lambda: 1.0)
    owner.acquire(0.0)
    try:
        assert run_command(["mood", "t"]) == 0
        assert "VERIFY" in capsys.readouterr().out
    finally:
        owner.release()


def test_a_thread_without_a_memory_has_no_mood(home, capsys):
    RunFolder(home / "runs").save(RunInfo("t", "task", "failed", context={"namespace": "default"}))
    assert run_command(["mood", "t"]) == 0
    assert "No mood is logged" in capsys.readouterr().out
    assert not (home / "memory").exists(), "looking makes nothing"


def test_learning_begins_where_nothing_was_learned_so_that_no_run_counts_twice(home, capsys, monkeypatch):
    asyncio.run(fill(home, **{f"t{n}": f"task {n}" for n in range(6)}))
    shipped, seen = load_matrices(), []
    A = shipped.A.copy()
    A[:, 0] = (0.55, 0.05, 0.35, 0.05)
    write_version(home, Matrices(A, shipped.B, shipped.C, shipped.D), {"from": "shipped", "runs": 4})
    monkeypatch.setenv("DDAX_MOOD__MATRICES", "v1")
    monkeypatch.setattr(
        "ddax.metacognition.learning.learn", lambda base, runs, **_: seen.append((base, runs)) or base
    )
    code = run_command(["metacognition", "learn", "--json"])
    told = json.loads(capsys.readouterr().out)
    ((base, runs),) = seen
    assert (base.A == shipped.A).all() and len(runs) == 4 and told["from"] == "v1"
    assert code == (1 if told["refused"] else 0)


def test_a_file_in_use_is_named_among_the_versions(home, capsys, monkeypatch):
    monkeypatch.setenv("DDAX_MOOD__MATRICES", "/some/mine.yaml")
    assert run_command(["metacognition", "versions"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("  shipped") and out[1].startswith("* /some/mine.yaml  a file")


def test_an_unknown_thread_is_refused(home, capsys):
    assert run_command(["mood", "nobody"]) == 2
    assert "nobody" in capsys.readouterr().err


def test_versions_are_listed_with_what_was_said_of_them(home, capsys):
    Home(home).ensure()
    write_version(home, load_matrices(), {"from": "shipped", "runs": 9})
    assert run_command(["metacognition", "versions"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("* shipped") and out[1].startswith("  v1") and "9 runs" in out[1]
    assert run_command(["metacognition", "versions", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "used": "shipped", "versions": {"v1": {"from": "shipped", "runs": 9}},
    }  # fmt: skip


def test_each_value_is_shown_as_its_terms(capsys):
    _print(rows())
    out = capsys.readouterr().out
    assert "-0.46 = " in out


@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_narrow_terminal_gets_whole_words(width):
    lines = [line for row in rows() for line in _lines(row, width)]
    assert all(len(line) < width for line in lines)
    text = " ".join(" ".join(lines).split())
    assert "confused 0." in text and "because so it is" in text and "…" not in text
    assert text.count("→") == len(rows())
