"""One registry: a typed function and its effect are all there is to write."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ddax.actions.protocol import Action, ActionContext, ActionResult
from ddax.actions.registry import Registry, action, from_file, open_registry
from ddax.actions.think import think
from ddax.cli.main import run_command
from ddax.errors import ActionError, UsageError
from ddax.graph.services import Parts
from ddax.types import ActionCall

FILE = '''
from ddax.actions.registry import action

@action(effect="writes")
def greet(name: str, times: int = 1) -> str:
    """Say hello."""
    return " ".join([f"Hello, {name}!"] * times)
'''


@action(effect="none")
async def add(a: int, b: int = 2) -> str:
    """Add two numbers."""
    return str(a + b)


@action(effect="none")
def where(context: ActionContext) -> ActionResult:
    """Say which idea it is for."""
    return ActionResult(context.idea)


async def result(kit: Any, found: Action, **args: Any) -> ActionResult:
    session = kit.session(actions=(found,))
    context = ActionContext(session.library, session.memory, "t", "task", "0.1", 1, 0.0, "key")
    return await session.actions.execute(ActionCall(name=found.name, args=args, intent=""), context)


async def test_a_typed_function_is_an_action(kit: Any) -> None:
    assert (await result(kit, add, a=1)).summary == "3"
    assert (await result(kit, where)).summary == "0.1"
    assert add.arguments.model_json_schema()["required"] == ["a"]
    assert (add.name, add.doc, add.effect) == ("add", "Add two numbers.", "none")
    (kept,) = (await result(kit, add, a=1, b=1)).records
    assert (kept.source, kept.text) == ("tool:add", "2")


OUTLIVES = """
import asyncio, threading
from ddax.actions.registry import action

@action(effect="none")
def hang() -> str:
    \"\"\"Hang for good.\"\"\"
    threading.Event().wait()
    return "never"

async def leave_it() -> None:
    try:
        await asyncio.wait_for(hang.function(None, hang.arguments()), 0.05)
    except TimeoutError:
        print("given up")

asyncio.run(leave_it())
"""


def test_the_process_ends_without_an_action_that_outlived_its_time() -> None:
    command = [sys.executable, "-c", OUTLIVES]
    ended = subprocess.run(command, timeout=60, capture_output=True, text=True, check=True)
    assert (ended.stdout, ended.stderr) == ("given up\n", "")


async def test_a_plain_function_sees_the_context_of_its_caller(kit: Any) -> None:
    told: ContextVar[str] = ContextVar("told")

    @action(effect="none")
    def read() -> str:
        """Read it."""
        return told.get()

    told.set("before")
    assert (await result(kit, read)).summary == "before"


@pytest.mark.parametrize("args", [{}, {"a": "x"}, {"a": 1, "c": 2}])
async def test_arguments_are_checked_against_the_signature(kit: Any, args: dict[str, Any]) -> None:
    with pytest.raises(ActionError, match="bad arguments"):
        await result(kit, add, **args)


def test_a_function_without_types_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot be an action"):
        action(effect="none")(lambda x: x)

    def starred(*names: str) -> str:
        return ""

    with pytest.raises(UsageError, match="names"):
        action(effect="none")(starred)


def test_actions_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(FILE, encoding="utf-8")
    (greet,) = from_file(str(path))
    assert (greet.name, greet.effect, greet.origin) == ("greet", "writes", str(path))
    assert set(open_registry(files=[str(path)])) == {"search", "visit", "save", "think", "greet"}


@pytest.mark.parametrize(
    ("text", "said"),
    [("x = 1", "defines no action"), ("1 / 0", "cannot be loaded"), ("exit(3)", "cannot be loaded")],
)
def test_a_file_that_holds_none_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.py"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        from_file(str(path))
    with pytest.raises(UsageError, match="no Python file"):
        from_file(str(tmp_path / "missing.py"))


def test_a_later_action_wins_by_name() -> None:
    other = Action("search", add.function, add.arguments, "none", "Mine.")
    assert Registry([*open_registry().values(), other])["search"].doc == "Mine."


def own_search(query: str) -> str:
    """Search elsewhere."""
    return f"found {query}"


async def test_one_in_the_place_of_a_built_in_one_gets_the_arguments_it_takes(kit: Any) -> None:
    session = kit.session(actions=(replace(action(effect="reads")(own_search), name="search"),))
    call = ActionCall(name="search", args={"query": "a tower", "k": 4, "intent": "where"}, intent="")
    assert session.actions.arguments(call).model_dump() == {"query": "a tower"}
    with pytest.raises(ActionError, match="colour"):
        session.actions.arguments({**call, "args": {**call["args"], "colour": "red"}})


async def test_one_that_takes_all_of_them_gets_all(kit: Any) -> None:
    @action(effect="reads")
    def search(query: str, k: int = 3) -> str:
        """Search elsewhere."""
        return f"{k} of {query}"

    session = kit.session(actions=(search,))
    call = ActionCall(name="search", args={"query": "a tower", "k": 4}, intent="")
    assert session.actions.arguments(call).model_dump() == {"query": "a tower", "k": 4}


def test_the_command_lists_actions_with_effects_and_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(FILE, encoding="utf-8")
    (tmp_path / "ddax.yaml").write_text("actions: {files: [mine.py], deny: [visit]}\n", encoding="utf-8")
    assert run_command(["actions", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["actions"]}
    assert rows["greet"]["policy"] == {
        "user": "ask", "model": "ask", "web": "ask", "file": "ask", "memory": "ask", "tool": "ask",
        "code": "deny",
    }  # fmt: skip
    assert set(rows["visit"]["policy"].values()) == {"deny"}
    assert rows["save"]["policy"]["web"] == "allow"
    assert run_command(["actions"]) == 0
    assert "greet        writes  Say hello." in capsys.readouterr().out


def test_the_command_tells_a_name_that_no_action_bears(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = "deny: [serach, browse], reads: [notes_search, other_search], mcp: ['notes=notes-server']"
    (tmp_path / "ddax.yaml").write_text(f"actions: {{{words}}}\n", encoding="utf-8")
    assert run_command(["actions"]) == 0
    said = capsys.readouterr().out
    assert "actions.deny names 'serach', and no action is called that; is 'search' meant?" in said
    assert "actions.reads names 'other_search'" in said
    assert "names 'browse'" not in said, "it is built in, and there is no page here"
    assert "names 'notes_search'" not in said, "the server is not approved, so nobody knows its tools"


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], int]:
    """List the actions of a project with one of its own, by effect and code; returns the exit code."""

    def run(effect: str, code: str) -> int:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "ddax.yaml").write_text("actions: {files: [mine.py]}")
        opening = "from ddax.actions.registry import action\n\n\n"
        (tmp_path / "mine.py").write_text(f'{opening}@action(effect="{effect}")\n{code}')
        return run_command(["actions"])

    return run


def test_an_effect_that_is_none_of_the_four_is_told_with_file_and_action(
    capsys: Any, listed: Callable[[str, str], int]
) -> None:
    assert listed("nix", 'def beep() -> str:\n    """Beep."""\n    return "beep"\n') == 2
    said = capsys.readouterr().err
    for words in ("'mine.py'", "'beep'", "'nix'", "none, reads, writes, spends"):
        assert words in said, words


def test_an_action_that_takes_the_place_of_a_built_in_one_is_shown_as_that(
    capsys: Any, listed: Callable[[str, str], int]
) -> None:
    assert listed("none", 'def search(query: str) -> str:\n    """Look here."""\n    return query\n') == 0
    assert capsys.readouterr().out.count("(mine.py, in place of the built-in one)") == 1


def undecorated() -> str:
    """Do nothing."""
    return ""


@pytest.mark.parametrize(
    ("actions", "why"),
    [
        ((undecorated,), "There is a function"), (think, "It is one alone"),
        (undecorated, "a function"), ("x", "a str"),
    ],
)  # fmt: skip
def test_actions_that_are_none_are_refused_where_they_are_given(actions: Any, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        Parts(actions=actions)
