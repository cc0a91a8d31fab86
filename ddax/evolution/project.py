"""Reads a project for repair: which files may change, which tests count, what else they need.

Reads only; the user's code is never run here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path

from ddax.errors import SourceError, UsageError
from ddax.evolution.beside import tests_beside
from ddax.evolution.command import TestCommand, matches
from ddax.evolution.imports import closure, import_root, python_files
from ddax.evolution.records import RepairTask
from ddax.evolution.standin import needs_pytest
from ddax.evolution.suites import Runner, read_units
from ddax.wording import amount

MAX_FILES, MAX_BYTES = 400, 400_000
DATA_FILES, DATA_BYTES = 100, 200_000
_SETTINGS = ("pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg")


@dataclass(frozen=True)
class Project:
    """A project as read: its `root` folder and the task that a repair gets; paths are relative to it."""

    root: Path
    task: RepairTask
    why_pytest: str = ""


def is_test(path: Path) -> bool:
    """Say whether a file's name is that of a test file."""
    return path.name.startswith("test_") or path.name.endswith("_test.py")


def is_program(path: Path) -> bool:
    """Say whether a file's name is that of one that may be changed."""
    return not is_test(path) and path.name != "conftest.py"


def read_text(path: Path) -> str:
    """Read a file with its line ends as they are, without a mark of UTF-8; raises SourceError for no text."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise SourceError(
                f"{path} has more than {MAX_BYTES:,} bytes.",
                why="A file of this size is no program somebody wrote.",
                mend="Name smaller files.",
            )
        return path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        raise SourceError(
            f"Cannot read {str(path)!r}.", why=f"{why}.", mend="Check the path, and that it is UTF-8 text."
        ) from error


def _expand(names: Sequence[str], cwd: Path) -> list[Path]:
    """Return the Python files that the names mean; raises SourceError for one that is not there."""
    found: list[Path] = []
    for name in names:
        path = Path(os.path.abspath(cwd / name))
        if path.is_dir():
            found += python_files(path)
        elif path.is_file():
            if path.suffix != ".py":
                raise SourceError(
                    f"{name!r} is no Python file.",
                    why="Only Python is repaired.",
                    mend="Name files that end in .py, or a folder with some.",
                )
            found.append(path)
        else:
            raise SourceError(
                f"There is no file or folder {name!r}.",
                why=f"Looked in {cwd}.",
                mend="Give the path of a Python file, or of a folder with some.",
            )
    return list(dict.fromkeys(found))


def _test_paths(command: TestCommand, cwd: Path) -> tuple[list[Path], dict[Path, list[str]]]:
    """Return the test files of a command, and for those given as `file::test` the wanted ids."""
    files: list[Path] = []
    wanted: dict[Path, list[str]] = {}
    for word in command.paths or (".",):
        name, _, inner = word.partition("::")
        if command.style == "unittest" and not (cwd / name).exists():
            name, inner = _dotted(name, cwd)
        path = Path(os.path.abspath(cwd / name))
        found = _expand([name], cwd)
        files += [p for p in found if path.is_file() or _fits(p, command.pattern)]
        if inner and path.is_file():
            wanted.setdefault(path, []).append(inner.split("[")[0])
    out = [Path(os.path.abspath(cwd / word)) for word in command.without if "::" not in word]
    kept = [file for file in files if not any(file.is_relative_to(path) for path in out)]
    return list(dict.fromkeys(kept)), wanted


def _fits(path: Path, pattern: str) -> bool:
    """Say whether a file in a folder of tests is one, by the pattern of the command where it has one."""
    return fnmatch(path.name, pattern) if pattern else is_test(path)


def _dotted(name: str, cwd: Path) -> tuple[str, str]:
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        path = Path(*parts[:end]).with_suffix(".py")
        if (cwd / path).is_file():
            return str(path), "::".join(parts[end:])
    raise SourceError(
        f"There is no test module {name!r}.",
        why=f"Looked in {cwd}.",
        mend='Name the file: --tests "pytest -q tests/test_x.py"',
    )


def _relative(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def _as_id(name: str, cwd: Path, root: Path) -> str:
    """Return `file::test` with the file as the ids of units have it; another name as it is."""
    file, mark, inner = name.partition("::")
    path = Path(os.path.abspath(cwd / file))
    if not mark or not os.path.isfile(path) or not path.is_relative_to(root):
        return name
    return f"{_relative(path, root)}::{inner}"


def _root(paths: Iterable[Path], cwd: Path) -> Path:
    paths = list(paths)
    if all(path.is_relative_to(cwd) for path in paths):
        return cwd
    return Path(os.path.commonpath([path.parent for path in paths]))


def _roots(files: Sequence[Path], tests: Sequence[Path], root: Path) -> tuple[Path, ...]:
    """Return the folders that imports begin at: those of the tests, `src`, and the root itself."""
    folders = [import_root(path) for path in (*tests, *files)]
    folders += [root / "src"] if (root / "src").is_dir() else []
    inside = [folder for folder in dict.fromkeys(folders) if folder.is_relative_to(root) and folder != root]
    return (*sorted(inside, key=lambda f: (-len(f.parts), str(f))), root)


def read_project(
    paths: Sequence[str], command: TestCommand | None, *, cwd: Path, script: str = ""
) -> Project:
    """Read the files and tests that were named; without a command the tests among the paths count.

    Raises SourceError or UsageError where something named is not there, or there is nothing to change.
    """
    named = _expand(paths, cwd)
    files = [path for path in named if is_program(path)]
    wanted: dict[Path, list[str]] = {}
    if command is not None:
        tests, wanted = _test_paths(command, cwd)
    else:
        tests = [] if script else [path for path in named if is_test(path)]
    files = [path for path in files if path not in tests]
    if not files:
        raise UsageError(
            "There is no file to repair.",
            why=f"There is no Python file but tests in {', '.join(map(repr, paths))}.",
            mend="Name the files of the program.",
        )
    if not tests and not script:
        raise _no_tests(files)
    root = _root([*files, *tests], cwd)
    if command is not None:
        command = replace(command, without=tuple(_as_id(word, cwd, root) for word in command.without))
    return _assemble(root, files, tests, wanted, command, script)


def _no_tests(files: Sequence[Path]) -> UsageError:
    shown = next((file for file in files if ">>> " in file.read_text("utf-8", errors="replace")), None)
    if shown is None:
        return UsageError(
            "There are no tests to repair by.",
            why="A repair is judged by tests.",
            mend='Name them: ddax fix PATH --tests "pytest -q tests"',
        )
    name = shown.stem
    return UsageError(
        "There are no tests to repair by.",
        why=f"The examples in docstrings, as those of {shown.name}, order repairs and are not run as tests.",
        mend=f"Write test_{name}.py with two lines: `import doctest, {name}` and "
        f"`def test_examples(): assert not doctest.testmod({name}).failed`",
    )


def read_folder(folder: str) -> Project:
    """Read the code and the tests of a folder, as `ddax fix FOLDER` does there; raises as `read_project`."""
    root = Path(os.path.abspath(folder))
    return read_project([str(root)], None, cwd=root)


def _assemble(
    root: Path, files: list[Path], tests: list[Path], wanted: dict[Path, list[str]],
    command: TestCommand | None, script: str,
) -> Project:  # fmt: skip
    folders = _roots(files, tests, root)
    conftests = _conftests(tests, root)
    begin = [*tests, *conftests, *(files if script else [])]
    reached = closure(begin, folders, limit=MAX_FILES)
    targets = [path for path in files if path in reached] or files[:MAX_FILES]
    without = command.without if command else ()
    beside = tests_beside(tests, targets, folders, [root / word for word in without if "::" not in word])
    reached = list(dict.fromkeys([*reached, *closure(beside, folders, limit=MAX_FILES)]))
    siblings = [p for f in targets for p in sorted(f.parent.glob("*.py")) if not is_test(p)][:MAX_FILES]
    apart = {*tests, *conftests, *beside}
    program = [p for p in dict.fromkeys([*targets, *reached, *siblings]) if p not in apart]
    program = [p for p in program if p.is_relative_to(root)]
    texts = {_relative(p, root): read_text(p) for p in program if p in targets or _readable(p)}
    test_texts = {_relative(p, root): read_text(p) for p in tests}
    roots = tuple("" if folder == root else _relative(folder, root) for folder in folders)
    why = needs_pytest(test_texts, bool(conftests)) if test_texts else ""
    runner: Runner = "pytest" if why else "fast"
    data = _data([*tests, *targets], root) | {_relative(p, root): p.read_bytes() for p in conftests}
    task = RepairTask(
        texts,
        tuple(_relative(p, root) for p in targets),
        test_texts,
        only=_only(test_texts, texts, roots, {_relative(p, root): w for p, w in wanted.items()}, command),
        roots=roots,
        runner=runner,
        data=data,
        script=_relative(Path(script), root) if script else "",
        rest={_relative(path, root): text for path, text in beside.items()},
        left_out=tuple(word for word in without if "::" in word),
    )
    return Project(root, task, why)


def _readable(path: Path) -> bool:
    try:
        path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return path.stat().st_size <= MAX_BYTES


def _conftests(tests: Sequence[Path], root: Path) -> list[Path]:
    found = []
    for test in tests:
        for folder in (test.parent, *test.parent.parents):
            if not folder.is_relative_to(root):
                break
            if (folder / "conftest.py").is_file():
                found.append(folder / "conftest.py")
    return list(dict.fromkeys(found))


def _data(files: Sequence[Path], root: Path) -> dict[str, bytes]:
    """Return the small files beside the tests and the program, and the project's settings of pytest."""
    found: dict[str, bytes] = {}
    places = [root / name for name in _SETTINGS]
    for folder in dict.fromkeys(file.parent for file in files):
        places += [p for p in sorted(folder.iterdir()) if not p.name.startswith(".")]
        places += [p for d in sorted(folder.iterdir()) if d.is_dir() and d.name in ("data", "fixtures")
                   for p in sorted(d.rglob("*"))]  # fmt: skip
    for path in places[: 10 * DATA_FILES]:
        plain = path.is_file() and not path.is_symlink() and path.suffix not in (".py", ".pyc")
        if plain and path.stat().st_size <= DATA_BYTES and len(found) < DATA_FILES:
            found[_relative(path, root)] = path.read_bytes()
    return found


def _only(
    tests: dict[str, str], sources: dict[str, str], roots: Sequence[str],
    wanted: dict[str, list[str]], command: TestCommand | None,
) -> tuple[str, ...]:  # fmt: skip
    """Return the ids of the units that a command selects; empty where that is all of them."""
    keyword = command.keyword if command else ""
    without = [word.split("[")[0] for word in command.without if "::" in word] if command else []
    if not wanted and not keyword and not without:
        return ()
    ids = [unit.id for path, text in tests.items() for unit in read_units(path, text, sources, roots)]
    kept = [
        i for i in ids
        if _asked(i, wanted) and (not keyword or matches(keyword, i))
        and not any(i == word or i.startswith(f"{word}::") for word in without)
    ]  # fmt: skip
    if not kept:
        raise SourceError(
            "The test command selects no test.",
            why=f"{amount(len(ids), 'test is', 'tests are')} in the files.",
            mend="Select fewer out: drop -k or --deselect, or name the file.",
        )
    return tuple(kept)


def _asked(unit: str, wanted: dict[str, list[str]]) -> bool:
    path, _, name = unit.partition("::")
    return path not in wanted or any(name == w or name.startswith(f"{w}::") for w in wanted[path])
