"""Asks plausible repairs, in the sandbox, what they do beyond the tests, and orders them by it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from ddax.evolution.baseline import Baseline
from ddax.evolution.branches import READ, dropped, lost, watched
from ddax.evolution.evaluator import CodeEvaluator
from ddax.evolution.inputs import Probe, changed_functions, examples, probes_of
from ddax.evolution.localise import read_report
from ddax.evolution.ranking import Suspect, Written, literals, penalties
from ddax.evolution.search import QUICK_CPU, Found


class Ranker:
    """Orders the plausible repairs of one program."""

    def __init__(self, evaluator: CodeEvaluator, baseline: Baseline, files: Mapping[str, str]) -> None:
        self.evaluator, self.baseline, self.files = evaluator, baseline, {**files, **baseline.changed}
        self.original = files
        self.inputs: list[Probe] = []
        targets = evaluator.suite.targets
        known = [row for path in targets for row in examples(path, files[path])]
        self.shown: list[Probe] = [probe for probe, _ in known]
        self.wanted = [want for _, want in known]

    def order(self, pool: Sequence[Found]) -> list[Found]:
        """Return the pool, the most trustworthy first; the order found decides among equals."""
        if len(pool) < 2:
            return list(pool)
        paths = sorted({path for found in pool for path in found.sources})
        changed = {
            name
            for found in pool
            for path, text in found.sources.items()
            for name in changed_functions(path, self.files[path], text)
        }
        self.inputs = probes_of(self.baseline.seen.calls, changed)
        answers = self.ask([self.baseline.changed, *(found.sources for found in pool)], paths)
        n, end = len(self.inputs), len(self.inputs) + len(self.shown)
        suspects = [
            Suspect(
                found.rank,
                tuple(self.written(found)),
                tuple(a[:n]),
                tuple(a[n:end]),
                lost(a[end:], answers[0][end:]) if a else self.dropped(found),
            )
            for found, a in zip(pool, answers[1:], strict=True)
        ]
        faults = penalties(suspects, before=answers[0][:n], wanted=self.wanted, words=self.words())
        return [pool[i] for i in sorted(range(len(pool)), key=lambda i: (faults[i], i))]

    def written(self, found: Found) -> Iterator[Written]:
        """Yield what each edit of a repair writes, on the text that those before it left."""
        texts = {edit.path: self.original[edit.path].encode() for edit in found.edits}
        for edit in found.edits:
            text = texts[edit.path]
            yield Written(edit.text, text[edit.start : edit.end].decode())
            texts[edit.path] = edit.apply(text)

    def dropped(self, found: Found) -> float:
        """Return the share of conditions that a repair takes out, where no input says what it does."""
        return max((dropped(self.files[path], text) for path, text in found.sources.items()), default=0.0)

    def words(self) -> frozenset[str]:
        """Return the uncommon literals of the visible tests."""
        return frozenset().union(*(literals(_whole(unit.text)) for unit in self.evaluator.suite.units))

    def ask(self, programs: Sequence[Mapping[str, str]], paths: Sequence[str]) -> list[list[str]]:
        """Return each program's answers to all probes, then which branches of each of `paths` they took.

        One that dies of the probes has none but that.
        """
        if not self.inputs and not self.shown:
            return [[] for _ in programs]
        # The probes run in order, so the last ones say what all before them took.
        probes = [*self.inputs, *self.shown, *({"path": path, "code": READ} for path in paths)]
        worker = self.evaluator.worker
        jobs = [
            worker.job(
                [],
                sources={path: self.watch(sources.get(path, self.files[path])) for path in paths},
                ticks=self.baseline.ticks,
                cpu=4 * QUICK_CPU,
                probes=probes,
            )
            for sources in programs
        ]
        units = len(self.evaluator.suite.units)
        reports = [read_report(body, units) for body in worker.run(jobs)]
        dead = ["raises Killed"] * len(probes)
        return [list(r.answers) if len(r.answers) == len(probes) else dead for r in reports]

    def watch(self, text: str) -> str:
        """Return a text whose conditions are noted, or as it is where it is no program."""
        try:
            return watched(text)
        except SyntaxError:
            return text


def _whole(text: str) -> str:
    try:
        ast.parse(text)
    except SyntaxError:
        return ""
    return text
