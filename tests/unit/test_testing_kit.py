"""The conformance kit passes our own parts and finds what is wrong with others."""

from __future__ import annotations

import asyncio
import operator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest
from pydantic import BaseModel, ConfigDict

from ddax.actions.protocol import ActionContext, ActionResult
from ddax.actions.registry import action
from ddax.actions.search import search
from ddax.actions.think import think
from ddax.actions.visit import visit
from ddax.configs.settings import Recall
from ddax.environments.grid import GridWorld
from ddax.environments.protocol import Observation
from ddax.graph.state import State
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.fake import DictMemory
from ddax.memory.protocol import Memory, RecallQuery
from ddax.reasoning.embedded import EmbeddedReasoner
from ddax.reasoning.protocol import Extraction, ExtractRequest, JudgeRequest, Judgment
from ddax.testing import (
    ActionContract,
    Broken,
    Contract,
    EmbedderContract,
    EnvironmentContract,
    IdentityContract,
    MemoryContract,
    NodeContract,
    ReasonerContract,
    SaverContract,
    check,
)
from ddax.testing.contract import rules
from ddax.types import Record


class TestSearch(ActionContract):
    action = search
    arguments = {"query": "tower in Belmark"}


class TestVisit(ActionContract):
    action = visit
    arguments = {"source": "Trondby"}
    failing = {"source": "nowhere"}


class TestThink(ActionContract):
    action = think
    arguments = {"about": "where the tower is"}
    failing = {"about": "nothing of the kind"}
    remembered = (Record("observation", "Where the tower is: in Belmark.", source="a", task="t"),)


class TestHashed(EmbedderContract):
    def make(self) -> Any:
        return HashEmbedder()


class TestEmbedded(ReasonerContract):
    silent = ("propose_patches", "mutate_patch")

    def make(self) -> Any:
        return EmbeddedReasoner(HashEmbedder())


class TestDictMemory(MemoryContract):
    async def make(self, namespace: str, clock: Any) -> Memory:
        return DictMemory(namespace, HashEmbedder(), clock, Recall())


def note(state: dict[str, Any]) -> dict[str, Any]:
    return {"outcomes": {key: {**one, "text": one["text"][:400]} for key, one in state["outcomes"].items()}}


class TestNode(NodeContract):
    node = staticmethod(note)


class Own(State):
    """The state, and a key of its own."""

    seen: Annotated[list[int], operator.add]


def keep_steps(state: Own) -> dict[str, Any]:
    return {"seen": [state["step"]]}


class TestNodeWithAStateOfItsOwn(NodeContract):
    node = staticmethod(keep_steps)


@pytest.mark.parametrize("name", ["cautious", "exploratory", "task_focused", "traumatized"])
def test_the_shipped_profiles(name: str) -> None:
    class Shipped(IdentityContract):
        profile = name

    assert len(check(Shipped())) == 3


def broken(suite: Contract, rule: str) -> str:
    """Return what the kit says of a part that breaks one rule."""
    with pytest.raises(Broken) as caught:
        getattr(suite, f"test_{rule}")()
    return str(caught.value)


class Plain(BaseModel):
    model_config = ConfigDict(extra="forbid")
    word: str = "x"


@action(effect="reads")
async def crashes(context: ActionContext, arguments: Plain) -> ActionResult:
    """Crash."""
    raise KeyError(arguments.word)


COUNT = {"n": 0}


@action(effect="reads")
async def differs(context: ActionContext, arguments: Plain) -> ActionResult:
    """Give something else each time."""
    COUNT["n"] += 1
    return ActionResult(f"call {COUNT['n']}")


def test_an_action_that_crashes_or_differs_is_found() -> None:
    class Crashes(ActionContract):
        action = crashes
        failing = {"word": "y"}

    class Differs(ActionContract):
        action = differs

    assert "KeyError" in broken(Crashes(), "it_fails_with_an_action_error")
    assert "two different results" in broken(Differs(), "the_same_call_brings_the_same")


def test_a_node_that_edits_its_state_or_invents_a_key_is_found() -> None:
    def edits(state: Any) -> Any:
        state["step"] = 99

    class Edits(NodeContract):
        node = edits

    class Invents(NodeContract):
        node = staticmethod(lambda state: {"note": 1})

    class Grows(NodeContract):
        node = staticmethod(lambda state: {"task": "x" * 5000})

    assert "in place" in broken(Edits(), "it_leaves_the_state_it_is_given_as_it_was")
    assert "no key ['note']" in broken(Invents(), "it_returns_keys_of_the_state_as_small_plain_json")
    assert "4096 bytes" in broken(Grows(), "it_returns_keys_of_the_state_as_small_plain_json")


def test_a_world_that_depends_on_chance_or_moves_when_looked_at_is_found() -> None:
    class Drifting(GridWorld):
        looks = 0

        async def observe(self) -> Observation:
            self.looks += 1
            return replace(await super().observe(), text=f"look {self.looks}")

    class Drifts(EnvironmentContract):
        def make(self) -> Any:
            return Drifting()

    assert "observe()" in broken(Drifts(), "looking_changes_nothing")


def test_a_reasoner_that_invents_a_quote_or_a_value_is_found() -> None:
    class Inventing(EmbeddedReasoner):
        async def extract(self, request: ExtractRequest) -> Extraction:
            found = await super().extract(request)
            made_up = [replace(c, citation=replace(c.citation, quote="She never was.")) for c in found.claims]
            return replace(found, claims=tuple(made_up))

        async def judge(self, request: JudgeRequest) -> Judgment:
            return Judgment(1.5, 1.0, ())

    class Invents(ReasonerContract):
        silent = ("propose_patches", "mutate_patch")

        def make(self) -> Any:
            return Inventing(HashEmbedder())

    assert "She never was." in broken(Invents(), "quotes_are_verbatim")
    assert "value is 1.5" in broken(Invents(), "values_lie_between_0_and_1")


def test_an_embedder_with_rows_of_any_length_or_dimension_is_found() -> None:
    class Long(HashEmbedder):
        def embed(self, texts: Any) -> Any:
            return super().embed(texts) * np.float32(2)

    class Wide(HashEmbedder):
        def embed(self, texts: Any) -> Any:
            return super().embed(texts).astype(np.float64)[:, :9]

    class Placed(HashEmbedder):
        def embed(self, texts: Any) -> Any:
            return np.roll(super().embed(texts), len(texts), axis=1)

    class Named(HashEmbedder):
        name = ""

    assert "has the length 2.000" in broken(_made(Long), "rows_have_unit_length_and_a_blank_text_has_none")
    assert "the shape (0, 9), not (0, 256)" in broken(_made(Wide), "each_text_has_a_finite_row_of_32_bits")
    assert "from itself in another batch" in broken(_made(Placed), "a_text_has_one_vector_wherever_it_stands")
    assert "has a name" in broken(_made(Named), "it_has_a_name_and_a_fingerprint")


def _made(kind: type[HashEmbedder]) -> EmbedderContract:
    suite = EmbedderContract()
    suite.make = kind  # type: ignore[method-assign]  # a suite of one part
    return suite


def test_a_memory_that_shows_the_future_is_found() -> None:
    class Prophet(DictMemory):
        async def recall(self, query: RecallQuery) -> list[Any]:
            return await super().recall(replace(query, before_step=99))

    class Foretells(MemoryContract):
        async def make(self, namespace: str, clock: Any) -> Memory:
            return Prophet(namespace, HashEmbedder(), clock, Recall())

    assert "later" in broken(Foretells(), "a_later_step_of_the_same_task_is_not_seen")


def test_a_profile_that_overshoots_is_found(tmp_path: Path) -> None:
    mine = tmp_path / "wild.yaml"
    mine.write_text("statement: I go far each time.\ngamma: 3\nk_base: 1.0\n")

    class Wild(IdentityContract):
        profile = mine

    assert "lower k_base" in broken(Wild(), "the_update_is_stable_at_every_rigidity_and_in_protect")


def test_every_rule_of_a_suite_is_a_test_that_pytest_sees() -> None:
    for suite in (
        ActionContract,
        EnvironmentContract,
        MemoryContract,
        NodeContract,
        ReasonerContract,
        SaverContract,
    ):
        names = rules(suite())
        assert names
        assert all(callable(getattr(suite, f"test_{name}")) for name in names)
        assert not any(asyncio.iscoroutinefunction(getattr(suite, f"test_{name}")) for name in names)
