"""From what a model writes as a repair to the whole new program: functions, edits, diffs, or all of it.

A function takes the place of the one of its name, an edit that of the lines it quotes; what the reply does
not speak of stays as it was. What fits nowhere is no repair.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_FENCE = re.compile(r"```[^\n`]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_SEARCH, _WITH, _DONE = (
    re.compile(rf"\s*+{sign}", re.IGNORECASE) for sign in ("<{5,9} ?SEARCH", "={5,9}", ">{5,9} ?REPLACE")
)
"""The lines about the two parts of an edit."""
_BREAK = re.compile(r"\r\n|\r|\n")
_HUNK = re.compile(r"^@@[^\n@]*@@[^\n]*\n", re.MULTILINE)
OLD = ("old", "search", "before", "original", "find", "old_code", "old_string")
NEW = ("new", "replace", "after", "replacement", "new_code", "new_string", "with")
"""Keys under which models write an edit as a pair."""
LONGEST = 200_000
"""Characters of a reply that are read as a repair."""
Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


def program_of(said: str, original: str) -> str | None:
    """Return the whole new program that a repair makes of the original; None where it fits nowhere."""
    if len(said) > LONGEST:
        return None
    text = _line_breaks(_unfenced(said))
    blocks = list(_blocks(text))
    if blocks or _is_diff(text):
        return _edited(original, blocks or list(_hunks(text)))
    return _of_code(text, original)


def as_edit(given: Mapping[str, Any]) -> str:
    """Return an edit that was written as a pair of texts as a block; "" where it is none."""
    keys = {re.sub(r"[\W_]+", "_", str(key)).casefold(): key for key in given}
    old = next((given[keys[name]] for name in OLD if name in keys), None)
    new = next((given[keys[name]] for name in NEW if name in keys), None)
    if not (isinstance(old, str) and isinstance(new, str) and old.strip()):
        return ""
    return f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE"


def spoken(text: str) -> list[str]:
    """Return the repairs in a reply that is no object: what stands in its fences, else all of it as code."""
    fenced = [code for code in _FENCE.findall(text[:LONGEST]) if code.strip()]
    if fenced:
        return fenced
    bare = textwrap.dedent(text[:LONGEST]).strip("\n")
    is_code = any(_blocks(bare)) or _is_diff(bare) or bool(_definitions(_parsed(bare)))
    return [bare] if is_code else []


def _unfenced(text: str) -> str:
    """Return what stands in the fences of a text; a program may have some in its own texts."""
    if "```" not in text or _parsed(text) is not None:
        return text
    found = [f"{code}\n" for code in _FENCE.findall(text) if code.strip()]
    return "\n".join(found) or text


def _line_breaks(text: str) -> str:
    r"""Return a text whose line breaks were written as \n with real ones."""
    if "\n" in text.strip() or "\\n" not in text or _parsed(text) is not None:
        return text
    return text.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')


def _lines(text: str) -> list[str]:
    """Return the lines of a text as Python counts them: a form feed stands within one."""
    lines = _BREAK.split(text)
    return lines if lines[-1] else lines[:-1]


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield the edits that are written as SEARCH and REPLACE blocks, as texts before and after."""
    parts = list[list[str]]()
    for line in _lines(text):
        if _SEARCH.match(line):
            parts = [[]]
        elif len(parts) == 1 and _WITH.match(line):
            parts.append([])
        elif len(parts) == 2 and _DONE.match(line):
            yield "\n".join(parts[0]), "\n".join(parts[1])
            parts = []
        elif parts:
            parts[-1].append(line)


def _is_diff(text: str) -> bool:
    lines = _lines(text)
    return bool(_HUNK.search(text)) or (
        any(line.startswith("--- ") for line in lines) and any(line.startswith("+++ ") for line in lines)
    )


def _hunks(text: str) -> Iterator[tuple[str, str]]:
    """Yield the hunks of a diff as texts before and after; line numbers are passed over."""
    body = "\n".join(line for line in _lines(text) if not line.startswith(("--- ", "+++ ", "diff ", "\\")))
    for part in _HUNK.split(body + "\n"):
        lines = [line for line in _lines(part) if line[:1] in ("+", "-", " ", "")]
        if any(line[:1] in ("+", "-") for line in lines):
            old = [line[1:] for line in lines if line[:1] != "+"]
            yield "\n".join(old), "\n".join(line[1:] for line in lines if line[:1] != "-")


def _edited(original: str, edits: Sequence[tuple[str, str]]) -> str | None:
    """Return a text with edits made in it; None where one fits nowhere, or in several places."""
    lines = _lines(original)
    for old, new in edits:
        before = [line.rstrip() for line in _lines(old.strip("\n"))]
        places = [n for n in range(len(lines)) if before and _alike(lines[n : n + len(before)], before)]
        if len(places) != 1:
            return None
        shift = _indent(lines[places[0]]) - _indent(before[0])
        lines[places[0] : places[0] + len(before)] = _moved(_lines(new.strip("\n")), shift)
    return "\n".join(lines) + "\n"


def _alike(lines: Sequence[str], wanted: Sequence[str]) -> bool:
    """Tell whether lines are the wanted ones, all of them moved by as much."""
    if len(lines) != len(wanted) or not wanted:
        return False
    shift = _indent(lines[0]) - _indent(wanted[0])
    return [line.rstrip() for line in lines] == [line.rstrip() for line in _moved(wanted, shift)]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _moved(lines: Sequence[str], shift: int) -> list[str]:
    """Return lines further right by so many blanks, or further left."""
    if shift >= 0:
        return [" " * shift + line if line.strip() else line for line in lines]
    return [line[min(-shift, _indent(line)) :] for line in lines]


def _parsed(code: str) -> ast.Module | None:
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _definitions(tree: ast.Module | None) -> list[Definition]:
    return [node for node in tree.body if isinstance(node, Definition)] if tree else []


def _of_code(text: str, original: str) -> str | None:
    """Return the program that code makes: alone where it is all of it, else put where it belongs."""
    code = textwrap.dedent(text)
    tree, before = _parsed(code), _parsed(original)
    if before is None or tree is None:
        return _with_body(text, original, before) or code  # what is no program scores as such
    if not _definitions(tree) and not set(_named(before)) <= set(_named(tree)):
        return _with_body(text, original, before)
    if set(_named(before)) <= set(_named(tree)) and not any(map(_left_out, _definitions(tree))):
        return code
    return _put_in(code, tree, original, before)


def _named(tree: ast.Module) -> Iterator[str]:
    """Yield what a program defines at its top, and the methods of its classes."""
    for node in tree.body:
        if isinstance(node, Definition):
            yield node.name
            if isinstance(node, ast.ClassDef):
                yield from (f"{node.name}.{inner.name}" for inner in node.body if isinstance(inner, Function))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        else:
            yield from (
                n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            )


def _left_out(node: Definition) -> bool:
    """Tell whether of a function only its head was written."""
    last = node.body[-1]
    dots = (
        isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant) and last.value.value is Ellipsis
    )
    return dots and len(node.body) <= 2 and isinstance(node, Function)


def _put_in(code: str, tree: ast.Module, original: str, before: ast.Module) -> str | None:
    """Return the original with the definitions of some code in the place of its own, and the new ones."""
    places = dict(_places(before))
    pieces: list[tuple[int, int, list[str]]] = []
    fresh: list[str] = []
    for node in tree.body:
        source = _source(code, node)
        for name, inner in _parts(node, places):
            if inner is node and name not in places:
                fresh += [] if source in original else _lines(source)
            elif name in places and not _left_out(inner):
                old = places[name]
                lines = textwrap.dedent(_source(code, inner)).splitlines()
                pieces.append((_first(old), old.end_lineno or 0, _moved(lines, old.col_offset)))
    if not pieces:
        return None
    lines = _lines(original)
    for first, last, text in sorted(pieces, reverse=True):
        lines[first - 1 : last] = text
    return "\n".join(_with_new(lines, fresh, before)) + "\n"


def _places(tree: ast.Module) -> Iterator[tuple[str, Definition]]:
    """Yield the definitions of a program by their names, methods by those of their class and alone."""
    methods: dict[str, list[Definition]] = {}
    for node in _definitions(tree):
        if isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, Function):
                    yield f"{node.name}.{inner.name}", inner
                    methods.setdefault(inner.name, []).append(inner)
    yield from ((name, found[0]) for name, found in methods.items() if len(found) == 1)
    yield from ((node.name, node) for node in _definitions(tree))


def _parts(node: ast.stmt, places: Mapping[str, Definition]) -> Iterator[tuple[str, Any]]:
    """Yield what of a statement takes a place of its own: a class that has one does so method by method."""
    name = getattr(node, "name", "")
    if not (isinstance(node, ast.ClassDef) and name in places):
        yield name, node
        return
    for inner in node.body:
        if isinstance(inner, Function):
            yield f"{name}.{inner.name}", inner


def _first(node: Definition) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _source(code: str, node: Any) -> str:
    first = _first(node) if isinstance(node, Definition) else node.lineno
    return "\n".join(_lines(code)[first - 1 : node.end_lineno])


def _with_new(lines: list[str], fresh: Sequence[str], before: ast.Module) -> list[str]:
    """Return lines with what is new of a reply: before the first definition, so that all of it can use it."""
    if not fresh:
        return lines
    definitions = _definitions(before)
    at = _first(definitions[0]) - 1 if definitions else len(lines)
    return [*lines[:at], *fresh, "", "", *lines[at:]]


def _with_body(text: str, original: str, before: ast.Module | None) -> str | None:
    """Return the original with a body for its only function, where a reply is one; None where it is none."""
    functions = [node for node in _definitions(before) if isinstance(node, Function)]
    if len(functions) != 1:
        return None
    body = textwrap.indent(textwrap.dedent(text).strip("\n"), "    ")
    if _parsed(f"def body():\n{body}\n") is None:
        return None
    function = functions[0]
    docstring = ast.get_docstring(function) is not None
    first = function.body[1 if docstring and len(function.body) > 1 else 0].lineno
    lines = _lines(original)
    return "\n".join([*lines[: first - 1], *_lines(body), *lines[function.end_lineno or 0 :]]) + "\n"
