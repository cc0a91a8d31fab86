from __future__ import annotations

from typing import Any

import pytest

from ddax.actions.protocol import ActionContext
from ddax.actions.registry import Registry
from ddax.environments.actions import START, WorldActions
from ddax.environments.grid import GridWorld
from ddax.environments.opening import is_world, open_world
from ddax.environments.protocol import Snapshot
from ddax.errors import ActionError, UsageError
from ddax.graph.runner import Agent
from ddax.reasoning import protocol as p
from ddax.types import ActionCall, Proposal


def context(kit: Any, key: str = "k", task: str = "t") -> ActionContext:
    memory = kit.session().memory if kit.memory is None else kit.memory
    kit.memory = memory
    return ActionContext(
        library=None,  # type: ignore[arg-type]  # no action of a world looks at the sources
        memory=memory, task=task, task_text="", idea="0.1", step=1, now=kit.now, key=key,
    )  # fmt: skip


async def do(registry: Registry, name: str, kit: Any, /, key: str = "k", **args: Any) -> Any:
    return await registry.execute(ActionCall(name=name, args=args, intent=""), context(kit, key))


def mark(result: Any) -> str:
    return str(result.records[0].meta["mark"])


async def test_move_look_and_go_back_by_mark(kit: Any) -> None:
    registry = Registry([*WorldActions(GridWorld()).actions()])
    assert "row 1, column 1" in (await do(registry, "look", kit)).summary
    east = await do(registry, "move", kit, "a", target="east")
    assert "row 1, column 2" in east.summary
    further = await do(registry, "move", kit, "b", target="east")
    assert "row 1, column 3" in further.summary
    back = await do(registry, "move", kit, "c", target="south", at=START)
    assert "row 2, column 1" in back.summary
    assert "row 1, column 2" in (await do(registry, "look", kit, at=mark(east))).summary


async def test_a_probe_is_taken_back(kit: Any) -> None:
    registry = Registry([*WorldActions(GridWorld()).actions()])
    await do(registry, "look", kit)
    probed = await do(registry, "probe", kit, target="east")
    assert "column 2" in probed.summary
    assert "column 1" in (await do(registry, "look", kit)).summary


async def test_a_new_process_goes_on_where_the_world_stood(kit: Any) -> None:
    first = Registry([*WorldActions(GridWorld()).actions()])
    await do(first, "move", kit, "a", target="east")
    await do(first, "move", kit, "b", target="east")
    second = Registry([*WorldActions(GridWorld()).actions()])
    assert "row 2, column 3" in (await do(second, "move", kit, "c", target="south")).summary


async def test_a_world_without_snapshots_has_no_probe() -> None:
    names = [a.name for a in WorldActions(GridWorld(can_snapshot=False)).actions()]
    assert names == ["look", "move"]


async def test_an_unknown_mark_is_named(kit: Any) -> None:
    registry = Registry([*WorldActions(GridWorld()).actions()])
    with pytest.raises(ActionError, match="'elsewhere'"):
        await do(registry, "look", kit, at="elsewhere")


async def test_a_run_of_the_graph_acts_in_a_world_and_backtracks(kit: Any, tmp_path: Any) -> None:
    """Two branches from the start, one of which falls into the hole: both are walked in one world."""

    def go(target: str, turn: int, *needs: int) -> Proposal:
        call = ActionCall(name="move", args={"target": target, "turn": turn}, intent="")
        return Proposal(f"go {target}", f"gone {target}", action=call, needs=needs)

    start = Proposal("start again", "You are at row 1, column 1.",
                     action=ActionCall(name="look", args={"at": START}, intent=""), needs=(2,))  # fmt: skip
    plan = (go("south", 1), go("south", 2, 0), go("east", 3, 1), start, go("east", 5, 3))
    world = GridWorld()
    agent: Agent = kit.agent(
        tmp_path, {**kit.script(), "expand": [p.Expansion(plan)]}, actions=WorldActions(world).actions(),
        budget={"max_parallel": 1},
    )  # fmt: skip
    async with agent:
        await agent.run("Walk.", thread="w")
        ideas = (await agent.state("w"))["ideas"]
    told = [ideas[f"0.{k}"].get("result", ideas[f"0.{k}"].get("reason")) for k in range(1, 6)]
    assert told == [
        "You are at row 2, column 1.", "You are at row 3, column 1.",
        "You fell into a hole at row 3, column 2.",
        "You are at row 1, column 1.", "You are at row 1, column 2.",
    ]  # fmt: skip
    assert await world.restore(Snapshot("grid", {"at": [0, 1], "reward": 0.0})) == await world.observe()


@pytest.mark.parametrize("spec", ["world:", "world:grid?x=1", "world:Chess-v1", "docs"])
def test_a_world_that_does_not_exist_is_refused(spec: str) -> None:
    with pytest.raises(UsageError):
        open_world(spec)


def test_a_world_is_known_by_its_scheme() -> None:
    assert is_world("world:grid")
    assert not is_world("python:json")
    assert open_world("world:grid").name == "grid"
