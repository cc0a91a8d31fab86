"""Cheats against the verdict: each program is wrong, none may pass; honest ones must."""

import shutil
import threading
import time

import numpy as np
import pytest

from benchmarks.cheats import CHEATS, HONEST, HONEST_PROGRAMS, TESTS, WRONG
from ddax.configs.settings import Evolution
from ddax.evolution.attempt import Attempt
from ddax.evolution.judging.verdict import separate_verdict
from ddax.evolution.program.suites import build_suite
from ddax.evolution.records import RepairTask
from ddax.evolution.repair import repair
from ddax.evolution.sandbox import Limits, choose
from ddax.reasoning.protocol import CodeCandidate, Patches

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap"),
]

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


@pytest.mark.parametrize("name", sorted(HONEST_PROGRAMS)[::7])
def test_honest_programs_pass_unharmed(sandbox, name):
    program, tests = HONEST_PROGRAMS[name]
    suite = build_suite({"prog.py": program}, ["prog.py"], {"test_prog.py": tests})
    assert separate_verdict(sandbox, suite, {}, limits=LIMITS).score == 100.0


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
    found = (await repair(
        task, settings=Evolution(seconds=1.0, candidate_seconds=2.0), rng=np.random.default_rng(0),
        clock=time.monotonic, reasoner=Proposer(*cheats, good), sandbox=sandbox,
    )).best()  # fmt: skip
    assert found.patched
    assert found.trust == "separate"
    assert found.files["prog.py"] == good
    assert found.hypothesis == "idea 3"


async def test_cheats_alone_repair_nothing(sandbox):
    hopeless = "def add(a, b):\n    return None\n\nclass Stack:\n    pass\n"
    task = RepairTask({"prog.py": hopeless}, ("prog.py",), {"test_prog.py": TESTS})
    found = (await repair(
        task, settings=Evolution(seconds=1.0, candidate_seconds=1.0, evolution_max_generations=1),
        rng=np.random.default_rng(0), clock=time.monotonic, sandbox=sandbox,
        reasoner=Proposer(CHEATS["always equal"], CHEATS["patched harness"], CHEATS["patched unittest"]),
    )).best()  # fmt: skip
    assert not found.patched
    assert found.diff == ""
    assert found.files["prog.py"] == hopeless


@pytest.mark.parametrize("texts", [(), ("def f(x):\n    return 2\n",)])
async def test_whose_verdict_it_is_is_asked_only_of_what_won(sandbox, monkeypatch, texts):
    asked = []
    monkeypatch.setattr(Attempt, "suited", lambda self: asked.append(threading.current_thread()))
    task = RepairTask({"m.py": "def f(x):\n    return 1\n"}, ("m.py",), {"t.py": "assert f(1) == 'Zorro'\n"})
    found = (await repair(
        task, settings=Evolution(seconds=1.0), rng=np.random.default_rng(0), clock=time.monotonic,
        reasoner=Proposer(*texts), sandbox=sandbox,
    )).best()  # fmt: skip
    assert not found.patched
    assert asked == []


async def test_whose_verdict_it_is_is_asked_beside_the_event_loop(sandbox, monkeypatch):
    asked = []
    monkeypatch.setattr(Attempt, "suited", lambda self: asked.append(threading.current_thread()))
    hopeless = "def add(a, b):\n    return None\n\nclass Stack:\n    pass\n"
    task = RepairTask({"prog.py": hopeless}, ("prog.py",), {"test_prog.py": TESTS})
    found = (await repair(
        task, settings=Evolution(seconds=1.0), rng=np.random.default_rng(0), clock=time.monotonic,
        reasoner=Proposer(HONEST), sandbox=sandbox,
    )).best()  # fmt: skip
    assert found.patched
    assert asked and threading.main_thread() not in asked
