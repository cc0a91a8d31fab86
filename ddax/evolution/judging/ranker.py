"""Asks plausible repairs, in the sandbox, what they do beyond the tests, and orders them by it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ddax.evolution.baseline import Baseline
from ddax.evolution.evaluator import CodeEvaluator
from ddax.evolution.inside.values import decode
from ddax.evolution.judging.branches import READ, dropped, lost, watched
from ddax.evolution.judging.changes import facts
from ddax.evolution.judging.inputs import (
    Probe,
    agrees,
    changed_classes,
    changed_functions,
    examples,
    probes_of,
)
from ddax.evolution.judging.ranking import Suspect, Written, literals, missing, penalties
from ddax.evolution.judging.varied_tests import variants_of
from ddax.evolution.localise import read_report
from ddax.evolution.records import Difference
from ddax.evolution.sandbox.worker import UNLIMITED
from ddax.evolution.search import QUICK_CPU, Found

PROBING, VARYING = 4 * QUICK_CPU, 2.0
"""Seconds that all probes of a program may use, without and with variants of tests."""
DEAD = "raises Killed"
"""The answer of a program that dies of the probes."""


@dataclass(frozen=True)
class Ranked:
    """A plausible repair with its answers to the probes and the features of its edits.

    It mends `examples` of docstrings, and keeps others.
    """

    found: Found
    answers: tuple[str, ...]
    features: Mapping[str, float]
    examples: int = 0
    kept: int = 0


class Ranker:
    """Orders the plausible repairs of one program."""

    def __init__(
        self, evaluator: CodeEvaluator, baseline: Baseline, files: Mapping[str, str], *,
        seconds: float = UNLIMITED,
    ) -> None:  # fmt: skip
        self.seconds = seconds
        self.evaluator, self.baseline, self.files = evaluator, baseline, {**files, **baseline.changed}
        self.original = files
        self.inputs: list[Probe] = []
        self.variants: list[Probe] = []
        self.before: Sequence[str] = ()
        self.idle = 0.0  # share of branches that the unchanged program does not take
        targets = evaluator.suite.targets
        known = [row for path in targets for row in examples(path, files[path])]
        self.shown: list[Probe] = [probe for probe, _ in known]
        self.wanted = [want for _, want in known]

    def order(self, pool: Sequence[Found]) -> list[Ranked]:
        """Return the pool, the most trustworthy first; the order found decides among equals.

        What writes a value of the tests into the program comes last, whatever else speaks for it.
        """
        texts = [pair for found in pool for pair in found.sources.items()]
        paths = sorted({path for path, _ in texts})
        changed = {name for path, text in texts for name in changed_functions(path, self.files[path], text)}
        objects = {name for path, text in texts for name in changed_classes(self.files[path], text)}
        self.inputs = probes_of(self.baseline.seen.calls, changed)
        self.variants = self.varied(objects)
        answers = self.ask([self.baseline.changed, *(found.sources for found in pool)], paths)
        before, suspects = self.suspects(pool, answers)
        words = self.words()
        faults = penalties(suspects, before=before, wanted=self.wanted, words=words)
        ranked = [
            self.ranked(*row, answers[0]) for row in zip(pool, faults, suspects, answers[1:], strict=True)
        ]
        by_heart = [self.by_heart(found, words) for found in pool]
        order = sorted(range(len(pool)), key=lambda i: (by_heart[i], faults[i], i))
        return [ranked[i] for i in order]

    def ranked(
        self, found: Found, fault: float, suspect: Suspect, answers: Sequence[str], before: Sequence[str]
    ) -> Ranked:
        """Return what is known of a repair beside the tests, with its features for `evidence.weigh`."""
        end = len(self.inputs) + len(self.variants)
        behaviour = tuple(answers[:end])
        known = bool(answers) and DEAD not in (answers[0], before[0])
        other = sum(a != b for a, b in zip(behaviour, before, strict=False))
        moved = other / end if known and end else 0.0
        shown = list(zip(suspect.shown, before[end : end + len(self.wanted)], self.wanted, strict=False))
        now = [agrees(answer, want) for answer, _, want in shown]
        then = [agrees(answer, want) for _, answer, want in shown]
        features = {
            "rank": suspect.rank,
            "fault": fault,
            "size": math.log1p(sum(written.length() for written in suspect.written)),
            "edits": float(len(suspect.written)),
            "moved": moved,
            "lost": max(0.0, suspect.lost - self.idle) / (1.0 - self.idle) if self.idle < 1.0 else 0.0,
            "strays": suspect.strays,
        }
        return Ranked(
            found, behaviour if DEAD not in behaviour[:1] else (), features,
            examples=sum(known and a and not b for a, b in zip(now, then, strict=True)),
            kept=sum(a and b for a, b in zip(now, then, strict=True)),
        )  # fmt: skip

    def by_heart(self, found: Found, words: frozenset[str]) -> bool:
        """Say whether a repair writes a value of the tests that stands nowhere in the program."""
        changed = ((p, t) for p, t in found.sources.items() if t != self.original[p])
        return any(
            "told" in one for p, t in changed
            for one in facts(self.original[p], t, told=words, elsewhere=self.original)
        )  # fmt: skip

    def difference(self, some: Sequence[Ranked]) -> Difference | None:
        """Return an input on which repairs differ, one that tells most of them apart; None where none is."""
        rows = list(zip(*(one.answers for one in some), strict=False))
        apart = max(range(len(rows)), key=lambda i: (len(set(rows[i])), -i), default=None)
        if apart is None or len(set(rows[apart])) < 2:
            return None
        return Difference(self.asked(apart), self.before[apart], rows[apart])

    def asked(self, index: int) -> str:
        """Write an input as a person would."""
        if index < len(self.inputs):
            probe = self.inputs[index]
            arguments = ", ".join(repr(decode(a, _no)) for a in probe["args"])
            return f"{probe['name']}({arguments})"
        text = str(self.variants[index - len(self.inputs)]["text"])
        return "\n".join(line for line in text.splitlines() if "__" not in line) or text

    def suspects(
        self, pool: Sequence[Found], answers: Sequence[Sequence[str]]
    ) -> tuple[list[str], list[Suspect]]:
        """Return the unchanged program's answers, and the repairs as their own show them."""
        n = len(self.inputs)
        m, end = n + len(self.variants), n + len(self.variants) + len(self.shown)
        first, effects = answers[0], int(bool(self.variants))
        self.before = first
        self.idle = lost(first[end + effects :], first[end + effects :])
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
        return frozenset().union(*(literals(unit.text) for unit in self.evaluator.suite.units))

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
        reports = [read_report(body, units) for body in crew.run(jobs, seconds=self.seconds, share=1)]
        dead = [DEAD] * len(probes)
        return [list(r.answers) if len(r.answers) == len(probes) else dead for r in reports]

    def watch(self, text: str) -> str:
        """Return a text whose conditions are noted, or as it is where it is no program."""
        try:
            return watched(text)
        except SyntaxError:
            return text


def _no(_data: Any) -> Any:
    raise ValueError("not a plain value")
