"""Reads a test command. It is never run on this machine: it says which tests are meant, and whose way."""

from __future__ import annotations

import ast
import os
import re
import shlex
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from ddax.errors import UsageError
from ddax.evolution.tables import table

Style = Literal["pytest", "unittest", "script"]
UNDERSTOOD = "Give pytest, python -m unittest, python FILE, or the test files themselves."
_PREFIXES = (("uv", "run"), ("poetry", "run"), ("pdm", "run"), ("hatch", "run"))
_FLAGS, _VALUED, _UNITTEST_FLAGS, _UNITTEST_VALUED = map(frozenset, table("program/options")["options"])
_PASSED_ON = ("-o", "--override-ini", "--import-mode", "--asyncio-mode")
"""Options that are known. Those that select tests are followed, these are passed on, and the others make no
difference here."""
_REFUSED = re.compile(
    r"LD_\w+|PYTHON(?!PATH$|DONTWRITEBYTECODE$|UNBUFFERED$|BREAKPOINT$|FAULTHANDLER$)[A-Z\d]+"
)
"""Variables that change the interpreter itself, which is started before the tests are known."""
_VARIABLE = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)


@dataclass(frozen=True)
class TestCommand:
    """The tests that are meant: files, folders or `file::Class::name`, and a `-k` expression.

    `without` are names of the same forms that are left out, `pattern` what test files in folders are called.
    `environment` are variables that the tests see, `imports` further folders that imports begin at,
    `options` those that pytest gets; with `doctests` the examples of docstrings are tests, too.
    """

    __test__ = False
    style: Style
    paths: tuple[str, ...]
    keyword: str = ""
    without: tuple[str, ...] = ()
    pattern: str = ""
    environment: tuple[tuple[str, str], ...] = ()
    imports: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    doctests: bool = False


@dataclass(frozen=True)
class Selection:
    """Which tests of the files a command means: names by file, an expression, and names that are left out."""

    wanted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    keyword: str = ""
    without: tuple[str, ...] = ()

    def takes(self, unit: str) -> bool:
        """Say whether a test is meant."""
        path, _, name = unit.partition("::")
        asked = path not in self.wanted or any(_below(name, word) for word in self.wanted[path])
        named = not self.keyword or matches(self.keyword, unit)
        return asked and named and not any(_below(unit, word) for word in self.without)

    def may_take(self, unit: str) -> bool:
        """Say whether a test of which the cases are not known yet may have some that are meant."""
        path, _, name = unit.partition("::")
        wanted = self.wanted.get(path, (name,))
        return any(_below(name, word) or word.startswith(f"{name}[") for word in wanted) and not any(
            _below(unit, word) for word in self.without
        )


ALL = Selection()
"""All tests that there are."""


def _below(name: str, word: str) -> bool:
    return name == word or name.startswith((f"{word}::", f"{word}["))


def read_command(text: str) -> TestCommand:
    """Understand a test command; raises UsageError for one that names no known runner."""
    try:
        words, variables = _assigned(shlex.split(text))
    except ValueError as error:
        raise UsageError(
            f"The test command {text!r} cannot be read.", why=f"{error}.", mend=UNDERSTOOD
        ) from error
    found = _read(text, [*_bare(words), *shlex.split(variables.pop("PYTEST_ADDOPTS", ""))])
    paths = variables.pop("PYTHONPATH", "").split(os.pathsep)
    imports = tuple(path for path in paths if os.path.normpath(path) != ".")
    return replace(found, environment=tuple(variables.items()), imports=imports)


def _assigned(words: list[str]) -> tuple[list[str], dict[str, str]]:
    """Part the variables before a command from it; raises UsageError for one that cannot be set."""
    variables: dict[str, str] = {}
    while words and (words[0] == "env" or _VARIABLE.fullmatch(words[0])):
        if (found := _VARIABLE.fullmatch(words.pop(0))) is not None:
            variables[found[1]] = found[2]
    for name in variables:
        if _REFUSED.fullmatch(name):
            raise UsageError(
                f"The variable {name} of the test command cannot be set here.",
                why="It changes the interpreter, which is started before the tests are read.",
                mend="Leave it out, or set it within the tests.",
            )
    return words, variables


def _read(text: str, words: list[str]) -> TestCommand:
    """Understand a command without its variables; raises UsageError for one that names no known runner."""
    if not words:
        raise UsageError("The test command is empty.", why="A repair is judged by tests.", mend=UNDERSTOOD)
    if words[0] in ("pytest", "py.test"):
        return _pytest(words[1:])
    if words[0] == "unittest":
        return _unittest(words[1:])
    if words[0] == "script" and len(words) > 1:
        return TestCommand("script", (words[1],))
    if all(map(_is_test, words)):
        return TestCommand("pytest", tuple(words))
    raise UsageError(
        f"The test command {text!r} is not understood.",
        why="The tests are run in a sandbox by our own harness, not by the command.",
        mend=UNDERSTOOD,
    )


def _is_test(word: str) -> bool:
    """Tell whether a word names tests by itself, and not a runner that is none of ours."""
    if word.startswith("-"):
        return False
    return ".py" in word or os.sep in word or Path(word).exists()


def _bare(words: list[str]) -> list[str]:
    """Drop wrappers and the interpreter; a script's file follows the word `script`."""
    for prefix in _PREFIXES:
        if tuple(words[: len(prefix)]) == prefix:
            words = words[len(prefix) :]
    if words and re.fullmatch(r"python[\d.]*", words[0].rsplit("/", 1)[-1]):
        words = words[1:]
        while words and re.fullmatch(r"-[bBEIOPqsSuvx]+|-[WX].*", words[0]):
            words = words[2:] if words[0] in ("-W", "-X") else words[1:]
        if words and words[0] == "-m":
            return words[1:]
        return ["script", *words] if words and words[0].endswith(".py") else words[:0]
    if words and words[0].rsplit("/", 1)[-1] in ("pytest", "py.test"):
        return ["pytest", *words[1:]]
    return words


def _split(
    words: list[str], flags: frozenset[str], valued: frozenset[str]
) -> tuple[list[str], dict[str, list[str]]]:
    """Part the names of a command from the values of its options; raises UsageError for an unknown option."""
    left, names = deque(words), list[str]()
    options: dict[str, list[str]] = {}
    while left:
        word = left.popleft()
        if not word.startswith("-"):
            names.append(word)
            continue
        long = word.startswith("--")
        option, value = (word.partition("=")[0], word.partition("=")[2]) if long else (word[:2], word[2:])
        if option in valued and (value or left):
            options.setdefault(option, []).append(value or left.popleft())
        elif option in flags and not (long and value):
            options.setdefault(option, [])
            left.extendleft([f"-{value}"] if value else [])  # -qx is -q -x
        else:
            raise _unknown(option)
    return names, options


def _unknown(option: str) -> UsageError:
    return UsageError(
        f"The option {option} of the test command is not understood.",
        why="It may say which tests are meant, or its value is missing.",
        mend="Leave it out, or name the tests themselves.",
    )


def _pytest(words: list[str]) -> TestCommand:
    names, options = _split(words, _FLAGS, _VALUED)
    if "-m" in options:
        raise UsageError(
            "Selecting tests by mark (-m) is not possible here.",
            why="Marks are known only when the tests are loaded.",
            mend="Name files, file::test, or use -k.",
        )
    without = (*options.get("--ignore", ()), *options.get("--deselect", ()))
    passed = [w for name in _PASSED_ON for value in options.get(name, ()) for w in _option(name, value)]
    plugins = [w for value in options.get("-p", ()) if not value.startswith("no:") for w in ("-p", value)]
    return TestCommand(
        "pytest", tuple(names), options.get("-k", [""])[-1], without,
        options=(*passed, *plugins), doctests="--doctest-modules" in options,
    )  # fmt: skip


def _option(name: str, value: str) -> list[str]:
    return [f"{name}={value}"] if name.startswith("--") else [name, value]


def _unittest(words: list[str]) -> TestCommand:
    names, options = _split(words, _UNITTEST_FLAGS, _UNITTEST_VALUED)
    start = [*options.get("-s", ()), *options.get("--start-directory", ())]
    pattern = [*options.get("-p", ()), *options.get("--pattern", ())]
    if names[:1] == ["discover"]:
        start, pattern = [*names[1:2], *start], [*names[2:3], *pattern]
        names = []
    paths = tuple(names) or (start[-1] if start else ".",)
    keyword = " or ".join(options.get("-k", ()))
    return TestCommand("unittest", paths, keyword, pattern=pattern[-1] if pattern else "")


def matches(expression: str, unit: str) -> bool:
    """Say whether a `-k` expression of words, `and`, `or`, `not` and brackets fits a unit's id."""
    plain = re.sub(
        r"[\w.\-\[\]]+",
        lambda m: m[0] if m[0] in ("and", "or", "not") else str(m[0].lower() in unit.lower()),
        expression,
    )
    try:
        return _truth(ast.parse(plain, mode="eval").body)
    except (SyntaxError, ValueError) as error:
        raise UsageError(
            f"The expression -k {expression!r} cannot be read.",
            why="Only names with and, or, not and parentheses are read.",
            mend=UNDERSTOOD,
        ) from error


def _truth(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not _truth(node.operand)
    if isinstance(node, ast.BoolOp):
        parts = [_truth(value) for value in node.values]
        return all(parts) if isinstance(node.op, ast.And) else any(parts)
    raise ValueError("no expression of names")
