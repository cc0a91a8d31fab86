"""What one agent's file holds and how it changes: pure functions on its JSON, in the source's schema.

Every event has an id made of its content, and is taken in once. The last 100 events of a kind stay
raw; older ones are counted in `long_term_stats.archived`, and those of the last 90 days by day in
`archived_days`. Reading and writing files is in
`ddax.memory.agents.agent_store`, the arithmetic of trust in `ddax.memory.agents.trust`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Literal

from ddax.memory.agents.dissents import citation_entropy, diversity_flag
from ddax.memory.agents.trust import (
    INITIAL_TRUST,
    PROBATION_ROUNDS,
    Formula,
    Tally,
    human_standing,
    trust_corrected,
    trust_of,
    trust_source,
)
from ddax.types import JsonDict

AGENT_SCHEMA = 1
RAW_EVENTS = 100
SEEN_EVENTS = 500
"""Ids of events that are remembered, so that a resumed run writes none of them again."""
WINDOW_DAYS = 90
HUMAN = "human"
"""The role of a human; the standing of a human stands where an agent's trust does."""

Kind = Literal["dissent_history", "override_history", "agreement_history"]
KINDS: tuple[Kind, ...] = ("dissent_history", "override_history", "agreement_history")


def new_agent(name: str, now: float, *, role: str = "") -> JsonDict:
    """Return the memory of an agent nothing is known of."""
    return {
        "schema": AGENT_SCHEMA, "agent_name": name, "model": "", "primary_role": role,
        "dissent_history": [], "override_history": [], "agreement_history": [],
        "trust_score": INITIAL_TRUST,
        "trust_by_formula": {"source": INITIAL_TRUST, "corrected": INITIAL_TRUST},
        "trust_score_history": [{"timestamp": stamp(now), "score": INITIAL_TRUST, "reason": "initial"}],
        "long_term_stats": {**_stats(Tally()), "archived": vars(Tally()), "archived_days": {}},
        "rounds_participated": 0, "probation_until": None, "probation_ended": None,
        "citation_diversity": None, "flag": "", "seen": [],
    }  # fmt: skip


def has_form(found: JsonDict) -> bool:
    """Tell whether what a file holds is an agent's memory, of this schema or an older one."""
    form = new_agent("", 0.0)
    events = [entry for kind in KINDS for entry in found.get(kind) or ()]
    return (
        "agent_name" in found
        and all(_alike(value, form.get(key)) for key, value in found.items())
        and found.get("schema", AGENT_SCHEMA) <= AGENT_SCHEMA
        and all(isinstance(entry, dict) for entry in events)
    )


def _alike(value: object, form: object) -> bool:
    """Tell whether a value is of the kind that a new agent has in its place; None there says nothing."""
    if isinstance(form, int | float):
        return isinstance(value, int | float)
    return form is None or isinstance(value, type(form))


def completed(agent: JsonDict) -> JsonDict:
    """Return a stored agent with the keys that an older file lacks."""
    form = new_agent(str(agent["agent_name"]), 0.0)
    stats = {**form["long_term_stats"], **agent.get("long_term_stats", {})}
    return {**form, **agent, "long_term_stats": stats}


def take_in(agent: JsonDict, event: str, kind: Kind | None, entry: JsonDict) -> bool:
    """Take in an event once: append its entry, if it has one; tell whether it was new."""
    if event in agent["seen"]:
        return False
    agent["seen"] = [*agent["seen"], event][-SEEN_EVENTS:]
    if kind is not None:
        agent[kind].append(entry)
    return True


def count_round(agent: JsonDict, now: float) -> None:
    """Count a round; probation ends with the fifth."""
    agent["rounds_participated"] += 1
    if agent["rounds_participated"] >= PROBATION_ROUNDS and agent["probation_ended"] is None:
        agent["probation_ended"] = stamp(now)


def find(agent: JsonDict, kind: Kind, event: str) -> JsonDict | None:
    """Return the raw entry with this id."""
    return next((entry for entry in agent[kind] if entry.get("id") == event), None)


def settle(agent: JsonDict, now: float, reason: str, formula: Formula) -> None:
    """Archive old events and compute the trust; the score is written to the history where it moved."""
    _archive(agent, now)
    tally = tally_of(agent, now)
    score = score_of(agent, now, formula)
    agent["trust_by_formula"] = {"source": trust_source(tally), "corrected": trust_corrected(tally)}
    if score != agent["trust_score"]:
        moved = {"timestamp": stamp(now), "score": score, "reason": reason}
        agent["trust_score_history"] = [*agent["trust_score_history"], moved][-RAW_EVENTS:]
    agent["trust_score"] = score
    whole = _count(agent, now, "")
    total = whole.overrides + agent["long_term_stats"]["archived"]["overrides"]
    agent["long_term_stats"].update(_stats(tally), total_overrides=total)
    agent["citation_diversity"] = citation_entropy(agent["dissent_history"])
    agent["flag"] = diversity_flag(agent["dissent_history"], score)


def score_of(agent: JsonDict, now: float, formula: Formula) -> float:
    """Return the trust in an agent, or the standing of a human, as of a time; deadlines count."""
    tally = tally_of(agent, now)
    return human_standing(tally) if agent["primary_role"] == HUMAN else trust_of(tally, formula)


def tally_of(agent: JsonDict, now: float) -> Tally:
    """Count an agent's events of the last 90 days; all of its history where there are none."""
    since = _window(now)
    recent = sum(_days(agent, since).values(), _count(agent, now, since))
    if not recent.empty:
        return recent
    return _count(agent, now, "") + Tally(**agent["long_term_stats"]["archived"])


def stamp(now: float) -> str:
    """Write a time as UTC to the millisecond, so that texts compare as times do."""
    return datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def is_settled(override: Mapping[str, object], now: float) -> bool:
    """Tell whether an override is regretted, vindicated, or past its deadline."""
    deadline = str(override["auto_check_deadline"])
    return bool(override["regret"] or override.get("vindicated")) or deadline <= stamp(now)


def _window(now: float) -> str:
    return stamp(now - timedelta(days=WINDOW_DAYS).total_seconds())


def _days(agent: JsonDict, since: str) -> dict[str, Tally]:
    """Return by day what is archived of the window; the day it begins in counts whole."""
    days = agent["long_term_stats"].get("archived_days", {})  # an older file has none
    return {day: Tally(**counts) for day, counts in days.items() if day >= since[:10]}


def _archive(agent: JsonDict, now: float) -> None:
    """Move what is older than the last 100 events of each kind into the counts, those of all and of its day.

    An override that may still be reverted stays raw, whatever comes after it.
    """
    stats, days = agent["long_term_stats"], _days(agent, _window(now))
    old: JsonDict = {}
    for kind in KINDS:
        early, late = agent[kind][:-RAW_EVENTS], agent[kind][-RAW_EVENTS:]
        open_ = [e for e in early if kind == "override_history" and not is_settled(e, now)]
        old[kind] = [entry for entry in early if entry not in open_]
        agent[kind] = [*open_, *late]
    for day in sorted({entry["timestamp"][:10] for kind in KINDS for entry in old[kind]}):
        of_day: JsonDict = {k: [e for e in old[k] if e["timestamp"][:10] == day] for k in KINDS}
        days[day] = days.get(day, Tally()) + _count(of_day, now, "")
    stats["archived"] = vars(Tally(**stats["archived"]) + _count(old, now, ""))
    stats["archived_days"] = {day: vars(counts) for day, counts in days.items() if day >= _window(now)[:10]}


def _count(agent: JsonDict, now: float, since: str) -> Tally:
    heard, overruled, agreed = ([e for e in agent[kind] if e["timestamp"] >= since] for kind in KINDS)
    silent = [e for e in agreed if e["kind"] == "review"]
    right = [e for e in heard if e["verified_better"] is True]
    wrong = [e for e in heard if e["verified_better"] is False]
    return Tally(
        dissents=len(heard),
        impactful=sum(bool(e["impact"]) for e in heard),
        verified=len(right),
        depth=sum(float(e["depth_score"]) for e in heard),
        overrides=len(overruled),
        settled=sum(is_settled(e, now) for e in overruled),
        regretted=sum(bool(e["regret"]) for e in overruled),
        wrong=len(wrong),
        held=sum(float(e["depth_score"]) for e in heard if e["verified_better"] is not False),
        missed=sum(e["right"] is False for e in silent),
        agreed=sum(e["right"] is True for e in silent),
        approved=len(agreed) - len(silent),
    )


def _stats(tally: Tally) -> JsonDict:
    dissents, overrides = max(1, tally.dissents), max(1, tally.overrides)
    return {
        "avg_dissent_depth_last_90d": tally.depth / dissents,
        "dissent_impact_ratio_last_90d": tally.impactful / dissents,
        "total_overrides": tally.overrides,
        "regret_rate_last_90d": tally.regretted / overrides,
    }
