# ruff: noqa: E501 - programs under test are kept on one line
"""Edits of programs that are written in another way than most: each is valid, and the repair is among them."""

import pytest

from ddax.evolution.localise import Report, Row
from ddax.evolution.operators import Seen, Source, first_order
from ddax.evolution.program.suites import build_suite
from ddax.evolution.told_by_texts import informed

SEEN = Seen(
    words=("a", "it's", 'say "x"'),
    numbers=(3,),
    complaints=(
        "t: NameError: name 'math' is not defined",
        "t: UnboundLocalError: cannot access local variable 'n' where it is not associated with a value",
        "t: AssertionError: KeyError not raised",
    ),
)
PROGRAMS = {
    "tabs": "def f(x):\n\t'''doc'''\n\tn = 0\n\tdef g():\n\t\tn += x\n\t\treturn n\n\tif x:\n\t\tn = 1\n\telse:\n\t\tn = 2\n\t\tn = 3\n\treturn g()\n",
    "two spaces": "def f(x):\n  if x:\n    y = 1\n  y = 2\n  return y\n",
    "decorators first": "@cache\ndef f(x):\n    @cache\n    def g(y=[]):\n        return math.sqrt(y)\n    return g(x)\n",
    "on one line": "n = 0\ndef f(x, y=[]): return x\nclass A:\n    n = []\n    def __init__(self): self.m = 1\n    def g(self): n += 1; return n\n",
    "no end of the last line": "class A:\n    n = []\n    def __init__(self, x=[]):\n        'doc'",
    "attribute on the last line": "class A:\n    def __init__(self):\n        self.x = 1\n    n = []",
    "lambdas": "def f(xs):\n    for x in xs:\n        yield lambda a, /, *b, c=1, **d: x + a\n        yield lambda *, k: x\n",
    "yields": "def f(xs):\n    yield xs, 1\n    yield\n    (y := xs)\n    yield from (x for x in xs)\n",
    "dataclasses": "import dataclasses as dc\n@dc.dataclass\nclass A:\n    x: list = []\n",
    "joined texts": "def f(d, w):\n    return f'{d[0]}' f\"{d['x']:>{w}}\" 'it' f'{w + 1}'\n",
    "nested texts": "def f(d):\n    return f\"{f'{d}'}\"\n",
    "awaits": "async def f(q):\n    await q.get()\n    async for x in q:\n        q.put(lambda: x)\ndef g(q):\n    q.put(1)\n",
    "several on a line": "def f(x):\n    y = 1; z = 2\n    if x: return y\n    return z\n",
}  # fmt: skip


def results(text, seen=SEEN):
    """Return the programs that the edits of one make."""
    listed = first_order(Source("m.py", text.encode(), seen), {})
    return [edit.apply(text.encode()).decode() for _, edit in listed]


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_every_edit_is_valid_python(text):
    made = results(text)
    assert made
    for program in made:
        compile(program, "m.py", "exec")


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("@cache\ndef f():\n    return math.pi\n", "import math\n\n\n@cache\ndef f():\n    return math.pi\n"),
        ("n = 0\ndef f():\n\tn += 1\n", "n = 0\ndef f():\n\tglobal n\n\tn += 1\n"),
        ("def f():\n    n = 0\n    def g():\n        n += 1\n", "def f():\n    n = 0\n    def g():\n        nonlocal n\n        n += 1\n"),
        ("n = 0\ndef f():\n    '''d'''\n    n += 1\n", "n = 0\ndef f():\n    '''d'''\n    global n\n    n += 1\n"),
        ("import dataclasses as dc\n@dc.dataclass\nclass A:\n    x: list = []\n", "import dataclasses as dc\n@dc.dataclass\nclass A:\n    x: list = dc.field(default_factory=list)\n"),
        ("from dataclasses import asdict as ad, dataclass\n@dataclass\nclass A:\n    x: list = []\n", "from dataclasses import asdict as ad, dataclass, field\n@dataclass\nclass A:\n    x: list = field(default_factory=list)\n"),
        ("def f(x=[]):\n    @cache\n    def g():\n        pass\n    return x\n", "def f(x=None):\n    if x is None:\n        x = []\n    @cache\n    def g():\n        pass\n    return x\n"),
        ("class A:\n    n = []\n    def __init__(self):\n        'doc'", "class A:\n    def __init__(self):\n        'doc'\n        self.n = []\n"),
        ("class A(B):\n    def __init__(self, x):\n        'doc'", "class A(B):\n    def __init__(self, x):\n        'doc'\n        super().__init__(x)\n"),
        ("for i in x:\n    g(lambda *a: i)\n", "for i in x:\n    g(lambda *a, i=i: i)\n"),
        ("for i in x:\n    g(lambda a, *, k: i)\n", "for i in x:\n    g(lambda a, i=i, *, k: i)\n"),
        ("def f(x):\n\tif x:\n\t\ty = 1\n\treturn y\n", "def f(x):\n\tif x:\n\t\ty = 1\n\t\treturn y\n"),
        ("def f(d):\n    return 'a' f\"{d['x']}\"\n", "def f(d):\n    return 'a' f\"{d['a']}\"\n"),
    ],
)  # fmt: skip
def test_the_repair_is_among_the_edits(wrong, right):
    assert right in results(wrong)


@pytest.mark.parametrize(
    ("wrong", "not_made"),
    [
        ("n = 0\ndef f():\n    n += 1\ndef g():\n    return 1\n", "def g():\n    global n"),
        ("n = 0\ndef f():\n    n += 1\n", "nonlocal"),
        ("class A(B):\n    def __init__(self):\n        B.__init__(self)\n", "super()"),
        ("async def f(q):\n    await q.get()\ndef g(q):\n    q.put(1)\n", "def g(q):\n    await"),
        ("def f():\n    return sys.argv\n", "from os import sys"),
    ],
)  # fmt: skip
def test_an_edit_that_says_nothing_is_not_made(wrong, not_made):
    seen = Seen(complaints=(*SEEN.complaints, "t: NameError: name 'sys' is not defined"))
    assert not any(not_made in program for program in results(wrong, seen))


@pytest.mark.parametrize(
    ("complaint", "name"),
    [
        ("t: AssertionError: KeyError not raised", "KeyError"),
        ("t: AssertionError: KeyError not raised by f", "KeyError"),
        ("t: Failed: DID NOT RAISE KeyError", "KeyError"),
        ("t: Failed: DID NOT RAISE <class 'KeyError'>", "KeyError"),
        ("t: Failed: DID NOT RAISE <class 'kit.errors.Closed'>", "Closed"),
        ("t: Failed: DID NOT RAISE any of (<class 'KeyError'>, <class 'ValueError'>)", None),
        ("t: Failed: DID NOT RAISE any exception", None),
    ],
)
def test_what_a_test_waits_for_in_vain_is_raised(complaint, name):
    made = results("def f(x):\n    return x\n", Seen(complaints=(complaint,)))
    raised = {line.split()[1] for text in made for line in text.splitlines() if "raise " in line}
    assert raised == ({name} if name else set())


def test_quotes_are_those_of_most_texts_and_docstrings_do_not_count():
    text = '"""One "word" of it."""\n\n\ndef f(d):\n    """Two."""\n    return d["a"], d["b"], "it\'s"\n'
    assert any('d["a"], d[""]' in program for program in results(text))
    single = '"""One "word" of it."""\n\n\ndef f(d):\n    """Two."""\n    return d[\'a\'], d[\'b\']\n'
    assert any("d['a'], d['']" in program for program in results(single))


def test_a_format_is_changed_in_each_way_once():
    listed = first_order(Source("m.py", b"x = f'{y:.0f}'\n", Seen()), {})
    made = [edit.text for _, edit in listed if edit.operator == "format"]
    assert ".1f" in made
    assert ".0f" not in made
    assert len(made) == len(set(made))


def test_parameters_by_place_alone_are_known_too():
    program = "class A:\n    def __init__(self, a, /, b):\n        self.a = a, b\n\n\ndef f(c, /, d):\n    return c\n"
    suite = build_suite({"m.py": program}, ["m.py"], {"t.py": "def test_a():\n    assert f(1, 2)\n"})
    row = Row(0, "error", "NameError", "name 'f' is not defined", "", 0, 0, 1)
    parameters = informed(Seen(), suite, Report("run", "", (row,))).parameters
    assert parameters["A"] == ("a", "b")
    assert parameters["f"] == ("c", "d")
