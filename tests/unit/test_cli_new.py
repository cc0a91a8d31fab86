"""`ddax new` writes what passes its own test, and overwrites nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ddax.cli.main import run_command
from ddax.configs.identities import load_identity


def test_ruff_and_the_author_find_nothing_left_to_fill_in(tmp_path: Path) -> None:
    for kind in ("node", "action", "identity"):
        assert run_command(["new", kind, f"my_{kind}", "--to", str(tmp_path)]) == 0
    texts = [path.read_text() for path in tmp_path.iterdir()]
    assert len(texts) == 6
    assert not any("$" in text for text in texts)


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "test_mine.py").write_text("mine")
    assert run_command(["new", "node", "mine", "--to", str(tmp_path)]) == 2
    assert "is there already." in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["test_mine.py"]


@pytest.mark.parametrize(
    ("kind", "name"),
    [("node", "build"), ("node", "splice"), ("action", "json"), ("action", "action"), ("node", "print"),
     ("action", "pydantic"), ("action", "action_result")],
)  # fmt: skip
def test_a_name_that_would_hide_another_is_refused(
    kind: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["new", kind, name, "--to", str(tmp_path)]) == 2
    assert "Something else is called that already." in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["yes", "null", "on"])
def test_an_identity_may_be_called_what_yaml_reads_as_something_else(name: str, tmp_path: Path) -> None:
    assert run_command(["new", "identity", name, "--to", str(tmp_path)]) == 0
    assert load_identity(tmp_path / f"{name}.yaml").name == name


@pytest.mark.parametrize("name", ["", "Mine", "../mine", "class", "1st", "a-b", "x" * 99, "test_mine"])
def test_a_name_that_is_no_name_is_refused(name: str, tmp_path: Path) -> None:
    assert run_command(["new", "action", name, "--to", str(tmp_path)]) == 2
    assert list(tmp_path.iterdir()) == []


def test_json_names_the_files_and_a_missing_folder_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["new", "identity", "calm", "--to", str(tmp_path), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [Path(name).name for name in shown["files"]] == ["calm.yaml", "test_calm.py"]
    assert run_command(["new", "identity", "calm", "--to", str(tmp_path / "none")]) == 2
    assert "There is no folder" in capsys.readouterr().err
