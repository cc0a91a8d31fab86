"""An error has three lines wherever a user meets it: what, why, the mend."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from ddax import errors
from ddax.cli.errors import report, usage
from ddax.cli.main import run_command
from ddax.errors import DdaxError, StorageError, UsageError

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


def test_a_home_that_is_a_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "home").write_text("", encoding="utf-8")
    monkeypatch.setenv("DDAX_HOME", str(tmp_path / "home"))
    assert run_command(["runs"]) == 7
    assert "is a file" in capsys.readouterr().err


def test_a_manifest_that_is_a_folder_hides_no_other_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DDAX_HOME", str(tmp_path))
    (tmp_path / "runs" / "odd" / "run.json").mkdir(parents=True)
    assert run_command(["runs"]) == 0
    assert "odd" in capsys.readouterr().out
    assert run_command(["show", "odd"]) == 4
