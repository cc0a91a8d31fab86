"""The page's server: it reads a run as it is, changes nothing by reading, and lets nobody else in."""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from ddax import Context, open_agent
from ddax.cli.backend import Output
from ddax.cli.looking.view import serve
from ddax.errors import DdaxError, StateError, StorageError, UsageError
from ddax.graph.forking import Change, fork
from ddax.graph.services import Parts
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.home import Home
from ddax.memory.store.migrations import open_database, open_reading
from ddax.memory.store.sqlite_schema import STEPS
from ddax.viewer.analysis import trajectory
from ddax.viewer.app import make_app
from ddax.viewer.details import rivals
from ddax.viewer.doing import Doing
from ddax.viewer.guard import HEADERS
from ddax.viewer.kept import kept
from ddax.viewer.plain import dump
from ddax.viewer.reading import Reader
from ddax.viewer.serving import listening, served
from ddax.viewer.story import PAGE, chain

TOKEN = "a-token"
HERE = "http://127.0.0.1:8123"
OWN = {"authorization": f"Bearer {TOKEN}"}


@asynccontextmanager
async def page(home: Path, opener: Any = None, **headers: str) -> AsyncIterator[httpx.AsyncClient]:
    """Give a client of the page over a home."""
    app, stop = make_app(Reader(Home(home), {}), Doing(opener), token=TOKEN, poll=0.01)
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app, client=("127.0.0.1", 1234))
        async with httpx.AsyncClient(
            transport=transport, base_url=HERE, headers=OWN | {"host": "127.0.0.1:8123"} | headers
        ) as client:
            yield client
        stop()


async def ran(kit: Any, home: Path, thread: str = "t", **settings: Any) -> Any:
    async with kit.agent(home, kit.script(), **settings) as agent:
        return await agent.run(kit.question, thread=thread)


def stamp(home: Path) -> dict[str, str]:
    """Return a hash of each file; what SQLite keeps for its readers is no content."""
    return {
        str(file.relative_to(home)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(home.rglob("*"))
        if file.is_file() and not file.name.endswith(("-shm", "-wal"))
    }


async def test_the_story_tells_what_the_history_of_the_command_line_tells(kit: Any, tmp_path: Path) -> None:
    await ran(kit, tmp_path)
    async with kit.agent(tmp_path, kit.script()) as agent:
        known = await agent.history("t")
        states = [
            (await agent.graph.aget_state(
                {"configurable": {"thread_id": "t", "checkpoint_id": one["checkpoint_id"]}}
            )).values.get("ideas", {})
            for one in known
        ]  # fmt: skip
    async with Reader(Home(tmp_path), {}) as reader:
        told = await reader.moments("t")
    assert [one["id"] for one in told] == [one["checkpoint_id"] for one in known]
    for key in ("number", "ran", "next", "step", "rule", "ideas"):
        assert [one[key] for one in told] == [one[key] for one in known], key
    assert [one["rho"] for one in told[1:]] == pytest.approx([one["rho"] for one in known[1:]], abs=1e-4) or (
        told[1]["rho"] is None
    )
    ideas: dict[str, Any] = {}
    for one, state in zip(told, states, strict=True):
        ideas = ideas | {key: {**ideas.get(key, {}), **fields} for key, fields in one["patch"].items()}
        assert ideas == state, one["number"]
    assert any(one["forces"] for one in told) and any(len(one["belief"]) == 4 for one in told)


async def test_a_watcher_that_comes_back_misses_nothing(kit: Any, tmp_path: Path) -> None:
    await ran(kit, tmp_path)
    async with Reader(Home(tmp_path), {}) as reader:
        whole = await reader.moments("t")
        for k in (0, len(whole) // 2, len(whole) - 1):
            async for story, rows in reader.follow("t", whole[k]["id"], _no_pause):
                assert [one["id"] for one in rows] == [one["id"] for one in whole[k + 1 :]]
                assert [one["patch"] for one in rows] == [one["patch"] for one in whole[k + 1 :]]
                assert [one["pressure"] for one in rows] == [one["pressure"] for one in whole[k + 1 :]]
                assert len(story.ideas) == whole[-1]["ideas"]
                break
        assert [rows async for _, rows in reader.follow("t", "1f000000-0000", _no_pause)] == []


async def _no_pause() -> None:
    return None


async def test_a_run_is_followed_while_it_goes_on(kit: Any, tmp_path: Path) -> None:
    """A follow-up written by another connection shows up in a stream that is open."""
    await ran(kit, tmp_path)
    async with Reader(Home(tmp_path), {}) as reader:
        picture, _ = await reader.now("t")
        seen: list[str] = []

        async def go_on() -> None:
            if not seen:
                await ran(kit, tmp_path)
                seen.append("went on")

        found: list[Any] = []
        async for _, rows in reader.follow("t", picture["checkpoint"], go_on):
            found += rows
            if len(seen) and rows:
                break
    assert found and found[-1]["next"] == []
    assert any("1" in one["patch"] for one in found), "the root of the follow-up"
    assert all(after["number"] == before["number"] + 1 for before, after in pairwise(found))


async def test_looking_changes_nothing(kit: Any, tmp_path: Path) -> None:
    await ran(kit, tmp_path)
    before = stamp(tmp_path)
    async with page(tmp_path) as client:
        (run,) = (await client.get("/api/runs")).json()["runs"]
        assert (run["thread_id"], run["status"]) == ("t", "done")
        moments = (await client.get("/api/runs/t/moments")).json()["moments"]
        for place in ("", f"/at/{moments[9]['id']}", "/ideas/0.1", f"/ideas/0.1?at={moments[-1]['id']}"):
            answer = await client.get(f"/api/runs/t{place}")
            assert answer.status_code == 200, (place, answer.text)
        assert (await client.get("/api/runs/t/page?source=x")).status_code == 404
        for verb in ("GET", "PUT", "DELETE", "HEAD"):
            for way in ("answer", "fork"):
                gone = await client.request(verb, f"/api/runs/t/{way}", headers={"origin": HERE})
                assert gone.status_code == 405
    assert stamp(tmp_path) == before


async def test_what_there_is_not_is_said(tmp_path: Path, kit: Any) -> None:
    async with page(tmp_path) as client:
        assert (await client.get("/api/runs")).json() == {"runs": []}
        assert (await client.get("/api/runs/t")).status_code == 404
        assert (await client.get("/api/runs/..%2f..")).status_code in (400, 404)
    await ran(kit, tmp_path)
    async with page(tmp_path) as client:
        assert (await client.get("/api/runs/other")).json()["what"] == "There is no thread 'other'."
        assert (await client.get("/api/runs/t/ideas/9.9")).status_code == 400
        assert (await client.get("/api/runs/t/at/nowhere")).status_code == 400
        assert (await client.get("/static/app.py")).status_code == 404
        assert (await client.get("/static/..%2fapp.py")).status_code == 404


REFUSED = {
    "rebinding": ({"host": "evil.example"}, 403),
    "rebinding with our port": ({"host": "evil.example:8123"}, 403),
    "another port": ({"host": "127.0.0.1:8124"}, 403),
    "no host": ({"host": ""}, 403),
    "cross-origin": ({"origin": "http://evil.example"}, 403),
    "another port's page": ({"origin": "http://127.0.0.1:8080"}, 403),
    "a file": ({"origin": "null"}, 403),
    "cross-site": ({"sec-fetch-site": "cross-site"}, 403),
    "another port by fetch": ({"sec-fetch-site": "same-site"}, 403),
    "no token": ({"authorization": ""}, 401),
    "a wrong token": ({"authorization": "Bearer another"}, 401),
    "a part of the token": ({"authorization": f"Bearer {TOKEN[:-1]}"}, 401),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_nobody_else_is_let_in(kit: Any, tmp_path: Path, name: str) -> None:
    changed, status = REFUSED[name]
    async with page(tmp_path) as client:
        for path in ("/api/runs", "/api/runs/t/events"):
            answer = await client.get(path, headers=changed)
            assert answer.status_code == status and "what" in answer.json()
        posted = await client.post("/api/runs/t/answer", json={}, headers={"origin": HERE} | changed)
        assert posted.status_code == status


async def test_a_change_needs_an_origin_and_json(kit: Any, tmp_path: Path) -> None:
    await ran(kit, tmp_path)
    async with page(tmp_path) as client:
        assert (await client.post("/api/runs/t/fork", json={"at": 3})).status_code == 403
        form = {"content-type": "text/plain", "origin": HERE}
        assert (await client.post("/api/runs/t/fork", content='{"at": 3}', headers=form)).status_code == 400
        for body in (
            '"at"',
            "{",
            "[1]",
            '{"at": "3"}',
            '{"at": 3, "set": 4}',
            '{"at": 3, "to": 4}',
            " " * 200_000,
        ):
            as_json = {"content-type": "application/json", "origin": HERE}
            told = await client.post("/api/runs/t/fork", content=body, headers=as_json)
            assert told.status_code == 400, body[:20]
        told = await client.post("/api/runs/t/answer", json={"choice": "go on"}, headers={"origin": HERE})
        assert told.json()["what"] == "The thread 't' waits for no answer."


async def test_every_answer_has_the_policy(tmp_path: Path) -> None:
    async with page(tmp_path) as client:
        for path in ("/", "/static/main.js", "/api/runs", "/nothing"):
            answer = await client.get(path)
            for name, value in HEADERS.items():
                assert answer.headers[name] == value, (path, name)
        assert "'unsafe" not in HEADERS["content-security-policy"]
        shell = (await client.get("/", headers={"authorization": ""})).text
        assert TOKEN not in shell and "<script>" not in shell and "style=" not in shell


async def waiting(kit: Any, home: Path) -> None:
    """Leave a thread that waits for an answer."""
    kit.pages["Corvane Tower"] = "Bread rises in warm ovens."
    async with kit.agent(home, kit.script(), human=True, identity="traumatized") as agent:
        result = await agent.run(kit.question, thread="t")
    assert result["status"] == "waiting", result["stop_reason"]


async def test_a_question_is_answered_and_a_fork_made_by_the_functions_of_the_command_line(
    kit: Any, tmp_path: Path
) -> None:
    await waiting(kit, tmp_path)

    def opener(context: Any = None) -> Any:
        return kit.agent(tmp_path, kit.script(), human=True, identity="traumatized")

    async with page(tmp_path, opener, origin=HERE) as client:
        asked = (await client.get("/api/runs/t")).json()["result"]["question"]
        assert asked["options"] and asked["text"]
        wrong = await client.post("/api/runs/t/answer", json={"choice": "perhaps"})
        assert wrong.status_code == 400 and "perhaps" in wrong.text
        assert (await client.post("/api/runs/t/answer", json={"what": "x"})).status_code == 400
        moments = (await client.get("/api/runs/t/moments")).json()["moments"]
        # Before the answer: both own the thread while they work, and the second would be told so.
        gone = await client.post("/api/runs/t/fork", json={"at": 9999})
        assert gone.status_code in (400, 409) and gone.json()["what"]
        told = await client.post("/api/runs/t/answer", json={"choice": "stop"})
        assert told.status_code == 202
    async with kit.agent(tmp_path, kit.script(), human=True, identity="traumatized") as agent:
        # The page was closed as soon as the answer had been taken: the run goes on with it.
        assert (await agent.resume("t"))["status"] == "stopped"
    at = next(one["number"] for one in moments if one["ran"] == ["expand"])
    async with page(tmp_path, opener, origin=HERE) as client:
        made = await client.post("/api/runs/t/fork", json={"at": at, "to": "other", "set": {"mind.rho": 0.1}})
        assert (made.status_code, made.json()) == (202, {"thread_id": "other"})
        again = await client.post("/api/runs/t/fork", json={"at": at, "to": "other"})
        assert again.status_code in (400, 409)
    async with kit.agent(tmp_path, kit.script()) as agent:
        assert agent.runs.load("other").forked_from == "t"


async def test_a_thread_that_was_forked_tells_each_thing_once(tmp_path: Path) -> None:
    page = tmp_path / "papers" / "almanac.md"
    page.parent.mkdir()
    page.write_text("# The Almanac\n\nThe Almanac was written by Ines Calder in 1911.\n", encoding="utf-8")
    context = Context(sources=(str(page.parent),))
    async with open_agent(context, home=tmp_path, parts=Parts(embedder=HashEmbedder())) as agent:
        await agent.run("Who wrote the Almanac?", thread="t")
        moments = [one["number"] for one in await agent.history("t") if one["next"] and one["step"]]
        await agent.run("When was the Almanac written?", thread="t")
        for name, at in (("late", moments[-2]), ("early", moments[len(moments) // 2])):
            await fork(agent, "t", at, Change(to=name))
        await fork(agent, "late", moments[-2], Change(to="again"))
        await agent.resume("early")
        await agent.run("Who wrote the Almanac?", thread="early")
    async with Reader(Home(tmp_path), {}) as reader:
        for thread in ("t", "late", "early", "again"):
            run = await kept(reader, thread)
            told = [len(one["ledger"]) for one in run["details"].values()]
            assert max(told) == 1 and sum(told) > 2, (thread, told)
            lived = [row for row in (await trajectory(reader, thread)).rows if "idea" in row]
            assert len(lived) == sum(told), (thread, lived)
            assert len({(row["idea"], row["step"]) for row in lived}) == len(lived), (thread, lived)


def test_beside_an_idea_stand_its_siblings_and_not_the_way_to_it() -> None:
    def row(key: str, total: float) -> dict[str, Any]:
        return {"id": key, "total": total}

    way = [row("0.1", 0.2), row("0.2", 0.9), row("0.2.1", 0.5), row("0.2.2", 0.4)]
    assert [one["id"] for one in rivals(way, "0.2.1")] == ["0.2.2"]
    assert [one["id"] for one in rivals(way, "0.2")] == ["0.1"]
    alone = [row("0.2", 0.9), row("0.2.7", 0.5), row("0.2.7.1", 0.5), row("0.2.7.1.1", 0.3)]
    assert rivals(alone, "0.2.7.1") == []
    flat = [row("0.2.1", 0.5), row("0.3", 0.4), row("0.4.1.1", 0.4)]
    assert [one["id"] for one in rivals(flat, "0.2.1")] == ["0.3", "0.4.1.1"]


async def test_a_job_that_fails_is_shown_with_its_thread(kit: Any, tmp_path: Path) -> None:
    @asynccontextmanager
    async def broken(context: Any = None) -> AsyncIterator[Any]:
        raise StorageError("The disk is full.", mend="Free some space.")
        yield

    doing = Doing(broken)
    await doing.answer("t", {"choice": "go on"}, {"options": ["go on"]})
    await doing.close()
    assert doing.troubles["t"] == {"what": "The disk is full.", "why": "", "mend": "Free some space."}


def test_what_is_no_number_stands_as_null() -> None:
    value = {"rho": float("nan"), "rows": [float("inf"), 1.5, "NaN"], "text": "a\ud800"}
    assert json.loads(dump(value)) == {"rho": None, "rows": [None, 1.5, "NaN"], "text": "a?"}


async def test_a_watcher_reads_one_checkpoint_to_find_that_nothing_is_new(kit: Any, tmp_path: Path) -> None:
    await ran(kit, tmp_path)
    async with Reader(Home(tmp_path), {}) as reader:
        store, whole = await reader.store(), await reader.moments("t")
        limits: list[int] = []

        class Counted:
            async def alist(self, *given: Any, limit: int, **further: Any) -> AsyncIterator[Any]:
                limits.append(limit)
                async for one in store.alist(*given, limit=limit, **further):
                    yield one

        counted = cast("Any", Counted())
        assert len(await chain(counted, "t", whole[-1]["id"]) or ()) == 1 and limits == [1]
        assert len(await chain(counted, "t", whole[-2]["id"]) or ()) == 2 and limits[1:] == [1, PAGE]


async def test_what_keeps_the_page_from_opening_is_told_and_nothing_is_left_open(
    kit: Any, tmp_path: Path
) -> None:
    await ran(kit, tmp_path)
    before = set(threading.enumerate())
    with pytest.raises(DdaxError, match="DDAX_CHECKPOINTS"):
        async with served(Home(tmp_path), {"DDAX_CHECKPOINTS": "nonsense"}, open_agent):
            pass
    assert not [thread for thread in set(threading.enumerate()) - before if "ddax-view" in thread.name]


def test_a_port_in_use_is_said() -> None:
    with listening(0) as door, pytest.raises(UsageError, match="cannot be used"):
        door.listen()
        listening(door.getsockname()[1])


async def test_the_page_is_bound_to_this_machine_and_ends_with_an_open_stream(
    kit: Any, tmp_path: Path
) -> None:
    await ran(kit, tmp_path)
    async with served(Home(tmp_path), {}, lambda _: None) as (place, _):
        assert place.address("t").startswith(f"http://127.0.0.1:{place.port}/#token=")
        own = {"authorization": f"Bearer {place.token}"}
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{place.port}", headers=own) as client:
            stream = client.stream("GET", "/api/runs/t/events")
            answer = await stream.__aenter__()
            assert answer.headers["content-type"].startswith("text/event-stream")
            lines = answer.aiter_lines()
            first = [await anext(lines) for _ in range(3)]
            assert [line.split(":")[0] for line in first] == ["id", "event", "data"]
            ended = stream
    await ended.__aexit__(None, None, None)


def test_a_record_of_another_version_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "record.sqlite"
    with pytest.raises(DdaxError):
        open_reading(file, STEPS)
    assert not file.exists()
    open_database(file, STEPS[:1]).close()
    with pytest.raises(StateError, match="version 1"):
        open_reading(file, STEPS)


def test_the_command_is_ended_without_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def ended() -> None:
        told, opener = asyncio.Event(), cast(Any, None)
        monkeypatch.setattr(Output, "say", lambda _, text: told.set() if "Ctrl-C" in text else None)
        serving = asyncio.create_task(serve(opener, "", 0, False, Output(json=False, verbose=False)))
        await told.wait()
        serving.cancel()
        await asyncio.wait([serving])
        assert serving.cancelled()

    monkeypatch.setenv("DDAX_HOME", str(tmp_path))
    asyncio.run(ended())
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "start", ["9" * 5000, "9" * 16, "-1", "1e5", "0x10", "²", "٣", "1_000", " 1", "x", "1.0"]
)
async def test_a_number_that_is_none_is_the_askers_fault(kit: Any, tmp_path: Path, start: str) -> None:
    await ran(kit, tmp_path)
    async with page(tmp_path) as client:
        told = await client.get("/api/runs/t/page", params={"source": "x", "start": start})
        assert told.status_code == 400 and "'start'" in told.json()["what"]
        for usual in ({}, {"start": ""}, {"start": "0"}, {"start": "12"}):
            assert (await client.get("/api/runs/t/page", params={"source": "x", **usual})).status_code == 404
        for at in ("true", "9" * 5000, "1e400", '"7"', "-1.5"):
            told = await client.post(
                "/api/runs/t/fork", content=f'{{"at": {at}}}',
                headers={"content-type": "application/json", "origin": HERE},
            )  # fmt: skip
            assert told.status_code == 400, at
