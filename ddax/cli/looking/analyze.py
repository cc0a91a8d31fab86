"""The command `analyze`: pictures of the search trees, the trajectory as a table, and runs side by side."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ddax.cli.backend import Output, home_of
from ddax.cli.looking.runs import known_run
from ddax.cli.options import VERBOSE
from ddax.cli.text import clean, columns, shorten
from ddax.errors import StorageError

if TYPE_CHECKING:
    from ddax.types import JsonDict
    from ddax.viewer.analysis import Trajectory

SHOWN = 40
"""Rows of the table that are printed; the file has them all."""


def analyze(
    thread: Annotated[list[str], typer.Argument(help="The threads, as `ddax runs` lists them.")],
    out: Annotated[Path, typer.Option(help="The folder to write to; made where it is missing.")] = Path(
        "analysis"
    ),
    form: Annotated[
        Literal["svg", "png"], typer.Option("--format", help="Form of the pictures; PNG needs matplotlib.")
    ] = "svg",
    json: Annotated[bool, typer.Option("--json", help="Print exactly one JSON object on stdout.")] = False,
    verbose: VERBOSE = False,
) -> None:
    """Draw the search trees of runs, write their trajectories as a table, and compare the runs in plots.

    Of runs under several identities the profiles are compared too.
    """
    output = Output(json=json, verbose=verbose)
    names = list(dict.fromkeys(known_run(name).thread_id for name in thread))
    runs = asyncio.run(_read(names))
    rows = [row for run in runs for row in run.rows]
    try:
        out.mkdir(parents=True, exist_ok=True)
        files = [*_pictures(runs, out, form), _table(rows, out)]
    except OSError as exc:
        raise StorageError(
            f"Cannot write into {str(out)!r}.",
            why=f"{exc.strerror or exc}.",
            mend="Give another folder with --out.",
        ) from exc
    if json:
        output.result({"threads": names, "files": [str(file) for file in files], "rows": rows})
        return
    _print(rows, output)
    for file in files:
        output.say(str(file))


async def _read(names: list[str]) -> list[Trajectory]:
    from ddax.memory.home import Home
    from ddax.viewer.analysis import trajectory
    from ddax.viewer.reading import Reader

    async with Reader(Home(home_of()), os.environ) as reader:
        return [await trajectory(reader, name) for name in names]


def _pictures(runs: list[Trajectory], out: Path, form: str) -> list[Path]:
    from ddax.viewer.analysis import compared, profiles

    names = {run.thread.casefold() for run in runs}
    files = [_drawn(out / f"{run.thread}.{form}", tree=run) for run in runs]
    place = out / f"{_beside('runs', names)}.{form}"
    files.append(_drawn(place, panels=compared(runs), title="Runs side by side"))
    if len({run.identity for run in runs}) > 1:
        place = out / f"{_beside('profiles', names)}.{form}"
        files.append(_drawn(place, panels=profiles(runs), title="Identity profiles side by side"))
    return files


def _beside(name: str, threads: set[str]) -> str:
    """Return a name for a picture that no thread has, whose own picture it would take the place of."""
    while name in threads:
        name += "-compared"
    return name


def _drawn(file: Path, *, tree: Trajectory | None = None, panels: Any = (), title: str = "") -> Path:
    if file.suffix == ".svg":
        from ddax.viewer import picture

        text = picture.tree(tree.ideas, tree.task) if tree is not None else picture.plots(panels, title)
        file.write_text(text, encoding="utf-8")
        return file
    from ddax.viewer import plotting

    if tree is not None:
        plotting.tree_png(tree.ideas, tree.task, file)
    else:
        plotting.plots_png(panels, title, file)
    return file


def _table(rows: list[JsonDict], out: Path) -> Path:
    from ddax.viewer.analysis import as_csv

    file = out / "trajectory.csv"
    file.write_text(as_csv(rows), encoding="utf-8", errors="replace")
    return file


NARROW = 80
"""Below so many columns a row of the table is three lines."""


def _print(rows: list[JsonDict], output: Output) -> None:
    width = columns()
    if width >= NARROW:
        heads = _line("step", "next", "idea", "action", ("value", "ε", "ρ"), "mood", "actual")
        output.say(shorten(heads, width))
    for row in rows[:SHOWN]:
        for line in _told(row, width):
            output.say(shorten(line, width))
    if len(rows) > SHOWN:
        output.say(f"and {len(rows) - SHOWN} more rows in the file")


def _told(row: JsonDict, width: int) -> list[str]:
    """Return a row of the table, in three lines where the terminal is narrow."""
    numbers = tuple(_number(row.get(key)) for key in ("value", "epsilon", "rho"))
    idea, action, actual = (str(row.get(key, "")) for key in ("idea", "action", "actual"))
    if width >= NARROW:
        return [_line(row["step"], row["next"], idea, action, numbers, row["mood"], actual)]
    named = [f"{name} {number}" for name, number in zip(("value", "ε", "ρ"), numbers, strict=True) if number]
    parts = (" ".join([*named, clean(row["mood"])]).strip(), clean(actual))
    head = f"{row['step']:>4}  {clean(row['next'])} {clean(idea)} {clean(action)}"
    return [head.rstrip(), *(f"      {part}" for part in parts if part)]


def _line(
    step: object, following: str, idea: str, action: str, numbers: tuple[str, ...], mood: str, actual: str
) -> str:
    where = f"{step:>4}  {clean(following, 14):<14} {clean(idea, 10):<10} {clean(action, 8):<8}"
    return (
        f"{where} {' '.join(f'{n:>5}' for n in numbers)}  {clean(mood, 11):<11} {clean(actual, 50)}".rstrip()
    )


def _number(value: Any) -> str:
    return "" if value is None else f"{float(value):.2f}"
