"""Put a language reasoner together: every model its settings name, each opened once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ddax.configs.prices import Provider
from ddax.configs.settings import Models
from ddax.errors import of_setting
from ddax.reasoning.language.cache import ReplyCache
from ddax.reasoning.language.call import Caller
from ddax.reasoning.language.channel import Channel, open_channel
from ddax.reasoning.language.guard import Limits
from ddax.reasoning.language.lanes import Lanes
from ddax.reasoning.language.readers import ArgumentModels
from ddax.reasoning.language.reasoner import LanguageReasoner
from ddax.reasoning.language.team import ROLES, Role, Team
from ddax.reasoning.language.usage import PriceLike, price_of
from ddax.reasoning.prompts import SHIPPED, Book, read_all

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

GGUF = "gguf"
"""The provider whose models are files, as in `gguf:models/small.gguf`."""


class OpenModel(Protocol):
    """Open a chat model by its name."""

    def __call__(
        self, name: str, *, limits: Limits, providers: Mapping[str, Provider],
        environment: Mapping[str, str] | None = None,
    ) -> BaseChatModel: ...  # fmt: skip


@dataclass(frozen=True)
class Opening:
    """What a reasoner is opened with; `name` is the model of every role that has none of its own."""

    name: str
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
    lanes = Lanes(width=models.concurrency, per_minute=models.per_minute, clock=opening.clock, singly=(GGUF,))
    cache = ReplyCache(opening.cache, wall=opening.wall) if opening.cache and models.cache else None
    if cache:
        found.closers.append(cache.close)

    def caller(name: str) -> Caller:
        if name not in found.callers:
            key = opening.providers.get(name.partition(":")[0])
            found.callers[name] = Caller(
                _channel(name, opening, found, open_model), name=name, key=key.key if key else "",
                price=price_of(name, opening.prices), limits=opening.limits, clock=opening.clock,
                wall=opening.wall, rng=opening.rng, lane=lanes.of(name), cache=cache,
                sees=opening.sees,
            )  # fmt: skip
        return found.callers[name]

    try:
        members: dict[Role, Sequence[Caller]] = {}
        for role in ROLES:
            own: str = getattr(models, role)
            with of_setting(f"models.{role}" if own else "model"):
                first = caller(own or opening.name)
            with of_setting("models.fallbacks"):
                members[role] = (first, *map(caller, _others(own or opening.name, models)))
        with of_setting("models.lean"):
            lean = caller(models.lean) if models.lean else None
        team = Team(members, lean=lean, effort=models.effort)
    except BaseException:
        found.close()
        raise
    return LanguageReasoner(
        team, name=opening.name, limits=opening.limits, arguments=arguments, release=found.close,
        book=opening.book,
    )  # fmt: skip


def _others(first: str, models: Models) -> tuple[str, ...]:
    return tuple(name for name in dict.fromkeys(models.fallbacks) if name != first)


def _channel(name: str, opening: Opening, found: _Open, open_model: OpenModel) -> Channel:
    provider, _, path = name.partition(":")
    if provider != GGUF or not path:
        return open_channel(
            open_model(
                name, limits=opening.limits, providers=opening.providers, environment=opening.environment
            )
        )
    from ddax.reasoning.language.wire_openai import Narrow, OpenAIChannel

    model, close = open_local(name, limits=opening.limits)
    found.closers.append(close)
    return OpenAIChannel(model, narrow=Narrow.of(opening.limits.output_tokens))


def open_local(name: str, *, limits: Limits) -> tuple[Any, Callable[[], None]]:
    """Serve the file of `gguf:FILE` and return a chat model over it, with what stops the server."""
    from langchain_openai import ChatOpenAI

    from ddax.reasoning.local.server import LocalServer

    server = LocalServer(Path(name.partition(":")[2]).expanduser())
    model = ChatOpenAI(
        model="local", base_url=server.address, api_key="local", max_retries=0,  # type: ignore[arg-type]  # a plain key
        timeout=limits.attempt_seconds, max_tokens=limits.output_tokens,  # type: ignore[call-arg]  # an alias
    )  # fmt: skip
    return model, server.close
