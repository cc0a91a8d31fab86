"""What makes a task one of code: a source that holds Python files and tests for them.

No node of its own: `open_task` notes it, `select` asks whether evolution is due, `evolve` loads it.
"""

from __future__ import annotations

from pathlib import Path

from ddax.configs.settings import Evolution
from ddax.evolution.pressure import Impasse, PressureWeights, pressure, trigger
from ddax.graph.state import State
from ddax.ideas import dag
from ddax.types import Idea, JsonDict

TEST, REPAIR = "test", "repair"
"""The names of the leaves that run the tests and that repair the code."""
MAX_FILES = 200
MAX_CHARS = 400_000


def code_task(sources: tuple[str, ...]) -> JsonDict:
    """Return root, targets and tests of the first source that has code and tests; empty without one."""
    for source in sources:
        root = Path(source)
        if not root.is_dir():
            continue
        files = sorted(p for p in root.rglob("*.py") if not _hidden(p, root))[:MAX_FILES]
        tests = [p for p in files if _is_test(p)]
        targets = [p for p in files if not _is_test(p) and p.name != "conftest.py"]
        if tests and targets:
            return {"root": str(root), "targets": _names(targets, root), "tests": _names(tests, root)}
    return {}


def evolution_due(state: State, settings: Evolution, *, step: int, seconds: float) -> bool:
    """Say whether to evolve: the tests are known to fail and the task is under pressure or stuck.

    Every step since the tests failed in which no repair was tried is a NO_CHANGE: nothing that was
    done could have changed them.
    """
    code = state["work"].get("code") or {}
    leaves = [i for i in dag.subtree(state["ideas"], state["work"]["root"]) if i["kind"] == "leaf"]
    failing = [i for i in leaves if _is(i, TEST) and i["status"] == "failed"]
    if not code or not failing or any(_is(i, REPAIR) for i in leaves):
        return False
    stuck = step - max(i["step"] for i in failing) - 1
    value = pressure(
        depth=max(i["depth"] for i in leaves),
        seconds=seconds,
        impasses=stuck,
        ambiguity=0.0,
        weights=PressureWeights(),
    )
    return trigger(
        value,
        [Impasse.NO_CHANGE] * stuck,
        has_code=bool(code.get("targets")),
        has_test=bool(code.get("tests")),
        threshold=settings.pressure_threshold,
        enabled=settings.evolution_enabled,
    )


def _is(leaf: Idea, name: str) -> bool:
    return leaf["action"]["name"] == name


def load_files(root: str, names: list[str]) -> dict[str, str]:
    """Read source files by their names below a root."""
    return {name: (Path(root) / name).read_text(encoding="utf-8")[:MAX_CHARS] for name in names}


def _is_test(path: Path) -> bool:
    return path.name.startswith("test_") or path.name.endswith("_test.py")


def _hidden(path: Path, root: Path) -> bool:
    return any(part.startswith(".") or part == "__pycache__" for part in path.relative_to(root).parts)


def _names(paths: list[Path], root: Path) -> list[str]:
    return [p.relative_to(root).as_posix() for p in paths]
