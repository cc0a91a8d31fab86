"""Open a reasoner by name: `embedded`, or any chat model as `provider:model`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np
from pydantic import BaseModel

from ddax.configs.prices import Provider, load_providers
from ddax.configs.settings import Models
from ddax.errors import ReasonerError, UsageError
from ddax.memory.protocol import Embedder
from ddax.reasoning.language.guard import Limits
from ddax.reasoning.language.team import ROLES
from ddax.reasoning.language.usage import PriceLike
from ddax.reasoning.protocol import Reasoner

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from ddax.reasoning.embedded.reasoner import Patcher

EMBEDDED = "embedded"
_BREAKS = "\r\n"
_TAKES_LIMITS = frozenset({"openai", "azure_openai", "anthropic", "mistralai", "groq", "deepseek"})
"""Providers whose classes take `max_tokens` and `timeout` by these names."""
_NO_RETRY_SETTING = frozenset({"ollama", "huggingface"})


def open_reasoner(
    name: str, *, embedder: Embedder, prices: Mapping[str, PriceLike], clock: Callable[[], float],
    limits: Limits | None = None, rng: np.random.Generator | None = None, patcher: Patcher | None = None,
    arguments: Mapping[str, type[BaseModel]] | None = None, providers: Mapping[str, Provider] | None = None,
    environment: Mapping[str, str] | None = None, wall: Callable[[], float] = time.time,
    models: Models | None = None, cache: Path | None = None, sees: bool | None = None,
    prompts: str = "",
) -> Reasoner:  # fmt: skip
    """Return the reasoner called `name`, with the models its roles name.

    `clock` is monotonic, in seconds; `rng` jitters the waits between attempts (default: seed 0);
    `prompts` is a folder with templates of the user's; `cache` is the file paid replies are kept in; `sees`
    says whether the models take pictures, None goes by what is known of each. Raises `UsageError` for a
    name that is no model, `ReasonerError` where the provider's package or key is missing.
    """
    _check_roles(models or Models())
    if name == EMBEDDED:
        from ddax.reasoning.embedded.reasoner import EmbeddedReasoner

        return EmbeddedReasoner(embedder, patcher=patcher)
    from ddax.reasoning.language.assemble import Opening, assemble
    from ddax.reasoning.prompts import open_book

    opening = Opening(
        name=name, models=models or Models(), limits=limits or Limits(), prices=prices,
        providers=load_providers() if providers is None else providers,
        environment=os.environ if environment is None else environment,
        clock=clock, wall=wall, rng=np.random.default_rng(0) if rng is None else rng, cache=cache,
        sees=sees, book=open_book(prompts),
    )  # fmt: skip
    return assemble(opening, open_model=open_model, arguments=arguments)


def open_model(
    name: str,
    *,
    limits: Limits,
    providers: Mapping[str, Provider],
    environment: Mapping[str, str] | None = None,
) -> BaseChatModel:
    """Return the chat model `provider:model` with its own retries turned off; no call is made."""
    if not _is_model(name):
        raise UsageError(
            f"{name!r} names no model.",
            why="A model is named with its provider.",
            mend="Write 'embedded' or 'provider:model', as in 'openai:gpt-4.1-mini'.",
        )
    provider, _, model = name.partition(":")
    variables = os.environ if environment is None else environment
    _check_key(name, providers, variables)
    _check_address(name, providers, variables)
    from langchain.chat_models import init_chat_model

    settings: dict[str, Any] = {} if provider in _NO_RETRY_SETTING else {"max_retries": 0}
    if provider in _TAKES_LIMITS:
        settings |= {"timeout": limits.attempt_seconds, "max_tokens": limits.output_tokens}
    try:
        opened: BaseChatModel = init_chat_model(model, model_provider=provider, **settings)
    except ImportError as error:
        raise ReasonerError(
            f"the package for {provider!r} is not installed.",
            why="Each provider has a package of its own.",
            mend=_install(provider, providers),
        ) from error
    # A provider's class refuses what it is given with an exception of its own kind.
    except Exception as error:
        raise _refused(name, providers, error) from error
    return opened


def _check_roles(models: Models) -> None:
    """Refuse a role or a fallback that names no model, also where none is asked; raises UsageError."""
    roles = [(role, getattr(models, role)) for role in (*ROLES, "lean")]
    given = [(role, said) for role, said in roles if said]
    for name, said in (*given, *(("fallbacks", said) for said in models.fallbacks)):
        if not _is_model(said):
            raise UsageError(
                f"models.{name} has {said!r}, which names no model.",
                why="A model is named with its provider.",
                mend="Write 'provider:model', as in 'openai:gpt-4.1-mini', or take it out.",
            )


def _is_model(name: str) -> bool:
    provider, _, model = name.partition(":")
    return bool(provider and model)


def key_of(name: str, providers: Mapping[str, Provider]) -> str:
    """Return the environment variable a model's key is read from; "" where it needs none."""
    found = providers.get(name.partition(":")[0])
    return found.key if found else ""


def _check_key(name: str, providers: Mapping[str, Provider], environment: Mapping[str, str]) -> None:
    key = key_of(name, providers)
    value = environment.get(key, "")
    if key and not value.strip():
        raise ReasonerError(
            f"{name} needs a key.",
            why=f"The environment variable {key} is not set.",
            mend=f"Set {key}, or run with --model embedded. A local server takes any non-empty key.",
        )
    odd = next((sign for sign in value if not (sign.isascii() and sign.isprintable())), "") if key else ""
    if odd:
        raise ReasonerError(
            f"{name} cannot be sent its key.",
            why=f"The environment variable {key} holds {'a line break' if odd in _BREAKS else repr(odd)}.",
            mend=f"Set {key} to the key alone: letters, digits and signs of ASCII, in one line.",
        )


def _check_address(name: str, providers: Mapping[str, Provider], environment: Mapping[str, str]) -> None:
    """Refuse an address of a server that is none; which variables hold one goes by that of the key."""
    owner = key_of(name, providers).removesuffix("_API_KEY")
    for variable in (f"{owner}_BASE_URL", f"{owner}_API_BASE"):
        address = environment.get(variable, "").strip() if owner else ""
        if address and not _is_address(address):
            raise ReasonerError(
                f"{name} has no server to go to.",
                why=f"The environment variable {variable} is {address!r}, which is no address of the web.",
                mend=f"Write it whole, as in {variable}=http://localhost:8000/v1, or unset it.",
            )


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, or a bracket that does not close
        return False


def _install(provider: str, providers: Mapping[str, Provider]) -> str:
    known = providers.get(provider)
    if known and known.extra:
        return f"Install it: pip install 'ddax[{known.extra}]'."
    package = known.package if known else f"langchain-{provider.replace('_', '-')}"
    return f"Install it: pip install {package}."


def _refused(name: str, providers: Mapping[str, Provider], error: Exception) -> Exception:
    said = str(error).split("\n")[0][:300]
    if isinstance(error, ValueError) and "provider" in said.lower():
        return UsageError(
            f"there is no provider {name.partition(':')[0]!r}.",
            why="Nobody of this name is known here.",
            mend=f"Known are {', '.join(sorted(providers))}.",
        )
    return ReasonerError(f"{name} cannot be opened.", why=said, mend="Check the provider's key and settings.")
