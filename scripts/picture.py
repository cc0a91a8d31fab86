"""Write docs/images/demo.svg: the demo's question, its tree of ideas and its cited answer, as they ran.

Run with the environment of the project: `.venv/bin/python scripts/picture.py`.
"""

from __future__ import annotations

import asyncio
import io
import tempfile
from pathlib import Path

from rich.console import Console

from ddax import Context, open_agent
from ddax.cli.answer import result_lines
from ddax.cli.board import Board
from ddax.cli.running.demo import QUESTION, SOURCES
from ddax.cli.tree import picture

TARGET = Path(__file__).resolve().parents[1] / "docs" / "images" / "demo.svg"
WIDTH = 96


async def run(home: str) -> tuple[Board, list[str]]:
    """Run the demo's question and return its board and the lines of its result."""
    async with open_agent(Context(sources=SOURCES, namespace="demo"), home=home) as agent:
        result = await agent.run(QUESTION, thread="demo")
        return Board.of_state(await agent.state("demo")), list(result_lines(result))


def main() -> None:
    """Draw one real run."""
    with tempfile.TemporaryDirectory() as home:
        board, lines = asyncio.run(run(home))
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print("[bold]$ ddax demo[/bold]", highlight=False)
    console.print(picture(board, width=WIDTH))
    for line in lines:
        console.print(line, highlight=False, markup=False, soft_wrap=False)
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(console.export_svg(title="ddax"), encoding="utf-8")


if __name__ == "__main__":
    main()
