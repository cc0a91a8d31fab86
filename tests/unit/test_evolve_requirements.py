"""`evolve` proposes no change of a file the task said not to touch, and tells what a failed search cost."""

from __future__ import annotations

import shutil
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from ddax.errors import SandboxError
from ddax.nodes.evolve import evolve
from ddax.reasoning.protocol import Patches, PatchRequest
from ddax.types import Usage

BROKEN = "def double(x):\n    return x + x + 1\n"
USES = "from core import double\n\n\ndef twice(x):\n    return double(x)\n"
TEST = """from calc import twice


def test_two():
    assert twice(2) == 4


def test_nothing():
    assert twice(0) == 0
"""


async def repaired(
    kit: Any, folder: Path, task: str, monkeypatch: pytest.MonkeyPatch
) -> tuple[Any, list[Any]]:
    """Return the update of the node on a broken program, and the repairs it set out on."""
    repairs = import_module("ddax.evolution.repair")  # the package has a function of that name
    for name, text in (("core.py", BROKEN), ("calc.py", USES), ("test_calc.py", TEST)):
        (folder / name).write_text(text, encoding="utf-8")
    tasks, real = [], repairs.repair

    async def watched(given: Any, **options: Any) -> Any:
        tasks.append(given)
        return await real(given, **options)

    monkeypatch.setattr(repairs, "repair", watched)
    session = kit.session()
    session.reasoner.name = "embedded"
    state = await kit.opened(session, task, step=3)
    state["work"] = {**state["work"], "code": str(folder)}
    return await kit.update(evolve, state, session), tasks


@pytest.mark.parametrize(
    "task",
    [
        "Mend it. Do not touch core.py and do not change calc.py.",
        "Mend it. Never modify '{folder}'.",
    ],
)
async def test_without_a_file_that_may_change_nothing_is_tried(
    kit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, task: str
) -> None:
    update, tasks = await repaired(kit, tmp_path, task.replace("{folder}", str(tmp_path)), monkeypatch)
    assert not tasks and "answer" not in update
    (failure,) = update["failures"].values()
    assert failure["title"] == "repair" and "not to touch" in failure["cause"]


async def test_what_was_paid_counts_where_the_sandbox_fails(
    kit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def breaks(given: Any, *, reasoner: Any, **_: Any) -> Any:
        await reasoner.propose_patches(PatchRequest(given.goal, BROKEN, ()))
        raise SandboxError("the sandbox is gone.", why="it was killed", mend="start it")

    monkeypatch.setattr(import_module("ddax.evolution.repair"), "repair", breaks)
    (tmp_path / "core.py").write_text(BROKEN, encoding="utf-8")
    (tmp_path / "test_core.py").write_text(TEST.replace("calc", "core"), encoding="utf-8")
    session = kit.session({"propose_patches": [Patches((), Usage(1, 70, 0.2))]})
    state = await kit.opened(session, "Mend it.", step=3)
    state["work"] = {**state["work"], "code": str(tmp_path)}
    update = await kit.update(evolve, state, session)
    (failure,) = update["failures"].values()
    assert "the sandbox is gone" in failure["cause"]
    assert Usage.of_row(update["usage"]) == Usage(1, 70, 0.2)
    assert update["usage"]["evolve.usd"] == 0.2


@pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")
@pytest.mark.long
@pytest.mark.parametrize(
    ("task", "free", "changed"),
    [
        ("Mend it.", {"core.py", "calc.py"}, "core.py"),
        ("Mend it, but do not touch core.py.", {"calc.py"}, "calc.py"),
    ],
)
async def test_a_repair_leaves_alone_what_the_task_said_not_to_touch(
    kit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, task: str, free: set[str], changed: str
) -> None:
    update, (asked,) = await repaired(kit, tmp_path, task, monkeypatch)
    assert set(asked.targets) == free and set(asked.files) == {"core.py", "calc.py"}
    text = update["answer"]["text"] if "answer" in update else ""
    touched = {name for name in ("core.py", "calc.py") if f"+++ b/{name}" in text}
    assert touched <= free and (task != "Mend it." or touched == {changed})
