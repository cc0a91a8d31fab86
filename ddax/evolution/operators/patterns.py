"""Operators on regular expressions: how much is taken, what may be missing, where it begins and ends."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

from ddax.evolution.operators.base import Edit, Source

_LITERAL = re.compile(r"(?s)([rR]?)(\"\"\"|'''|\"|')(.*)\2")
_ATOM = r"(?:\\[a-zA-Z.]|\[(?:\\.|[^\[\]\\])+\]|(?<!\\)[.)])"
_QUANTIFIED = re.compile(rf"({_ATOM})([*+?]|\{{[\d,]+\}})(\??)")
_SINGLE = re.compile(rf"({_ATOM})(?![*+?{{])")
_CLASSES = ("\\d", "\\w", "\\s", "\\S")
_WIDER = {
    "a-z": "a-zA-Z", "A-Z": "a-zA-Z", "a-zA-Z": "a-zA-Z0-9", "0-9": "0-9.", "\\w": "\\w-", "\\d": "\\d.",
}  # fmt: skip


def patterns(source: Source) -> Iterator[Edit]:
    """Change a pattern that a function of `re` is given."""
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Call) or not node.args or not isinstance(node.func, ast.Attribute):
            continue
        owner, first = node.func.value, node.args[0]
        if isinstance(owner, ast.Name) and owner.id == "re" and isinstance(first, ast.Constant):
            yield from _changed(source, first)


def _changed(source: Source, node: ast.Constant) -> Iterator[Edit]:
    found = _LITERAL.fullmatch(source.segment(node))
    if found is None or not isinstance(node.value, str) or found[3] != node.value:
        return
    raw, quote, old = found.groups()
    costs: dict[str, float] = {}
    for cost, new in _others(old):
        if new != old and quote not in new and _compiles(new):
            costs[new] = min(cost, costs.get(new, cost))
    for new, cost in costs.items():
        prefix = raw or ("r" if "\\" in new else "")
        text = f"{prefix}{quote}{new}{quote}"
        yield Edit(source.path, *source.span(node), text, "pattern", cost, node.lineno)


def _compiles(pattern: str) -> bool:
    """Tell whether a pattern is one, and means in later versions of Python what it means today."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)
            re.compile(pattern)
    except (re.error, FutureWarning):
        return False
    return True


def _others(old: str) -> Iterator[tuple[float, str]]:
    """Yield the near patterns with their costs; some are none."""
    for at in _QUANTIFIED.finditer(old):
        head, tail = old[: at.start()], old[at.end() :]
        atom, times, lazy = at.groups()
        yield 0.6, f"{head}{atom}{times}{'' if lazy else '?'}{tail}"
        for other in ("+", "*", "?", ""):
            yield 0.7 if other in ("+", "*") else 1.0, f"{head}{atom}{other}{lazy if other else ''}{tail}"
        if numbers := re.fullmatch(r"\{(\d++)(,?)(\d*)\}", times):
            low = int(numbers[1])
            for text in (f"{low + 1}", f"{max(0, low - 1)}", f"{low},", f"1,{low}"):
                yield 0.8, f"{head}{atom}{{{text}}}{lazy}{tail}"
    for at in _SINGLE.finditer(old):
        for sign in ("?",) if at[1] == ")" else ("+", "*", "?"):  # a group again and again may never end
            yield 0.8, f"{old[: at.end()]}{sign}{old[at.end() :]}"
    for at in re.finditer(r"(?<!\\)\\d\+(?!\?|\(\?:\\\.)", old):
        yield 0.8, f"{old[: at.end()]}(?:\\.\\d+)?{old[at.end() :]}"  # a number may have decimals
    yield from _ends(old)
    yield from _signs(old)


def _ends(old: str) -> Iterator[tuple[float, str]]:
    begins, ends = old.startswith("^"), old.endswith("$") and not old.endswith("\\$")
    yield 0.8, old[1:] if begins else f"^{old}"
    yield 0.8, old[:-1] if ends else f"{old}$"
    if not begins and not ends:
        yield 1.0, f"^{old}$"
        yield 1.0, f"\\b{old}\\b"


def _signs(old: str) -> Iterator[tuple[float, str]]:
    for at in re.finditer(r"(?<!\\)\.(?![*+?])", old):
        yield 0.6, f"{old[: at.start()]}\\.{old[at.end() :]}"
    for at in re.finditer(r"\\[dwsS]", old):
        for other in _CLASSES:
            yield 0.9, f"{old[: at.start()]}{other}{old[at.end() :]}"
    for narrow, wide in _WIDER.items():
        for at in re.finditer(re.escape(narrow), old):
            new = f"[{wide}]" if narrow.startswith("\\") else wide
            yield 0.9, f"{old[: at.start()]}{new}{old[at.end() :]}"
