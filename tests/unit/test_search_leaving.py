"""A search that asks the web is a way out: what may leave by its query, and what is asked or given up."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ddax.actions.egress import policy_of
from ddax.actions.web.library import WebLibrary
from ddax.actions.web.search.engine import ResultCache, WebSearch, pace
from ddax.actions.web.search.protocol import Result
from ddax.actions.web.tape import NoTape
from ddax.configs.settings import Context
from ddax.graph.runner import Agent, open_agent
from ddax.graph.services import Parts
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.fake import DictMemory
from ddax.steps.leaves.permission import Asked, asked
from ddax.testing import PageLibrary
from ddax.types import ActionCall

QUESTION = "How much does Jane Doe earn at Belmark?"
PAYROLL = "# Payroll\n\nJane Doe earns 182000 EUR at Belmark.\n"


class Service:
    """A search service that keeps what it was asked."""

    name = "listed"

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def search(self, query: str, *, count: int) -> list[Result]:
        self.asked.append(query)
        return []


def web_agent(folder: Path, service: Service, *sources: str, **settings: Any) -> Agent:
    embedder = HashEmbedder()
    context = Context(sources=sources, mood={"engine": "numpy"}, **settings)
    memory = DictMemory("test", embedder, lambda: 1.7e9, context.recall)
    parts = Parts(search=service, embedder=embedder, memory=memory)
    return open_agent(context, home=folder / "home", parts=parts)


def with_web(session: Any, folder: Path) -> Any:
    cache = ResultCache(folder / "s.sqlite", clock=lambda: 1.0, hours=1.0)
    paced = pace(30, monotonic=lambda: 1.0, sleep=asyncio.sleep)
    search = WebSearch(Service(), policy_of(), session.embedder, cache, NoTape(), paced, 10)
    return replace(session, library=WebLibrary(PageLibrary(), search))


async def ruled(
    kit: Any, session: Any, query: str, *, before: tuple[str, ...] = (), protect: bool = False
) -> Asked:
    state = await kit.opened(session, QUESTION)
    call = ActionCall(name="search", args={"query": query, "k": 20, "intent": "what else"}, intent="")
    return await asked(call, session, task=state["work"]["id"], before=before, protect=protect)


@pytest.mark.parametrize(
    ("query", "before", "protect", "ruling"),
    [
        (QUESTION, (), False, "allow"),
        (QUESTION, ("file", "memory"), False, "allow"),
        ("Jane Doe", ("file", "web:evil.example"), False, "allow"),
        ("Belmark earn Jane", ("file",), False, "allow"),
        ("Jane Doe 182000 EUR", (), False, "allow"),
        ("Jane Doe 182000 EUR", ("web:a.example",), False, "allow"),
        ("Jane Doe 182000 EUR", ("file",), False, "ask"),
        ("Jane Doe 182000 EUR", ("memory", "web:evil.example"), False, "ask"),
        (QUESTION, (), True, "ask"),
    ],
)
async def test_a_query_to_the_web_is_ruled_by_where_its_words_come_from(
    kit: Any, tmp_path: Path, query: str, before: tuple[str, ...], protect: bool, ruling: str
) -> None:
    session = with_web(kit.session(), tmp_path)
    found = await ruled(kit, session, query, before=before, protect=protect)
    assert (found.reach, found.permission.ruling) == ("reads", ruling)


async def test_a_query_to_sources_alone_stays_inside(kit: Any) -> None:
    found = await ruled(kit, kit.session(), "Jane Doe 182000 EUR", before=("file",), protect=True)
    assert (found.reach, found.permission.ruling) == ("inside", "allow")


async def test_the_users_words_are_searched_for_and_those_of_a_file_are_given_up_unattended(
    tmp_path: Path,
) -> None:
    service = Service()
    (tmp_path / "payroll.md").write_text(PAYROLL)
    async with web_agent(tmp_path, service, str(tmp_path / "payroll.md")) as agent:
        result = await agent.run(QUESTION)
    assert service.asked == [QUESTION]
    assert result["status"] == "done" and "182000" in result["answer"]


async def test_a_query_with_words_of_a_file_is_put_to_the_human_who_is_there(tmp_path: Path) -> None:
    service = Service()
    (tmp_path / "payroll.md").write_text(PAYROLL)
    async with web_agent(tmp_path, service, str(tmp_path / "payroll.md"), human=True) as agent:
        result = await agent.run(QUESTION, thread="t")
        question = result["question"]
        assert (result["status"], service.asked) == ("waiting", [QUESTION])
        assert question["details"] == {"reason": "an action that reads outside, with data from a file"}
        assert question["text"].startswith("May I search for “")
        assert question["text"].endswith("It asks another machine, with data from a file.")
        query = question["action"]["args"]["query"]
        assert "payroll" in query.casefold()
        while result["status"] == "waiting":
            result = await agent.resume("t", answer={"choice": "go on"})
    assert service.asked == [QUESTION, query]
    assert result["status"] == "done" and "182000" in result["answer"]


async def test_a_dry_run_asks_no_search_service_and_shows_the_query(tmp_path: Path) -> None:
    service = Service()
    async with web_agent(tmp_path, service, dry_run=True) as agent:
        await agent.run(QUESTION, thread="t")
        shown = await agent.rows("t", "shown")
    assert service.asked == []
    assert [(row["action"], row["args"]["query"], row["ruling"]) for row in shown] == [
        ("search", QUESTION, "allow")
    ]
