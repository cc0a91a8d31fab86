"""The tools of an MCP server: the settings name its command, a human approves it once, then a run calls it.

It needs the extra mcp. On the command line: `actions: {mcp: ["tides=..."], reads: [tides_high_water]}` in
`ddax.yaml`, and `ddax actions --approve tides`, which shows the command and asks.
"""

import asyncio
import os
import shlex
import sys
from pathlib import Path

from stand_in import StandIn

from ddax import Context, open_agent
from ddax.actions.mcp_tools import approve, server_of
from ddax.memory.home import Home

COMMAND = shlex.join([sys.executable, str(Path(__file__).with_name("tides_server.py"))])
SERVER = f"tides={COMMAND}"


async def main():
    home = Home.from_environ(os.environ).ensure()
    approve(home.common, server_of(SERVER))  # you have looked at the command; another one is asked for again
    context = Context(actions={"mcp": [SERVER], "reads": ["tides_high_water"]}, namespace="mcp_tool")
    model = StandIn(tool="tides_high_water", arguments={"port": "Vellin"})
    async with open_agent(context, home=home.path, model=model) as agent:
        result = await agent.run("When is high water at Vellin?")
        print(result["status"], "|", result["answer"])
        print(result["citations"][0]["source"])


if __name__ == "__main__":
    asyncio.run(main())
