"""Ordered search over single edits, then pairs: deterministic, deduplicated, bounded by a clock.

Every candidate runs in a process of its own inside the sandbox. Failing tests come first and are a
gate for the rest; a candidate that only times out is run again with a larger budget.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from heapq import merge
from itertools import combinations

from ddax.evolution.definitions import behind, words
from ddax.evolution.evaluator import CodeEvaluator, evaluate_report, signature
from ddax.evolution.localise import Place, Report, Row, read_report, suspicion
from ddax.evolution.operators import Edit, Seen, Source, fingerprint, first_order
from ddax.evolution.operators.base import FunctionNode
from ddax.evolution.suites import Suite
from ddax.evolution.told import informed

TICKS, ESCALATION, PROBE_TICKS = 10_000, 30, 100_000
BATCH = 24
QUICK_CPU, SLOW_CPU, MEMORY = 0.3, 1.5, 320
PYTEST_CPU = 2.0
"""Seconds and MiB that a candidate of the search may use; runaway growth is common among edits."""
FEW_TRACED = 10
"""Failing tests that are traced where all tests are too many."""
ESCALATIONS_AT_ONCE, ESCALATIONS_LATER = 4, 16
LISTING = 0.5
"""Share of the time left that may go by before the first edit of a list is tried."""
SECOND_AFTER, SEEDS, PAIR_PENALTY = 2500, 20, 0.6
COUPLES_AFTER, COUPLES = 600, 240
"""Candidates before pairs of partial repairs are tried, and how many of these at once."""


@dataclass(frozen=True)
class Baseline:
    """How the program stands before any change; unit numbers are indexes into the suite."""

    report: Report
    failing: tuple[int, ...]
    passing: tuple[int, ...]
    suspects: Mapping[Place, float]
    seen: Seen
    ticks: int

    @property
    def order(self) -> list[int]:
        """The units in the order candidates meet them: failing ones first."""
        return [*self.failing, *self.passing]


@dataclass(frozen=True)
class Found:
    """A program that passes every test in the warm worker, and the edits that made it."""

    sources: Mapping[str, str]
    edits: tuple[Edit, ...]
    tried: int
    seconds: float
    rank: float = 0.0

    @property
    def deletes(self) -> bool:
        """Say whether a statement of the program is gone with it."""
        return any(edit.operator == "delete" for edit in self.edits)


@dataclass
class Partial:
    """A changed text that mends some failing tests; a seed for pairs of edits."""

    rank: float
    edit: Edit
    fixed: int
    text: bytes = field(repr=False, default=b"")
    signature: str = ""
    mended: frozenset[int] = frozenset()

    def after(self, seed: Partial) -> Edit | None:
        """Return this repair's edit as it stands after that of a seed; None where the two meet."""
        first, second = seed.edit, self.edit
        if first.path != second.path or second.end <= first.start:
            return second
        if second.start < first.end:
            return None
        moved = len(first.text.encode()) - (first.end - first.start)
        return replace(second, start=second.start + moved, end=second.end + moved)


@dataclass(frozen=True)
class Candidate:
    """An edit to be tried, alone or after that of a `seed`; `files` are the texts that it changes."""

    rank: float
    edit: Edit
    seed: Partial | None
    files: Mapping[str, bytes] = field(repr=False)

    @property
    def sources(self) -> dict[str, str]:
        """The changed files as texts."""
        return {path: text.decode() for path, text in self.files.items()}


def measure(evaluator: CodeEvaluator, *, hints: Sequence[Place] = ()) -> Baseline:
    """Run the tests twice, once to see how they stand, once traced to see where and with what types."""
    first = evaluator.run({}, ticks=PROBE_TICKS, cpu=3.0)
    ticks = max([TICKS, *(10 * row.ticks for row in first.rows if row.good)])
    rows = {row.unit: row for row in first.rows}
    units = range(len(evaluator.suite.units))
    passing = [u for u in units if u in rows and rows[u].good]
    failing = [u for u in units if u not in passing]
    traced = evaluator.run({}, ticks=ticks, trace=True, cpu=5.0)
    if traced.stage != "run" and first.stage == "run":  # too much to trace: where tests fail says most
        traced = evaluator.run({}, ticks=ticks, trace=True, cpu=5.0, units=failing[:FEW_TRACED])

    def effort(unit: int) -> tuple[int, int]:
        return (rows[unit].ticks if unit in rows and rows[unit].kind != "timeout" else PROBE_TICKS, unit)

    suite = evaluator.suite
    return Baseline(
        first,
        tuple(sorted(failing, key=effort)),
        tuple(sorted(passing, key=effort)),
        suspected(suite, traced.rows, hints, failing),
        informed(traced.seen, suite, first),
        ticks,
    )


def suspected(
    suite: Suite, rows: Sequence[Row], hints: Sequence[Place], failing: Sequence[int]
) -> dict[Place, float]:
    """Return the suspicion of covered lines, and of the definitions behind them."""
    asked = {word for u in failing for word in words(ast.parse(suite.units[u].text))}
    trees: dict[str, ast.Module] = {}
    for path in suite.targets:
        with suppress(SyntaxError):
            trees[path] = ast.parse(suite.sources[path])
    covered = suspicion(rows, hints, named(trees, asked))
    return covered | behind(trees, covered, asked) if covered else {}  # where nothing ran, all may be wrong


def _elsewhere(
    seed: Partial, singles: Sequence[tuple[float, Edit]], penalty: float
) -> Iterator[tuple[float, Edit, Partial]]:
    """Yield the edits of the files that a seed does not touch; made one by one, they are many."""
    return ((rank + penalty, edit, seed) for rank, edit in singles if edit.path != seed.edit.path)


def named(trees: Mapping[str, ast.Module], asked: Collection[str]) -> set[Place]:
    """Return the lines of the functions whose names a failing test speaks of."""
    return {
        (path, line)
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, FunctionNode) and node.name in asked
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


class Search:
    """One repair by enumeration; it ends when `clock` says `end`, in seconds."""

    def __init__(
        self,
        evaluator: CodeEvaluator,
        baseline: Baseline,
        *,
        end: float,
        clock: Callable[[], float],
        priors: Mapping[str, float] | None = None,
    ) -> None:
        self.evaluator, self.baseline, self.suite = evaluator, baseline, evaluator.suite
        self.clock, self.begin, self.end = clock, clock(), end
        self.priors = priors or {}
        self.tried = self.escalated = 0
        self.cut = False  # not every edit was listed
        self.waiting: list[Candidate] = []
        self.known: set[frozenset[tuple[str, bytes]]] = set()
        self.partial: list[Partial] = []
        self.texts = {path: self.suite.sources[path].encode() for path in self.suite.targets}

    def suspects(self, path: str) -> dict[int, float]:
        """Return the suspected lines of a file."""
        return {line: s for (p, line), s in self.baseline.suspects.items() if p == path}

    def singles(self) -> Iterator[tuple[float, Edit]]:
        """Yield the single edits of all targets, best first."""
        sources = []
        for path, text in self.texts.items():
            suspects = self.suspects(path)
            if self.baseline.suspects and not suspects:
                continue
            try:
                sources.append((Source(path, text, self.baseline.seen), suspects))
            except SyntaxError:  # nothing can be edited in what is no program
                continue
        lists = [
            self.listed(source, suspects, len(sources) - index)
            for index, (source, suspects) in enumerate(sources)
        ]
        return merge(*lists, key=lambda item: item[0])

    def pairs(self, singles: Sequence[tuple[float, Edit]]) -> Iterator[tuple[float, Edit, Partial]]:
        """Yield second edits on the best partial repairs, best first; in other files the `singles`."""
        lists: list[Iterable[tuple[float, Edit, Partial]]] = []
        seeds = self.seeds()
        for index, seed in enumerate(seeds):
            original = Source(seed.edit.path, self.texts[seed.edit.path], self.baseline.seen)
            try:
                source = Source(seed.edit.path, seed.text, self.baseline.seen, original.first_lines)
            except SyntaxError:
                continue
            listed = self.listed(source, self._shifted(seed), len(seeds) - index)
            lists.append([(rank + PAIR_PENALTY + 0.05 * index, edit, seed) for rank, edit in listed])
            lists.append(_elsewhere(seed, singles, PAIR_PENALTY + 0.05 * index))
        return merge(*lists, key=lambda item: item[0])

    def couples(self) -> Iterator[tuple[float, Edit, Partial]]:
        """Yield pairs of partial repairs that mend all failing tests only between them, best first."""
        failing = frozenset(self.baseline.failing)
        found = [
            (one.rank + other.rank, edit, one)
            for one, other in combinations([p for p in self.partial if p.mended != failing], 2)
            if one.mended | other.mended == failing and (edit := other.after(one)) is not None
        ]
        yield from sorted(found, key=lambda item: item[0])[:COUPLES]

    def listed(self, source: Source, suspects: Mapping[int, float], texts: int) -> list[tuple[float, Edit]]:
        """List the edits of the first of some `texts` that are to be listed, within its share of the time."""
        now = self.clock()
        end = now + LISTING * (self.end - now) / texts
        found = first_order(source, suspects, priors=self.priors, late=lambda: self.clock() >= end)
        self.cut = self.cut or self.clock() >= end
        return found

    def _shifted(self, seed: Partial) -> dict[int, float]:
        added = seed.text.count(b"\n") - self.texts[seed.edit.path].count(b"\n")
        suspects = self.suspects(seed.edit.path)
        moved = {line + added if line > seed.edit.line else line: s for line, s in suspects.items()}
        return moved | {seed.edit.line + i: 1.0 for i in range(max(0, added) + 1)}

    def seeds(self) -> list[Partial]:
        """Return the partial repairs that break nothing, those that mend most first, one per behaviour."""
        best = sorted(self.partial, key=lambda p: (-p.fixed, p.rank, p.edit.start, p.edit.text))[: 4 * SEEDS]
        kept: list[Partial] = []
        broken: list[Partial] = []
        for partial in best:
            report = self.evaluator.run(
                {partial.edit.path: partial.text.decode()}, ticks=self.baseline.ticks, cpu=1.0
            )
            partial.signature = signature(report.rows, len(self.suite.units))
            whole = all(partial.signature[u] == "p" for u in self.baseline.passing)
            same = sum(k.signature == partial.signature for k in kept)
            if same < 4:
                (kept if whole else broken).append(partial)
            if len(kept) >= SEEDS:
                break
        return [*kept, *broken][:SEEDS]

    def fresh(self, files: Mapping[str, bytes]) -> bool:
        """Say whether changed texts are new, and remember them (the tabu list)."""
        key = frozenset((path, fingerprint(text)) for path, text in files.items())
        if key in self.known:
            return False
        self.known.add(key)
        return True

    def run(self) -> Iterator[Found | None]:
        """Yield plausible repairs, in order, until the time is used up or nothing is left.

        After each batch it yields None, so that who listens may stop or go on.
        """
        for path, text in self.texts.items():
            self.fresh({path: text})
        listed = list(self.singles())
        singles = iter(listed)
        yield from self.consume(((r, e, None) for r, e in singles), limit=COUPLES_AFTER)
        yield from self.consume(self.couples())
        yield from self.consume(((r, e, None) for r, e in singles), limit=SECOND_AFTER - COUPLES_AFTER)
        yield from self.consume(self.couples())
        yield from self.escalate(ESCALATIONS_AT_ONCE + ESCALATIONS_LATER)
        if self.clock() < self.end:
            rest: Iterator[tuple[float, Edit, Partial | None]] = ((r, e, None) for r, e in singles)
            yield from self.consume(merge(rest, self.pairs(listed), key=lambda item: item[0]))

    def consume(
        self, stream: Iterator[tuple[float, Edit, Partial | None]], limit: int = 0
    ) -> Iterator[Found | None]:
        """Evaluate a stream of candidates in batches."""
        done = False
        start = self.tried
        while not done and self.clock() < self.end:
            batch: list[Candidate] = []
            for rank, edit, seed in stream:
                files = self.changed(edit, seed)
                if self.fresh(files):
                    batch.append(Candidate(rank, edit, seed, files))
                    if len(batch) == BATCH:
                        break
            done = len(batch) < BATCH or (limit > 0 and self.tried - start + len(batch) >= limit)
            yield from self.evaluate(batch)
            yield None

    def changed(self, edit: Edit, seed: Partial | None) -> dict[str, bytes]:
        """Return the texts that an edit changes, after that of its seed where it has one."""
        files = {seed.edit.path: seed.text} if seed else {}
        return files | {edit.path: edit.apply(files.get(edit.path, self.texts[edit.path]))}

    def evaluate(self, batch: Sequence[Candidate]) -> Iterator[Found]:
        """Run a batch and sort its candidates into found, partial and wrong."""
        worker, order = self.evaluator.worker, self.baseline.order
        jobs = [
            worker.job(
                order,
                sources=candidate.sources,
                gate=len(self.baseline.failing),
                give_up=2,
                ticks=self.baseline.ticks,
                cpu=QUICK_CPU if self.suite.runner == "fast" else PYTEST_CPU,
                memory=MEMORY,
            )
            for candidate in batch
        ]
        again: list[Candidate] = []
        winner = -1
        left = max(0.0, self.end - self.clock())
        for i, body in enumerate(worker.run(jobs, stop=True, seconds=left)):
            if body == b"null":
                continue
            one = batch[i]
            self.tried += 1
            report = read_report(body, len(self.suite.units))
            verdict = self.judge(report)
            if verdict == "won":
                winner = i
            elif verdict == "slow":
                again.append(one)
            elif verdict == "partial" and one.seed is None:
                good, text = sum(r.good for r in report.rows), one.files[one.edit.path]
                mended = frozenset(r.unit for r in report.rows if r.good) & set(self.baseline.failing)
                self.partial.append(Partial(one.rank, one.edit, good, text, mended=mended))
        self.waiting += again
        yield from self.escalate(ESCALATIONS_AT_ONCE)
        if winner >= 0:
            yield self.found(batch[winner])
            yield from self.evaluate(batch[winner + 1 :])

    def escalate(self, limit: int) -> Iterator[Found]:
        """Run candidates that only time out again with more ticks, at most `limit` since the beginning."""
        while self.waiting and self.escalated < limit and self.clock() < self.end:
            self.escalated += 1
            one = self.waiting.pop(0)
            ticks = self.baseline.ticks * ESCALATION
            if self.evaluator.evaluate(one.sources, ticks=ticks, cpu=SLOW_CPU).score >= 99.0:
                yield self.found(one)

    def judge(self, report: Report) -> str:
        """Say won, partial, slow (only time-outs stand against it) or wrong."""
        if evaluate_report(report, self.suite).score >= 99.0:
            return "won"
        rows: Sequence[Row] = report.rows
        mended = [r for r in rows if r.good and r.unit in self.baseline.failing]
        wrong = [r for r in rows if not r.good]
        if not mended:
            return "wrong"
        return "slow" if wrong and all(r.kind == "timeout" for r in wrong) else "partial"

    def found(self, one: Candidate) -> Found:
        """Make the record of a plausible repair."""
        edits = (one.seed.edit, one.edit) if one.seed else (one.edit,)
        return Found(one.sources, edits, self.tried, self.clock() - self.begin, one.rank)
