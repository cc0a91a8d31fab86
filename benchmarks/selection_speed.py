"""How fast a selection is, and how its cost grows: the search tree, the DAG of the engine, TreeQuest.

A step of the tree is a descent by the score, the growth of one child or the valuing of one, and the
backing up of a value: what TreeQuest does in `ask` and `tell`. A selection of the engine is what the node
`select` does after one idea has changed: take in the change, gather the frontier with directions and
forces, score, and draw up to four leaves.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import plots
from benchmarks.core import Figure, Interval, Options, Result, Target, bootstrap

if TYPE_CHECKING:
    from ddax.graph.services import Session
    from ddax.types import Idea

NAME = "selection-speed"
DESCRIPTION = "selections a second at 100, 1,000 and 10,000 ideas, beside TreeQuest's ask and tell"
SIZES = (100, 1_000, 10_000)
ROUNDS, QUICK = 15, 5
SECONDS = 0.4
"""Least time of one round."""
WIDTH = 5
LEAVES = 4


def run(options: Options) -> Result:
    """Measure every kind at every size; a figure is the median of rounds."""
    rounds = QUICK if options.quick else ROUNDS
    kinds: dict[str, Callable[[int, int], Callable[[int], None]]] = {
        "search tree": tree_steps,
        "engine": engine_selections,
        "StandardMCTS": lambda size, seed: treequest_steps("StandardMCTS", size, seed),
        "ABMCTSA": lambda size, seed: treequest_steps("ABMCTSA", size, seed),
    }
    rates = {
        (kind, size): bootstrap(
            [_rate(make, size, options.seed + k, SECONDS) for k in range(_rounds(kind, size, rounds))],
            of="median",
        )
        for kind, make in kinds.items()
        for size in SIZES
        if not (kind == "ABMCTSA" and size == SIZES[-1])  # minutes to build, and nothing new to learn
    }
    notes = (
        f"a round builds its structure anew and lasts {SECONDS:g} s at least; medians of up to {rounds}",
        "the search tree and TreeQuest hold the named number of nodes before a round starts, and go on",
        f"the engine's DAG has expansions of {WIDTH} ideas, half of the leaves done; vectors of hashed words",
        plots.write(NAME, [_picture(rates)]),
    )
    return Result(NAME, tuple(_figures(rates)), (options.seed,), rounds, notes)


def _rounds(kind: str, size: int, rounds: int) -> int:
    """Return fewer rounds where building takes long: each step of TreeQuest sorts its tree."""
    if size < SIZES[-1] or kind == "search tree":
        return rounds
    return 3 if kind == "engine" else 1


def _rate(make: Callable[[int, int], Callable[[int], None]], size: int, seed: int, least: float) -> float:
    """Return steps a second at a size."""
    step = make(size, seed)
    step(1)
    done, batch, start = 0, 1, time.perf_counter()
    while (spent := time.perf_counter() - start) < least:
        step(batch)
        done, batch = done + batch, min(2 * batch, 64)
    return done / spent


def tree_steps(size: int, seed: int) -> Callable[[int], None]:
    """Return what takes steps in a search tree of ours that holds `size` nodes."""
    from ddax.dynamics.score import PRESETS
    from ddax.dynamics.tree import Policy, Tree

    rng = np.random.default_rng(seed)
    tree, policy = Tree(dim=64), Policy(PRESETS["hybrid"])
    tree.pull(rng.standard_normal(64))

    def step(n: int) -> None:
        for _ in range(n):
            choice = tree.descend(policy, rng=rng)
            while choice is not None and choice.move == "grow":
                tree.grow(choice.node, rng.random(WIDTH), D=rng.standard_normal((WIDTH, 64)), more=False)
                choice = tree.descend(policy, rng=rng)
            if choice is not None:
                tree.backpropagate(choice.node, float(rng.random()))

    while len(tree) < size:
        step(1)
    return step


def treequest_steps(algorithm: str, size: int, seed: int) -> Callable[[int], None]:
    """Return what asks and tells in a tree of TreeQuest that holds `size` nodes."""
    import treequest

    np.random.seed(seed)
    rng, chosen = np.random.default_rng(seed), getattr(treequest, algorithm)()
    state = chosen.init_tree()

    def step(n: int) -> None:
        nonlocal state
        for _ in range(n):
            state, trial = chosen.ask(state, ["act"])
            state = chosen.tell(state, trial.trial_id, ("idea", float(rng.random())))

    step(size)
    return step


def engine_selections(size: int, seed: int) -> Callable[[int], None]:
    """Return what selects in a DAG of `size` ideas as the node `select` does, each time after a change."""
    from ddax.ideas import dag
    from ddax.ideas.idea import merge_ideas
    from ddax.steps.choices.frontier import descend, frontier

    rng = np.random.default_rng(seed)
    state, session = _state(merge_ideas(dag_of(size, seed), [])), _session()
    targets = frozenset(i["id"] for i in dag.runnable_leaves(state["ideas"], "0"))
    places = sorted(targets)

    async def select(n: int) -> None:
        for _ in range(n):
            patch: Any = {places[rng.integers(len(places))]: {"Q": float(rng.random()), "N": 1}}
            state["ideas"] = merge_ideas(state["ideas"], [patch])  # as the reducer of the graph does
            view = await frontier(state, session)
            descend(view, targets, LEAVES)

    def step(n: int) -> None:
        asyncio.run(select(n))

    return step


def dag_of(size: int, seed: int) -> dict[str, Idea]:
    """Return a DAG of about `size` ideas: expansions of inner ideas and leaves, half of the leaves done."""
    from ddax.ideas import grow
    from ddax.ideas.idea import apply_patches, root
    from ddax.types import ActionCall, Proposal

    rng = np.random.default_rng(seed)
    ideas: dict[str, Idea] = {"0": root(0, "What is asked?")}
    waiting, leaves = ["0"], 0
    while len(ideas) < size:
        parent = waiting.pop(0)
        proposals = []
        for k in range(WIDTH):
            inner = k < 2 and len(ideas) + len(waiting) * (WIDTH + 1) < size
            call = None if inner else ActionCall(name="visit", args={"source": f"page {leaves}"}, intent="")
            leaves += not inner
            proposals.append(
                Proposal(f"idea {leaves}", f"page {leaves} tells", float(rng.random()) + 0.1, call)
            )
        # A local patch: applying it to the whole DAG each time would make the building quadratic.
        patch = grow.expansion({parent: ideas[parent]}, ideas[parent], proposals, step=1)
        for idea_id, fields in patch.items():
            ideas[idea_id] = {**ideas.get(idea_id, {}), **fields}
        waiting.extend(i for i, fields in patch.items() if fields.get("kind") == "inner")
        if not waiting:
            break
    done = [i for i, idea in ideas.items() if idea["kind"] == "leaf" and rng.random() < 0.5]
    for leaf in done:
        ideas[leaf] = {**ideas[leaf], "status": "done"}
    values = [(leaf, float(rng.random())) for leaf in done]
    return apply_patches(ideas, [grow.backpropagate(ideas, values)])


def _state(ideas: dict[str, Idea]) -> Any:
    from ddax.configs.identities import load_identity
    from ddax.dynamics.state import open_mind, projection

    x = projection(384, 64)[:, 0]
    mind = open_mind(load_identity("task_focused"), x_star=x, x=x)
    return {"ideas": ideas, "work": {"id": "w", "root": "0"}, "mind": mind, "mood": {}}


def _session() -> Session:
    from ddax.actions.registry import open_registry
    from ddax.configs.identities import load_identity
    from ddax.configs.settings import Context
    from ddax.dynamics.state import projection
    from ddax.dynamics.surprise import UNMEASURED
    from ddax.graph.services import Session
    from ddax.memory.embed.ahead import Ahead
    from ddax.memory.embeddings import HashEmbedder
    from ddax.memory.fake import DictMemory
    from ddax.metacognition.controller import Controller
    from ddax.reasoning.embedded import EmbeddedReasoner
    from ddax.reasoning.scripted import ScriptedReasoner

    context, embedder = Context(), HashEmbedder()
    return Session(
        settings=context,
        identity=load_identity("task_focused"),
        embedder=embedder,
        reasoner=ScriptedReasoner({}),
        free=EmbeddedReasoner(embedder),
        memory=DictMemory("b", embedder, time.time, context.recall),
        library=None,  # type: ignore[arg-type]  # a selection reads no source
        actions=open_registry(),
        controller=Controller(engine="numpy"),
        projection=projection(embedder.dim, context.selection.state_dim),
        scale=UNMEASURED,
        clock=time.time,
        monotonic=time.monotonic,
        ahead=Ahead(embedder),
    )


Rates = dict[tuple[str, int], Interval]


def _figures(rates: Rates) -> list[Figure]:
    lead = rates["search tree", 1_000].low / rates["StandardMCTS", 1_000].high
    engine = rates["engine", 1_000].value / rates["StandardMCTS", 1_000].value
    growth = rates["engine", 1_000].value / rates["engine", 10_000].value
    figures = [
        Figure("search tree over StandardMCTS at 1,000 nodes, lower end", lead, "times", Target(">=", 5)),
        Figure("engine over StandardMCTS at 1,000 ideas", engine, "times"),
        Figure("engine: cost of a selection, 10,000 over 1,000 ideas", growth, "times", Target("<=", 10)),
    ]
    for (kind, size), rate in rates.items():
        what = "selections" if kind == "engine" else "steps"
        figures.append(Figure(f"{kind}: {what} at {size:,}", rate.value, "1/s", None, rate.low, rate.high))
    return figures


def _picture(rates: Rates) -> plots.Picture:
    series = []
    for kind in dict.fromkeys(kind for kind, _ in rates):
        points = [(size, rates[kind, size]) for size in SIZES if (kind, size) in rates]
        series.append(
            plots.Series(
                kind, [size for size, _ in points], [rate.value for _, rate in points],
                [rate.low for _, rate in points], [rate.high for _, rate in points],
            )
        )  # fmt: skip
    return plots.Picture("Selections a second", "nodes or ideas", "1/s", series, log=True)
