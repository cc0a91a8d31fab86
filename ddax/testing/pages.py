"""A small, quick agent over a few pages in memory: for tests of nodes, actions and reasoners.

Nothing outside of the given folder is read or written, and no model or network is needed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ddax.errors import ActionError
from ddax.types import Document, Hit

if TYPE_CHECKING:
    from ddax.actions.protocol import Action
    from ddax.graph.runner import Agent
    from ddax.reasoning.protocol import Reasoner

QUESTION = "In which city was the architect of the Corvane Tower born?"
PAGES: Mapping[str, str] = {
    "Corvane Tower": "The Corvane Tower is a lookout tower in Belmark. Ilse Maran designed it in 1931.",
    "Ilse Maran": "Ilse Maran was an architect. She was born in the city of Trondby and died in 1970.",
    "Trondby": "Trondby is a port city in the north. Its harbour was built in 1712.",
    "Belmark": "Belmark is a hill town known for its cheese market.",
}


class PageLibrary:
    """The sources of a test: a few pages in memory, found by shared words.

    `reads` has every source that was asked for, in order.
    """

    outside = False

    def __init__(self, pages: Mapping[str, str] = PAGES) -> None:
        self.specs: tuple[str, ...] = ("memory",)
        self.pages = dict(pages)
        self.reads: list[str] = []

    async def search(self, query: str, *, intent: str = "", k: int = 10, mode: str = "hybrid") -> list[Hit]:
        words = set(query.casefold().split())
        found = [(len(words & set(text.casefold().split())), title) for title, text in self.pages.items()]
        best = sorted((pair for pair in found if pair[0]), key=lambda pair: (-pair[0], pair[1]))[:k]
        return [Hit(title, title, title, self.pages[title], n / (1 + len(words))) for n, title in best]

    async def read(self, source: str) -> Document:
        self.reads.append(source)
        if source not in self.pages:
            raise ActionError(f"there is no page {source!r}.", kind="not_found")
        return Document(source, source, source, self.pages[source])

    async def mentioned(self, text: str, *, limit: int = 10) -> list[Hit]:
        return [Hit(t, t, t, self.pages[t], 0.5) for t in self.pages if t in text][:limit]

    def holds(self, source: str, text: str) -> bool | None:
        return text in self.pages[source] if source in self.pages else None

    async def warm(self, limit: int | None = None) -> int:
        return 0

    def describe(self) -> str:
        return "pages in memory"


def small_agent(
    home: Path, *, build: Callable[..., Any] | None = None, reasoner: Reasoner | None = None,
    actions: tuple[Action, ...] = (), memory: Any = None, pages: Mapping[str, str] = PAGES,
    clock: Callable[[], float] = time.time, **settings: Any,
) -> Agent:  # fmt: skip
    """Return an agent over pages in memory, with hashed vectors and the controller's numpy twin.

    `build` makes the graph, `memory` is kept by whoever gives it (default: one that forgets at the end),
    `settings` are those of `Context`.
    """
    from ddax.configs.settings import Context
    from ddax.graph.builder import build_graph
    from ddax.graph.runner import open_agent
    from ddax.graph.services import Parts
    from ddax.memory.embeddings import HashEmbedder
    from ddax.memory.fake import DictMemory

    context = Context(**{"seed": 7, "mood": {"engine": "numpy"}, **settings})
    embedder = HashEmbedder()
    parts = Parts(
        reasoner=reasoner, library=PageLibrary(pages), embedder=embedder, actions=actions,
        memory=memory or DictMemory("testing", embedder, clock, context.recall),
    )  # fmt: skip
    return open_agent(context, home=home, parts=parts, build=build or build_graph, clock=clock)
