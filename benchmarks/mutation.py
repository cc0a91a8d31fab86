"""The tests held against mutants: of small faults put into the mathematics, how many are found by a test.

mutmut changes one thing in one function at a time (a sign, a bound, a word, an argument), in a copy of the
checkout, and runs the tests that came through that function. A fault that lets all of them pass survives.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from benchmarks.core import ROOT, Figure, Options, Result, Target, bootstrap

NAME = "mutation"
DESCRIPTION = "faults put into dynamics, ideas and debate, one at a time: how many a unit test finds"
PARTS = ("dynamics", "ideas", "debate")
PLACE = ROOT / ".mutants"
"""The copy with its mutants; it stays, so that `mutmut show NAME` there prints what survived."""
NEEDED = ("ddax", "tests", "benchmarks", "pyproject.toml")
DRAWN, DRAWN_QUICK = 600, 80
FOUND = ("killed", "timeout", "segfault", "suspicious")
"""What mutmut calls a fault that a test noticed: failed, hung or died."""
USES = re.compile(r"ddax\.(?:dynamics|ideas|debate)\b")
ABOUT = {
    "dynamics", "debate", "ideas", "formulas", "ledger", "origins", "requirements", "traces", "why", "golden",
    "policy", "own", "protect",
}  # fmt: skip
"""The first words of the names of their files."""
READS_THE_CODE = "tests/unit/test_origins_requests.py::test_whoever_makes_a_request_says_where_it_comes_from"
"""Left out: it reads the files of the code, where every mutant stands beside the others."""
SETTINGS = """
[tool.mutmut]
source_paths = ["ddax/"]
only_mutate = [{only}]
also_copy = ["benchmarks"]
pytest_add_cli_args = ["-p", "no:cacheprovider", "-p", "no:xdist", "--timeout", "0", "--deselect", "{reads}"]
pytest_add_cli_args_test_selection = [{tests}]
process_isolation = "forkserver"
track_dependencies = false
timeout_multiplier = 10.0
timeout_constant = 5.0
"""
NAMES = """
import io
from pathlib import Path
from mutmut.__main__ import write_all_mutants_to_file
from mutmut.utils.format_utils import get_mutant_name
for file in sorted(path for part in {parts!r} for path in Path("ddax", part).glob("*.py")):
    text = file.read_text(encoding="utf-8")
    for name in write_all_mutants_to_file(out=io.StringIO(), source=text, filename=file).mutant_names:
        print(get_mutant_name(file, name))
"""


def run(options: Options) -> Result:
    """Draw mutants, run the tests over each, and count those that were found."""
    import mutmut  # noqa: F401  # where it is not installed, that is told before anything is copied

    _prepared(PLACE)
    names = _child("-c", NAMES.format(parts=PARTS)).split()
    count = min(len(names), DRAWN_QUICK if options.quick else DRAWN)
    drawn = sorted(random.Random(options.seed).sample(names, count))  # no secret is made of it
    _child("-m", "mutmut", "run", *drawn)
    said = statuses(_child("-m", "mutmut", "results", "--all", "true"))
    states = {name: said[name] for name in drawn}
    for name in (name for name in drawn if states[name] not in FOUND):
        print(f"{states[name]}: {name}", file=sys.stderr)
    notes = (
        f"{count} of {len(names)} mutants, drawn by the seed; a fault that hangs the tests is found",
        f"{len(unit_tests())} files of unit tests, those of these folders and of the nodes that use them",
        "what survives is listed on stderr; `mutmut show NAME` in .mutants prints it",
    )
    return Result(NAME, figures(states), (options.seed,), 1, notes)


def unit_tests() -> list[str]:
    """Return the files of fast unit tests that hold these folders to what they do."""
    found = []
    for file in sorted((ROOT / "tests" / "unit").glob("test_*.py")):
        about = file.stem.split("_")[1]
        if about in ABOUT or (about == "nodes" and USES.search(file.read_text(encoding="utf-8"))):
            found.append(file.relative_to(ROOT).as_posix())
    return found


def statuses(printed: str) -> dict[str, str]:
    """Read what mutmut prints of its results: a name and what became of it, a line."""
    lines = (line.strip().partition(": ") for line in printed.splitlines())
    return {name: state for name, _, state in lines if "__mutmut_" in name}


def figures(states: Mapping[str, str]) -> tuple[Figure, ...]:
    """Return the share of mutants that were found, in all and of each folder."""
    every = [_share("found by a test", states, Target(">=", 0.85))]
    for part in PARTS:
        mine = {name: state for name, state in states.items() if name.startswith(f"ddax.{part}.")}
        every += [_share(f"{part}: found by a test", mine)] if mine else []
    untested = [float(state == "no tests") for state in states.values()]
    return (*every, Figure("in functions that no test of these calls", sum(untested), n=len(untested)))


def _share(name: str, states: Mapping[str, str], target: Target | None = None) -> Figure:
    values = [float(state in FOUND) for state in states.values()]
    found = bootstrap(values)
    return Figure(name, found.value, "share", target, found.low, found.high, len(values))


def _prepared(place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    for name in NEEDED:
        source, aim = ROOT / name, place / name
        if source.is_dir():
            shutil.copytree(source, aim, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, aim)
    only = _listed(f"ddax/{part}/*" for part in PARTS)
    with (place / "pyproject.toml").open("a", encoding="utf-8") as settings:
        settings.write(SETTINGS.format(only=only, tests=_listed(unit_tests()), reads=READS_THE_CODE))


def _listed(values: Iterable[str]) -> str:
    return ", ".join(f'"{value}"' for value in values)


def _child(*arguments: str) -> str:
    """Run Python in the copy, with no other checkout on its path, and return what it printed."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=PLACE, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = (done.stdout + done.stderr)[-2000:]
        raise RuntimeError(f"{' '.join(arguments[:3])} ended with {done.returncode}: {said}")
    return done.stdout
