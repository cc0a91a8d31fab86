"""An identity profile of one's own: a YAML file, checked and then run with."""

import asyncio
from pathlib import Path

from ddax import Context, open_agent
from ddax.testing import IdentityContract, check

PROFILE = Path(__file__).with_name("own_identity.yaml")


class PatientContract(IdentityContract):
    profile = PROFILE


async def main():
    context = Context(sources=("python:statistics",), identity=str(PROFILE))
    async with open_agent(context) as agent:
        result = await agent.run("Which function returns the median of numeric data?")
        print(result["status"], f"rigidity {result['rigidity']:.2f}")


if __name__ == "__main__":
    print(len(check(PatientContract())), "rules of a profile are kept")
    asyncio.run(main())
