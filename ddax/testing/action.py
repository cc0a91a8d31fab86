"""The contract of a leaf action."""

from __future__ import annotations

import json
from typing import ClassVar, get_args

from ddax.actions.protocol import Action, ActionContext, ActionResult
from ddax.actions.registry import Registry
from ddax.configs.settings import Recall
from ddax.errors import ActionError
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.fake import DictMemory
from ddax.testing.contract import Broken, Contract, expect
from ddax.testing.pages import PAGES, QUESTION, PageLibrary
from ddax.types import ActionCall, Effect, JsonDict, Record

NOW = 1_700_000_000.0


class ActionContract(Contract):
    """What holds for every action: a typed call, a plain result, and no error but its own.

    `action` is the decorated function, `arguments` are some it succeeds with over the `pages`, `wrong` some
    that do not fit its model, and `failing` (None where there are none) some that fit and must fail.
    `remembered` are rows that the memory has before the call.
    """

    action: Action
    arguments: ClassVar[JsonDict] = {}
    wrong: ClassVar[JsonDict] = {"no such argument": object}
    failing: JsonDict | None = None
    pages = PAGES
    remembered: tuple[Record, ...] = ()

    async def context(self) -> ActionContext:
        """Return what the action is given to work with, made anew for each call."""
        memory = DictMemory("testing", HashEmbedder(), lambda: NOW, Recall())
        await memory.put(self.remembered)
        return ActionContext(
            library=PageLibrary(self.pages), memory=memory, task="t", task_text=QUESTION, idea="0.0", step=1,
            now=NOW, key="one key",
        )  # fmt: skip

    async def call(self, arguments: JsonDict) -> ActionResult:
        """Run the action as the engine does."""
        call = ActionCall(name=self.action.name, args=arguments, intent="")
        return await Registry([self.action]).execute(call, await self.context())

    async def rule_it_says_what_it_is(self) -> None:
        name = self.action.name
        expect(name.isidentifier() and name.islower(), f"an action's name is a lower-case word, not {name!r}")
        expect(self.action.doc.endswith("."), f"{name} has no docstring of one sentence: a model reads it")
        expect(self.action.effect in get_args(Effect), f"{self.action.effect!r} is no effect")
        schema = self.action.arguments.model_json_schema()
        expect(json.loads(json.dumps(schema)) == schema, "the schema of the arguments is not plain JSON")

    async def rule_wrong_arguments_are_refused_by_name(self) -> None:
        try:
            await self.call(self.wrong)
        except ActionError as error:
            expect(error.kind == "bad_arguments", f"wrong arguments ended as {error.kind!r}: {error}")
            return
        raise Broken(f"{self.action.name} took the arguments {self.wrong!r}; let its model refuse them")

    async def rule_it_brings_a_plain_result(self) -> None:
        result = await self.call(self.arguments)
        expect(isinstance(result, ActionResult), f"an action returns an ActionResult, not {type(result)}")
        expect(result.summary.strip(), "the summary is empty: it is what the next step reads")
        for record in result.records:
            expect(record.text.strip(), "a record has no text")
            json.dumps(dict(record.meta), allow_nan=False)
        if self.action.effect == "none":
            expect(not result.sources, "an action without effect has read nothing, yet it names sources")

    async def rule_the_same_call_brings_the_same(self) -> None:
        if self.action.effect not in ("none", "reads"):
            return  # it may change the world; the engine calls it once
        first, second = await self.call(self.arguments), await self.call(self.arguments)
        expect(first == second, "the same arguments over the same sources brought two different results")

    async def rule_it_fails_with_an_action_error(self) -> None:
        if self.failing is None:
            return
        try:
            await self.call(self.failing)
        except ActionError as error:
            expect(error.what and error.kind, "the error names no cause")
            return
        except Exception as error:
            raise Broken(f"it failed with {type(error).__name__}, and must raise ActionError") from error
        raise Broken(f"it succeeded with {self.failing!r}, which must fail")
