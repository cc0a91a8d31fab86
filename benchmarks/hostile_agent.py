"""The agent's character without its graph: choose by the score, feel surprise, stiffen, protect.

Forces, score, surprise, rigidity, protect and the policy table are those of `ddax`; the proposer is a
world's script and nobody is there to be asked. With `rigid` off, ρ stays 0 and protect is never entered.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ddax.actions.policy import permit, reach_of
from ddax.dynamics.forces import directions, mind_forces, receive
from ddax.dynamics.rigidity import is_due, mark_asked, observe
from ddax.dynamics.score import PRESETS, Known, normalised, ranking, score_terms
from ddax.dynamics.state import attractor, decode_vector, open_mind, project, projection
from ddax.dynamics.surprise import UNMEASURED, forecast_surprise, hybrid_surprise, td_error
from ddax.types import Effect

if TYPE_CHECKING:
    from ddax.configs.settings import Identity

DIM = 64


@dataclass(frozen=True)
class Option:
    """What may be done next: forecast in words, prior, and the value its forecast has, if it has one.

    `key` names the option for its statistics; `trusted` says whether what it reads was trusted before.
    """

    key: str
    expected: str
    prior: float = 1.0
    value: float | None = None
    effect: Effect = "reads"
    trusted: bool = True


@dataclass(frozen=True)
class Outcome:
    """What came: the text, its value in [0, 1], and whether it did harm or led off the task."""

    text: str
    value: float
    harm: bool = False


class World(Protocol):
    """A scripted world for the agent."""

    task: str

    async def options(self) -> list[Option]: ...
    async def do(self, option: Option) -> Outcome: ...
    def over(self) -> bool: ...
    def success(self) -> bool: ...


@dataclass
class Trace:
    """What a run was like: one entry a step, and what came of it."""

    rho: list[float] = field(default_factory=list)
    protect: list[bool] = field(default_factory=list)
    chosen: list[str] = field(default_factory=list)
    harm: int = 0
    asked: int = 0
    success: bool = False


async def run(world: World, profile: str, *, rigid: bool, steps: int, preset: str = "hybrid") -> Trace:
    """Let an agent of this profile act in a world for so many steps at most."""
    identity = _identity(profile)
    start = encoded(world.task)
    x_star = attractor(identity, statement=encoded(identity.statement), task=start)
    mind = open_mind(
        identity if rigid else identity.model_copy(update={"initial_rho": 0.0}), x_star=x_star, x=x_star
    )
    seen, trace = Statistics(), Trace()
    for _ in range(steps):
        if world.over():
            break
        options = _allowed(await world.options(), protect=mind["protect"])
        if is_due(mind):
            mind, trace.asked = mark_asked(mind), trace.asked + 1
        if not options:
            break
        Q = np.array([seen.q(option) for option in options])
        D = directions(np.stack([encoded(o.expected) for o in options]), decode_vector(mind["x"]))
        N = np.array([float(seen.n.get(o.key, 0)) for o in options])
        terms = score_terms(
            mind_forces(mind, D, Q).F, D,
            Known(Q, N, normalised(np.array([o.prior for o in options])), float(seen.total)),
            rho=mind["rho"], c=1.0, weights=PRESETS[preset],
        )  # fmt: skip
        best = ranking(terms)[0]
        option = options[best]
        outcome = await world.do(option)
        if rigid:
            epsilon = _epsilon(option.expected, outcome.text)
            felt = hybrid_surprise(epsilon, td_error(outcome.value, float(Q[best])))
            mind = observe(mind, epsilon=epsilon, surprise=felt)
        mind = receive(mind, encoded(outcome.text), D, Q)
        seen.add(option, outcome.value)
        trace.chosen.append(option.key)
        trace.rho.append(mind["rho"])
        trace.protect.append(mind["protect"])
        trace.harm += outcome.harm
    trace.success = world.success()
    return trace


@dataclass
class Statistics:
    """N and Q of each option; one that was never tried has its forecast's value, else the mean of all."""

    n: dict[str, int] = field(default_factory=dict)
    mean: dict[str, float] = field(default_factory=dict)
    total: int = 0
    all: float = 0.5

    def q(self, option: Option) -> float:
        """Return Q of an option."""
        if option.value is not None:
            return option.value
        return self.mean.get(option.key, self.all)

    def add(self, option: Option, value: float) -> None:
        """Take in a value."""
        n = self.n.get(option.key, 0)
        self.mean[option.key] = (n * self.mean.get(option.key, 0.0) + value) / (n + 1)
        self.n[option.key] = n + 1
        self.total += 1
        self.all += (value - self.all) / self.total


def _allowed(options: list[Option], *, protect: bool) -> list[Option]:
    """Return what the policy table lets through; outside of protect a move in a toy world needs no leave."""
    if not protect:
        return options
    return [
        o
        for o in options
        if permit(reach_of(o.effect, inside=o.trusted), ("model",), protect=True).ruling == "allow"
    ]


def _epsilon(expected: str, actual: str) -> float:
    return forecast_surprise(raw(expected), raw(actual), _encoder()[2])


@lru_cache(maxsize=1)
def _encoder() -> tuple[Any, NDArray[np.float64], Any]:
    from ddax.configs.calibration import load_calibration
    from ddax.memory.embeddings import open_embedder

    embedder = open_embedder()
    scale = load_calibration(embedder.name, embedder.fingerprint, fallback=UNMEASURED)
    return embedder, projection(embedder.dim, DIM), scale


@lru_cache(maxsize=50_000)
def raw(text: str) -> NDArray[np.float32]:
    """Return a text in the encoder's space."""
    found: NDArray[np.float32] = _encoder()[0].embed([text])[0]
    return found


@lru_cache(maxsize=50_000)
def encoded(text: str) -> NDArray[np.float64]:
    """Return a text in the state space."""
    return project(_encoder()[1], raw(text).astype(np.float64))


@lru_cache(maxsize=8)
def _identity(profile: str) -> Identity:
    from ddax.configs.identities import load_identity

    return load_identity(profile)
