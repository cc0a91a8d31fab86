"""Makes the environment of the benchmark `real-bugs` from pairs of releases on the package index.

A bug is the newer release with one function as the older release has it, where tests of the newer release
fail of it. `python -m benchmarks.real_bugs_place DIR` makes the folders of the bugs that are known by name
(`data/real_bugs.json`: names, versions and ids of tests, nothing else of the packages);
`--find NAME ...` looks for more of them. Source distributions are fetched by name with pip, and their tests
run without the network.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import copy
import difflib
import itertools
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

KNOWN = Path(__file__).parent / "data" / "real_bugs.json"
NEEDED = (
    "pytest", "setuptools>=77", "wheel", "flit-core", "hatchling", "hatch-vcs", "setuptools-scm",
    "poetry-core", "pdm-backend", "hatch-fancy-pypi-readme", "six", "hypothesis", "attrs",
)  # fmt: skip
"""What builds the metadata of the packages and runs their tests."""
RELEASES, FUNCTIONS, KEPT, CHANGED, FILES, MOST = 8, 12, 6, 12, 4, 20
"""Newest releases that are compared, changed functions that are tried of a pair, bugs that are kept of a
package, lines in which a function may differ, test files that are run and tests that may fail of one bug."""
FETCHING, TESTING, WAITING = 300.0, 10, 300.0
"""Seconds of one download, and of one run of a package's tests: of the processor, and by the clock."""
ALONE = ("bwrap", "--dev-bind", "/", "/", "--unshare-net", "--die-with-parent")
_ENDED = re.compile(r"^(PASSED|FAILED|ERROR) (\S+(?: .*?)?)(?: - .*)?$", re.M)
_TESTS = re.compile(r"(^|/)(tests?|testing)(/|_|\.py$)|(^|/)test_|_tests?\.py$|conftest\.py$|(^|/)setup\.py$")
_TEST_FILE = re.compile(r"(^|/)(test_[^/]*|[^/]*_tests?|tests)\.py$")
Function = ast.FunctionDef | ast.AsyncFunctionDef
UNUSABLE = (subprocess.SubprocessError, OSError, tarfile.TarError, StopIteration)
"""What a release brings that cannot be fetched, built or unpacked."""


@dataclass(frozen=True)
class Bug:
    """The `newer` release of a package with one `function` of `path` as the `older` one has it.

    `tests` are the ids of the tests that fail of it, `files` the test files they stand in.
    """

    package: str
    older: str
    newer: str
    path: str
    function: str
    tests: tuple[str, ...]

    @property
    def name(self) -> str:
        """The folder of the bug."""
        return f"{self.package}-{self.newer}-{self.function.replace('.', '-')}"

    @property
    def files(self) -> tuple[str, ...]:
        """The test files."""
        return tuple(dict.fromkeys(test.partition("::")[0] for test in self.tests))


def known(file: Path = KNOWN) -> list[Bug]:
    """Return the bugs that are known by name."""
    rows = json.loads(file.read_text("utf-8")) if file.is_file() else []
    return [Bug(**{**row, "tests": tuple(row["tests"])}) for row in rows]


class Place:
    """A folder with downloads, an environment that runs the tests, and a folder for each bug."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self.python = self.folder / "venv" / "bin" / "python"
        self.passed: dict[tuple[str, ...], set[str]] = {}

    def prepare(self) -> None:
        """Make the environment, once."""
        if not self.python.exists():
            venv.create(self.folder / "venv", with_pip=True)
            self.pip("install", "-q", *NEEDED, seconds=600.0)

    def pip(self, *arguments: str, seconds: float = FETCHING) -> str:
        """Run pip; raises CalledProcessError or TimeoutExpired."""
        command = [str(self.python), "-m", "pip", "--disable-pip-version-check", *arguments]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=seconds, check=True, cwd=self.folder
        )
        return done.stdout

    def releases(self, package: str) -> list[str]:
        """Return the newest releases of a package, oldest first."""
        found = re.search(r"Available versions: (.*)", self.pip("index", "versions", package))
        return found[1].split(", ")[:RELEASES][::-1] if found else []

    def fetched(self, package: str, release: str) -> Path:
        """Return the unpacked source distribution of a release."""
        target = self.folder / "releases" / f"{package}-{release}"
        if not target.is_dir():
            down = self.folder / "down" / f"{package}-{release}"
            down.mkdir(parents=True, exist_ok=True)
            self.pip("download", "-q", "--no-deps", "--no-build-isolation", "--no-binary", ":all:",
                     "-d", str(down), f"{package}=={release}")  # fmt: skip
            _unpack(next(iter(down.iterdir())), target)
        return target

    def ended(self, tree: Path, files: Sequence[str]) -> tuple[set[str], set[str]]:
        """Run test files of a tree; return the tests that passed and those that did not."""
        roots = [str(tree / part) for part in ("src", "lib", ".") if (tree / part).is_dir()]
        command = ["prlimit", f"--cpu={TESTING}", *ALONE, "--setenv", "PYTHONPATH", ":".join(roots),
                   str(self.python), "-B", "-m", "pytest", "-q", "-rA", "--tb=no", "-p", "no:cacheprovider",
                   "-c", "/dev/null", "--rootdir", str(tree), *files]  # fmt: skip
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=WAITING, cwd=tree, check=False
            )
        except subprocess.TimeoutExpired:
            return set(), set()
        rows = _ENDED.findall(done.stdout)
        passed = {name for how, name in rows if how == "PASSED"}
        return passed, {name for how, name in rows if how != "PASSED"}

    def good(self, tree: Path, files: Sequence[str]) -> set[str]:
        """Return the tests that pass with a release; they run once."""
        key = (str(tree), *files)
        if key not in self.passed:
            self.passed[key] = self.ended(tree, files)[0]
        return self.passed[key]

    def made(self, bug: Bug) -> Path:
        """Make the folder of a bug, and return it."""
        tree = self.folder / "bugs" / bug.name
        if not tree.is_dir():
            older, newer = self.fetched(bug.package, bug.older), self.fetched(bug.package, bug.newer)
            before, after = functions(older / bug.path), functions(newer / bug.path)
            shutil.copytree(newer, tree, symlinks=True)
            text = _put_back((newer / bug.path).read_text("utf-8"), after[bug.function], before[bug.function])
            (tree / bug.path).write_text(text, "utf-8")
        return tree

    def find(self, package: str) -> Iterator[Bug]:
        """Look for the bugs of a package in pairs of its newest releases, newest pair first."""
        releases, count = self.releases(package), 0
        for older, newer in list(itertools.pairwise(releases))[::-1]:
            try:
                found = list(itertools.islice(self.between(package, older, newer), KEPT - count))
            except UNUSABLE as error:  # other releases may do
                print(f"{package} {older} {newer}: left out, {type(error).__name__}", flush=True)
                continue
            yield from found
            count += len(found)
            if count == KEPT:
                return

    def between(self, package: str, older: str, newer: str) -> Iterator[Bug]:
        """Look for the bugs between two releases."""
        before, after = self.fetched(package, older), self.fetched(package, newer)
        new = dict(_new_tests(before, after))
        changed = list(_changed(before, after))[:FUNCTIONS] if new else []
        for path, function in changed if changed and self.any_fails(before, after, changed, new) else ():
            bug = Bug(package, older, newer, path, function, ())
            files = _speaking(after, new, function.rpartition(".")[2], Path(path).stem)
            first = [test for file in files for test in new[file]]
            found = self.failing(bug, files) if first and self.ended(self.made(bug), first)[1] else []
            if found and len(found) <= MOST:
                yield Bug(package, older, newer, path, function, tuple(found))
            else:
                shutil.rmtree(self.folder / "bugs" / bug.name, ignore_errors=True)

    def any_fails(
        self, before: Path, after: Path, changed: Sequence[tuple[str, str]], new: Mapping[str, list[str]]
    ) -> bool:
        """Say whether a test fails with all functions as they were: else none of them is a bug by itself."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            tree = Path(shutil.copytree(after, Path(folder) / "tree", symlinks=True))
            for path in dict.fromkeys(path for path, _ in changed):
                then, now = functions(before / path), functions(after / path)
                text = (after / path).read_text("utf-8")
                names = [name for file, name in changed if file == path]
                for name in sorted(names, key=lambda one: -now[one][0].lineno):
                    text = _put_back(text, now[name], then[name])
                (tree / path).write_text(text, "utf-8")
            passed, failed = self.ended(tree, [test for tests in new.values() for test in tests])
            return bool(failed) or not passed

    def failing(self, bug: Bug, files: Sequence[str]) -> list[str]:
        """Return the tests that fail of a bug and pass with the newer release, each time of two.

        One that goes by the clock fails at times on a machine that is busy.
        """
        newer, tree = self.fetched(bug.package, bug.newer), self.made(bug)
        found = self.good(newer, files)
        found = found and found & self.ended(tree, files)[1]
        return sorted(found & self.ended(tree, files)[1] & self.ended(newer, files)[0]) if found else []


def _unpack(archive: Path, target: Path) -> None:
    """Unpack a source distribution without the folder that it stands in."""
    rough = target.with_name(f"{target.name}.part")
    with tarfile.open(archive) as tar:
        tar.extractall(rough, filter="data")
    next(iter(rough.iterdir())).rename(target)
    shutil.rmtree(rough)


def _new_tests(before: Path, after: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the test files that differ between two trees, each with its tests that are new or another.

    Who mends a fault writes a test of it, so that other tests need not be run first.
    """
    for file in sorted(after.rglob("*.py")):
        path = file.relative_to(after).as_posix()
        if _TEST_FILE.search(path) and file.read_bytes() != _bytes(before / path):
            old, new = ({name: ast.dump(node) for name, (node, _) in functions(tree / path).items()}
                        for tree in (before, after))  # fmt: skip
            names = [name for name in new if new[name] != old.get(name) and "test" in name]
            yield path, [f"{path}::{name.replace('.', '::')}" for name in names] or [path]


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def _speaking(tree: Path, files: Mapping[str, object], *names: str) -> list[str]:
    """Return the files that speak of one of some names, those of the first name that any speaks of."""
    texts = {path: (tree / path).read_text("utf-8", errors="replace") for path in files}
    for name in names:
        asked = [path for path, text in texts.items() if re.search(rf"\b{name}\b", text)]
        if asked and not name.startswith("__"):
            return asked[:FILES]
    return []


def functions(file: Path) -> dict[str, tuple[Function, str]]:
    """Return the functions of a file by qualified name, each with its text."""
    try:
        text = file.read_text("utf-8")
        tree = ast.parse(text)
    except (OSError, SyntaxError, UnicodeDecodeError):
        return {}
    found: dict[str, tuple[Function, str]] = {}
    for prefix, node in _named(tree, ""):
        lines = text.split("\n")[node.lineno - 1 : node.end_lineno]
        found[f"{prefix}{node.name}"] = (node, "\n".join(lines))
    return found


def _named(node: ast.AST, prefix: str) -> Iterator[tuple[str, Function]]:
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, Function):
            yield prefix, inner
        elif isinstance(inner, ast.ClassDef):
            yield from _named(inner, f"{prefix}{inner.name}.")


def bare(node: Function) -> str:
    """Return a function without its docstring and annotations, as one text."""
    plain = copy.deepcopy(node)
    for inner in ast.walk(plain):
        if isinstance(inner, ast.arg):
            inner.annotation = None
        elif isinstance(inner, Function):
            inner.returns = None
    if ast.get_docstring(plain) is not None:
        plain.body = plain.body[1:] or [ast.Pass()]
    return ast.unparse(plain)


def _differing(old: str, new: str) -> int:
    """Count the lines in which two texts differ."""
    matcher = difflib.SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False)
    return sum(i2 - i1 + j2 - j1 for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal")


def stands_in(function: Function, text: str) -> bool:
    """Say whether a text has all names that a function reads: else not it alone was changed."""
    nodes = list(ast.walk(function))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    own = {node.arg for node in nodes if isinstance(node, ast.arg)} | set(dir(builtins))
    own |= {node.id for node in names if isinstance(node.ctx, ast.Store)}
    own |= {getattr(node, key, "") or "" for node in nodes for key in ("name", "asname")}
    return all(re.search(rf"\b{node.id}\b", text) for node in names if node.id not in own)


def _changed(before: Path, after: Path) -> Iterator[tuple[str, str]]:
    """Yield the functions that differ a little between two trees, as path and name; tests left out."""
    for file in sorted(after.rglob("*.py")):
        path = file.relative_to(after).as_posix()
        if _TESTS.search(path) or not (before / path).is_file():
            continue
        old, new, text = functions(before / path), functions(file), file.read_text("utf-8")
        for name in sorted(old.keys() & new.keys()):
            if old[name][0].col_offset == new[name][0].col_offset:
                a, b = bare(old[name][0]), bare(new[name][0])
                if a != b and _differing(a, b) <= CHANGED and stands_in(old[name][0], text):
                    yield path, name


def _put_back(text: str, new: tuple[Function, str], old: tuple[Function, str]) -> str:
    """Return a text with a function as it was."""
    lines = text.split("\n")
    lines[new[0].lineno - 1 : new[0].end_lineno] = old[1].split("\n")
    return "\n".join(lines)


def write(bugs: Mapping[str, Bug], file: Path) -> None:
    """Keep the names of bugs."""
    rows = [asdict(bugs[name]) for name in sorted(bugs)]
    file.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")


def main() -> int:
    """Make the folders of the known bugs, or look for more."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--find", nargs="+", default=[], metavar="NAME", help="packages to look at")
    parser.add_argument("--list", type=Path, default=KNOWN, help="the file of the known bugs")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    place = Place(given.folder)
    place.prepare()
    bugs = {bug.name: bug for bug in known(given.list)}
    for package in given.find:
        try:
            for bug in place.find(package):
                bugs[bug.name] = bug
                write(bugs, given.list)
                print(f"{bug.name}: {len(bug.tests)} failing", flush=True)
        except UNUSABLE as error:
            print(f"{package}: left out, {type(error).__name__}", flush=True)
    for bug in bugs.values() if not given.find else ():
        print(place.made(bug), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
