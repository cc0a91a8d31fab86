"""Where a statement stands: its block, its lines, and the text operations that leave all others alone."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator

from ddax.evolution.operators.base import Edit, FunctionNode, Source

Change = tuple[int, int, str]
"""The bytes of a text from the first offset to the second, and what stands there instead."""


class Place:
    """A statement in a block, with the text operations that keep all other lines as they are."""

    def __init__(self, source: Source, block: list[ast.stmt], index: int) -> None:
        self.source, self.block, self.index, self.node = source, block, index, block[index]
        self.start_line = source.first_line(self.node)
        self.end_line = self.node.end_lineno or self.node.lineno
        self.start = source.lines[self.start_line - 1]
        self.stop = source.after(self.node)
        self.raw = source.text[self.start : self.stop].decode()
        stripped = self.raw.lstrip()
        self.indent = self.raw[: len(self.raw) - len(stripped)]
        self.lines_of_its_own = not source.text[self.start : source.span(self.node)[0]].strip() and not (
            source.text[source.span(self.node)[1] : self.stop].split(b"#")[0].strip()
        )

    def edit(self, text: str, operator: str, cost: float) -> Edit:
        """Replace the statement's whole lines."""
        if text and not text.endswith("\n"):
            text += "\n"
        if not self.raw.endswith("\n") and text.endswith("\n"):
            text = text[:-1]
        return Edit(self.source.path, self.start, self.stop, text, operator, cost, self.node.lineno)

    def line(self, code: str) -> str:
        """Indent code as this statement is; its blocks are given by four spaces."""
        code = self.source.styled(code).replace("\n    ", f"\n{self.source.step}")
        return textwrap.indent(code, self.indent) + "\n"

    @property
    def text(self) -> str:
        """The statement's lines, ending in a newline."""
        return self.raw if self.raw.endswith("\n") else self.raw + "\n"

    def before(self, code: str, operator: str, cost: float) -> Edit:
        """Insert code before the statement."""
        return self.edit(self.line(code) + self.text, operator, cost)

    def after(self, code: str, operator: str, cost: float) -> Edit:
        """Insert code after the statement."""
        return self.edit(self.text + self.line(code), operator, cost)

    def under(self, header: str, operator: str, cost: float) -> Edit:
        """Put the statement under a header."""
        return self.edit(self.line(header) + textwrap.indent(self.text, self.source.step), operator, cost)


def places(source: Source) -> Iterator[Place]:
    """Yield every statement of a function that stands on lines of its own."""
    for node in ast.walk(source.tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if not isinstance(block, list) or isinstance(node, (ast.Module, ast.ClassDef)):
                continue
            for index in range(len(block)):
                place = Place(source, block, index)
                if place.lines_of_its_own:
                    yield place


def indent_of(source: Source, node: ast.stmt) -> str:
    """Return the white space before a statement; "" where something else stands before it."""
    line = source.text[source.lines[node.lineno - 1] : source.span(node)[0]].decode()
    return line if not line.strip() else ""


def at_head(source: Source, function: FunctionNode, code: str) -> Change | None:
    """Put lines behind a function's header and docstring; None for one that stands on a single line."""
    first = function.body[0]
    indent = indent_of(source, first)
    if not indent:
        return None
    docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    at = source.after(first) if docstring else source.lines[source.first_line(first) - 1]
    begin = "" if source.text[:at].endswith(b"\n") else "\n"
    return at, at, begin + textwrap.indent(code, indent)
