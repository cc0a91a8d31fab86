"""What may be an action, and what becomes of what it returns or raises."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from ddax.actions.protocol import Action, ActionContext
from ddax.actions.registry import action
from ddax.actions.signatures import text_of
from ddax.errors import ActionError, UsageError
from ddax.types import ActionCall


@dataclass
class Sum:
    b: int
    a: int = 1


async def summary(kit: Any, found: Action, **args: Any) -> str:
    session = kit.session(actions=(found,))
    context = ActionContext(session.library, session.memory, "t", "task", "0.1", 1, 0.0, "key")
    async with asyncio.timeout(10):
        made = await session.actions.execute(ActionCall(name=found.name, args=args, intent=""), context)
    return str(made.summary)


def plain_wrapper(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap as decorators do that do not know of coroutines."""

    @functools.wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        return function(*given, **named)

    return called


async def test_a_plain_function_that_exhausts_an_iterator_fails_at_once(kit: Any) -> None:
    @action(effect="none")
    def first() -> str:
        """Return the first."""
        return str(next(iter([])))

    with pytest.raises(RuntimeError, match="StopIteration"):
        await summary(kit, first)


async def test_what_a_wrapped_coroutine_function_does_is_waited_for(kit: Any) -> None:
    done: list[str] = []

    @action(effect="none")
    @plain_wrapper
    async def post(title: str) -> str:
        """Post it."""
        done.append(title)
        return f"{title} is posted"

    assert await summary(kit, post, title="tides") == "tides is posted"
    assert done == ["tides"]


async def test_a_generator_is_no_result(kit: Any) -> None:
    def lines() -> Iterator[str]:
        """Give lines."""
        yield "one"

    async def later() -> AsyncIterator[str]:
        """Give lines later."""
        yield "one"

    for function in (lines, later):
        with pytest.raises(UsageError, match="yields"):
            action(effect="none")(function)
        with pytest.raises(ActionError, match="generator"):
            await summary(kit, action(effect="none")(plain_wrapper(function)))


def underscored(_where: str) -> str:
    return _where


def reserved(model_dump: str) -> str:
    return model_dump


def context_second(where: str, context: ActionContext) -> str:
    return where


class Called:
    def __call__(self, where: str) -> str:
        return where


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (functools.partial(reserved), "functools.partial"), (Called(), "Called"),
        (underscored, "'_where' begins with an underscore"), (reserved, "model_dump"),
        (context_second, "'context' is the context, which stands first"),
    ],
)  # fmt: skip
def test_what_cannot_be_an_action_is_told_with_what_is_wrong(function: Any, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        action(effect="none")(function)
    assert told in f"{caught.value.what} {caught.value.why}"


async def test_a_parameter_may_be_called_as_something_of_pydantic(kit: Any) -> None:
    @action(effect="none")
    def query(schema: str, copy: int = 1, json: str = "no") -> str:
        """Ask a data base."""
        return f"{schema} {copy} {json}"

    assert await summary(kit, query, schema="public") == "public 1 no"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is", "as it is"),
        (b"bytes", "bytes"),
        (2.5, "2.5"),
        ({"name": "Süd", "price": Decimal("1.50")}, '{"name":"Süd","price":"1.50"}'),
        ([date(2026, 1, 2), None], '["2026-01-02",null]'),
        ({"b", "a"}, '["a","b"]'),
        (Sum(b=2), '{"b":2,"a":1}'),
    ],
)
def test_a_value_is_told_as_text_or_as_json(value: object, text: str) -> None:
    assert text_of(value) == text


@pytest.mark.parametrize("value", [object(), [object()], {"a": object()}, b"\xff\xfe"])
async def test_what_no_text_tells_of_is_no_result(kit: Any, value: object) -> None:
    @action(effect="none")
    def look() -> object:
        """Look."""
        return value

    with pytest.raises(ActionError, match="'look' returned what cannot be read"):
        await summary(kit, look)
