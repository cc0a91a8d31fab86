"""Makes bugs from functions of the standard library: one edit each, with checks that the true function wrote.

`train_repair` learns from them. Nothing of the library is kept: functions are named, and read where they are
installed.
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
EDITS, CHECKS, LIKELY = 3, 14, 400
"""Bugs of a function, checks of one, and edits from which the bugs are drawn."""


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
    """Yield a few texts with one likely edit in a function."""
    source = Source("program.py", text.encode(), Seen())
    node = next((n for n in source.tree.body if isinstance(n, ast.FunctionDef) and n.name == name), None)
    if node is None:
        return
    lines = dict.fromkeys(range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1), 1.0)
    edits = [edit for _, edit in first_order(source, lines)[:LIKELY]]
    for edit in draw.sample(edits, min(EDITS, len(edits))):
        yield edit.apply(source.text).decode()
