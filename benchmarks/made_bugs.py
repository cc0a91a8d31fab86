"""Makes bugs from functions of the standard library, with checks that the true function wrote.

What one edit broke one edit mends. Real bugs are larger, and what passes their tests is often wrong: so a
function also gets bugs of two edits, and one with a branch left out. `train_repair` learns from them.
Nothing of the library is kept: functions are named, and read where they are installed.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ddax.evolution.judging.inputs import around
from ddax.evolution.operators import Seen, Source, first_order
from ddax.evolution.records import RepairTask

FUNCTIONS: tuple[tuple[str, str, tuple[tuple[Any, ...], ...]], ...] = (
    ("posixpath", "normpath", (("a//b/../c",), ("/x/./y",), ("../a",))),
    ("posixpath", "join", (("a", "b"), ("a/", "b"), ("a", "/b"))),
    ("posixpath", "split", (("a/b/c",), ("/a",), ("a//b",))),
    ("posixpath", "commonprefix", ((["abc", "abd"],), (["x", "xy"],))),
    ("ntpath", "splitdrive", (("c:/a",), ("//host/share/a",), ("a/b",))),
    ("bisect", "bisect_right", (([1, 3, 3, 5], 3), ([1, 2], 0), ([1, 2], 9))),
    ("bisect", "bisect_left", (([1, 3, 3, 5], 3), ([1, 2], 0), ([1, 2], 9))),
    ("textwrap", "dedent", (("  a\n    b\n  c",), ("\ta\n\tb",), ("a\n b",))),
    ("textwrap", "indent", (("a\n\nb", "  "), ("x", "> "))),
    ("shlex", "quote", (("a b",), ("it's",), ("",), ("plain",))),
    ("html", "escape", (("<a & 'b'>",), ('"x"', False), ("plain",))),
    ("string", "capwords", (("the quick  fox",), ("a-b c-d", "-"))),
    ("colorsys", "rgb_to_hsv", ((0.2, 0.4, 0.6), (1.0, 0.0, 0.0), (0.5, 0.5, 0.5))),
    ("colorsys", "hls_to_rgb", ((0.5, 0.5, 0.5), (0.1, 0.7, 0.9), (0.0, 0.3, 0.0))),
    ("calendar", "leapdays", ((1999, 2005), (1900, 2000), (2004, 2004))),
    ("calendar", "isleap", ((2000,), (1900,), (2024,), (2023,))),
    ("calendar", "monthrange", ((2024, 2), (2023, 2), (2023, 12))),
    ("fnmatch", "translate", (("a*b",), ("[!x]?",), ("[ab",))),
    ("fnmatch", "filter", ((["a.py", "b.txt"], "*.py"), (["x"], "?"))),
    ("statistics", "median", (([3, 1, 2],), ([4, 1, 3, 2],), ([5],))),
    ("statistics", "median_low", (([3, 1, 2],), ([4, 1, 3, 2],))),
    ("statistics", "median_high", (([3, 1, 2],), ([4, 1, 3, 2],))),
    ("statistics", "mode", ((["a", "b", "a"],), ([1, 2, 2],))),
    ("difflib", "get_close_matches", (("appel", ["ape", "apple", "peach"]), ("x", ["y"]))),
    ("quopri", "quote", ((b"=",), (b"a",), (b"\xff",))),
    ("base64", "b32encode", ((b"hello",), (b"",), (b"abcdefgh",))),
    ("base64", "b85encode", ((b"hello",), (b"a",), (b"abcdefgh", True))),
    ("base64", "a85encode", ((b"hello",), (b"\0\0\0\0",), (b"abc",))),
    ("urllib.parse", "urljoin", (("http://a/b/c", "../d"), ("http://a/b", "?q"), ("http://a", "//x/y"))),
    ("urllib.parse", "parse_qsl", (("a=1&b=2",), ("a=&b", True), ("x=%20y",))),
    ("urllib.parse", "unquote", (("a%20b",), ("%zz",), ("%C3%A9",))),
    ("mimetypes", "guess_type", (("a.tar.gz",), ("b.html",), ("c",))),
    ("heapq", "nlargest", ((2, [5, 1, 4]), (0, [1]), (9, [1, 2]))),
    ("heapq", "nsmallest", ((2, [5, 1, 4]), (1, [3, 2]), (9, [1, 2]))),
    ("locale", "delocalize", (("1.5",), ("12",))),
    ("email.utils", "quote", (('a"b',), ("a\\b",))),
    ("email.utils", "unquote", (('"a\\\\b"',), ("<x>",), ("y",))),
    ("imaplib", "Int2AP", ((5,), (1000,))),
    ("gettext", "c2py", (("n != 1",),)),
    ("tokenize", "_compile", (("a+",),)),
)
"""Functions with arguments from which the inputs of their checks are made."""
CHECKS, LIKELY = 14, 400
"""Checks of a function, and edits from which its bugs are drawn."""


def bugs(seed: int = 0) -> Iterator[tuple[str, RepairTask]]:
    """Yield the made bugs with their names; the same for the same seed and library."""
    draw = random.Random(seed)
    for module, name, seeds in FUNCTIONS:
        found = importlib.import_module(module)
        function = getattr(found, name)
        if not inspect.isfunction(function):
            continue
        text = Path(str(found.__file__)).read_text("utf-8")
        checks = _checks(function, name, seeds)
        if len(checks) >= 4:
            for number, program in enumerate(_mutants(text, name, draw)):
                test = f"from program import {name}\n\n" + "\n".join(checks)
                task = RepairTask({"program.py": program}, ("program.py",), {"test_program.py": test})
                yield f"{module}.{name}.{number}", task


def _checks(function: Any, name: str, seeds: tuple[tuple[Any, ...], ...]) -> list[str]:
    """Write tests of what a function gives for inputs near the seeds."""
    made = list[str]()
    for args in around([list(seed) for seed in seeds]):
        try:
            value = function(*args)
            plain = ast.literal_eval(repr(value)) == value
        except Exception:  # an input that the true function refuses is no check
            continue
        if plain and len(made) < CHECKS:
            call = f"{name}({', '.join(map(repr, args))})"
            made.append(f"def test_{len(made)}():\n    assert {call} == {value!r}\n")
    return made


def _mutants(text: str, name: str, draw: random.Random) -> Iterator[str]:
    """Yield texts with a function that has one likely edit, two of them, or a branch less."""
    source, function = _read(text, name)
    if function is None:
        return
    yield _edited(source, function, draw)
    yield _edited(*_read(_edited(source, function, draw), name), draw)
    branches = [node for node in ast.walk(function) if isinstance(node, ast.If)]
    if branches:
        yield ast.unparse(_Without(draw.choice(branches)).visit(source.tree))


def _read(text: str, name: str) -> tuple[Source, ast.FunctionDef | None]:
    source = Source("program.py", text.encode(), Seen())
    tops = (n for n in source.tree.body if isinstance(n, ast.FunctionDef) and n.name == name)
    return source, next(tops, None)


def _edited(source: Source, function: ast.FunctionDef | None, draw: random.Random) -> str:
    """Return a text with one likely edit in a function; as it is where it has none."""
    if function is None:
        return source.text.decode()
    lines = range(function.body[0].lineno, (function.end_lineno or function.lineno) + 1)
    edits = [edit for _, edit in first_order(source, dict.fromkeys(lines, 1.0))[:LIKELY]]
    return draw.choice(edits).apply(source.text).decode() if edits else source.text.decode()


class _Without(ast.NodeTransformer):
    """Leaves one branch out of a tree."""

    def __init__(self, branch: ast.If) -> None:
        self.branch = branch

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        """Put what runs otherwise in the place of the branch."""
        return (node.orelse or ast.Pass()) if node is self.branch else self.generic_visit(node)
