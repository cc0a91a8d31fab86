"""Looking back at a thread, telling two apart, and letting go of what is old."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from ddax.graph.history import difference
from ddax.graph.retention import DAY, Rule, due
from ddax.graph.runs import RunInfo
from ddax.ideas import dag


async def test_the_moments_of_a_thread_say_what_ran_and_what_it_changed(kit: Any, tmp_path: Path) -> None:
    async with kit.agent(tmp_path, kit.script()) as agent:
        await agent.run(kit.question, thread="t")
        found = await agent.history("t")
        newest = await agent.history("t", limit=3)
        state = await agent.state("t")
    assert newest == found[-3:]
    assert [one["number"] for one in found] == list(range(-1, len(found) - 1))
    assert (found[-1]["ran"], found[-1]["next"]) == (["close"], [])
    for before, one in pairwise(found[1:]):
        assert one["ran"] == before["next"]
    assert {key for one in found for key in one["changed"]} == set(state["ideas"])
    grown = next(one for one in found if one["ran"] == ["expand"])
    assert len(grown["changed"]) > 1


async def test_equal_runs_do_not_differ_and_others_do_by_field(kit: Any, tmp_path: Path) -> None:
    states = []
    for name, question in (("a", kit.question), ("b", kit.question), ("c", "Who was she?")):
        async with kit.agent(tmp_path / name, kit.script()) as agent:
            await agent.run(question, thread="t")
            states.append(await agent.state("t"))
    one, same, other = states
    for state in states:
        state["usage"] = {**state["usage"], "seconds": 0.0}
    assert difference(one, same) == []
    places = [row["place"] for row in difference(one, other)]
    assert "ideas.0.title" in places
    shorter = {**one, "ideas": {key: one["ideas"][key] for key in list(one["ideas"])[:1]}}
    gone = [row["place"] for row in difference(one, shorter)]
    assert gone == [f"ideas.{key}" for key in sorted(one["ideas"], key=dag.sort_key)[1:]]


def test_only_finished_threads_of_a_certain_age_are_due() -> None:
    def info(name: str, status: str, days: float) -> RunInfo:
        return RunInfo(name, "task", status, updated=100 * DAY - days * DAY)

    infos = [
        info("young", "done", 1),
        info("old", "done", 31),
        info("older", "failed", 40),
        info("stopped", "stopped", 30),
        info("waits", "waiting", 90),
        info("runs", "running", 90),
    ]
    names = [one.thread_id for one in due(infos, Rule(days=30), now=100 * DAY)]
    assert names == ["older", "old", "stopped"]


async def test_sweeping_keeps_the_last_state_or_removes_all_and_spares_what_is_in_use(
    kit: Any, tmp_path: Path
) -> None:
    async with kit.agent(tmp_path, kit.script()) as agent:
        await agent.run(kit.question, thread="t")
        before = await agent.state("t")
        async with agent._locked("t"):
            assert (await agent.sweep(Rule(days=0)))["in_use"] == ["t"]
        assert len(await agent.history("t")) > 1
        swept = await agent.sweep(Rule(days=0))
        assert (swept["threads"], swept["in_use"]) == (["t"], [])
        assert swept["bytes_after"] < swept["bytes_before"]
        assert await agent.state("t") == before
        assert len(await agent.history("t")) == 1
        await agent.sweep(Rule(days=0, delete=True))
        assert agent.threads() == []
