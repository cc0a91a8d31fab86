"""Searches of one Game of 24 under a budget of scorer calls: ours, and those of TreeQuest.

Ours is `ddax.dynamics.tree` under a policy, with the mind of the default profile. Each search stops at
the first 24; a state already scored costs nothing again, for either side.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.game24 import Scorer, State, Step, propose, steps, words
from ddax.configs.identities import load_identity
from ddax.configs.settings import Identity
from ddax.dynamics.forces import directions, mind_forces, no_candidates, receive
from ddax.dynamics.rigidity import observe
from ddax.dynamics.state import Mind, attractor, decode_vector, open_mind, project, projection
from ddax.dynamics.surprise import hybrid_surprise, td_error
from ddax.dynamics.tree import ROOT_NODE, Policy, Tree
from ddax.memory.embeddings import HashEmbedder

DIM = 64
IDLE = 5
"""Turns a search may take for each call of its budget, so that one that finds nothing new ends."""


@dataclass(frozen=True)
class Ours:
    """A policy of ours; `width` proposals are drawn at once."""

    policy: Policy
    width: int = 12

    def solve(self, puzzle: State, scorer: Scorer, budget: int, seed: int) -> bool:
        """Search; tell whether 24 was reached within the budget."""
        return _Search(self, puzzle, scorer, np.random.default_rng(seed)).run(budget)


class _Search:
    """One search of ours: the tree, its states, and what may still be proposed."""

    def __init__(self, how: Ours, puzzle: State, scorer: Scorer, rng: np.random.Generator) -> None:
        self.how, self.scorer, self.rng = how, scorer, rng
        self.tree, self.states, self.seen = Tree(dim=DIM), [puzzle], {puzzle}
        self.left: dict[int, list[Step]] = {ROOT_NODE: list(steps(puzzle))}
        self.feels = how.policy.weights.w_a > 0 or how.policy.weights.damped
        self.mind = _mind(puzzle)
        self.rho = self.mind["rho"]

    def run(self, budget: int) -> bool:
        for _ in range(IDLE * budget):
            if self.scorer.calls >= budget:
                return False
            policy = self.how.policy
            felt = replace(policy, rho=self.rho)
            choice = self.tree.descend(felt, rng=self.rng)
            if choice is None:
                return False
            if choice.move == "grow":
                self._grow(choice.node)
            elif self._evaluate(choice.node):
                return True
        return False

    def _grow(self, node: int) -> None:
        """Propose children; a state that stands elsewhere in the tree is not proposed again."""
        known = self.left.setdefault(node, list(steps(self.states[node])))
        left = [step for step in known if step.state not in self.seen]
        drawn = set(propose(left, self.how.width, self.rng)) if left else set()
        new = [left[k] for k in sorted(drawn)]
        self.left[node] = [step for k, step in enumerate(left) if k not in drawn]
        if not new:
            self.tree.close(node)
            return
        self.states.extend(step.state for step in new)
        self.seen.update(step.state for step in new)
        D = self._directions([step.state for step in new])
        self.tree.grow(node, [step.weight for step in new], D=D, more=bool(self.left[node]))

    def _evaluate(self, node: int) -> bool:
        state, value = self.states[node], self.scorer.score(self.states[node])
        if len(state) == 1 and value == 1.0:
            return True
        if self.feels:
            self._feel(state, value, self.tree.Q[self.tree.parent[node]])
        self.tree.backpropagate(node, value)
        if len(state) == 1:
            self.tree.close(node)
        return False

    def _feel(self, state: State, value: float, before: float) -> None:
        """Take an outcome into the mind: the arithmetic comes as foreseen, only its value may surprise."""
        surprise = hybrid_surprise(0.0, td_error(value, before))
        felt = observe(self.mind, epsilon=0.0, surprise=surprise)
        self.mind = receive(felt, encoded(words(state)), *no_candidates(DIM))
        self.rho = self.mind["rho"]
        if self.how.policy.weights.w_a > 0:
            self.tree.pull(mind_forces(self.mind, *no_candidates(DIM)).F)

    def _directions(self, states: list[State]) -> NDArray[np.float64] | None:
        if self.how.policy.weights.w_a <= 0:
            return None
        expected = np.stack([encoded(words(state)) for state in states])
        return directions(expected, decode_vector(self.mind["x"]))


@lru_cache(maxsize=1)
def _encoder() -> tuple[HashEmbedder, NDArray[np.float64]]:
    embedder = HashEmbedder()
    return embedder, projection(embedder.dim, DIM)


@lru_cache(maxsize=200_000)
def encoded(text: str) -> NDArray[np.float64]:
    """Return a text in the state space."""
    embedder, P = _encoder()
    return project(P, embedder.embed([text])[0].astype(np.float64))


def _mind(puzzle: State) -> Mind:
    """Return the mind of the default profile, opened on this puzzle."""
    identity = _identity()
    task = encoded(f"use the numbers {', '.join(map(str, puzzle))} to make 24")
    x_star = attractor(identity, statement=encoded(identity.statement), task=task)
    return open_mind(identity, x_star=x_star, x=x_star)


@lru_cache(maxsize=1)
def _identity() -> Identity:
    return load_identity("task_focused")


class Place(NamedTuple):
    """A node of TreeQuest's tree: which one it is, and its numbers."""

    number: int
    state: State


@dataclass
class _Generator:
    """What TreeQuest calls to make a child: the same proposer and the same scorer as ours.

    A node is never given the same child twice. Where nothing is left it gets its own state again,
    whose score is known and costs no call.
    """

    puzzle: State
    scorer: Scorer
    rng: np.random.Generator
    solved: bool = False
    made: int = 0
    left: dict[int, list[Step]] = field(default_factory=dict)

    def __call__(self, parent: Place | None) -> tuple[Place, float]:
        here = parent or Place(0, self.puzzle)
        left = self.left.setdefault(here.number, list(steps(here.state)) if len(here.state) > 1 else [])
        state = left.pop(propose(left, 1, self.rng)[0]).state if left else here.state
        value = self.scorer.score(state)
        self.made += 1
        self.solved = self.solved or (len(state) == 1 and value == 1.0)
        return Place(self.made, state), value


@dataclass(frozen=True)
class Theirs:
    """An algorithm of TreeQuest (`StandardMCTS` or `ABMCTSA`) with its options."""

    algorithm: str
    options: tuple[tuple[str, Any], ...] = ()

    def solve(self, puzzle: State, scorer: Scorer, budget: int, seed: int) -> bool:
        """Search; tell whether 24 was reached within the budget."""
        import treequest

        np.random.seed(seed % 2**32)  # TreeQuest and scipy draw from the global generator
        algorithm = getattr(treequest, self.algorithm)(**dict(self.options))
        make, state = _Generator(puzzle, scorer, np.random.default_rng(seed)), algorithm.init_tree()
        for _ in range(IDLE * budget):
            if scorer.calls >= budget or make.solved:
                break
            state = algorithm.step(state, {"propose": make}, inplace=True)
        return make.solved


def success(how: Ours | Theirs, puzzles: list[State], *, noise: float, budget: int, seed: int) -> list[float]:
    """Return 1 or 0 for each puzzle; the scorer's noise depends on puzzle and seed alone."""
    return [
        float(how.solve(puzzle, Scorer(noise, seed * 100_000 + k), budget, seed * 100_000 + k))
        for k, puzzle in enumerate(puzzles)
    ]
