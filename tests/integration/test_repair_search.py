# ruff: noqa: E501 - programs under test are kept on one line
"""Repairs without a model, end to end in the real sandbox."""

import os
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest

from ddax.configs.settings import Evolution
from ddax.errors import SourceError
from ddax.evolution import RepairTask, repair, run_tests
from ddax.evolution.baseline import measure
from ddax.evolution.evaluator import CodeEvaluator
from ddax.evolution.program.suites import build_suite
from ddax.evolution.sandbox import Limits, choose

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap"),
]

BASKET = '''"""A basket."""

from shop.money import rounded


class Basket:
    """Holds prices."""

    def __init__(self):
        self.prices = []   # in cents

    def add(self, price, count=1):
        for _ in range(count - 1):   # one for each
            self.prices.append(price)

    def total(self):
        return rounded(sum(self.prices))
'''
MONEY = "def rounded(x):\n    return int(round(x))\n"
TESTS = """
import unittest
from shop.basket import Basket

class TestBasket(unittest.TestCase):
    def setUp(self):
        self.basket = Basket()

    def test_one(self):
        self.basket.add(5)
        self.assertEqual(self.basket.total(), 5)

    def test_three(self):
        self.basket.add(2, 3)
        self.assertEqual(self.basket.total(), 6)

    def test_empty(self):
        self.assertEqual(self.basket.total(), 0)
"""


@pytest.fixture(scope="module")
def sandbox():
    return choose()


async def mend(sandbox, files, targets, tests, **options):
    task = RepairTask(files, tuple(targets), tests, **options)
    return await best(task, sandbox, seconds=120.0)


async def best(task, sandbox, *, seconds, clock=time.monotonic):
    settings, rng = Evolution(seconds=seconds), np.random.default_rng(0)
    return (await repair(task, settings=settings, rng=rng, clock=clock, sandbox=sandbox)).best()


async def test_a_package_with_unittest_is_repaired_and_the_rest_kept(sandbox, tmp_path):
    files = {"shop/__init__.py": "", "shop/money.py": MONEY, "shop/basket.py": BASKET}
    found = await mend(sandbox, files, ["shop/money.py", "shop/basket.py"], {"test_basket.py": TESTS})
    assert found.patched
    assert found.score == 100.0
    assert found.tests_before == (1, 3)
    assert found.tests_after == (3, 3)
    assert found.trust == "separate"
    assert found.files["shop/money.py"] == MONEY
    assert "# in cents" in found.files["shop/basket.py"]
    assert "# one for each" in found.files["shop/basket.py"]
    changed = [
        a
        for a, b in zip(BASKET.splitlines(), found.files["shop/basket.py"].splitlines(), strict=False)
        if a != b
    ]
    assert len(changed) <= 2
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "basket.py").write_text(BASKET)
    subprocess.run(["patch", "-p1", "-s"], input=found.diff, text=True, cwd=tmp_path, check=True)
    assert (tmp_path / "shop" / "basket.py").read_text() == found.files["shop/basket.py"]


async def test_the_same_seed_gives_the_same_patch(sandbox):
    files = {"m.py": "def top(xs, k):\n    return sorted(xs)[:k]\n"}
    tests = {
        "t.py": "assert top([1, 3, 2], 2) == [3, 2]\nassert top([5], 1) == [5]\nassert top([1, 2], 0) == []\n"
    }
    results = [await mend(sandbox, files, ["m.py"], tests) for _ in range(2)]
    assert results[0].patched
    assert results[0].diff == results[1].diff
    assert results[0].tried == results[1].tried


async def test_a_condition_is_mended_rather_than_settled_or_dropped(sandbox):
    # `str(xs) == 0` or no condition at all passes too, but then nothing takes the first branch any more.
    files = {"m.py": "def bill(xs):\n    return 0 if abs(xs) == 0 else sum(xs) + 1\n"}
    found = await mend(
        sandbox, files, ["m.py"], {"t.py": "assert bill([1, 2]) == 4\nassert bill([5]) == 6\n"}
    )
    assert found.patched
    space = {}
    exec(found.files["m.py"], space)
    assert space["bill"]([]) == 0


@pytest.mark.long
async def test_an_endless_loop_is_repaired(sandbox):
    files = {
        "m.py": "def digits(n):\n    found = []\n    while n:\n        found.append(n % 10)\n    return found\n"
    }
    tests = {"t.py": "assert digits(0) == []\nassert digits(7) == [7]\nassert digits(120) == [0, 2, 1]\n"}
    found = await mend(sandbox, files, ["m.py"], tests)
    assert found.patched
    assert "n //= 10" in found.files["m.py"]


async def test_two_edits_are_found(sandbox):
    files = {"m.py": "def span(xs):\n    return min(xs) - max(xs) + 1\n"}
    tests = {"t.py": "assert span([1, 5]) == 4\nassert span([3]) == 0\nassert span([2, 9, 4]) == 7\n"}
    found = await mend(sandbox, files, ["m.py"], tests)
    assert found.patched


async def test_held_out_tests_judge_what_was_found(sandbox):
    files = {"m.py": "def double(x):\n    return x + 2\n"}
    tests = {
        "t.py": "assert double(1) == 2\nassert double(5) == 10\nassert double(0) == 0\nassert double(-4) == -8\n"
    }
    found = await mend(sandbox, files, ["m.py"], tests, held_out=("t.py::2", "t.py::4"))
    assert found.patched
    assert found.held_out[1] == 2
    assert "held-out" in found.caveats[0]


async def test_nothing_to_repair_and_nothing_found_are_said(sandbox):
    files = {"m.py": "def one():\n    return 1\n"}
    fine = await mend(sandbox, files, ["m.py"], {"t.py": "assert one() == 1\n"})
    assert not fine.patched
    assert fine.reasoning == "nothing to repair"
    never = await mend(sandbox, files, ["m.py"], {"t.py": "assert one() == 1 and one() == 2\n"})
    assert not never.patched
    assert never.trust == "none"
    assert never.files == files
    with pytest.raises(SourceError, match="held out"):
        await mend(sandbox, files, ["m.py"], {"t.py": "assert one() == 2\n"}, held_out=("t.py::1",))


def test_the_scale_of_the_evaluator(sandbox):
    tests = {
        "t.py": "from m import f\n\ndef test_a():\n    assert f(1) == 2\n\ndef test_b():\n    assert f(2) == 4\n"
    }
    suite = build_suite({"m.py": "def f(x):\n    return x\n"}, ["m.py"], tests)
    texts = {
        "syntax": "def f(x:\n", "import": "import nowhere\n", "loop": "def f(x):\n    while True:\n        pass\n",
        "name": "def f(x):\n    return y\n", "deep": "def f(x):\n    return g(x)\n\ndef g(x):\n    return x[0]\n",
        "none": "def f(x):\n    return 0\n", "half": "def f(x):\n    return 2\n", "all": "def f(x):\n    return 2 * x\n",
    }  # fmt: skip
    with CodeEvaluator(sandbox, suite, limits=Limits(cpu=1.0, wall=3.0)) as evaluator:
        scores = {name: evaluator.evaluate({"m.py": text}, ticks=1000).score for name, text in texts.items()}
        assert evaluator.confirm({"m.py": texts["all"]}).score == 100.0
        assert evaluator.confirm({"m.py": texts["half"]}).score == 50.0
    assert scores["syntax"] == 0
    assert scores["import"] == 10
    assert scores["loop"] == 15
    assert 20 <= scores["name"] < scores["deep"] <= 30
    assert scores["none"] == 40
    assert scores["half"] == 50
    assert scores["all"] == 99


@pytest.fixture(scope="module")
def first_hash():
    """Return how the search hashes a text."""
    return subprocess.check_output(
        [sys.executable, "-c", "print(hash('a'))"], env={**os.environ, "PYTHONHASHSEED": "0"}, text=True
    ).strip()


def confirmed(sandbox, tests, program, changed):
    """Return the scores of changed programs, confirmed."""
    suite = build_suite({"m.py": program}, ["m.py"], {"t.py": f"from m import f\n\n{tests}"})
    with CodeEvaluator(sandbox, suite, limits=Limits(cpu=1.0, wall=3.0)) as evaluator:
        return [evaluator.confirm({"m.py": text}).score for text in changed]


def test_what_holds_for_one_order_of_a_set_only_is_not_confirmed(sandbox, first_hash):
    lucky = f"def f(x):\n    return x + (hash('a') == {first_hash})\n"
    right = "def f(x):\n    return x + 1\n"
    tests = "def test_a():\n    assert f(1) == 2\n"
    assert confirmed(sandbox, tests, "def f(x):\n    return x\n", [lucky, right]) == [40.0, 100.0]


def test_a_test_that_fails_of_another_order_before_the_repair_too_says_nothing_against_it(
    sandbox, first_hash
):
    tests = (
        "def test_a():\n    assert f(1) == 2\n\n"
        f"def test_b():\n    assert hash('a') == {first_hash} or f(0) == 9\n"
    )
    program = "def f(x):\n    return x\n"
    right, lost = program.replace("x\n", "2 * x\n"), program.replace("return x", "return 3 * x")
    assert confirmed(sandbox, tests, program, [right, lost]) == [100.0, 50.0]


async def test_what_measuring_takes_is_part_of_the_time(sandbox):
    task = RepairTask(
        {"p.py": "def f(x):\n    return x - 1\n"}, ("p.py",), {"t.py": "from p import f\nassert f(1) == 2\n"}
    )
    times = iter([0.0])  # the attempt begins; when it has measured the program, its time is over

    def late():
        return next(times, 19.0)

    found = await best(task, sandbox, seconds=20.0, clock=late)
    assert (found.patched, found.tried, found.seconds) == (False, 0, 19.0)


def test_the_action_test_runs_what_needs_pytest_itself(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "prog.py").write_text("def save(path):\n    path.write_text('x')\n")
    (tmp_path / "tests" / "conftest.py").write_text(
        "import pytest\n\n@pytest.fixture\ndef place(tmp_path):\n    return tmp_path / 'a.txt'\n"
    )
    (tmp_path / "tests" / "test_prog.py").write_text(
        "from prog import save\n\ndef test_save(place):\n    save(place)\n    assert place.read_text() == 'x'\n"
    )
    found, total = run_tests.evaluate(run_tests.RunTestsArguments(root=str(tmp_path)))
    assert (found.passed, total) == (1, 1), found.report


@pytest.mark.parametrize("more", ["", "import os\ndef test_flaky():\n    assert os.getpid() % 2\n"])
@pytest.mark.parametrize("hold_out", [False, True])
async def test_what_is_held_out_stays_so(sandbox, more, hold_out):
    tests = "from prog import add\n" + "".join(
        f"def test_{i}():\n    assert add({i}, 1) == {i + 1}\n" for i in range(10)
    )
    held = ("test_p.py::test_8", "test_p.py::test_9")
    found = await mend(
        sandbox, {"prog.py": "def add(a, b):\n    return a - b\n"}, ["prog.py"], {"test_p.py": tests + more},
        held_out=held, hold_out=hold_out,
    )  # fmt: skip
    passed, all_held = found.held_out
    assert passed == all_held
    assert all_held >= 3 if hold_out else all_held == 2
    assert found.tests_after[1] + all_held == 10


@pytest.mark.parametrize(
    ("program", "test", "score"),
    [("def f(x)\n", "assert f(1) == [[7]]\n", 0.0), ("1 / 0\n", "assert f(1)\n", 10.0),
     ("def f(x):\n    return x\n", "assert f(1) == 1\n", 99.0), ("def f(x): ...\n", "assert g(1)\n", 20.0)],
)  # fmt: skip
async def test_a_program_that_is_not_mended_keeps_its_score(sandbox, program, test, score):
    task = RepairTask({"m.py": program}, ("m.py",), {"t.py": test})
    found = await best(task, sandbox, seconds=0.5)
    assert (found.patched, found.score) == (False, score)


def test_many_tests_of_long_functions_leave_a_trace(sandbox):
    body = "".join(f"    x = x + {i}\n    x = x - {i}\n" for i in range(400))
    program = f"def f(x):\n{body}    return x + 1\n\n\ndef g(x):\n    return x * 3\n"
    tests = (
        "from m import f, g\n"
        + "".join(f"assert f({i}) == {i + 1}\n" for i in range(80))
        + "assert g(2) == 4\n"
    )
    suite = build_suite({"m.py": program}, ["m.py"], {"t.py": tests})
    with CodeEvaluator(sandbox, suite, limits=Limits()) as evaluator:
        assert {line for _, line in measure(evaluator).suspects} == {805, 806}


async def test_a_repair_of_many_names_ends_in_its_time(sandbox):
    names = [f"v{i}" for i in range(40)]
    lines = "".join(f"    if v{i} > v{i + 1}:\n        v{i} = v{i + 2} + 1\n" for i in range(30))
    files = {"m.py": f"def f({', '.join(names)}):\n{lines}    return v0 - v1\n"}
    tests = {"t.py": f"assert f({', '.join(map(str, range(40)))}) == 1000003\n"}
    task = RepairTask(files, ("m.py",), tests)
    found = await best(task, sandbox, seconds=5.0)
    assert not found.patched and found.out_of_time
    assert found.tried > 0
    assert found.seconds < 10.0


async def test_two_faults_in_two_files_are_mended_together(sandbox):
    files = {
        "kit/__init__.py": "",
        "kit/clean.py": "def words(text):\n    return [w.strip('.,') for w in text.split()]\n",
        "kit/count.py": "from kit.clean import words\n\n\ndef table(text):\n    found = {}\n    for word in words(text):\n        found[word] = found.get(word, 1) + 1\n    return found\n",
    }
    tests = "from kit.clean import words\nfrom kit.count import table\n\n\ndef test_words():\n    assert words('Hi, you. HI') == ['hi', 'you', 'hi']\n\n\ndef test_table():\n    assert table('a b a') == {'a': 2, 'b': 1}\n"
    found = await mend(sandbox, files, ["kit/clean.py", "kit/count.py"], {"test_kit.py": tests})
    assert found.patched
    assert {path for path in files if found.files[path] != files[path]} == {"kit/clean.py", "kit/count.py"}
    assert found.diff.count("+++ b/") == 2
    assert "kit/clean.py line 2" in found.hypothesis and "kit/count.py line 7" in found.hypothesis


async def test_two_faults_of_which_one_shows_only_behind_the_other_are_mended_soon(sandbox):
    files = {
        "shop/price.py": "def with_tax(net, rate):\n    return round(net * (1 - rate), 2)\n\n\ndef subtotal(lines):\n    total = 0\n    for price, count in lines:\n        total += price * count\n    return total\n",
        "shop/discount.py": "def discount(total, threshold=100):\n    if total > threshold:\n        return total * 0.9\n    return total\n",
        "shop/order.py": "from shop.discount import discount\nfrom shop.price import subtotal, with_tax\n\n\ndef invoice(lines, rate=0.2):\n    return with_tax(discount(subtotal(lines)), rate)\n",
    }
    tests = {
        "t.py": "from shop.order import invoice\nfrom shop.price import with_tax\n\ndef test_a():\n    assert with_tax(10, 0.2) == 12\n\ndef test_b():\n    assert with_tax(8, 0.5) == 12\n\ndef test_c():\n    assert invoice([(50, 2)]) == 108\n\ndef test_d():\n    assert invoice([(60, 2)]) == 129.6\n\ndef test_e():\n    assert invoice([(5, 2)], 0.0) == 10\n"
    }
    found = await mend(sandbox, files, files, tests, hold_out=False)
    assert found.patched
    assert "total >= threshold" in found.files["shop/discount.py"]
    assert "1 + rate" in found.files["shop/price.py"]
    assert found.tried < 2500


async def test_a_constant_of_the_module_is_mended_by_a_number_of_the_tests(sandbox):
    files = {"m.py": "LIMIT = 600\n\n\nclass Delay:\n    def of(self, n):\n        return min(LIMIT, 2**n)\n"}
    tests = "import pytest\nfrom m import Delay\n\n\nclass TestDelay:\n    @pytest.mark.parametrize('n, want', [(0, 1), (5, 32), (8, 60), (9, 60)])\n    def test_of(self, n, want):\n        assert Delay().of(n) == want\n"
    found = await mend(sandbox, files, ["m.py"], {"test_m.py": tests})
    assert found.patched
    assert found.files["m.py"] == files["m.py"].replace("600", "60")


async def test_where_failing_tests_ran_none_of_the_program_all_of_it_is_suspected(sandbox):
    files = {
        "m.py": "def named(name):\n    def wrap(f):\n        f.name = name\n\n    return wrap\n\n\n@named('two')\ndef double(x):\n    return 2 * x\n"
    }
    tests = "from m import double\n\n\ndef test_double():\n    assert double(3) == 6\n    assert double.name == 'two'\n"
    found = await mend(sandbox, files, ["m.py"], {"test_m.py": tests})
    assert found.patched
    assert "+        return f\n" in found.diff


async def test_a_fault_behind_an_import_that_is_missing_is_mended_with_it(sandbox):
    point = '"""Points."""\n\nfrom math import hypot\n\n\n@dataclass\nclass Point:\n    x: float\n    y: float\n\n    def moved(self, dx, dy):\n        return Point(self.x + dx, self.y + dy + 2)\n\n    def length(self):\n        return hypot(self.x, self.y)\n'
    tests = "from m import Point\n\ndef test_moved():\n    assert Point(1, 2).moved(3, 4) == Point(4, 6)\n\ndef test_length():\n    assert Point(0, 0).moved(3, 4).length() == 5\n"
    found = await mend(sandbox, {"m.py": point}, ["m.py"], {"test_m.py": tests})
    assert found.patched
    imported = point.replace("from math", "from dataclasses import dataclass\nfrom math")
    assert found.files["m.py"] == imported.replace("dy + 2", "dy")
    assert found.tried < 1000


async def test_several_imports_that_are_missing_are_brought_in_one_after_the_other(sandbox):
    job = '"""Jobs."""\n\n\nclass Kind(Enum):\n    A = 1\n    B = 2\n\n\n@dataclass\nclass Job:\n    name: str\n    kind: Kind = Kind.A\n\n    def weight(self):\n        return math.floor(1.6 * self.kind.value)\n'
    tests = "from m import Job, Kind\n\ndef test_job():\n    assert Job('x').kind is Kind.A\n    assert Job('x', Kind.B).weight() == 3\n"
    found = await mend(sandbox, {"m.py": job}, ["m.py"], {"test_m.py": tests})
    assert found.patched
    brought = "import math\nfrom dataclasses import dataclass\nfrom enum import Enum\n"
    assert found.files["m.py"] == job.replace('"""\n\n\nclass Kind', f'"""\n\n{brought}\n\nclass Kind')


def test_a_test_that_waits_for_ever_is_named_and_the_others_count(sandbox):
    tests = "import time\nfrom m import one\n\ndef test_a():\n    assert one() == 1\n\ndef test_b():\n    time.sleep(60)\n"
    task = RepairTask({"m.py": "def one():\n    return 1\n"}, ("m.py",), {"t.py": tests})
    with CodeEvaluator(sandbox, task.suite(), limits=Limits(wall=4.0)) as evaluator:
        rows = evaluator.run({}, cpu=3.0).rows
    assert [(row.kind, row.path) for row in rows] == [("pass", ""), ("timeout", "")]
