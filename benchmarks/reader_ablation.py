"""What each group of signs is worth to the answers without a model: the scorer is fitted anew without it.

`python -m benchmarks.train_reader --rows FILE` keeps candidates; `python -m benchmarks.reader_ablation FILE`
prints, for the real collections that a fit did not see, how often the best candidate is right and how many
questions are claimed at the share right that is asked of a fit.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.core import WrongOption
from benchmarks.reader_rows import Rows, load_rows
from benchmarks.train_reader import CLAIMED, USUAL, folded, judged, rights
from ddax.reasoning.embedded.features import NAMES

GROUPS = {
    "likeness of meaning": ("like",),
    "words of the question": ("cover", "own", "rest", "near", "rarest", "missing", "pairs", "run", "headed"),
    "names and numbers": ("named", "names", "names_doc", "no_names", "numbers", "lettered"),
    "kind that is asked for": ("fits", "hop_fits", "typed", "typed_fit", "unfit", "untyped", "head"),
    "measures": ("sized", "other_size", "measured", "unmeasured"),
    "reasons and denials": ("why", "reason", "denied", "veto", "answers"),
    "definitions and titles": ("title_fit", "title", "titled"),
    "other documents": ("bridge", "gain", "lead_two", "led_answers", "led_whole", "led_few"),
    "standing among the others": ("lead_doc", "lead_any", "rank", "best_doc"),
    "place and form": ("new", "length", "opens", "item", "cells", "label", "back", "asks"),
}
LEAST = 20
"""Claims from which their share is told."""


def without(found: Sequence[Rows], names: Sequence[str]) -> list[Rows]:
    """Return the candidates without some signs."""
    places = [NAMES.index(name) for name in names]
    kept = []
    for rows in found:
        signs = rows.signs.copy()
        signs[:, places] = 0.0
        kept.append(replace(rows, signs=signs))
    return kept


def worth(found: Sequence[Rows]) -> tuple[float, float]:
    """Return the share of questions whose best candidate is right, and the share that is claimed."""
    raws = folded(found)
    _, told = judged(found, raws)
    own = [k for k, rows in enumerate(found) if rows.kind in USUAL]
    right = np.array([rights(found[k], raws[k]) for k in own])
    answerable = np.array([found[k].answerable for k in own])
    order = np.argsort(-told[own], kind="stable")
    share = np.cumsum(right[order]) / np.arange(1, len(own) + 1)
    claimed = max((k + 1 for k in range(LEAST, len(own)) if share[k] >= CLAIMED), default=0)
    return float(right[answerable].mean()), claimed / len(own)


def main() -> None:
    """Print what is left without each group of signs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path, help="what train_reader --rows has kept")
    try:
        found = load_rows(parser.parse_args().rows)
    except WrongOption as error:
        parser.error(str(error))
    print(f"| without | best candidate right | claimed at {CLAIMED:.0%} right |\n|---|---|---|")
    for name, signs in {"nothing left out": (), **GROUPS}.items():
        best, claimed = worth(without(found, signs))
        print(f"| {name} | {best:.3f} | {claimed:.3f} |")


if __name__ == "__main__":
    main()
