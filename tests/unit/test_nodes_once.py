"""The ledger of leaf actions: what is unknown after a crash, and what is paid for once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import BaseModel

from ddax.actions.protocol import Action, ActionContext, ActionResult
from ddax.actions.registry import action
from ddax.errors import ActionError
from ddax.nodes.act import MAYBE_DONE, act
from ddax.steps.leaves.permission import approve
from ddax.types import Effect


class Order(BaseModel):
    """What is ordered."""

    item: str = "tea"


class Shop:
    """The other side: `keys` are those it was given; it dies with the process in the calls named.

    With `ends` each of its calls fails so, or takes so many seconds.
    """

    def __init__(self, *dies: int, ends: Exception | float = 0.0) -> None:
        self.keys: list[str] = []
        self._dies, self._ends = dies, ends

    def action(self, effect: Effect, *, idempotent: bool = False) -> Action:
        @action(effect=effect, idempotent=idempotent)
        async def order(context: ActionContext, arguments: Order) -> ActionResult:
            """Order it."""
            self.keys.append(context.key)
            if len(self.keys) - 1 in self._dies:
                raise KeyboardInterrupt  # as a process that is stopped: no result row follows
            if isinstance(self._ends, Exception):
                raise self._ends
            await asyncio.sleep(self._ends)
            return ActionResult(f"ordered {arguments.item}")

        return order


class Leaf:
    """One leaf of a task, executed as often as the graph would."""

    def __init__(self, kit: Any, *actions: Action, **settings: Any) -> None:
        self.kit, self.session = kit, kit.session(actions=actions, **settings)
        self.state: dict[str, Any] = {}

    async def act(self, task_id: str, *, step: int = 2, leaf: str = "0.1", **args: Any) -> Any:
        self.state = self.state or await self.kit.opened(self.session)
        packet = {**self.kit.packet(leaf, "order", state=self.state, **args), "step": step}
        return await self.kit.update(act, packet, self.session, task_id=task_id)

    async def dies(self, task_id: str, *, step: int = 2) -> None:
        with pytest.raises(KeyboardInterrupt):
            await self.act(task_id, step=step)

    async def approve(self, step: int, leaf: str = "0.1", **args: Any) -> None:
        self.state = self.state or await self.kit.opened(self.session)
        call = self.kit.packet(leaf, "order", state=self.state, **args)["action"]
        await approve(
            self.session, task=self.state["work"]["id"], leaf=leaf, call=call, passed=True, step=step
        )

    async def rulings(self) -> Sequence[str]:
        return [row["ruling"] for row in await self.session.memory.rows("unknowns")]


@pytest.mark.parametrize("effect", ["none", "reads"])
async def test_what_only_reads_is_done_again_and_counted(kit: Any, effect: Effect) -> None:
    shop = Shop(0)
    leaf = Leaf(kit, shop.action(effect))
    await leaf.dies("task-1")
    assert (await leaf.act("task-1"))["ideas"]["0.1"]["status"] == "done"
    assert shop.keys == ["task-1", "task-1"]
    assert await leaf.rulings() == ["done again"]


@pytest.mark.parametrize("effect", ["writes", "spends"])
async def test_an_unknown_outcome_is_asked_about_and_done_again_under_the_first_key(
    kit: Any, effect: Effect
) -> None:
    shop = Shop(0)
    leaf = Leaf(kit, shop.action(effect))
    await leaf.approve(1)
    await leaf.dies("task-1", step=2)
    update = await leaf.act("task-1", step=2)
    assert update["questions"]["0.1"]["kind"] == "unknown outcome"
    assert len(shop.keys) == 1
    await leaf.approve(3)
    assert (await leaf.act("task-2", step=4))["ideas"]["0.1"]["status"] == "done"
    assert shop.keys == [shop.keys[0]] * 2
    assert await leaf.rulings() == ["asked", "done again"]


async def test_an_unknown_outcome_is_asked_about_again_after_a_second_crash(kit: Any) -> None:
    shop = Shop(0, 1)
    leaf = Leaf(kit, shop.action("writes"))
    await leaf.approve(1)
    await leaf.dies("task-1", step=2)
    await leaf.act("task-1", step=2)
    await leaf.approve(3)
    await leaf.dies("task-2", step=4)
    assert (await leaf.act("task-2", step=4))["questions"]["0.1"]["kind"] == "unknown outcome"
    assert len(shop.keys) == 2


@pytest.mark.parametrize("effect", ["writes", "spends"])
async def test_what_takes_the_key_is_done_again_without_a_question(kit: Any, effect: Effect) -> None:
    shop = Shop(0)
    leaf = Leaf(kit, shop.action(effect, idempotent=True))
    await leaf.approve(1)
    await leaf.dies("task-1")
    assert (await leaf.act("task-1"))["ideas"]["0.1"]["status"] == "done"
    assert shop.keys == [shop.keys[0]] * 2


@pytest.mark.parametrize(
    ("effect", "sends_key", "calls"),
    [("none", 0, 3), ("reads", 0, 3), ("writes", 0, 1), ("spends", 0, 1), ("spends", 1, 3)],
)
async def test_what_broke_off_is_tried_again_only_where_that_does_no_harm(
    kit: Any, monkeypatch: pytest.MonkeyPatch, effect: Effect, sends_key: int, calls: int
) -> None:
    monkeypatch.setattr("ddax.nodes.act.BACKOFF_SECONDS", 0.0)
    shop = Shop(ends=ActionError("it broke off", kind="transport", retriable=True))
    leaf = Leaf(kit, shop.action(effect, idempotent=bool(sends_key)))
    await leaf.approve(1)
    idea = (await leaf.act("task-1"))["ideas"]["0.1"]
    assert (idea["status"], idea["error"]["kind"], len(shop.keys)) == ("failed", "transport", calls)
    unknown = effect in ("writes", "spends")
    assert idea["reason"] == (f"{MAYBE_DONE}: it broke off" if unknown else "it broke off")
    assert await leaf.rulings() == ["failed"] * unknown


@pytest.mark.parametrize(
    ("ends", "kind", "told"),
    [
        (5.0, "timeout", f"{MAYBE_DONE}: no result within 0.05 s"),
        (ValueError("half a reply"), "ValueError", f"{MAYBE_DONE}: ValueError: half a reply"),
        (ActionError("sold out", kind="tool"), "tool", "sold out"),
    ],
)
async def test_a_write_that_failed_says_if_it_may_have_been_done(
    kit: Any, ends: Exception | float, kind: str, told: str
) -> None:
    leaf = Leaf(kit, Shop(ends=ends).action("writes"), budget={"leaf_seconds": 0.05})
    await leaf.approve(1)
    update = await leaf.act("task-1")
    assert (update["ideas"]["0.1"]["error"]["kind"], update["failures"]["0.1"]["cause"]) == (kind, told)
    assert await leaf.rulings() == ["failed"] * told.startswith(MAYBE_DONE)
    assert await leaf.act("task-1") == update, "a resumed run is told the same"


async def test_on_a_fork_it_is_wanted_again_unless_it_is_paid_for(kit: Any) -> None:
    reads, spends = Shop(), Shop()
    for shop, effect in ((reads, "reads"), (spends, "spends")):
        leaf = Leaf(kit, shop.action(effect))
        await leaf.approve(1)
        first = await leaf.act("task-1")
        assert await leaf.act("task-of-the-fork") == first
    assert (len(reads.keys), len(spends.keys)) == (2, 1)


async def test_what_is_paid_for_is_known_by_its_content(kit: Any) -> None:
    shop = Shop()
    leaf = Leaf(kit, shop.action("spends"))
    for name, item in (("0.1", "tea"), ("0.2", "tea"), ("0.3", "milk")):
        await leaf.approve(1, name, item=item)
    await leaf.act("task-1", item="tea")
    again = await leaf.act("task-2", leaf="0.2", item="tea")
    assert again["ideas"]["0.2"]["result"] == "ordered tea"
    await leaf.act("task-3", leaf="0.3", item="milk")
    assert len(shop.keys) == len(set(shop.keys)) == 2
