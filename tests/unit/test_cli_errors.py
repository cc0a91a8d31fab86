"""What the command line refuses, and how it tells what went wrong: exit codes, words, the way back."""

from __future__ import annotations

import errno
import sqlite3

import pytest
from typer.core import TyperGroup

from ddax import errors
from ddax.cli.backend import run_folder
from ddax.graph.threads.manifests import RunInfo
from tests.unit.scripted_command import agent, call, one_object

pytestmark = pytest.mark.usefixtures("place")


ERRORS = [
    (errors.UsageError("x"), 2), (errors.SettingsError("x"), 2), (errors.SourceError("x"), 2),
    (errors.SandboxError("x"), 3), (errors.StateError("x"), 4), (errors.ThreadInUse("x"), 5),
    (errors.BudgetExceeded("x"), 6), (errors.StorageError("x"), 7), (errors.ReasonerError("x"), 9),
    (errors.InvalidReply("x"), 9), (errors.ActionError("x"), 1), (errors.InvariantError("x"), 1),
    (OSError(errno.ENOSPC, "No space left on device"), 7), (OSError(errno.EROFS, "Read-only", "f"), 7),
    (PermissionError(errno.EACCES, "Permission denied", "f"), 7),
    (OSError(errno.ENAMETOOLONG, "File name too long", "n" * 300), 2),
    (OSError(errno.ELOOP, "Too many levels of symbolic links", "f"), 2),
    (NotADirectoryError(errno.ENOTDIR, "Not a directory", "f/g"), 2),
    (ExceptionGroup("g", [OSError(errno.ENOSPC, "")]), 7),
    (sqlite3.OperationalError("database or disk is full"), 7),
    (sqlite3.OperationalError("attempt to write a readonly database"), 7),
    (sqlite3.OperationalError("no such table"), 1), (ValueError("odd"), 1), (KeyboardInterrupt(), 130),
]  # fmt: skip


@pytest.mark.parametrize(("error", "code"), ERRORS, ids=lambda value: getattr(value, "what", repr(value)))
def test_exit_codes_of_errors(capsys, error, code):
    found, _, err = call(capsys, "run", "what?", "--sources", "docs", by=agent(error=error))
    assert found == code
    assert "error: " in err
    assert "Traceback" not in err
    found, out, _ = call(capsys, "run", "what?", "--sources", "docs", "--json", by=agent(error=error))
    shown = one_object(out)
    assert found == shown["exit_code"] == code
    assert set(shown["error"]) >= {"what", "why", "mend", "kind"}


def test_an_error_says_what_why_and_how_to_mend_it(capsys):
    error = errors.SourceError("no \x1b[31mfolder", why="It is gone.", mend="Give another.")
    _, _, err = call(capsys, "run", "what?", "--sources", "docs", by=agent(error=error))
    assert err.splitlines()[1:] == ["error: No folder", "why: It is gone.", "mend: Give another."]


def test_a_postgres_that_is_gone_is_no_matter_of_space_or_of_the_home(capsys):
    gone = type("OperationalError", (Exception,), {"__module__": "psycopg"})("the connection is closed")
    code, _, err = call(capsys, "run", "what?", "--sources", "docs", "--thread", "t", by=agent(error=gone))
    assert code == 7
    assert "why: The connection is closed\nmend: Check the address and that the server runs. What was" in err
    assert "Free space" not in err and "ddax resume t" in err


def test_an_unexpected_error_is_one_line_and_v_shows_the_traceback(capsys):
    code, _, err = call(capsys, "run", "what?", "--sources", "docs", by=agent(error=ValueError("odd")))
    assert code == 1
    why = "why: Nothing in ddax expects it here: a fault of ddax, or of a part of your own.\n"
    assert f"error: Unexpected ValueError: odd\n{why}mend: Run it again with -v for the traceback.\n" in err
    for shown, flags in (
        (True, ["-v"]),
        (True, ["-qv"]),
        (True, ["-vsdocs"]),
        (False, ["-q"]),
        (False, ["-sv"]),
    ):
        _, _, err = call(
            capsys, "run", "what?", "--sources", "docs", *flags, by=agent(error=ValueError("odd"))
        )
        assert ("Traceback (most recent call last)" in err) is shown


def test_ctrl_c_prints_the_exact_resume_command(capsys, monkeypatch, place):
    monkeypatch.setenv("DDAX_HOME", str(place / "my home"))
    by = agent(error=KeyboardInterrupt())
    code, out, _ = call(capsys, "run", "what?", "--sources", "docs", "--thread", "t1", "--json", by=by)
    command = f"DDAX_HOME='{place}/my home' ddax resume t1"
    assert code == 130
    assert one_object(out)["error"]["resume"] == command
    code, _, err = call(
        capsys, "run", "what?", "--sources", "docs", "--thread", "t2", by=agent(error=KeyboardInterrupt())
    )
    assert f"mend: Resume with: {command[:-1]}2\n" in err


@pytest.mark.parametrize("flags", [(), ("-q",), ("--json",), ("-v",)])
@pytest.mark.parametrize(
    "error",
    [errors.StorageError("full", mend="Free some."), OSError(errno.ENOSPC, "No space left on device")],
)
def test_a_full_disk_names_the_way_back_in_each_way_of_telling(capsys, error, flags):
    words = ("run", "what?", "--sources", "docs", "--thread", "t1", *flags)
    code, out, err = call(capsys, *words, by=agent(error=error))
    assert code == 7
    mend = one_object(out)["error"]["mend"] if "--json" in flags else err[err.index("mend: ") :]
    assert "Free s" in mend
    assert mend.strip().endswith("What was done is kept. When it is mended: ddax resume t1")


@pytest.mark.parametrize(
    "argv",
    [
        ("run", "", "--sources", "d"), ("run", "  \n", "--sources", "d"), ("run", "--sources", "d"),
        ("run", "what?"),
        ("run", "x" * 1_000_001, "--sources", "d"), ("run", "bad \udcff", "--sources", "d"),
        ("run", "x", "--bogus"),
        ("run", "x", "--sources", "d", "--thread", "../x"), ("run", "x", "--sources", "d", "--thread", ""),
        ("run", "x", "--sources", "d", "--max-steps", "0"),
        ("run", "x", "--sources", "d", "--max-steps", "ten"),
        ("run", "x", "--sources", "d", "--config", "none.yaml"), ("run", "--resume", "a", "--thread", "b"),
        ("resume",), ("resume", "../x"), ("resume", "--answer", "{", "t"), ("show", "none"), ("show", ".."),
        ("cancel", "none"), ("nonsense",), ("graph", "--format", "gif"), ("config",), (),
    ],
    ids=lambda argv: " ".join(argv)[:40],
)  # fmt: skip
def test_bad_words_end_with_2(capsys, argv, place):
    by = agent()
    code, out, err = call(capsys, *argv, by=by)
    assert code == 2
    assert "Usage:" in out or "error: " in err
    assert by.calls == []
    assert not (place / ".ddax").exists()


@pytest.mark.parametrize(
    "argv", [("run", "x", "--bogus", "--json"), ("nonsense", "--json"), ("run", "x", "--json")]
)
def test_usage_errors_with_json_are_one_object_too(capsys, argv):
    code, out, _ = call(capsys, *argv)
    shown = one_object(out)
    assert code == shown["exit_code"] == 2
    assert shown["error"]["mend"]


@pytest.mark.parametrize(
    "argv",
    [
        ("runs",), ("show", "t"), ("why", "t"), ("mood", "t"), ("resume",), ("export", "t", "t.html"),
        ("analyze", "t", "--out", "out"), ("traces", "export"), ("gc", "--dry-run"), ("agents", "list"),
        ("rubric", "show"), ("memory", "stats"), ("debate", "report"), ("run", "x", "--sources", "docs"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_home_of_a_newer_release_is_neither_read_nor_changed(capsys, place, argv):
    run_folder().save(RunInfo("t", "x", "done"))
    (place / ".ddax" / "home.json").write_text('{"schema": 99}')
    before = {path: path.stat().st_mtime_ns for path in place.rglob("*")}
    code, out, err = call(capsys, *argv)
    assert code == 4, (out, err)
    assert "has version 99" in err and "mend: Upgrade ddax" in err and not out
    assert {path: path.stat().st_mtime_ns for path in place.rglob("*")} == before


def test_doctor_tells_of_a_home_of_a_newer_release(capsys, place):
    (place / ".ddax").mkdir()
    (place / ".ddax" / "home.json").write_text('{"schema": 99}')
    code, out, _ = call(capsys, "doctor")
    assert code == 1
    assert "has version 99" in out


@pytest.mark.parametrize("place_of", ["parse_args", "invoke"])
@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_an_interrupt_while_the_words_are_read_or_the_command_runs_is_told(
    capsys, monkeypatch, place_of, flags
):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(TyperGroup, place_of, interrupted)
    code, out, err = call(capsys, "runs", *flags)
    assert code == 130
    said = one_object(out)["error"]["what"] if flags else err
    assert "Interrupted." in said


def test_a_port_that_no_browser_opens_is_mended_by_another_one(capsys):
    code, _, err = call(capsys, "run", "go", "--browser", "http://127.0.0.1:6000/")
    assert code == 2
    assert "port 6000" in err and "mend: Serve the page at another port, as 8000 or 8080." in err
