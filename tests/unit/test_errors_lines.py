"""An error has three lines wherever a user meets it: what, why, the mend."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ddax import errors
from ddax.cli.errors import report, usage
from ddax.cli.main import run_command
from ddax.errors import ActionError, DdaxError, StorageError, UsageError, json_fault
from tests.cases import cases

KINDS = {name for name, it in vars(errors).items() if isinstance(it, type) and issubclass(it, DdaxError)}
EXEMPT = {
    "ActionError": "one sentence that an idea keeps as the cause of its failure; who passes one on words it",
    "Blocked": "an ActionError whose mend is always the same: the source is left alone for a while",
}
"""The kinds that `act` takes in, so that they reach nobody as an error."""
WRONG = (
    ["shw"], ["zzzz"], ["run"], ["run", ""], ["run", "x"], ["run", "x", "--sources", "/nope"], ["show"],
    ["show", "nope"], ["why", "nope"], ["resume"], ["resume", "nope"], ["answer", "nope", "go on"],
    ["--nope"], ["run", "x", "--nope"], ["run", "x", "--max-steps", "-1"], ["run", "x", "--max-usd", "abc"],
    ["run", "x", "--thread", "a b/c"], ["run", "x", "--search", "foo"], ["new", "foo", "bar"],
    ["new", "node", "1bad"], ["graph", "--format", "zzz"], ["export", "nope", "x.html"], ["analyze"],
    ["prompts", "show", "zzz"], ["memory", "show", "zzz"], ["rubric", "approve", "zzz"],
    ["agents", "show", "zzz"], ["config", "show", "--config", "nope.yaml"],
    ["batch", "nope.jsonl", "--out", "d"], ["gc", "--days", "-1"], ["view", "--port", "99999"],
    ["run", "x", "--model", "foo", "--sources", "."], ["show", "a", "b"],
    ["fix", "nope.py", "--tests", "pytest"], ["metacognition", "zzz"], ["diff", "a", "b"],
    ["runs", "--json=1"], ["run", "x", "--sources", ".", "--identity", "nobody"],
    ["run", "x", "--sources", ".", "--replay", "no.json"], ["memory", "import", "."],
    ["run", "x", "--sources", "page.txt", "--record", "page.txt"], ["run", "x", "--sources", "n" * 5000],
    ["run", "x", "--sources", "page.txt", "--record-web", "page.txt"], ["new", "identity", "../x"],
    ["run", "x", "--sources", "page.txt", "--record", "."],
    ["run", "x", "--sources", "page.txt", "--max-usd", "inf"], ["fix", "page.txt", "--python", "/bin/false"],
    ["run", "x", "--sources", "page.txt", "--max-usd", "nan"], ["run", "x", "--max-seconds", "inf"],
    ["run", "x", "--sources", "page.txt", "--max-usd", "-1"],
)  # fmt: skip


def test_what_is_raised_says_why_and_how_to_mend_it(repo: Path) -> None:
    short, seen = [], Counter[str]()
    for file in sorted((repo / "ddax").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            kind = _kind(node)
            if isinstance(node, ast.Call) and kind in KINDS - set(EXEMPT):
                seen[kind] += 1
                said = {word.arg for word in node.keywords if not _is_empty(word.value)}
                if not {"why", "mend"} <= said and None not in said:
                    short.append(f"{file.relative_to(repo)}:{node.lineno}")
    assert short == []
    assert set(seen) >= KINDS - set(EXEMPT) - {"InvalidReply"}
    assert seen.total() > 300


def _kind(node: ast.AST) -> str:
    """Return the name of what a call calls, by itself or by its module."""
    called = node.func if isinstance(node, ast.Call) else None
    return called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")


def _is_empty(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and not value.value


@pytest.mark.parametrize("words", WRONG, ids=lambda words: " ".join(words)[:80])
def test_a_wrong_input_is_answered_in_three_lines(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DDAX_HOME", str(tmp_path / "home"))
    (tmp_path / "page.txt").write_text("The tower is in Belmark.", encoding="utf-8")
    assert run_command(words) not in (0, 1)
    lines = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("No model is set")]
    assert [line.split(": ")[0] for line in lines] == ["error", "why", "mend"]
    assert all(not line.split(": ", 1)[1][:1].islower() or line.startswith("mend: ddax") for line in lines)
    assert "Value error" not in lines[0] + lines[1]
    assert (tmp_path / "page.txt").read_text(encoding="utf-8") == "The tower is in Belmark."


def test_what_the_parser_says_is_parted() -> None:
    found = usage("No such command 'shw'. Did you mean 'show'?", "`ddax --help`")
    assert (found.what, found.why) == ("No such command 'shw'.", "The nearest one is 'show'.")
    found = usage("Invalid value for 'kind': Value error, 'foo' is not one of 'a', 'b'", "x")
    assert (found.what, found.why) == ("Invalid value for 'kind'.", "'foo' is not one of 'a', 'b'.")


def test_a_line_begins_with_a_capital_but_for_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    report(UsageError("there is none.", why="x.y is gone.", mend="ddax runs"), json=False)
    report(StorageError("'a' is full.", why="no space.", mend="make some."), json=False)
    assert capsys.readouterr().err.splitlines() == [
        "error: There is none.", "why: x.y is gone.", "mend: ddax runs",
        "error: 'a' is full.", "why: No space.", "mend: Make some.",
    ]  # fmt: skip


def test_what_says_only_what_is_wrong_still_has_three_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(errors.ActionError("the page is gone."), json=False) == 1
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[0] for line in lines] == ["error", "why", "mend"]
    assert lines[2] == "mend: Run it again with -v for the traceback."


@pytest.mark.parametrize("home", ["file", os.devnull])
@pytest.mark.parametrize(
    "command",
    ["runs", "show t", "view --no-open", "gc", "memory stats", "agents list", "debate report", "rubric show",
     "metacognition versions", "metacognition learn"],
)  # fmt: skip
def test_a_home_that_is_no_folder_is_named(
    command: str, home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("DDAX_HOME", str(tmp_path / home))
    assert run_command(command.split()) == 7
    assert "is no folder" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["runs", "show t", "view --no-open", "memory stats"])
def test_a_home_that_cannot_be_read_is_named(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DDAX_HOME", str(tmp_path))
    may = os.access
    monkeypatch.setattr(os, "access", lambda place, mode: place != tmp_path and may(place, mode))
    assert run_command(command.split()) == 7
    assert f"error: The home {str(tmp_path)!r} cannot be read.\n" in capsys.readouterr().err


def test_a_working_folder_that_is_gone_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.delenv("DDAX_HOME", raising=False)
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert run_command(["runs"]) == 2
    assert "error: The working folder is gone.\n" in capsys.readouterr().err


def test_a_manifest_that_is_a_folder_hides_no_other_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DDAX_HOME", str(tmp_path))
    (tmp_path / "runs" / "odd" / "run.json").mkdir(parents=True)
    assert run_command(["runs"]) == 0
    assert "odd" in capsys.readouterr().out
    assert run_command(["show", "odd"]) == 4


@cases("text", "why")
def test_what_is_no_json_is_told_in_plain_words(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=r".") as found:
        json.loads(text)
    assert json_fault(found.value).startswith(why)


def test_bytes_that_are_no_text_are_told_in_plain_words() -> None:
    with pytest.raises(UnicodeDecodeError) as found:
        b"ab\xff".decode()
    assert json_fault(found.value) == "It is no UTF-8 text from byte 2 on"


def test_the_likeliest_of_several_flags_stands_first() -> None:
    found = usage("No such option: --sorces (Possible options: --search, --sources, --stream)", "x")
    assert (found.what, found.why) == (
        "No such option: --sorces.",
        "The nearest one is --sources; others like it: --stream, --search.",
    )


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_an_interrupt_before_the_run_begins_is_told(
    flags: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    # A signal would come a moment too late or too early: where it falls is what is tested.
    monkeypatch.setattr("ddax.cli.running.work.settings", interrupted)
    assert run_command(["run", "why?", "--sources", "x", *flags]) == 130
    out, err = capsys.readouterr()
    assert "Nothing was begun yet: run the same command again." in (out if flags else err)
    assert (err if flags else out) == ""


def test_an_interrupt_while_the_commands_are_loaded_is_told() -> None:
    body = "import sys; sys.modules['ddax.cli.main'] = Late(); from ddax.__main__ import main; main()"
    late = "class Late:\n    def __getattr__(self, name):\n        raise KeyboardInterrupt\n"
    done = subprocess.run([sys.executable, "-c", late + body], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert [line.split(": ")[0] for line in done.stderr.splitlines()] == ["error", "why", "mend"]


DROPPED = """
import gc, os, signal, sys, time, weakref
import ddax.cli.main
from ddax.__main__ import main
class Thing: pass
def work(argv, **_):
    thing = Thing()
    kept = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGINT))
    del thing  # what a callback raises is dropped
    print("goes on", flush=True)
    time.sleep(60)
    return 0
ddax.cli.main.run_command = work
main()
"""


def test_an_interrupt_that_python_drops_is_given_again() -> None:
    done = subprocess.run([sys.executable, "-c", DROPPED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "goes on\n")
    assert "Traceback" not in done.stderr


ONCE_MORE = """
import signal
import ddax.cli.main as command, ddax.cli.running.work as work
from ddax.__main__ import main
report = command.report
def interrupted(*_):
    raise KeyboardInterrupt
def told(*words, **more):
    code = report(*words, **more)
    signal.raise_signal(signal.SIGINT)
    return code
work.settings, command.report = interrupted, told
main()
"""
IN_EXEC = """
import ddax.configs.secrets  # another exec would make Python forget the first
import ddax.cli.main as command
from ddax.__main__ import main
command.run_command = lambda argv, **_: exec("raise KeyboardInterrupt")
main()
"""


@pytest.mark.parametrize("body", [ONCE_MORE, IN_EXEC])
def test_an_interrupt_ends_with_130_also_where_one_more_follows_or_it_falls_into_an_exec(
    body: str, tmp_path: Path
) -> None:
    (tmp_path / "guest.py").write_text(body, encoding="utf-8")
    argv = [sys.executable, "-m", "guest", "run", "why?", "--sources", "x"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (130, "")
    assert [line.split(": ")[0] for line in done.stderr.splitlines()] == ["error", "why", "mend"]


@pytest.mark.parametrize("flag", ["--out", "--memory"])
def test_a_file_in_the_place_of_a_folder_of_a_batch_is_the_callers_mistake(
    flag: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page, rows = tmp_path / "page.txt", tmp_path / "tasks.jsonl"
    page.write_text("The tower is in Belmark.", encoding="utf-8")
    rows.write_text('{"task": "Where is the tower?", "sources": ["page.txt"]}', encoding="utf-8")
    out = [] if flag == "--out" else ["--out", "out"]
    assert run_command(["batch", "tasks.jsonl", *out, flag, "page.txt"]) == 2
    assert capsys.readouterr().err.startswith(f"error: {flag} 'page.txt' is a file.\n")
    assert not (tmp_path / "out").exists()


def test_a_cluster_that_cannot_be_reached_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "ray", None)  # whether or not the extra is installed here
    (tmp_path / "page.txt").write_text("The tower is in Belmark.", encoding="utf-8")
    (tmp_path / "tasks.jsonl").write_text('{"task": "Where?", "sources": ["page.txt"]}', encoding="utf-8")
    assert run_command(["batch", "tasks.jsonl", "--out", "out", "--ray", "auto"]) == 2
    assert "ddax[ray]" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@cases("line", "says", "default")
def test_a_setting_of_another_type_is_told_in_plain_words(
    line: str, says: str, default: str,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ddax.yaml").write_text(line, encoding="utf-8")
    assert run_command(["config", "show"]) == 2
    told = capsys.readouterr().err
    assert f"why: {says}" in told and default in told


@cases("row", "says")
def test_a_wrong_row_of_a_batch_is_told_in_plain_words(
    row: dict[str, Any], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text(json.dumps({"task": "Where?", **row}), encoding="utf-8")
    given = ["batch", str(tasks), "--out", str(tmp_path / "out"), "--sources", str(tmp_path)]
    assert run_command(given) == 2
    assert says in capsys.readouterr().err


def test_a_settings_file_that_is_a_folder_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ddax.yaml").mkdir()
    assert run_command(["config", "show"]) == 2
    assert "ddax.yaml" in capsys.readouterr().err


def test_what_is_no_number_is_told_without_the_words_of_a_parser(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run_command(["gc", "--days", "soon"]) == 2
    assert "why: It should be a number.\n" in capsys.readouterr().err
    assert run_command(["run", "x", "--sources", ".", "--max-usd", "-1"]) == 2
    assert "why: It should be greater than or equal to 0. It means" in capsys.readouterr().err


@cases("why", "shown")
def test_the_parts_of_an_error_in_one_line_are_sentences(why: str, shown: str) -> None:
    assert str(DdaxError("It failed.", why=why, mend="Check it.")) == shown
    assert str(ActionError("no page")) == "no page"
