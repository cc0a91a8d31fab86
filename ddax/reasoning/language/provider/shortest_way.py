"""Choose the shortest way to a model: OpenAI's own protocol where it speaks that, LangChain's class else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ddax.reasoning.language.provider.channel import Channel, ChatChannel
from ddax.reasoning.language.provider.openai_wire import OpenAIChannel, speaks_openai
from ddax.reasoning.language.provider.traced import TracedChannel

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


def open_channel(model: BaseChatModel, *, idle_seconds: float = 120.0, opened: bool = False) -> Channel:
    """Return the shortest way to a model; `idle_seconds` is how long a stream may show no sign of life.

    `opened` says that the model was opened by its name and its settings, so that these describe it.
    """
    if speaks_openai(model):
        return TracedChannel(
            OpenAIChannel(model, idle_seconds=idle_seconds), told_of(model),
            callbacks=getattr(model, "callbacks", None),
        )  # fmt: skip
    return ChatChannel(model, idle_seconds=idle_seconds, opened=opened)


def told_of(model: Any) -> dict[str, Any]:
    """Return what tracers are told of a model: its class, its name and how it is asked; no key."""
    fields = ("temperature", "seed", "max_tokens", "reasoning_effort")
    asked = {name: value for name in fields if (value := getattr(model, name, None)) is not None}
    kind = type(model).__name__
    name = str(getattr(model, "model_name", "") or getattr(model, "model", ""))
    provider = kind.removeprefix("Chat").removesuffix("ChatOpenAI").lower() or kind.lower()
    return {**asked, "model": name, "model_name": name, "_type": kind, "ls_provider": provider}
