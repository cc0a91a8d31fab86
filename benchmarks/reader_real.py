"""Questions over real collections with what the graph reads for them: what the scorer will meet."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.answers import FOLDER, answer_of
from benchmarks.answers_scoring import QUESTIONS, Case, Told, lay, load, right
from benchmarks.reader_material import Asked
from ddax.reasoning.embedded import EmbeddedReasoner

if TYPE_CHECKING:
    from ddax.memory.protocol import Embedder
    from ddax.reasoning.embedded.candidates import Candidate
    from ddax.reasoning.protocol import MergeRequest, Synthesis

__all__ = ["FOLDER", "PARTS", "QUESTIONS", "collections", "real"]
PARTS = ("trained", "looked_at")


class Recorder(EmbeddedReasoner):
    """A reasoner that keeps what it was last asked to answer from."""

    asked: MergeRequest | None = None

    async def merge(self, request: MergeRequest) -> Synthesis:
        self.asked = request if request.final else self.asked
        return await super().merge(request)


def collections() -> list[tuple[str, str]]:
    """Return every part with each of its collections."""
    return [(p, name) for p in PARTS for name in dict.fromkeys(c.collection for c in load(FOLDER / p))]


def real(part: str, collection: str, embedder: Embedder) -> list[Asked]:
    """Return the questions over a real collection, each as it is asked behind the turn before."""
    with tempfile.TemporaryDirectory(prefix="ddax-train-") as place:
        cases = [case for case in load(FOLDER / part) if case.collection == collection]
        return asyncio.run(_read(FOLDER / part / collection, cases, Path(place), embedder))


async def _read(folder: Path, cases: Sequence[Case], place: Path, embedder: Embedder) -> list[Asked]:
    from ddax.actions.sources import open_library

    found = list[Asked]()
    documents = lay(folder, place / "sources")
    library = await open_library([str(documents)], embedder=embedder, cache_dir=place / "cache")
    for case in cases:
        reasoner = Recorder(embedder)
        thread = f"{folder.name}-{len(found)}"
        await answer_of(case, thread, library, embedder, place / "home", 0, reasoner)
        if reasoner.asked is not None:
            task, read = reasoner.asked.task, reasoner.asked.evidence
            found.append(Asked("real", folder.name, task, read, case.answerable, says(case)))
    return found


def says(case: Case) -> Callable[[Candidate], int]:
    """Return what tells whether a claim of a candidate is right."""
    from ddax.reasoning.embedded.answer import claim_of
    from ddax.text.question import analyse

    question = analyse(case.question)

    def judge(candidate: Candidate) -> int:
        text, _, short = claim_of(question, [replace(candidate, lead=None)])  # it is judged by itself
        return int(right(case, Told(True, short, text, ())))

    return judge
