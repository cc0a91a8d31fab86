"""What the benchmark of mutants draws from, and how it counts what became of them."""

from __future__ import annotations

from pathlib import Path

from benchmarks.mutation import figures, statuses, unit_tests

PRINTED = """
    ddax.dynamics.score.x_score__mutmut_1: killed
    ddax.dynamics.score.x_score__mutmut_2: survived
    ddax.ideas.grow.x_grow__mutmut_7: timeout
    ddax.ideas.grow.x_grow__mutmut_8: no tests
To show one: mutmut show
"""


def test_a_mutant_that_hangs_the_tests_is_found_and_one_that_no_test_calls_is_not() -> None:
    found = {figure.name: (figure.value, figure.n) for figure in figures(statuses(PRINTED))}
    assert found == {
        "found by a test": (0.5, 4),
        "dynamics: found by a test": (0.5, 2),
        "ideas: found by a test": (0.5, 2),
        "in functions that no test of these calls": (1.0, 4),
    }


def test_the_tests_are_those_of_the_folders_and_of_the_nodes_that_use_them(repo: Path) -> None:
    files = unit_tests()
    assert {"tests/unit/test_dynamics_score.py", "tests/unit/test_nodes_protect.py"} <= set(files)
    assert "tests/unit/test_nodes_turns.py" not in files
    assert all((repo / file).is_file() for file in files)
