"""Ordered search over single edits, then pairs: deterministic, deduplicated, bounded by a clock.

Every candidate runs in a process of its own inside the sandbox. Failing tests come first and are a
gate for the rest; a candidate that only times out is run again with a larger budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import merge
from itertools import combinations

from ddax.evolution.baseline import Baseline, measure
from ddax.evolution.evaluator import CodeEvaluator, evaluate_report, signature
from ddax.evolution.localise import Report, Row, read_report
from ddax.evolution.operators import Edit, Source, fingerprint, first_order
from ddax.evolution.partial_gains import alternate, further
from ddax.evolution.program.test_code import judging

ESCALATION = 30
BATCH = 24
"""Candidates that are run together."""
QUICK_CPU, SLOW_CPU, MEMORY = 0.3, 1.5, 320
"""Seconds and MiB that a candidate of the search may use; runaway growth is common among edits."""
IDLE = 0.5
"""Seconds for which a candidate of the search may only wait, as where it waits for itself, unless tests of
the unchanged program wait for longer and come to their end."""
ESCALATIONS_AT_ONCE, ESCALATIONS_LATER = 4, 16
LISTING, LEADING = 0.5, 0.15
"""Share of the time left that may go by before the first edit of a list is tried, also of second edits that
are not the last thing to be tried."""
SECOND_AFTER, SEEDS, PAIR_PENALTY = 2500, 20, 0.6
EARLY_COUPLES_AFTER, EARLY_COUPLES, COUPLES_AFTER, COUPLES, LEADERS = 240, 60, 600, 240, 3
"""Candidates before the best pairs of partial repairs are tried, how many these are, candidates before more
are tried, how many of these at once, and on how many partial repairs that mend most of what fails second
edits are tried from then on."""
FURTHER_AFTER, FURTHER, DEPTH = 120, 3, 3
"""Candidates before the search also goes on from programs that come further than the one to be mended, from
how many of these, and how often one after the other."""


@dataclass(frozen=True)
class Found:
    """A program that passes every test in the warm worker, and the edits that made it.

    `baseline`, where given, is that of the program on which the last edits were tried. `said` is what a
    reasoner that proposed it says of it: a hypothesis, reasons, and where it came from.
    """

    sources: Mapping[str, str]
    edits: tuple[Edit, ...]
    tried: int
    seconds: float
    rank: float = 0.0
    baseline: Baseline | None = field(default=None, repr=False)
    said: tuple[str, str, str] | None = None

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
        self.priors, self.share = priors or {}, LISTING
        self.tried = self.escalated = 0
        self.cut = False  # not every edit was listed
        self.measured = 0.0  # seconds that the last look at a changed program took
        self.waiting: list[Candidate] = []
        self.known: set[frozenset[tuple[str, bytes]]] = set()
        self.partial: list[Partial] = []
        self.further: list[Partial] = []
        self.base = {path: text.encode() for path, text in baseline.changed.items()}
        self.judging = judging({**self.suite.sources, **baseline.changed}, self.suite.tests.values())
        self.texts = {path: self.suite.sources[path].encode() for path in self.suite.targets} | self.base

    def follow(self, last: Search) -> None:
        """Go on where another search of the same program ended, with what it tried and what came close."""
        self.known, self.waiting = last.known, last.waiting
        self.partial, self.further = last.partial, last.further

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

    def pairs(
        self, seeds: Sequence[Partial], share: float = LISTING
    ) -> Iterator[tuple[float, Edit, Partial]]:
        """Yield second edits on partial repairs, best first: what still fails there says where to look."""
        lists: list[list[tuple[float, Edit, Partial]]] = []
        for index, seed in enumerate(seeds):
            if self.clock() + self.measured >= self.end:
                break
            inner = self.after(seed, end=self.end, share=share / (len(seeds) - index))
            listed = inner.singles()
            lists.append([(rank + PAIR_PENALTY + 0.05 * index, edit, seed) for rank, edit in listed])
            self.cut = self.cut or inner.cut
        return merge(*lists, key=lambda item: item[0])

    def after(self, seed: Partial, *, end: float, share: float = LISTING) -> Search:
        """Return a search that goes on from a seed, with what its tests say."""
        files = {path: text.decode() for path, text in self.changed(seed.edit, None).items()}
        before = self.clock()
        baseline = measure(self.evaluator, changed=files, edits=(*self.baseline.edits, seed.edit))
        self.measured = self.clock() - before
        inner = Search(self.evaluator, baseline, end=end, clock=self.clock, priors=self.priors)
        inner.share = share
        return inner

    def couples(self, most: int) -> Iterator[tuple[float, Edit, Partial]]:
        """Yield pairs of partial repairs that only between them mend all that was ever mended, best first.

        A test that none of them mends may be one that needs both.
        """
        mended = frozenset[int]().union(*(p.mended for p in self.partial))
        found = [
            (one.rank + other.rank + PAIR_PENALTY, edit, one)
            for one, other in combinations([p for p in self.partial if p.mended != mended], 2)
            if one.mended | other.mended == mended and (edit := other.after(one)) is not None
        ]
        yield from sorted(found, key=lambda item: item[0])[:most]

    def listed(self, source: Source, suspects: Mapping[int, float], texts: int) -> list[tuple[float, Edit]]:
        """List the edits of the first of some `texts` that are to be listed, within its share of the time."""
        now = self.clock()
        end = now + self.share * (self.end - now) / texts
        listed = first_order(source, suspects, priors=self.priors, late=lambda: self.clock() >= end)
        found = [(rank, edit) for rank, edit in listed if (edit.path, edit.line) not in self.judging]
        self.cut = self.cut or self.clock() >= end
        return found

    def leaders(self) -> list[Partial]:
        """Return a few partial repairs that break nothing and mend at least half of the failing tests."""
        half = len(self.baseline.failing) / 2
        kept, _ = self.tested([p for p in self.partial if len(p.mended) >= half], LEADERS)
        return kept

    def seeds(self) -> list[Partial]:
        """Return the best partial repairs, those that break nothing first."""
        kept, broken = self.tested(self.partial, SEEDS)
        return [*kept, *broken][:SEEDS]

    def tested(self, partials: Sequence[Partial], most: int) -> tuple[list[Partial], list[Partial]]:
        """Return partial repairs that break nothing, and others; what mends most first, few alike."""
        best = sorted(partials, key=lambda p: (-p.fixed, p.rank, p.edit.start, p.edit.text))[: 4 * most]
        kept: list[Partial] = []
        broken: list[Partial] = []
        for partial in best:
            files = {**self.baseline.changed, partial.edit.path: partial.text.decode()}
            report = self.evaluator.run(files, ticks=self.baseline.ticks, cpu=1.0)
            partial.signature = signature(report.rows, len(self.suite.units))
            whole = all(partial.signature[u] == "p" for u in self.baseline.passing)
            same = sum(k.signature == partial.signature for k in kept)
            if same < 4:
                (kept if whole else broken).append(partial)
            if len(kept) >= most or self.clock() >= self.end:
                break
        return kept, broken

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
            self.fresh(self.base | {path: text})
        stream: Iterator[tuple[float, Edit, Partial | None]] = ((r, e, None) for r, e in self.singles())
        yield from self.consume(stream, limit=FURTHER_AFTER)
        yield from alternate(self.ordinary(stream), self.going_on())

    def ordinary(self, stream: Iterator[tuple[float, Edit, Partial | None]]) -> Iterator[Found | None]:
        """Yield what single edits bring, then what pairs of them do."""
        yield from self.consume(stream, limit=EARLY_COUPLES_AFTER - FURTHER_AFTER)
        yield from self.consume(self.couples(EARLY_COUPLES))
        yield from self.consume(stream, limit=COUPLES_AFTER - EARLY_COUPLES_AFTER)
        yield from self.consume(self.couples(COUPLES))
        led: Iterator[tuple[float, Edit, Partial | None]] = iter(())
        if self.clock() < self.end:
            led = iter(self.pairs(self.leaders(), LEADING))
        # What is left of single edits is unlikely by now: second edits need not be likelier to be tried.
        yield from self.consume(alternate(stream, led), limit=SECOND_AFTER - COUPLES_AFTER)
        yield from self.consume(self.couples(COUPLES))
        yield from self.escalate(ESCALATIONS_AT_ONCE + ESCALATIONS_LATER)
        if self.clock() < self.end:
            second = self.pairs(self.seeds())
            yield from self.consume(merge(stream, led, second, key=lambda item: item[0]))

    def going_on(self) -> Iterator[Found | None]:
        """Yield what further edits bring on the best of the programs that come further, each in its share."""
        best = sorted(self.further, key=lambda p: (-p.fixed, p.rank))[:FURTHER]
        for index, seed in enumerate(best if len(self.baseline.edits) < DEPTH else ()):
            if (now := self.clock()) + self.measured >= self.end:
                return
            inner = self.after(seed, end=now + (self.end - now) / (len(best) - index))
            before = 0
            for one in inner.run():
                self.tried, before = self.tried + inner.tried - before, inner.tried
                yield one and replace(
                    one, tried=self.tried, seconds=self.clock() - self.begin, rank=seed.rank + one.rank
                )
            self.cut = self.cut or inner.cut

    def consume(
        self, stream: Iterator[tuple[float, Edit, Partial | None]], limit: int = 0
    ) -> Iterator[Found | None]:
        """Evaluate a stream of candidates in batches."""
        done, spent, most = False, 0, BATCH
        while not done and self.clock() < self.end:
            batch: list[Candidate] = []
            for rank, edit, seed in stream:
                files = self.changed(edit, seed)
                if self.fresh(files):
                    batch.append(Candidate(rank, edit, seed, files))
                    if len(batch) == most:
                        break
            spent += len(batch)
            done = len(batch) < most or (limit > 0 and spent >= limit)
            yield from self.evaluate(batch)
            yield None

    def changed(self, edit: Edit, seed: Partial | None) -> dict[str, bytes]:
        """Return the texts that an edit changes, after that of its seed where it has one."""
        files = self.base | ({seed.edit.path: seed.text} if seed else {})
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
                cpu=QUICK_CPU,
                memory=MEMORY,
                idle=max(IDLE, 2 * self.baseline.report.still),
            )
            for candidate in batch
        ]
        left = max(0.0, self.end - self.clock())
        for one, body in zip(batch, self.evaluator.crew.run(jobs, seconds=left), strict=True):
            if body == b"null":
                continue
            self.tried += 1
            report = read_report(body, len(self.suite.units))
            verdict = self.judge(report)
            if verdict == "won":
                yield self.found(one)
            elif verdict == "slow":
                self.waiting.append(one)
            elif verdict == "partial" and one.seed is None:
                good, text = sum(r.good for r in report.rows), one.files[one.edit.path]
                mended = frozenset(r.unit for r in report.rows if r.good) & set(self.baseline.failing)
                self.partial.append(Partial(one.rank, one.edit, good, text, mended=mended))
            if verdict != "won" and one.seed is None and further(report, self.baseline, one.edit):
                good, text = sum(r.good for r in report.rows), one.files[one.edit.path]
                self.further.append(Partial(one.rank, one.edit, good, text))
        yield from self.escalate(ESCALATIONS_AT_ONCE)

    def escalate(self, limit: int) -> Iterator[Found]:
        """Run candidates that only time out again with more ticks, at most `limit` since the beginning."""
        while self.waiting and self.escalated < limit and self.clock() < self.end:
            self.escalated += 1
            one = self.waiting.pop(0)
            ticks = self.baseline.ticks * ESCALATION
            found = self.evaluator.evaluate(one.sources, ticks=ticks, cpu=SLOW_CPU, patience=ESCALATION)
            if found.score >= 99.0:
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
        edits = (*self.baseline.edits, *([one.seed.edit] if one.seed else []), one.edit)
        return Found(
            one.sources, edits, self.tried, self.clock() - self.begin, one.rank, baseline=self.baseline
        )
