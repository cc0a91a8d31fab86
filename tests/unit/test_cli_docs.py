"""The pages about the command line and the settings say what the code does."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import typer

from ddax import errors
from ddax.cli.app import app
from ddax.configs.keys import setting_fields, value_of
from ddax.configs.settings import Context
from ddax.evolution.program.test_command import _FLAGS, _VALUED

DOCS = Path(__file__).parents[2] / "docs"


def commands() -> dict[str, object]:
    found = {}
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        below = getattr(command, "commands", None)
        found |= {f"{name} {n}": c for n, c in below.items()} if below else {name: command}
    return found


def test_every_command_and_flag_is_on_the_page():
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    for name, command in commands().items():
        assert f"ddax {name}" in page, name
        for parameter in command.params:  # type: ignore[attr-defined]
            if parameter.param_type_name == "option":
                for flag in (*parameter.opts, *parameter.secondary_opts):
                    assert flag == "--help" or f"{flag}`" in page or f"{flag} " in page, (name, flag)


def test_every_flag_on_the_page_exists():
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    known = {"--version", "--help", *_FLAGS, *_VALUED}  # of a test command, too
    for command in commands().values():
        for parameter in command.params:  # type: ignore[attr-defined]
            known |= {*parameter.opts, *parameter.secondary_opts}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", page)) <= known


def test_the_exit_codes_are_those_of_the_errors():
    page = (DOCS / "cli.md").read_text(encoding="utf-8").split("## Exit codes")[1]
    rows = {int(code): text for code, text in re.findall(r"^\| (\d+) \| (.*) \|$", page, re.MULTILINE)}
    assert set(rows) == {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 130}
    classes = [c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, errors.DdaxError)]
    assert {c.exit_code for c in classes} <= set(rows)
    for word, code in (
        ("sandbox", 3),
        ("budget", 6),
        ("storage", 7),
        ("human", 8),
        ("model", 9),
        ("usage", 2),
    ):
        assert word in rows[code]


@pytest.mark.parametrize("key", sorted(setting_fields(Context)))
def test_every_setting_is_on_the_page(key: str):
    page = (DOCS / "settings.md").read_text(encoding="utf-8")
    meaning = setting_fields(Context)[key].description
    row = f"| `{key}` | `{json.dumps(value_of(Context(), key))}` | {meaning} |"
    assert row in page
