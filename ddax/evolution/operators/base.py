"""The parts every operator builds on: an edit of a text, and a program text with its tree and types."""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
ATOMIC = (
    ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.Subscript, ast.List, ast.Dict, ast.Set,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.JoinedStr,
)  # fmt: skip
_QUOTED = rb"\"\"\".*?\"\"\"|'''.*?'''|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|#[^\n]*"
_SPACES = re.compile(rb"(?s)(" + _QUOTED + rb")|(?<=\S)[ \t]+")


@dataclass(frozen=True)
class Edit:
    """Replace the bytes `start`..`end` of a file by `text`; `cost` ≥ 0 is its operator's prior."""

    path: str
    start: int
    end: int
    text: str
    operator: str
    cost: float
    line: int

    def apply(self, source: bytes) -> bytes:
        """Return the changed source."""
        return source[: self.start] + self.text.encode() + source[self.end :]


def fingerprint(source: bytes) -> bytes:
    """Return a text that is equal for programs that differ in spacing within lines, outside of literals."""
    return _SPACES.sub(lambda found: found[1] or b"", source)


@dataclass(frozen=True)
class Seen:
    """What is known beyond the text.

    Types of names by (path, first line of the function), attributes by type, texts and numbers in the
    visible tests, the arguments (as JSON) with which the tests called functions, by (path, name), and what
    failing tests complain of. Of the program's text: the names that each module has and each class, and
    the parameters of functions and of the making of an object.
    """

    types: Mapping[tuple[str, int], Mapping[str, frozenset[str]]] = field(default_factory=dict)
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    calls: Mapping[tuple[str, str], tuple[list[Any], ...]] = field(default_factory=dict)
    numbers: tuple[float, ...] = ()
    complaints: tuple[str, ...] = ()
    exports: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    classes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass
class Scope:
    """A function (or the module) with the names known in it and their types."""

    node: ast.AST
    names: dict[str, frozenset[str]]
    statements: list[ast.stmt]
    expressions: list[ast.expr] = field(default_factory=list)


class Source:
    """A program text with offsets, parents and scopes; made anew for every changed text."""

    def __init__(
        self, path: str, text: bytes, seen: Seen, first_lines: Mapping[str, int] | None = None
    ) -> None:
        self.path, self.text, self.seen = path, text, seen
        self.tree = ast.parse(text.decode())  # as bytes, it would be read as its first lines say
        self.lines = [0]
        for line in text.split(b"\n"):
            self.lines.append(self.lines[-1] + len(line) + 1)
        self.parents: dict[ast.AST, ast.AST] = {}
        for node in ast.walk(self.tree):
            for inner in ast.iter_child_nodes(node):
                self.parents[inner] = node
        self.functions = [n for n in ast.walk(self.tree) if isinstance(n, FunctionNode)]
        self.constants = self._constants()
        self.globals = self._globals()
        self.first_lines = dict(
            first_lines or {self.qualified(f): self.first_line(f) for f in self.functions}
        )
        self.scopes: dict[ast.AST, Scope] = {}

    def qualified(self, function: FunctionNode) -> str:
        """Return a function's name after those of the classes and functions it stands in."""
        names, here = [function.name], self.parents.get(function)
        while here is not None:
            names += [here.name] if isinstance(here, FunctionNode | ast.ClassDef) else []
            here = self.parents.get(here)
        return ".".join(reversed(names))

    @staticmethod
    def first_line(node: ast.stmt) -> int:
        """Return the first line of a statement with its decorators, as the interpreter counts it."""
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        return min([node.lineno, *(d.lineno for d in decorators)])

    def after(self, node: ast.stmt) -> int:
        """Return the offset behind the last line of a statement."""
        return min(self.lines[node.end_lineno or node.lineno], len(self.text))

    @cached_property
    def step(self) -> str:
        """The white space by which the file's blocks are set in."""
        for node in self.tree.body:
            if isinstance(body := getattr(node, "body", None), list):
                line = self.text[self.lines[body[0].lineno - 1] : self.span(body[0])[0]].decode()
                if line and not line.strip():
                    return line
        return "    "

    @cached_property
    def _double(self) -> bool:
        """Say whether most of the file's texts, docstrings left out, stand in double quotes."""
        counts = Counter(
            found[1]
            for node in ast.walk(self.tree)
            if isinstance(node, ast.JoinedStr)
            or (isinstance(node, ast.Constant) and isinstance(node.value, str))
            if not isinstance(self.parents.get(node), ast.Expr | ast.JoinedStr | ast.FormattedValue)
            if (found := re.match(r"\w*(['\"])", self.segment(node)))
        )
        return counts['"'] > counts["'"]

    @cached_property
    def small(self) -> dict[str, bool]:
        """The small statements of the file's functions, and whether each awaits something."""
        simple = (
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Assign | ast.AugAssign | ast.Delete)
            or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await))
        )
        own = (node for node in simple if not isinstance(self.scope_of(node).node, ast.Module))
        texts = ((ast.unparse(node), any(isinstance(n, ast.Await) for n in ast.walk(node))) for node in own)
        return {text: waits for text, waits in texts if len(text) < 60 and "\n" not in text}

    def _constants(self) -> list[ast.Constant]:
        found: dict[str, ast.Constant] = {}
        for node in ast.walk(self.tree):
            parent = self.parents.get(node)
            if not isinstance(node, ast.Constant) or isinstance(parent, (ast.Expr, ast.JoinedStr)):
                continue
            if not (isinstance(node.value, str) and len(node.value) > 30):
                found.setdefault(repr(node.value), node)
        return list(found.values())

    def _globals(self) -> dict[str, str]:
        """Return what each name of the module stands for: a value, a function, a class or an import."""
        found: dict[str, str] = {}
        for node in self.tree.body:
            if isinstance(node, FunctionNode | ast.ClassDef):
                found[node.name] = type(node).__name__
            elif isinstance(node, ast.Import | ast.ImportFrom):
                found.update({(a.asname or a.name).split(".")[0]: "import" for a in node.names})
            else:
                stores = (
                    n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
                )
                found.update({n.id: "value" for n in stores})
        return found

    def styled(self, text: str) -> str:
        """Write the literals of a new piece with the quotes that the file prefers."""
        if "'" not in text or not self._double or '"' in text or "\\" in text:
            return text
        return text.replace("'", '"')

    def unused(self) -> set[str]:
        """Return the parameters, variables and attributes of `self` that are never read, a likely slip."""
        idle: set[str] = set()
        for function in self.functions:
            names = [n for n in ast.walk(function) if isinstance(n, ast.Name)]
            read = {n.id for n in names if not isinstance(n.ctx, ast.Store)}
            given = {n.id for n in names if isinstance(n.ctx, ast.Store)}
            given |= {a.arg for a in ast.walk(function) if isinstance(a, ast.arg)}
            if len(function.body) > 1 or not isinstance(function.body[0], (ast.Pass, ast.Expr, ast.Raise)):
                idle |= {name for name in given - read if not name.startswith("_") and name != "self"}
        held = [n for n in ast.walk(self.tree) if isinstance(n, ast.Attribute)]
        asked = {n.attr for n in held if not isinstance(n.ctx, ast.Store)}
        kept = {dotted(n) for n in held if isinstance(n.ctx, ast.Store) and n.attr not in asked}
        return (idle | {name for name in kept if name.startswith("self.")}) - {"cls"}

    def undefined(self) -> list[str]:
        """Return the names that are read and have no value anywhere in the file, in the order of the file."""
        given, read = set(dir(builtins)) | {"__file__", "__path__"}, dict[str, None]()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                read[node.id] = None
            elif isinstance(node, ast.Name):
                given.add(node.id)
            elif isinstance(
                node, FunctionNode | ast.ClassDef | ast.ExceptHandler | ast.MatchAs | ast.MatchStar
            ):
                given.add(node.name or "")
            elif isinstance(node, ast.alias):
                given.add((node.asname or node.name).split(".")[0])
            elif isinstance(node, ast.arg):
                given.add(node.arg)
            elif isinstance(node, ast.MatchMapping):
                given.add(node.rest or "")
        return [] if "*" in given else [name for name in read if name not in given]

    def offset(self, line: int, column: int) -> int:
        """Turn a position of the tree into a byte offset."""
        return self.lines[line - 1] + column

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return the byte offsets of a node."""
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return self.offset(node.lineno, node.col_offset), self.offset(end_line, end_column)

    def segment(self, node: ast.expr | ast.stmt) -> str:
        """Return the text of a node."""
        start, end = self.span(node)
        return self.text[start:end].decode()

    def stands(self, node: ast.expr) -> bool:
        """Say whether a value of an f-string stands where the tree says; Python 3.11 errs in some of them."""
        try:
            found = ast.parse(self.segment(node).strip(), mode="eval").body
        except (SyntaxError, ValueError):
            return False
        return ast.dump(found) == ast.dump(node)

    def scope_of(self, node: ast.AST) -> Scope:
        """Return the innermost function's scope of a node, made on first use."""
        here: ast.AST = node
        while here in self.parents and not isinstance(here, FunctionNode):
            here = self.parents[here]
        if here not in self.scopes:
            self.scopes[here] = self._scope(here)
        return self.scopes[here]

    def _scope(self, here: ast.AST) -> Scope:
        names: dict[str, frozenset[str]] = {}
        unknown: frozenset[str] = frozenset()
        outer = self.parents.get(here)
        if outer is not None and not isinstance(outer, ast.Module):
            above = self.scope_of(outer)
            if not isinstance(above.node, ast.Module):
                names.update(above.names)
        for node in own_nodes(here):
            if isinstance(node, ast.arg):
                names.setdefault(node.arg, unknown)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.setdefault(node.id, unknown)
        if isinstance(here, FunctionNode):
            traced = self.seen.types.get((self.path, self.first_lines.get(self.qualified(here), 0)), {})
            known = names.keys() | self._attributes_near(here)
            names.update({n: k for n, k in traced.items() if n in known})
        else:
            names = {}
        scope = Scope(here, names, [n for n in own_nodes(here) if isinstance(n, ast.stmt)])
        scope.expressions = [n for n in own_nodes(here) if isinstance(n, ast.expr) and self._reusable(n)]
        return scope

    def _attributes_near(self, function: FunctionNode) -> set[str]:
        """Return the attributes of names that a function uses, and of `self` those that its class uses."""
        owner = self.parents.get(function)
        used = {dotted(n) for n in ast.walk(function)}
        if isinstance(owner, ast.ClassDef):
            used |= {name for n in ast.walk(owner) if (name := dotted(n)).startswith("self.")}
        return used - {""}

    @staticmethod
    def _reusable(node: ast.expr) -> bool:
        return isinstance(node, (ast.BinOp, ast.Subscript, ast.Call, ast.Attribute)) and isinstance(
            getattr(node, "ctx", ast.Load()), ast.Load
        )


def dotted(node: ast.AST) -> str:
    """Return ``name.attribute`` for an attribute of a plain name, which serves as a name; "" for the rest."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return ""


def stands_alone(node: ast.expr, source: Source) -> bool:
    """Tell whether an expression is read for its value: no target, statement, callee or owner of a name."""
    parent = source.parents.get(node)
    called = isinstance(parent, ast.Call) and parent.func is node
    read = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
    return read and not called and not isinstance(parent, ast.Attribute | ast.Expr)


def own_nodes(root: ast.AST) -> Iterator[ast.AST]:
    """Walk a function without the functions inside it."""
    queue = list(ast.iter_child_nodes(root))
    while queue:
        node = queue.pop(0)
        yield node
        if not isinstance(node, (*FunctionNode.__args__, ast.ClassDef)):
            queue.extend(ast.iter_child_nodes(node))


_PRECEDENCE: tuple[tuple[type[ast.AST], ...], ...] = (
    (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Tuple),
    (ast.Lambda,),
    (ast.IfExp,),
    (ast.BoolOp,),
    (ast.Compare,),
    (ast.BinOp,),
    (ast.UnaryOp, ast.Await),
)


def strength(node: ast.AST) -> int:
    """Rank how tightly an expression binds; atoms bind tightest."""
    for rank, kinds in enumerate(_PRECEDENCE):
        if isinstance(node, kinds):
            return rank + (3 if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) else 0) * -1
    return len(_PRECEDENCE)


def needs_parentheses(new: ast.AST, old: ast.expr, parent: ast.AST | None) -> bool:
    """Say whether a replacement must stand in parentheses where the old expression stood."""
    if isinstance(new, ATOMIC) and not isinstance(new, ast.Constant):
        return False
    if isinstance(new, ast.Constant):
        negative = isinstance(new.value, (int, float)) and new.value < 0
        return isinstance(parent, (ast.Attribute,)) or (negative and isinstance(parent, ast.BinOp))
    if isinstance(parent, (ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Await)):
        return True
    if isinstance(parent, ast.Subscript):
        return old is parent.value
    if isinstance(parent, ast.Call):
        return old is parent.func or isinstance(new, (ast.Tuple, ast.GeneratorExp, ast.Yield))
    if isinstance(parent, (ast.Compare, ast.BoolOp, ast.IfExp, ast.Starred)):
        return strength(new) <= strength(parent)
    if isinstance(parent, ast.comprehension):
        return isinstance(new, (ast.IfExp, ast.Lambda, ast.NamedExpr, ast.Tuple))
    return isinstance(new, (ast.Yield, ast.YieldFrom, ast.NamedExpr)) or (
        isinstance(new, ast.Tuple) and not isinstance(parent, (ast.Return, ast.Assign, ast.Subscript))
    )
