"""Every world of ours keeps the contract that the author of another one runs."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

from ddax.environments.grid import GridWorld
from ddax.environments.protocol import Environment
from ddax.testing import EnvironmentContract

TOY = importlib.util.find_spec("gymnasium") is not None


class TestGrid(EnvironmentContract):
    def make(self) -> Environment:
        return GridWorld()


class TestGridWithoutSnapshots(EnvironmentContract):
    def make(self) -> Environment:
        return GridWorld(can_snapshot=False)


def toy(world: str, **options: Any) -> type[EnvironmentContract]:
    @pytest.mark.skipif(not TOY, reason="gymnasium (extra worlds) is not installed")
    class TestToy(EnvironmentContract):
        def make(self) -> Environment:
            from ddax.environments.toy_text import ToyTextWorld

            return ToyTextWorld(world, **options)

    return TestToy


TestLake = toy("FrozenLake-v1", is_slippery=False)
TestSlipperyLake = toy("FrozenLake-v1")
TestLargeLake = toy("FrozenLake8x8-v1")
TestCliff = toy("CliffWalking-v1")
TestSlipperyCliff = toy("CliffWalking-v1", is_slippery=True)
TestTaxi = toy("Taxi-v4")
TestBlackjack = toy("Blackjack-v1")
