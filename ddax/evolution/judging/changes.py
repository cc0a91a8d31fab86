"""Says in plain facts what a patch changes: compares two trees, and names what is gone, new or another.

A fact is a short word such as `gone:Raise` or `at:result`. Which of them matter stands in
`kinds.json`, not here.
"""

from __future__ import annotations

import ast
import difflib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ddax.evolution.minimise import hunks
from ddax.evolution.program.imports import parsed
from ddax.evolution.tables import table

_ROLES: dict[str, str] = table("judging/kinds")["roles"]
"""What a part of a node is for; what stands inside it is for the same."""
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
IMPORTED = 0
"""Stands for lines in no function: they run as the file is imported, whichever test does it first."""
_COUNTED = (ast.stmt, ast.ExceptHandler, ast.Compare, ast.BoolOp, ast.Call, ast.comprehension, ast.IfExp)
OPPOSITE = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE,
    ast.LtE: ast.Gt, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
UNLIKE = 0.5
"""Likeness of two texts below which one does not stand for a slip in the other."""


@dataclass(frozen=True)
class Change:
    """Parts of a program that differ, as they were and as they are, and what they are for.

    `whole` says that they are all of what is for it: the 2 of `return 2`, and not that of `return x + 2`.
    """

    old: tuple[ast.AST, ...]
    new: tuple[ast.AST, ...]
    role: str
    whole: bool = False


def changes(old: str, new: str) -> list[Change]:
    """Return where two texts differ, as small as it can be said; raises SyntaxError."""
    return list(_differing(ast.parse(old), ast.parse(new), ""))


def _differing(old: ast.AST, new: ast.AST, role: str, *, whole: bool = False) -> Iterator[Change]:
    inner = [name for name in old._fields if name not in ("ctx", "type_comment", "kind")]
    pairs = [(name, getattr(old, name, None), getattr(new, name, None)) for name in inner]
    values = any(
        not isinstance(a, list | ast.AST | None) and (type(a), a) != (type(b), b) for _, a, b in pairs
    )
    signs = [[*map(type, getattr(node, "ops", ()))] for node in (old, new)]
    if type(old) is not type(new) or values or signs[0] != signs[1]:
        yield Change((old,), (new,), role, whole)
        return
    for name, a, b in pairs:
        raised = role == "raise" and name == "func"  # what is raised, not what it is told
        own = None if raised else _ROLES.get(f"{type(old).__name__}.{name}")
        inside = own or role
        if isinstance(a, list) and isinstance(b, list):
            yield from _listed(a, b, inside)
        elif isinstance(a, ast.operator | ast.unaryop | ast.boolop) and type(a) is not type(b):
            yield Change((old,), (new,), role)
        elif isinstance(a, ast.AST) and isinstance(b, ast.AST):
            yield from _differing(a, b, inside, whole=own is not None)
        elif a is not b:
            yield Change(_one(a), _one(b), inside, own is not None)


def _one(part: Any) -> tuple[ast.AST, ...]:
    return (part,) if isinstance(part, ast.AST) else ()


def _listed(old: list[Any], new: list[Any], role: str) -> Iterator[Change]:
    """Yield where two lists of nodes differ; those that only stand elsewhere are found again."""
    before, after = ([ast.dump(n) if isinstance(n, ast.AST) else repr(n) for n in x] for x in (old, new))
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        a, b = old[i1:i2], new[j1:j2]
        if tag == "equal":
            continue
        nodes = all(isinstance(n, ast.AST) for n in (*a, *b))
        if len(a) == len(b) and nodes:
            for x, y in zip(a, b, strict=True):
                yield from _differing(x, y, role)
        else:
            yield Change(tuple(n for n in a if isinstance(n, ast.AST)),
                         tuple(n for n in b if isinstance(n, ast.AST)), role)  # fmt: skip


def facts(
    old: str, new: str, *, told: Collection[str] = (), elsewhere: Mapping[str, str] | None = None
) -> list[frozenset[str]]:
    """Return the facts of each change between two texts.

    `told` are the literals of the tests, `elsewhere` the other files, whose literals are nothing new.
    """
    texts = (old, *(elsewhere or {}).values())
    known = {repr(n.value) for text in texts for n in ast.walk(parsed(text)) if isinstance(n, ast.Constant)}
    try:
        return [_facts(change, frozenset(told) - known) for change in changes(old, new)]
    except SyntaxError:
        return [frozenset({"unreadable"})]


def _facts(change: Change, told: frozenset[str]) -> frozenset[str]:
    old, new = _counted(change.old), _counted(change.new)
    found = {f"gone:{kind}" for kind in old - new} | {f"new:{kind}" for kind in new - old}
    found |= {f"at:{change.role}"} if change.role else set()
    if sum(old.values()) > sum(new.values()) and any(isinstance(n, ast.stmt) for n in change.old):
        found.add("fewer statements")
    values = {repr(n.value) for root in change.new for n in ast.walk(root) if isinstance(n, ast.Constant)}
    found |= {"told"} if values & told else set()
    if len(change.old) == len(change.new) == 1:
        found |= _replaced(change.old[0], change.new[0])
        if change.whole or not _plain(change.old[0]):  # another number in a formula settles nothing
            found |= {"to:fixed"} if _plain(change.new[0]) else set()
    return frozenset(found)


def _plain(node: ast.AST) -> bool:
    """Say whether an expression names nothing, so that it has one value."""
    return isinstance(node, ast.expr) and not any(isinstance(n, ast.Name) for n in ast.walk(node))


def _counted(roots: tuple[ast.AST, ...]) -> Counter[str]:
    nodes = (n for root in roots for n in ast.walk(root))
    return Counter(type(n).__name__ for n in nodes if isinstance(n, _COUNTED))


def _replaced(old: ast.AST, new: ast.AST) -> set[str]:
    """Return the facts of one node that stands where another stood."""
    found = {f"from:{_kind(old)}", f"to:{_kind(new)}"}
    parts = new.values if isinstance(new, ast.BoolOp) else ()  # `x and False` is False, whatever x is
    if any(isinstance(getattr(n, "value", 0), bool) for n in parts):
        found.add("to:fixed")
    if _negated(old, new) or _negated(new, old):
        found.add("negated")
    if found >= {"from:str", "to:str"}:
        a, b = (str(getattr(n, "value", "")) for n in (old, new))
        found |= {"unlike"} if difflib.SequenceMatcher(None, a, b).ratio() < UNLIKE else set()
    return found


def _kind(node: ast.AST) -> str:
    return type(node.value).__name__ if isinstance(node, ast.Constant) else type(node).__name__


def _negated(one: ast.AST, other: ast.AST) -> bool:
    """Say whether a condition is the opposite of another."""
    if isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.Not):
        return ast.dump(one.operand) == ast.dump(other)
    if (
        isinstance(one, ast.Compare)
        and isinstance(other, ast.Compare)
        and len(one.ops) == len(other.ops) == 1
    ):
        same = ast.dump(one.left) == ast.dump(other.left)
        same = same and ast.dump(one.comparators[0]) == ast.dump(other.comparators[0])
        return same and OPPOSITE[type(one.ops[0])] is type(other.ops[0])
    return False


def changed_lines(old: str, new: str) -> frozenset[int]:
    """Return lines of the functions of the old text that differ; of what stands in none, also 0."""
    lines = {n for _, i1, i2, _, _ in hunks(old, new) for n in range(i1 + 1, max(i2, i1 + 1) + 1)}
    spans = [(n.lineno, n.end_lineno or n.lineno) for n in ast.walk(parsed(old)) if isinstance(n, _FUNCTIONS)]
    found = set[int]()
    for line in lines:
        around = [span for span in spans if span[0] <= line <= span[1]]
        first, last = max(around, default=(line, line))
        found |= (set(range(first + 1, last + 1)) or {line}) | (set() if around else {IMPORTED})
    return frozenset(found)
