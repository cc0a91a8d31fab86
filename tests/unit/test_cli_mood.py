"""`ddax mood` and `ddax metacognition`: over a real memory in a home of their own."""

import asyncio
import json
from pathlib import Path

import pytest

from ddax.cli.main import run_command
from ddax.cli.mood import _print
from ddax.configs.settings import Recall
from ddax.graph.runs import RunFolder, RunInfo
from ddax.memory.embeddings import open_embedder
from ddax.memory.home import Home
from ddax.memory.store import open_memory
from ddax.metacognition.controller import Controller
from ddax.metacognition.matrices import OBSERVATIONS, load_matrices
from ddax.metacognition.versions import write_version


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DDAX_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def rows(thread="t"):
    controller = Controller(engine="numpy")
    mood, found = controller.open_mood(), []
    for step, observation in enumerate(OBSERVATIONS):
        mood, action, _ = controller.observe(mood, observation)
        found.append({
            "task": "a", "thread": thread, "step": step, "idea": "0.1", "observation": observation,
            "belief": mood["belief"], "action": action, "efe": mood["efe"], "terms": controller.terms(mood),
            "reason": "so it \x1b[31mis", "epsilon": 0.2, "novelty": None, "progress": None,
        })  # fmt: skip
    return found


async def fill(home: Path) -> None:
    memory = await open_memory(
        Home(home).ensure().memory, namespace="default", embedder=open_embedder(), clock=lambda: 1.0,
        recall=Recall(),
    )  # fmt: skip
    for thread in ("t", "other"):
        for row in rows(thread):
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
