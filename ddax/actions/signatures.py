"""Make of a plain typed function what an action is: a coroutine of a context and a model of arguments."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Set
from concurrent.futures import Future
from contextvars import copy_context
from dataclasses import is_dataclass
from functools import partial
from hashlib import sha256
from inspect import (
    Parameter,
    isasyncgen,
    isasyncgenfunction,
    isawaitable,
    iscoroutinefunction,
    isgenerator,
    isgeneratorfunction,
    signature,
)
from threading import Thread
from typing import Any, get_type_hints
from warnings import catch_warnings, filterwarnings

from pydantic import BaseModel, ConfigDict, PydanticSchemaGenerationError, create_model
from pydantic_core import to_json

from ddax.actions.pages import cut_page
from ddax.actions.protocol import ActionContext, ActionResult
from ddax.errors import ActionError, UsageError
from ddax.types import Document

SUMMARY = 600
"""Characters of a plain result that are its summary."""
Run = Callable[..., Awaitable[ActionResult]]
TYPED = (
    "Write a function with typed parameters: def name(context: ActionContext, where: str, times: int = 1)."
)
NAMED = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)


def adapted(function: Callable[..., Any]) -> tuple[Run, type[BaseModel]]:
    """Return the coroutine and the argument model of a function.

    It may take an `ActionContext` first, then either one pydantic model or plain typed parameters; it
    returns an `ActionResult` or a text. A function that is not async runs in a thread of its own. Raises
    UsageError for what cannot be an action.
    """
    if isgeneratorfunction(function) or isasyncgenfunction(function):
        raise _refused(function, "It yields", mend="Let it return one text, or an ActionResult.")
    try:
        hints = get_type_hints(function, include_extras=True)
    except (NameError, TypeError) as error:
        raise _refused(function, f"{error}".rstrip(".")) from error
    parameters = list(signature(function).parameters.values())
    wants_context = bool(parameters) and hints.get(parameters[0].name) is ActionContext
    given = parameters[1:] if wants_context else parameters
    own = hints.get(given[0].name) if len(given) == 1 else None
    if isinstance(own, type) and issubclass(own, BaseModel):
        return _running(function, wants_context=wants_context, whole=True), own
    model = _model(function, given, hints)
    return _running(function, wants_context=wants_context, whole=False), model


def _model(
    function: Callable[..., Any], parameters: list[Parameter], hints: dict[str, Any]
) -> type[BaseModel]:
    for parameter in parameters:
        if wrong := _wrong(parameter, hints):
            raise _refused(function, wrong)
    fields: dict[str, Any] = {
        p.name: (hints[p.name], ... if p.default is Parameter.empty else p.default) for p in parameters
    }
    config = ConfigDict(extra="forbid", frozen=True)
    try:
        with catch_warnings():
            # A parameter is read by its name alone: what pydantic has under `schema` or `copy` is not missed.
            filterwarnings("ignore", message=".*shadows an attribute in parent")
            return create_model(f"{function.__name__}_arguments", __config__=config, **fields)
    except (PydanticSchemaGenerationError, ValueError) as error:
        raise _refused(function, str(error).splitlines()[0].rstrip(".")) from error


def _wrong(parameter: Parameter, hints: dict[str, Any]) -> str:
    """Return why a parameter cannot be an argument of an action; empty where it can."""
    name = parameter.name
    if hints.get(name) is ActionContext:
        return f"{name!r} is the context, which stands first"
    if name.startswith("_"):
        return f"{name!r} begins with an underscore"
    if name not in hints or parameter.kind not in NAMED:
        return f"{name!r} has no type, or is no plain parameter"
    return ""


def _running(function: Callable[..., Any], *, wants_context: bool, whole: bool) -> Run:
    async def run(context: ActionContext, arguments: BaseModel) -> ActionResult:
        first = (context,) if wants_context else ()
        rest = (arguments,) if whole else ()
        named = {} if whole else {name: getattr(arguments, name) for name in type(arguments).model_fields}
        if iscoroutinefunction(function):
            return await result_of(await function(*first, *rest, **named), function.__name__, context)
        found = await _beside(partial(function, *first, *rest, **named), function.__name__)
        if isawaitable(found):  # a decorator hides that the function is async
            found = await found
        return await result_of(found, function.__name__, context)

    run.__name__, run.__doc__ = function.__name__, function.__doc__
    return run


async def _beside(work: Callable[[], Any], name: str) -> Any:
    """Run a plain function on a thread of its own.

    One that outlives its time-out cannot be stopped. It takes no place from others, as it would in a pool,
    and the end of the process does not wait for it.
    """
    job: Future[Any] = Future()

    def run() -> None:
        if not job.set_running_or_notify_cancel():
            return
        try:
            job.set_result(work())
        except StopIteration as error:  # no future takes one, and whoever awaits it would wait for ever
            job.set_exception(RuntimeError(f"it raised {error!r}"))
        except BaseException as error:  # handed on to whoever awaits it
            job.set_exception(error)

    Thread(target=copy_context().run, args=(run,), name=f"ddax-action-{name}", daemon=True).start()
    return await asyncio.wrap_future(job)


async def result_of(found: Any, name: str, context: ActionContext) -> ActionResult:
    """Return what an action brought; a plain value becomes a page that can be quoted.

    Raises ActionError for a generator, which nobody would run, and for a value that no text tells of.
    """
    if isinstance(found, ActionResult):
        return found
    if isgenerator(found) or isasyncgen(found):
        raise ActionError(f"{name!r} returned a generator, and nothing of it was done.", kind="bad_result")
    try:
        text = text_of(found)
    except (TypeError, ValueError) as error:
        raise ActionError(f"{name!r} returned what cannot be read: {error}.", kind="bad_result") from error
    source = f"tool:{name}"
    page = Document(
        sha256(f"{source} {text}".encode("utf-8", "replace")).hexdigest()[:16], source, name, text
    )
    records = await cut_page(context, page)
    return ActionResult(
        context.redactor.cut(text, SUMMARY), records=records, pages=(page,), sources=(source,)
    )


def text_of(found: Any) -> str:
    """Write a value as text: a text as it is, what has parts as JSON, anything else in its own words.

    >>> text_of({"price": 4.5, "in stock": True})
    '{"price":4.5,"in stock":true}'

    Raises TypeError for an object that has no words of its own, ValueError for bytes that are no text.
    """
    if found is None:
        return "done"
    if isinstance(found, (bytes, bytearray)):
        return found.decode("utf-8")
    if isinstance(found, Set):
        found = sorted(found, key=str)  # its own order is another one in each process
    if isinstance(found, (BaseModel, Mapping, list, tuple)) or is_dataclass(found):
        return to_json(found, fallback=_own_words).decode("utf-8")
    return _own_words(found)


def _own_words(found: Any) -> str:
    if not any({"__str__", "__repr__"} & vars(kind).keys() for kind in type(found).__mro__[:-1]):
        raise TypeError(f"an object of type {type(found).__name__} without words of its own")
    return str(found)


def _refused(function: Callable[..., Any], why: str, *, mend: str = TYPED) -> UsageError:
    name = getattr(function, "__name__", type(function).__name__)
    return UsageError(f"function {name!r} cannot be an action.", why=f"{why}.", mend=mend)
