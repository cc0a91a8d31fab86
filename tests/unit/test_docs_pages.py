"""What the pages show and name is what there is: the pictures, the layers, the reference, the sources."""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

from ddax.configs.keys import setting_fields
from ddax.configs.settings import Context
from ddax.graph.builder import graph
from ddax.graph.drawing import svg

CODE = re.compile(r"^( *)```(\w*).*?^\1```$", re.M | re.S)
EDGES = {(edge.source, edge.target) for edge in graph.get_graph().edges}
ENDS = {"START": "__start__", "END": "__end__"}


def test_the_reference_names_what_there_is(repo: Path) -> None:
    named = re.findall(r"^::: (\S+)$", (repo / "docs/reference.md").read_text(encoding="utf-8"), re.M)
    assert named
    for name in named:
        module, _, last = name.rpartition(".")
        assert hasattr(importlib.import_module(module), last) or importlib.import_module(name), name


def drawn(text: str) -> set[tuple[str, str]]:
    """Return the edges of the picture in plain text: chains of nodes, with | between alternatives."""
    found: set[tuple[str, str]] = set()
    for line in text.splitlines():
        for chain in re.split(r"\s{3,}", re.sub(r" \([^)]*\)", "", line.strip())):
            steps = [re.split(r" \| |, ", step.strip()) for step in chain.split("→")]
            for before, after in pairwise(steps):
                found |= {(ENDS.get(a, a), ENDS.get(b, b)) for a in before for b in after}
    return found


@pytest.mark.parametrize("name", ["README.md", "docs/index.md", "docs/architecture.md"])
def test_the_picture_in_text_is_the_graph(repo: Path, name: str) -> None:
    text = (repo / name).read_text(encoding="utf-8")
    picture = next(block[0] for block in CODE.finditer(text) if "START →" in block[0])
    assert drawn(picture) == EDGES


def test_the_picture_in_mermaid_is_the_graph(repo: Path) -> None:
    text = (repo / "docs/architecture.md").read_text(encoding="utf-8")
    picture = next(block[0] for block in CODE.finditer(text) if block[2] == "mermaid")
    plain = re.sub(r"\(\[\w+\]\)", "", re.sub(r" -- [\w ]+ -->", " -->", picture))
    found: set[tuple[str, str]] = set()
    for line in plain.splitlines():
        steps = [ENDS.get(step.strip(), step.strip()) for step in line.split("-->")]
        found |= set(pairwise(steps))
    assert found == EDGES


def test_the_picture_of_the_site_is_the_one_the_command_draws(repo: Path) -> None:
    assert (repo / "docs/images/graph.svg").read_text(encoding="utf-8").strip() == svg().strip()


def test_the_layers_in_the_document_are_the_contract(repo: Path) -> None:
    contract = tomllib.loads((repo / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    wanted = [set(re.split(r" : ", layer)) for layer in contract["contracts"][0]["layers"]]
    text = (repo / "docs/architecture.md").read_text(encoding="utf-8")
    block = next(found[0] for found in CODE.finditer(text) if "__main__" in found[0])
    said = []
    for line in block.splitlines()[1:-1]:
        folder, colon, names = line.rpartition(": ")
        said.append({f"{folder}.{name}" if colon else name for name in names.split()})
    assert said == wanted


def names(tree: ast.AST, before: str = "") -> set[str]:
    """Return what a module, or a class of it, defines: functions, classes with their parts, constants."""
    found: set[str] = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            found |= {before + node.name} | names(node, f"{before}{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(before + node.name)
        elif isinstance(node, ast.Assign):
            found |= {before + target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(before + node.target.id)
    return found


@pytest.mark.parametrize(
    "page", ["dda-x", "ideadag", "agent-memory", "metacognitive-bridge", "evolution"]
)  # fmt: skip
def test_what_a_page_of_a_source_names_is_in_the_file_it_names(repo: Path, page: str) -> None:
    rows = (repo / f"docs/sources/{page}.md").read_text(encoding="utf-8").splitlines()
    tables = [row for row in rows if row.startswith("| ")][2:]
    lost = []
    for row in tables:
        places = re.findall(r"`(ddax/[\w/]+\.py)`: ((?:`[\w.]+`(?:, )?)+)", row.rstrip("| ").split(" | ")[-1])
        if not places:
            lost.append(f"no place: {row}")
        for file, said in places:
            there = (
                names(ast.parse((repo / file).read_text(encoding="utf-8")))
                if (repo / file).exists()
                else set()
            )
            lost += [f"{file}: {name}" for name in re.findall(r"`([\w.]+)`", said) if name not in there]
    assert lost == []


def pages_of(repo: Path) -> list[Path]:
    """Return the documents that speak of the checkout as it is."""
    found = [*repo.glob("*.md"), *repo.glob("docs/**/*.md")]
    return [page for page in found if page.name != "CHANGELOG.md"]


def test_every_path_that_a_page_names_is_there(repo: Path) -> None:
    tops = {place.name for place in repo.iterdir()}
    made = ("benchmarks/plots/",)  # what a benchmark draws when it is run
    named = [
        (page.name, path)
        for page in pages_of(repo)
        for path in re.findall(r"(?<![\w/.:\-])((?:[\w.\-]+/)+[\w.\-]*\w)", page.read_text(encoding="utf-8"))
        if path.split("/")[0] in tops and not path.startswith(made)
    ]
    assert len(named) > 100
    assert [(page, path) for page, path in named if not (repo / path).exists()] == []


def test_every_setting_and_benchmark_that_a_page_names_is_there(repo: Path) -> None:
    known = set(setting_fields(Context))
    parts = {key.rpartition(".")[0] for key in known} - {""}
    files = {path.stem.replace("_", "-") for path in (repo / "benchmarks").iterdir()}
    lost, seen = [], 0
    for page in pages_of(repo):
        text = page.read_text(encoding="utf-8")
        for name in re.findall(r"`([a-z_]+(?:\.[a-z_]+)+)`", text):
            if name.partition(".")[0] in parts and not name.endswith(".yaml"):
                seen += 1
                lost += [(page.name, name)] if name not in known | parts else []
        lost += [
            (page.name, name)
            for name in re.findall(r"python -m benchmarks ([a-z0-9\-]+)", text)
            if name not in files
        ]
    assert seen > 30
    assert lost == []


INSTALLS = re.compile(r"pip install [^\n`]*ddax")


def test_every_page_that_installs_says_what_works_before_the_publication(repo: Path) -> None:
    """`pip install ddax` works once it is published: a page that says it leads to what works until then."""
    pages = [
        repo / "README.md",
        *repo.glob("docs/*.md"),
        *repo.glob("examples/*.md"),
        *repo.glob("examples/*.ipynb"),
    ]
    told = [page for page in pages if INSTALLS.search(page.read_text(encoding="utf-8"))]
    assert len(told) > 8
    assert [
        p.name for p in told if p.name != "install.md" and "install.md)" not in p.read_text("utf-8")
    ] == []
    assert [p.name for p in pages if "pip install '.[" in p.read_text(encoding="utf-8")] == []


def test_the_page_on_installing_has_every_extra(repo: Path) -> None:
    project = tomllib.loads((repo / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (repo / "docs" / "install.md").read_text(encoding="utf-8").partition("## Extras")[2]
    assert [name for name in project["optional-dependencies"] if f"`{name}`" not in page] == []
