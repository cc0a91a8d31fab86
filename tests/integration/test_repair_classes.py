"""Of repairs of a class that pass every test, one that keeps what objects did near the tests is chosen."""

from __future__ import annotations

import shutil
import time

import numpy as np
import pytest

from ddax.configs.settings import Evolution
from ddax.evolution.repair import RepairTask, repair
from ddax.evolution.sandbox.probe import choose

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap"),
]

WORDS = '''
class Words:
    """Words by their letters; `size` counts each word once."""

    def __init__(self):
        self.root = {}
        self.size = 0

    def add(self, word):
        node = self.root
        for letter in word:
            node = node.setdefault(letter, {})
        node["$"] = True
        self.size += 1

    def __contains__(self, word):
        node = self.root
        for letter in word:
            if letter not in node:
                return False
            node = node[letter]
        return "$" in node
'''
TESTS = """
from words import Words

def made(*words):
    found = Words()
    for word in words:
        found.add(word)
    return found

def test_contains():
    words = made("car", "cart", "cat")
    assert "car" in words and "cart" in words
    assert "ca" not in words and "dog" not in words

def test_size():
    assert made("a", "b").size == 2

def test_size_counts_words_once():
    assert made("a", "b", "a").size == 2
"""


async def test_a_repair_that_miscounts_in_passing_tests_comes_after_one_that_does_not():
    found = (
        await repair(
            RepairTask({"words.py": WORDS}, ("words.py",), {"test_words.py": TESTS}),
            settings=Evolution(seconds=120.0),
            rng=np.random.default_rng(0),
            clock=time.monotonic,
            sandbox=choose(),
        )
    ).best()
    assert found.patched
    space: dict[str, object] = {}
    exec(found.files["words.py"], space)
    words = space["Words"]()
    for word in ("x", "x", "xy", "xyz", "xy", "q", "q"):
        words.add(word)
    assert (words.size, "xyz" in words, "z" in words) == (4, True, False), found.hypothesis
