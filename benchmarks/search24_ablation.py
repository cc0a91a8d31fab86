"""What fixes the weights of `hybrid`: every setting on puzzles that `search24` does not report on.

Even rows of the file, 60 calls, the same three levels of noise. TreeQuest's options are chosen on the
same puzzles, so that neither side is tuned on what is reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchmarks.core import Figure, Options, Result
from benchmarks.pairs import paired
from benchmarks.search24 import BUDGET, DATA, NOISE

if TYPE_CHECKING:
    from benchmarks.game24_searches import Ours, Theirs

NAME = "search24-ablation"
DESCRIPTION = "the weights of the hybrid preset and TreeQuest's options, chosen on the even puzzles"
PUZZLES, QUICK = 120, 20
W_A = (0.0, 0.1, 0.25, 0.5)
C = (0.02, 0.05, 0.1, 1.0)
WIDTHS = (6, 12)


def grid() -> Iterator[tuple[str, Ours | Theirs]]:
    """Yield every setting under its name."""
    from dataclasses import replace

    from benchmarks.game24_searches import Ours, Theirs
    from ddax.dynamics.score import PRESETS
    from ddax.dynamics.tree import Policy

    hybrid = PRESETS["hybrid"]
    for width in WIDTHS:
        for c in C:
            for w_a in W_A:
                weights = replace(hybrid, w_a=w_a, c=1.0, wider=False)
                yield f"w_a {w_a:g}, c {c:g}, width {width}", Ours(Policy(weights, c=c), width)
            wider = Policy(replace(hybrid, w_a=0.0, c=1.0, wider=True), c=c)
            yield f"w_a 0, c {c:g}, width {width}, wider or deeper drawn", Ours(wider, width)
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
    notes = (
        f"even rows of {DATA}, {BUDGET} calls, mean over noise {', '.join(map(str, NOISE))}; best first",
    )
    return Result(NAME, tuple(figures), (options.seed,), notes=notes)
