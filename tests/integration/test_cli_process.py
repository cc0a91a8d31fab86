"""The command line as a process: start-up time, terminals, pipes, Ctrl-C, other Pythons."""

from __future__ import annotations

import ast
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

import ddax
from ddax.__main__ import wrong_python

pytestmark = pytest.mark.integration
ROOT = Path(ddax.__file__).parent
SCRIPT = """
import sys
from ddax.cli.main import run_command
from ddax.cli.scripted import ScriptedAgent
idea = {"id": "0", "parent": "", "title": "Why \\x1b[31mred?", "status": "running"}
data = {"ideas": [idea], "mind": {"rho": 0.5}}
events = [{"type": "node", "node": "act", "step": n, "data": data} for n in (1, 2)]
result = {"thread_id": "", "status": "done", "stop_reason": "", "answer": "So.", "short": "", "citations": [],
          "ideas": 1, "steps": 2, "usage": {"model_calls": 0, "tokens": 0, "usd": 0.0, "seconds": 0.1},
          "rigidity": 0.5, "mood": "REST", "failures": [], "question": None}
agent = ScriptedAgent(result, events=events * 5000, pause=float(sys.argv[1]))
sys.exit(run_command(sys.argv[2:], opener=agent.open))
"""


def environment(tmp_path: Path, **changes: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("DDAX_")}
    return {**kept, "DDAX_HOME": str(tmp_path / "home"), "PYTHONUTF8": "1", **changes}


def test_help_and_version_print_and_write_nothing(tmp_path: Path):
    for flag in ("--help", "--version"):
        done = subprocess.run(
            [sys.executable, "-m", "ddax", flag], capture_output=True, cwd=tmp_path, check=True, text=True
        )
        assert done.stdout
    assert list(tmp_path.iterdir()) == []


def test_help_imports_nothing_heavy(tmp_path: Path):
    code = (
        "import sys; from ddax.cli.main import run_command; run_command(['run', '--help']);"
        "print([m for m in ('numpy', 'langgraph', 'langchain', 'chromadb', 'onnxruntime', 'rich',"
        " 'yaml', 'httpx', 'pymdp') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, cwd=tmp_path, check=True, text=True
    )
    assert done.stderr == "[]\n"


def test_another_python_gets_one_clear_line():
    for version in ((3, 10), (3, 14), (2, 7)):
        line = wrong_python(*version)
        assert line.startswith("error: ddax needs Python 3.11 to 3.13, this is")
        assert "\n" not in line
    for minor in (11, 12, 13):
        assert wrong_python(3, minor) == ""
    for name in ("__main__.py", "__init__.py"):
        ast.parse((ROOT / name).read_text(encoding="utf-8"), feature_version=(3, 7))


def test_another_python_that_imports_ddax_gets_the_same_line(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "version_info", (3, 10, 4))
    with pytest.raises(ImportError, match=r"^ddax needs Python 3.11 to 3.13, this is 3.10 \(.*one\.$"):
        ddax.__getattr__("open_agent")


def interrupt(tmp_path: Path, *argv: str) -> tuple[int, str, str]:
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, "30", *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, cwd=tmp_path, env=environment(tmp_path),
    ) as process:  # fmt: skip
        manifest = tmp_path / "home" / "runs" / "t" / "run.json"
        deadline = time.monotonic() + 60
        while not manifest.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err


def test_ctrl_c_ends_with_130_and_the_resume_command(tmp_path: Path):
    code, _, err = interrupt(tmp_path, "run", "why?", "--sources", "x", "--thread", "t")
    assert code == 130
    assert f"Resume with: DDAX_HOME={tmp_path}/home ddax resume t\n" in err
    assert "Traceback" not in err


def test_ctrl_c_with_json_is_still_one_object(tmp_path: Path):
    code, out, err = interrupt(tmp_path, "run", "why?", "--sources", "x", "--thread", "t", "--json")
    shown = json.loads(out)
    assert code == shown["exit_code"] == 130
    assert shown["error"]["resume"].endswith("ddax resume t")
    assert err == ""


STUCK = """
import asyncio, sys, threading
from ddax.cli.interrupts import Interrupts
class Running:
    def drain(self):
        return sys.argv[1] == "drains"
async def work():
    print("ready", flush=True)
    await asyncio.to_thread(threading.Event().wait)
interrupts = Interrupts(note=lambda line: print(line, flush=True), leave=lambda: print("left", flush=True))
interrupts.watch(Running())
try:
    interrupts.run(work)
except KeyboardInterrupt:
    print("ended", flush=True)
"""


@pytest.mark.parametrize(("kind", "signals"), [("drains", 3), ("drains", 1), ("runs not", 1)])
def test_what_does_not_end_is_left_behind(kind: str, signals: int):
    with subprocess.Popen(
        [sys.executable, "-c", STUCK, kind], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        for _ in range(signals):
            process.send_signal(signal.SIGINT)
            if kind == "drains" and _ == 0:
                assert process.stdout.readline().startswith("Stopping at the next step")
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "left\n", "")


def left_by_its_reader(tmp_path: Path, *argv: str) -> tuple[int, str]:
    """Run a command of which one line is read; return its exit code and what it said on stderr."""
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *argv], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, cwd=tmp_path, env=environment(tmp_path),
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read().decode()
        return process.wait(timeout=60), err


def test_a_run_whose_reader_leaves_is_interrupted_and_says_how_to_go_on(tmp_path: Path):
    code, err = left_by_its_reader(tmp_path, "0", "run", "why?", "--sources", "x", "--thread", "t")
    assert code == 130
    assert "ddax resume t" in err
    assert "Traceback" not in err
    assert "Exception ignored" not in err


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path):
    code, err = left_by_its_reader(tmp_path, "0", "config", "show")
    assert (code, err) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("flag", ["", "--json"])
def test_an_output_that_is_full_is_told_on_stderr(tmp_path: Path, flag: str):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ddax", "config", "show", *filter(None, [flag])],
            stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=environment(tmp_path),
        )  # fmt: skip
    assert done.returncode == 7
    assert done.stderr.startswith("error: The storage does not take")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_stream_that_is_closed_is_no_fault(tmp_path: Path, closed: str):
    done = subprocess.run(
        ["bash", "-c", f'"$0" -m ddax runs {closed}', sys.executable], capture_output=True, text=True,
        cwd=tmp_path, env=environment(tmp_path), check=False,
    )  # fmt: skip
    shown = "" if ">&-" in closed.split() else 'No threads yet. Start one: ddax run "TASK" --sources DIR\n'
    assert (done.returncode, done.stdout, done.stderr) == (0, shown, "")


def terminal(tmp_path: Path, width: int, **changes: str) -> str:
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    env = environment(tmp_path, **{"TERM": "xterm-256color", **changes})
    env.pop("COLUMNS", None)
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, "0", "run", "why?", "--sources", "x", "--thread", "t"],
        stdout=follower, stderr=follower, stdin=follower, cwd=tmp_path, env=env,
    ) as process:  # fmt: skip
        os.close(follower)
        seen = b""
        try:
            while chunk := os.read(leader, 65536):
                seen += chunk
        except OSError:  # the terminal is gone once its last writer is
            pass
        assert process.wait(timeout=60) == 0
    os.close(leader)
    return seen.decode()


@pytest.mark.parametrize("end", ["the end of the input", "a kill"])
def test_a_talk_leaves_the_terminal_as_it_was(tmp_path: Path, end: str):
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, "0", "chat", "--sources", "x"], stdout=follower, stderr=follower,
        stdin=follower, cwd=tmp_path, env=environment(tmp_path, TERM="dumb"),
    ) as process:  # fmt: skip
        seen = b""
        while not seen.endswith(b"> "):
            seen += os.read(leader, 65536)
        os.write(leader, b"why?\n")
        while b"So." not in seen or not seen.endswith(b"> "):
            seen += os.read(leader, 65536)
        if end == "a kill":
            process.kill()
        else:
            os.write(leader, b"\x04")
        assert process.wait(timeout=60) == (-signal.SIGKILL if end == "a kill" else 0)
    assert os.get_blocking(follower)
    os.close(follower)
    os.close(leader)


@pytest.mark.parametrize("width", [40, 80])
def test_a_terminal_gets_the_live_tree(tmp_path: Path, width: int):
    seen = terminal(tmp_path, width)
    assert "rigidity" in seen
    assert "running" in seen
    assert "Why red?" in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", seen)
    assert "\x1b[31m" not in seen
    assert "[1] act" not in seen
    assert "So." in seen


def test_no_color_is_honoured(tmp_path: Path):
    assert re.search(r"\x1b\[[0-9;]*3[0-9]", terminal(tmp_path, 80))
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", terminal(tmp_path, 80, NO_COLOR="1"))


def test_a_dumb_terminal_gets_plain_lines(tmp_path: Path):
    seen = terminal(tmp_path, 80, TERM="dumb")
    assert "[1] act: 0 running 'Why red?'" in seen
    assert "\x1b" not in seen


def test_an_ascii_pipe_gets_no_traceback(tmp_path: Path):
    env = environment(tmp_path, PYTHONIOENCODING="ascii")
    for argv in (["run", "为什么?", "--sources", "x"], ["run", "为什么?", "--sources", "x", "--json"]):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, "0", *argv], capture_output=True, cwd=tmp_path, env=env, check=True
        )
        assert done.stdout.isascii()


@pytest.mark.long
def test_a_terminal_with_a_windows_code_page_is_told_a_whole_run(tmp_path: Path):
    """What its alphabet lacks becomes a likeness or a question mark; nothing ends in a traceback."""
    docs = tmp_path / "docs"
    docs.mkdir()
    text = "# Łódź – “Hafen” 港\n\nThe harbour of Łódź → 港 opened in 1904 – “so they say” ✓.\n"
    (docs / "a.md").write_text(text, encoding="utf-8")
    env = environment(tmp_path, PYTHONUTF8="0", PYTHONIOENCODING="cp1252", LC_ALL="C.UTF-8")
    told = {}
    for argv in (["run", "When did the harbour of Łódź → 港 open?", "--sources", "docs", "--thread", "t"],
                 ["show", "t"], ["why", "t"], ["actions"], ["runs"], ["history", "t"]):  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-m", "ddax", *argv], capture_output=True, cwd=tmp_path, env=env, timeout=300
        )
        told[argv[0]] = done.stdout.decode("cp1252")
        assert done.returncode == 0, done.stderr.decode("cp1252")
        assert b"Traceback" not in done.stderr
    for command in ("run", "show"):
        assert "The harbour of ?ód? -> ? opened in 1904 – “so they say” ?." in told[command]
    assert "of ?ód? -> ? open?" in told["runs"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_completion(tmp_path: Path, shell: str) -> None:
    asked = environment(tmp_path, _DDAX_COMPLETE=f"source_{shell}")
    done = subprocess.run(
        [sys.executable, "-m", "ddax"], env=asked, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "_DDAX_COMPLETE=complete_" in done.stdout


def test_the_words_of_a_line_are_completed(tmp_path: Path) -> None:
    asked = environment(tmp_path, _DDAX_COMPLETE="complete_bash", COMP_WORDS="ddax run --max", COMP_CWORD="2")
    done = subprocess.run(
        [sys.executable, "-m", "ddax"], env=asked, capture_output=True, text=True, timeout=60
    )
    assert {"--max-steps", "--max-usd", "--max-seconds"} == set(done.stdout.split())
