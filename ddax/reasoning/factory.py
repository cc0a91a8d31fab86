"""Open a reasoner by name: `embedded`, or any chat model as `provider:model`."""

from __future__ import annotations

import difflib
import importlib.util
import os
import re
import time
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np
from pydantic import BaseModel

from ddax.configs.models import ModelRecord, Models, name_of, over, record_of
from ddax.configs.prices import Provider, load_providers
from ddax.errors import ReasonerError, UsageError, of_setting
from ddax.memory.protocol import Embedder
from ddax.reasoning.free import Patcher
from ddax.reasoning.given import OBJECT, lost
from ddax.reasoning.language.assemble import key_of
from ddax.reasoning.language.provider.retrying import Limits
from ddax.reasoning.language.team import ROLES
from ddax.reasoning.language.usage import PriceLike
from ddax.reasoning.protocol import Reasoner
from ddax.registered import load

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


EMBEDDED, LOCAL = "embedded", "local"
_KEY_NAME = re.compile(r"^[A-Za-z_]\w*(?:KEY|TOKEN)$", re.IGNORECASE)
NO_KEY = "none"
"""The key that a server of one's own is told where it needs none: its clients send one in any case."""
_BREAKS = "\r\n"
_OPENAI_BODY = frozenset({"openai", "azure_openai", "deepseek"})
"""Providers whose classes take more for the body of a call."""
_TAKES_LIMITS = frozenset(
    {"openai", "azure_openai", "anthropic", "mistralai", "groq", "deepseek", "google_genai"}
)
"""Providers whose classes take `max_tokens` and `timeout` by these names."""
_NO_RETRY_SETTING = frozenset({"ollama", "huggingface"})


@dataclass(frozen=True, kw_only=True)
class Extras:
    """What else a reasoner may be opened with.

    `rng` jitters the waits between attempts (default: seed 0); `cache` is the file paid replies are kept in;
    `sees` says whether the models take pictures, None goes by what is known of each; `objects` are chat
    models given ready-made; `prompts` is a folder with templates of the user's; `environment` is that of
    the process where none is given.
    """

    rng: np.random.Generator | None = None
    patcher: Patcher | None = None
    arguments: Mapping[str, type[BaseModel]] | None = None
    environment: Mapping[str, str] | None = None
    wall: Callable[[], float] = time.time
    cache: Path | None = None
    sees: bool | None = None
    objects: Mapping[str, BaseChatModel] = field(default_factory=dict)
    prompts: str = ""


NO_EXTRAS = Extras()


def open_reasoner(
    model: str | ModelRecord, *, embedder: Embedder, prices: Mapping[str, PriceLike],
    clock: Callable[[], float], limits: Limits | None = None, models: Models | None = None,
    providers: Mapping[str, Provider] | None = None, extras: Extras = NO_EXTRAS,
) -> Reasoner:  # fmt: skip
    """Return the reasoner of a model, with the models its roles name; `clock` is monotonic, in seconds.

    Raises `UsageError` for a name that is no model, `ReasonerError` where the provider's package or key is
    missing.
    """
    settings, record = models or Models(), record_of(model)
    _check_roles(settings)
    if record.name == EMBEDDED:
        free: Reasoner = load("embedded")(embedder, patcher=extras.patcher)
        return free
    from ddax.reasoning.language.assemble import Opening, assemble
    from ddax.reasoning.prompts import open_book

    opening = Opening(
        model=record, models=settings, limits=limits or limits_of(settings), prices=prices,
        providers=load_providers() if providers is None else providers,
        environment=os.environ if extras.environment is None else extras.environment,
        clock=clock, wall=extras.wall, rng=np.random.default_rng(0) if extras.rng is None else extras.rng,
        cache=extras.cache, sees=extras.sees, objects=extras.objects, book=open_book(extras.prompts),
    )  # fmt: skip
    return assemble(opening, open_model=open_model, arguments=extras.arguments)


def limits_of(models: Models) -> Limits:
    """Return the limits of a call that the settings name."""
    return Limits(
        idle_seconds=models.idle_seconds, attempt_seconds=models.total_seconds,
        output_tokens=models.output_tokens,
    )  # fmt: skip


def open_model(
    model: str | ModelRecord,
    *,
    limits: Limits,
    providers: Mapping[str, Provider],
    environment: Mapping[str, str] | None = None,
) -> BaseChatModel:
    """Return the chat model of a record with its own retries turned off; no call is made."""
    record, variables = record_of(model), os.environ if environment is None else environment
    name = record.name
    check_model(record, providers=providers, environment=variables)
    from langchain.chat_models import init_chat_model

    provider, _, asked = name.partition(":")
    settings = _settings(record, limits, providers, variables)
    try:
        opened: BaseChatModel = init_chat_model(asked, model_provider=provider, **settings)
    except ImportError as error:
        raise _missing(provider, providers) from error
    # A provider's class refuses what it is given with an exception of its own kind.
    except Exception as error:
        raise _refused(name, providers, error) from error
    return opened


def _settings(
    record: ModelRecord, limits: Limits, providers: Mapping[str, Provider], environment: Mapping[str, str]
) -> dict[str, Any]:
    """Return what the class of a provider is opened with."""
    provider = record.name.partition(":")[0]
    settings: dict[str, Any] = {} if provider in _NO_RETRY_SETTING else {"max_retries": 0}
    if provider in _TAKES_LIMITS:
        settings |= {"timeout": limits.attempt_seconds, "max_tokens": limits.output_tokens}
    if provider == "ollama":
        settings |= {"num_predict": limits.output_tokens}
        settings |= {"num_ctx": record.context_tokens} if record.context_tokens else {}
    if record.base_url:
        settings["base_url"] = record.base_url
    # The provider's own key goes to no other address unless the record names its variable.
    if record.key_variable or (record.base_url and key_of(record.name, providers)):
        settings["api_key"] = environment.get(record.key_variable, "").strip() or NO_KEY
    if record.extra:
        settings |= {"extra_body": record.extra} if provider in _OPENAI_BODY else record.extra
    return settings


def check_model(
    model: str | ModelRecord, *, providers: Mapping[str, Provider], environment: Mapping[str, str],
    objects: Container[str] = (),
) -> None:  # fmt: skip
    """Refuse a model that cannot be asked: its name, key, address or package; no call is made."""
    record = record_of(model)
    name, provider = record.name, record.name.partition(":")[0]
    if name == EMBEDDED or name in objects:
        return
    if not _is_model(name):
        raise UsageError(
            f"{name!r} names no model.",
            why=f"A model is named with its provider.{_nearest(name, (EMBEDDED, LOCAL))}",
            mend="Write 'embedded', 'local' or 'provider:model', as in 'openai:gpt-4.1-mini'.",
        )
    if provider == OBJECT:
        raise lost(name)
    _check_key(record, providers, environment)
    _check_address(record, providers, environment)
    _check_package(provider, providers)


def check_models(
    model: str | ModelRecord, models: Models, *, providers: Mapping[str, Provider],
    environment: Mapping[str, str], objects: Container[str] = (),
) -> None:  # fmt: skip
    """Refuse settings of which a model cannot be asked, before anything is opened."""
    if record_of(model).name == EMBEDDED:
        return
    _check_roles(models)
    places = [("model", model), *((f"models.{role}", getattr(models, role)) for role in (*ROLES, "lean"))]
    places += [("models.fallbacks", one) for one in models.fallbacks]
    for place, one in places:
        if one:
            with of_setting(place):
                check_model(over(one, model), providers=providers, environment=environment, objects=objects)


def _check_package(provider: str, providers: Mapping[str, Provider]) -> None:
    known = providers.get(provider)
    package = known.package if known else f"langchain-{provider.replace('_', '-')}"
    if importlib.util.find_spec(package.replace("-", "_")) is not None:
        return
    if known or provider in _langchain_providers():
        raise _missing(provider, providers)
    raise _unknown_provider(provider, providers)


def _langchain_providers() -> Container[str]:
    """Return the providers that LangChain knows, also where their package is not installed."""
    from langchain.chat_models import base

    known: Container[str] = getattr(base, "_BUILTIN_PROVIDERS", ())
    return known


def _missing(provider: str, providers: Mapping[str, Provider]) -> ReasonerError:
    return ReasonerError(
        f"the package for {provider!r} is not installed.",
        why="Each provider has a package of its own.",
        mend=_install(provider, providers),
    )


def _check_roles(models: Models) -> None:
    """Refuse a role or a fallback that names no model, also where none is asked; raises UsageError."""
    roles = [(role, name_of(getattr(models, role))) for role in (*ROLES, "lean")]
    given = [(role, said) for role, said in roles if said]
    for name, said in (*given, *(("fallbacks", name_of(said)) for said in models.fallbacks)):
        if not _is_model(said):
            raise UsageError(
                f"models.{name} has {said!r}, which names no model.",
                why=f"A model is named with its provider.{_nearest(said, (LOCAL,))}",
                mend="Write 'provider:model', as in 'openai:gpt-4.1-mini', or take it out.",
            )


def _is_model(name: str) -> bool:
    provider, _, model = name.partition(":")
    return bool(provider and model) or name == LOCAL


def _check_key(
    record: ModelRecord, providers: Mapping[str, Provider], environment: Mapping[str, str]
) -> None:
    name = record.name
    if record.key_variable and not _KEY_NAME.search(record.key_variable):
        raise UsageError(
            f"{name} has no variable of a key.",
            why=f"key_variable is {record.key_variable!r}; what is no key must not be sent to a server.",
            mend="Name the environment variable, which ends in KEY or TOKEN: key_variable: HOUSE_API_KEY",
        )
    key = record.key_variable or ("" if record.base_url else key_of(name, providers))
    value = environment.get(key, "")
    if key and not value.strip():
        raise ReasonerError(
            f"{name} needs a key.",
            why=f"The environment variable {key} is not set.",
            mend=f"Set {key}, or run with --model embedded. A server of your own needs none:"
            " write its address as base_url into the record of the model.",
        )
    odd = next((sign for sign in value if not (sign.isascii() and sign.isprintable())), "") if key else ""
    if odd:
        raise ReasonerError(
            f"{name} cannot be sent its key.",
            why=f"The environment variable {key} holds {'a line break' if odd in _BREAKS else repr(odd)}.",
            mend=f"Set {key} to the key alone: letters, digits and signs of ASCII, in one line.",
        )


def _check_address(
    record: ModelRecord, providers: Mapping[str, Provider], environment: Mapping[str, str]
) -> None:
    """Refuse an address of a server that is none; which variables hold one goes by that of the key."""
    name = record.name
    if record.base_url and not _is_address(record.base_url):
        raise UsageError(
            f"{name} has no server to go to.",
            why=f"Its base_url is {record.base_url!r}, which is no address of the web.",
            mend="Write it whole, as in base_url: http://localhost:8000/v1",
        )
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
        return _unknown_provider(name.partition(":")[0], providers)
    return ReasonerError(f"{name} cannot be opened.", why=said, mend="Check the provider's key and settings.")


def _unknown_provider(provider: str, providers: Mapping[str, Provider]) -> UsageError:
    return UsageError(
        f"there is no provider {provider!r}.",
        why=f"Nobody of this name is known here.{_nearest(provider, providers)}",
        mend=f"Known are {', '.join(sorted(providers))}.",
    )


def _nearest(name: str, known: Iterable[str]) -> str:
    """Return a sentence with the known name that one was likely meant to be; "" where none is like it."""
    likely = difflib.get_close_matches(name.lower(), list(known), 1)
    return f" The nearest name is {likely[0]!r}." if likely else ""
