"""Operators on calls: families of functions and methods, arguments, wrapping, sort keys, comprehensions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import copy
from typing import TypeGuard

from ddax.evolution.operators.base import Source, stands_alone
from ddax.evolution.operators.expressions import Variant, call
from ddax.evolution.operators.kinds import NUMBERS, SIZED, kinds_of, plain
from ddax.evolution.tables import families

_SOLE = frozenset({"pop", "split", "rsplit", "strip", "lstrip", "rstrip"})
"""Methods that do something else without their only argument."""
_CHANGING = frozenset(families("changing"))
"""Methods that change their object."""
CHANGING = "changing_method"
"""The operator that puts one of them in the place of a method that only reads."""
_TYPES = ("list", "dict", "set", "int", "float", "str", "tuple", "bool")
COPIED = 0.6
"""Added to the cost of reading an entry of a copy where the function fills the entries of the original."""
PASSED_BY = 0.6
"""Added to the cost of taking what is given to a function of the program for what it makes of it."""
_TEXT_WRAPS = ("lower", "upper", "strip", "split", "swapcase", "title")
_LIST_WRAPS = ("sorted", "set", "list", "len", "sum", "max", "min", "tuple")
_WRAPPED = (ast.Name, ast.Call, ast.BinOp, ast.Subscript, ast.ListComp, ast.Attribute, ast.GeneratorExp)
_NUMBER_WRAPS = ("abs", "int", "str", "round", "float", "range", "bool", "chr")


def parse(text: str) -> ast.expr:
    """Parse an expression of ours."""
    return ast.parse(text, mode="eval").body


def functions(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Call a related function, or another function of the file; hand another type over."""
    parent = source.parents.get(node)
    handed = isinstance(parent, ast.Call) and parent.func is not node
    if isinstance(node, ast.Name) and node.id in _TYPES and handed:
        for other in _TYPES:
            if other != node.id:
                yield "type_name", 0.7, ast.Name(other, ast.Load())
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return
    for family in families("functions"):
        if node.func.id in family:
            for other in family:
                if other != node.func.id:
                    yield "function", 0.6, ast.Call(ast.Name(other, ast.Load()), node.args, node.keywords)
    for function in source.functions:
        if function.name != node.func.id and isinstance(source.parents.get(function), ast.Module):
            new = ast.Call(ast.Name(function.name, ast.Load()), node.args, node.keywords)
            yield "function_own", 1.0, new


def asks_get(node: ast.expr) -> TypeGuard[ast.Call]:
    """Tell whether an expression asks `get` for a key and names no value for where there is none."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr == "get" and len(node.args) == 1 and not isinstance(node.args[0], ast.Starred)


def methods(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Call a related method or another of the same object; look a key up that `get` was asked for."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return
    owner, old = node.func.value, node.func.attr
    if asks_get(node):
        yield "subscript_get", 0.55, ast.Subscript(owner, node.args[0], ast.Load())
    related = [("method", 0.6, other) for family in families("methods") if old in family for other in family]
    kinds = kinds_of(owner, source.scope_of(node))
    related += [("method_own", 1.0, a) for kind in kinds for a in source.seen.attributes.get(kind, ())]
    for name, cost, other in related:
        if other != old:
            new = ast.Call(ast.Attribute(owner, other, ast.Load()), node.args, node.keywords)
            harmful = other in _CHANGING and old not in _CHANGING
            yield (CHANGING, 2.2, new) if harmful else (name, cost, new)
    if not node.args and not isinstance(source.parents.get(node), ast.Expr):  # else nothing is left to do
        yield "method_drop", 0.7, owner
    if old == "pop" and not node.args and plain(kinds) <= {"list"}:
        yield "argument_add", 0.7, ast.Call(node.func, [ast.Constant(0)], [])
    if old in _SOLE and len(node.args) == 1:
        yield "argument_drop", 0.8, ast.Call(node.func, [], [])


def arguments(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Swap, drop and add arguments; take a call away or make it twice."""
    if not isinstance(node, ast.Call):
        return
    args = node.args
    for i in range(len(args) - 1):
        swapped = [*args[:i], args[i + 1], args[i], *args[i + 2 :]]
        yield "argument_swap", 0.7, ast.Call(node.func, swapped, node.keywords)
    missed = PASSED_BY * (_callee(node) in source.seen.parameters)
    for i, argument in enumerate(args):
        if not isinstance(argument, ast.Starred):
            yield "unwrap", 0.7 + missed, argument
        if len(args) > 1 or node.keywords:
            others = [*args[:i], *args[i + 1 :]]
            moved = max(0, _by_name(node, args, source) - _by_name(node, others, source))
            yield "argument_drop", 0.9 + 0.3 * moved, ast.Call(node.func, others, node.keywords)
    for i in range(len(node.keywords)):
        yield "keyword_drop", 0.9, ast.Call(node.func, args, [*node.keywords[:i], *node.keywords[i + 1 :]])
    own = {f.name for f in source.functions}
    if isinstance(node.func, ast.Name) and node.func.id in own:
        for i, argument in enumerate(args):
            if not isinstance(argument, ast.Starred):
                yield "call_twice", 1.3, ast.Call(node.func, [*args[:i], node, *args[i + 1 :]], node.keywords)
    name = _callee(node)
    if name in ("sorted", "sort", "min", "max") and len(args) <= 1:
        yield from _keys(node, name)
    for keyword in node.keywords:
        if isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, bool):
            rest = [k for k in node.keywords if k is not keyword]
            flipped = ast.keyword(keyword.arg, ast.Constant(not keyword.value.value))
            yield "keyword", 0.4, ast.Call(node.func, args, [*rest, flipped])


def _keys(node: ast.Call, name: str) -> Iterator[Variant]:
    """Sort, or choose, by another key, with a part of the key in falling order, or the other way round."""
    rest = [k for k in node.keywords if k.arg != "key"]
    for old in (k.value for k in node.keywords if k.arg == "key" and isinstance(k.value, ast.Lambda)):
        parts = old.body.elts if isinstance(old.body, ast.Tuple) else []
        for i, part in enumerate(parts):
            if not isinstance(part, ast.UnaryOp):
                falling = ast.Tuple([*parts[:i], ast.UnaryOp(ast.USub(), part), *parts[i + 1 :]], ast.Load())
                key = ast.keyword("key", ast.Lambda(old.args, falling))
                yield "sort_key", 0.7, ast.Call(node.func, node.args, [key, *rest])
    for rank, text in enumerate(families("sort_keys")):
        key = ast.keyword("key", parse(text))
        yield "sort_key", 1.0 + 0.05 * rank, ast.Call(node.func, node.args, [*rest, key])
    if name in ("sorted", "sort") and all(k.arg != "reverse" for k in node.keywords):
        turned = ast.keyword("reverse", ast.Constant(True))
        yield "reverse", 0.7, ast.Call(node.func, node.args, [*node.keywords, turned])


def _callee(node: ast.Call) -> str:
    """Return the name, without its owner, by which a function is called; "" for none."""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def _by_name(node: ast.Call, args: list[ast.expr], source: Source) -> int:
    """Count the arguments that stand where the function takes one of their name."""
    name = _callee(node)
    if name == "__init__" and ast.unparse(node.func).startswith("super()."):
        name = _parent(node, source)
    taken = source.seen.parameters.get(name, ())
    return sum(isinstance(a, ast.Name) and a.id == p for a, p in zip(args, taken, strict=False))


def _parent(node: ast.AST, source: Source) -> str:
    """Return the name of the first class that the class around a node is made from; "" for none."""
    here: ast.AST | None = node
    while here is not None and not isinstance(here, ast.ClassDef):
        here = source.parents.get(here)
    return ast.unparse(here.bases[0]) if here is not None and here.bases else ""


def more_arguments(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Hand an argument over that a function of the program takes, or an option that is easily forgotten."""
    if not isinstance(node, ast.Call):
        return
    name = _callee(node)
    whole = [f"maxlen={n}" for n, kinds in source.scope_of(node).names.items() if "int" in kinds]
    for text in (*families("switches").get(name, ()), *(whole if name == "deque" else ())):
        option, value = text.split("=", 1)
        if all(k.arg != option for k in node.keywords):
            more = ast.keyword(option, parse(value))
            yield "option", 0.9, ast.Call(node.func, node.args, [*node.keywords, more])
    if any(isinstance(a, ast.Starred) for a in node.args):
        return
    taken = source.seen.parameters.get(name, ())
    free = [p for p in taken[len(node.args) :] if all(k.arg != p for k in node.keywords)]
    known = source.scope_of(node).names
    for parameter in free:
        for known_name in known:
            if known_name.split(".")[-1] == parameter:
                more = ast.keyword(parameter, ast.Name(known_name, ast.Load()))
                yield "argument_add", 0.6, ast.Call(node.func, node.args, [*node.keywords, more])
    if free and not node.keywords:
        for known_name in known:
            given = [*node.args, ast.Name(known_name, ast.Load())]
            yield "argument_add", 1.3, ast.Call(node.func, given, [])


def wraps(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Wrap an expression in a call or a method that fits its type."""
    parent = source.parents.get(node)
    if not isinstance(node, _WRAPPED) or not stands_alone(node, source):
        return
    scope = source.scope_of(node)
    kinds = plain(kinds_of(node, scope))
    outer = parent.func.id if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) else ""
    if "str" in kinds or not kinds:
        for method in _TEXT_WRAPS:
            made = ast.Call(ast.Attribute(node, method, ast.Load()), [], [])
            yield "wrap_method", 0.9 if kinds else 1.6, made
        for name in ("len", "int", "set", "sorted", "list"):
            yield "wrap", 1.2 if kinds else 1.8, call(name, node)
    if kinds & (SIZED | {"generator"}) or not kinds:
        copied = COPIED * (
            isinstance(parent, ast.Subscript) and parent.value is node and _filled(node, source)
        )
        for name in _LIST_WRAPS:
            if name != outer:
                yield "wrap", (0.9 if kinds else 1.7) + copied, call(name, node)
        if kinds & {"list", "tuple"}:
            for each in ("int", "float", "str", "str.strip", "str.lower"):
                yield "wrap_each", 1.4, call("map", parse(each), node)
        if "str" not in kinds:
            yield "wrap_method", 1.1, ast.Call(ast.Attribute(node, "copy", ast.Load()), [], [])
            yield "wrap", 1.3, call("list", call("reversed", node))
        yield "wrap", 1.4, ast.Call(ast.Attribute(ast.Constant(""), "join", ast.Load()), [node], [])
        yield "wrap", 1.6, ast.Call(ast.Attribute(ast.Constant(" "), "join", ast.Load()), [node], [])
    if kinds & NUMBERS or not kinds:
        for name in _NUMBER_WRAPS:
            if name != outer:
                yield "wrap", 0.9 if kinds and name == "abs" else 1.3 if kinds else 1.8, call(name, node)
        yield "wrap", 1.5, call("round", node, ast.Constant(2))
        for limit in (0, 1):
            yield "clamp", 1.6, call("max", node, ast.Constant(limit))
    for function in source.functions:
        if len(function.args.args) == 1 and isinstance(source.parents.get(function), ast.Module):
            yield "wrap_own", 1.4, call(function.name, node)


def _filled(node: ast.expr, source: Source) -> bool:
    """Say whether entries of a collection are given values, or put at its end, in the same function."""
    inner = [n for n in ast.walk(source.scope_of(node).node) if isinstance(n, ast.Subscript | ast.Attribute)]
    filled = (
        n.value
        for n in inner
        if (isinstance(n.ctx, ast.Store) if isinstance(n, ast.Subscript) else n.attr == "append")
    )
    return any(ast.unparse(owner) == ast.unparse(node) for owner in filled)


def sequences(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Change literals and comprehensions: elements, filters, list against set."""
    if isinstance(node, (ast.List, ast.Tuple)) and isinstance(node.ctx, ast.Load):
        kind = type(node)
        for i in range(len(node.elts)):
            yield "element_drop", 1.0, kind([*node.elts[:i], *node.elts[i + 1 :]], ast.Load())
            if i:
                order = [*node.elts[: i - 1], node.elts[i], node.elts[i - 1], *node.elts[i + 1 :]]
                yield "element_swap", 0.9, kind(order, ast.Load())
        for name, _ in source.scope_of(node).names.items():
            yield "element_add", 1.4, kind([*node.elts, ast.Name(name, ast.Load())], ast.Load())
        if len(node.elts) == 1:
            yield "unlist", 1.0, node.elts[0]
        if not node.elts:  # of nothing there is one arrangement, which is empty
            yield "element_add", 1.0, kind([kind([], ast.Load())], ast.Load())
    elif isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
        first = node.generators[0]
        for i in range(len(first.ifs)):
            rest = [*first.ifs[:i], *first.ifs[i + 1 :]]
            fewer = ast.comprehension(first.target, first.iter, rest, first.is_async)
            yield "filter_drop", 0.8, type(node)(node.elt, [fewer, *node.generators[1:]])
        if isinstance(node, ast.ListComp):
            yield "comprehension", 1.1, ast.SetComp(node.elt, node.generators)
        else:
            yield "comprehension", 1.0, ast.ListComp(node.elt, node.generators)
        if isinstance(first.target, ast.Name):
            yield "comprehension_target", 1.2, type(node)(first.target, node.generators)
            same = ast.Name(first.target.id, ast.Load())
            yield "comprehension_target", 1.2, type(node)(same, node.generators)


def bindings(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Bind the variables of a loop in a lambda made in it, which else would see the last value."""
    if not isinstance(node, ast.Lambda):
        return
    own = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
    used = {n.id for n in ast.walk(node.body) if isinstance(n, ast.Name)} - own
    here, loops = source.parents.get(node), set[str]()
    while here is not None:
        targets = [here.target] if isinstance(here, ast.For | ast.AsyncFor) else []
        targets += [c.target for c in getattr(here, "generators", ())]
        loops |= {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
        here = source.parents.get(here)
    if bound := sorted(used & loops):
        more, values = [ast.arg(n) for n in bound], [ast.Name(n, ast.Load()) for n in bound]
        args = copy(node.args)
        if args.vararg:  # which would take what is put before it
            args.kwonlyargs, args.kw_defaults = [*args.kwonlyargs, *more], [*args.kw_defaults, *values]
        else:
            args.args, args.defaults = [*args.args, *more], [*args.defaults, *values]
        yield "bind", 0.5, ast.Lambda(args, node.body)


def attributes(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Read another attribute of the same object."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
        return
    parent = source.parents.get(node)
    if isinstance(parent, ast.Call) and parent.func is node:
        return
    related = [(0.6, name) for family in families("attributes") if node.attr in family for name in family]
    for kind in kinds_of(node.value, source.scope_of(node)):
        related += [(0.7, name) for name in source.seen.attributes.get(kind, ())]
    for cost, name in related:
        if name != node.attr:
            yield "attribute", cost, ast.Attribute(node.value, name, ast.Load())


def named(node: ast.expr, source: Source) -> Iterator[Variant]:
    """Give an argument under another name: of a unit of time, of another one, or of what a function takes."""
    if not isinstance(node, ast.Call):
        return
    taken = source.seen.parameters.get(_callee(node), ())[len(node.args) :]
    for old in (k.arg for k in node.keywords if k.arg):
        words = {word: 0.9 for word in (*taken, *(k.arg for k in node.keywords)) if word}
        words |= {word: 0.6 for family in families("arguments") if old in family for word in family}
        for word, cost in ((w, c) for w, c in words.items() if w != old):
            other: dict[str | None, str] = {old: word, word: old}  # who has the name takes the old one
            names = [ast.keyword(other.get(k.arg, k.arg), k.value) for k in node.keywords]
            yield "keyword_name", cost, ast.Call(node.func, node.args, names)


CALL_OPERATORS = (
    functions, methods, arguments, more_arguments, wraps, sequences, bindings, attributes, named,
)  # fmt: skip
