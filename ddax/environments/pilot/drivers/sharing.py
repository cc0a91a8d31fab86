"""Share a search out over several fields: “jazz albums by Miles from 1959” into Genre, Artist, Year.

Every word has to go into a field or to stand on the page as what is searched; else nothing is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, takewhile

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.finding.match import label
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.words import Keys, Word, key, keys, said

STEM = 5
"""Letters that two words share at least to be forms of one: “directed”, “director”."""
_TITLES = frozenset({"heading", "button", "link", "clickable", "banner"})


def shared_out(pilot: Pilot, order: Sequence[Word], fields: Sequence[Node]) -> list[tuple[Node, str]] | None:
    """Return each field with its value; None where a word of the order has no place."""
    cues = {at: node for at, word in enumerate(order) if (node := _cued(word, fields)) is not None}
    if len({node.id for node in cues.values()}) < len(cues):
        return None
    found: list[tuple[Node, str]] = []
    starts = [*sorted(cues), len(order)]
    loose = _values(pilot, order[: starts[0]], cut=True)
    for start, end in pairwise(starts):
        runs = _values(pilot, order[start + 1 : end])
        if not runs and loose:
            runs = [loose.pop()]  # “the action genre”: the value stands before its field
        if not runs:
            return None
        found.append((cues[start], said(runs[0])))
        loose += runs[1:]
    left = [node for node in fields if node.id not in {one.id for one, _ in found}]
    for run in loose:
        if len(run) > 1 and run[0].text.islower() and run[-1].key.isdecimal():
            return None  # “year 1972” names a field that is not found, and is no value
        node = _taking(run, left) or (left[0] if len(loose) == 1 == len(left) else None)
        if node is None:
            return None
        left.remove(node)
        found.append((node, said(run)))
    return found


def _cued(word: Word, fields: Sequence[Node]) -> Node | None:
    """Return the one field that a word names, in whatever form."""
    if word.group >= 0 or word.is_stop:
        return None
    same = [node for node in fields if any(_kin(word.key, one) for one in keys(label(node)))]
    return same[0] if len(same) == 1 else None


def _kin(one: str, other: str) -> bool:
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    return one == other or (alike >= STEM and alike >= min(len(one), len(other)) - 2)


def _taking(run: Sequence[Word], fields: Sequence[Node]) -> Node | None:
    """Return the one field of which a run of words is an option."""
    wanted = keys(said(run))
    found = [node for node in fields if any(keys(option) == wanted for option in node.options)]
    return found[0] if len(found) == 1 else None


def _values(pilot: Pilot, part: Sequence[Word], *, cut: bool = False) -> list[tuple[Word, ...]]:
    """Return the runs of words that are values; `cut` drops what the page is about, as “movies”."""
    runs: list[list[Word]] = [[]]
    for word in part:
        if word.is_stop or (word.group < 0 and word.key in ("and", "where", "whose", "be", "is")):
            runs.append([])
            continue
        runs[-1].append(word)
        if word.ends:
            runs.append([])
    about = _about(pilot) if cut else frozenset[str]()
    for run in runs:
        while run and run[-1].group < 0 and run[-1].key in about:
            run.pop()
    if cut and runs and len(runs[0]) > 1 and _is_what(runs[0][-1]):
        runs[0].pop()
    return [tuple(run) for run in runs if any(not word.is_kind for word in run)]


def _is_what(word: Word) -> bool:
    """Tell whether the last word before the fields says what is searched: several things, as “movies”."""
    return word.group < 0 and word.text.islower() and word.key != word.text


def _about(pilot: Pilot) -> frozenset[str]:
    titles = [
        node for node in pilot.seen.nodes if node.role in _TITLES or (node.role == "text" and node.bold)
    ]
    said_: Keys = tuple(word for node in titles for word in keys(node.text))
    return frozenset({*said_, *keys(pilot.seen.title), key("results")})
