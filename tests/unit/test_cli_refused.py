"""What a refused command prints: its error alone, and code 2 where what was given is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddax.cli.main import run_command

NOTICE = "No model is set"
ASKED = ("run", "Who wrote the Harbour Almanac?", "--sources")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DDAX_HOME", str(tmp_path / "home"))
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "almanac.md").write_text(
        "# The Harbour Almanac\n\nThe Harbour Almanac was written by Ines Calder in 1911.\n"
        "\nThe Harbour Almanac has nine chapters.\n"
    )
    (tmp_path / "bad.docx").write_text("no archive")
    return tmp_path


@pytest.mark.parametrize("source", ["nowhere", "bad.docx", "python:no_such_module"])
def test_a_run_that_is_refused_says_nothing_of_a_model(
    source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command([*ASKED, source]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert NOTICE not in said


def test_a_run_that_begins_says_once_that_no_model_is_set(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command([*ASKED, "papers"]) == 0
    assert capsys.readouterr().err.count(NOTICE) == 1
    assert run_command([*ASKED, "papers", "-q"]) == 0
    assert NOTICE not in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ("graph", "-o", "none/graph.svg"),
        ("traces", "export", "-o", "none/t.jsonl"),
        ("memory", "export", "none/m.jsonl"),
        ("new", "node", "weigh", "--to", "none"),
        (*ASKED, "papers", "--record", "none/r.jsonl"),
        (*ASKED, "papers", "--record", "bad.docx/r.jsonl"),
        (*ASKED, "papers", "--search", "searxng", "--record-web", "none/w.jsonl"),
    ],
)
def test_a_folder_that_is_not_there_is_a_wrong_input(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEARXNG_URL", "http://127.0.0.1:9")
    assert run_command(list(words)) == 2
    said = capsys.readouterr().err
    assert "There is no folder" in said
    assert "Make the folder first" in said
    assert not Path("none").exists()


def test_a_report_names_its_sources_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command([*ASKED, "papers", "--output", "report"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("Sources") == 1
    assert "“The Harbour Almanac was written by Ines Calder in 1911.”" in shown
    assert run_command([*ASKED, "papers", "--output", "report", "-q"]) == 0
    alone = capsys.readouterr().out
    assert "written by Ines Calder in 1911 [1]." in alone
    assert alone.endswith("## Sources\n\n1. The Harbour Almanac: papers/almanac.md\n")
