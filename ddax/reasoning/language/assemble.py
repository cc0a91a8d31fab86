"""Put a language reasoner together: every model its settings name, each opened once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from ddax.configs.models import ModelRecord, Models, over, record_of
from ddax.configs.prices import Price, Provider, nearest_priced
from ddax.errors import of_setting
from ddax.reasoning.given import OBJECT, lost
from ddax.reasoning.language.cache import ReplyCache
from ddax.reasoning.language.call import Caller, Hints
from ddax.reasoning.language.provider.channel import Channel
from ddax.reasoning.language.provider.lanes import Lanes
from ddax.reasoning.language.provider.retrying import Limits
from ddax.reasoning.language.provider.shortest_way import open_channel, told_of
from ddax.reasoning.language.reasoner import LanguageReasoner
from ddax.reasoning.language.replies.planned import ArgumentModels
from ddax.reasoning.language.team import ROLES, Role, Team
from ddax.reasoning.language.usage import PriceLike, price_of
from ddax.reasoning.prompts import SHIPPED, Book, read_all

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

GGUF = "gguf"
LOCAL = frozenset({GGUF, "local"})
"""The provider whose models are files, as in `gguf:models/small.gguf`."""


class OpenModel(Protocol):
    """Open a chat model by its record."""

    def __call__(
        self, model: ModelRecord, *, limits: Limits, providers: Mapping[str, Provider],
        environment: Mapping[str, str] | None = None,
    ) -> BaseChatModel: ...  # fmt: skip


@dataclass(frozen=True)
class Opening:
    """What a reasoner is opened with; `model` is that of every role that has none of its own.

    `objects` are chat models that were given ready-made, by their names.
    """

    model: ModelRecord
    models: Models
    limits: Limits
    prices: Mapping[str, PriceLike]
    providers: Mapping[str, Provider]
    environment: Mapping[str, str]
    clock: Callable[[], float]
    wall: Callable[[], float]
    rng: np.random.Generator
    cache: Path | None = None
    sees: bool | None = None
    """Whether the models take pictures; None goes by what is known of each."""
    book: Book = SHIPPED
    """The prompts."""
    objects: Mapping[str, BaseChatModel] = field(default_factory=dict)

    def limits_of(self, model: ModelRecord, *, window: int) -> Limits:
        """Return the limits of one model: its own, else those of all; `window` is what is known of it."""
        output = model.output_tokens or self.limits.output_tokens
        context = model.context_tokens or window
        return replace(
            self.limits,
            idle_seconds=model.idle_seconds or self.limits.idle_seconds,
            attempt_seconds=model.total_seconds or self.limits.attempt_seconds,
            context_tokens=context, output_tokens=min(output, context // 2) if context else output,
        )  # fmt: skip


@dataclass
class _Open:
    """What has been opened so far, to be closed with the reasoner."""

    callers: dict[str, Caller] = field(default_factory=dict)
    closers: list[Callable[[], None]] = field(default_factory=list)

    def close(self) -> None:
        for closer in reversed(self.closers):
            closer()
        self.closers.clear()


def assemble(
    opening: Opening, *, open_model: OpenModel, arguments: ArgumentModels | None = None
) -> LanguageReasoner:
    """Open every model once and put the team together; closes what is open if one cannot be opened."""
    found, models = _Open(), opening.models
    read_all()  # a request is written on an event loop, which no file is read on
    # A local server takes one request at a time: the time in its queue would be that of the attempt.
    lanes = Lanes(width=models.concurrency, per_minute=models.per_minute, clock=opening.clock, singly=LOCAL)
    cache = ReplyCache(opening.cache, wall=opening.wall) if opening.cache and models.cache else None
    if cache:
        found.closers.append(cache.close)

    def caller(model: ModelRecord) -> Caller:
        key = model.model_dump_json()
        if key not in found.callers:
            local = _local(model.name, opening)
            limits = opening.limits_of(model, window=local.context_tokens if local else 0)
            found.callers[key] = Caller(
                _local_channel(model.name, local, limits)
                if local
                else _channel(model, limits, opening, open_model), name=model.name,
                hints=_hints(model, opening), price=_price(model, opening),
                limits=limits, clock=opening.clock, wall=opening.wall, rng=opening.rng,
                lane=lanes.of(model.name), cache=cache, sees=opening.sees, effort=model.effort,
            )  # fmt: skip
        return found.callers[key]

    try:
        members: dict[Role, Sequence[Caller]] = {}
        for role in ROLES:
            own: str | ModelRecord = getattr(models, role)
            with of_setting(f"models.{role}" if own else "model"):
                record = over(own, opening.model)
                first = caller(record)
            with of_setting("models.fallbacks"):
                members[role] = (first, *map(caller, _others(record, models)))
        with of_setting("models.lean"):
            lean = caller(over(models.lean, opening.model)) if models.lean else None
        team = Team(members, lean=lean, effort=models.effort)
    except BaseException:
        found.close()
        raise
    return LanguageReasoner(
        team, name=opening.model.name, limits=opening.limits, arguments=arguments,
        release=found.close, book=opening.book,
    )  # fmt: skip


def _others(first: ModelRecord, models: Models) -> list[ModelRecord]:
    others = {one.model_dump_json(): one for one in map(record_of, models.fallbacks)}
    return [one for one in others.values() if one.name != first.name or one.base_url != first.base_url]


def _hints(model: ModelRecord, opening: Opening) -> Hints:
    key = model.key_variable or key_of(model.name, opening.providers)
    return Hints(key, nearest_priced(model.name, opening.prices))


def _price(model: ModelRecord, opening: Opening) -> PriceLike | None:
    if model.price is not None:
        return Price(model.price.input, model.price.output, model.price.cached)
    return price_of(model.name, opening.prices)


def _channel(model: ModelRecord, limits: Limits, opening: Opening, open_model: OpenModel) -> Channel:
    if model.name.partition(":")[0] == OBJECT:
        if model.name not in opening.objects:
            raise lost(model.name)
        return open_channel(opening.objects[model.name], idle_seconds=limits.idle_seconds)
    found = open_model(model, limits=limits, providers=opening.providers, environment=opening.environment)
    return open_channel(found, idle_seconds=limits.idle_seconds, opened=True)


class Local(NamedTuple):
    """A chat model over a served file, and the tokens that its context has (0: not known)."""

    model: BaseChatModel
    context_tokens: int = 0


def _local(name: str, opening: Opening) -> Local | None:
    """Open a model on this machine; None for any other."""
    provider, _, path = name.partition(":")
    if provider not in LOCAL or (provider == GGUF and not path):
        return None
    return open_local(name, limits=opening.limits, environment=opening.environment)


def _local_channel(name: str, local: Local, limits: Limits) -> Channel:
    """Return the way to a model on this machine, which a grammar holds to the form of its replies."""
    from ddax.reasoning.language.provider.openai_wire import Narrow, OpenAIChannel
    from ddax.reasoning.language.provider.traced import TracedChannel

    model = local.model.model_copy(update={"max_tokens": limits.output_tokens})
    channel = OpenAIChannel(model, narrow=Narrow.of(limits.output_tokens), idle_seconds=limits.idle_seconds)
    return TracedChannel(channel, {**told_of(model), "model": name, "ls_provider": name.partition(":")[0]})


def key_of(name: str, providers: Mapping[str, Provider]) -> str:
    """Return the environment variable a model's key is read from; "" where it needs none."""
    found = providers.get(name.partition(":")[0])
    return found.key if found else ""


def open_local(name: str, *, limits: Limits, environment: Mapping[str, str] | None = None) -> Local:
    """Return a chat model over the file of `gguf:FILE` or `local`, served until this process ends."""
    from langchain_openai import ChatOpenAI

    from ddax.reasoning.local.known import file_of
    from ddax.reasoning.local.warm import served

    server = served(file_of(name, environment))
    model = ChatOpenAI(
        model="local", base_url=server.address, api_key="local", max_retries=0,  # type: ignore[arg-type]  # a plain key
        timeout=limits.attempt_seconds, max_tokens=limits.output_tokens,  # type: ignore[call-arg]  # an alias
    )  # fmt: skip
    return Local(model, server.context_tokens())
