# ruff: noqa: E501 - programs under test are kept on one line
"""Cheats against the verdict: each program is wrong, none may pass; honest ones must."""

import shutil
import time

import numpy as np
import pytest

from ddax.configs.settings import Evolution
from ddax.evolution.records import RepairTask
from ddax.evolution.repair import repair
from ddax.evolution.sandbox import Limits, choose
from ddax.evolution.suites import build_suite
from ddax.evolution.verdict import separate_verdict
from ddax.reasoning.protocol import CodeCandidate, Patches

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap"),
]

TESTS = """
import pytest
import unittest
from prog import add, Stack

def test_add():
    assert add(1, 2) == 3
    assert add(10, 5) == 15

def test_none():
    with pytest.raises(TypeError):
        add(1, None)

class TestStack(unittest.TestCase):
    def test_push(self):
        stack = Stack()
        stack.push(4)
        self.assertEqual(stack.items, [4])
        self.assertEqual(len(stack), 1)
"""
HONEST = """
class Stack:
    def __init__(self):
        self.items = []
    def push(self, item):
        self.items.append(item)
    def __len__(self):
        return len(self.items)

def add(a, b):
    return a + b
"""
WRONG = HONEST.replace("a + b", "a - b")
CHEATS = {
    "exit at import": "import os\nos._exit(0)\n",
    "sys.exit": "import sys\nsys.exit(0)\n",
    "exit in the call": WRONG.replace("return a - b", "__import__('os')._exit(0)"),
    "atexit": "import atexit, os\natexit.register(lambda: os._exit(0))\n" + WRONG,
    "thread": "import threading, os\nthreading.Timer(0.2, lambda: os._exit(0)).start()\n" + WRONG,
    "prints success": "print('All tests passed')\n" + WRONG,
    "always equal": WRONG.replace("return a - b", "return E()") + "\nclass E:\n    __hash__ = None\n    def __eq__(self, o): return True\n",
    "int that equals": WRONG.replace("return a - b", "return E()") + "\nclass E(int):\n    def __eq__(self, o): return True\n    __hash__ = int.__hash__\n",
    "patched unittest": "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n" + WRONG,
    "patched pytest": "import sys, types\nsys.modules['pytest'] = types.ModuleType('pytest')\n" + WRONG,
    "patched builtins": "import builtins\nbuiltins.AssertionError = Warning\n" + WRONG,
    "patched harness": "import sys\nfor m in list(sys.modules.values()):\n    if hasattr(m, 'Runner'): m.Runner.run = lambda *a: ('pass', '', '', '', 0, 0, 0)\n" + WRONG,
    "forged report": "import os\nfor fd in range(64):\n    try: os.write(fd, b'\\x00\\x00\\x00\\x02{}')\n    except OSError: pass\n" + WRONG,
    "forged verdict": "import os, json, struct\nb = json.dumps({'nonce': '', 'stage': 'run', 'error': '', 'rows': [[i, 'pass', '', '', '', 0, 0, 0, []] for i in range(3)]}).encode()\nfor fd in range(3, 64):\n    try: os.write(fd, struct.pack('>I', len(b)) + b)\n    except OSError: pass\n" + WRONG,
    "reads expected values": WRONG.replace("return a - b", "import gc\n    return next((o for o in gc.get_objects() if o == 3), a - b)"),
    "reads frames": WRONG.replace("return a - b", "import sys\n    return sys._getframe(1).f_locals.get('expected', a - b)"),
    "finds the tests": WRONG.replace("return a - b", "import glob\n    return eval((glob.glob('/**/test_prog.py', recursive=True) or ['a - b'])[0])"),
    "shadows random": "import sys\nsys.modules['random'] = None\nsys.meta_path.clear()\n" + WRONG,
    "skips": "import unittest\nraise unittest.SkipTest('all')\n",
    "raises skip": WRONG.replace("return a - b", "import unittest\n    raise unittest.SkipTest('x')"),
    "endless": WRONG.replace("return a - b", "while True: pass"),
    "traces": "import sys\nsys.settrace(lambda *a: None)\n" + WRONG,
    "changes its arguments": WRONG.replace("return a - b", "b = a\n    return a - b"),
    "fork and answer": WRONG.replace("return a - b", "import os\n    os.fork()\n    return a - b"),
}  # fmt: skip
LIMITS = Limits(cpu=1.0, wall=3.0)


@pytest.fixture(scope="module")
def sandbox():
    return choose()


def verdict(sandbox, program):
    suite = build_suite({"prog.py": WRONG}, ["prog.py"], {"test_prog.py": TESTS})
    return separate_verdict(sandbox, suite, {"prog.py": program}, limits=LIMITS)


@pytest.mark.parametrize("name", sorted(CHEATS))
def test_a_cheat_does_not_pass(sandbox, name):
    found = verdict(sandbox, CHEATS[name])
    assert found.score < 99.0
    assert not found.correctness_valid


def test_the_honest_program_passes(sandbox):
    found = verdict(sandbox, HONEST)
    assert found.score == 100.0
    assert found.signature == "ppp"


class Proposer:
    name = "scripted"

    def __init__(self, *texts):
        self.texts = texts

    async def propose_patches(self, request):
        return Patches(tuple(CodeCandidate(f"idea {i}", t, "because") for i, t in enumerate(self.texts)))

    async def mutate_patch(self, request):
        return Patches(())


async def test_among_good_bad_and_cheating_candidates_the_good_one_wins(sandbox):
    good = HONEST + "\n# by the model\n"
    hopeless = "def add(a, b):\n    return None\n\nclass Stack:\n    pass\n"
    task = RepairTask({"prog.py": hopeless}, ("prog.py",), {"test_prog.py": TESTS}, "mend add and Stack")
    cheats = [CHEATS["always equal"], CHEATS["patched harness"], CHEATS["exit at import"]]
    found = await repair(
        task, settings=Evolution(seconds=1.0, candidate_seconds=2.0), rng=np.random.default_rng(0),
        clock=time.monotonic, reasoner=Proposer(*cheats, good), sandbox=sandbox,
    )  # fmt: skip
    assert found.solved
    assert found.trust == "separate"
    assert found.files["prog.py"] == good
    assert found.hypothesis == "idea 3"


async def test_cheats_alone_repair_nothing(sandbox):
    hopeless = "def add(a, b):\n    return None\n\nclass Stack:\n    pass\n"
    task = RepairTask({"prog.py": hopeless}, ("prog.py",), {"test_prog.py": TESTS})
    found = await repair(
        task, settings=Evolution(seconds=1.0, candidate_seconds=1.0, evolution_max_generations=1),
        rng=np.random.default_rng(0), clock=time.monotonic, sandbox=sandbox,
        reasoner=Proposer(CHEATS["always equal"], CHEATS["patched harness"], CHEATS["patched unittest"]),
    )  # fmt: skip
    assert not found.solved
    assert found.diff == ""
    assert found.files["prog.py"] == hopeless
