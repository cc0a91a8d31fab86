"""`ddax graph --graph` draws a graph of the caller's own, named by its module or its file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ddax.cli.main import run_command

FILE = """
from typing import TypedDict
from langgraph.graph import END, START, StateGraph
from ddax import build_graph, splice

class Short(TypedDict):
    said: str

def weigh(state): return {}

alone = StateGraph(Short).add_node("draft", weigh).add_node("check", weigh)
alone.add_edge(START, "draft").add_edge("draft", "check").add_edge("check", END)
ready = alone.compile()
with_ours = splice(build_graph(), "weigh", weigh, after="act", before="evaluate")
def build(services): return splice(build_graph(services), "late", weigh, after="act", before="evaluate")
def no_arguments(): return ready
async def by_config(config): return alone if config.get("short", True) else None
def broken(): raise RuntimeError("no key")
number = 3
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "flows.py").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "flows", raising=False)
    yield tmp_path
    sys.modules.pop("flows", None)


def drawn(capfd: Any, *words: str) -> tuple[int, str, str]:
    code = run_command(("graph", *words))
    found = capfd.readouterr()
    return code, found.out, found.err


@pytest.mark.parametrize("where", ["flows", "flows.py", "./flows.py"])
@pytest.mark.parametrize(
    ("name", "node", "ours"),
    [
        ("alone", "draft", False), ("ready", "check", False), ("with_ours", "weigh", True),
        ("build", "late", True), ("no_arguments", "draft", False), ("by_config", "draft", False),
    ],
)  # fmt: skip
def test_an_own_graph_is_drawn(place: Path, capfd: Any, where: str, name: str, node: str, ours: bool) -> None:
    code, out, _ = drawn(capfd, "--graph", f"{where}:{name}")
    assert code == 0 and f"{node}({node})" in out and ("metacognition" in out) == ours


def test_its_picture_has_a_place_for_each_node(place: Path, capfd: Any) -> None:
    code, _, err = drawn(capfd, "--graph", "flows:alone", "--format", "svg", "-o", "own.svg")
    picture = (place / "own.svg").read_text()
    assert code == 0, err
    boxes = [picture.index(f">{name}</text>") for name in ("start", "draft", "check", "end")]
    assert boxes == sorted(boxes) and 'y="' in picture


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("flows", "names no graph"), ("flows:", "names no graph"),
        ("absent_module:graph", "cannot be imported"),
        ("absent.py:graph", "cannot be imported"), ("flows:absent", "has no 'absent'"),
        ("flows:number", "is no graph"), ("flows:Short", "is no graph"), ("flows:broken", "no key"),
    ],
)  # fmt: skip
def test_what_is_no_graph_is_told(place: Path, capfd: Any, given: str, told: str) -> None:
    code, _, err = drawn(capfd, "--graph", given)
    assert code == 2 and told in err, err
    assert "mend:" in err


def test_the_graphs_of_a_module_are_named_where_one_is_missing(place: Path, capfd: Any) -> None:
    assert "alone, ready, with_ours" in drawn(capfd, "--graph", "flows:absent")[2]


@pytest.mark.parametrize(("file", "begins"), [("a.svg", "<svg"), ("a.SVG", "<svg"), ("a.mmd", "---")])
def test_the_ending_of_the_file_says_what_is_drawn(place: Path, file: str, begins: str) -> None:
    assert run_command(["graph", "-o", file]) == 0
    assert (place / file).read_text().startswith(begins)


def test_a_format_that_does_not_fit_the_file_is_refused(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["graph", "--format", "svg", "-o", "a.png"]) == 2
    assert ".png" in capsys.readouterr().err and not (place / "a.png").exists()
