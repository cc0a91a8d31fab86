"""Looking back at a thread, telling two apart, and letting go of what is old."""

from __future__ import annotations

import asyncio
import math
import re
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ddax.actions.protocol import ActionContext
from ddax.actions.registry import action
from ddax.cli.main import run_command
from ddax.configs.documents import shipped
from ddax.errors import DdaxError, SettingsError, UsageError
from ddax.graph.forking import Change, fork
from ddax.graph.history import difference
from ddax.graph.threads.manifests import RunInfo
from ddax.graph.threads.retention import DAY, Rule, due
from ddax.ideas import dag
from tests.cases import cases


async def test_the_moments_of_a_thread_say_what_ran_and_what_it_changed(kit: Any, tmp_path: Path) -> None:
    await kit.finished(tmp_path)
    async with kit.agent(tmp_path, kit.script()) as agent:
        found = await agent.history("t")
        newest = await agent.history("t", limit=3)
        every = await agent.history("t", limit=10**30)
        alone = [await agent.history("t", number=number) for number in (-1, 0, 7, len(found))]
        state = await agent.state("t")
    assert newest == found[-3:] and every == found
    assert alone == [[found[0]], [found[1]], [found[8]], []], "one is read as it stands among all"
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
    await kit.finished(tmp_path)
    async with kit.agent(tmp_path, kit.script()) as agent:
        before = await agent.state("t")
        async with agent.locked("t"):
            assert (await agent.sweep(Rule(days=0)))["in_use"] == ["t"]
        assert len(await agent.history("t")) > 1
        swept = await agent.sweep(Rule(days=0))
        assert (swept["threads"], swept["in_use"]) == (["t"], [])
        assert swept["bytes_after"] < swept["bytes_before"]
        assert await agent.state("t") == before
        assert len(await agent.history("t")) == 1
        with pytest.raises(UsageError, match=r"`ddax gc` let go of its moments.*Ask anew"):
            await fork(agent, "t", 8, Change())
        leftover = agent.home.thread("begun-by-nobody")
        leftover.mkdir()
        (leftover / "owner.lock").touch()
        await agent.sweep(Rule(days=0, delete=True))
        assert agent.threads() == []
        assert list(agent.home.threads.iterdir()) == []


@pytest.mark.parametrize("damage", [lambda text: text.replace('"version": 1', '"version": 2'), lambda _: "{"])
async def test_sweeping_spares_what_it_cannot_read(
    kit: Any, tmp_path: Path, damage: Any, capsys: Any
) -> None:
    await kit.finished(tmp_path)
    manifest = tmp_path / "runs" / "t" / "run.json"
    manifest.write_text(damage(manifest.read_text()))
    async with kit.agent(tmp_path, kit.script()) as agent:
        swept = await agent.sweep(Rule(days=0, delete=True))
        assert (swept["threads"], swept["unreadable"]) == ([], ["t"])
        assert manifest.exists() and await agent.store.aget({"configurable": {"thread_id": "t"}}) is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DDAX_HOME", str(tmp_path))
        assert await asyncio.to_thread(run_command, ["gc", "--delete", "--dry-run", "--days", "0"]) == 0
    assert "0 threads would be removed.\nt stays as it is" in capsys.readouterr().out


@cases("path", "value")
async def test_a_fork_refuses_what_the_state_cannot_hold(
    kit: Any, tmp_path: Path, path: str, value: Any
) -> None:
    await kit.finished(tmp_path)
    async with kit.agent(tmp_path, kit.script()) as agent:
        at = next(moment for moment in await agent.history("t") if "act" in moment["next"])
        change = Change({path.format(leaf=at["focus"][0]): value}, to="f")
        with pytest.raises((UsageError, SettingsError)):
            await fork(agent, "t", at["number"], change)
        assert [info.thread_id for info in agent.threads()] == ["t"]


async def test_an_answer_to_a_thread_that_waits_for_none_is_refused(kit: Any, tmp_path: Path) -> None:
    await kit.finished(tmp_path)
    async with kit.agent(tmp_path, kit.script()) as agent:
        with pytest.raises(UsageError, match="waits for no answer"):
            await agent.resume("t", answer={"choice": "veto"})
        assert [info.status for info in agent.threads()] == ["done"]


async def test_a_refused_task_leaves_no_folder(kit: Any, tmp_path: Path) -> None:
    async with kit.agent(tmp_path, identity="nobody-knows") as agent:
        with pytest.raises(SettingsError):
            await agent.run(kit.question, thread="t")
        assert list(agent.home.threads.iterdir()) == []


async def test_a_fork_that_changes_nothing_comes_to_the_same_dag(kit: Any, tmp_path: Path) -> None:
    await kit.finished(tmp_path, embedded=True)
    async with kit.agent(tmp_path) as agent:
        before, moments = await agent.state("t"), await agent.history("t")
        for at in [one["number"] for one in moments if one["next"] and one["step"]][::4]:
            forked = await fork(agent, "t", at, Change())
            assert (forked.thread_id, forked.forked_from) == (f"t-fork-{at}", "t")
            result = await agent.resume(forked.thread_id)
            state = await agent.state(forked.thread_id)
            assert dag.digest(state["ideas"]) == dag.digest(before["ideas"]), at
            assert state["mood"] == before["mood"] != {}, "it went on with the same mind"
            assert result["citations"] == [
                {key: one[key] for key in ("source", "title", "quote")}
                for one in before["answer"]["citations"]
            ]
        assert await agent.state("t") == before


async def test_a_run_and_a_fork_keep_the_matrices_they_began_with(kit: Any, tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_bytes(shipped("metacognition.yaml").read_bytes())
    mood = {"engine": "numpy", "matrices": str(mine)}
    async with kit.agent(tmp_path / "home", mood=mood) as agent:
        await agent.run(kit.question, thread="t")
        at = next(one["number"] for one in await agent.history("t") if one["ran"] == ["metacognition"])
        named = agent.runs.load("t").context["mood"]["matrices"]
        assert named.startswith("file-")
        mine.write_bytes(mine.read_bytes() + b"# other\n")
        other = await fork(agent, "t", at, Change({"mood.matrices": str(mine)}, to="other"))
        assert other.context["mood"]["matrices"] not in (named, str(mine))
        await fork(agent, "t", at, Change({"mood.rest": False, "mood.step": 5}, to="same"))
        assert agent.runs.load("same").context["mood"] == {
            **other.context["mood"],
            "matrices": named,
            "rest": False,
        }
        assert (await agent.state("same"))["mood"]["step"] == 5
    mine.unlink()
    async with kit.agent(tmp_path / "home") as agent:
        for name in ("same", "other"):
            assert (await agent.resume(name))["status"] == "done"


@pytest.mark.parametrize("payer", ["t", "fork", "fork-of-fork"])
async def test_what_spends_is_paid_once_by_a_thread_and_all_its_forks(
    kit: Any, tmp_path: Path, payer: str
) -> None:
    kit.now = time.time() + 3600.0  # rows are younger than every moment: none is handed on to a fork
    keys: list[str] = []

    @action(effect="spends")
    async def order(context: ActionContext, item: str) -> str:
        """Order it."""
        keys.append(context.key)
        return f"ordered {item}"

    script = kit.script(kit.leaf("tea", "order", item="tea"))
    async with kit.agent(tmp_path, script, actions=(order,), human=True) as agent:
        await agent.run(kit.question, thread="t")
        for thread, name in (("t", "fork"), ("fork", "fork-of-fork")):
            at = next(m["number"] for m in await agent.history(thread) if m["next"] == ["protect"])
            await fork(agent, thread, at, Change(to=name))
        for thread in sorted(("t", "fork", "fork-of-fork"), key=lambda name: name != payer):
            result = await agent.resume(thread)
            while result["status"] == "waiting":
                result = await agent.resume(thread, answer={"choice": "go on"})
            assert (await agent.state(thread))["ideas"]["0.1"]["status"] == "done"
    assert len(keys) == 1


async def test_a_fork_takes_another_way_and_leaves_the_thread_as_it_was(kit: Any, tmp_path: Path) -> None:
    await kit.finished(tmp_path, embedded=True)
    async with kit.agent(tmp_path) as agent:
        before = await agent.state("t")
        at = next(one["number"] for one in await agent.history("t") if one["ran"] == ["expand"])
        change = Change({"ideas.0.1.status": "abandoned", "mind.rho": 0.5, "budget.max_steps": 9}, to="other")
        assert (await fork(agent, "t", at, change)).context["budget"]["max_steps"] == 9
        start = await agent.state("other")
        assert (start["ideas"]["0.1"]["status"], start["mind"]["rho"]) == ("abandoned", 0.5)
        await agent.resume("other")
        assert dag.digest((await agent.state("other"))["ideas"]) != dag.digest(before["ideas"])
        assert await agent.state("t") == before


REFUSED: list[tuple[int, dict[str, Any], str]] = [
    (0, {}, "cannot be forked at 0"),
    (999, {}, "cannot be forked at 999"),
    (10**30, {}, "cannot be forked at 10000"),
    (4, {"ideas.0.9.status": "failed"}, "no idea '0.9'"),
    (4, {"ideas.0.1.colour": "red"}, "no field 'colour'"),
    (4, {"mind.rho": 2.0}, "cannot be 2.0"),
    (4, {"mind.rho": math.nan}, "cannot be nan"),
    (4, {"ideas.0.Q": math.nan}, "cannot be nan"),
    (4, {"ideas.0.Q": -1}, "0 at least and 1 at most"),
    (4, {"ideas.0.N": math.inf}, "cannot be inf"),
    (4, {"ideas.0.N": 1.5}, "cannot be 1.5"),
    (4, {"ideas.0.N": -4}, "0 at least."),
    (4, {"ideas.0.P": "high"}, "cannot be 'high'"),
    (4, {"ideas.0.title": 5}, "cannot be 5"),
    (4, {"ideas.0.parent": "0"}, "the 'parent' of idea '0' cannot be set"),
    (4, {"mind.x": [math.nan] * 384}, "cannot be [nan"),
    (4, {"mind.x": [1.0]}, "cannot be [1.0]"),
    (4, {"mind.nothing": 2.0}, "no 'mind.nothing'"),
    (4, {"budget.max_steps": "many"}, "max_steps"),
    (4, {"budget.max_step": 5}, "nearest one is 'budget.max_steps'"),
    (4, {"budget.nope": 1}, "A fork takes ideas.ID.FIELD=VALUE"),
    (4, {"task": "Hello"}, "A fork takes ideas.ID.FIELD=VALUE"),
]


async def test_a_fork_is_not_its_own_thread(kit: Any, tmp_path: Path) -> None:
    async with kit.agent(tmp_path, kit.script()) as agent:
        await agent.run(kit.question, thread="t")
        with pytest.raises(UsageError, match="There is a thread 't' already"):
            await fork(agent, "t", 3, Change(to="t"))


async def test_a_fork_with_a_status_that_cannot_be_is_the_callers_mistake(kit: Any, tmp_path: Path) -> None:
    async with kit.agent(tmp_path, kit.script()) as agent:
        await agent.run(kit.question, thread="t")
        with pytest.raises(UsageError, match=r"cannot go from '.*' to 'flying'") as caught:
            await fork(agent, "t", 5, Change({"ideas.0.status": "flying"}))
    assert caught.value.exit_code == 2 and "node" not in caught.value.mend


async def test_a_fork_that_cannot_be_is_refused_and_leaves_nothing(kit: Any, tmp_path: Path) -> None:
    await kit.finished(tmp_path, embedded=True)
    async with kit.agent(tmp_path) as agent:
        for at, values, says in REFUSED:
            with pytest.raises(DdaxError, match=re.escape(says)):
                await fork(agent, "t", at, Change(values))
            assert [info.thread_id for info in agent.threads()] == ["t"], says
