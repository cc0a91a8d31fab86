"""The pages hold together: all are reached, links and anchors lead somewhere, pictures are the graph's."""

from __future__ import annotations

import importlib
import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

from ddax.graph.builder import graph
from ddax.graph.drawing import svg

LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")
CODE = re.compile(r"^( *)```(\w*).*?^\1```$", re.M | re.S)
RUN = {"bash", "console", "json", "python", "sh", "yaml"}
MARK = re.compile(r"^ *<!-- (runnable|server|file: \S+|shown: \S.*)")
EDGES = {(edge.source, edge.target) for edge in graph.get_graph().edges}
ENDS = {"START": "__start__", "END": "__end__"}


def pages(repo: Path) -> list[Path]:
    return sorted(repo.glob("docs/**/*.md"))


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and the site make them."""
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    heads = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


def links(page: Path) -> list[tuple[Path, str]]:
    """Return the files and anchors that a page links to."""
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    found = [link for link in LINK.findall(text) if not re.match(r"[a-z]+:", link)]
    parts = [link.partition("#") for link in found]
    return [((page.parent / name).resolve() if name else page, anchor) for name, _, anchor in parts]


@pytest.mark.parametrize("start", ["README.md", "docs/index.md"])
def test_every_page_is_reached(repo: Path, start: str) -> None:
    seen, due = set[Path](), [repo / start]
    while due:
        page = due.pop()
        if page in seen or page.suffix != ".md" or not page.is_file():
            continue
        seen.add(page)
        due += [target for target, _ in links(page)]
    assert [str(page.relative_to(repo)) for page in pages(repo) if page not in seen] == []


def test_every_page_stands_in_the_navigation_of_the_site(repo: Path) -> None:
    named = set(
        re.findall(r"^ +- (?:\w+: )?(\S+\.md)$", (repo / "mkdocs.yml").read_text(encoding="utf-8"), re.M)
    )
    decisions = {page for page in pages(repo) if page.parent.name == "decisions" and page.stem != "index"}
    kept = {str(page.relative_to(repo / "docs")) for page in pages(repo) if page not in decisions}
    assert named == kept


def test_every_anchor_is_a_heading(repo: Path) -> None:
    lost = [
        f"{page.name}: {target.name}#{anchor}"
        for page in [repo / "README.md", *pages(repo)]
        for target, anchor in links(page)
        if anchor and target.suffix == ".md" and anchor not in anchors(target)
    ]
    assert lost == []


def test_every_block_is_run_or_says_why_not(repo: Path) -> None:
    silent = []
    for page in pages(repo):
        text = page.read_text(encoding="utf-8")
        for block in CODE.finditer(text):
            above = text[: block.start()].splitlines()[-1:]
            if block[2] in RUN and not (above and MARK.match(above[0])):
                silent.append(f"{page.name}: {block[0][:60]!r}")
    assert silent == []


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
