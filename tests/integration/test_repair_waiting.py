"""A candidate that only waits costs little of the search's time, and one whose tests may wait is let."""

import json
import shutil
import time

import pytest

from ddax.evolution.baseline import measure
from ddax.evolution.evaluator import CodeEvaluator
from ddax.evolution.program.suites import build_suite
from ddax.evolution.sandbox import Limits, choose
from ddax.evolution.search import Search

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap"),
]
DEADLOCK = "import threading\ndef f(x):\n    a = threading.Lock()\n    a.acquire()\n    a.acquire()\n"
LONG = "import time\ndef f(x):\n    time.sleep(60)\n    return 2\n"
SLEEP = "import time\ndef f(x):\n    time.sleep(0.8)\n    return x\n"
BUSY = (
    "import time\ndef f(x):\n    end = time.process_time() + 0.8\n"
    "    while time.process_time() < end:\n        pass\n    return 2\n"
)
CHILD = "import subprocess\ndef f(x):\n    subprocess.run(['sleep', '0.8'])\n    return 2\n"


@pytest.fixture
def evaluator():
    suite = build_suite(
        {"f.py": SLEEP}, ("f.py",), {"test_f.py": "from f import f\ndef test_f():\n    assert f(1) == 2\n"}
    )
    with CodeEvaluator(choose(), suite, limits=Limits(cpu=4.0, wall=8.0)) as made:
        yield made


def ended(evaluator, text, idle):
    """Return how the test ends with a program, and after how many seconds."""
    worker = evaluator.worker
    job = worker.job([0], sources={"f.py": text}, cpu=2.0, idle=idle)
    begin = time.monotonic()
    report = json.loads(next(iter(worker.run([job]))))
    return report["rows"][0][1], time.monotonic() - begin, report["still"]


def test_what_waits_without_a_stir_is_ended_soon(evaluator):
    evaluator.worker.open()
    kind, seconds, still = ended(evaluator, DEADLOCK, 0.3)
    assert kind == "timeout"
    assert seconds < 2.5
    assert still == 0.0  # it did not come to its end


@pytest.mark.parametrize(("text", "kind"), [(BUSY, "pass"), (CHILD, "pass"), (LONG, "timeout")])
def test_what_computes_or_waits_for_another_program_does_stir(evaluator, text, kind):
    assert ended(evaluator, text, 0.3)[0] == kind


def test_candidates_may_wait_as_the_tests_of_the_unchanged_program_do(evaluator):
    baseline = measure(evaluator)
    assert 0.5 <= baseline.report.still < 2.0
    search = Search(evaluator, baseline, end=time.monotonic() + 20.0, clock=time.monotonic)
    found = next(one for one in search.run() if one is not None)
    assert "return x + 1" in found.sources["f.py"]
