"""What a module says of its names: parsed from its source or inspected, and written as documents."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Definition: TypeAlias = Function | ast.ClassDef


class Member(NamedTuple):
    """A documented name: its signature, its docstring, and what is inside it."""

    name: str
    signature: str
    doc: str
    members: tuple[Member, ...] = ()


class Module(NamedTuple):
    """What the source of a module says of its names; imported ones as (module, name there)."""

    doc: str
    public: frozenset[str] | None
    members: Mapping[str, Member]
    imports: Mapping[str, tuple[str, str]]
    lazy: Mapping[str, tuple[str, str]]
    stars: tuple[str, ...]

    def shows(self, name: str) -> bool:
        """Tell whether a name is public: in a literal `__all__`, else without an underscore."""
        return name in self.public if self.public is not None else not name.startswith("_")


def parsed_module(tree: ast.Module, name: str, *, package: bool) -> Module:
    """Read a parsed module: what it defines and what it takes from others, importing nothing."""
    members = {node.name: parsed_member(node) for node in definitions(tree.body)}
    members |= {alias: member for alias, member in aliases(tree, members) if alias not in members}
    base = name if package else name.rpartition(".")[0]
    statements = [node for node in flat(tree.body) if isinstance(node, ast.ImportFrom)]
    found = {alias: origin for node in statements for alias, origin, _ in imported(node, base)}
    # A module's `__getattr__` imports by the names it offers, whatever it calls them inside.
    hooks = [node for node in tree.body if isinstance(node, Function) and node.name == "__getattr__"]
    inside = [node for hook in hooks for node in ast.walk(hook) if isinstance(node, ast.ImportFrom)]
    lazy = {original: origin for node in inside for _, origin, original in imported(node, base)}
    stars = [absolute(node, base) for node in statements if node.names[0].name == "*"]
    return Module(module_doc(tree), exported(tree), members, found, lazy, tuple(stars))


def imported(node: ast.ImportFrom, base: str) -> Iterator[tuple[str, tuple[str, str], str]]:
    """Yield the names that a statement binds, with where each comes from and its name there."""
    for alias in node.names:
        if alias.name != "*":
            yield alias.asname or alias.name, (absolute(node, base), alias.name), alias.name


def absolute(node: ast.ImportFrom, base: str) -> str:
    """Return the full name of the module that a statement imports from."""
    if not node.level:
        return node.module or ""
    parts = base.split(".")
    return ".".join([*parts[: len(parts) - node.level + 1], *([node.module] if node.module else [])])


def aliases(tree: ast.Module, members: Mapping[str, Member]) -> Iterator[tuple[str, Member]]:
    """Yield names bound to a definition, `b = a`, or to a method of an instance, `b = made.method`."""
    made: dict[str, Member] = {}
    for node in flat(tree.body):
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            continue
        target, value = node.targets[0], node.value
        found: Member | None = None
        if isinstance(value, ast.Name):
            found = members.get(value.id)
        elif isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name):
            holder = made.get(value.value.id)
            found = next((m for m in holder.members if m.name == value.attr), None) if holder else None
            found = found and found._replace(signature=re.sub(r"^\(self(, )?", "(", found.signature))
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in members:
            made[target.id] = members[value.func.id]
        if found:
            yield target.id, found._replace(name=target.id)


def module_doc(tree: ast.Module) -> str:
    """Return the docstring of a module, or the text it assigns to `__doc__`."""
    doc = ast.get_docstring(tree)
    for node in tree.body:
        if doc is None and isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            target, value = node.targets[0], node.value.value
            if isinstance(target, ast.Name) and target.id == "__doc__" and isinstance(value, str):
                doc = inspect.cleandoc(value)
    return doc or ""


def inspected_module(module: ModuleType, name: str) -> Member:
    """Read an imported module that has no source."""
    found = [
        inspected_member(key, value)
        for key, value in sorted(vars(module).items())
        if not key.startswith("_") and (inspect.isroutine(value) or inspect.isclass(value))
    ]
    return Member(name, "", inspect.getdoc(module) or "", tuple(found))


def merged(first: Member, second: Member) -> Member:
    """Put two descriptions of one name together; where both say something, the first counts."""
    inner = {member.name: member for member in first.members}
    for member in second.members:
        inner[member.name] = merged(inner[member.name], member) if member.name in inner else member
    signature = first.signature or second.signature
    return Member(first.name, signature, first.doc or second.doc, tuple(inner.values()))


def described(member: Member, title: str) -> str:
    """Return the text of a name: its signature, its docstring, and a line for each name inside."""
    lines = [
        f"- {inner.name}{inner.signature}" + (f": {first_line(inner.doc)}" if inner.doc else "")
        for inner in member.members
    ]
    parts = [f"{title}{member.signature}", member.doc, "\n".join(lines)]
    return "\n\n".join(part for part in parts if part)


def entries(member: Member, prefix: str) -> Iterator[tuple[str, str]]:
    """Yield title and text of a name and of all inside it, where there is something to say."""
    if member.doc or member.members:
        yield f"{prefix}{member.name}", described(member, f"{prefix}{member.name}")
    for inner in member.members:
        yield from entries(inner, f"{prefix}{member.name}.")


def first_line(doc: str) -> str:
    """Return the first paragraph of a docstring on one line, cut at 160 characters."""
    return " ".join(doc.split("\n\n")[0].split())[:160]


def definitions(body: list[ast.stmt]) -> Iterator[Definition]:
    """Yield classes and functions, also under `if` and `try`; of one name the first documented."""
    found: dict[str, Definition] = {}
    for node in flat(body):
        if not isinstance(node, Definition):
            continue
        if node.name not in found or (not ast.get_docstring(found[node.name]) and ast.get_docstring(node)):
            found[node.name] = node
    yield from found.values()


def flat(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a body and those of the branches within it."""
    for node in body:
        if isinstance(node, ast.If | ast.Try):
            yield from flat([*node.body, *node.orelse])
            if isinstance(node, ast.Try):
                yield from flat([part for handler in node.handlers for part in handler.body])
        else:
            yield node


def parsed_member(node: Definition) -> Member:
    """Read a definition with the public methods of a class."""
    doc = ast.get_docstring(node) or ""
    if isinstance(node, Function):
        returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        return Member(node.name, f"({ast.unparse(node.args)}){returns}", doc)
    bases = f"({', '.join(map(ast.unparse, node.bases))})" if node.bases else ""
    found = list(definitions(node.body))
    made = next((child for child in found if child.name == "__init__"), None)
    doc = doc or (ast.get_docstring(made) if made else None) or ""
    inner = (parsed_member(child) for child in found if not child.name.startswith("_"))
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
    except (ValueError, TypeError, AttributeError):
        # A default may name what its module sets only later, as `curses` does.
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
