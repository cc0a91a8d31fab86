"""The conformance kit: contract suites that the author of a plug-in runs against a part of their own.

A suite is a class. Subclass it in a test file, say how the part is made, and pytest runs every rule:

    from ddax.testing import EnvironmentContract

    class TestMyWorld(EnvironmentContract):
        def make(self):
            return MyWorld()

Without pytest, `check(TestMyWorld())` runs the rules and raises at the first that is broken. The
project holds its own parts to the same suites.
"""

from __future__ import annotations

from ddax.testing.action import ActionContract
from ddax.testing.contract import Broken, Contract, check, expect
from ddax.testing.embedder import EmbedderContract
from ddax.testing.environment import EnvironmentContract
from ddax.testing.identity import IdentityContract
from ddax.testing.memory import MemoryContract
from ddax.testing.node import NodeContract
from ddax.testing.pages import PAGES, QUESTION, PageLibrary, small_agent
from ddax.testing.reasoner import ReasonerContract
from ddax.testing.saver import SaverContract

__all__ = [
    "PAGES",
    "QUESTION",
    "ActionContract",
    "Broken",
    "Contract",
    "EmbedderContract",
    "EnvironmentContract",
    "IdentityContract",
    "MemoryContract",
    "NodeContract",
    "PageLibrary",
    "ReasonerContract",
    "SaverContract",
    "check",
    "expect",
    "small_agent",
]
