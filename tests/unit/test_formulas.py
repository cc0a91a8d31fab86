"""The worked examples that stand with the formulas come out as they say."""

from __future__ import annotations

import doctest
import importlib

import pytest

MODULES = {
    "ddax.dynamics.forces": 4,
    "ddax.dynamics.rigidity": 3,
    "ddax.dynamics.score": 5,
    "ddax.dynamics.stability": 1,
    "ddax.dynamics.surprise": 4,
    "ddax.memory.scoring": 3,
    "ddax.debate.calibration": 1,
    "ddax.debate.gate": 1,
    "ddax.metacognition.twin": 1,
}
"""Modules of formulas → how many of their functions have an example."""


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_formulas_hold(name: str) -> None:
    module = importlib.import_module(name)
    with_examples = [test for test in doctest.DocTestFinder().find(module) if test.examples]
    assert len(with_examples) >= MODULES[name]
    assert doctest.testmod(module).failed == 0
