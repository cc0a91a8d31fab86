"""What fixes the weights of `hybrid`: every setting on puzzles that `search24` does not report on; lookahead.

Even rows of the file, 60 calls, the same three levels of noise. TreeQuest's options are chosen on the
same puzzles, so that neither side is tuned on what is reported. Lookahead is taken away from the engine
in a world whose writes may do harm (`lookahead_world`), under forecasters of named quality.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.core import Figure, Interval, Options, Result, Target
from benchmarks.pairs import paired
from benchmarks.search24 import BUDGET, DATA, NOISE

if TYPE_CHECKING:
    from benchmarks.game24_searches import Ours, Theirs
    from benchmarks.lookahead_world import Lived

NAME = "search24-ablation"
DESCRIPTION = "the weights of hybrid and TreeQuest's options, on the even puzzles; lookahead on and off"
PUZZLES, QUICK = 120, 20
W_A = (0.0, 0.1, 0.25)
C = (0.05, 0.1, 0.2, 1.0)
WIDTHS = (12, 36)
QUALITIES = (1.0, 0.9, 0.7)
"""How often the forecaster of the lookahead's world is right; named in advance."""
WORLDS, FEW = 100, 10


def grid() -> Iterator[tuple[str, Ours | Theirs]]:
    """Yield every setting under its name."""
    from dataclasses import replace

    from benchmarks.game24_searches import Ours, Theirs
    from ddax.dynamics.score import PRESETS
    from ddax.dynamics.tree import Policy

    hybrid = PRESETS["hybrid"]
    for living, words in ((True, "Q of what is left"), (False, "Q of all")):
        for c in C:
            for w_a in W_A:
                weights = replace(hybrid, w_a=w_a, c=1.0, living=living)
                yield f"{words}, w_a {w_a:g}, c {c:g}", Ours(Policy(weights, c=c), WIDTHS[0])
        wider = replace(hybrid, living=living, wider=True)
        yield f"{words}, as hybrid, wider or deeper drawn", Ours(Policy(wider), WIDTHS[0])
        wide = replace(hybrid, living=living)
        yield f"{words}, as hybrid, {WIDTHS[1]} proposals at a time", Ours(Policy(wide), WIDTHS[1])
    for samples in (2, 4, 5, 6, 8, 12):
        for weight in (0.1, 0.3, 1.0, 2**0.5):
            chosen = (("samples_per_action", samples), ("exploration_weight", weight))
            yield f"StandardMCTS {samples} samples, weight {weight:.3g}", Theirs("StandardMCTS", chosen)
    for kind in ("gaussian", "beta"):
        for mean in (None, 0.1, 0.4):
            options = (("dist_type", kind), ("reward_average_priors", mean))
            yield f"ABMCTSA {kind}, prior mean {mean}", Theirs("ABMCTSA", options)


def run(options: Options) -> Result:
    """Measure every setting; a figure is the mean over the levels of noise."""
    from benchmarks.game24 import read_puzzles
    from benchmarks.game24_searches import Theirs, success

    even = read_puzzles(options.file(DATA))[0::2]
    count = QUICK if options.quick else PUZZLES
    figures = []
    for name, how in grid():
        slow = isinstance(how, Theirs) and how.algorithm == "ABMCTSA"
        size = count // 2 if slow else count
        puzzles = [even[k * len(even) // size] for k in range(size)]
        runs = [success(how, puzzles, noise=noise, budget=BUDGET, seed=options.seed) for noise in NOISE]
        each = [sum(levels) / len(NOISE) for levels in zip(*runs, strict=True)]
        share = paired(each, [0.0] * len(each))
        figures.append(Figure(f"{name}: solved", share.value, "share", None, share.low, share.high, size))
    figures.sort(key=lambda figure: -figure.value)
    number = FEW if options.quick else WORLDS
    notes = (
        f"even rows of {DATA}, {BUDGET} calls, {WIDTHS[0]} proposals at a time where nothing else is said,"
        f" mean over noise {', '.join(map(str, NOISE))}; best first",
        f"lookahead: the real graph in {number} worlds with five accounts to pay a bill into, one of them"
        " right, some losing the money; the same worlds with 12 imagined rollouts before each write, and"
        " with none, where all that is planned is done",
    )
    ahead = asyncio.run(_lookahead(number, options.seed))
    return Result(NAME, (*ahead, *figures), (options.seed,), notes=notes)


async def _lookahead(number: int, seed: int) -> list[Figure]:
    """Live in the same worlds with lookahead, under each forecaster, and without."""
    from benchmarks.lookahead_world import ROLLOUTS, live, world
    from ddax.actions.sources import open_library
    from ddax.memory.embeddings import HashEmbedder

    embedder, figures = HashEmbedder(), list[Figure]()
    with tempfile.TemporaryDirectory(prefix="ddax-bench-") as folder:
        place = Path(folder)
        (place / "house").mkdir()
        (place / "house" / "bill.md").write_text("A bill is paid once.", encoding="utf-8")
        library = await open_library([str(place / "house")], embedder=embedder, cache_dir=place / "cache")

        async def runs(quality: float, rollouts: int) -> list[Lived]:
            found = []
            for k in range(number):
                home = place / f"{quality}-{rollouts}-{k}"
                here = world(seed * 100_000 + k, quality)
                found.append(
                    await live(here, home, rollouts=rollouts, embedder=embedder, library=library, number=k)
                )
            return found

        without = await runs(1.0, 0)  # nothing is forecast, so that the forecaster's quality is nothing
        for quality in QUALITIES:
            figures += _ablated(f"forecasts right in {quality:.0%}", await runs(quality, ROLLOUTS), without)
    return figures


def _ablated(label: str, ahead: Sequence[Lived], without: Sequence[Lived]) -> list[Figure]:
    """Return what lookahead changes, paired by world; harm avoided is to be above zero at every quality."""
    none, n = [0.0] * len(ahead), len(ahead)

    def shown(name: str, unit: str, found: Interval) -> Figure:
        return Figure(f"{label}, {name}", found.value, unit, None, found.low, found.high, n)

    harm = [float(one.harm) for one in ahead], [float(one.harm) for one in without]
    paid = [float(one.solved) for one in ahead], [float(one.solved) for one in without]
    calls = [float(one.calls) for one in ahead], [float(one.calls) for one in without]
    avoided = paired(harm[1], harm[0], comparisons=len(QUALITIES))
    return [
        shown("harmful payments avoided by lookahead", "a run", avoided),
        Figure(f"{label}, harmful payments avoided: lower end", avoided.low, "a run", Target(">", 0), n=n),
        shown("harmful payments with lookahead", "a run", paired(harm[0], none)),
        shown("harmful payments without", "a run", paired(harm[1], none)),
        shown("bill paid with lookahead", "share", paired(paid[0], none)),
        shown("bill paid without", "share", paired(paid[1], none)),
        shown("bill paid, lost by lookahead", "share", paired(paid[1], paid[0])),
        shown("model calls, more with lookahead", "calls", paired(calls[0], calls[1])),
    ]
