# ruff: noqa: E501
import ast
import inspect
import textwrap

import pytest

from ddax.dynamics import pressure, utility
from ddax.evolution import minimise
from ddax.evolution.operators import Edit, Seen, Source, edits, fingerprint, first_order
from ddax.evolution.operators.calls import CHANGING
from ddax.evolution.operators.conditions import ATOMS, atoms

PROGRAM = '''"""A module."""


def total(items, limit=3):   # keep this comment
    """Sum up to a limit."""
    acc = 0
    for i, x in enumerate(items):  # and this
        if x > limit and i != 2:
            acc += x * 2
        elif not x:
            break
        else:
            acc = max(acc, x - 1)
    return [acc, sorted(items)[0], "ä".upper(), {k: v for k, v in zip(items, items)}]
'''


def variants(text: str, seen: Seen | None = None) -> list[Edit]:
    return [edit for _, edit in first_order(Source("m.py", text.encode(), seen or Seen()), {})]


@pytest.mark.parametrize("text", [PROGRAM, *(inspect.getsource(m) for m in (utility, pressure, minimise))])
def test_every_edit_is_valid_python_and_changes_the_program(text):
    before = ast.dump(ast.parse(text))
    listed = variants(text)
    assert len(listed) > 300
    same = 0
    for edit in listed[:: len(listed) // 100]:  # spread over all of them: each costs a parse
        after = ast.dump(ast.parse(edit.apply(text.encode())))
        same += after == before
    assert same == 0


def test_an_edit_leaves_all_other_text_alone():
    for edit in variants(PROGRAM)[::13]:
        new, old = edit.apply(PROGRAM.encode()), PROGRAM.encode()
        assert new[: edit.start] == old[: edit.start]
        assert new.endswith(old[edit.end :])


def test_edits_are_ordered_and_the_same_every_time():
    source = PROGRAM.encode()
    a, b = (first_order(Source("m.py", source, Seen()), {9: 1.0, 6: 0.5}) for _ in range(2))
    assert a == b
    ranks = [rank for rank, _ in a]
    assert ranks == sorted(ranks)
    assert a[0][1].line == 9


def test_only_suspected_lines_are_touched_by_expressions():
    source = Source("m.py", PROGRAM.encode(), Seen())
    found = {e.line for e in edits(source, {14: 1.0}) if e.operator in ("constant", "compare", "arithmetic")}
    assert found <= {14}


def test_types_narrow_the_names():
    text = "def f(n, s, m):\n    return s[n]\n"
    seen = Seen({("m.py", 1): {"n": frozenset({"int"}), "s": frozenset({"str"}), "m": frozenset({"int"})}})
    typed = [e.text for e in variants(text, seen) if e.operator == "name"]
    assert "m" in typed
    assert len(typed) < len([e for e in variants(text) if e.operator == "name"])


def test_methods_of_one_name_keep_their_own_types():
    text = "class A:\n    def run(self, x):\n        return x\n\n\nclass B:\n    def run(self, x):\n        return x\n"
    seen = Seen({("m.py", 2): {"x": frozenset({"int"})}, ("m.py", 7): {"x": frozenset({"str"})}})
    source = Source("m.py", text.encode(), seen)
    assert [source.scope_of(f).names["x"] for f in source.functions] == [{"int"}, {"str"}]
    moved = Source("m.py", b"\n" + text.encode(), seen, source.first_lines)
    assert [moved.scope_of(f).names["x"] for f in moved.functions] == [{"int"}, {"str"}]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("def f(a, b):\n    return a < b\n", "def f(a, b):\n    return a <= b\n"),
        ("def f(a):\n    return a - 1 * 2\n", "def f(a):\n    return (a - 1) * 2\n"),
        ("def f(a):\n    x = 0\n    for v in a:\n        pass\n    return x\n", None),
        ("def f(a):\n    return max(a)\n", "def f(a):\n    return min(a)\n"),
        ("def f(s, t):\n    return s == t\n", "def f(s, t):\n    return set(s) == set(t)\n"),
        ("def f(s):\n    return s\n", "def f(s):\n    return s.lower()\n"),
        ("def f(n):\n    return f(n - 1)\n", "def f(n):\n    if n == 0:\n        return 0\n    return f(n - 1)\n"),
        ("def f(w):\n    return sorted(w)\n", "def f(w):\n    return sorted(w, key=len)\n"),
        ("def f(a):\n    for v in a:\n        yield v\n", "def f(a):\n    for v in a:\n        yield from v\n"),
    ],
)  # fmt: skip
def test_the_repair_is_among_the_edits(wrong, right):
    kinds = {"a": frozenset({"int"}), "b": frozenset({"int"}), "n": frozenset({"int"}), "s": frozenset({"str"}),
             "t": frozenset({"str"}), "w": frozenset({"list[str]"}), "v": frozenset({"int"}), "x": frozenset({"int"})}  # fmt: skip
    texts = {
        ast.dump(ast.parse(e.apply(wrong.encode()))) for e in variants(wrong, Seen({("m.py", 1): kinds}))
    }
    right = right or wrong.replace("pass", "x += 1")
    if right.count("if n") or "x += 1" in right:
        assert len(texts) > 20
    if "x += 1" not in right:
        assert ast.dump(ast.parse(right)) in texts
    else:
        inserted = wrong.replace("        pass\n", "        x += 1\n        pass\n")
        after = wrong.replace("        pass\n", "        pass\n        x += 1\n")
        assert texts & {ast.dump(ast.parse(t)) for t in (inserted, after)}


def test_spelling_follows_the_words_of_the_tests():
    text = 'def f():\n    return "Jupyter rising"\n'
    found = [e.text for e in variants(text, Seen(words=("Jupiter rising", "Mars")))]
    assert '"Jupiter rising"' in found


def test_docstrings_and_annotations_are_never_edited():
    text = textwrap.dedent('''
        def f(a: int = 1) -> int:
            """One 1."""
            return a
    ''')
    for edit in variants(text):
        tree = ast.parse(edit.apply(text.encode()))
        function = tree.body[0]
        assert isinstance(function, ast.FunctionDef)
        assert ast.get_docstring(function) == "One 1."
        assert ast.unparse(function.returns) == "int"


def test_fingerprint_ignores_spacing_within_lines_only():
    assert fingerprint(b"a  =  1\n") == fingerprint(b"a = 1\n")
    assert fingerprint(b"  a = 1\n") != fingerprint(b"    a = 1\n")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b"a = ' '\n", b"a = ''\n"),
        (b'a = b + "x y"\n', b'a = b + "xy"\n'),
        (b'a = """\nb  c"""\n', b'a = """\nb c"""\n'),
        (b"a = 'it\\'s '\n", b"a = 'it\\'s'\n"),
        (b"a = 1  # it's\nb = ' '\n", b"a = 1  # it's\nb = ''\n"),
    ],
)
def test_fingerprint_keeps_the_spaces_of_a_literal(one, other):
    assert fingerprint(one) != fingerprint(other)
    assert fingerprint(one.replace(b" = ", b"=")) == fingerprint(one)


def test_the_list_of_edits_ends_where_it_is_late():
    source = Source("m.py", PROGRAM.encode(), Seen())
    whole = first_order(source, {})
    asked = iter([False] * 25 + [True])
    some = first_order(source, {}, late=lambda: next(asked))
    assert len(some) == 25
    assert {edit for _, edit in some} <= {edit for _, edit in whole}
    assert some == sorted(some, key=lambda item: item[0])


def test_what_is_said_of_many_names_has_an_end():
    names = ", ".join(f"v{i}" for i in range(40))
    types = {f"v{i}": frozenset({"int"}) for i in range(40)}
    source = Source("m.py", f"def f({names}):\n    return v0\n".encode(), Seen({("m.py", 1): types}))
    said = atoms(source.scope_of(source.functions[0]), source)
    assert len(said) == ATOMS
    assert said == sorted(said, key=lambda atom: atom[0])


def ranks(text: str, seen: Seen | None = None) -> dict[str, float]:
    found: dict[str, float] = {}
    for rank, edit in first_order(Source("m.py", text.encode(), seen or Seen()), {}):
        found.setdefault(edit.apply(text.encode()).decode(), rank)
    return found


def test_a_key_is_looked_up_before_a_method_that_changes_the_object_is_called():
    text = "def call(handlers, name):\n    return handlers.get(name)()\n"
    found = ranks(text)
    read, pops = (found[text.replace(".get(name)", to)] for to in ("[name]", ".pop(name)"))
    assert read < min(rank for new, rank in found.items() if ".pop(" in new or ".setdefault(" in new)
    assert pops > read + 1.5
    own = Seen({("m.py", 1): {"handlers": frozenset({"Store"})}}, {"Store": ("clear", "find")})
    edit = {e.text: e for e in variants(text, own)}
    assert edit["handlers.clear(name)"].operator == CHANGING
    assert edit["handlers.find(name)"].cost < edit["handlers.clear(name)"].cost
    changes = {e.text: e for e in variants("def f(x, y):\n    x.append(y)\n")}
    assert changes["x.extend(y)"].operator == "method"


ERRORS = """from shop import StockError
import json


class Wrong(Exception):
    pass


class Worse(Wrong):
    pass


def read(text):
    try:
        return json.loads(text)
    except (ValueError, KeyError) as error:
        raise ValueError(text) from error
"""


@pytest.mark.parametrize("name", ["Wrong", "Worse", "StockError", "TypeError"])
def test_another_exception_is_raised_or_caught(name):
    found = ranks(ERRORS)
    raised = found[ERRORS.replace("raise ValueError", f"raise {name}")]
    assert ERRORS.replace("(ValueError, KeyError)", f"({name}, KeyError)") in found
    assert (raised < ranks(ERRORS)[ERRORS.replace("raise ValueError", "raise IndexError")]) == (
        name != "TypeError"
    )


def test_only_exceptions_stand_in_for_what_is_raised():
    text = "class A:\n    pass\nclass B(Exception):\n    pass\ndef f(x):\n    if x:\n        raise ValueError\n    return int(x)\n"
    assert next(e.text for e in variants(text) if e.operator == "exception") == "B"
    assert {e.line for e in variants(text) if e.operator == "exception"} == {7}
    assert "A" not in {e.text for e in variants(text) if e.operator == "exception"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("''.join(p[0] for p in parts)", "''.join((p[0] for p in parts if p))"),
        ("[a for a, b in parts]", "[a for a, b in parts if b]"),
        ("int(parts.get('n'))", "int(parts.get('n', 0))"),
        ("len(late)", "len(late or [])"),
        ("late.upper()", "(late or '').upper()"),
    ],
)
def test_what_may_be_empty_or_none_gets_a_guard(old, new):
    text = "def f(parts, late):\n    return {}\n"
    seen = Seen({("m.py", 1): {"late": frozenset({"NoneType", "str"})}})
    trees = {ast.dump(ast.parse(changed)) for changed in ranks(text.format(old), seen)}
    assert ast.dump(ast.parse(text.format(new))) in trees


def test_calls_are_awaited_in_asynchronous_functions_only():
    text = "async def f(get):\n    return get(1).size\n\n\ndef g(get):\n    return get(2)\n"
    assert [e.text for e in variants(text) if e.operator == "await"] == ["(await get(1))"]
    dropped = [
        e.text for e in variants("async def f(get):\n    return await get(1)\n") if "await" in e.operator
    ]
    assert dropped == ["get(1)"]
