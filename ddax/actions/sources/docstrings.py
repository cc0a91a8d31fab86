"""Docstrings as documents: one per public module, class, function and method."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

from ddax.actions.sources.extract import Extracted

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Definition: TypeAlias = Function | ast.ClassDef


class Member(NamedTuple):
    """A documented name: its signature, its docstring, and what is inside it."""

    name: str
    signature: str
    doc: str
    members: tuple[Member, ...] = ()


def module_entries(tree: ast.Module, name: str) -> list[Extracted]:
    """Read a parsed module; names in `__all__` where it is a literal, else those without underscore."""
    public = exported(tree)
    found = [
        member
        for node in definitions(tree.body)
        for member in [parsed_member(node)]
        if (node.name in public if public is not None else not node.name.startswith("_"))
    ]
    return list(entries(Member(name, "", ast.get_docstring(tree) or "", tuple(found)), ""))


def object_entries(module: ModuleType, name: str) -> list[Extracted]:
    """Read an imported module that has no source."""
    found = [
        inspected_member(key, value)
        for key, value in sorted(vars(module).items())
        if not key.startswith("_") and (inspect.isroutine(value) or inspect.isclass(value))
    ]
    return list(entries(Member(name, "", inspect.getdoc(module) or "", tuple(found)), ""))


def entries(member: Member, prefix: str) -> Iterator[Extracted]:
    """Yield the entry of a member and of all inside it, where there is something to say."""
    title = f"{prefix}{member.name}"
    listed = [
        f"- {inner.name}{inner.signature}: {first_line(inner.doc)}" for inner in member.members if inner.doc
    ]
    if member.doc or (listed and prefix):
        parts = [f"{title}{member.signature}", member.doc, "\n".join(listed)]
        yield Extracted(title, "\n\n".join(part for part in parts if part))
    for inner in member.members:
        yield from entries(inner, f"{title}.")


def first_line(doc: str) -> str:
    """Return the first paragraph of a docstring on one line, cut at 160 characters."""
    return " ".join(doc.split("\n\n")[0].split())[:160]


def definitions(body: list[ast.stmt]) -> Iterator[Definition]:
    """Yield classes and functions, also under `if` and `try`; of one name the first documented."""
    found: dict[str, Definition] = {}
    for node in flat(body):
        if node.name not in found or (not ast.get_docstring(found[node.name]) and ast.get_docstring(node)):
            found[node.name] = node
    yield from found.values()


def flat(body: list[ast.stmt]) -> Iterator[Definition]:
    """Walk the branches that stand between a body and its definitions."""
    for node in body:
        if isinstance(node, Definition):
            yield node
        elif isinstance(node, ast.If | ast.Try):
            yield from flat([*node.body, *node.orelse])
            if isinstance(node, ast.Try):
                yield from flat([statement for handler in node.handlers for statement in handler.body])


def parsed_member(node: Definition) -> Member:
    """Read a definition with the public methods of a class."""
    doc = ast.get_docstring(node) or ""
    if isinstance(node, Function):
        returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        return Member(node.name, f"({ast.unparse(node.args)}){returns}", doc)
    bases = f"({', '.join(map(ast.unparse, node.bases))})" if node.bases else ""
    inner = (parsed_member(child) for child in definitions(node.body) if not child.name.startswith("_"))
    return Member(node.name, bases, doc, tuple(member for member in inner if member.doc or member.members))


def inspected_member(name: str, value: Any) -> Member:
    """Read an object of a module in C, with the methods a class defines itself."""
    doc = inspect.cleandoc(value.__doc__) if isinstance(value.__doc__, str) else ""
    inner = (
        [(key, method) for key, method in sorted(vars(value).items()) if not key.startswith("_")]
        if inspect.isclass(value)
        else []
    )
    members = [inspected_member(key, method) for key, method in inner if inspect.isroutine(method)]
    return Member(name, signature(value), doc, tuple(member for member in members if member.doc))


def signature(value: Any) -> str:
    """Return the signature of a callable in C, or "" where it states none."""
    try:
        return str(inspect.signature(value))
    except (ValueError, TypeError):
        return ""


def exported(tree: ast.Module) -> frozenset[str] | None:
    """Return the names of a literal `__all__`, or None where it is computed or absent."""
    names: set[str] = set()
    literal = uses = 0
    for node in tree.body:
        if isinstance(node, Definition):
            continue
        uses += sum(isinstance(part, ast.Name) and part.id == "__all__" for part in ast.walk(node))
        if isinstance(node, ast.Assign | ast.AugAssign) and isinstance(node.value, ast.List | ast.Tuple):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and target.id == "__all__":
                literal += 1
                names |= {str(e.value) for e in node.value.elts if isinstance(e, ast.Constant)}
    return frozenset(names) if names and literal == uses else None
