"""The folders, the links and the imports are what docs/architecture.md says they are."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from ddax.types import NodeName

LINKS = ("graph", "nodes", "memory", "configs")


@pytest.mark.parametrize("name", LINKS)
def test_root_link_names_its_folder(repo: Path, name: str) -> None:
    if not (repo / ".git").exists():
        pytest.skip("an unpacked sdist has no root links")
    link, target = repo / name, f"ddax/{name}"
    if link.is_symlink():
        assert link.readlink().as_posix() == target
        assert (repo / target).is_dir()
    else:  # a checkout without symlinks: git writes the target as text
        assert link.is_file()
        assert link.read_text(encoding="utf-8").strip() == target


@pytest.mark.parametrize("name", get_args(NodeName))
def test_node_file_holds_its_function(repo: Path, name: str) -> None:
    module = importlib.import_module(f"ddax.nodes.{name}")
    function = getattr(module, name)
    assert inspect.iscoroutinefunction(function), f"{name} is not an async function"
    assert function.__module__ == module.__name__


def test_folders_match_the_document(repo: Path) -> None:
    text = (repo / "docs/architecture.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `((?:ddax|tests|benchmarks|docs|examples|scripts)[^`]*)` \|", text, re.M))
    packages = {f"ddax/{p.parent.name}" for p in (repo / "ddax").glob("*/__init__.py")}
    suites = {f"tests/{p.name}" for p in (repo / "tests").iterdir() if p.is_dir() and p.name != "__pycache__"}
    assert listed == packages | suites | {"benchmarks", "docs", "examples", "scripts"}


def test_rooms_match_the_document(repo: Path) -> None:
    text = (repo / "docs/architecture.md").read_text(encoding="utf-8")
    table = text[text.index("| room |") : text.index("`ddax/environments` lies")]
    rooms = {p.parent.relative_to(repo / "ddax").as_posix() for p in (repo / "ddax").glob("*/**/__init__.py")}
    assert set(re.findall(r"^\| `([\w/]+)` \|", table, re.M)) == {room for room in rooms if "/" in room}


def test_nodes_holds_the_nodes_alone(repo: Path) -> None:
    files = {path.stem for path in (repo / "ddax/nodes").glob("*.py")} - {"__init__"}
    assert files == set(get_args(NodeName))


def test_a_room_of_a_node_is_used_by_that_node_alone(repo: Path) -> None:
    used = imports(repo)
    for room in set(get_args(NodeName)) & {p.name for p in (repo / "ddax/steps").iterdir()}:
        own = f"ddax.steps.{room}."
        users = {m for m, names in used.items() if any(name.startswith(own) for name in names)}
        assert users, room
        assert all(m == f"ddax.nodes.{room}" or m.startswith(own) for m in users), (room, users)


def test_nodes_in_the_document_are_the_nodes(repo: Path) -> None:
    text = (repo / "docs/architecture.md").read_text(encoding="utf-8")
    table = text[text.index("| node |") : text.index("## The layers")]
    assert tuple(re.findall(r"^\| `(\w+)` \|", table, re.M)) == get_args(NodeName)


def test_each_step_of_the_way_of_one_question_is_an_import(repo: Path) -> None:
    text = (repo / "docs/architecture.md").read_text(encoding="utf-8")
    way = text[text.index("## The way of one question") : text.index("## The folders")]
    steps = re.findall(r"^  ([\w.]+) --> ([\w.]+)$", way, re.M)
    assert len(steps) > 15
    for here, there in steps:
        source = (repo / "ddax" / here.replace(".", "/")).with_suffix(".py").read_text(encoding="utf-8")
        assert re.search(rf"^ *from ddax\.{re.escape(there)} import ", source, re.M), (here, there)
    first, reached = steps[0][0], {steps[0][0]}
    assert all(here in reached for here, there in steps if not reached.add(there)), first


def test_state_fields_in_the_document_are_the_fields(repo: Path) -> None:
    from ddax.graph.state import State

    text = (repo / "docs/architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", text[text.index("## The state") :], re.M)
    assert {name for row in rows for name in re.findall(r"\w+", row)} == set(State.__annotations__)


def imports(repo: Path) -> dict[str, set[str]]:
    """Return module -> modules of ddax it imports when it is imported."""
    files = {
        ".".join(p.relative_to(repo).with_suffix("").parts).removesuffix(".__init__"): p
        for p in (repo / "ddax").rglob("*.py")
    }
    found: dict[str, set[str]] = {}
    for module, path in files.items():
        targets: set[str] = set()
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "ddax":
                subs = {f"{node.module}.{alias.name}" for alias in node.names}
                targets |= {sub for sub in subs if sub in files} or {node.module}
            elif isinstance(node, ast.Import):
                targets |= {alias.name for alias in node.names if alias.name.split(".")[0] == "ddax"}
        found[module] = targets - {module}
    return found


def test_import_contract_holds(repo: Path) -> None:
    code = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"
    done = subprocess.run([sys.executable, "-c", code], cwd=repo, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


NAMED = re.compile(r"\(((?:`[a-z][a-z_.]*`(?:, |,\n| and |))+)\)")
"""Names in brackets: by these the docstring of a module says where else to look."""


def unknown_names(repo: Path) -> list[str]:
    """Return what docstrings of modules name in brackets that is no sibling, no path and no name in them."""
    files = sorted((repo / "ddax").rglob("*.py"))
    modules = [".".join(path.relative_to(repo).with_suffix("").parts) for path in files]
    ends = {
        name.removesuffix(".__init__").split(".", n)[n] for name in modules for n in range(name.count("."))
    }
    found = []
    for path in files:
        text = path.read_text(encoding="utf-8")
        told = ast.get_docstring(ast.parse(text), clean=False) or ""
        own = {*re.findall(r"\w+", text.replace(told, "", 1)), *(one.stem for one in path.parent.iterdir())}
        for name in re.findall(r"`([a-z_.]+)`", " ".join(NAMED.findall(told))):
            path_of = name.removeprefix("ddax.")
            known = {path_of, path_of.rpartition(".")[0]} & ends if "." in name else name in own
            if not known:
                found.append(f"{path.relative_to(repo)}: {name}")
    return found


def test_what_a_docstring_names_is_there(repo: Path) -> None:
    assert unknown_names(repo) == []


def test_a_name_that_is_nothing_is_found(tmp_path: Path) -> None:
    (tmp_path / "ddax" / "a").mkdir(parents=True)
    (tmp_path / "ddax" / "a" / "b.py").write_text(
        '"""Does it (`c`, `d`), with (`a.c`) and (`a.x.y`)."""\nd = 1\n'
    )
    (tmp_path / "ddax" / "a" / "c.py").write_text("")
    assert unknown_names(tmp_path) == ["ddax/a/b.py: a.x.y"]
