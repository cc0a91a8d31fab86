"""Reads a project for repair: which files may change, which tests count, what else they need.

Reads only; the user's code is never run here.
"""

from __future__ import annotations

import io
import os
import tempfile
import tokenize
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path

from ddax.errors import SourceError, UsageError
from ddax.evolution.program.imports import closure, import_root, python_files
from ddax.evolution.program.standin import needs_pytest
from ddax.evolution.program.test_command import Selection, TestCommand
from ddax.evolution.program.tests_beside import tests_beside
from ddax.evolution.records import RepairTask

MAX_FILES, MAX_BYTES = 400, 400_000


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
    """Read a file with its line ends as they are, without a mark of UTF-8; raises SourceError for no text.

    It is read in the encoding that its first lines name.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise SourceError(
                f"{path} has more than {MAX_BYTES:,} bytes.",
                why="A file of this size is no program somebody wrote.",
                mend="Name smaller files.",
            )
        content = path.read_bytes()
        return content.decode(tokenize.detect_encoding(io.BytesIO(content).readline)[0])
    except (OSError, UnicodeDecodeError, SyntaxError) as error:
        why = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        raise SourceError(
            f"Cannot read {str(path)!r}.",
            why=f"{why}.",
            mend="Check the path, and that it is text: UTF-8, or what its first line names.",
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
        shown = _with_examples(found) if command.doctests else []
        files += [p for p in found if path.is_file() or p in shown or _fits(p, command.pattern)]
        if inner and path.is_file():
            wanted.setdefault(path, []).append(inner)
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
    examples = _with_examples(tests) if command is not None and command.doctests else []
    tests = [path for path in tests if is_test(path) or path not in examples]
    files = [path for path in files if path not in tests]
    if not files:
        raise UsageError(
            "There is no file to repair.",
            why=f"There is no Python file but tests in {', '.join(map(repr, paths))}.",
            mend="Name the files of the program.",
        )
    if not tests and not script and not examples:
        raise _no_tests(files)
    root = _root([*files, *tests, *examples], cwd)
    command = command or TestCommand("pytest", ())
    command = replace(command, without=tuple(_as_id(word, cwd, root) for word in command.without))
    return _assemble(root, files, tests, examples, wanted, command, script)


def _with_examples(files: Sequence[Path]) -> list[Path]:
    return [file for file in files if b">>> " in file.read_bytes()]


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
    root: Path, files: list[Path], tests: list[Path], examples: list[Path],
    wanted: dict[Path, list[str]], command: TestCommand, script: str,
) -> Project:  # fmt: skip
    further = [Path(os.path.abspath(root / name)) for name in command.imports]
    if any(not folder.is_relative_to(root) for folder in further):
        raise UsageError(
            "PYTHONPATH of the test command leads out of the project.",
            why=f"Only what lies below {root} goes into the sandbox.",
            mend="Start in the folder that holds all of it, or install it for the Python that is named.",
        )
    folders = tuple(dict.fromkeys([*further, *_roots(files, tests, root)]))
    conftests = _conftests([*tests, *examples], root)
    begin = [*tests, *examples, *conftests, *(files if script else [])]
    reached = closure(begin, folders, limit=MAX_FILES)
    targets = [path for path in files if path in reached] or files[:MAX_FILES]
    out = [root / word for word in command.without if "::" not in word]
    beside = tests_beside(root, tests, targets, folders, out)
    reached = list(dict.fromkeys([*reached, *closure(beside, folders, limit=MAX_FILES)]))
    siblings = [p for f in targets for p in sorted(f.parent.glob("*.py")) if not is_test(p)][:MAX_FILES]
    folder = _carried(root)
    apart = {*tests, *(conftests if folder else ()), *beside}
    program = [p for p in dict.fromkeys([*targets, *reached, *siblings]) if p not in apart]
    program = [p for p in program if p.is_relative_to(root)]
    texts = {_relative(p, root): read_text(p) for p in program if p in targets or _readable(p)}
    test_texts = {_relative(p, root): read_text(p) for p in tests}
    doctests = tuple(_relative(p, root) for p in examples if p in tests or _relative(p, root) in texts)
    why = "there is a conftest.py" if tests and conftests else needs_pytest(test_texts)
    why = "examples in docstrings are tests" if doctests else why
    names = {_relative(p, root): tuple(words) for p, words in wanted.items()}
    task = RepairTask(
        texts,
        tuple(_relative(p, root) for p in targets),
        test_texts,
        roots=tuple("" if folder == root else _relative(folder, root) for folder in folders),
        runner="pytest" if why else "fast",
        folder=folder,
        doctests=doctests,
        selection=Selection(names, command.keyword, command.without),
        options=command.options,
        environment=dict(command.environment),
        imports=tuple(_relative(f, root) for f in further),
        script=_relative(Path(script), root) if script else "",
        rest={_relative(path, root): text for path, text in beside.items()},
        conftest=bool(conftests),
    )
    task.suite()  # what cannot be tested is told before anything runs
    return Project(root, task, why)


def _carried(root: Path) -> str:
    """Return the folder that goes with the tests: the root, or "" for a home, or what holds one or more."""
    homes = (Path.home(), Path(tempfile.gettempdir()))
    return "" if any(home.resolve().is_relative_to(root.resolve()) for home in homes) else str(root)


def _readable(path: Path) -> bool:
    try:
        return bool(read_text(path)) or True
    except SourceError:
        return False


def _conftests(tests: Sequence[Path], root: Path) -> list[Path]:
    found = []
    for test in tests:
        for folder in (test.parent, *test.parent.parents):
            if not folder.is_relative_to(root):
                break
            if (folder / "conftest.py").is_file():
                found.append(folder / "conftest.py")
    return list(dict.fromkeys(found))
