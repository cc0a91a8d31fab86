"""A world of one's own: a lift with four floors, and the actions an agent gets over it."""

import asyncio

from ddax.environments.actions import WorldActions
from ddax.environments.protocol import Element, Observation, Snapshot
from ddax.environments.trouble import check_move, check_snapshot, not_started
from ddax.testing import EnvironmentContract, check


class Lift:
    """Four floors; the world ends on the uppermost."""

    name, effect, can_snapshot = "lift", "none", True
    floor = None

    async def reset(self, *, seed=0):
        self.floor = seed % 2
        return await self.observe()

    async def observe(self):
        if self.floor is None:
            raise not_started(self.name)
        there = (Element("up", "button", "one floor up"), Element("down", "button", "one floor down"))
        done = self.floor == 3
        return Observation(f"You are on floor {self.floor}.", () if done else there, float(done), done)

    def effect_of(self, move):
        return "none"

    async def act(self, move):
        check_move(self.name, await self.observe(), move)
        self.floor = max(0, self.floor + (1 if move.target == "up" else -1))
        return await self.observe()

    async def snapshot(self):
        return Snapshot(self.name, {"floor": self.floor})

    async def restore(self, snapshot):
        check_snapshot(self.name, snapshot)
        self.floor = snapshot.data["floor"]
        return await self.observe()

    async def close(self):
        self.floor = None


class LiftContract(EnvironmentContract):
    def make(self):
        return Lift()


async def main():
    """Ride once; a run gets the same actions by Parts(actions=WorldActions(Lift()).actions())."""
    lift = Lift()
    print((await lift.reset()).text)
    print("actions:", ", ".join(action.name for action in WorldActions(lift).actions()))


if __name__ == "__main__":
    print(len(check(LiftContract())), "rules of a world are kept")
    asyncio.run(main())
