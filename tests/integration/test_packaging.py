"""The sdist and the wheel work, and another package can splice its own node in a fresh environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

PROFILES = ("cautious", "exploratory", "task_focused", "traumatized")
DATA = (
    "ddax/py.typed", "ddax/memory/data/vocab.txt", "ddax/configs/default.yaml", "ddax/configs/models.yaml",
    *(f"ddax/configs/identity/{name}.yaml" for name in PROFILES),
)  # fmt: skip

GUEST_PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "guest"
version = "1"
dependencies = ["ddax"]
"""

GUEST = '''
"""A package of someone else that puts its own node into the graph."""
import sys
from ddax import Context, build_graph, open_agent, splice

SEEN = []

def audit(state):
    SEEN.append(sorted(state["outcomes"]))
    return {}

def build(services):
    return splice(build_graph(services), "audit", audit, after="act", before="evaluate")

def main():
    import ddax
    source, home = sys.argv[1:]
    with open_agent(Context(sources=(source,)), home=home, build=build) as agent:
        edges = {(e.source, e.target) for e in agent.graph.get_graph().edges}
        assert {("act", "audit"), ("audit", "evaluate")} <= edges and ("act", "evaluate") not in edges
        agent.run_sync("Who wrote the Harbour Almanac?")
    assert SEEN and all(SEEN), "the node was never run"
    print("from", ddax.__file__)

main()
'''


def run(*words: str | Path, cwd: Path, **extra: str) -> str:
    """Run a command and return its output; fails with everything it said."""
    env = {**os.environ, "PYTHONPATH": "", **extra}
    done = subprocess.run(
        list(map(str, words)), cwd=cwd, env=env, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """Build the sdist of the checkout, and the wheel from that sdist alone."""
    pytest.importorskip("hatchling", reason="needs hatchling (make setup installs it)")
    root, out = Path(__file__).resolve().parents[2], tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", out, cwd=root)
    sdist = next(out.glob("*.tar.gz"))
    with tarfile.open(sdist) as archive:
        archive.extractall(out / "unpacked", filter="data")
    source = next((out / "unpacked").iterdir())
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", out, cwd=source)
    yield sdist, next(out.glob("*.whl"))
    shutil.rmtree(out)


@pytest.fixture(scope="module")
def fresh(built: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make an environment that holds the wheel, and borrows what it depends on; return its python."""
    place = tmp_path_factory.mktemp("fresh") / "an env"
    venv.create(place, with_pip=False, symlinks=True)
    python = place / "bin" / "python"
    site = Path(
        run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=place).strip()
    )
    install(built[1], site)
    # A folder named in a .pth is searched, but its own .pth files are not read: the checkout stays out.
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return python


def install(wheel: Path, site: Path) -> None:
    """Install a pure wheel: unpacking is all that its format asks for."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)


def test_wheel_holds_one_package_and_its_data(built: tuple[Path, Path]) -> None:
    names = zipfile.ZipFile(built[1]).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"ddax"}
    assert len(names) == len(set(names))
    assert [name for name in DATA if name not in names] == []
    assert any(name.startswith("ddax/reasoning/prompts/") and not name.endswith(".py") for name in names)
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]
    assert {Path(n).name for n in names if "/licenses/" in n} == {"LICENSE", "NOTICE"}


def test_wheel_holds_every_file_of_the_package(built: tuple[Path, Path], repo: Path) -> None:
    here = {
        path.relative_to(repo).as_posix()
        for path in (repo / "ddax").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert here - set(zipfile.ZipFile(built[1]).namelist()) == set()


def test_sdist_holds_each_file_once(built: tuple[Path, Path]) -> None:
    with tarfile.open(built[0]) as archive:
        names = [member.name.split("/", 1)[1] for member in archive.getmembers()]
    assert len(names) == len(set(names))
    assert {"pyproject.toml", "Makefile", "requirements.lock", "LICENSE", "tests/conftest.py"} <= set(names)
    assert not {name.split("/")[0] for name in names} & {
        "graph",
        "nodes",
        "memory",
        "configs",
        ".venv",
        ".ddax",
    }


def test_wheel_imports_in_a_fresh_environment(fresh: Path, tmp_path: Path) -> None:
    body = "import ddax; from ddax import Context; print(ddax.__file__); Context()"
    assert "an env" in run(fresh, "-c", body, cwd=tmp_path)
    assert run(fresh, "-m", "ddax", "--help", cwd=tmp_path)


def test_another_package_splices_its_own_node(fresh: Path, tmp_path: Path) -> None:
    project = tmp_path / "guest-project"
    (project / "guest").mkdir(parents=True)
    (project / "pyproject.toml").write_text(GUEST_PROJECT, encoding="utf-8")
    (project / "guest" / "__init__.py").write_text("", encoding="utf-8")
    (project / "guest" / "__main__.py").write_text(GUEST, encoding="utf-8")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, cwd=project)
    site = Path(
        run(fresh, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=tmp_path).strip()
    )
    install(next(tmp_path.glob("guest-*.whl")), site)
    source = tmp_path / "papers"
    source.mkdir()
    (source / "almanac.txt").write_text(
        "The Harbour Almanac was written by Ines Calder in 1911.\n", encoding="utf-8"
    )
    said = run(fresh, "-m", "guest", source, tmp_path / "home", cwd=tmp_path)
    assert "an env" in said, "ddax came from the checkout, not from the wheel"


def test_a_newcomer_builds_with_parts_of_their_own_and_resumes(fresh: Path, tmp_path: Path) -> None:
    pytest.importorskip("docx", reason="needs the extra office")
    script = Path(__file__).with_name("newcomer.py")
    said = run(fresh, "-W", "error", script, tmp_path / "home", tmp_path / "papers", cwd=tmp_path)
    assert "broken off" in said and "an env" in said
