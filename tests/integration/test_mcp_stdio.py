"""`ddax mcp` over stdio, with the protocol's own client as an editor has it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.integration
pytest.importorskip("mcp", reason="needs the extra mcp")
TEST = "from adder import add\n\ndef test_add():\n    assert add(2, 3) == 5\n"
QUESTION = "Who wrote the Harbour Almanac?"


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "almanac.txt").write_text("The Harbour Almanac was written by Ines Calder in 1911.\n")
    return folder


async def talk(tmp_path: Path, *calls: tuple[str, dict[str, Any]], flags: tuple[str, ...] = ()) -> list[Any]:
    """Open a server, list its tools, make calls, and return the tools and what the calls gave."""
    from mcp import ClientSession
    from mcp.client.stdio import StdioServerParameters, stdio_client

    env = {**os.environ, "DDAX_HOME": str(tmp_path / "home")}
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "ddax", "mcp", *flags], env=env, cwd=tmp_path
    )
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        found: list[Any] = [{tool.name: tool for tool in (await session.list_tools()).tools}]
        for name, arguments in calls:
            found.append(await session.call_tool(name, arguments))
    return found


def failed(result: Any) -> bool:
    return bool(getattr(result, "is_error", getattr(result, "isError", False)))


def said(result: Any) -> dict[str, Any]:
    assert not failed(result), result.content
    value: dict[str, Any] = json.loads(result.content[0].text)
    return value


@pytest.mark.long
async def test_ask_look_and_follow_up(tmp_path: Path, papers: Path) -> None:
    tools, asked = await talk(tmp_path, ("ask", {"question": QUESTION}), flags=("--sources", str(papers)))
    assert set(tools) == {"ask", "fix", "runs", "show", "resume"}
    assert all(tool.description for tool in tools.values())
    answer = said(asked)
    assert "Ines Calder" in answer["answer"]
    assert answer["citations"][0]["quote"] in (papers / "almanac.txt").read_text()
    thread = answer["thread_id"]
    _, listed, shown, again, more, nobody = await talk(
        tmp_path, ("runs", {}), ("show", {"thread": thread}), ("resume", {"thread": thread}),
        ("ask", {"question": "When was the Harbour Almanac written?", "thread": thread}),
        ("show", {"thread": "nobody"}),
    )  # fmt: skip
    assert [run["thread_id"] for run in said(listed)["runs"]] == [thread]
    assert len(said(shown)["ideas"]) == answer["ideas"]
    assert said(again)["answer"] == answer["answer"]
    assert "1911" in said(more)["answer"]
    assert failed(nobody)
    assert "There is no thread 'nobody'." in nobody.content[0].text


async def test_a_new_thread_reads_the_sources_of_the_server(tmp_path: Path, papers: Path) -> None:
    call = ("ask", {"question": QUESTION, "thread": "harbour"})
    _, asked = await talk(tmp_path, call, flags=("--sources", str(papers)))
    answer = said(asked)
    assert answer["thread_id"] == "harbour"
    assert "Ines Calder" in answer["answer"]


async def test_fix_gives_a_diff_and_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "adder.py").write_text("def add(a, b):\n    return a - b\n")
    (tmp_path / "test_adder.py").write_text(
        "from adder import add\n\ndef test_add():\n    assert add(2, 3) == 5\n"
    )
    _, fixed = await talk(tmp_path, ("fix", {"paths": ["adder.py"], "tests": "pytest -q test_adder.py"}))
    if failed(fixed) and "sandbox" in fixed.content[0].text:
        pytest.skip(f"no sandbox holds here: {fixed.content[0].text[:200]}")
    result = said(fixed)
    assert result["exit_code"] == 10 and not result["diff"]  # one test alone vouches for nothing
    assert "+    return a + b" in result["proposals"][0]["diff"]
    assert "a - b" in (tmp_path / "adder.py").read_text()


async def test_the_settings_in_the_document_start_it(tmp_path: Path, repo: Path) -> None:
    page = (repo / "docs/integrations.md").read_text(encoding="utf-8")
    words = next(line for line in page.splitlines() if line.startswith('{"mcpServers"'))
    command, *flags = json.loads(words)["mcpServers"]["ddax"]["args"]
    assert command == "mcp"
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "almanac.txt").write_text(
        "The Harbour Almanac was written by Ines Calder in 1911.\n"
    )
    _, asked = await talk(tmp_path, ("ask", {"question": QUESTION}), flags=tuple(flags))
    assert "Ines Calder" in said(asked)["answer"]
