"""Make of a plain typed function what an action is: a coroutine of a context and a model of arguments."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from hashlib import sha256
from inspect import Parameter, iscoroutinefunction, signature
from threading import Thread
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, PydanticSchemaGenerationError, create_model

from ddax.actions.pages import cut_page
from ddax.actions.protocol import ActionContext, ActionResult
from ddax.errors import UsageError
from ddax.types import Document

SUMMARY = 600
"""Characters of a plain result that are its summary."""
Run = Callable[..., Awaitable[ActionResult]]
NAMED = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)


def adapted(function: Callable[..., Any]) -> tuple[Run, type[BaseModel]]:
    """Return the coroutine and the argument model of a function.

    It may take an `ActionContext` first, then either one pydantic model or plain typed parameters; it
    returns an `ActionResult` or a text. A function that is not async runs in a thread of its own.
    """
    try:
        hints = get_type_hints(function, include_extras=True)
    except NameError as error:
        raise _refused(function, f"{error}") from error
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
        if parameter.name not in hints or parameter.kind not in NAMED:
            raise _refused(function, f"{parameter.name!r} has no type, or is no plain parameter")
    fields: dict[str, Any] = {
        p.name: (hints[p.name], ... if p.default is Parameter.empty else p.default) for p in parameters
    }
    config = ConfigDict(extra="forbid", frozen=True)
    try:
        return create_model(f"{function.__name__}_arguments", __config__=config, **fields)
    except PydanticSchemaGenerationError as error:
        raise _refused(function, str(error).splitlines()[0]) from error


def _running(function: Callable[..., Any], *, wants_context: bool, whole: bool) -> Run:
    async def run(context: ActionContext, arguments: BaseModel) -> ActionResult:
        first = (context,) if wants_context else ()
        rest = (arguments,) if whole else ()
        named = {} if whole else {name: getattr(arguments, name) for name in type(arguments).model_fields}
        if iscoroutinefunction(function):
            return await result_of(await function(*first, *rest, **named), function.__name__, context)
        found = await _beside(partial(function, *first, *rest, **named), function.__name__)
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
        except BaseException as error:  # handed on to whoever awaits it
            job.set_exception(error)

    Thread(target=copy_context().run, args=(run,), name=f"ddax-action-{name}", daemon=True).start()
    return await asyncio.wrap_future(job)


async def result_of(found: Any, name: str, context: ActionContext) -> ActionResult:
    """Return what an action brought; a plain value becomes a page that can be quoted."""
    if isinstance(found, ActionResult):
        return found
    text, source = "done" if found is None else str(found), f"tool:{name}"
    page = Document(
        sha256(f"{source} {text}".encode("utf-8", "replace")).hexdigest()[:16], source, name, text
    )
    records = await cut_page(context, page)
    return ActionResult(
        context.redactor.cut(text, SUMMARY), records=records, pages=(page,), sources=(source,)
    )


def _refused(function: Callable[..., Any], why: str) -> UsageError:
    return UsageError(
        f"function {function.__name__!r} cannot be an action.",
        why=f"{why}.",
        mend="Give every parameter a type: def name(context: ActionContext, where: str, times: int = 1).",
    )
