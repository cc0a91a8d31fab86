"""Watch event loops for blocking calls, by the rules of `langgraph dev`, and more strictly in our own code.

The server's own set-up decides what is raised on any loop: it is called, not copied. What the server lets
pass because others do it often (looking at a file, reading, writing, deleting) is not let pass below a
function of ours.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest

T = TypeVar("T")
LET_PASS = frozenset({"threading.Lock.acquire"})
"""What our code may do as well: a lock is held for moments, and a queue cannot be filled without one."""
IMPORTING = ("<frozen importlib._bootstrap>", {"_find_and_load"})
LOGGING = ("logging/__init__.py", {"emit", "flush"})
"""Where the server lets pass that something is written."""


@contextmanager
def watching() -> Iterator[list[str]]:
    """Raise where a loop is blocked under the block; yields what was raised, also what somebody caught."""
    queue = pytest.importorskip("langgraph_runtime_inmem.queue", reason="needs the extra studio")
    from blockbuster import BlockBuster, BlockingError

    seen: list[str] = []
    first = BlockingError.__init__
    served = queue._enable_blockbuster()
    told = BlockingError.__init__  # the server gives it more words

    def noted(self: BlockingError, func: str, *more: object) -> None:
        told(self, func, *more)
        seen.append(f"{func}\n{''.join(traceback.format_stack(limit=14)[:-2])}")

    BlockingError.__init__ = noted  # type: ignore[method-assign,assignment]  # what is caught is seen as well
    ours = BlockBuster("ddax")
    ours.functions = {k: f for k, f in ours.functions.items() if k not in {*served.functions, *LET_PASS}}
    for function in ours.functions.values():
        for place in (IMPORTING, LOGGING):
            function.can_block_in(*place)
    ours.activate()
    try:
        yield seen
    finally:
        ours.deactivate()
        served.deactivate()
        BlockingError.__init__ = first  # type: ignore[method-assign]


def run_watched(road: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine on a loop that must not be blocked, and return what it brings."""
    with watching() as seen:
        try:
            return asyncio.run(road())
        finally:
            assert not seen, f"{len(seen)} blocking calls, the first one: {seen[0]}"
