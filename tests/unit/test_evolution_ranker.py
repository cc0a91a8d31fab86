"""What the chance of a patch rests on is the same in a small file and in a large one."""

from types import SimpleNamespace

import pytest

from ddax.evolution.baseline import Baseline
from ddax.evolution.evaluator import CodeEvaluator
from ddax.evolution.judging.ranker import Ranker
from ddax.evolution.localise import Report
from ddax.evolution.operators import Seen
from ddax.evolution.program.suites import build_suite
from ddax.evolution.sandbox.protocol import Limits
from ddax.evolution.search import Found

FILES = {"m.py": "def f(x):\n    return x\n"}


def lost(before: str, after: str) -> float:
    """Return how much of what a program did a patch no longer does, by the branches that both took."""
    suite = build_suite(FILES, ["m.py"], {"t.py": "assert f(1) == 1"})
    evaluator = CodeEvaluator(SimpleNamespace(name="none"), suite, limits=Limits())
    ranker = Ranker(evaluator, Baseline(Report("run", "", ()), (0,), (), {}, Seen(), 10), FILES)
    ranker.inputs = [{"path": "m.py", "name": "f", "args": ["1"]}]
    pool = [Found({"m.py": "def f(x):\n    return x + 1\n"}, (), 1, 0.1)]
    answers = [["1", f"str '{before}'"], ["2", f"str '{after}'"]]
    first, (suspect,) = ranker.suspects(pool, answers)
    assert first == ["1"]
    return ranker.ranked(pool[0], 0.0, suspect, answers[1], answers[0]).features["lost"]


@pytest.mark.parametrize("others", [0, 10, 200])
@pytest.mark.parametrize(
    ("before", "after", "share"), [("33", "33", 0.0), ("33", "13", 0.25), ("13", "33", 0.0)]
)
def test_branches_that_the_unchanged_program_does_not_take_are_not_lost(others, before, after, share):
    assert lost(before + "0" * others, after + "0" * others) == pytest.approx(share)
