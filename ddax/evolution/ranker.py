"""Asks plausible repairs, in the sandbox, what they do beyond the tests, and orders them by it."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from ddax.evolution.evaluator import CodeEvaluator
from ddax.evolution.inputs import Probe, examples, probes_of
from ddax.evolution.localise import read_report
from ddax.evolution.ranking import Suspect, literals, penalties
from ddax.evolution.search import QUICK_CPU, Baseline, Found


class Ranker:
    """Orders the plausible repairs of one program."""

    def __init__(self, evaluator: CodeEvaluator, baseline: Baseline, files: Mapping[str, str]) -> None:
        self.evaluator, self.baseline = evaluator, baseline
        self.inputs = probes_of(baseline.seen.calls)
        targets = evaluator.suite.targets
        known = [row for path in targets for row in examples(path, files[path])]
        self.shown: list[Probe] = [probe for probe, _ in known]
        self.wanted = [want for _, want in known]

    def order(self, pool: Sequence[Found]) -> list[Found]:
        """Return the pool, the most trustworthy first; the order found decides among equals."""
        if len(pool) < 2:
            return list(pool)
        answers = self.ask([{}, *(found.sources for found in pool)])
        n = len(self.inputs)
        suspects = [
            Suspect(found.rank, tuple(e.text for e in found.edits), tuple(a[:n]), tuple(a[n:]))
            for found, a in zip(pool, answers[1:], strict=True)
        ]
        faults = penalties(suspects, before=answers[0][:n], wanted=self.wanted, words=self.words())
        return [pool[i] for i in sorted(range(len(pool)), key=lambda i: (faults[i], i))]

    def words(self) -> frozenset[str]:
        """Return the uncommon literals of the visible tests."""
        return frozenset().union(*(literals(_whole(unit.text)) for unit in self.evaluator.suite.units))

    def ask(self, programs: Sequence[Mapping[str, str]]) -> list[list[str]]:
        """Return each program's answers to all probes; one that dies of them has none but that."""
        probes = [*self.inputs, *self.shown]
        if not probes:
            return [[] for _ in programs]
        worker = self.evaluator.worker
        jobs = [
            worker.job([], sources=sources, ticks=self.baseline.ticks, cpu=4 * QUICK_CPU, probes=probes)
            for sources in programs
        ]
        units = len(self.evaluator.suite.units)
        reports = [read_report(body, units) for body in worker.run(jobs)]
        dead = ["raises Killed"] * len(probes)
        return [list(r.answers) if len(r.answers) == len(probes) else dead for r in reports]


def _whole(text: str) -> str:
    try:
        ast.parse(text)
    except SyntaxError:
        return ""
    return text
