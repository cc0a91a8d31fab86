"""What every contract suite rests on: rules as async methods, which pytest sees as plain tests.

Needs neither pytest nor a plug-in of it: each rule runs in an event loop of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

RULE, TEST = "rule_", "test_"


class Broken(AssertionError):
    """Say which rule of a contract a part breaks, and how."""


def expect(holds: object, message: str) -> None:
    """Raise `Broken` with the message unless something holds."""
    if not holds:
        raise Broken(message)


class Contract:
    """A suite of rules: each method `rule_x` is also the test `test_x`."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name, rule in list(vars(cls).items()):
            if name.startswith(RULE):
                setattr(cls, TEST + name.removeprefix(RULE), _as_test(rule))

    async def close(self, part: Any) -> None:
        """Let go of a part that a rule has used; by default its own `close` is called."""
        release = getattr(part, "close", None)
        if release is not None:
            ended = release()
            if asyncio.iscoroutine(ended):
                await ended


def rules(suite: Contract) -> list[str]:
    """Return the names of the rules of a suite, sorted."""
    return sorted(name.removeprefix(RULE) for name in dir(suite) if name.startswith(RULE))


def check(suite: Contract) -> list[str]:
    """Run every rule of a suite and return their names; raises `Broken` at the first that is broken."""
    for name in rules(suite):
        getattr(suite, TEST + name)()
    return rules(suite)


def _as_test(rule: Callable[[Any], Awaitable[None]]) -> Callable[[Any], None]:
    def run(self: Any) -> None:
        async def once() -> None:
            await rule(self)

        asyncio.run(once())

    run.__name__ = TEST + rule.__name__.removeprefix(RULE)
    run.__doc__ = rule.__doc__
    return run
