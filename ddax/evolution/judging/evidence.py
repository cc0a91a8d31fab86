"""Weighs what speaks for a patch beside the tests that it was searched by: whether it is a fix.

Two things have to hold. Each kind of edit needs evidence of its own, as `kinds.json` has it, more where
an edit switches behaviour off than where it turns a sign; and the chance that the patch is right, as a
small logistic model reads it from the evidence and the edit, must reach a threshold: `weights.json`, made
by `benchmarks/train_repair.py`. So a failing test that passes is never enough.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass

from ddax.evolution.judging.changes import facts
from ddax.evolution.tables import table

ORDINARY = "a small edit"
ESTIMATED = "its chance to be right is estimated at"


@dataclass(frozen=True)
class Evidence:
    """Counts of what speaks for a patch; see `kinds.json` for what each one is.

    `kept` are examples of docstrings that hold as before, `rivals` other patches that pass every test and
    behave otherwise, `left` failing tests of the changed code that fail as before.
    """

    mended: int = 0
    unseen: int = 0
    covering: int = 0
    examples: int = 0
    agreed: int = 0
    kept: int = 0
    rivals: int = 0
    left: int = 0

    def has(self, needs: Mapping[str, int]) -> bool:
        """Say whether every kind of evidence is there in the number that is needed."""
        counts = asdict(self)
        return all(counts[name] >= least for name, least in needs.items())


@dataclass(frozen=True)
class Finding:
    """What was made of a patch.

    Its evidence, the kinds of its edits, how likely it is to be right, in [0, 1], and in words what it
    `lacks` to count as a fix: nothing where it is one.
    """

    evidence: Evidence
    kinds: tuple[str, ...]
    chance: float
    lacks: tuple[str, ...]
    features: Mapping[str, float]

    @property
    def fixed(self) -> bool:
        """Say whether the patch counts as a fix."""
        return not self.lacks


def kind_of(found: Collection[str]) -> tuple[str, list[dict[str, int]]]:
    """Return the kind of a change by its facts, and the alternatives of evidence that it needs."""
    row = next(row for row in table("judging/kinds")["kinds"] if set(row["facts"]) <= set(found))
    return row["kind"], row["needs"]


def weigh(
    evidence: Evidence, before: Mapping[str, str], after: Mapping[str, str], *,
    told: Collection[str], features: Mapping[str, float],
) -> Finding:  # fmt: skip
    """Say what a patch of some files is worth; `features` are further ones of its edits."""
    found = [
        one for path, text in after.items() if text != before[path]
        for one in facts(before[path], text, told=told, elsewhere=before)
    ]  # fmt: skip
    rows = [kind_of(one) for one in found]
    kinds = tuple(dict.fromkeys(kind for kind, _ in rows))
    counts = {name: math.log1p(count) for name, count in asdict(evidence).items()}
    doubtful = float(sum(kind != ORDINARY for kind in kinds))
    whole = {**counts, **features, "doubtful": doubtful, "told": float(any("told" in one for one in found))}
    chance = probability(whole)
    lacks = [_lack(kind, needs) for kind, needs in rows if not any(map(evidence.has, needs))]
    model = table("judging/weights")
    if not lacks and chance < (least := model["threshold"]):
        lacks = [f"{ESTIMATED} {chance:.0%}, and a fix needs {least:.0%}"]
    elif not lacks and features.get("size", 0.0) > model["largest"]:
        lacks = [f"{ESTIMATED} {chance:.0%}, by what was learned from smaller patches"]
    return Finding(evidence, kinds, chance, tuple(dict.fromkeys(lacks)), whole)


def probability(features: Mapping[str, float]) -> float:
    """Return the chance in [0, 1] that a patch with these features is right."""
    model = table("judging/weights")
    value = model["bias"] + sum(w * features.get(name, 0.0) for name, w in model["weights"].items())
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, value))))


def _lack(kind: str, needs: Iterable[Mapping[str, int]]) -> str:
    """Say what a kind of edit needs that is not there: the two ways that are told in the fewest words."""
    ways = [" and ".join(_counted(name, least) for name, least in need.items()) for need in needs]
    wanted = ", or ".join(sorted(ways, key=len)[:2])
    return f"it is {kind}, which needs {wanted}" if wanted else f"it is {kind}, which no test can vouch for"


def _counted(name: str, least: int) -> str:
    one, many, rest = table("judging/kinds")["evidence"][name]["told"]
    return f"{least} {one if least == 1 else many} {rest}"
