"""Pages of the web as a run meets them: manners, robots.txt, refusals, the cache, the tape, the hook."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from benchmarks.guard_site import HERE, Answer, Site, page, redirect, serving
from ddax.actions.egress import policy_of
from ddax.actions.fetch import Fetched
from ddax.actions.web.client import Render, Web
from ddax.actions.web.client import Time as Clocks
from ddax.actions.web.reading import InlineReader
from ddax.actions.web.robots import Robots
from ddax.actions.web.tape import Tape, open_tape, packed
from ddax.configs.settings import Web as Settings
from ddax.errors import ActionError, Blocked, NotAllowed, SettingsError
from ddax.types import JsonDict

URL = "http://a.test/"
WORDS = "<title>Page</title><main><p>" + "Plain words that are worth reading. " * 12 + "</p></main>"


class Time:
    """A clock that moves only by what is slept."""

    def __init__(self) -> None:
        self.now, self.slept = 1_700_000_000.0, [0.0][:0]

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


class Browser:
    """Stands in for a browser: says the same of every page."""

    def __init__(self) -> None:
        self.asked, self.closed = [""][:0], False

    async def __call__(self, url: str) -> str:
        self.asked.append(url)
        return WORDS

    async def close(self) -> None:
        self.closed = True


async def everywhere(host: str, port: int) -> list[str]:
    """Resolve every name to this machine; which may be reached is another matter."""
    return [HERE]


@asynccontextmanager
async def web(
    folder: Path,
    time: Time,
    *hosts: str,
    tape: Tape | None = None,
    render: Render | None = None,
    **settings: Any,
) -> AsyncIterator[Web]:
    policy = policy_of(allow_hosts=[HERE, *hosts], resolver=everywhere)
    given = Settings(**{"fetch_seconds": 60.0, "read_seconds": 60.0, **settings})
    opened = Web(
        given, policy, folder=folder, time=Clocks(time, time, time.sleep), tape=tape, render=render,
        reader=InlineReader(),
    )  # fmt: skip
    try:
        yield opened
    finally:
        await opened.close()


@asynccontextmanager
async def site(**answers: Answer) -> AsyncIterator[Site]:
    async with serving({f"/{name.replace('__', '.')}": answer for name, answer in answers.items()}) as served:
        yield served


async def failure(found: Any) -> ActionError:
    with pytest.raises(ActionError) as caught:
        await found
    return caught.value


async def test_a_page_is_fetched_once_a_run_whoever_asks(tmp_path: Path) -> None:
    async with site(a=page(WORDS)) as served, web(tmp_path, Time(), cache=False) as pages:
        first, second = await asyncio.gather(pages.read(served.url("/a")), pages.read(served.url("/a#part")))
        third = await pages.read(served.url("/a"))
    assert first == second == third and first.title == "Page" and "worth reading" in first.text
    assert served.hits() == ["/a"] and served.hits(robots=True) == ["/robots.txt", "/a"]
    assert [exchange.ruling for exchange in pages.log] == ["passed", "passed"]


async def test_a_page_that_fails_after_nobody_waits_for_it_any_more_is_asked_for_again(
    tmp_path: Path,
) -> None:
    class Late:
        """The web once it lets the first answer, a failure, come: then the page."""

        def __init__(self) -> None:
            self.asked, self.come = 0, asyncio.Event()

        async def play(self, key: str, make: object) -> JsonDict:
            self.asked += 1
            if self.asked == 1:
                await self.come.wait()
                raise ActionError("The first answer is a failure.", kind="timeout")
            return {"url": URL, "status": 200, "content_type": "text/html", "charset": "utf-8",
                    "body": packed(WORDS.encode())}  # fmt: skip

    tape = Late()
    async with web(tmp_path, Time(), tape=tape) as pages:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(pages.read(URL), 0.01)
        (task,) = pages._pages.values()
        tape.come.set()
        await asyncio.wait([task])
        assert "worth" in (await pages.read(URL)).text and tape.asked == 2


async def test_hosts_get_their_pause_and_one_request_at_a_time(tmp_path: Path) -> None:
    time = Time()
    answers = {name: page(WORDS + name) for name in ("a", "b", "c", "d")}
    async with site(**answers) as served, web(tmp_path, time, delay=2.0, robots=False) as pages:
        await asyncio.gather(*(pages.read(served.url(f"/{name}")) for name in answers))
    assert time.slept == [2.0, 2.0, 2.0] and served.most[HERE] == 1


async def test_robots_txt_closes_pages_and_asks_for_a_pause(tmp_path: Path) -> None:
    time = Time()
    rules = page("User-agent: *\nDisallow: /closed\nCrawl-delay: 7\n", kind="text/plain")
    async with (
        site(robots__txt=rules, closed=page(WORDS), open=page(WORDS)) as served,
        web(tmp_path, time, delay=0.5, cache=False) as pages,
    ):
        refused = await failure(pages.read(served.url("/closed")))
        await pages.read(served.url("/open"))
        assert "robots.txt" in refused.why and isinstance(refused, NotAllowed)
        assert served.hits(robots=True) == ["/robots.txt", "/open"]
        await pages.read(served.url("/closed"), named=True)
    assert served.hits() == ["/open", "/closed"] and time.slept == [0.5, 7.0]


@pytest.mark.parametrize(
    ("rules", "readable"),
    [
        (page("gone", 404), True), (page("no", 403), True), (page("broken", 500), False),
        (page("slow down", 429), False), (redirect("/robots.txt"), True),
        (page("User-agent: *\nDisallow:\n" + "# x\n" * 300_000, kind="text/plain"), True),
        (page("User-agent: ddax\nDisallow: /\n\nUser-agent: *\nAllow: /\n"), False),
    ],
)  # fmt: skip
async def test_a_robots_txt_that_is_no_file(tmp_path: Path, rules: Answer, readable: bool) -> None:
    async with site(robots__txt=rules, a=page(WORDS)) as served, web(tmp_path, Time(), cache=False) as pages:
        if readable:
            assert "worth" in (await pages.read(served.url("/a"))).text
        else:
            assert "robots.txt" in (await failure(pages.read(served.url("/a")))).why
            assert served.hits() == []


@pytest.mark.parametrize(("status", "closed"), [(429, True), (403, False)])
async def test_what_a_robots_txt_closes_hangs_on_the_status_not_on_words(status: int, closed: bool) -> None:
    async def get(url: str) -> Fetched:
        raise Blocked("No.", why="Neither 403 nor 429 is said here.", status=status)

    permitted = Robots(get, clock=Time()).permit(urlsplit("http://a.test/x"))
    if closed:
        assert "could not be read" in (await failure(permitted)).why
    else:
        assert await permitted == 0.0


@pytest.mark.parametrize(
    "refusal",
    [
        page("no", 403), page("slow down", 429, Retry_After="120"), page("law", 451),
        page("<title>Just a moment...</title><p>Checking your browser before accessing"),
        page("<script src='https://challenges.cloudflare.com/turnstile/v0/api.js'></script>"),
        page(WORDS, Cf_Mitigated="challenge"),
    ],
)  # fmt: skip
async def test_who_refuses_us_is_left_alone_in_the_next_run_too(tmp_path: Path, refusal: Answer) -> None:
    time = Time()
    async with site(a=refusal, b=page(WORDS)) as served:
        async with web(tmp_path, time, robots=False, cache=False) as pages:
            assert isinstance(await failure(pages.read(served.url("/a"))), Blocked)
            assert (await failure(pages.read(served.url("/b")))).kind == "cooling_down"
        async with web(tmp_path, time, robots=False, cache=False) as pages:
            found = await failure(pages.read(served.url("/b")))
            assert found.kind == "cooling_down" and served.hits() == ["/a"]
            time.now += 301
            assert "worth" in (await pages.read(served.url("/b"))).text


async def test_each_further_refusal_doubles_the_time(tmp_path: Path) -> None:
    time = Time()
    async with (
        site(a=page("slow down", 429, Retry_After="100")) as served,
        web(tmp_path, time, robots=False) as pages,
    ):
        for seconds in (100, 200, 400):
            await failure(pages.read(served.url("/a")))
            waits = (await failure(pages.read(served.url("/a")))).what
            assert f"{seconds} s more" in waits
            time.now += seconds
    assert len(served.hits()) == 3


async def test_a_redirect_is_checked_at_every_hop(tmp_path: Path) -> None:
    async with site(out=page("")) as served:
        served.answers["/go"] = redirect(served.url("/inner", "inner.test"))
        async with web(tmp_path, Time()) as pages:
            served.answers["/far"] = redirect(served.url("/a", "far.test"))
            found = await failure(pages.read(served.url("/go")))
            assert isinstance(found, NotAllowed) and "not public" in found.why
        async with web(tmp_path, Time(), "far.test") as pages:
            served.answers["far.test/robots.txt"] = page("User-agent: *\nDisallow: /a", kind="text/plain")
            found = await failure(pages.read(served.url("/far")))
            assert "robots.txt" in found.why
    assert "/inner" not in served.hits() and "/a" not in served.hits()


async def test_domains_are_allowed_and_denied_by_the_settings(tmp_path: Path) -> None:
    policy = policy_of(only_domains=["good.test"], deny_domains=["bad.good.test"], resolver=everywhere)
    pages = Web(Settings(), policy, folder=tmp_path, time=Clocks(Time(), Time()))
    assert "outside" in (await failure(pages.read("http://else.test/"))).why
    assert "denied" in (await failure(pages.read("http://bad.good.test/"))).why
    assert "not public" in (await failure(pages.read("http://good.test/"))).why
    await pages.close()


async def test_a_fresh_page_comes_from_the_cache_and_a_stale_one_is_asked_for_by_its_tag(
    tmp_path: Path,
) -> None:
    async with site(
        a=page(WORDS, Cache_Control="max-age=600"), b=page(WORDS, ETag='"v1"', Cache_Control="no-cache")
    ) as served:
        for _ in range(2):
            async with web(tmp_path, Time(), robots=False) as pages:
                await pages.read(served.url("/a"))
                await pages.read(served.url("/b"))
    assert served.hits() == ["/a", "/b", "/b"]
    assert served.asked[-1].fields["if-none-match"] == '"v1"'


async def test_a_page_that_its_scripts_write_is_given_to_the_browser(tmp_path: Path) -> None:
    render = Browser()
    empty = page("<title>App</title><div id=app></div><script>draw()</script>")
    async with site(a=empty) as served:
        async with web(tmp_path, Time(), robots=False) as pages:
            assert (await failure(pages.read(served.url("/a")))).kind == "needs_browser"
        async with web(tmp_path, Time(), robots=False, render=render) as pages:
            assert "worth" in (await pages.read(served.url("/a"))).text
    assert render.asked == [served.url("/a")] and render.closed


async def test_a_recorded_web_is_replayed_without_a_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "super-secret-value")
    tape = tmp_path / "web.jsonl"
    async with site(a=page(WORDS + "super-secret-value"), b=page("no", 403)) as served:
        urls = [served.url("/a"), served.url("/b")]
        async with web(tmp_path / "1", Time(), robots=False, tape=open_tape(str(tape), "")) as pages:
            first = await pages.read(urls[0])
            assert isinstance(await failure(pages.read(urls[1])), Blocked)
    assert "super-secret-value" not in tape.read_text()
    async with web(tmp_path / "2", Time(), tape=open_tape("", str(tape))) as pages:
        again = await pages.read(urls[0])
        assert again.text == first.text.replace("super-secret-value", "[secret]**********")
        assert isinstance(await failure(pages.read(urls[1])), Blocked)
        assert (await failure(pages.read(served.url("/new")))).kind == "not_recorded"
        assert pages.log == []
    assert len(served.hits()) == 2


@pytest.mark.parametrize(
    "content", ["", "{}\n", "not json\n{}\n", json.dumps({"format": "ddax-web", "version": 99})]
)
def test_what_is_no_tape_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "tape.jsonl"
    path.write_text(content)
    with pytest.raises(SettingsError):
        open_tape("", str(path))
    with pytest.raises(SettingsError, match="not both"):
        open_tape("a", "b")
