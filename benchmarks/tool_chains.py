"""Chains of tool calls in one leaf: completed, and killed at many places and resumed with no effect twice.

A scripted model behind OpenAI's protocol obeys what it reads: each call takes the key that the result before
it told, by native tool calling. Its first call names a side that the tool does not take: told, and mended.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.core import ROOT, Figure, Options, Result, Target
from benchmarks.model_server import Reply, model_server

NAME = "tool-chains"
DESCRIPTION = "chains of 3, 12 and 40 tool calls in one leaf, killed at many places and resumed"
SCRIPT = "benchmarks.tool_chains:script"
LENGTHS: Mapping[int, tuple[int, int]] = {3: (3, 17), 12: (13, 61), 40: (41, 251)}
"""For each length the distance between the places of kills, in the whole and in the short form."""
KEY = re.compile(r"\bk[0-9a-f]{10}\b")
SIDE = re.compile(r"\b(left|right)\b")


def script(body: Mapping[str, Any]) -> Any:
    """Reply as an obedient model: plan one leaf, go on with what the last result says, tell the last key."""
    from ddax.reasoning.rote import reply, request_of

    if "response_format" not in body and body.get("tools"):
        return _turn(body)
    name = request_of(body)
    if name != "expand":
        return Reply(json.dumps(reply(body)), kind=name)
    user = body["messages"][1]["content"]
    planned = "FINDINGS" in user or "work(" not in user
    return Reply(json.dumps({"children": [] if planned else [_plan(user)], "requirements": []}), kind=name)


def _plan(user: str) -> dict[str, Any]:
    task = user.partition("TASK\n")[2].partition("\n")[0]
    args = [{"name": "aim", "value": task}, {"name": "tools", "value": "open_door"}]
    action = {"name": "work", "args": args, "intent": "the last key"}
    return {
        "title": "open the doors",
        "expected": "the last key",
        "prior": 0.9,
        "action": action,
        "needs": [],
    }


def _turn(body: Mapping[str, Any]) -> Reply:
    results = [m["content"] for m in body["messages"] if m["role"] == "tool"]
    task = body["messages"][1]["content"]
    wanted = int(re.findall(r"Open (\d+) doors", task)[0])
    good = [text for text in results if "Behind it lies" in text]
    if len(good) == wanted:
        return Reply(f"The last key is {KEY.findall(good[-1])[0]}.", kind="act")
    before = good[-1] if good else task
    side = SIDE.findall(before)[0] if results else "in the middle"
    call = {"key": KEY.findall(before)[0], "side": side}
    return Reply(tools=(("open_door", json.dumps(call)),), kind="act")


def run(options: Options) -> Result:
    """Run each chain undisturbed, then killed and resumed."""
    figures: list[Figure] = []
    notes: list[str] = []
    for length, (whole, short) in LENGTHS.items():
        with model_server(SCRIPT) as served, tempfile.TemporaryDirectory() as folder:
            told = _driven(served.base, Path(folder), length, short if options.quick else whole)
            books = served.books()
        figures += _figures(length, told)
        wrong = [run for run in told["runs"] if not _same(run, told["control"])]
        notes += [f"{length} calls, killed at {run['kill_at']}: {run}" for run in wrong[:3]]
        notes += [f"{length} calls: the script failed: {books['error']}"] if books["failed"] else []
    return Result(NAME, tuple(figures), notes=tuple(notes))


def _driven(base: str, folder: Path, length: int, every: int) -> dict[str, Any]:
    command = [
        sys.executable,
        "-m",
        "benchmarks.durable.chain_driver",
        base,
        str(folder),
        str(length),
        str(every),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def _same(run: Mapping[str, Any], control: Mapping[str, Any]) -> bool:
    """Tell whether a resumed run is the undisturbed one."""
    return all(run.get(key) == control[key] for key in ("digest", "status", "opened", "leaves"))


def _figures(length: int, told: Mapping[str, Any]) -> list[Figure]:
    control, runs = told["control"], told["runs"]
    completed = control.get("status") == "done" and control["opened"] == length and control["last"]
    same = sum(_same(run, control) for run in runs)
    name = f"{length} calls"
    return [
        Figure(f"{name}: completed", float(completed), target=Target(">=", 1)),
        Figure(f"{name}: leaves in the DAG", float(control.get("leaves", 0)), target=Target("<=", 1)),
        Figure(f"{name}: model calls", float(control.get("calls", 0))),
        Figure(f"{name}: seconds", told["seconds"], "s"),
        Figure(f"{name}: kills", float(len(runs)), target=Target(">=", 1)),
        Figure(
            f"{name}: effects done twice after a kill",
            float(sum(max(0, run.get("opened", 0) - length) for run in runs)), target=Target("<=", 0),
            n=len(runs),
        ),
        Figure(
            f"{name}: calls of unknown outcome made again under their key, the most after one kill",
            float(max((run.get("again", 0) for run in runs), default=0)), target=Target("<=", 1), n=len(runs),
        ),
        Figure(
            f"{name}: resumed to the same DAG", same / len(runs) if runs else 0.0, target=Target(">=", 1),
            n=len(runs),
        ),
    ]  # fmt: skip
