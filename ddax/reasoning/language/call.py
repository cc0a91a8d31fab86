"""One request to one chat model: structured output, one retry layer, one repair, and the bill.

Leaves out what is asked (`ddax.reasoning.prompts`), what a reply means (`replies.grounding`), how a call is
sent (`provider.channel`) and which model is asked (`team`).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ddax.errors import ReasonerError
from ddax.reasoning.budget import charge
from ddax.reasoning.language.again import repaired, roomier
from ddax.reasoning.language.asked import Ask, Asked, Under
from ddax.reasoning.language.cache import Kept, ReplyCache, reply_key
from ddax.reasoning.language.parts import sizes_of
from ddax.reasoning.language.provider.abilities import Abilities, known
from ddax.reasoning.language.provider.channel import Channel, Hear, Order, Said, name_of
from ddax.reasoning.language.provider.failures import Failure, classify, mapped, refusal_of, unusable
from ddax.reasoning.language.provider.picture import tokens_of
from ddax.reasoning.language.provider.retrying import Breaker, Limits, wait_before
from ddax.reasoning.language.provider.window import Measure, Told, fits, least, narrower, overran, told_in
from ddax.reasoning.language.quote import shorten
from ddax.reasoning.language.replies.parsing import read_reply
from ddax.reasoning.language.replies.schemas import Unfit, Wire
from ddax.reasoning.language.usage import PriceLike, counted, priced
from ddax.types import Usage

if TYPE_CHECKING:
    from ddax.reasoning.language.provider.lanes import Lane

R = TypeVar("R")
W = TypeVar("W", bound=Wire)
LOAD_WAIT = 1.0
"""Seconds between two looks whether a server has loaded its model."""
PAID = 2
"""Calls of one request that may be charged for: the first, and one more."""
LONG_WAIT = 5.0
"""Seconds of a wait before a further call from which on it is logged."""


@dataclass(frozen=True)
class Hints:
    """What errors of a model tell its user: the variable of its key, and the nearest known name if any."""

    key: str
    near: str = ""


class Caller:
    """Ask one chat model for replies of a given form.

    `name` is `provider:model`, `key` the variable its key is read from; `clock` is monotonic and
    `wall` the epoch time, both in seconds. `sees` None goes by what is known of the model; `effort` None
    goes by what is asked of all.
    """

    def __init__(
        self, channel: Channel, *, name: str, hints: Hints, price: PriceLike | None, limits: Limits,
        clock: Callable[[], float], wall: Callable[[], float], rng: np.random.Generator,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        lane: Lane | None = None, cache: ReplyCache | None = None, sees: bool | None = None,
        effort: str | None = None,
    ) -> None:  # fmt: skip
        self._channel, self.name, self._hints, self._price = channel, name, hints, price
        self._limits, self._clock, self._wall = limits, clock, wall
        self._rng, self._sleep, self._lane = rng, sleep, lane
        self.effort, self._window = effort, limits.context_tokens or channel.window
        self._breaker = Breaker(limits, clock)
        self._sight = channel.sees if sees is None else sees
        fresh = Abilities(channel.first_mode, self._sight, channel.limited, native=channel.native)
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
        return narrower(self._window, self._can.window)

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
        shown = ask.picture if self._can.sees else None
        output, effort = self._can.room.get(name_of(ask.wire), (0, ""))
        order = Order(
            messages, ask.wire, self._can.mode, ask.sampling, effort or under.effort, ask.choices, shown,
            output=output, acting=ask.acting, parts=ask.prompt.parts, stable=ask.prompt.stable,
        )  # fmt: skip
        request = Asked(under, self._clock(), under.measure, self._key_of(ask, order, under))
        try:
            found = await self._given_again(ask, request)
            if found is None:
                self._breaker.check(self.name)
                found = await self._converse(ask, order, request)
            return found[0], request.usage
        except BaseException as error:
            charge(error, request.usage)
            raise

    def _key_of(self, ask: Ask[W, R], order: Order, under: Under) -> str:
        """Return what a reply is kept under: what is asked, whatever was learned of the model."""
        if not self._cache:
            return ""
        asked = replace(order, effort=under.effort, picture=ask.picture if self._sight else None)
        return reply_key(self.name, self._channel, asked)

    async def _given_again(self, ask: Ask[W, R], request: Asked) -> tuple[R] | None:
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

    async def _converse(self, ask: Ask[W, R], order: Order, request: Asked) -> tuple[R]:
        said = await self._say(order, request)
        try:
            found = self._read(said, ask, request)
        except Unfit as fault:
            if request.attempts >= self._limits.attempts or request.paid >= PAID:
                raise self._unusable(said, fault, order, request) from fault
            again = self._again(order, said, fault, request)
            try:
                second = await self._say(again, request)
            except ReasonerError as error:
                if fits(error)[0]:  # the request itself did fit
                    raise self._unusable(said, fault, order, request) from error
                raise
            said = second
            try:
                found = self._read(said, ask, request)
            except Unfit as also:
                raise self._unusable(said, also, order, request) from also
            if again.output != order.output or again.effort != order.effort:
                self._can.room[name_of(ask.wire)] = again.output, again.effort
        if self._cache:
            cost = request.usage
            await self._cache.put(request.key, Kept(said.text, cost.tokens, cost.usd, cost.model_calls))
        return (found,)

    def _read(self, said: Said, ask: Ask[W, R], request: Asked) -> R:
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

    def _again(self, order: Order, said: Said, fault: Unfit, request: Asked) -> Order:
        """Return the second call: never the same where the output limit ended the first."""
        can = self._can
        if said.cut:
            limit = self._limits.output_tokens if can.limited else 0
            room = self._left(order, request)
            found = roomier(order, said, effort=can.effort, limit=limit, room=room)
        else:
            order = replace(order, mode=can.mode, native=order.acting is not None and can.native)
            most = self._limits.repair_characters
            found = repaired(order, said, fault, most=most, room=lambda bare: self._quotable(bare, request))
        if found is None:
            raise self._unusable(said, fault, order, request) from fault
        return found

    def _unusable(self, said: Said, fault: Unfit, order: Order, request: Asked) -> ReasonerError:
        if said.cut:
            return mapped(Failure("length", 0, str(fault)), self.name, self._hints.key, 1)
        return unusable(said, fault, self.name, name_of(order.wire), request.attempts)

    async def _say(self, order: Order, request: Asked) -> Said:
        """Return a reply; retries what may pass, within the attempts and the deadline of the request."""
        while True:
            self._check_caps(request)
            request.attempts += 1
            async with self._place(request):
                # Now: calls before it have learnt while this one waited.
                sent = self._fitted(self._can.adapted(order), request)
                hear = self._hears(request)
                try:
                    said = await self._attempt(sent, request, hear)
                except ReasonerError:
                    raise
                # Whatever leaves a provider's package is foreign: it is mapped here and nowhere else.
                except Exception as error:
                    heard, cause = bool(request.heard), error
                    asked = "\n".join(text for _, text in sent.messages)
                    failure = await asyncio.to_thread(classify, error, self._wall, heard=heard, sent=asked)
                    adapts = self._learns(failure, sent, request, hear)  # before the next has this place
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

    def _left(self, order: Order, request: Asked) -> int | None:
        """Return the tokens that a call leaves of the window; None where no window is known."""
        window = self._window_of(request)
        return window - self._needs(order, request) if window else None

    def _window_of(self, request: Asked) -> int:
        return narrower(self.context_tokens, request.measure.window)

    def _needs(self, order: Order, request: Asked) -> int:
        return request.measure.count(self._size(order)) + tokens_of(order.picture)

    def _quotable(self, order: Order, request: Asked) -> int | None:
        """Return the bytes that may be added to a call; half of what is left is for the reply."""
        left, window = self._left(order, request), self._window_of(request)
        return None if left is None else int((left - max(least(window), left // 2)) / request.measure.density)

    def _fitted(self, order: Order, request: Asked) -> Order:
        """Return a call whose reply fits the window beside it; raises where the request alone does not."""
        window = self._window_of(request)
        if not window:
            return order
        needs = self._needs(order, request)
        left = window - needs
        if left < least(window):
            said = f"It is counted as {needs:,} tokens, the window of the model as {window:,}."
            failure = request.refused or Failure("context", 0, said)
            error = mapped(failure, self.name, self._hints.key, 1)
            overran(error, (window - least(window)) / needs, request.measure)
            raise error
        limit = order.output or self._limits.output_tokens
        return replace(order, output=left) if order.limited and left < limit else order

    def _check_caps(self, request: Asked) -> None:
        spent = request.under.spent + request.usage
        if request.under.keeper and spent.model_calls:
            request.under.keeper.check(spent, free=self.free_of_charge)

    @contextlib.asynccontextmanager
    async def _place(self, request: Asked) -> AsyncIterator[None]:
        """Hold a place in the lane, where there is one."""
        asked = self._clock()
        async with self._lane.lease() if self._lane else contextlib.nullcontext():
            request.queued += self._clock() - asked
            yield

    async def _attempt(self, order: Order, request: Asked, hear: Hear | None) -> Said:
        request.usage += Usage(model_calls=1, models=((self.name, 1),))
        try:
            async with asyncio.timeout(self._limits.attempt_seconds):
                said = await self._channel.say(order, hear)
                self._can.native &= self._channel.native  # its class may have said that it takes no tools
        except asyncio.CancelledError:
            # Like one that took too long: it may be charged for.
            self._charge(request, None, order, "".join(request.heard))
            raise
        request.paid += 1
        self._charge(request, said.usage, order, said.thought + said.text)
        if refused := refusal_of(said, self.name, self._hints.key):
            raise refused
        return said

    def _hears(self, request: Asked) -> Hear | None:
        """Return who listens to the next call, and keeps the pieces for its bill; None where nobody does."""
        request.heard.clear()
        told = request.under.hear if self._can.streams else None
        if told is None:
            return request.heard.append if self._can.must_stream and self._can.streams else None

        def hear(text: str) -> None:
            request.heard.append(text)
            told(text)

        return hear

    def _passed(self, request: Asked) -> float:
        """Return the seconds a request has taken, without those it stood in a lane."""
        return self._clock() - request.began - request.queued

    def _charge(self, request: Asked, said: Any, order: Order, reply: str) -> None:
        """Add the tokens of a call to the bill; the call itself was counted before it was made."""
        sizes = sizes_of(order, schema=self._channel.reads_form)
        size = sum(sizes.values())
        tokens = counted(said, sent=size, reply=reply, picture=tokens_of(order.picture))
        if said and order.picture is None:
            request.measure = request.measure.counted(tokens.taken, size)
        request.usage += replace(priced(tokens, self._price, sizes), model_calls=0)

    def _learns(self, failure: Failure, sent: Order, request: Asked, hear: Hear | None) -> bool:
        """Learn from a failure what the model does not take; say whether the call is made in another way."""
        if failure.loading:
            return False
        if failure.status in (408, 504, 524) and hear is None:
            self._can.must_stream = True  # somebody between us gave up what was silent
        size = self._size(sent)
        told, measure = Told(), None
        if failure.kind == "context":
            told = told_in(failure.words, request.measure.count(size))
            measure = request.measure.refused(told, size)
        if measure is not None and told.window:  # what is named beside a number is named by the way
            self._can.learn_window(failure, told.window)
        elif self._can.learn(
            failure, sent, streamed=hear is not None, takes_tools=self._channel.takes_tools
        ):  # fmt: skip
            return True
        return measure is not None and self._shortens(sent, request, measure, failure)

    def _shortens(self, sent: Order, request: Asked, measure: Measure, failure: Failure) -> bool:
        """Measure a request anew; say whether the next call is another one for it."""
        request.measure, request.refused = measure, failure
        try:
            return self._fitted(sent, request) != sent
        except ReasonerError:  # the request itself has to be shorter, which the next look at it tells
            return True

    async def _wait_or_raise(self, failure: Failure, request: Asked, error: Exception) -> None:
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
        ended = mapped(
            failure, self.name, self._hints.key, request.attempts, late=late, near=self._hints.near
        )
        if failure.retriable:
            self._breaker.failed(ended)
        raise ended from error

    def _tell(self, failure: Failure, wait: float) -> None:
        """Log a long wait, once for all requests that wait at the same time."""
        if wait >= LONG_WAIT and self._clock() >= self._told:
            self._told = self._clock() + wait
            said = shorten(failure.said, 120)
            logging.getLogger("ddax").warning("%s is asked again in %.0f s: %s", self.name, wait, said)
