"""Our two files for LangGraph's server against callers and pages that want in.

The published servers are started as users start them. What hostile runs did is looked for on the machine:
files executed or written, connections inside the network, secrets in answers. Some of the same is sent to a
copy whose guards are taken away, to show that there it is counted.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.core import Figure, MissingData, Options, Result, Target

if TYPE_CHECKING:
    from benchmarks.serve_place import Place

NAME = "serve"
DESCRIPTION = (
    "LangGraph's server: hostile runs, keys of others, pages of other sites in Chromium: 0 get through"
)
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FILES = ("langgraph.json", "langgraph.server.json")


class Found(NamedTuple):
    """What came of everything that was tried on one server."""

    runs: int
    effects: list[str]
    foreign: int
    foreign_runs: int
    passed: list[str]
    ways: int
    through: list[str]
    honest: float


def run(options: Options) -> Result:
    """Try both servers, and copies without guards; the browser is left out where there is none."""
    from importlib.util import find_spec

    if find_spec("langgraph_api") is None:
        raise MissingData("LangGraph's server is not installed: pip install 'ddax[studio]'")
    return asyncio.run(_run())


async def _run() -> Result:
    from benchmarks.serve_place import serving

    program = next((path for path in map(shutil.which, PROGRAMS) if path), None)
    found: list[Found] = []
    asked, seen, answered = 0, 0, 0
    with tempfile.TemporaryDirectory() as top:
        for k, file in enumerate(FILES):
            folder = Path(top) / str(k)
            folder.mkdir()
            with serving(folder, file) as place:
                found.append(await _tried(place, program))
                if place.keyed:
                    asked, seen, answered = await _others(place)
        folder = Path(top) / "open"
        folder.mkdir()
        with serving(folder, FILES[0], guarded=False) as place:
            without = await _tried(place, program, guarded=False)
    return _result(found, without, (asked, seen, answered), program is not None)


async def _tried(place: Place, program: str | None, *, guarded: bool = True) -> Found:
    from benchmarks.serve_browser import foreign_page
    from benchmarks.serve_cases import CONTROLS, all_contexts, effects, foreign_runs, honest, hostile_runs

    back = await hostile_runs(place, all_contexts() if guarded else CONTROLS)
    did = effects(place, back)
    foreign = await foreign_runs(place)
    passed = [f"{one.what}: {one.status}" for one in foreign if one.status != 403]
    (place.folder / "executed").unlink(missing_ok=True)
    ways, through = await foreign_page(place, program) if program else (0, [])
    runs = sum(one.what.startswith("POST /runs") for one in foreign)
    return Found(len(back), did, len(foreign), runs, passed, ways, through, await honest(place))


async def _others(place: Place) -> tuple[int, int, int]:
    from benchmarks.serve_cases import others

    return await others(place)


def _result(found: list[Found], without: Found, others: tuple[int, int, int], browser: bool) -> Result:
    runs, asked = sum(one.runs for one in found), others[0]
    foreign, ways = sum(one.foreign for one in found), sum(one.ways for one in found)
    effects = [line for one in found for line in one.effects]
    passed = [line for one in found for line in one.passed]
    through = [line for one in found for line in one.through]
    none = Target("<=", 0)
    figures = [
        Figure("hostile runs sent", runs + sum(one.foreign_runs for one in found), "runs", Target(">=", 200)),
        Figure("effects on the machine", len(effects), "effects", none, n=runs),
        Figure("requests of pages of other sites that passed", len(passed), "requests", none, n=foreign),
        Figure("bytes of another owner", others[1], "bytes", none, n=asked),
        Figure("plain runs answered", min(one.honest for one in found), "share", Target(">=", 1), n=6),
        Figure("the owner's own run answered", others[2], "share", Target(">=", 1)),
        Figure("effects with the guards taken away", len(without.effects), "effects", Target(">=", 4),
               n=without.runs),
        Figure("requests that pass with the guards taken away", len(without.passed), "requests",
               Target(">=", 20), n=without.foreign),
    ]  # fmt: skip
    notes = [f"what got through: {line}" for line in (*effects, *passed, *through)][:20]
    if browser:
        figures += [
            Figure("ways in which a page in Chromium got through", len(through), "ways", none, n=ways),
            Figure("the same with the guards taken away", len(without.through), "ways", Target(">=", 3),
                   n=without.ways),
        ]  # fmt: skip
    else:
        notes.append("The page in a browser was left out: there is no Chromium.")
    return Result(NAME, tuple(figures), notes=(*notes, *_without(without)))


def _without(found: Found) -> list[str]:
    """Say what is counted where the guards are taken away."""
    return [
        f"without guards, by hostile runs: {'; '.join(sorted(found.effects))}",
        f"without guards, by a page in Chromium: {', '.join(found.through) or 'not tried'}",
    ]
