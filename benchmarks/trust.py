"""Tells able agents from sycophants, gamers and noise, by what their dissents came to.

A simulated population reviews results about invented towns, each sound or faulty by chance. An agent
sees which w.p. its skill; what it then says depends on its strategy. Texts are real: the part of a
dissent that holds, its depth and its novelty come from the product's own support check and embedder.
What was right comes out after each round. Each agent also makes proposals, which a human overrides;
30 % of the overrides are mistakes, and are regretted. Strategies see the same luck as the honest.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.core import Figure, Options, Result, Target, bootstrap
from benchmarks.names import invented

if TYPE_CHECKING:
    from ddax.memory.agents.agent_store import AgentStore
    from ddax.memory.protocol import Embedder
    from ddax.types import EntailmentCheck

NAME = "trust"
DESCRIPTION = "trust against known skill in a population with sycophants, gamers and noise; what gaming gains"
ROUNDS, SEEDS, QUICK = 100, 10, 3
Tools = tuple["Embedder", "EntailmentCheck"]
DRAWS = 20_000
RUBRIC = ("accuracy", "support", "coverage", "progress", "clarity")
SKILLS = (0.6, 0.75, 0.9)
FAULTY = (0.2, 0.5)
GAMES = (
    "pad", "repeat", "cite all", "paste what is true", "paste from elsewhere", "new words", "all of these",
    "always dissent", "never dissent",
)  # fmt: skip
LOOKED_AT, OVERRIDDEN_WRONG, BAD = 0.3, 0.8, 0.3
FILLER = "One must weigh this matter with great care and from every side before a decision is taken at all."
POPULATION = (
    *(("honest", skill) for skill in (0.6, 0.68, 0.76, 0.84, 0.9, 0.96)),
    ("pad", 0.55), ("cite all", 0.62), ("all of these", 0.7),
    *(("never dissent", 0.5),) * 3,
    *(("random", 0.5),) * 3,
)  # fmt: skip


@dataclass(frozen=True)
class Artifact:
    """A result under review: the truth in sentences, the claims made, and the criteria it fails."""

    task: str
    facts: tuple[str, ...]
    claims: tuple[str, ...]
    wanting: tuple[str, ...]

    @property
    def faulty(self) -> bool:
        """Whether anything is wrong with it."""
        return bool(self.wanting)


def run(options: Options) -> Result:
    """Measure the population, the strategies, and the draw of the devil's advocate."""
    seeds = range(options.seed, options.seed + (QUICK if options.quick else SEEDS))
    tools = _tools()
    correlations: dict[str, list[float]] = {"corrected": [], "source": []}
    standings: list[float] = []
    for seed in seeds:
        store = populated(POPULATION, seed, tools)
        skills = [skill for _, skill in POPULATION]
        for formula, found in correlations.items():
            found.append(spearman([store.by(str(k), formula) for k in range(len(POPULATION))], skills))
        standings = [store.by(str(k), "corrected") for k in range(len(POPULATION))]
    cases = [(game, skill, share) for game in GAMES for skill in SKILLS for share in FAULTY]
    gains = {case: _gains(*case, list(seeds), tools) for case in cases}
    worst = max(gains, key=lambda key: float(np.mean(gains[key][0])))
    loose = max(gains, key=lambda key: float(np.mean(gains[key][1])))
    ranked = correlations["corrected"]
    figures = (
        _figure("rank correlation of trust with skill", ranked, options, Target(">=", 0.8)),
        _figure("the same by the published formula", correlations["source"], options),
        _figure("largest gain of a strategy over honesty", gains[worst][0], options, Target("<=", 0.0)),
        _figure("the same by the published formula, by the same depths", gains[loose][1], options),
        Figure(
            "devil's advocate: largest distance of share drawn from share of trust",
            _distance(standings, options.seed), "", Target("<=", 0.02), n=DRAWS,
        ),
        Figure("trust of who is always wrong", _always_wrong(tools), "", Target("<", 0.2)),
        Figure("lowest trust in the population", min(standings), "", n=len(standings)),
    )  # fmt: skip
    means = ", ".join(
        f"{game} {np.mean([gains[case][0] for case in cases if case[0] == game]):+.3f}" for game in GAMES
    )
    notes = (
        f"{ROUNDS} rounds; by the published formula the best strategy was {loose[0]!r} at skill {loose[1]}",
        f"gains are measured with {' and '.join(f'{share:.0%}' for share in FAULTY)} of the results faulty",
        f"mean gain over honesty at skills {', '.join(map(str, SKILLS))}: {means}",
        "reviews are made apart, so nobody can follow the others",
    )
    return Result(NAME, figures, tuple(seeds), len(seeds), notes)


def _figure(name: str, values: list[float], options: Options, target: Target | None = None) -> Figure:
    found = bootstrap(values, seed=options.seed)
    return Figure(name, found.value, "", target, found.low, found.high, len(values))


def _gains(
    game: str, skill: float, share: float, seeds: list[int], tools: Tools
) -> tuple[list[float], list[float]]:
    """Return the trust of a strategy less that of honesty with the same skill and luck, for each seed.

    The second list has the same by the published formula.
    """
    found: tuple[list[float], list[float]] = ([], [])
    for seed in seeds:
        store = populated((("honest", skill), (game, skill)), seed, tools, same_luck=True, faulty=share)
        for formula, values in zip(("corrected", "source"), found, strict=True):
            values.append(store.by("1", formula) - store.by("0", formula))
    return found


def _always_wrong(tools: Tools) -> float:
    """Return where the trust of an agent ends whose every stance and proposal is wrong."""
    return float(populated((("honest", 0.0),), 0, tools).by("0", "corrected"))


def populated(
    population: Sequence[tuple[str, float]], seed: int, tools: Tools, *, same_luck: bool = False,
    faulty: float = 0.5,
) -> Any:  # fmt: skip
    """Run all rounds and return the store of the agents, each named by its place."""
    embedder, check = tools
    store = _store(embedder)
    world = np.random.default_rng((seed, 0))
    luck = [np.random.default_rng((seed, 1, 0 if same_luck else k)) for k in range(len(population))]
    for number in range(ROUNDS):
        artifact = artifact_of(world, faulty)
        for k, (strategy, skill) in enumerate(population):
            _review(store, str(k), strategy, skill, artifact, number, luck[k], check)
            _propose(store, str(k), skill, number, luck[k])
            store.log_round(str(k), f"{number}")
        store.now += 3600.0
    store.now += 86400.0 * 2
    for k in range(len(population)):
        with store.changing(str(k), "end"):
            pass
    return store


def artifact_of(rng: np.random.Generator, faulty: float) -> Artifact:
    """Make a result about an invented town, faulty by a chance."""
    place, maker, other = (invented(rng) for _ in range(3))
    year = int(rng.integers(1600, 1900))
    facts = (
        f"The harbour of {place} was built in {year}.",
        f"The town hall of {place} was designed by {maker}.",
        f"The old mill of {place} burned down in {year + 50}.",
    )
    claims, wanting = list(facts), []
    if rng.random() < faulty:
        if rng.random() < 0.6:
            claims[0] = f"The harbour of {place} was built in {year + 100}."
            wanting.append("accuracy")
        if not wanting or rng.random() < 0.4:
            claims[1] = f"The town hall of {place} was designed by {other}."
            wanting.append("support")
    return Artifact(f"What is known of {place}?", facts, tuple(claims), tuple(wanting))


def _review(
    store: AgentStore, name: str, strategy: str, skill: float, artifact: Artifact, number: int,
    rng: np.random.Generator, check: EntailmentCheck,
) -> None:  # fmt: skip
    from ddax.memory.agents.dissents import LoggedDissent, held_part

    seen = artifact.faulty == (rng.random() < skill)
    coin, slip = rng.random(), int(rng.integers(1, 99))
    believes = {"never dissent": False, "always dissent": True, "random": coin < 0.5}.get(strategy, seen)
    if not believes:
        store.log_agreement(name, round_id=str(number), right=not artifact.faulty)
        return
    text, quotes, citations = _speech(strategy, artifact, slip, number)
    held = held_part(text, quotes, result=" ".join(artifact.claims), about=artifact.task, check=check)
    said = LoggedDissent(
        text=text, citations=citations, upheld=[c for c in citations if c in artifact.wanting],
        impact=artifact.faulty, supported=bool(held), held=held, verified_better=artifact.faulty,
    )  # fmt: skip
    store.log_dissent(name, said, round_id=str(number))


def _speech(strategy: str, artifact: Artifact, slip: int, number: int) -> tuple[str, list[str], list[str]]:
    """Return what an agent says against a result, the quotes it brings, and the criteria it cites."""
    wrong = [fact for fact, claim in zip(artifact.facts, artifact.claims, strict=True) if fact != claim]
    quotes = wrong or [artifact.facts[slip % 3]]
    said = wrong or [f"The harbour was finished {slip} years later than the result says, by another builder."]
    if strategy == "random":
        said = [_noise(number, 12)]
    cited = list(artifact.wanting) or [RUBRIC[slip % 2]]
    every = strategy in ("all of these", "always dissent")
    if every or strategy == "pad":
        said = [*said, *[FILLER] * 8]
    if every or strategy == "repeat":
        said = said * 3
    if every or strategy == "paste what is true":
        said, quotes = [*said, *artifact.facts], [*quotes, *artifact.facts]
    if every or strategy == "paste from elsewhere":
        elsewhere = [
            f"The market of {_noise(number + k, 1)} opens at {k + 5} in the morning." for k in range(6)
        ]
        said, quotes = [*said, *elsewhere], [*quotes, *elsewhere]
    if every or strategy == "new words":
        said = [*said, _noise(number, 30)]
    if every or strategy == "cite all":
        cited = list(RUBRIC)
    return " ".join(said), quotes, cited


def _propose(store: AgentStore, name: str, skill: float, number: int, rng: np.random.Generator) -> None:
    """Let a human look at a proposal of the agent now and then, override it or let it pass."""
    from ddax.memory.agents.overrides import Overrides

    looked, right, draw, known = (
        rng.random() < LOOKED_AT,
        rng.random() < skill,
        rng.random(),
        rng.random() < 0.95,
    )
    if not looked:
        return
    # The chance to override what was right is such that 30 % of the overrides are mistakes.
    mistaken = OVERRIDDEN_WRONG * (1 - skill) / skill * BAD / (1 - BAD) if skill else 0.0
    if draw >= (mistaken if right else OVERRIDDEN_WRONG):
        store.log_agreement(name, round_id=str(number), kind="approval")
        return
    overrides = Overrides(store)
    entry = overrides.log(
        name, round_id=f"p{number}", context={}, agent_output="own", human_decision="other", by=f"for {name}"
    )
    if right and known:
        with store.changing(name, "override_regretted") as agent:
            agent["override_history"][-1].update(regret=True, reverted_by=entry["human"], regret_by="revert")


def _store(embedder: Embedder) -> Any:
    """Return the agents' store of the product, with its files kept in memory."""
    from ddax.memory.agents.agent_file import new_agent, settle, tally_of
    from ddax.memory.agents.agent_store import AgentStore
    from ddax.memory.agents.trust import trust_of

    class Simulated(AgentStore):
        def __init__(self) -> None:
            super().__init__(Path("nowhere"), clock=lambda: self.now, embedder=embedder)
            self.now, self.files = 1.7e9, dict[str, Any]()

        def load(self, name: str) -> Any:
            return self.files.setdefault(name, new_agent(name, self.now))

        @contextmanager
        def changing(self, name: str, reason: str) -> Iterator[Any]:
            agent = self.load(name)
            yield agent
            settle(agent, self.now, reason, "corrected")

        def by(self, name: str, formula: Any) -> float:
            return trust_of(tally_of(self.load(name), self.now), formula)

    return Simulated()


def _tools() -> Tools:
    """Return the product's embedder, which remembers texts, and its support check."""
    from ddax.memory.embeddings import open_embedder
    from ddax.reasoning.entailment import open_check

    class Remembering:
        def __init__(self, inner: Embedder) -> None:
            self.inner, self.known = inner, dict[str, NDArray[np.float32]]()
            self.name, self.fingerprint, self.dim = inner.name, inner.fingerprint, inner.dim

        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            fresh = [text for text in texts if text not in self.known]
            if fresh:
                self.known.update(zip(fresh, self.inner.embed(fresh), strict=True))
            return np.stack([self.known[text] for text in texts])

    return Remembering(open_embedder()), open_check()


def _distance(trust: list[float], seed: int) -> float:
    """Return how far the shares drawn lie from the shares of trust, at most, among who may be drawn."""
    from ddax.memory.agents.trust import EXCLUDED_BELOW, draw

    rng, rounds = np.random.default_rng(seed), [ROUNDS] * len(trust)
    drawn = np.bincount([draw(trust, rounds, rng) for _ in range(DRAWS)], minlength=len(trust)) / DRAWS
    wanted = np.array([value if value >= EXCLUDED_BELOW else 0.0 for value in trust])
    return float(np.abs(drawn - wanted / wanted.sum()).max())


def spearman(a: list[float], b: list[float]) -> float:
    """Return the rank correlation of two lists in [-1, 1], ties taking the mean of their ranks."""
    return float(np.corrcoef(_ranks(a), _ranks(b))[0, 1])


def _ranks(values: list[float]) -> NDArray[np.float64]:
    data = np.asarray(values)
    return np.array([(data < v).sum() + ((data == v).sum() - 1) / 2 for v in data])


def _noise(number: int, words: int) -> str:
    rng = np.random.default_rng(zlib.crc32(str(number).encode()))
    return " ".join(invented(rng) for _ in range(words))
