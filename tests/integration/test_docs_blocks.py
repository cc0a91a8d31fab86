"""A newcomer's path: the tutorial and the other pages, run block by block in a fresh folder."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.integration.doc_blocks import Block, blocks, reader, run
from tests.integration.test_studio import free_port, wait_ready

pytestmark = pytest.mark.integration
ROOT = Path(__file__).resolve().parents[2]
PAGES = [page for page in sorted(ROOT.glob("docs/*.md")) if blocks(page)]


def sandboxed() -> bool:
    from ddax.errors import SandboxError
    from ddax.evolution.sandbox import choose

    try:
        choose()
    except SandboxError:
        return False
    return True


@contextmanager
def serving(block: Block, cwd: Path, env: dict[str, str], port: int) -> Iterator[None]:
    """Let the command of a block go on, at a port that is free, until the rest is done."""
    pytest.importorskip("langgraph_api", reason="needs the extra studio (make setup installs it)")
    log = cwd / "server.log"
    command = f"exec {block.commands[0]} --port {port} --no-reload"
    with log.open("wb") as out:
        server = subprocess.Popen(
            ["bash", "-c", command], cwd=cwd, env={**env, "LANGGRAPH_NO_VERSION_CHECK": "true"},
            stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            wait_ready(f"http://127.0.0.1:{port}", server, log)
            yield
        finally:
            if server.poll() is None:
                os.killpg(server.pid, signal.SIGKILL)
            server.wait()


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_marked_block_works_as_printed(page: Path, tmp_path: Path) -> None:
    cwd, env, port = tmp_path / "work", reader(tmp_path), free_port()
    cwd.mkdir()
    server: Block | None = None
    said: list[str] = []
    for block in blocks(page):
        if block.mark == "file":
            path = cwd / block.words
            path.parent.mkdir(exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.mark == "server":
            server = block
        elif "server" in block.words:
            assert server is not None
            there = Block(block.mark, block.words, block.language, block.text.replace(":2024", f":{port}"))
            with serving(server, cwd, env, port):
                said.append(run(there, cwd, env))
        elif "sandbox" not in block.words or sandboxed():
            said.append(run(block, cwd, env))
    for words in PROMISED.get(page.stem, ()):
        assert words in "".join(said), words


PROMISED = {
    "tutorial": (
        "statistics.median", "Vellin", "1940", "calder", "tell: ['0.", "done", "'tell'", "Ines Calder",
        "passed through tell: True", "calder.html", "trajectory.csv", "runs.svg",
    ),
    "actions": ("post_note",),
    "batch": ("2 tasks",),
    "metacognition": ("VERIFY",),
    "extending": ("wrote weigh_again.py", "passed", "nothing_follows_the_end"),
}  # fmt: skip
"""What the prose around the blocks promises."""


def test_the_tutorial_is_found() -> None:
    assert {"tutorial", "extending"} <= {page.stem for page in PAGES}
