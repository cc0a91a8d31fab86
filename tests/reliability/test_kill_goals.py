"""The goal stack is checkpointed: a run killed with SIGKILL has, and resumes with, the stack it had."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from ddax import open_agent
from ddax.memory.context import goal_stack
from tests.reliability.goal_driver import THREAD

pytestmark = [pytest.mark.integration, pytest.mark.long, pytest.mark.timeout(600)]
DRIVER = Path(__file__).with_name("goal_driver.py")
Stack = list[dict[str, Any]]


def run(home: Path, folder: Path, *, kill_at: int = 0) -> subprocess.CompletedProcess[str]:
    call = [sys.executable, str(DRIVER), str(home), str(folder), str(kill_at)]
    return subprocess.run(call, capture_output=True, text=True, timeout=300)


def ddax(home: Path, *words: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "ddax", *words, "--json"], capture_output=True, text=True, timeout=300,
        env={**os.environ, "DDAX_HOME": str(home)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


async def stacks(home: Path) -> list[Stack]:
    """Return the goal stack at every checkpoint of the thread, oldest first, as JSON."""
    found: list[Stack] = []
    async with open_agent(home=home) as agent:
        async for moment in agent.graph.aget_state_history({"configurable": {"thread_id": THREAD}}):
            state = moment.values
            if state.get("ideas"):
                focus = next(iter(state.get("focus") or ()), state["work"]["root"])
                nodes = [asdict(node) for node in goal_stack(state["ideas"], focus)]
                found.append(json.loads(json.dumps(nodes)))
    return found[::-1]


async def test_a_killed_run_resumes_with_the_goal_stack_it_had(tmp_path: Path, folder: Path) -> None:
    undisturbed = run(tmp_path / "control", folder)
    assert undisturbed.returncode == 0, undisturbed.stderr[-4000:]
    control, events = await stacks(tmp_path / "control"), int(undisturbed.stdout)
    assert control[-1] == []
    deepest = 0
    for part in (2, 3):
        home = tmp_path / f"killed-{part}"
        killed = run(home, folder, kill_at=events * part // 5)
        assert killed.returncode == -signal.SIGKILL, killed.stderr[-4000:]
        before = await stacks(home)
        assert 0 < len(before) < len(control) and before == control[: len(before)]
        # The writes of a step that had ended are shown, also where its checkpoint was not yet written.
        assert ddax(home, "memory", "goals", THREAD)["stack"] in control[len(before) - 1 : len(before) + 1]
        assert ddax(home, "resume", THREAD)["status"] == "done"
        assert await stacks(home) == control
        deepest = max(deepest, len(before[-1]))
    assert deepest >= 2, "no run was killed while it worked below the root"
