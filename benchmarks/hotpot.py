"""Two-hop questions over one pooled source, asked of the real graph.

Every paragraph of every question is one Markdown file of one folder; each question is a run of its
own, in its own memory namespace. The refusal test runs the same questions with the supporting
paragraphs hidden. Nothing is fitted here, but `train_reader` fits the scorer to these questions among others,
with what a search by words reads for them.
"""

from __future__ import annotations

import asyncio
import json
import re
import resource
import string
import sys
import tempfile
import time
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.citations import Checked, check
from benchmarks.core import Figure, Options, Result, Target, bootstrap, paired_bootstrap

if TYPE_CHECKING:
    from ddax.actions.sources import SourceLibrary
    from ddax.memory.protocol import Embedder
    from ddax.types import Document, Hit

NAME = "hotpot"
DESCRIPTION = "two-hop questions over 500 pooled paragraphs: documents found, answers, refusals, time"
FILE = "hotpot_dev.jsonl"
MODES = ("lexical", "dense", "hybrid")
_MARKS = re.compile(r"^[->] | \[\d\]$", re.MULTILINE)
"""What marks quotes, items of a list and the numbers of passages."""
ABLATED = 25
"""Questions of the ablation in the short form; it runs the real graph, like everything here."""


@dataclass(frozen=True)
class Case:
    """A question with its answer and the titles that carry it."""

    question: str
    answer: str
    titles: frozenset[str]


@dataclass(frozen=True)
class Run:
    """What the graph did: titles read or cited in order, the reply, its cost."""

    titles: tuple[str, ...]
    reads: int
    text: str
    short: str
    found: bool
    verbatim: bool
    steps: int
    seconds: float
    support: float
    sentences: Checked


def load(path: Path) -> tuple[list[Case], dict[str, str]]:
    """Read the questions and the pool of paragraphs by title."""
    cases, pool = [], dict[str, str]()
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        cases.append(Case(row["question"], row["answer"], frozenset(s[0] for s in row["supporting"])))
        for paragraph in row["paragraphs"]:
            pool.setdefault(paragraph["title"], "".join(paragraph["sentences"]))
    return cases, pool


class View:
    """A library in one search mode with some documents hidden."""

    outside = False

    def __init__(self, library: SourceLibrary, *, mode: str = "hybrid", hidden: frozenset[str]) -> None:
        self.specs, self._library, self._mode, self._hidden = library.specs, library, mode, hidden

    async def search(self, query: str, *, intent: str = "", k: int = 10, mode: str = "") -> list[Hit]:
        """Search in the mode of this view."""
        found = await self._library.search(
            query, intent=intent, k=k + len(self._hidden), mode=mode or self._mode
        )
        return [hit for hit in found if hit.title not in self._hidden][:k]

    async def read(self, source: str) -> Document:
        """Return a document that is not hidden."""
        from ddax.errors import ActionError

        document = await self._library.read(source)
        if document.title in self._hidden:
            raise ActionError(f"There is no document {source!r}.", kind="not_found")
        return document

    async def mentioned(self, text: str, *, limit: int = 10) -> list[Hit]:
        """Find mentioned documents that are not hidden."""
        found = await self._library.mentioned(text, limit=limit + len(self._hidden))
        return [hit for hit in found if hit.title not in self._hidden][:limit]

    def holds(self, source: str, text: str) -> bool | None:
        """Tell whether a source says a text."""
        return self._library.holds(source, text)

    async def warm(self, limit: int | None = None) -> int:
        """Make vectors ahead, as the whole library does."""
        return await self._library.warm(limit)

    def describe(self) -> str:
        """Say what the sources are."""
        return self._library.describe()


class Bench:
    """The pooled library and the parts that all runs share."""

    def __init__(self, place: Path, library: SourceLibrary, embedder: Embedder, seed: int) -> None:
        self.place, self.library, self.embedder, self.seed = place, library, embedder, seed
        self.runs = 0

    async def ask(self, case: Case, *, hide: bool = False, mode: str = "hybrid", follow: bool = True) -> Run:
        """Run the graph on one question, in a namespace of its own."""
        from ddax import Context, open_agent
        from ddax.configs.settings import Mood
        from ddax.graph.services import Parts
        from ddax.reasoning.embedded import EmbeddedReasoner, Policy

        self.runs += 1
        view = View(self.library, mode=mode, hidden=case.titles if hide else frozenset())
        context = Context(
            sources=self.library.specs, namespace=f"hotpot-{self.runs}", seed=self.seed,
            mood=Mood(engine="numpy"),
        )  # fmt: skip
        reasoner = EmbeddedReasoner(self.embedder, policy=Policy(follow=follow))
        parts = Parts(embedder=self.embedder, library=view, reasoner=reasoner)
        async with open_agent(context, home=self.place / "home", parts=parts) as agent:
            thread, start = f"question-{self.runs}", time.perf_counter()
            result = await agent.run(case.question, thread=thread)
            seconds = time.perf_counter() - start
            return await self._observed(await agent.state(thread), dict(result), seconds)

    async def _observed(self, state: dict[str, Any], result: dict[str, Any], seconds: float) -> Run:
        """Read off the state which documents were read, and check every citation."""
        visits = [
            idea["action"]["args"]["source"]
            for idea in sorted(state["ideas"].values(), key=lambda idea: (idea["step"], _order(idea["id"])))
            if idea["kind"] == "leaf" and idea["action"]["name"] == "visit" and idea["status"] == "done"
        ]
        pages = {s: await self.library.read(s) for s in visits}
        verbatim = all(
            c["source"] in pages and c["quote"] in pages[c["source"]].text for c in result["citations"]
        )
        return Run(
            tuple(pages[s].title for s in dict.fromkeys(visits)), len(visits), result["answer"],
            result["short"], bool(state["answer"]["found"]), verbatim, result["steps"], seconds,
            float(state["answer"]["support"]),
            check(
                result["answer"], result["citations"], {s: page.text for s, page in pages.items()},
                result["spans"],
            ),
        )  # fmt: skip


def _order(idea_id: str) -> tuple[int, ...]:
    return tuple(int("".join(c for c in part if c.isdigit()) or 0) for part in idea_id.split("."))


def normal(text: str) -> str:
    """Fold case, accents, punctuation and articles away, as answers are compared."""
    plain = unicodedata.normalize("NFKD", text.lower())
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    plain = "".join(" " if c in string.punctuation + "–—’“”" else c for c in plain)
    return " ".join(word for word in plain.split() if word not in ("a", "an", "the"))


def holds(answer: str, text: str) -> bool:
    """Tell whether the gold answer stands in a text of at most 60 words."""
    return len(text.split()) <= 60 and f" {normal(answer)} " in f" {normal(text)} "


def shown(run: Run) -> str:
    """Return what is seen first: the claim, or the first 60 words behind the line that says there is none."""
    if run.found:
        return run.text
    return " ".join(_MARKS.sub("", run.text.partition("\n")[2]).split()[:60])


def baseline(pool: dict[str, str], cases: Sequence[Case]) -> list[bool]:
    """Answer by the best sentence of BM25's best document."""
    from ddax.actions.sources.bm25 import Bm25, weighted_counts
    from ddax.actions.sources.tokens import query_tokens, tokens
    from ddax.text.chunks import sentences

    texts = list(pool.items())
    index = Bm25.build(weighted_counts(tokens(text), tokens(title), title_weight=2) for title, text in texts)
    right = []
    for case in cases:
        query = dict.fromkeys(query_tokens(case.question), 1.0)
        text = texts[int(np.argmax(index.scores(query)))][1]
        lines = [text[span.start : span.end] for span in sentences(text)]
        best = max(lines, key=lambda line: sum(index.idf(t) for t in set(tokens(line)) & query.keys()))
        right.append(holds(case.answer, best))
    return right


def run(options: Options) -> Result:
    """Ask every question with and without its supporting paragraphs; then the ablation."""
    path = options.file(FILE)
    with tempfile.TemporaryDirectory(prefix="ddax-hotpot-") as place:
        return asyncio.run(_run(path, Path(place), options))


async def bench_of(pool: dict[str, str], place: Path, seed: int) -> Bench:
    """Lay out the pool as one Markdown file for each paragraph and open the library over it."""
    from ddax.actions.sources import open_library
    from ddax.memory.embed.cache import CachedEmbedder
    from ddax.memory.embeddings import open_embedder

    folder = place / "pool"
    folder.mkdir()
    for number, (title, text) in enumerate(pool.items()):
        (folder / f"{number:04d}.md").write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
    embedder = CachedEmbedder(open_embedder(), place / "vectors.sqlite")
    library = await open_library([str(folder)], embedder=embedder, cache_dir=place / "cache")
    return Bench(place, library, embedder, seed)


async def _run(path: Path, place: Path, options: Options) -> Result:
    cases, pool = load(path)
    bench = await bench_of(pool, place, options.seed)
    kept = [await bench.ask(case) for case in cases]
    hidden = [await bench.ask(case, hide=True) for case in cases]
    figures = [*_quality(cases, kept, hidden, baseline(pool, cases), options.seed), *_cost(kept)]
    figures += await _ablation(bench, cases if not options.quick else cases[:ABLATED])
    notes = (
        f"{len(pool)} paragraphs, {len(cases)} questions; every figure is a run of the whole graph",
        "the scorer of the answers was fitted to these questions, too, among others",
    )
    return Result(NAME, tuple(figures), (options.seed,), 1, notes)


def _quality(
    cases: Sequence[Case], kept: Sequence[Run], hidden: Sequence[Run], base: Sequence[bool], seed: int
) -> list[Figure]:
    right = [float(holds(case.answer, shown(run))) for case, run in zip(cases, kept, strict=True)]
    gain = paired_bootstrap(right, [float(b) for b in base], seed=seed)
    reads = [float(run.reads) for run in kept]
    return [
        _share("both supporting documents among the first 5", _both(cases, kept), Target(">=", 0.8)),
        Figure("documents read a question", float(np.mean(reads)), "", Target("<=", 5), n=len(reads)),
        _share("answer in the claim, or in the first 60 words shown", right, Target(">=", 0.6)),
        _share("the same: BM25 and its best sentence", [float(b) for b in base]),
        Figure("lead over BM25, lower end", gain.low, "", Target(">", 0), gain.low, gain.high, len(right)),
        _share("refused without the supporting documents", _refused(hidden), Target(">=", 0.7)),
        _share("refused with them", _refused(kept), Target("<=", 0.15)),
        *_sentences(kept),
        _share("runs whose citations are all verbatim", [float(r.verbatim) for r in kept], Target(">=", 1.0)),
    ]  # fmt: skip


def _sentences(runs: Sequence[Run]) -> list[Figure]:
    """Report what the foreign checker counts over the sentences of the answers that were given."""
    counted = [run.sentences for run in runs if run.found]
    n = max(1, sum(one.sentences for one in counted))
    held = sum(one.carried + one.marked for one in counted) / n
    marked = sum(one.marked for one in counted) / n
    return [
        Figure("sentences with a verbatim quote or a mark", held, "", Target(">=", 1.0), n=n),
        Figure("sentences marked as unsupported", marked, "", Target("<=", 0.15), n=n),
    ]


def _share(name: str, values: Sequence[float], target: Target | None = None) -> Figure:
    found = bootstrap(values)
    return Figure(name, found.value, "", target, found.low, found.high, len(values))


def _both(cases: Sequence[Case], runs: Sequence[Run]) -> list[float]:
    return [float(case.titles <= set(run.titles[:5])) for case, run in zip(cases, runs, strict=True)]


def _refused(runs: Sequence[Run]) -> list[float]:
    return [float(not run.found) for run in runs]


def _cost(runs: Sequence[Run]) -> list[Figure]:
    seconds = [run.seconds for run in runs]
    unit = 2**20 if sys.platform == "darwin" else 2**10
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    return [
        Figure("seconds a question, median", float(np.median(seconds)), "s", n=len(runs)),
        Figure("seconds a question, 95th percentile", float(np.quantile(seconds, 0.95)), "s", n=len(runs)),
        Figure("steps a question", float(np.mean([run.steps for run in runs])), "", n=len(runs)),
        Figure("peak memory", peak, "MB"),
    ]


async def _ablation(bench: Bench, cases: Sequence[Case]) -> list[Figure]:
    """Turn off what finds documents, part by part."""
    figures = []
    for mode in MODES:
        for follow in (False, True):
            if mode == "hybrid" and follow:
                continue
            runs = [await bench.ask(case, mode=mode, follow=follow) for case in cases]
            name = f"{mode}, {'following' if follow else 'not following'} names"
            right = [float(holds(c.answer, shown(r))) for c, r in zip(cases, runs, strict=True)]
            figures.append(_share(f"{name}: both among 5", _both(cases, runs)))
            figures.append(_share(f"{name}: answer claimed or shown", right))
    return figures
