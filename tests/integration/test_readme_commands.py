"""The commands of the README work as printed: interrupt, resume and follow up, then each one of the list."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests.integration.doc_blocks import ROOT, reader

pytestmark = pytest.mark.integration
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROGRAM = "def larger(a, b):\n    return a if a < b else b\n"
TEST = """from src.sizes import larger


def test_larger():
    assert larger(2, 3) == 3 and larger(5, 4) == 5
"""


def commands(heading: str) -> list[str]:
    """Return the commands of the first console block below a heading, without their comments."""
    block = re.search(rf"^##+ {heading}.*?```console\n(.*?)```", README, re.M | re.S)
    assert block, heading
    found = [line.partition("  #")[0].strip() for line in block[1].splitlines() if line.startswith("$ ")]
    return [line[2:] for line in found]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Return a folder with a space in its name, and the environment of a reader."""
    folder = tmp_path_factory.mktemp("new comer")
    work = folder / "my work"
    for name, text in (("src/sizes.py", PROGRAM), ("src/__init__.py", ""), ("tests/test_sizes.py", TEST)):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text)
    return work, reader(folder / "tools")


def run(command: str, place: tuple[Path, dict[str, str]]) -> str:
    work, env = place
    done = subprocess.run(
        ["bash", "-c", command], cwd=work, env=env, capture_output=True, text=True, timeout=240, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    ends = (0, 10) if command.startswith("ddax fix") else (0,)  # one test vouches for a proposal alone
    assert done.returncode in ends, f"{command}\n{done.stdout[-1500:]}\n{done.stderr[-2500:]}"
    return done.stdout


def served(command: str, place: tuple[Path, dict[str, str]]) -> None:
    """Start a command that serves a page, and end it by Ctrl-C once it has said where."""
    work, env = place
    with subprocess.Popen(
        ["bash", "-c", f"exec {command}"], cwd=work, env=env, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        address = next((line for line in process.stdout if "http://127.0.0.1:" in line), "")
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
    assert address, rest
    assert process.returncode == 0, rest


@pytest.mark.long
@pytest.mark.timeout(600)
def test_interrupt_resume_and_follow_up_and_every_command(place: tuple[Path, dict[str, str]]) -> None:
    first, resume, follow, *others = commands("From the command line")
    work, env = place
    with subprocess.Popen(
        ["bash", "-c", f"exec {first}"], cwd=work, env=env, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None and process.stderr is not None
        began = next((line for line in process.stdout if "expand" in line), "")
        process.send_signal(signal.SIGINT)
        rest, errors = process.stdout.read(), process.stderr.read()
    assert began, errors
    assert process.returncode == 130, rest + errors
    assert resume in errors, "the command that goes on is not printed"
    assert "statistics.median" in run(resume, place)
    assert "statistics.median_low" in run(follow, place)

    assert len(others) >= 3
    for command in others:
        if command == "ddax view":
            served(f"{command} --no-open", place)
        else:
            assert run(command, place), f"{command} printed nothing"
    assert (work / "src" / "sizes.py").read_text() == PROGRAM, "a repair is shown, and not written"
