"""Many processes over one home: one owns the memory, the others reach it through that, whoever is killed."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from ddax.actions.mcp_tools import APPROVED
from ddax.memory.agents.agent_store import AgentStore
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.home import Home
from ddax.memory.lock import lock_owner
from tests.integration.command_line import QUESTION, Place

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]
ROOT = Path(__file__).resolve().parents[2]


class Asker:
    """A process with an agent over a home."""

    def __init__(self, home: Path, folder: Path, embedder: str = "hash") -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.integration.asker", str(home), str(folder), embedder],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
        )  # fmt: skip
        self.pid = self._process.pid

    def tell(self, **asked: Any) -> None:
        """Ask for something."""
        assert self._process.stdin is not None
        print(json.dumps(asked), file=self._process.stdin, flush=True)

    def told(self) -> dict[str, Any]:
        """Wait for the next result."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, f"the process has ended: {self._process.wait(timeout=60)}"
        found: dict[str, Any] = json.loads(line)
        return found

    def asked(self, **asked: Any) -> dict[str, Any]:
        """Ask for something and wait for the result."""
        self.tell(**asked)
        return self.told()

    def rows(self, found: list[str]) -> None:
        """Add the rows that are acknowledged, until all are."""
        while (said := self.told()).get("row"):
            found.append(said["row"])

    def kill(self) -> None:
        """Kill it, and see that it is dead."""
        self._process.kill()
        assert self._process.wait(timeout=60) == -signal.SIGKILL

    def end(self) -> int:
        """Let it close, and return its exit code."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        return self._process.wait(timeout=120)

    def __enter__(self) -> Asker:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        with self._process:
            pass


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def home(place: Place) -> Path:
    return place.root / "home"


@pytest.fixture
def crowd(place: Place, home: Path) -> Iterator[Any]:
    """Start processes with an agent each, one after the other, so that the first one owns the memory."""
    with ExitStack() as stack:

        def started(count: int, embedder: str = "hash") -> list[Asker]:
            askers = []
            for _ in range(count):
                askers.append(stack.enter_context(Asker(home, place.docs, embedder)))
                askers[-1].remote = askers[-1].told()["remote"]  # type: ignore[attr-defined]
            return askers

        yield started


def kept(home: Path) -> list[str]:
    """Return the texts of all rows that the record holds."""
    db = sqlite3.connect(f"{(home / 'memory' / 'record.sqlite').as_uri()}?mode=ro", uri=True)
    try:
        return [row[0] for row in db.execute("SELECT text FROM memory ORDER BY seq")]
    finally:
        db.close()


def tasks(home: Path) -> set[str]:
    """Return the threads whose tasks the memory knows."""
    db = sqlite3.connect(f"{(home / 'memory' / 'record.sqlite').as_uri()}?mode=ro", uri=True)
    try:
        found = db.execute("SELECT json_extract(row, '$.thread') FROM log WHERE name = 'tasks'")
        return {row[0] for row in found}
    finally:
        db.close()


def owner_of(home: Path) -> int:
    owner = lock_owner(Home(home).memory)
    return 0 if owner is None else owner.pid


def test_two_workers_a_notebook_and_the_command_line_ask_over_one_home(
    place: Place, home: Path, crowd: Any
) -> None:
    notebook, worker, other = crowd(3, "shipped")
    assert [one.remote for one in (notebook, worker, other)] == [False, True, True]
    assert notebook.asked(do="ask", task=QUESTION, thread="notebook")["status"] == "done"
    # A cell that has returned, or goes on for long: its event loop answers nobody.
    assert notebook.asked(do="block") == {"blocked": True}
    for number, one in enumerate((worker, other)):
        one.tell(do="ask", task=QUESTION, thread=f"worker{number}")
    done = place.call(home, "run", QUESTION, "--sources", str(place.docs), "--thread", "cli", "--json")
    assert done.code == 0, done
    assert [one.told()["status"] for one in (worker, other)] == ["done", "done"]
    assert tasks(home) == {"notebook", "worker0", "worker1", "cli"}
    assert len(kept(home)) == len(set(kept(home)))
    assert owner_of(home) == notebook.pid
    refused = place.call(home, "resume", "worker0")
    assert refused.code == 0, refused


def test_a_thread_stays_with_one_process(place: Place, home: Path, crowd: Any) -> None:
    first, second = crowd(2, "shipped")
    assert first.asked(do="ask", task=QUESTION, thread="one", pause=3) == {"paused": 3}
    done = place.call(home, "resume", "one")
    assert done.code == 5, done
    assert f"Thread 'one' is in use by pid {first.pid}" in done.err
    assert second.asked(do="ask", task=QUESTION, thread="two")["status"] == "done"
    assert first.asked()["status"] == "done"


def test_the_memory_is_kept_beside_a_running_agent(place: Place, home: Path, crowd: Any) -> None:
    (agent,) = crowd(1)
    assert agent.asked(do="ask", task=QUESTION, thread="one")["status"] == "done"
    # The command line embeds with its own model, the agent by hashes: a namespace of its own.
    mine = ("--namespace", "mine")
    assert place.call(home, "run", QUESTION, "--sources", "docs", "--namespace", "mine").code == 0
    found = place.call(home, "memory", "search", "tower", *mine, "--json")
    assert found.code == 0, found
    row = found.object["hits"][0]["record"]["id"]
    before = place.call(home, "memory", "stats", *mine, "--json").object
    assert place.call(home, "memory", "export", "kept.jsonl", *mine).code == 0
    assert place.call(home, "memory", "forget", row, *mine).code == 0
    gone = place.call(home, "memory", "show", row, *mine)
    assert gone.code == 2, gone
    for command in (("import", "kept.jsonl"), ("consolidate",), ("rebuild",), ("audit",), ("stats",)):
        done = place.call(home, "memory", *command, *mine, "--json")
        assert done.code == 0, done
    assert done.object["rows"] != before["rows"], "what was forgotten stays forgotten"
    assert done.object["tombstones"]["forgotten"] >= 1
    told = place.call(home, "doctor")
    assert f"memory is held by process {agent.pid}" in told.out
    refused = place.call(home, "memory", "rebuild")
    assert refused.code == 5, refused
    assert "another embedder" in refused.err
    assert agent.asked(do="ask", task=QUESTION, thread="two")["status"] == "done"


def test_the_owner_closes_in_the_middle_of_the_run_of_another(home: Path, crowd: Any) -> None:
    alone, owner, other = *crowd(1), *crowd(2)
    assert alone.end() == 0
    assert owner.asked(do="count") == {"count": 0}
    assert other.asked(do="ask", task=QUESTION, thread="one", pause=4) == {"paused": 4}
    assert owner_of(home) == owner.pid
    assert owner.end() == 0
    assert other.asked()["status"] == "done"
    assert owner_of(home) == other.pid
    (late,) = crowd(1)
    assert late.remote
    assert late.asked(do="count") == other.asked(do="count")


@pytest.mark.parametrize("after", [1, 7, pytest.param(40, marks=pytest.mark.long)])
def test_the_owner_is_killed_while_others_write(home: Path, crowd: Any, after: int) -> None:
    owner, *others = crowd(3)
    for number, one in enumerate(others):
        one.tell(do="put", prefix=f"w{number}", count=60)
    acknowledged: list[str] = [others[0].told()["row"] for _ in range(after)]
    owner.kill()
    for one in others:
        one.rows(acknowledged)
    assert owner_of(home) in {one.pid for one in others}
    texts = kept(home)
    assert sorted(texts) == sorted(f"w{number} river {n}" for number in (0, 1) for n in range(60))
    assert len(set(acknowledged)) == len(acknowledged) == 120
    assert [one.asked(do="count") for one in others] == [{"count": 120}] * 2


def test_who_began_before_the_owner_is_served_by_it(home: Path, crowd: Any) -> None:
    first, early = crowd(2)
    first.kill()
    (late,) = crowd(1)
    assert not late.remote
    assert owner_of(home) == late.pid
    assert early.asked(do="put", prefix="early", count=1)["row"]
    assert early.told() == {"done": True}
    assert late.asked(do="count") == {"count": 1}
    assert late.end() == 0
    assert early.asked(do="count") == {"count": 1}


def test_a_home_with_a_long_path_is_shared(tmp_path: Path, place: Place) -> None:
    home = tmp_path / ("a" * 120) / ("b" * 120)
    with Asker(home, place.docs) as first, Asker(home, place.docs) as second:
        assert {first.told()["remote"], second.told()["remote"]} == {False, True}
        assert first.asked(do="count") == second.asked(do="count") == {"count": 0}


FILES = """
import os, sys, time
from pathlib import Path
from ddax.actions.mcp_tools import approve, server_of
from ddax.memory.agents.agent_store import AgentStore
from ddax.memory.agents.dissents import LoggedDissent
from ddax.memory.embed.cache import CachedEmbedder
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.home import Home

home, count = Home(Path(sys.argv[1])), int(sys.argv[2])
ready, go = os.pipe(), os.pipe()
for number in range(count):
    if not os.fork():
        os.write(ready[1], b".")
        os.read(go[0], 1)
        home.ensure()
        embedder = CachedEmbedder(HashEmbedder(), home.cache / "vectors.sqlite")
        agents = AgentStore(home.agents, clock=time.time, embedder=embedder)
        for n in range(10):
            said = LoggedDissent(text=f"{number} says {n}", citations=["Accuracy"], impact=True,
                supported=True, verified_better=True)
            agents.log_dissent("critic", said, round_id=f"{number}/{n}")
        approve(home.path, server_of(f"s{number}=server {number}"))
        del embedder, agents
        os._exit(0)
for _ in range(count):
    os.read(ready[0], 1)
os.write(go[1], b"g" * count)
print(*(os.wait()[1] for _ in range(count)))
"""


def test_what_else_a_home_holds_takes_what_many_processes_write_at_once(home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FILES, str(home), "6"], capture_output=True, text=True, cwd=ROOT
    )
    assert done.stdout.split() == ["0"] * 6, done.stderr
    (agent,) = AgentStore(Home(home).agents, clock=lambda: 0.0, embedder=HashEmbedder()).all()
    assert len({event["id"] for event in agent["dissent_history"]}) == 60
    assert len(json.loads((home / APPROVED).read_text())) == 6
    with sqlite3.connect(Home(home).cache / "vectors.sqlite") as db:
        assert db.execute("SELECT count(*) FROM vectors").fetchone() == (60,)
