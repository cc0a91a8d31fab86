"""One request to one chat model: structured output, one retry layer, one repair, and the bill.

Leaves out what is asked (`prompts`), what a reply means (`readers`), how a call is sent (`channel`)
and which model is asked (`team`).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from ddax.errors import ReasonerError
from ddax.reasoning.budget import BudgetKeeper, charge
from ddax.reasoning.language.abilities import Abilities, known
from ddax.reasoning.language.acting import CALL_AGAIN, Acting
from ddax.reasoning.language.cache import Kept, ReplyCache, reply_key
from ddax.reasoning.language.channel import Channel, Hear, Order, Said, Sampling, name_of
from ddax.reasoning.language.efforts import LESS
from ddax.reasoning.language.failures import Failure, classify, mapped, refusal_of, unusable
from ddax.reasoning.language.guard import Breaker, Limits, wait_before
from ddax.reasoning.language.parts import sizes_of
from ddax.reasoning.language.picture import tokens_of
from ddax.reasoning.language.quote import block, shorten
from ddax.reasoning.language.reading import read_reply
from ddax.reasoning.language.usage import PriceLike, counted, priced, thought
from ddax.reasoning.language.window import least, overran
from ddax.reasoning.language.wire import Unfit, Wire
from ddax.reasoning.prompts import Prompt, render
from ddax.types import Picture, Usage

if TYPE_CHECKING:
    from ddax.reasoning.language.lanes import Lane

R = TypeVar("R")
W = TypeVar("W", bound=Wire)
LOAD_WAIT = 1.0
"""Seconds between two looks whether a server has loaded its model."""
PAID = 2
"""Calls of one request that may be charged for: the first, and one more."""
LONG_WAIT = 5.0
"""Seconds of a wait before a further call from which on it is logged."""


class Ask(NamedTuple, Generic[W, R]):
    """What is asked: a prompt, the form of the reply, and what makes sense of it.

    `read` raises `Unfit` where a reply has no sense. `choices` are the names the prompt offers, by the
    field of the reply that takes them. `picture` is for a model that sees; others get the prompt alone.
    `acting` are the tools it may call.
    """

    prompt: Prompt
    wire: type[W]
    read: Callable[[W], R]
    sampling: Sampling = Sampling()
    choices: Mapping[str, Sequence[str]] = MappingProxyType({})
    picture: Picture | None = None
    acting: Acting | None = None


@dataclass(frozen=True)
class Under:
    """What a request runs under: the caps, who listens to the reply, and the reasoning effort asked for."""

    keeper: BudgetKeeper | None = None
    hear: Hear | None = None
    effort: str = ""


@dataclass
class _Request:
    """A request under way: when it began, what it has cost, and the calls that count as attempts.

    `key` is what its reply is kept under; empty where none is kept. `paid` counts the calls that may be
    charged for. `heard` has the pieces of the reply under way.
    """

    under: Under
    began: float
    key: str = ""
    usage: Usage = field(default_factory=Usage)
    attempts: int = 0
    queued: float = 0.0
    paid: int = 0
    heard: list[str] = field(default_factory=list)


class Caller:
    """Ask one chat model for replies of a given form.

    `name` is `provider:model`, `key` the variable its key is read from; `clock` is monotonic and
    `wall` the epoch time, both in seconds. `sees` None goes by what is known of the model; `effort` None
    goes by what is asked of all.
    """

    def __init__(
        self, channel: Channel, *, name: str, key: str, price: PriceLike | None, limits: Limits,
        clock: Callable[[], float], wall: Callable[[], float], rng: np.random.Generator,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        lane: Lane | None = None, cache: ReplyCache | None = None, sees: bool | None = None,
        effort: str | None = None,
    ) -> None:  # fmt: skip
        self._channel, self.name, self._key, self._price = channel, name, key, price
        self._limits, self._clock, self._wall = limits, clock, wall
        self._rng, self._sleep, self._lane = rng, sleep, lane
        self.effort, self._window = effort, limits.context_tokens or channel.window
        self._breaker = Breaker(limits, clock)
        sight = channel.sees if sees is None else sees
        fresh = Abilities(channel.first_mode, sight, channel.limited, native=channel.native)
        self._can = known(name, channel.address, fresh)
        self._cache = None if self.free_of_charge else cache
        self._told = -math.inf

    @property
    def free_of_charge(self) -> bool:
        """Say whether the model's price is known and zero."""
        return self._price is not None and self._price.cost(1, 1) == 0

    @property
    def context_tokens(self) -> int:
        """Return the tokens of a request and its reply together, as told or learned; 0: not known."""
        return min(filter(None, (self._window, self._can.window.tokens)), default=0)

    @property
    def sees(self) -> bool:
        """Say whether the model takes pictures, as far as it is known."""
        return self._can.sees

    async def close(self) -> None:
        """Close the way to the model."""
        await self._channel.close()

    async def ask(self, ask: Ask[W, R], under: Under) -> tuple[R, Usage]:
        """Return what `ask.read` makes of the reply, and the cost.

        A reply that does not fit is repaired once, then `InvalidReply` is raised. Every error carries
        what the request cost (`ddax.reasoning.budget.usage_of`).
        """
        messages = [("system", ask.prompt.system), ("human", ask.prompt.user)]
        shown, channel = ask.picture if self._can.sees else None, self._channel
        output, effort = self._can.room.get(name_of(ask.wire), (0, ""))
        order = Order(
            messages, ask.wire, self._can.mode, ask.sampling, effort or under.effort, ask.choices, shown,
            output=output, acting=ask.acting, parts=ask.prompt.parts, stable=ask.prompt.stable,
        )  # fmt: skip
        request = _Request(
            under, self._clock(), reply_key(self.name, channel.address, order) if self._cache else ""
        )
        try:
            found = await self._given_again(ask, request)
            if found is None:
                self._breaker.check(self.name)
                found = await self._converse(ask, order, request)
            return found[0], request.usage
        except BaseException as error:
            charge(error, request.usage)
            raise

    async def _given_again(self, ask: Ask[W, R], request: _Request) -> tuple[R] | None:
        """Return what was made of this very question before, at no cost."""
        kept = await self._cache.get(request.key) if self._cache else None
        if kept is None:
            return None
        try:
            found = ask.read(read_reply(kept.text, ask.wire).found)
        except Unfit:
            return None  # kept by a release that read it differently
        request.usage += Usage(
            hits=1, saved_calls=kept.calls, saved_tokens=kept.tokens, saved_usd=kept.usd or 0.0
        )
        return (found,)

    async def _converse(self, ask: Ask[W, R], order: Order, request: _Request) -> tuple[R]:
        said = await self._say(order, request)
        try:
            found = self._read(said, ask, request)
        except Unfit as fault:
            if request.attempts >= self._limits.attempts or request.paid >= PAID:
                raise unusable(said, fault, self.name, name_of(ask.wire), request.attempts) from fault
            again = self._again(order, said, fault)
            said = await self._say(again, request)
            try:
                found = self._read(said, ask, request)
            except Unfit as also:
                if said.cut:
                    raise self._too_short(also) from also
                raise unusable(said, also, self.name, name_of(ask.wire), request.attempts) from also
            if again.output != order.output or again.effort != order.effort:
                self._can.room[name_of(ask.wire)] = again.output, again.effort
        if self._cache:
            cost = request.usage
            await self._cache.put(request.key, Kept(said.text, cost.tokens, cost.usd, cost.model_calls))
        return (found,)

    def _read(self, said: Said, ask: Ask[W, R], request: _Request) -> R:
        """Make sense of a reply, and count what of it was mended or left out."""
        if said.fault:
            raise Unfit(said.fault)
        # Some servers take a whole reply for thoughts.
        text = said.text if said.text.strip() or said.cut else said.thought
        try:
            reading = read_reply(text, ask.wire, cut=said.cut)
        except Unfit as fault:
            raise Unfit("it was cut off at the output limit; be shorter") if said.cut else fault from fault
        found = ask.read(reading.found)
        usage = getattr(found, "usage", None)
        left_out = usage.repaired if isinstance(usage, Usage) else 0
        request.usage += Usage(repaired=reading.mended + left_out)
        return found

    def _again(self, order: Order, said: Said, fault: Unfit) -> Order:
        """Return the second call: never the same where the output limit ended the first."""
        if not said.cut:
            return self._repair(order, said, fault)
        roomier = self._roomier(order, said)
        if roomier is not None:
            return roomier
        raise self._too_short(fault)

    def _too_short(self, fault: Unfit) -> ReasonerError:
        return mapped(Failure("length", 0, str(fault)), self.name, self._key, 1)

    def _roomier(self, order: Order, said: Said) -> Order | None:
        """Return a call with less thought or a larger limit; None where neither can be."""
        less = LESS.get(order.effort, "")
        if thought(said) and less and self._can.effort:
            return replace(order, effort=less)
        if not self._can.limited:
            return None
        limit = order.output or self._limits.output_tokens
        more = 2 * limit
        if self.context_tokens:
            more = min(more, self.context_tokens - self._can.window.count(self._size(order)))
        return replace(order, output=more) if more >= limit + limit // 4 else None

    def _repair(self, order: Order, said: Said, fault: Unfit) -> Order:
        """Return the second call: the same request, with the bad reply as data and what is wrong with it."""
        reply = block("reply", shorten(said.text, self._limits.repair_characters))
        native = order.acting is not None and self._can.native
        again = (
            CALL_AGAIN.format(fault=fault) if native else render("repair", fault=str(fault), reply=reply).user
        )
        return replace(order, messages=[*order.messages, ("human", again)], mode=self._can.mode)

    async def _say(self, order: Order, request: _Request) -> Said:
        """Return a reply; retries what may pass, within the attempts and the deadline of the request."""
        while True:
            self._check_caps(request)
            request.attempts += 1
            async with self._place(request):
                # Now: calls before it have learnt while this one waited.
                sent = self._fitted(self._can.adapted(order))
                hear = self._hears(request)
                try:
                    said = await self._attempt(sent, request, hear)
                except ReasonerError:
                    raise
                # Whatever leaves a provider's package is foreign: it is mapped here and nowhere else.
                except Exception as error:
                    heard, cause = bool(request.heard), error
                    failure = await asyncio.to_thread(classify, error, self._wall, heard=heard)
                    adapts = self._learns(failure, sent, hear)  # before the next call has this place
                else:
                    self._breaker.succeeded()
                    return said
            if failure.kind in ("timeout", "empty") or failure.begun or request.heard:
                # A call that was given up or broke off may still be charged for what was sent and written.
                request.paid += 1
                self._charge(request, None, sent, "".join(request.heard))
            if adapts:
                request.attempts -= 1
            else:
                await self._wait_or_raise(failure, request, cause)

    def _size(self, order: Order) -> int:
        return sum(sizes_of(order, schema=self._channel.reads_form).values())

    def _fitted(self, order: Order) -> Order:
        """Return a call whose reply fits the window beside it; raises where the request alone does not."""
        window = self.context_tokens
        if not window:
            return order
        needs = self._can.window.count(self._size(order)) + tokens_of(order.picture)
        left = window - needs
        if left < least(window):
            said = f"It is counted as {needs:,} tokens, the window of the model as {window:,}."
            error = mapped(Failure("context", 0, said), self.name, self._key, 1)
            overran(error, (window - least(window)) / needs)
            raise error
        limit = order.output or self._limits.output_tokens
        return replace(order, output=left) if order.limited and left < limit else order

    def _check_caps(self, request: _Request) -> None:
        if request.under.keeper and request.usage.model_calls:
            request.under.keeper.check(request.usage, free=self.free_of_charge)

    @contextlib.asynccontextmanager
    async def _place(self, request: _Request) -> AsyncIterator[None]:
        """Hold a place in the lane, where there is one."""
        asked = self._clock()
        async with self._lane.lease() if self._lane else contextlib.nullcontext():
            request.queued += self._clock() - asked
            yield

    async def _attempt(self, order: Order, request: _Request, hear: Hear | None) -> Said:
        request.usage += Usage(model_calls=1, models=((self.name, 1),))
        try:
            async with asyncio.timeout(self._limits.attempt_seconds):
                said = await self._channel.say(order, hear)
        except asyncio.CancelledError:
            # Like one that took too long: it may be charged for.
            self._charge(request, None, order, "".join(request.heard))
            raise
        request.paid += 1
        self._charge(request, said.usage, order, said.thought + said.text)
        if refused := refusal_of(said, self.name, self._key):
            raise refused
        return said

    def _hears(self, request: _Request) -> Hear | None:
        """Return who listens to the next call, and keeps the pieces for its bill; None where nobody does."""
        request.heard.clear()
        told = request.under.hear if self._can.streams else None
        if told is None:
            return request.heard.append if self._can.must_stream and self._can.streams else None

        def hear(text: str) -> None:
            request.heard.append(text)
            told(text)

        return hear

    def _passed(self, request: _Request) -> float:
        """Return the seconds a request has taken, without those it stood in a lane."""
        return self._clock() - request.began - request.queued

    def _charge(self, request: _Request, said: Any, order: Order, reply: str) -> None:
        """Add the tokens of a call to the bill; the call itself was counted before it was made."""
        sizes = sizes_of(order, schema=self._channel.reads_form)
        size = sum(sizes.values())
        tokens = counted(said, sent=size, reply=reply, picture=tokens_of(order.picture))
        if said and order.picture is None:
            self._can.window.counted(tokens.taken, size)
        request.usage += replace(priced(tokens, self._price, sizes), model_calls=0)

    def _learns(self, failure: Failure, sent: Order, hear: Hear | None) -> bool:
        """Learn from a failure what the model does not take; say whether the call is made in another way."""
        if failure.loading:
            return False
        if failure.status in (408, 504, 524) and hear is None:
            self._can.must_stream = True  # somebody between us gave up what was silent
        return self._learns_window(failure, sent) or self._can.learn(
            failure, sent, streamed=hear is not None, takes_tools=self._channel.takes_tools
        )

    def _learns_window(self, failure: Failure, sent: Order) -> bool:
        """Learn the window of a model from its refusal; say whether the next call is another one for it."""
        if failure.kind != "context" or not self._can.window.learn(failure.words, self._size(sent)):
            return False
        try:
            return self._fitted(sent) != sent
        except ReasonerError:  # the request itself has to be shorter, which the next look at it tells
            return True

    async def _wait_or_raise(self, failure: Failure, request: _Request, error: Exception) -> None:
        wait = wait_before(failure, request.attempts, self._limits, self._rng)
        late = self._passed(request) + wait >= self._limits.deadline
        if failure.loading and not late:
            request.attempts -= 1  # nothing was asked, and nothing is paid
            wait = max(wait, LOAD_WAIT)
        may = request.attempts < self._limits.attempts and request.paid < PAID
        if failure.retriable and may and not late:
            if failure.retry_after is not None and self._lane:
                self._lane.pause(wait)
            self._tell(failure, wait)
            await self._sleep(wait)
            return
        ended = mapped(failure, self.name, self._key, request.attempts, late=late)
        if failure.retriable:
            self._breaker.failed(ended)
        raise ended from error

    def _tell(self, failure: Failure, wait: float) -> None:
        """Log a long wait, once for all requests that wait at the same time."""
        if wait >= LONG_WAIT and self._clock() >= self._told:
            self._told = self._clock() + wait
            said = shorten(failure.said, 120)
            logging.getLogger("ddax").warning("%s is asked again in %.0f s: %s", self.name, wait, said)
