# ruff: noqa: E501 - programs under test are kept on one line
"""Edits of slips that are common with containers, formats, limits, decorators, comparisons and imports."""

import ast

import pytest

from ddax.evolution.inside.tracing import Tracer
from ddax.evolution.operators import Seen, Source, first_order

MISSED = Seen(complaints=("KeyError: 'a'",))
NUMBERS = Seen({("m.py", 1): {name: frozenset({"int"}) for name in ("x", "n", "a")}})
UNREAD = Seen(complaints=("ValueError: invalid literal for int() with base 10: 'price'",))
TEXTS = Seen(words=("total 1.50", "05", "    ab", "12,000"))
AMONG = Seen(words=("a\\b", "a.gif"), numbers=(404,))


def texts(wrong, seen=None):
    """Return what every edit makes of a program, as dumps of its tree."""
    source = Source("m.py", wrong.encode(), seen or Seen())
    return {ast.dump(ast.parse(e.apply(wrong.encode()))) for _, e in first_order(source, {})}


def function(line):
    return f"def f(x, n):\n    {line}\n"


@pytest.mark.parametrize(
    ("wrong", "right", "seen"),
    [
        ("return x[n]", "return x.get(n, 0)", MISSED),
        ("return x[n]", "return x.get(n)", MISSED),
        ("return x[n]", "return x.get(n, n)", MISSED),
        ("return 3 < x[n]", "return 3 < x.get(n, float('inf'))", MISSED),
        ("return [y for y in x[n]]", "return [y for y in x.get(n, ())]", MISSED),
        ("x[n].append(1)", "x.setdefault(n, []).append(1)", MISSED),
        ("x[n].add(1)", "x.setdefault(n, set()).add(1)", MISSED),
        ("x[n] += 1", "x[n] = x.get(n, 0) + 1", MISSED),
        ("del x[n]", "x.pop(n, None)", MISSED),
        ("x[n] = None", "del x[n]", None),
        ("return [[0] * n] * n", "return [[0] * n for _ in range(n)]", None),
        ("return n * [{}]", "return [{} for _ in range(n)]", None),
        ("return x & n", "return x & ~n", None),
        ("return [c for c in x if c in '*?']", "return [c for c in x if c in '*?\\\\']", AMONG),
        ("return x.strip(', ')", "return x.strip(', .')", AMONG),
        ("return n in ('.png', '.jpg')", "return n in ('.png', '.jpg', '.gif')", AMONG),
        ("return n in ['png']", "return n in ['png', 'gif']", AMONG),
        ("return n not in {500, 503}", "return n not in {500, 503, 404}", AMONG),
        ("return x.endswith(('.png', '.jpg'))", "return x.endswith(('.png', '.jpg', '.gif'))", AMONG),
        ("x = n", "x |= n", None),
        ("a = x + 1", "a = min(x + 1, n)", NUMBERS),
        ("return y[x // 2]", "return y[min(x // 2, n - 1)]", NUMBERS),
        ("return x.lower() == n.lower()", "return x.casefold() == n.casefold()", None),
        ("return normalize('NFC', x)", "return normalize('NFKD', x)", None),
        ("x.add_argument('-v', action='store_true')", "x.add_argument('-v', action='count')", None),
        ("return threading.Lock()", "return threading.RLock()", None),
        ("return gather(*x)", "return gather(*x, return_exceptions=True)", None),
        ("return deque()", "return deque(maxlen=n)", NUMBERS),
        ("return f'{x:>5}'", "return f'{x:>9}'", None),
        ("return (f'{x:.1f}'\n        f'a')", "return (f'{x:.2f}'\n        f'a')", None),
        ("return '{:.1f}'.format(x)", "return '{:.2f}'.format(x)", None),
        ("return '%.1f' % x", "return '%.2f' % x", None),
        ("return format(x, '.1f')", "return format(x, '.2f')", None),
        ("return f'{x}'", "return f'{x:.2f}'", TEXTS),
        ("return f'{x}'", "return f'{x:02d}'", TEXTS),
        ("return f'{x}'", "return f'{x:>6}'", TEXTS),
        ("return f'{x}'", "return f'{x:,}'", TEXTS),
        ("return f'{x}', f'{n:>7}'", "return f'{x:>7}', f'{n:>7}'", None),
        ("return x and n and y", "return x and n or y", None),
        ("return x and n and y", "return x and (n or y)", None),
        ("return x or n or y", "return x or n and y", None),
        ("return x or n or y", "return (x or n) and y", None),
        ("x[n] = [y]", "x.setdefault(n, []).append(y)", None),
        ("x[n] = {y}", "x.setdefault(n, set()).add(y)", None),
        ("x[n] = 1", "x[n] = x.get(n, 0) + 1", None),
        ("return re.match(r'\\d+', x)", "return re.match(r'\\d+(?:\\.\\d+)?', x)", None),
    ],
)  # fmt: skip
def test_the_repair_of_a_line_is_among_the_edits(wrong, right, seen):
    assert ast.dump(ast.parse(function(right))) in texts(function(wrong), seen)


@pytest.mark.parametrize(
    ("program", "better", "worse", "seen"),
    [
        (function("return x[0]"), function("return x[-1]"), function("return x[1]"), None),
        (function("return x[-1]"), function("return x[0]"), function("return x[1]"), None),
        (function("return x // n"), function("return -(-x // n)"), function("return (x + 1) // n"), NUMBERS),
        (
            "class A:\n    def __init__(self, x, n=0):\n        pass\n\nclass B(A):\n    def __init__(self, x, y):\n        super().__init__(x, y)\n",
            "class A:\n    def __init__(self, x, n=0):\n        pass\n\nclass B(A):\n    def __init__(self, x, y):\n        super().__init__(x)\n",
            "class A:\n    def __init__(self, x, n=0):\n        pass\n\nclass B(A):\n    def __init__(self, x, y):\n        super().__init__(y)\n",
            Seen(parameters={"A": ("x", "n"), "B": ("x", "y"), "__init__": ("x", "y")}),
        ),
    ],
)  # fmt: skip
def test_the_likelier_of_two_edits_comes_first(program, better, worse, seen):
    listed = first_order(Source("m.py", program.encode(), seen or Seen()), {})
    made = [ast.dump(ast.parse(e.apply(program.encode()))) for _, e in listed]
    assert made.index(ast.dump(ast.parse(better))) < made.index(ast.dump(ast.parse(worse)))


def test_a_key_that_was_there_is_not_asked_for_with_another_value():
    assert ast.dump(ast.parse(function("return x.get(n, 0)"))) not in texts(function("return x[n]"))
    lists = Seen({("m.py", 1): {"x": frozenset({"list[int]"})}}, complaints=MISSED.complaints)
    assert ast.dump(ast.parse(function("return x.get(n, 0)"))) not in texts(function("return x[n]"), lists)


def first_import(program, name):
    source = Source("m.py", program.encode(), Seen(complaints=(f"NameError: name {name!r} is not defined",)))
    return first_order(source, {})[0][1].apply(program.encode()).decode()


def test_a_name_is_imported_from_where_it_is_made_not_from_its_alias_in_typing():
    program = "from typing import Any\n\nx: Any = Counter('a')\n"
    assert first_import(program, "Counter") == f"from collections import Counter\n{program}"


def test_a_module_is_not_imported_for_a_name_that_is_called():
    assert first_import("x = datetime(2024, 1, 1)\n", "datetime").startswith(
        "from datetime import datetime\n"
    )
    assert first_import("x = time.time()\n", "time").startswith("import time\n")


def test_all_names_that_are_missing_are_imported_at_once():
    program = '"""Doc."""\nimport os\n\nx = math.pi\ny = Counter(os.sep)\nz = own\n'
    wanted = '"""Doc."""\nimport math\nimport os\nfrom collections import Counter\n\n'
    assert first_import(program, "math") == wanted + program.partition("os\n\n")[2]


@pytest.mark.parametrize(
    "program",
    [
        "from a import *\nx = y\n",
        "import a.b as c\nx = c, len, __name__\n",
        "def f(a, *b, **c):\n    return [d for d in (a, b, c, f)]\n",
        "try:\n    x = 1\nexcept OSError as e:\n    print(e)\n",
        "match 1:\n    case {'a': a, **b}:\n        print(a, b)\n    case [*c] | c:\n        print(c)\n",
        "class A:\n    y: int = 1\n\n\nx = A, (z := 2), z\n",
    ],
)
def test_a_name_that_has_a_value_somewhere_is_not_undefined(program):
    assert Source("m.py", program.encode(), Seen()).undefined() == []


def test_names_without_a_value_are_undefined_in_their_order():
    assert Source("m.py", b"x = math.pi\ny = x + json\n", Seen()).undefined() == ["math", "json"]


def test_variables_of_a_comprehension_are_those_of_the_function_around_it():
    program = compile("def f(xs):\n    return sum(len(w) for w in [t for t in xs])\n", "m.py", "exec")
    scope: dict = {}
    exec(program, scope)
    tracer = Tracer(frozenset({"m.py"}))
    tracer.start()
    scope["f"](["a"])
    tracer.stop()
    assert tracer.types["m.py", 1] == {"xs": {"list[str]"}, "t": {"str"}, "w": {"str"}}


def test_a_pattern_that_python_warns_of_is_no_edit():
    """`[\\w--]` may be read as a difference of sets some day; a user is not to be warned of our edits."""
    edits = texts("import re\n" + function("return re.match(r'[\\w-]+@\\w+', x)"))
    assert not any("--" in edit for edit in edits)
    assert any(".+@" in edit or "]*@" in edit for edit in edits)
