"""The help of the command line: commands in groups, in whole words."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ddax.cli.app import PANELS, app
from ddax.cli.main import run_command


def said(capsys: Any, *words: str) -> str:
    run_command(words)
    return str(capsys.readouterr().out)


def test_every_command_stands_under_one_heading(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import typer.main

    monkeypatch.setenv("COLUMNS", "80")
    help_ = said(capsys, "--help")
    heads = [line[:-1] for line in help_.splitlines() if re.fullmatch(r"[A-Z]\w+:", line)]
    assert heads == ["Options", *PANELS]
    listed = re.findall(r"^  ([a-z]+)  ", help_.partition("Run:")[2], re.MULTILINE)
    assert sorted(listed) == sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    run, look = help_.partition("Run:")[2].split("Look:")[0], help_.partition("Look:")[2].split("Extend:")[0]
    assert "resume" in run and "view" in look and "doctor" in help_.partition("Maintain:")[2]


@pytest.mark.parametrize("words", [(), ("memory",), ("agents",), ("debate",), ("rubric",), ("models",)])
def test_no_sentence_of_the_help_is_cut(capsys: Any, monkeypatch: pytest.MonkeyPatch, words: Any) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    help_ = said(capsys, *words, "--help")
    assert "..." not in help_.partition("Options:")[2] and max(map(len, help_.splitlines())) <= 80
