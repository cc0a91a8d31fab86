# ruff: noqa: E501 - programs under test are kept on one line
"""Edits of what programs of several functions, classes and files hold."""

import ast

import pytest

from ddax.evolution.localise import Report, Row
from ddax.evolution.operators import Edit, Seen, Source, first_order
from ddax.evolution.program.definitions import behind
from ddax.evolution.program.suites import build_suite
from ddax.evolution.search import Partial
from ddax.evolution.told_by_texts import informed

CLASS = "class A:\n    def __init__(self):\n        self.n = 0\n        self.log = []\n\n"
NUMBERS = Seen(
    {("m.py", 6): {"self": frozenset({"A"}), "x": frozenset({"int"}), "self.n": frozenset({"int"}), "self.log": frozenset({"list"})}}
)  # fmt: skip


def texts(wrong, seen=None):
    """Return what every edit makes of a program, as dumps of its tree."""
    source = Source("m.py", wrong.encode(), seen or Seen())
    return {ast.dump(ast.parse(e.apply(wrong.encode()))) for _, e in first_order(source, {})}


@pytest.mark.parametrize(
    ("wrong", "right", "seen"),
    [
        ("f'{x:04d}'\n", "f'{x:05d}'\n", None),
        ("f'{x:.2f}'\n", "f'{x:,.2f}'\n", None),
        ("def f(a, b):\n    return f'{a}'\n", "def f(a, b):\n    return f'{b}'\n", None),
        ("def f(p):\n    return open(p, 'w')\n", "def f(p):\n    return open(p, 'a')\n", None),
        ("import re\nP = re.compile('a', re.IGNORECASE)\n", "import re\nP = re.compile('a', re.IGNORECASE | re.MULTILINE)\n", None),
        ("import re\nP = re.compile('a')\n", "import re\nP = re.compile('a', flags=re.DOTALL)\n", None),
        ("def f(x):\n    return x.rstrip('.py')\n", "def f(x):\n    return x.removesuffix('.py')\n", None),
        ("def f(d):\n    d.popitem()\n", "def f(d):\n    d.popitem(last=False)\n", None),
        ("def f(a, b):\n    a + b\n", "def f(a, b):\n    return a + b\n", None),
        ("def f(a, to=[]):\n    to.append(a)\n    return to\n", "def f(a, to=None):\n    if to is None:\n        to = []\n    to.append(a)\n    return to\n", None),
        ("class A:\n    x = {}\n\n    def __init__(self):\n        self.y = 1\n", "class A:\n\n    def __init__(self):\n        self.x = {}\n        self.y = 1\n", None),
        ("from dataclasses import dataclass\n\n\n@dataclass\nclass A:\n    x: list = []\n", "from dataclasses import dataclass, field\n\n\n@dataclass\nclass A:\n    x: list = field(default_factory=list)\n", None),
        ("class A:\n    def __init__(self, n):\n        self.n = n\n\n\nclass B(A):\n    def __init__(self, n, m):\n        self.m = m\n", "class A:\n    def __init__(self, n):\n        self.n = n\n\n\nclass B(A):\n    def __init__(self, n, m):\n        super().__init__(n)\n        self.m = m\n", None),
        ("def f(xs):\n    for x in xs:\n        if x:\n            g(x)\n    xs = 1\n", "def f(xs):\n    for x in xs:\n        if x:\n            g(x)\n            xs = 1\n", None),
        ("def f(xs):\n    out = []\n    for x in xs:\n        out.append(lambda: x)\n    return out\n", "def f(xs):\n    out = []\n    for x in xs:\n        out.append(lambda x=x: x)\n    return out\n", None),
        ("def f():\n    return d(list)\n", "def f():\n    return d(set)\n", None),
        ("def f(t):\n    return tuple(t.split('.'))\n", "def f(t):\n    return tuple(map(int, t.split('.')))\n", None),
        ("def f(t):\n    return (x for x in t)\n", "def f(t):\n    return [x for x in t]\n", None),
        ("A = {}\n\n\ndef f():\n    x = A\n    return x\n", "A = {}\n\n\ndef f():\n    x = A.copy()\n    return x\n", None),
        (CLASS + "    def f(self, x):\n        n = x + 1\n", CLASS + "    def f(self, x):\n        self.n = x + 1\n", NUMBERS),
        (CLASS + "    def f(self, x):\n        return x\n", CLASS + "    def f(self, x):\n        return self.n\n", NUMBERS),
        (CLASS + "    def f(self, x):\n        return x\n", CLASS + "    def f(self, x):\n        if self.n == 0:\n            return x\n        return x\n", NUMBERS),
        (CLASS + "    def f(self):\n        return 1\n\n    def g(self):\n        self.log.clear()\n", CLASS + "    def f(self):\n        self.log.clear()\n        return 1\n\n    def g(self):\n        self.log.clear()\n", Seen({("m.py", 6): {"self": frozenset({"A"})}})),
        ("LIMIT = 600\n", "LIMIT = 60\n", Seen(numbers=(60,))),
        ("def f(xs):\n    return ','.join(xs)\n", "def f(xs):\n    return '; '.join(xs)\n", Seen(words=("a; b",))),
        ("def f(c):\n    return S.ON\n", "def f(c):\n    return S.OFF\n", Seen(classes={"S": ("ON", "OFF")})),
        ("def f(x, n):\n    return g(x)\n", "def f(x, n):\n    return g(x, n=n)\n", Seen(parameters={"g": ("x", "n")})),
        ("def f(x):\n    return x\n", "def f(x):\n    if x is None:\n        raise ValueError\n    return x\n", Seen(complaints=("AssertionError: DID NOT RAISE <class 'ValueError'>",))),
    ],
)  # fmt: skip
def test_the_repair_is_among_the_edits(wrong, right, seen):
    assert ast.dump(ast.parse(right)) in texts(wrong, seen)


@pytest.mark.parametrize(
    ("wrong", "right", "complaint"),
    [
        ("x = math.pi\n", "import math\nx = math.pi\n", "NameError: name 'math' is not defined"),
        ("x = defaultdict(list)\n", "from collections import defaultdict\nx = defaultdict(list)\n", "NameError: name 'defaultdict' is not defined"),
        ("x = Engine()\n", "from kit.core import Engine\nx = Engine()\n", "NameError: name 'Engine' is not defined"),
        ("from kit.core import Engin\nx = Engin()\n", "from kit.core import Engine as Engin\nx = Engin()\n", "ImportError: cannot import name 'Engin' from 'kit.core' (core.py)"),
        ("from kit.run import Engine\n", "from kit.core import Engine\n", "ImportError: cannot import name 'Engine' from 'kit.run' (run.py)"),
        ("from kit.cor import Engine\n", "from kit.core import Engine\n", "ModuleNotFoundError: No module named 'kit.cor'"),
        ("import datetime\nx = datetime.now()\n", "from datetime import datetime\nx = datetime.now()\n", "AttributeError: module 'datetime' has no attribute 'now'"),
        ("from datetime import datetime, timedelta\n", "import datetime\nfrom datetime import timedelta\n", "AttributeError: type object 'datetime.datetime' has no attribute 'date'"),
        ("n = 0\n\n\ndef f():\n    n += 1\n", "n = 0\n\n\ndef f():\n    global n\n    n += 1\n", "UnboundLocalError: cannot access local variable 'n' where it is not associated with a value"),
        ("def f(x):\n    return x.lenght\n", "def f(x):\n    return x.length\n", "AttributeError: 'A' object has no attribute 'lenght'"),
    ],
)  # fmt: skip
def test_what_a_test_says_is_not_there_is_brought_in_or_called_by_its_name(wrong, right, complaint):
    seen = Seen(
        complaints=(complaint,),
        exports={"kit.core": ("Engine",), "kit.run": ("boosted",)},
        classes={"A": ("length",)},
    )
    assert ast.dump(ast.parse(right)) in texts(wrong, seen)
    assert ast.dump(ast.parse(right)) not in texts(wrong, Seen(complaints=("KeyError: 'x'",)))


def test_a_definition_behind_a_suspected_line_is_suspected_too():
    trees = {
        "a.py": ast.parse("LIMIT = 1\nTABLE = {\n    'x': LIMIT,\n}\nOTHER = 2\n"),
        "b.py": ast.parse(
            "from a import TABLE\n\n\ndef f():\n    return TABLE\n\n\nclass C:\n    @property\n    def g(self):\n        return 1\n"
        ),
    }
    found = behind(trees, {("b.py", 5): 1.0}, {"g"})
    assert found["a.py", 2] == found["a.py", 4] == pytest.approx(0.8)
    assert found["a.py", 1] == pytest.approx(0.64)
    assert found["b.py", 9] == found["b.py", 10] == pytest.approx(0.8)
    assert ("a.py", 5) not in found
    assert ("b.py", 11) not in found
    assert ("b.py", 5) not in found


def test_texts_of_program_and_tests_tell_what_there_is_to_be_used():
    files = {"kit/__init__.py": "", "kit/core.py": "LIMIT = 3\n\n\nclass A:\n    ON = 1\n\n    def __init__(self, n, *, by=2):\n        self.n = n\n\n    def go(self, far):\n        return far\n", "bad.py": "def f(:\n"}  # fmt: skip
    suite = build_suite(files, ["kit/core.py"], {"t.py": "def test_a():\n    assert f('x') == 60\n"})
    rows = (Row(0, "error", "NameError", "name 'f' is not defined", "", 0, 0, 1),)
    seen = informed(Seen(), suite, Report("run", "", rows))
    assert seen.words == ("x",)
    assert seen.numbers == (60,)
    assert seen.complaints == ("NameError: name 'f' is not defined",)
    assert seen.exports["kit.core"] == ("LIMIT", "A")
    assert seen.classes == {"A": ("ON", "__init__", "go")}
    assert seen.parameters["A"] == ("n", "by")
    assert seen.parameters["go"] == ("far",)


def test_a_misspelt_name_is_tried_first():
    seen = Seen(complaints=("NameError: name 'valeus' is not defined",))
    wrong = b"def f(other, values):\n    return len(valeus)\n"
    first = first_order(Source("m.py", wrong, seen), {})[0][1]
    assert first.apply(wrong) == wrong.replace(b"valeus", b"values")


def test_no_edit_puts_the_quote_of_an_f_string_into_it():
    for text in (b"x = f'{len(a)} {b[0]}'\n", b'x = f"{len(a)} {b[0]}"\n'):
        edits = [edit for _, edit in first_order(Source("m.py", text, Seen(words=("a", "it's"))), {})]
        inner = [edit for edit in edits if text.index(b"{") < edit.start < edit.end < text.rindex(b"}")]
        assert inner, "something within is edited"
        quote = text[5:6]
        assert all(quote not in edit.text.encode() and b"\\" not in edit.text.encode() for edit in inner)
        assert all(ast.parse(edit.apply(text)) for edit in edits)


def test_new_text_has_the_quotes_of_its_file_and_no_second_parentheses():
    wrong = b'def f(a):\n    if g("x", "y") and (a or a == "b"):\n        return a\n    return "w"\n'
    kinds = Seen({("m.py", 1): {"a": frozenset({"str"})}}, words=("z",))
    new = {e.apply(wrong) for _, e in first_order(Source("m.py", wrong, kinds), {})}
    assert wrong.replace(b"a or a", b"a and a") in new
    assert b'def f(a):\n    if not a:\n        return "z"\n' + wrong.split(b"\n", 1)[1] in new


def test_a_text_of_the_tests_is_no_early_answer_of_what_returns_numbers():
    wrong, seen = b"def f(x):\n    return 1\n", Seen(words=("Zorro",))
    new = {e.apply(wrong) for _, e in first_order(Source("m.py", wrong, seen), {})}
    assert any(b"return 0" in text for text in new) and not any(b"return 'Zorro'" in text for text in new)


def test_one_partial_repair_follows_another_where_they_do_not_meet():
    def partial(path, start, end, text):
        return Partial(0.0, Edit(path, start, end, text, "name", 0.0, 1), 1)

    first = partial("a.py", 4, 6, "long")
    assert partial("a.py", 8, 9, "z").after(first) == Edit("a.py", 10, 11, "z", "name", 0.0, 1)
    assert partial("a.py", 0, 4, "z").after(first) == Edit("a.py", 0, 4, "z", "name", 0.0, 1)
    assert partial("b.py", 5, 6, "z").after(first) == Edit("b.py", 5, 6, "z", "name", 0.0, 1)
    assert partial("a.py", 5, 9, "z").after(first) is None


def test_a_key_within_an_f_string_is_mended_with_the_quotes_that_are_left():
    for wrong in ('k = ("host", "a")\nx = f"{s[\'name\']}"\n', "k = ('host', 'a')\nx = f'{s[\"name\"]}'\n"):
        right = wrong.replace("name", "host")
        listed = first_order(Source("m.py", wrong.encode(), Seen()), {})
        assert right in {e.apply(wrong.encode()).decode() for _, e in listed}


def test_a_value_of_an_f_string_is_edited_however_it_is_spelt():
    for text, value in (
        ('f"{a+b} s"', "a+b"),
        ("f'{a[\"x\"]}'", 'a["x"]'),
        ('f"{a:>{b+1}}"', "b+1"),
        ('f"{g(a,b)}"', "g(a,b)"),
        ('f"{(a-b)*2}"', "(a-b)*2"),
    ):
        wrong = f"def f(a, b):\n    return {text}\n"
        start = wrong.index(value, wrong.index("{"))
        new = [e for _, e in first_order(Source("m.py", wrong.encode(), Seen()), {}) if e.start == start]
        whole = {e.apply(wrong.encode()).decode() for e in new if e.end == start + len(value)}
        assert len(whole) > 10, f"{value} is edited as a whole"
        assert all(ast.parse(one) for one in whole)


def test_a_value_of_an_f_string_is_written_by_its_repr_or_no_longer_so():
    wrong = b'def f(a, b):\n    return f"{a!r}: {b:>4}"\n'
    listed = {
        e.apply(wrong)
        for _, e in first_order(Source("m.py", wrong, Seen()), {})
        if e.operator == "conversion"
    }
    assert listed == {wrong.replace(b"!r", b""), wrong.replace(b"{b:", b"{b!r:")}
