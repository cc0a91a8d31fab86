"""Rules (chunks): what worked becomes a plan for the like of it, with how it has fared since.

A rule has a situation, a plan of actions, a precondition, a success rate and an activation. Its record
is a log of uses, so that a task sees every rule as it stood when the task opened.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from ddax.memory.protocol import Memory
from ddax.memory.records import digest
from ddax.types import JsonDict

RULES, USES = "rules", "rule_uses"
PRIOR, STRENGTH = 0.5, 2.0
"""Mean and weight of what is believed of a plan before it was ever used."""
SECONDS_PER_HOUR = 3600.0
LOST_IN_A_ROW = 2
"""Failures one after the other that retract a rule, however well it did before."""
MANY = 1_000_000


@dataclass(frozen=True)
class PlanStep:
    """Read the document of a name of the task (`slot`), or else the one a sentence like `cue` names.

    `said` is what was found there, with the names of the task left open.
    """

    said: str
    slot: int | None = None
    cue: str = ""


@dataclass(frozen=True)
class Rule:
    """A plan for a situation: the task's words with its names left open.

    The precondition is the number of names (`slots`) and that each has a document; `answer` is the
    sentence that carried the answer, with names left open: the plan held if it leads to one like it.
    `origins` are those of what it was learned from, None where nobody has kept them, and `rests_on` the
    rows it was learned from; two rules that differ in these alone are one.
    """

    situation: str
    slots: int
    plan: tuple[PlanStep, ...]
    answer: str
    origins: tuple[str, ...] | None = field(default=None, compare=False)
    rests_on: tuple[str, ...] = field(default=(), compare=False)

    @property
    def id(self) -> str:
        """A hash of the situation and the plan."""
        shape = [(step.slot, step.cue) for step in self.plan]
        return digest("rule", self.situation, json.dumps(shape))[:16]

    def row(self, task: str) -> JsonDict:
        """Return the row it is stored as."""
        row = {"kind": "plan", "text": self.situation, "rule": self.id, "task": task, **asdict(self)}
        if self.origins is None:
            del row["origins"]
        return row


@dataclass(frozen=True)
class Standing:
    """How a rule has fared: successes, failures, hours since it last worked, failures in a row."""

    successes: int
    failures: int
    age_hours: float
    lost: int

    @property
    def rate(self) -> float:
        """The success rate, as the mean of a Beta with a prior of ½ and weight 2."""
        return (self.successes + PRIOR * STRENGTH) / (self.successes + self.failures + STRENGTH)

    def activation(self, decay: float) -> float:
        """Return ln(frequency) − decay · age, the age in hours."""
        return math.log(max(1, self.successes + self.failures)) - decay * self.age_hours

    @property
    def retracted(self) -> bool:
        """Whether it failed as often as it worked, or the last times it was tried."""
        return self.rate <= PRIOR or self.lost >= LOST_IN_A_ROW


@dataclass(frozen=True)
class Match:
    """A rule for a situation, its likeness in [-1, 1] and its standing."""

    rule: Rule
    similarity: float
    standing: Standing


async def learn(memory: Memory, rule: Rule, *, task: str, at: float) -> None:
    """Store a rule that has just worked; one that is known counts one more success."""
    await memory.log(RULES, rule.row(task), key=rule.id)
    await count_use(memory, rule.id, task=task, ok=True, at=at)


async def count_use(memory: Memory, rule: str, *, task: str, ok: bool, at: float) -> None:
    """Count how a rule fared in a task, once; `at` is the opening of the task in seconds."""
    await memory.log(USES, {"rule": rule, "task": task, "ok": ok, "at": at}, key=f"{task}:{rule}")


async def matching(
    memory: Memory, situation: str, *, slots: int, now: float, minimum: float, decay: float, min_rate: float
) -> list[Match]:
    """Return the rules that may be used, best first: likeness times success rate, then activation."""
    found = await memory.find(RULES, situation, now=now, k=20, minimum=minimum)
    fitting = [(rule, hit.similarity) for hit in found if (rule := _rule(hit.row)).slots == slots]
    # Asked for at the same moment they share one walk through the log.
    uses = await asyncio.gather(
        *(memory.rows(USES, limit=MANY, committed_before=now, rule=rule.id) for rule, _ in fitting)
    )
    matches = [
        Match(rule, likeness, standing(of_rule, now=now))
        for (rule, likeness), of_rule in zip(fitting, uses, strict=True)
    ]
    usable = [m for m in matches if m.standing.rate >= min_rate and not m.standing.retracted]
    return sorted(
        usable, key=lambda m: (-m.similarity * m.standing.rate, -m.standing.activation(decay), m.rule.id)
    )


def standing(uses: Sequence[JsonDict], *, now: float) -> Standing:
    """Fold the uses of one rule, oldest first."""
    lost = 0
    for use in uses:
        lost = 0 if use["ok"] else lost + 1
    worked = [float(use["at"]) for use in uses if use["ok"]]
    age = max(0.0, now - max(worked, default=now)) / SECONDS_PER_HOUR
    return Standing(len(worked), len(uses) - len(worked), age, lost)


def _rule(row: JsonDict) -> Rule:
    plan = tuple(PlanStep(**step) for step in row["plan"])
    origins = tuple(map(str, row["origins"])) if "origins" in row else None
    rests_on = tuple(map(str, row.get("rests_on", ())))
    return Rule(str(row["situation"]), int(row["slots"]), plan, str(row["answer"]), origins, rests_on)
