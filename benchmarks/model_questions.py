"""Two-hop questions with a real model of this machine: ours beside one plain call and three agents.

All ask the same model, over the same pooled paragraphs as `hotpot`. Every reply is kept in the user's cache
(`DDAX_BENCH_KEPT` names another folder), so a run that was cut goes on where it was; `DDAX_BENCH_MINUTES`
ends it early, with the questions asked so far. `DDAX_BENCH_ONLY` names who is asked and how many
questions at most (`ddax, quick=24; BM25 and one call=24`). The model is that of `local_model`.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from benchmarks import hotpot
from benchmarks.core import Figure, Options, Result, Target, bootstrap, paired_bootstrap
from benchmarks.hotpot import Case, holds
from benchmarks.local_model import LOCAL_FILE, URL, missing, named
from benchmarks.peers import lookup
from benchmarks.peers.driving import Failed, Peer, once
from benchmarks.relay import Relay, relayed

NAME = "model-questions"
DESCRIPTION = "two-hop questions with a real local model: ours, one plain call and three agents"
TOLD = "Answer the question in at most 60 words. Say that it is not known rather than guess."
QUICK = 6
HIDING, UNSEEN = 25, 25
OURS, PLAIN = "ddax", "BM25 and one call"
EFFORTS = {"normal": 20, "deep": 10}
_QUOTED = re.compile(r"^> .*$", re.MULTILINE)
HIDDEN = f"{OURS}, quick, supporting documents removed"
PEERS = (
    (Peer("LangChain create_agent", "langchain_agent", "langchain"), "shown", 25),
    (Peer("smolagents", "smolagents", "smolagents"), "shown", 10),
    (Peer("gpt-researcher", "gpt_researcher", "gpt-researcher"), "research", 3),
)
"""Each with its task, and how many questions it gets: one that takes minutes a question gets fewer."""
ONLY = "DDAX_BENCH_ONLY"
LIMIT = 3600.0
"""Seconds for one question of a peer: the model may be slow, and is not what is compared."""


@dataclass(frozen=True)
class Fate:
    """How a question ended: the answer, whether one was given, what it took, and what went wrong."""

    answer: str
    found: bool
    calls: int
    tokens: int
    seconds: float
    short: str = ""
    error: str = ""


Ask: TypeAlias = Callable[[Case], Fate]


class Clock:
    """The time that is left for asking."""

    def __init__(self) -> None:
        minutes = float(os.environ.get("DDAX_BENCH_MINUTES", "0"))
        self._end = time.monotonic() + 60 * minutes if minutes else float("inf")

    def over(self) -> bool:
        """Tell whether no further question is to be asked."""
        return time.monotonic() > self._end


def run(options: Options) -> Result:
    """Ask everyone; without a model of this machine say so."""
    cases, pool = hotpot.load(options.file(hotpot.FILE))
    # Those that the prompt was not made on come first: a run that is cut says what counts.
    cases = [*cases[1::2], *cases[::2]]
    asked = cases[:QUICK] if options.quick else cases
    if why := missing():
        return Result(NAME, (), (options.seed,), notes=(f"not run: {why}",))
    with (
        served_model() as (server, model),
        relayed(server, kept_for(model)) as relay,
        tempfile.TemporaryDirectory() as at,
    ):
        found = _everyone(asked, pool, relay, Path(at), options)
    figures = [*_figures(asked, found, options.seed)]
    only = os.environ.get(ONLY)
    notes = (
        *((f"{ONLY}={only!r}: nobody else was asked",) if only else ()),
        f"{model}, temperature 0; tokens as its server counts them, with the form of replies at four"
        " characters a token; seconds are those of the model alone, on a machine with other work",
        f"{len(pool)} pooled paragraphs; an answer is right where it holds the gold one in at most 60 words;"
        " questions with an even place in the file were used in making the prompt, and are asked last",
        *(f"{who}: {one.error[:160]}" for who, fates in found.items() for one in fates if one.error),
    )
    return Result(NAME, tuple(figures), (options.seed,), notes=notes)


@contextmanager
def served_model() -> Iterator[tuple[str, str]]:
    """Return the address of the model and its name; one of our own server where none is named."""
    if address := os.environ.get(URL):
        yield address, named()
        return
    from ddax.reasoning.local.server import LocalServer

    server = LocalServer(LOCAL_FILE)
    try:
        yield server.address.removesuffix("/v1"), named()
    finally:
        server.close()


def kept_for(model: str) -> Path:
    """Return where the replies of a model are kept: those of another one say nothing of it."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    kept = Path(os.environ.get("DDAX_BENCH_KEPT") or cache / "ddax" / "model-questions")
    return kept / re.sub(r"[^\w.-]+", "-", model)


def _everyone(
    cases: Sequence[Case], pool: Mapping[str, str], relay: Relay, place: Path, options: Options
) -> dict[str, list[Fate]]:
    clock, index = Clock(), lookup.Pages(dict(pool))
    bench = asyncio.run(hotpot.bench_of(dict(pool), place, options.seed))

    def ours(effort: str, hide: bool = False) -> Ask:
        return lambda case: asyncio.run(_ours(bench, case, relay, effort, hide))

    asks: dict[str, tuple[Ask, int]] = {
        f"{OURS}, quick": (ours("quick"), len(cases)),
        PLAIN: (lambda case: _plain(index, case, relay), len(cases)),
        HIDDEN: (ours("quick", hide=True), HIDING),
    }
    asks |= {p.name: (_peer(p, task, pool, relay), many) for p, task, many in PEERS}
    asks |= {f"{OURS}, {effort}": (ours(effort), many) for effort, many in EFFORTS.items()}
    if only := os.environ.get(ONLY):
        asks = {who: (asks[who][0], many) for who, many in _only(only, tuple(asks)).items()}
    found: dict[str, list[Fate]] = {who: [] for who in asks}
    for at, case in enumerate(cases):
        for who, (ask, many) in asks.items():
            if at < many and not clock.over():
                found[who].append(ask(case))
    return found


def _only(said: str, known: Sequence[str]) -> dict[str, int]:
    """Read who is asked, and how many questions; raises ValueError for a name that is not known."""
    found = {}
    for one in filter(str.strip, said.split(";")):
        who, _, many = (part.strip() for part in one.rpartition("="))
        if who not in known:
            raise ValueError(f"{ONLY}: {one.strip()!r} is no NAME=MANY; names: {'; '.join(known)}")
        found[who] = int(many)
    return found


async def _ours(bench: hotpot.Bench, case: Case, relay: Relay, effort: str, hide: bool) -> Fate:
    # A home of its own for each effort: replies that ours keeps would cost another effort nothing.
    home = bench.place / f"home-{effort}-{hide}"
    return await asked_of(bench, case, relay, {"effort": effort}, home=home, hide=hide)


async def asked_of(
    bench: hotpot.Bench, case: Case, relay: Relay, settings: Mapping[str, Any], *, home: Path,
    hide: bool = False,
) -> Fate:  # fmt: skip
    """Ask ours one question under some settings, over the pool of a bench."""
    from ddax import Context, open_agent
    from ddax.errors import DdaxError
    from ddax.graph.services import Parts

    bench.runs += 1
    view = hotpot.View(bench.library, hidden=case.titles if hide else frozenset())
    model = {"name": "openai:local", "base_url": relay.base, "idle_seconds": 900, "total_seconds": 3600}
    mood = {"engine": "numpy", **settings.get("mood", {})}
    context = Context.model_validate(
        {"sources": bench.library.specs, "namespace": f"questions-{bench.runs}", "seed": bench.seed,
         "model": model, "budget": {"max_seconds": 3600}, **settings, "mood": mood}
    )  # fmt: skip
    relay.clear()
    parts = Parts(embedder=bench.embedder, library=view)
    try:
        async with open_agent(context, home=home, parts=parts) as agent:
            result = await agent.run(case.question, thread=f"question-{bench.runs}")
    except DdaxError as error:
        return _fate(relay, "", error=str(error))
    wrong = "" if result["status"] in ("done", "not_found") else str(result["stop_reason"])
    found = result["status"] == "done"
    return _fate(relay, result["answer"] if found else "", short=result["short"], found=found, error=wrong)


def _fate(relay: Relay, answer: str, *, short: str = "", found: bool = True, error: str = "") -> Fate:
    rows = relay.calls
    tokens = sum(row["tokens_in"] + row["tokens_out"] for row in rows)
    return Fate(answer, found, len(rows), tokens, sum(row["seconds"] for row in rows), short, error)


def _plain(index: lookup.Pages, case: Case, relay: Relay) -> Fate:
    """Ask once over the five best pages of a search by words."""
    text = f"{index.shown(case.question)}\n\nQuestion: {case.question}"
    body = {"messages": [{"role": "system", "content": TOLD}, {"role": "user", "content": text}],
            "temperature": 0, "max_tokens": 200}  # fmt: skip
    relay.clear()
    _, _, data = relay.answer("/v1/chat/completions", body)
    return _fate(relay, str(json.loads(data)["choices"][0]["message"]["content"]))


def _peer(peer: Peer, task: str, pool: Mapping[str, str], relay: Relay) -> Ask:
    def ask(case: Case) -> Fate:
        question = case.question if task == "shown" else f"{case.question} {TOLD}"
        try:
            ran = once(peer, task, relay, limit=LIMIT, warm=False,  # type: ignore[arg-type]  # the same books
                       questions=[question], pages=dict(pool), told=TOLD)  # fmt: skip
        except (Failed, OSError) as error:
            return _fate(relay, "", found=False, error=f"{error}")
        answer = str(ran.row["answers"][0])
        return _fate(relay, answer, error=answer if answer.startswith("error:") else "")

    return ask


def _figures(cases: Sequence[Case], found: Mapping[str, list[Fate]], seed: int) -> Iterator[Figure]:
    right = {who: right_of(cases, fates) for who, fates in found.items() if fates and who != HIDDEN}
    mine = f"{OURS}, quick"
    for who, values in right.items():
        target = Target(">=", 0.65) if who == mine else None
        got = bootstrap(values, seed=seed)
        yield Figure(f"{who}: answer in the answer (60 words)", got.value, "share", target, got.low, got.high,
                     len(values))  # fmt: skip
        if who.startswith(OURS):
            quoted = [
                float(holds(case.answer, one.answer)) for case, one in zip(cases, found[who], strict=False)
            ]
            yield Figure(f"{who}: the same with the quotations behind it", float(np.mean(quoted)), "share",
                         n=len(quoted))  # fmt: skip
        yield from _costs(who, found[who], ours=who == mine)
    if mine in right:
        yield from _halves(right[mine])
        yield from _lead(right, mine, seed)
    yield from _refusals(found, seed)
    errors = [one.error for who, fates in found.items() if who.startswith(OURS) for one in fates]
    yield Figure("ddax: runs that ended in an error or a time-out", float(sum(map(bool, errors))), "",
                 Target("<=", 0), n=len(errors))  # fmt: skip


def right_of(cases: Sequence[Case], fates: Sequence[Fate]) -> list[float]:
    """Return whether each answer holds the wanted one; what is quoted behind an answer is no part of it."""
    own = (_QUOTED.sub("", one.answer) for one in fates)
    return [float(holds(case.answer, said)) for case, said in zip(cases, own, strict=False)]


def _costs(who: str, fates: Sequence[Fate], *, ours: bool) -> Iterator[Figure]:
    def mean(values: Sequence[float]) -> float:
        return float(np.mean(values))

    n = len(fates)
    yield Figure(f"{who}: calls a question", mean([f.calls for f in fates]), "",
                 Target("<=", 1.5) if ours else None, n=n)  # fmt: skip
    yield Figure(f"{who}: tokens a question", mean([f.tokens for f in fates]), "",
                 Target("<=", 1500) if ours else None, n=n)  # fmt: skip
    yield Figure(f"{who}: seconds of the model a question", mean([f.seconds for f in fates]), "s", n=n)


def _halves(right: Sequence[float]) -> Iterator[Figure]:
    for name, values in (("not seen in making the prompt", right[:UNSEEN]), ("seen", right[UNSEEN:])):
        if values:
            yield Figure(f"{OURS}, quick: the same, questions {name}", float(np.mean(values)), "share",
                         n=len(values))  # fmt: skip


def _lead(right: Mapping[str, Sequence[float]], mine: str, seed: int) -> Iterator[Figure]:
    """Compare with each of the others over the questions that both were asked."""
    for who, values in right.items():
        both = min(len(values), len(right[mine]))
        if who.startswith(OURS) or not both:
            continue
        gain = paired_bootstrap(right[mine][:both], values[:both], seed=seed)
        yield Figure(f"lead over {who}", gain.value, "", Target(">=", 0.15), gain.low, gain.high, both)


def _refusals(found: Mapping[str, Sequence[Fate]], seed: int) -> Iterator[Figure]:
    mine = found.get(f"{OURS}, quick", ())
    for name, fates, target in (
        ("refused without the supporting documents", found.get(HIDDEN, ()), Target(">=", 0.7)),
        ("refused with them", mine, None),
    ):
        if fates:
            got = bootstrap([float(not one.found and not one.error) for one in fates], seed=seed)
            yield Figure(f"ddax, quick: {name}", got.value, "share", target, got.low, got.high, len(fates))
