"""Repairs real bugs: a release of a package with one function as the release before had it.

`benchmarks.real_bugs_place` makes the folders. A bug is given as a user would give it: the file, and one
failing test by its id. Half of the other tests are kept from the repair. A patch is right where every test
of the test files passes that passes with the newer release, run by pytest outside of ddax. Packages are
split by name into a part that may be looked at, and one that only this benchmark reads.
"""

from __future__ import annotations

import asyncio
import io
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from tokenize import generate_tokens
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.core import Figure, MissingData, Options, Result, Target
from benchmarks.real_bugs_place import Bug, Place, bare, functions, known

if TYPE_CHECKING:
    from ddax.evolution.records import RepairResult, RepairTask

NAME = "real-bugs"
DESCRIPTION = "real bugs between releases of packages: fixes that are right, and proposals"
DEFAULT = Path("~/.cache/ddax-bench/real-bugs").expanduser()
SECONDS, QUICK, QUICK_SECONDS = 60.0, 8, 12.0
SMALL = 16
"""Tokens that one small edit may take out, and put in, at one place of a function."""


@dataclass(frozen=True)
class Fate:
    """How a repair ended: its `status`, which patches are right, whether one is the newer release's own."""

    bug: Bug
    small: bool
    status: str
    right: tuple[bool, ...] = ()
    same: bool = False
    seconds: float = 0.0
    said: str = ""


def looked_at(bug: Bug) -> bool:
    """Say whether a bug is of the part that may be looked at."""
    return sha256(bug.package.encode()).digest()[0] % 2 == 0


def one_small_edit(place: Place, bug: Bug) -> bool:
    """Say whether the newer release differs in one place of the function, by few tokens."""
    old, new = (_tokens(bare(functions(tree / bug.path)[bug.function][0]))
                for tree in (place.made(bug), place.fetched(bug.package, bug.newer)))  # fmt: skip
    before = _alike(old, new)
    after = _alike(old[before:][::-1], new[before:][::-1])
    return max(len(old), len(new)) - before - after <= SMALL


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """Count the tokens with which two texts begin alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _tokens(text: str) -> list[str]:
    """Return the tokens of a text without its blanks and lines."""
    return [t.string for t in generate_tokens(io.StringIO(text).readline) if t.string.strip()]


def task_of(place: Place, bug: Bug) -> tuple[Path, RepairTask]:
    """Return a bug as a user gives it, with half of the other tests kept back."""
    from ddax.evolution.program.project import read_project
    from ddax.evolution.program.test_command import ALL, TestCommand

    tree = place.made(bug)
    given = bug.tests[0].partition("[")[0]
    project = read_project([bug.path], TestCommand("pytest", (given,)), cwd=tree)
    whole = [unit.id for unit in replace(project.task, selection=ALL).suite().units]
    failing = [name for name in dict.fromkeys(test.partition("[")[0] for test in bug.tests) if name != given]
    others = [name for name in whole if name not in failing and not name.startswith(given)]
    hidden = (*failing[::2], *others[::2])
    said = project.task.selection
    said = replace(said, without=(*said.without, *hidden))
    return tree, replace(project.task, selection=said, hold_out=True)


def repaired(place: Place, bug: Bug, *, seed: int, seconds: float) -> Fate:
    """Repair one bug and judge what came of it."""
    from ddax.configs.settings import Evolution
    from ddax.errors import DdaxError
    from ddax.evolution.repair import repair
    from ddax.evolution.sandbox import back_ends, choose
    from ddax.evolution.sandbox.runtime import find_runtime

    small = one_small_edit(place, bug)
    try:
        tree, task = task_of(place, bug)
        sandbox = choose(back_ends(find_runtime(str(place.python))))
        found: RepairResult = asyncio.run(
            repair(
                task, settings=Evolution(seconds=seconds), rng=np.random.default_rng(seed),
                clock=time.monotonic, sandbox=sandbox,
            )
        )  # fmt: skip
    except DdaxError as error:
        return Fate(bug, small, "not runnable", said=str(error)[:200])
    made: Sequence[Any] = found.proposals or ((found,) if found.solved else ())
    right = tuple(_right(place, bug, tree, one.files) for one in made)
    same = any(_same(place, bug, one.files[bug.path]) for one in made)
    said = found.failures[0][:120] if found.failures and not made else "; ".join(
        kind for one in made for kind in one.finding.kinds
    )  # fmt: skip
    return Fate(bug, small, found.status, right, same, found.seconds, said)


def _right(place: Place, bug: Bug, tree: Path, files: Any) -> bool:
    """Say whether every test passes with a patch that passes with the newer release."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tree"
        shutil.copytree(tree, copy, symlinks=True)
        for path, text in files.items():
            (copy / path).write_text(text, "utf-8")
        good = place.good(place.fetched(bug.package, bug.newer), bug.files)
        missed = good - place.ended(copy, bug.files)[0]
        if missed:  # a test that goes by the clock may fail once
            missed -= place.ended(copy, bug.files)[0]
        return bool(good) and not missed


def _same(place: Place, bug: Bug, text: str) -> bool:
    """Say whether a patch makes the function what the newer release has."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "patched.py"
        file.write_text(text, "utf-8")
        new, patched = (functions(p).get(bug.function)
                        for p in (place.fetched(bug.package, bug.newer) / bug.path, file))  # fmt: skip
    return bool(new and patched) and bare(new[0]) == bare(patched[0])  # type: ignore[index]


def run(options: Options) -> Result:
    """Run the benchmark on both parts, and tell them apart."""
    folder = options.data or DEFAULT
    bugs = known()
    if not (folder / "venv").is_dir():
        raise MissingData(
            f"no packages in {folder}. Make them: python -m benchmarks.real_bugs_place {folder}"
        )
    place = Place(folder)
    bugs = bugs[:: max(1, len(bugs) // QUICK)] if options.quick else bugs
    seconds = QUICK_SECONDS if options.quick else SECONDS
    fates = [repaired(place, bug, seed=options.seed, seconds=seconds) for bug in bugs]
    parts = [("unseen", [f for f in fates if not looked_at(f.bug)]),
             ("looked at", [f for f in fates if looked_at(f.bug)])]  # fmt: skip
    figures = [figure for name, part in parts if part for figure in figures_of(name, part)]
    notes = tuple(f"{f.bug.name}: {f.status}{', right' if any(f.right) else ''}" for f in fates
                  if looked_at(f.bug))  # fmt: skip
    return Result(NAME, tuple(figures), (options.seed,), notes=(f"{seconds:g} s a bug", *notes))


def figures_of(part: str, fates: Sequence[Fate]) -> Iterator[Figure]:
    """Yield the figures of a part."""
    small = [f for f in fates if f.small]
    fixed = [f for f in fates if f.status == "fixed"]
    proposed = [f for f in fates if f.status == "proposed"]
    yield Figure(f"{part}: bugs", len(fates), "bugs", n=len(fates))
    yield Figure(
        f"{part}: not runnable", sum(f.status == "not runnable" for f in fates), "bugs", n=len(fates)
    )
    yield _share(
        f"{part}: one small edit, first patch right", [any(f.right[:1]) for f in small], Target(">=", 0.5)
    )
    yield _share(f"{part}: one small edit, right among the shown", [any(f.right) for f in small])
    yield _share(f"{part}: one small edit, right and called a fix",
                 [any(f.right[:1]) and f.status == "fixed" for f in small])  # fmt: skip
    yield _share(f"{part}: fixes that are wrong", [not any(f.right) for f in fixed], Target("<=", 0.1))
    yield _share(
        f"{part}: proposals, right one among three", [any(f.right) for f in proposed], Target(">=", 0.4)
    )
    yield _share(f"{part}: a patch as the newer release has it", [f.same for f in fates])


def _share(name: str, good: Sequence[bool], target: Target | None = None) -> Figure:
    """Return the share of what is true; where there is nothing, there is no target to meet."""
    value = sum(good) / len(good) if good else 0.0
    return Figure(name, value, "share", target if good else None, n=len(good))
