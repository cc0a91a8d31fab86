"""The Game of 24 with the same proposals and the same opinions for all: calls for each puzzle solved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.core import Options, Target
from benchmarks.game24 import read_puzzles
from benchmarks.model_server import Served
from benchmarks.peers import twentyfour
from benchmarks.peers.driving import OURS, PEERS, Found, Peer, each_of, once
from benchmarks.peers.rows import Measure, Part, of_the_best, rows_of

PUZZLES, QUICK = 40, 6
CALLS = 100
"""Model calls a puzzle may take, for those who can be told."""
PLAYERS = (OURS, "tree-of-thoughts", "graph-of-thoughts", "TreeQuest")
WORDS = {"impossible": 0.001, "likely": 1.0, "sure": 20.0}
"""What the words of an opinion count, as in tree-of-thoughts."""
VALUE = "Evaluate if given numbers can reach 24 (sure/likely/impossible)\n{numbers}\n"

SOLVED = Measure("Game of 24: solved", "share", "higher")
EACH = Measure("Game of 24: model calls a puzzle solved", "calls", "lower")
RATIO = Measure(
    "Game of 24: calls a puzzle solved, of the best peer's that solves as many", "×", "lower",
    Target("<=", 0.7),
)  # fmt: skip
TOKENS = Measure("Game of 24: tokens a puzzle solved", "", "lower")


def run(served: Served, options: Options, *, peers: Sequence[Peer] = PEERS) -> Part:
    """Have each player play the same puzzles."""
    puzzles = chosen(options)
    missing = {
        peer.name: "calls tools and searches nothing; a search would be the adapter's own"
        for peer in peers if peer.name not in PLAYERS
    }  # fmt: skip
    served.clear(0.0)
    given: dict[str, Any] = {
        "puzzles": puzzles, "question": twentyfour.TASK, "value": VALUE, "words": WORDS, "calls": CALLS,
    }  # fmt: skip
    players = [peer for peer in peers if peer.name in PLAYERS]
    found = each_of(players, lambda peer: [once(peer, "game24", served, warm=False, **given)], missing)

    def right(one: Found) -> int:
        told = zip(puzzles, one.row["answers"], strict=True)
        return sum(twentyfour.solves(puzzle, str(answer)) for puzzle, answer in told)

    def paid(one: Found) -> float:
        return float(sum(c["tokens_in"] + c["tokens_out"] for c in one.calls))

    measures: dict[Measure, Callable[[Found], float | None]] = {
        SOLVED: lambda one: right(one) / len(puzzles),
        EACH: lambda one: len(one.calls) / right(one) if right(one) else None,
        TOKENS: lambda one: paid(one) / right(one) if right(one) else None,
    }
    note = (
        f"{len(puzzles)} puzzles; the model proposes {twentyfour.PROPOSED} steps for some numbers and "
        f"has a noisy opinion of what is left (standard deviation {twentyfour.NOISE:g}), the same for "
        "all; ours asks for proposals with priors in one call, the others ask for each value apart; "
        "tree-of-thoughts as its paper ran it, TreeQuest's StandardMCTS with the options of `search24`; "
        "answers are checked by arithmetic"
    )
    each = {name: measures[EACH](runs[0]) for name, runs in found.items()}
    solved = {name: float(right(runs[0])) for name, runs in found.items()}
    return Part([*rows_of(found, measures), *of_the_best(RATIO, each, solved)], (note,), missing)


def chosen(options: Options) -> list[str]:
    """Return puzzles spread over the odd rows of the file, as text."""
    odd = read_puzzles(options.file("game24_dev.csv"))[1::2]
    count = QUICK if options.quick else PUZZLES
    return [" ".join(map(str, odd[k * len(odd) // count])) for k in range(count)]
