"""Reads test files without running them: which units there are, and what each one is.

A unit is the smallest thing that passes or fails by itself: a top-level assert, an assert in the body
of a ``check(f)`` function, a ``test_*`` function, a method of a test class, the examples of a docstring.
The list is made from the original texts, so that no candidate can shorten it: here, and then from what
pytest collects of them, where each row of a parametrized test is a unit of its own.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from doctest import DocTestParser
from typing import Any, Literal

from ddax.errors import SourceError
from ddax.evolution.inside.loading import ROOTS, module_name, module_names
from ddax.evolution.program.imports import parsed
from ddax.evolution.program.standin import needs_pytest
from ddax.evolution.program.test_classes import Method, collected_methods
from ddax.evolution.program.test_command import ALL, Selection, matches
from ddax.wording import amount

UnitKind = Literal["script", "function", "method", "main", "doctest"]
Runner = Literal["fast", "pytest"]
"""Who runs the units: the worker itself, or the project's own pytest."""


@dataclass(frozen=True)
class Unit:
    """A test unit. `code` is the text a script unit runs; `shared` gives it the target's names.

    A row of a parametrized test is one with the function as its `base`.

    A `main` unit runs a file of the program as a script; it passes if that ends without an error.
    """

    id: str
    kind: UnitKind
    path: str
    name: str
    text: str
    cls: str = ""
    code: str = ""
    shared: bool = False
    base: str = ""

    @property
    def function(self) -> str:
        """The id of the test function that this is, or of which it is a case."""
        return self.base or self.id


@dataclass(frozen=True)
class Suite:
    """The program under test and the units that judge it; `targets` may be changed.

    `roots` are the folders that imports begin at, `folder` the one on this machine that goes with them as a
    whole. `skips` are the ids of the units that the unchanged program skips: a program cannot pass by
    skipping others. The rest is what the test command says: `doctests` are files whose docstrings are tests.
    """

    sources: Mapping[str, str]
    targets: tuple[str, ...]
    tests: Mapping[str, str]
    units: tuple[Unit, ...]
    roots: tuple[str, ...] = ROOTS
    runner: Runner = "fast"
    skips: frozenset[str] | None = None
    folder: str = ""
    doctests: tuple[str, ...] = ()
    selection: Selection = ALL
    options: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    imports: tuple[str, ...] = ()

    def may_skip(self, unit: int) -> bool:
        """Say whether a unit may be skipped: all may until it is known which the unchanged program skips."""
        return self.skips is None or self.units[unit].id in self.skips

    def only(self, ids: Collection[str], *, keep: bool) -> Suite:
        """Return the suite with just these units, or with all the others; a function stands for its cases."""
        return replace(self, units=tuple(u for u in self.units if (u.id in ids or u.function in ids) == keep))

    def with_cases(self, told: Sequence[str]) -> Suite:
        """Return the suite with a unit for each case that pytest collects of the unchanged program.

        Of what could not be collected those units stay that may be meant. Raises SourceError for none.
        """
        pairs = [line.split("\n", 1) for line in told]
        cases: dict[str, list[str]] = {}
        for base, case in pairs:
            if case and self.selection.takes(case):
                cases.setdefault(base, []).append(case)
        closed = tuple(base if base != "." else "" for base, case in pairs if not case)
        stay = {unit.id for unit in self.units if unit.id not in cases and unit.id.startswith(closed)}
        known, keyword = {unit.id: unit for unit in self.units}, self.selection.keyword
        named = {one for one in stay if not keyword or matches(keyword, one)}
        stay = named if named or cases else stay  # else it names cases, which are not known
        units: list[Unit] = []
        for unit in self.units:
            units += [replace(unit, id=case, base=unit.id) for case in cases.get(unit.id, ())]
            units += [unit] if unit.id in stay else []
        paths = {*self.tests, *self.doctests}
        for base, inner in cases.items():  # such as tests that a class inherits from another file
            path, _, name = base.partition("::")
            if base not in known and path in paths:
                units += [Unit(case, "function", path, name, "", base=base) for case in inner]
        if not units:
            raise _nothing_selected([case or base for base, case in pairs])
        return replace(self, units=tuple(units))

    def rows(self) -> list[dict[str, Any]]:
        """Return the units as the worker is told of them."""
        names = ("id", "kind", "path", "name", "cls", "shared")
        return [{name: getattr(unit, name) for name in names} for unit in self.units]

    def message(self) -> dict[str, Any]:
        """Return what the worker is told, as plain JSON values."""
        codes = {u.id: u.code for u in self.units if u.kind == "script"} | dict(self.tests)
        shared = self.runner == "fast" and any(u.shared for u in self.units)
        return {
            "sources": dict(self.sources),
            "targets": list(self.targets),
            "loaded": list(self.targets) if shared and all(u.kind != "main" for u in self.units) else [],
            "units": self.rows(),
            "doctests": list(self.doctests),
            "options": list(self.options),
            "environment": dict(self.environment),
            "imports_at": list(self.imports),
            "codes": codes,
            "roots": list(self.roots),
            "folder": self.folder,
            "runner": self.runner,
            "tests": dict(self.tests),
            "imports": _libraries([*self.sources.values(), *self.tests.values()], self.sources, self.roots),
        }


def _nothing_selected(ids: Sequence[str]) -> SourceError:
    first = ", ".join(ids[:5])
    return SourceError(
        "The test command selects no test.",
        why=f"{amount(len(ids), 'test is', 'tests are')} in the files, such as {first}.",
        mend="Name one of them, or drop what selects: ::NAME, -k or --deselect.",
    )


def _own(sources: Mapping[str, str], roots: Sequence[str]) -> set[str]:
    return {name.split(".")[0] for path in sources for name in module_names(path, roots)}


def _imported(tree: ast.Module) -> Iterator[str]:
    """Yield the modules that a file imports; "." for those beside it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." if node.level else node.module or "."


def _libraries(texts: Sequence[str], sources: Mapping[str, str], roots: Sequence[str]) -> list[str]:
    skipped = _own(sources, roots) | {"pytest", "__future__", ""}
    found = {name for text in texts for name in _imported(parsed(text))}
    return sorted(name for name in found if name.split(".")[0] not in skipped)


def _lacks_names(tree: ast.Module) -> bool:
    """Say whether a file uses names that it does not define: those of the program are meant."""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    given = {node.id for node in names if not isinstance(node.ctx, ast.Load)} | set(dir(builtins))
    for node in ast.walk(tree):
        given |= {getattr(node, "name", None) or "", node.arg or "" if isinstance(node, ast.arg) else ""}
        if isinstance(node, ast.alias):
            given.add((node.asname or node.name).partition(".")[0])
    return any(node.id not in given and node.id != "__file__" for node in names)


def _asserts(statement: ast.stmt) -> bool:
    return any(isinstance(node, ast.Assert) for node in ast.walk(statement))


def _is_main_guard(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and "__name__" in {
        n.id for n in ast.walk(statement.test) if isinstance(n, ast.Name)
    }


def _called_checks(body: Sequence[ast.stmt], functions: Mapping[str, ast.FunctionDef]) -> dict[int, str]:
    """Map the index of a statement that only calls a checking function to the function's name."""
    calls = {}
    for i, statement in enumerate(body):
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            function = statement.value.func
            if (
                isinstance(function, ast.Name)
                and function.id in functions
                and _asserts(functions[function.id])
            ):
                calls[i] = function.id
    return calls


def _blocks(statements: Sequence[ast.stmt]) -> list[tuple[list[ast.stmt], ast.stmt]]:
    """Pair every asserting statement with the statements it depends on."""
    setup: list[ast.stmt] = []
    pairs = []
    for statement in statements:
        if _asserts(statement) and not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            pairs.append((list(setup), statement))
            if any(isinstance(n, (ast.Assign, ast.AugAssign, ast.With)) for n in ast.walk(statement)):
                setup.append(statement)
        else:
            setup.append(statement)
    return pairs


def _script_units(path: str, tree: ast.Module, shared: bool) -> list[Unit]:
    body = [
        s for st in tree.body for s in (st.body if _is_main_guard(st) and isinstance(st, ast.If) else [st])
    ]
    functions = {s.name: s for s in body if isinstance(s, ast.FunctionDef)}
    checks = _called_checks(body, functions)
    units: list[Unit] = []

    def add(statements: list[ast.stmt], last: ast.stmt) -> None:
        code = ast.unparse(ast.Module([*statements], []))
        units.append(
            Unit(f"{path}::{len(units) + 1}", "script", path, "", ast.unparse(last), code=code, shared=shared)
        )

    top: list[ast.stmt] = []
    for i, statement in enumerate(body):
        if i in checks:
            function = functions[checks[i]]
            for setup, last in _blocks(function.body):
                short = ast.FunctionDef(function.name, function.args, [*setup, last], [], None, lineno=1)
                rest = [s for s in top if s is not function and not isinstance(s, ast.Assert)]
                add([*rest, short, statement], last)
        else:
            top.append(statement)
    for setup, last in _blocks([s for s in top if not _unused(s, checks)]):
        add([*setup, last], last)
    return units


def _unused(statement: ast.stmt, checks: Mapping[int, str]) -> bool:
    return isinstance(statement, ast.FunctionDef) and statement.name in checks.values()


def _method(path: str, cls: str, test: Method, shared: bool) -> Unit:
    name = test.name
    return Unit(f"{path}::{cls}::{name}", "method", path, name, ast.unparse(test), cls, shared=shared)


def read_units(path: str, text: str, sources: Mapping[str, str], roots: Sequence[str] = ROOTS) -> list[Unit]:
    """List the units of a test file in order; raises SourceError where it cannot be read."""
    try:
        tree = ast.parse(text, path)
    except SyntaxError as error:
        raise SourceError(
            f"The tests in {path} cannot be read.",
            why=str(error),
            mend="Mend the tests first; they must at least be valid Python.",
        ) from error
    own = _own(sources, roots) | {""}
    alone = not any(name.split(".")[0] in own for name in _imported(tree))
    shared = alone and _lacks_names(tree)
    methods = list(collected_methods(tree))
    units: list[Unit] = []
    for node in tree.body:
        if isinstance(node, Method) and node.name.startswith("test"):
            units.append(
                Unit(f"{path}::{node.name}", "function", path, node.name, ast.unparse(node), shared=shared)
            )
        elif isinstance(node, ast.ClassDef):
            units += [_method(path, node.name, test, shared) for cls, test in methods if cls is node]
    return units or _script_units(path, tree, alone)


def examples_of(path: str, text: str) -> list[Unit]:
    """Return the unit of the examples that the docstrings of a file show, if there are any."""
    try:
        code = "".join(example.source for example in DocTestParser().get_examples(text))
        ast.parse(code)
    except (SyntaxError, ValueError):
        code = ""
    return [Unit(path, "doctest", path, "", code)] if ">>> " in text else []


def build_suite(
    sources: Mapping[str, str],
    targets: Sequence[str],
    tests: Mapping[str, str],
    *,
    roots: Sequence[str] = ROOTS,
    runner: Runner | None = None,
    script: str = "",
    **said: Any,
) -> Suite:
    """Read the tests of a program; `script` is a file that must run.

    Without a `runner` it is the one that the tests need. What else is `said` stands in the suite as it is.
    Raises SourceError where there is no test or a target is missing.
    """
    _check(sources, targets, roots)
    runner = runner or ("pytest" if needs_pytest(tests) else "fast")
    units = [unit for path, text in tests.items() for unit in read_units(path, text, sources, roots)]
    for path in said.get("doctests", ()):
        units += examples_of(path, {**sources, **tests}[path])
    selection = said.get("selection", ALL)
    ids = [unit.id for unit in units]
    units = [unit for unit in units if _may_count(unit, selection, runner)]
    if ids and not units:
        raise _nothing_selected(ids)
    if script:
        units.append(Unit(f"{script}::runs", "main", script, "", ""))
    if not units:
        raise SourceError(
            "There is no test in " + (", ".join(tests) or "the task") + ".",
            why="A repair is judged by tests.",
            mend="Give functions named test_*, a TestCase, or asserts.",
        )
    return Suite(dict(sources), tuple(targets), dict(tests), tuple(units), tuple(roots), runner, **said)


def _may_count(unit: Unit, selection: Selection, runner: Runner) -> bool:
    """Say whether a unit is meant; of what pytest runs, the cases are not known yet."""
    if unit.kind == "doctest" or runner == "pytest":
        return unit.kind == "doctest" or selection.may_take(unit.id)
    return selection.takes(unit.id)


def _check(sources: Mapping[str, str], targets: Sequence[str], roots: Sequence[str]) -> None:
    """Raise SourceError where a target cannot be one."""
    for path in targets:
        if path not in sources:
            raise SourceError(
                f"{path} is not among the files of the program.",
                why="Only what was read can be changed.",
                mend="Name it among the paths.",
            )
        name = module_name(path, roots).split(".")[0]
        # `__init__` is a package whose folder is also where imports begin.
        if name in sys.builtin_module_names or (name != "__init__" and hasattr(builtins, name)):
            raise SourceError(
                f"{path} would hide Python's own {name!r}.",
                why="The tests need Python's module of this name.",
                mend="Rename the file.",
            )
