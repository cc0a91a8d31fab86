"""Asks plausible repairs, in the sandbox, what they do beyond the tests, and orders them by it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence

from ddax.evolution.baseline import Baseline
from ddax.evolution.evaluator import CodeEvaluator
from ddax.evolution.judging.branches import READ, dropped, lost, watched
from ddax.evolution.judging.inputs import Probe, changed_classes, changed_functions, examples, probes_of
from ddax.evolution.judging.ranking import Suspect, Written, literals, missing, penalties
from ddax.evolution.judging.varied_tests import variants_of
from ddax.evolution.localise import read_report
from ddax.evolution.search import QUICK_CPU, Found

PROBING, VARYING = 4 * QUICK_CPU, 2.0
"""Seconds that all probes of a program may use, without and with variants of tests."""
DEAD = "raises Killed"
"""The answer of a program that dies of the probes."""


class Ranker:
    """Orders the plausible repairs of one program."""

    def __init__(self, evaluator: CodeEvaluator, baseline: Baseline, files: Mapping[str, str]) -> None:
        self.evaluator, self.baseline, self.files = evaluator, baseline, {**files, **baseline.changed}
        self.original = files
        self.inputs: list[Probe] = []
        self.variants: list[Probe] = []
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
        objects = {
            name
            for found in pool
            for path, text in found.sources.items()
            for name in changed_classes(self.files[path], text)
        }
        self.inputs = probes_of(self.baseline.seen.calls, changed)
        self.variants = self.varied(objects)
        answers = self.ask([self.baseline.changed, *(found.sources for found in pool)], paths)
        before, suspects = self.suspects(pool, answers)
        faults = penalties(suspects, before=before, wanted=self.wanted, words=self.words())
        return [pool[i] for i in sorted(range(len(pool)), key=lambda i: (faults[i], i))]

    def suspects(
        self, pool: Sequence[Found], answers: Sequence[Sequence[str]]
    ) -> tuple[list[str], list[Suspect]]:
        """Return the unchanged program's answers, and the repairs as their own show them."""
        n = len(self.inputs)
        m, end = n + len(self.variants), n + len(self.variants) + len(self.shown)
        first, effects = answers[0], int(bool(self.variants))
        known = effects and first[end] != DEAD  # else nothing is known of what is to be kept
        # A test that passes shows what is right already; one that fails, what is to change.
        near = [n + i for i, v in enumerate(self.variants) if v["unit"] in self.baseline.passing]
        made = [
            Suspect(
                found.rank,
                tuple(self.written(found)),
                tuple(a[:n]),
                tuple(a[m:end]),
                lost(a[end + effects :], first[end + effects :]) if a else self.dropped(found),
                missing(a[end], first[end]) if known else 0.0,
                sum(a[i] != first[i] for i in near) / len(near) if known and near else 0.0,
            )
            for found, a in zip(pool, answers[1:], strict=True)
        ]
        return list(first[:n]), made

    def varied(self, names: Collection[str]) -> list[Probe]:
        """Return variants of the visible tests, where classes are changed, of which these are `names`."""
        if not names:
            return []
        return variants_of(self.evaluator.suite.units, names)

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
        if not self.inputs and not self.variants and not self.shown:
            return [[] for _ in programs]
        # The probes run in order, so the last ones say what all before them took.
        read = [{"path": path, "code": READ} for path in paths]
        effects = [{"effects": True}] if self.variants else []
        probes = [*self.inputs, *self.variants, *self.shown, *effects, *read]
        crew = self.evaluator.crew
        jobs = [
            self.evaluator.worker.job(
                [],
                sources={path: self.watch(sources.get(path, self.files[path])) for path in paths},
                ticks=self.baseline.ticks,
                cpu=VARYING if self.variants else PROBING,
                probes=probes,
            )
            for sources in programs
        ]
        units = len(self.evaluator.suite.units)
        # One frame each: the variants of long tests are long.
        reports = [read_report(body, units) for body in crew.run(jobs, share=1)]
        dead = [DEAD] * len(probes)
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
