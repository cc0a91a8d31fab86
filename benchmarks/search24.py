"""Search quality at equal cost: the Game of 24 with a noisy scorer, ours beside TreeQuest in one process.

Named in advance: 60 scorer calls, three levels of noise, two opponents; so six comparisons, whose
intervals hold together (`benchmarks.pairs`). Even rows of the file belong to the ablation
(`search24-ablation`), on which the weights of `hybrid` and the options of TreeQuest were chosen; this
reports on the odd rows alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from benchmarks import plots
from benchmarks.core import Figure, Options, Result, Target
from benchmarks.pairs import over_seeds, paired

if TYPE_CHECKING:
    from benchmarks.game24_searches import Ours, Theirs

NAME = "search24"
DESCRIPTION = "Game of 24 solved with 60 calls of a noisy scorer: our presets beside TreeQuest's searches"
DATA = "game24_dev.csv"
BUDGET, SHORT = 60, 30
NOISE = (0.15, 0.3, 0.6)
OPPONENTS = ("StandardMCTS", "ABMCTSA")
COMPARISONS = len(OPPONENTS) * len(NOISE)
WIDTH = 12
"""Proposals our search draws at once; chosen by a sweep over the even rows."""
PUZZLES, QUICK = 300, 60


def searches() -> Mapping[str, Ours | Theirs]:
    """Return what is compared: our presets, TreeQuest as a sweep tuned it and as it ships."""
    from benchmarks.game24_searches import Ours, Theirs
    from ddax.dynamics.score import PRESETS
    from ddax.dynamics.tree import Policy

    def preset(name: str) -> Ours:
        return Ours(Policy(PRESETS[name]), WIDTH)

    return {
        "hybrid": preset("hybrid"),
        "puct": preset("puct"),
        "dda-x": preset("dda-x"),
        "StandardMCTS": Theirs("StandardMCTS", (("samples_per_action", 6), ("exploration_weight", 1.0))),
        "ABMCTSA": Theirs("ABMCTSA", (("dist_type", "beta"),)),
        "StandardMCTS as shipped": Theirs("StandardMCTS"),
        "ABMCTSA as shipped": Theirs("ABMCTSA"),
    }


def run(options: Options) -> Result:
    """Solve the odd puzzles with every search at every level of noise."""
    from benchmarks.game24 import quality, read_puzzles
    from benchmarks.game24_searches import success

    odd = read_puzzles(options.file(DATA))[1::2]
    count = QUICK if options.quick else PUZZLES
    puzzles = [odd[k * len(odd) // count] for k in range(count)]
    seeds = (options.seed,) if options.quick else (options.seed, options.seed + 1)
    solved = {
        (name, noise, budget): over_seeds(
            [success(how, puzzles, noise=noise, budget=budget, seed=seed) for seed in seeds]
        )
        for name, how in searches().items()
        for noise in NOISE
        for budget in ((BUDGET,) if "shipped" in name else (BUDGET, SHORT))
    }
    notes = (
        f"{count} puzzles (odd rows of {DATA}), {len(seeds)} seeds; one scorer for all searches of a puzzle;"
        " a state scored before costs nothing",
        "noise (standard deviation) and the scorer's quality (share of pairs ranked right): "
        + ", ".join(f"{noise:g} = {quality(noise):.2f}" for noise in NOISE),
        f"the {COMPARISONS} intervals of leads hold together with 95 % (Bonferroni), the others singly",
        "TreeQuest with options picked by hand from a sweep over the even rows, and as it ships;"
        " one proposal a call, its own way of working; ours draws "
        f"{WIDTH} proposals at a time and pays for those it scores",
        plots.write(NAME, _pictures(solved)),
    )
    return Result(NAME, tuple(_figures(solved)), seeds, notes=notes)


Solved = Mapping[tuple[str, float, int], list[float]]


def _figures(solved: Solved) -> list[Figure]:
    """Return the leads of hybrid with their targets, then the share solved by each search."""
    figures = []
    for rival in OPPONENTS:
        for noise in NOISE:
            ours, theirs = solved["hybrid", noise, BUDGET], solved[rival, noise, BUDGET]
            lead, n = paired(ours, theirs, comparisons=COMPARISONS), len(ours)
            name = f"hybrid's lead over {rival}, noise {noise:g}"
            figures.append(Figure(name, 100 * lead.value, "points", None, 100 * lead.low, 100 * lead.high, n))
            figures.append(Figure(f"{name}: lower end", 100 * lead.low, "points", Target(">", 0), n=n))
    worst = min(f.value for f in figures if f.name.endswith("lower end"))
    figures.append(Figure("the least of these lower ends", worst, "points", Target(">=", -3)))
    for (name, noise, budget), values in solved.items():
        share = paired(values, [0.0] * len(values))
        words = f"{name}, noise {noise:g}, {budget} calls: solved"
        figures.append(Figure(words, share.value, "share", None, share.low, share.high, len(values)))
    return figures


def _pictures(solved: Solved) -> list[plots.Picture]:
    pictures = []
    for budget in (BUDGET, SHORT):
        names = [name for name, noise, b in solved if b == budget and noise == NOISE[0]]
        series = []
        for name in names:
            shares = [
                paired(solved[name, noise, budget], [0.0] * len(solved[name, noise, budget]))
                for noise in NOISE
            ]
            series.append(
                plots.Series(
                    name, [str(n) for n in NOISE], [s.value for s in shares],
                    [s.low for s in shares], [s.high for s in shares],
                )
            )  # fmt: skip
        pictures.append(
            plots.Picture(
                f"Game of 24, {budget} scorer calls", "noise of the scorer", "solved", series, "bar"
            )
        )
    return pictures
