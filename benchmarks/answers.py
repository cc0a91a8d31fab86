"""Questions over small real document collections, asked of the real graph without a model.

Two parts: one that may be looked at, and one that is read by this benchmark alone. A claim is right where the
answer stands in what it asserts; beside it BM25 shows its best three paragraphs of the same collection.
`python -m benchmarks.answers` lists the wrong claims of the first part; nothing is fitted here.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import plots
from benchmarks.answers_scoring import PARTS, Case, Told, lay, load, paragraphs, right, shown, told
from benchmarks.core import ROOT, Figure, Options, Result, Target, bootstrap, paired_bootstrap

if TYPE_CHECKING:
    from ddax.actions.sources import SourceLibrary
    from ddax.memory.protocol import Embedder
    from ddax.reasoning.protocol import Reasoner

NAME = "answers"
DESCRIPTION = "questions over real collections: claims right, answers shown, refusals, calibration"
FOLDER = ROOT / "benchmarks" / "data" / "answers"
QUICK = 4
"""One question in so many belongs to the short form."""
BINS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
"""Borders of the scores that one point of the calibration curve stands for."""
SCORED = "score of a claim"
TARGETS = {
    "claims right": Target(">=", 0.9),
    "claimed right, or shown in three passages": Target(">=", 0.85),
    "without an answer, claimed": Target("<=", 0.05),
    "lead over BM25": Target(">=", 0.0),
}
"""What the unseen part must show."""


@dataclass(frozen=True)
class Asked:
    """A question, what came back, and whether the best paragraphs of BM25 show its answer."""

    case: Case
    told: Told
    lexical: bool

    @property
    def right(self) -> bool:
        """Tell whether it was claimed rightly."""
        return right(self.case, self.told)

    @property
    def shown(self) -> bool:
        """Tell whether it was claimed rightly or shown."""
        return self.right or shown(self.case, self.told.passages)


def run(options: Options) -> Result:
    """Ask every question of both parts; in the short form one in four."""
    step = QUICK if options.quick else 1
    asked = {part: ask(part, load(FOLDER / part)[::step], options.seed) for part in PARTS}
    figures = [figure for part in PARTS for figure in figures_of(part, asked[part], options.seed)]
    curves = {part: {"coverage": coverage(asked[part]), "calibration": calibration(asked[part])}
              for part in PARTS}  # fmt: skip
    notes = (
        "a claim is the short answer, else the first statement, of at most 60 words; what is quoted beside "
        "it is shown; a claim on a question without an answer is wrong",
        f"the score is the support that is told; calibration in bins at {', '.join(map(str, BINS[1:-1]))}",
        plots.write(NAME, _pictures(curves)),
    )
    kinds = {part: by_kind(asked[part]) for part in PARTS}
    about = {"curves": curves, "kinds": kinds}
    return Result(NAME, tuple(figures), (options.seed,), 1, notes, about)


def ask(part: str, cases: Sequence[Case], seed: int) -> list[Asked]:
    """Ask questions of a part, collection by collection."""
    with tempfile.TemporaryDirectory(prefix="ddax-answers-") as place:
        return asyncio.run(_ask(FOLDER / part, cases, Path(place), seed))


async def _ask(folder: Path, cases: Sequence[Case], place: Path, seed: int) -> list[Asked]:
    from ddax.actions.sources import open_library
    from ddax.memory.embed.cache import CachedEmbedder
    from ddax.memory.embeddings import open_embedder

    embedder, found = CachedEmbedder(open_embedder(), place / "vectors.sqlite"), list[Asked]()
    for name in dict.fromkeys(case.collection for case in cases):
        documents = lay(folder / name, place / "sources")
        library = await open_library([str(documents)], embedder=embedder, cache_dir=place / "cache")
        baseline = await Baseline.over(library, documents)
        for case in (case for case in cases if case.collection == name):
            it = await answer_of(case, f"{name}-{len(found)}", library, embedder, place / "home" / name, seed)
            found.append(Asked(case, it, shown(case, baseline.best(case))))
    return found


async def answer_of(
    case: Case,
    name: str,
    library: SourceLibrary,
    embedder: Embedder,
    home: Path,
    seed: int,
    reasoner: Reasoner | None = None,
) -> Told:
    """Run the graph on a question in a namespace of its own, behind the turn before."""
    from ddax import Context, open_agent
    from ddax.configs.settings import Mood
    from ddax.graph.services import Parts

    parts = Parts(embedder=embedder, library=library, reasoner=reasoner)
    context = Context(sources=library.specs, namespace=name, seed=seed, mood=Mood(engine="numpy"))
    async with open_agent(context, home=home, parts=parts) as agent:
        if case.before:
            await agent.run(case.before, thread=name)
        start = time.process_time()
        result = await agent.run(case.question, thread=name)
        return told(dict(result), cpu=time.process_time() - start)


class Baseline:
    """BM25 over the paragraphs of a collection, with the titles of their documents."""

    def __init__(self, texts: Sequence[tuple[str, str]]) -> None:
        from ddax.actions.sources.bm25 import Bm25, weighted_counts
        from ddax.actions.sources.tokens import tokens

        self._texts = texts
        self._index = Bm25.build(
            weighted_counts(tokens(text), tokens(title), title_weight=1) for title, text in texts
        )

    @classmethod
    async def over(cls, library: SourceLibrary, folder: Path) -> Baseline:
        """Read every document of a folder as the library reads it."""
        texts = []
        for path in sorted(folder.iterdir()):
            document = await library.read(str(path))
            texts += [(document.title, text) for text in paragraphs(path.name, document.text)]
        return cls(texts)

    def best(self, case: Case, many: int = 3) -> list[str]:
        """Return the best paragraphs for a question and the turn before it."""
        from ddax.actions.sources.tokens import query_tokens

        query = dict.fromkeys(query_tokens(f"{case.before} {case.question}"), 1.0)
        order = np.argsort(-self._index.scores(query), kind="stable")
        return [self._texts[k][1] for k in order[:many]]


def figures_of(part: str, asked: Sequence[Asked], seed: int) -> list[Figure]:
    """Return the figures of a part; the unseen one has targets."""
    having = [each for each in asked if each.case.answerable]
    claims = [each for each in asked if each.told.claimed]
    ours, theirs = [float(each.shown) for each in having], [float(each.lexical) for each in having]
    lead = paired_bootstrap(ours, theirs, seed=seed)
    cpu = bootstrap([each.told.cpu for each in asked], seed=seed)
    shares: dict[str, Sequence[float]] = {
        "with an answer, claimed": [each.told.claimed for each in having],
        "with an answer, claimed right": [each.right for each in having],
        "claims right": [each.right for each in claims],
        "claims right, where the score is at least 0.9": [e.right for e in claims if e.told.score >= 0.9],
        "without an answer, claimed": [e.told.claimed for e in asked if not e.case.answerable],
        "claimed right, or shown in three passages": ours,
        "shown by the three best paragraphs of BM25": theirs,
    }
    found = [_share(part, name, values, seed) for name, values in shares.items() if values]
    return [
        *found,
        Figure(f"{part}: lead over BM25", lead.value, "", _target(part, "lead over BM25"), lead.low,
               lead.high, len(ours)),
        Figure(f"{part}: calibration error", error(asked), "", n=len(claims)),
        Figure(f"{part}: CPU seconds a question", cpu.value, "s", None, cpu.low, cpu.high, len(asked)),
    ]  # fmt: skip


def _share(part: str, name: str, values: Sequence[float], seed: int) -> Figure:
    found = bootstrap([float(value) for value in values], seed=seed)
    return Figure(f"{part}: {name}", found.value, "", _target(part, name), found.low, found.high, len(values))


def _target(part: str, name: str) -> Target | None:
    return TARGETS.get(name) if part == "unseen" else None


def coverage(asked: Sequence[Asked]) -> list[list[float]]:
    """Return, from the highest score down: the score, the share of all questions claimed, the share right."""
    rows: dict[float, list[float]] = {}
    kept = good = 0
    for each in sorted(_claims(asked), key=lambda each: -each.told.score):
        kept, good = kept + 1, good + each.right
        rows[each.told.score] = [each.told.score, round(kept / len(asked), 4), round(good / kept, 4)]
    return [*rows.values()]


def calibration(asked: Sequence[Asked]) -> list[list[float]]:
    """Return, for each bin of scores that has claims: their mean score, the share right, their number."""
    rows = []
    for low, high in pairwise(BINS):
        inside = [e for e in _claims(asked) if low <= e.told.score < high or e.told.score == high == BINS[-1]]
        if inside:
            score = float(np.mean([each.told.score for each in inside]))
            rows.append([round(score, 4), round(float(np.mean([e.right for e in inside])), 4), len(inside)])
    return rows


def error(asked: Sequence[Asked]) -> float:
    """Return the expected calibration error of the claims: how far scores stand from what is right."""
    rows = calibration(asked)
    total = sum(n for _, _, n in rows)
    return sum(n * abs(score - share) for score, share, n in rows) / total if total else 0.0


def _claims(asked: Sequence[Asked]) -> list[Asked]:
    return [each for each in asked if each.told.claimed]


def by_kind(asked: Sequence[Asked]) -> dict[str, dict[str, int]]:
    """Count by kind of question what was claimed, was right, was shown, and what BM25 shows."""
    found: dict[str, dict[str, int]] = {}
    for each in asked:
        row = found.setdefault(
            each.case.kind, {"questions": 0, "claimed": 0, "right": 0, "shown": 0, "BM25": 0}
        )
        for name, one in zip(row, (1, each.told.claimed, each.right, each.shown, each.lexical), strict=True):
            row[name] += int(one)
    return dict(sorted(found.items()))


def _pictures(curves: Mapping[str, Mapping[str, list[list[float]]]]) -> list[plots.Picture]:
    def series(name: str, x: int, y: int) -> list[plots.Series]:
        return [
            plots.Series(part, [row[x] for row in rows[name]], [row[y] for row in rows[name]])
            for part, rows in curves.items()
            if rows[name]
        ]

    even = plots.Series("as told", [0.0, 1.0], [0.0, 1.0])
    return [
        plots.Picture(
            "Claims by score: right over coverage", "share of questions claimed", "share right",
            series("coverage", 1, 2),
        ),
        plots.Picture(
            "Calibration of claims", SCORED, "share right", [*series("calibration", 0, 1), even]
        ),
    ]  # fmt: skip


def wrong(asked: Iterable[Asked]) -> list[str]:
    """Return the wrong claims in words."""
    return [
        f"{each.case.collection}: {each.case.question}\n  wanted {_golds(each.case)}\n"
        f"  claimed {each.told.short or each.told.statement!r} ({each.told.score:.2f})"
        for each in asked
        if each.told.claimed and not each.right
    ]


def _golds(case: Case) -> Any:
    return list(case.answers) if case.answerable else "nothing"


def main(arguments: Sequence[str] | None = None) -> None:
    """List the wrong claims of a part."""
    it = argparse.ArgumentParser(prog="python -m benchmarks.answers", description=main.__doc__)
    it.add_argument("--part", choices=PARTS, default=PARTS[0], help="what is unseen stays so: looked_at")
    it.add_argument("--seed", type=int, default=0)
    given = it.parse_args(arguments)
    print(*wrong(ask(given.part, load(FOLDER / given.part), given.seed)), sep="\n")


if __name__ == "__main__":
    main()
