"""The documents, the Makefile and the settings of the tools agree with the code."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

MARKDOWN = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/**/*.md", "examples/**/*.md")
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")
CODE = re.compile(r"^( *)```(\w*).*?^\1```$", re.M | re.S)
RUN = {"bash", "console", "json", "python", "sh", "yaml"}
MARK = re.compile(r"^ *<!-- (runnable|server|file: \S+|shown: \S.*)")


def documents(repo: Path) -> list[Path]:
    return [path for pattern in MARKDOWN for path in repo.glob(pattern)]


def test_every_link_to_a_file_resolves(repo: Path) -> None:
    broken = []
    for page in documents(repo):
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
            if not re.match(r"[a-z]+:", target) and not (page.parent / target).exists():
                broken.append(f"{page.relative_to(repo)}: {target}")
    assert broken == []


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


def test_a_reader_sees_the_name_of_a_file_to_be_written(repo: Path) -> None:
    """The mark above a block is a comment, which no rendered page shows."""
    lost = []
    for page in pages(repo):
        text = page.read_text(encoding="utf-8")
        for mark in re.finditer(r"^ *<!-- file: (\S+) -->", text, re.M):
            before = text[: mark.start()].rstrip().splitlines()[-1:]
            if f"`{mark[1]}`" not in "".join(before):
                lost.append(f"{page.name}: {mark[1]}")
    assert lost == []


def test_make_commands_in_the_documents_exist(repo: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (repo / "Makefile").read_text(encoding="utf-8"), re.M))
    named = {
        name
        for page in documents(repo)
        for name in re.findall(r"(?:`|^|&& )make ([a-z-]+)", page.read_text(encoding="utf-8"), re.M)
    }
    assert named, "no document names a make target"
    assert named <= targets


def test_phony_lists_every_target(repo: Path) -> None:
    text = (repo / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.*)$", text, re.M)
    assert phony
    assert set(phony[1].split()) == set(re.findall(r"^([a-z-]+):", text, re.M))


def test_ci_runs_every_test_and_the_checks(repo: Path) -> None:
    make = (repo / "Makefile").read_text(encoding="utf-8")
    folders = re.findall(r"pytest .*-m (.*) (\S+)$", make, re.M)
    assert folders == [("'not long'", "tests"), ("long", "tests")], "the two targets share all tests"
    ci = (repo / ".ci" / "run").read_text(encoding="utf-8")
    assert "for target in test test-long; do" in ci
    assert "make check" in ci


def test_the_modules_that_set_up_compiles_exist(repo: Path) -> None:
    text = (repo / "scripts" / "setup.sh").read_text(encoding="utf-8")
    blocks = re.findall(r"compile_ahead '(import .*?)'", text, re.S)
    imports = [node for block in blocks for node in ast.parse(block).body if isinstance(node, ast.Import)]
    names = [alias.name for node in imports for alias in node.names]
    assert len(names) > 10
    assert [name for name in names if find_spec(name) is None] == []


UNSAFE_MODULES = {"pickle", "marshal", "dill", "shelve"}
UNSAFE_CALLS = {"eval", "exec", "builtins.eval", "builtins.exec", "yaml.load", "os.system"}


def unsafe_flag(word: ast.keyword) -> bool:
    value = word.value.value if isinstance(word.value, ast.Constant) else None
    return (word.arg, value) in {("shell", True), ("verify", False)} or word.arg == "trust_remote_code"


def banned(tree: ast.AST) -> list[str]:
    """Return the calls and imports that may run foreign code or drop a check."""
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name.split(".")[0] in UNSAFE_MODULES]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in UNSAFE_MODULES:
            found.append(str(node.module))
        elif isinstance(node, ast.Call):
            found += [name for name in [ast.unparse(node.func)] if name in UNSAFE_CALLS]
            found += [str(word.arg) for word in node.keywords if unsafe_flag(word)]
    return found


def test_no_banned_call(repo: Path) -> None:
    found = {
        str(path.relative_to(repo)): calls
        for path in (repo / "ddax").rglob("*.py")
        if "evolution" not in path.parts and (calls := banned(ast.parse(path.read_text(encoding="utf-8"))))
    }
    assert found == {}


@pytest.mark.parametrize(
    "code", ["import pickle", "eval('1')", "yaml.load(f)", "run('x', shell=True)", "get(u, verify=False)"]
)
def test_the_ban_sees_what_it_bans(code: str) -> None:
    assert banned(ast.parse(code))


def test_langgraph_json_names_the_graph(repo: Path) -> None:
    spec = json.loads((repo / "langgraph.json").read_text(encoding="utf-8"))
    assert spec["graphs"]["ddax"]["path"] == "ddax.graph.builder:graph"
    assert spec["graphs"]["ddax"]["description"].endswith(".")
    assert "checkpointer" not in spec


def test_the_form_of_the_settings_has_a_word_and_a_default_for_each() -> None:
    from ddax.configs.settings import Context

    schema = Context.model_json_schema()
    assert [name for name, field in schema["properties"].items() if "default" not in field] == []
    for part in (schema, *schema["$defs"].values()):
        assert [name for name, field in part["properties"].items() if not field.get("description")] == []


def test_version_is_stated_once_and_the_same(repo: Path) -> None:
    import ddax

    project = tomllib.loads((repo / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == ddax.__version__


def test_tools_skip_the_root_links(repo: Path) -> None:
    tools = tomllib.loads((repo / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    for name in ("graph", "nodes", "memory", "configs"):
        assert f"^{name}/" in tools["mypy"]["exclude"]
        assert name in tools["pytest"]["ini_options"]["norecursedirs"]
    assert tools["pyright"]["include"] == ["ddax"]


def test_mypy_checks_the_benchmarks_but_the_adapters_of_other_frameworks(repo: Path) -> None:
    mypy = tomllib.loads((repo / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
    assert mypy["strict"] and mypy["packages"] == ["ddax", "benchmarks"]
    modules = [file.relative_to(repo) for file in (repo / "benchmarks").rglob("*.py")]
    left_out = {file for file in modules if any(re.search(each, file.as_posix()) for each in mypy["exclude"])}
    adapters = {file for file in modules if file.parent.name == "adapters"}
    assert left_out == {file for file in adapters if file.name != "ddax.py"}


def test_the_linter_sees_every_module_once(repo: Path) -> None:
    command = [sys.executable, "-m", "ruff", "check", "--show-files", "."]
    shown = subprocess.run(command, cwd=repo, check=True, capture_output=True, text=True).stdout
    seen = sorted(Path(line).relative_to(repo).as_posix() for line in shown.splitlines())
    for folder in ("ddax", "tests", "benchmarks"):
        modules = sorted(file.relative_to(repo).as_posix() for file in (repo / folder).rglob("*.py"))
        assert [file for file in seen if file.startswith(f"{folder}/") and file.endswith(".py")] == modules
    assert not [file for file in seen if file.startswith(("graph/", "nodes/", "memory/", "configs/"))]
