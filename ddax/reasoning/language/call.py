"""One request to a chat model: structured output, one retry layer, one repair, and the bill.

Leaves out what is asked (`prompts`) and what a reply means (`readers`).
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ddax.errors import InvalidReply, ReasonerError
from ddax.reasoning.budget import BudgetKeeper, charge
from ddax.reasoning.language.failures import Failure, classify, mapped
from ddax.reasoning.language.guard import Breaker, Limits, wait_before
from ddax.reasoning.language.quote import block, shorten
from ddax.reasoning.language.usage import PriceLike, counted, priced
from ddax.reasoning.language.wire import Unfit, W, parse, schema_of
from ddax.reasoning.prompts import Prompt, render
from ddax.types import Usage

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

R = TypeVar("R")
Messages = list[tuple[str, str]]


@dataclass(frozen=True)
class Sampling:
    """How a reply is drawn; passed on where the model takes it."""

    temperature: float = 0.0
    seed: int = 0


@dataclass
class _Abilities:
    """What a model has been found to take: a JSON schema of the reply, and sampling settings."""

    native: bool
    sampled: bool = True


@dataclass
class _Request:
    """A request under way: when it began and what it has cost."""

    began: float
    usage: Usage = field(default_factory=Usage)


class Caller:
    """Ask one chat model for replies of a given form.

    `name` is `provider:model`, `key` the variable its key is read from; `clock` is monotonic and
    `wall` the epoch time, both in seconds.
    """

    def __init__(
        self, model: BaseChatModel, *, name: str, key: str, price: PriceLike | None, limits: Limits,
        clock: Callable[[], float], wall: Callable[[], float], rng: np.random.Generator,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:  # fmt: skip
        self._model, self.name, self._key, self._price = model, name, key, price
        self._limits, self._clock, self._wall = limits, clock, wall
        self._rng, self._sleep = rng, sleep
        self._keeper: BudgetKeeper | None = None
        self._breaker = Breaker(limits, clock)
        native = "method" in inspect.signature(type(model).with_structured_output).parameters
        self._can = _Abilities(native=native)

    def bound(self, keeper: BudgetKeeper) -> Caller:
        """Return this caller under the caps of `keeper`; what is known of the model stays shared."""
        twin = copy(self)
        twin._keeper = keeper
        return twin

    @property
    def free_of_charge(self) -> bool:
        """Say whether the model's price is known and zero."""
        return self._price is not None and self._price.cost(1, 1) == 0

    async def ask(
        self, prompt: Prompt, wire: type[W], read: Callable[[W], R], *, sampling: Sampling | None = None
    ) -> tuple[R, Usage]:
        """Return what `read` makes of the reply, and the cost.

        `read` raises `Unfit` where a reply has no sense; it is repaired once, then `InvalidReply` is
        raised. Every error carries what the request cost (`ddax.reasoning.budget.usage_of`).
        """
        self._breaker.check(self.name)
        request = _Request(self._clock())
        messages = [("system", prompt.system), ("human", prompt.user)]
        try:
            return await self._converse(messages, wire, read, request, sampling or Sampling()), request.usage
        except BaseException as error:
            charge(error, request.usage)
            raise

    async def _converse(
        self, messages: Messages, wire: type[W], read: Callable[[W], R], request: _Request, sampling: Sampling
    ) -> R:
        text = await self._say(messages, wire, request, sampling)
        try:
            return read(parse(text, wire))
        except Unfit as fault:
            again = render(
                "repair",
                fault=str(fault),
                reply=block("reply", shorten(text, self._limits.repair_characters)),
            )
        text = await self._say([*messages, ("human", again.user)], wire, request, sampling)
        try:
            return read(parse(text, wire))
        except Unfit as fault:
            raise InvalidReply(
                f"{self.name} gave no usable reply to {wire.__name__.removesuffix('Wire').lower()!r}.",
                why=f"Also after one repair: {fault}.",
                mend="Try a more capable model.",
            ) from fault

    async def _say(self, messages: Messages, wire: type[W], request: _Request, sampling: Sampling) -> str:
        """Return the text of a reply; retries what may pass, within the deadline of the request."""
        attempt = 1
        while True:
            if self._keeper and request.usage.model_calls:
                self._keeper.check(request.usage, free=self.free_of_charge)
            try:
                text = await self._attempt(messages, wire, request, sampling)
            # Whatever leaves a provider's package is foreign: it is mapped here and nowhere else.
            except Exception as error:
                if isinstance(error, ReasonerError):
                    raise
                failure = classify(error, self._wall)
                if failure.kind == "length":
                    return self._cut(error, messages, request)
                if failure.kind == "timeout":
                    # A call that was given up may still be charged for what was sent.
                    self._charge(request, None, messages, "")
                if not self._adapts(failure):
                    await self._wait_or_raise(failure, attempt, request, error)
                    attempt += 1
            else:
                self._breaker.succeeded()
                return text

    async def _attempt(self, messages: Messages, wire: type[W], request: _Request, sampling: Sampling) -> str:
        sent, runnable = self._prepared(messages, wire, sampling)
        left = self._limits.deadline - (self._clock() - request.began)
        request.usage += Usage(model_calls=1)
        async with asyncio.timeout(max(0.001, min(left, self._limits.attempt_seconds))):
            reply = await runnable.ainvoke(sent)
        message = reply["raw"] if isinstance(reply, dict) else reply
        text = _text_of(message)
        self._charge(request, getattr(message, "usage_metadata", None), messages, text)
        self._refuse(message)
        return text

    def _charge(self, request: _Request, said: Any, messages: Messages, reply: str) -> None:
        """Add the tokens of a call to the bill; the call itself was counted before it was made."""
        prompt = "\n".join(text for _, text in messages)
        cost = priced(counted(said, prompt=prompt, reply=reply), self._price)
        request.usage += Usage(0, cost.tokens, cost.usd)

    def _prepared(self, messages: Messages, wire: type[W], sampling: Sampling) -> tuple[Messages, Any]:
        """Return the messages to send and what to send them to."""
        model: Any = self._model
        if self._can.sampled:
            wanted = {"temperature": sampling.temperature, "seed": sampling.seed}
            known = {key: value for key, value in wanted.items() if key in type(model).model_fields}
            model = model.model_copy(update=known)
        schema = schema_of(wire)
        if not self._can.native:
            (role, system), *rest = messages
            stated = f"{system}\n\nThe JSON schema of the reply:\n{json.dumps(schema)}"
            return [(role, stated), *rest], model
        strict = "strict" in inspect.signature(type(model).with_structured_output).parameters
        more = {"strict": True} if strict else {}
        return messages, model.with_structured_output(schema, method="json_schema", include_raw=True, **more)

    def _adapts(self, failure: Failure) -> bool:
        """Give up, for good, what a model refuses: sampling settings or schema mode; say whether it did."""
        if failure.kind != "status" or failure.status not in (400, 422):
            return False
        said = failure.said.lower()
        if self._can.sampled and ("temperature" in said or "seed" in said):
            self._can.sampled = False
            return True
        if self._can.native and any(word in said for word in ("response_format", "json_schema", "schema")):
            self._can.native = False
            return True
        return False

    async def _wait_or_raise(
        self, failure: Failure, attempt: int, request: _Request, error: Exception
    ) -> None:
        wait = wait_before(failure, attempt, self._limits, self._rng)
        late = self._clock() - request.began + wait >= self._limits.deadline
        if failure.retriable and attempt < self._limits.attempts and not late:
            await self._sleep(wait)
            return
        if failure.retriable:
            self._breaker.failed()
        raise mapped(failure, self.name, self._key, attempt) from error

    def _cut(self, error: Exception, messages: Messages, request: _Request) -> str:
        """Charge and return a reply that ended at the output limit; it does not fit, and is repaired."""
        completion = getattr(error, "completion", None)
        choices = getattr(completion, "choices", None) or []
        text = str(getattr(getattr(choices[0], "message", None), "content", None) or "") if choices else ""
        usage = getattr(completion, "usage", None)
        said = {
            "input_tokens": getattr(usage, "prompt_tokens", None),
            "output_tokens": getattr(usage, "completion_tokens", None),
        }
        self._charge(request, said, messages, text)
        return text

    def _refuse(self, message: Any) -> None:
        refusal = (getattr(message, "additional_kwargs", None) or {}).get("refusal")
        if refusal:
            raise InvalidReply(
                f"{self.name} refused to answer.", why=f"It said: {shorten(str(refusal), 200)}.",
                mend="Rephrase the task, or choose another model.",
            )  # fmt: skip


def _text_of(message: Any) -> str:
    """Return the text of a reply; of a tool call its arguments."""
    text = str(getattr(message, "text", "") or "")
    calls = getattr(message, "tool_calls", None) or []
    return text if text.strip() or not calls else json.dumps(calls[0].get("args"))
