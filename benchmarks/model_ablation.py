"""What each ceremony brings with a real model: two-hop questions with one of them switched off at a time.

Same model, questions and kept replies as `model-questions`, but a plan comes first (`effort: deep`): on the
quick road there is nothing to switch off. Every variant keeps one memory over all questions, so that lessons
and rules have something to be recalled for. Asked in rounds, question by question, so a run that
`DDAX_BENCH_MINUTES` cuts has as many of each. What a ceremony brings is the share of right answers with it
less that without, a thousand tokens that it costs; intervals are over questions, in pairs.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from benchmarks import hotpot
from benchmarks.core import Figure, Options, Result, bootstrap, paired_bootstrap
from benchmarks.hotpot import Case
from benchmarks.local_model import missing
from benchmarks.model_questions import Clock, Fate, asked_of, kept_for, right_of, served_model
from benchmarks.relay import Relay, relayed

NAME = "model-ablation"
DESCRIPTION = "two-hop questions with a real local model: each ceremony switched off in turn"
QUICK = 4
ALL, REFERENCE = "everything on", "quick road"
RIGID_NEVER = "rigid-never.yaml"
"""An identity whose rigidity stays where it begins, at none, and which never protects itself."""
UNMOVED = """name: unmoved
statement: I complete the task I am given.
alpha: 1.0e-9
gamma: 0.0
initial_rho: 0.0
protect_threshold: 1.0
protect_after: 1000000
"""
OFF: Mapping[str, Mapping[str, Any]] = MappingProxyType({
    "debate": {"debate": {"gate": "never"}},
    "judge": {"debate": {"ask": "never"}},
    "verify": {"mood": {"verify": False}},
    "reflection and lessons": {"rules": {"lessons": False}},
    "rules": {"rules": {"enabled": False}},
    "rigidity": {"identity": RIGID_NEVER},
    "metacognition": {"mood": {"enabled": False}},
})  # fmt: skip
"""What switches each ceremony off; all of it are settings that anybody can make."""


def run(options: Options) -> Result:
    """Ask every variant; without a model of this machine say so."""
    cases, pool = hotpot.load(options.file(hotpot.FILE))
    if why := missing():
        return Result(NAME, (), (options.seed,), notes=(f"not run: {why}",))
    cases = [*cases[1::2], *cases[::2]]  # those that the prompts were not made on come first
    asked = cases[:QUICK] if options.quick else cases
    with (
        served_model() as (server, model),
        relayed(server, kept_for(model)) as relay,
        tempfile.TemporaryDirectory() as at,
    ):
        found = asyncio.run(rounds(asked, pool, relay, Path(at), options.seed))
    notes = (
        f"{model}, temperature 0; tokens as its server counts them, with the form of replies at four"
        " characters a token; a plan comes first, but on the quick road",
        *(f"{who}: {one.error[:160]}" for who, fates in found.items() for one in fates if one.error),
    )
    return Result(NAME, tuple(figures(asked, found, options.seed)), (options.seed,), notes=notes)


def variants(place: Path) -> dict[str, dict[str, Any]]:
    """Return the settings of every variant by its name; `place` holds the file of the unmoved identity."""
    (place / RIGID_NEVER).write_text(UNMOVED, encoding="utf-8")
    deep: dict[str, Any] = {"effort": "deep"}
    found = {ALL: deep}
    none: dict[str, Any] = dict(deep)
    for name, change in OFF.items():
        own = {key: str(place / RIGID_NEVER) if key == "identity" else value for key, value in change.items()}
        found[f"without {name}"] = {**deep, **own}
        for key, value in own.items():
            none[key] = {**none.get(key, {}), **value} if isinstance(value, Mapping) else value
    return {**found, "without any": none, REFERENCE: {"effort": "quick"}}


async def rounds(
    cases: Sequence[Case], pool: Mapping[str, str], relay: Relay, place: Path, seed: int
) -> dict[str, list[Fate]]:
    """Ask each question of every variant before the next one; a round that was begun is ended."""
    clock, bench = Clock(), await hotpot.bench_of(dict(pool), place, seed)
    asks = variants(place)
    found: dict[str, list[Fate]] = {name: [] for name in asks}
    for case in cases:
        if clock.over():
            break
        for number, (name, settings) in enumerate(asks.items()):
            own = {"namespace": "ablation", **settings}
            found[name].append(await asked_of(bench, case, relay, own, home=place / f"home-{number}"))
    return found


def figures(cases: Sequence[Case], found: Mapping[str, Sequence[Fate]], seed: int) -> Iterator[Figure]:
    """Return what each variant got and took, and what each ceremony brought."""
    right = {who: right_of(cases, fates) for who, fates in found.items() if fates}
    for who, values in right.items():
        got, fates = bootstrap(values, seed=seed), found[who]
        yield Figure(f"{who}: answer in the answer (60 words)", got.value, "share", None, got.low, got.high,
                     len(values))  # fmt: skip
        yield Figure(f"{who}: calls a question", float(np.mean([f.calls for f in fates])), "", n=len(fates))
        yield Figure(f"{who}: tokens a question", float(np.mean([f.tokens for f in fates])), "", n=len(fates))
    for name in (*OFF, "any"):
        without = f"without {name}"
        if right.get(without):
            what = "all of them" if name == "any" else name
            yield from _brought(what, right[ALL], right[without], found[ALL], found[without], seed)


def _brought(
    name: str, on: Sequence[float], off: Sequence[float], paid: Sequence[Fate], unpaid: Sequence[Fate],
    seed: int,
) -> Iterator[Figure]:  # fmt: skip
    gain = paired_bootstrap(on, off, seed=seed)
    more = [float(a.tokens - b.tokens) for a, b in zip(paid, unpaid, strict=True)]
    cost = bootstrap(more, seed=seed)
    yield Figure(f"{name}: right answers it brings", gain.value, "", None, gain.low, gain.high, len(on))
    yield Figure(f"{name}: tokens it costs a question", cost.value, "", None, cost.low, cost.high, len(more))
    rate = per_thousand(on, off, more, seed)
    if rate is not None:
        yield Figure(f"{name}: right answers a 1,000 tokens", rate[0], "", None, rate[1], rate[2], len(on))


def per_thousand(
    on: Sequence[float], off: Sequence[float], more: Sequence[float], seed: int, *, draws: int = 4000
) -> tuple[float, float, float] | None:
    """Return the gain a thousand tokens with its interval; None where no more tokens are spent.

    A draw of questions in which it costs nothing says nothing of its price, and is left out.
    """
    gains, costs = np.subtract(on, off), np.asarray(more) / 1000
    if costs.mean() <= 0:
        return None
    picks = np.random.default_rng(seed).integers(len(gains), size=(draws, len(gains)))
    spent = costs[picks].mean(axis=1)
    rates = gains[picks].mean(axis=1)[spent > 0] / spent[spent > 0]
    low, high = np.quantile(rates, (0.025, 0.975))
    return float(gains.mean() / costs.mean()), float(low), float(high)
