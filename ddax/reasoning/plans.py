"""Several plans drawn for one expansion: how often a child is proposed is its prior P(a|s).

Near-duplicates, by their action or by their embedding, count as one child. Leaves out normalising P,
which is done where children are added to the DAG.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ddax.configs.settings import Context
from ddax.memory.protocol import Embedder
from ddax.reasoning import protocol as p
from ddax.reasoning.budget import FREE, BudgetKeeper, MeteredReasoner, Place, charge, usage_of
from ddax.reasoning.effort import effort_of
from ddax.types import Proposal, Usage

ALIKE = 0.9
"""Cosine from which two children of the same kind are one."""


def metered(
    reasoner: p.Reasoner, keeper: BudgetKeeper, *, spent: Usage, settings: Context, place: Place | None,
    embedder: Embedder,
) -> MeteredReasoner:  # fmt: skip
    """Return a reasoner behind its caps, with the effort that what was `spent` leaves."""
    if reasoner.name in FREE:
        return MeteredReasoner(reasoner, keeper, place=place)
    effort = effort_of(spent, settings.budget, settings.models)
    if settings.models.samples == 1 or effort != "full":
        return MeteredReasoner(reasoner, keeper, effort=effort, place=place)
    return SampledReasoner(
        reasoner, keeper, place=place, embedder=embedder, samples=settings.models.samples,
        temperature=settings.models.sample_temperature,
    )  # fmt: skip


class SampledReasoner(MeteredReasoner):
    """A metered reasoner that draws several plans for each expansion."""

    def __init__(
        self, inner: p.Reasoner, keeper: BudgetKeeper, *, place: Place | None, embedder: Embedder,
        samples: int, temperature: float,
    ) -> None:  # fmt: skip
        super().__init__(inner, keeper, place=place)
        self._embedder, self._samples, self._temperature = embedder, samples, temperature

    async def expand(self, request: p.ExpandRequest) -> p.Expansion:
        """Draw the plans and join them; those that failed are left out, unless all did."""
        warm = replace(request, temperature=max(request.temperature, self._temperature))
        drawn = await asyncio.gather(
            *(super(SampledReasoner, self).expand(replace(warm, seed=request.seed + k))
              for k in range(self._samples)),
            return_exceptions=True,
        )  # fmt: skip
        plans = [plan for plan in drawn if isinstance(plan, p.Expansion)]
        errors = [error for error in drawn if isinstance(error, BaseException)]
        usage = reduce(add, [*(plan.usage for plan in plans), *map(usage_of, errors)], Usage())
        if not plans:
            charge(errors[0], usage)
            raise errors[0]
        texts = [text_of(child) for plan in plans for child in plan.children]
        rows = await asyncio.to_thread(self._embedder.embed, texts) if texts else np.zeros((0, 1))
        children = joined([plan.children for plan in plans], rows, width=request.width)
        demands = dict.fromkeys(words for plan in plans for words in plan.requirements)
        return p.Expansion(children, usage, requirements=tuple(demands))


class _Place(NamedTuple):
    """Where a proposal stands: its plan, and its position in it."""

    plan: int
    position: int


def text_of(child: Proposal) -> str:
    """Return what two children are compared by: the arguments of the action, else the idea itself."""
    if child.action is None:
        return f"{child.title}. {child.expected}"
    return " ".join([child.action["name"], *map(str, child.action["args"].values())])


def joined(
    plans: Sequence[Sequence[Proposal]], rows: NDArray[np.floating], *, width: int
) -> tuple[Proposal, ...]:
    """Return the children of all plans, near-duplicates as one, most frequent first, at most `width`.

    `rows` are the unit embeddings of `text_of` in order of appearance; the prior of a child is the share
    of plans that propose it. An edge that would close a circle is left out.
    """
    places = [_Place(n, k) for n, plan in enumerate(plans) for k in range(len(plan))]
    groups = _groups([plans[n][k] for n, k in places], rows)
    members: dict[int, list[_Place]] = {}
    for place, group in zip(places, groups, strict=True):
        members.setdefault(group, []).append(place)
    share = {group: len({place.plan for place in found}) / len(plans) for group, found in members.items()}
    kept = sorted(members, key=lambda group: (-share[group], group))[:width]
    of_place = dict(zip(places, groups, strict=True))
    needs: dict[int, tuple[int, ...]] = {}
    for group in kept:
        first = members[group][0]
        wanted = (of_place[_Place(first.plan, need)] for need in plans[first.plan][first.position].needs)
        needs[group] = tuple(n for n in dict.fromkeys(wanted) if n in kept and not _reaches(needs, n, group))
    return tuple(
        replace(
            plans[members[group][0].plan][members[group][0].position],
            prior=share[group], needs=tuple(kept.index(n) for n in needs[group]),
        )
        for group in kept
    )  # fmt: skip


def _groups(children: Sequence[Proposal], rows: NDArray[np.floating]) -> list[int]:
    """Return for each child the first one it is the same as; itself, where there is none."""
    found: list[int] = []
    for index, child in enumerate(children):
        firsts = (k for k in range(index) if found[k] == k)
        same = (k for k in firsts if _same(children[k], child, float(rows[k] @ rows[index])))
        found.append(next(same, index))
    return found


def _same(a: Proposal, b: Proposal, cosine: float) -> bool:
    """Tell whether two plans mean one child: words that nearly say the same are, two documents never."""
    if a.action is None or b.action is None:
        return a.action is b.action and cosine >= ALIKE
    if a.action["name"] != b.action["name"]:
        return False
    # Two documents may be called almost the same and be different ones.
    if "source" in a.action["args"] or "source" in b.action["args"]:
        return a.action["args"] == b.action["args"]
    return text_of(a).casefold() == text_of(b).casefold() or cosine >= ALIKE


def _reaches(needs: dict[int, tuple[int, ...]], start: int, goal: int) -> bool:
    """Tell whether `start` needs `goal`, directly or through others, or is it."""
    return start == goal or any(_reaches(needs, n, goal) for n in needs.get(start, ()))
