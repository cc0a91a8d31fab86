"""Search services against a local server that answers in their recorded form; choice, cache, ranks, domains.

The forms are those the services document; the services themselves are not asked here.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from ddax.actions.egress import policy_of
from ddax.actions.web.client import Time as Clocks
from ddax.actions.web.client import Web
from ddax.actions.web.library import WebLibrary
from ddax.actions.web.search.brave import Brave
from ddax.actions.web.search.choose import chosen, service_hosts
from ddax.actions.web.search.ddg import Ddgs
from ddax.actions.web.search.engine import ResultCache, WebSearch, distinct, normal, pace
from ddax.actions.web.search.protocol import Result
from ddax.actions.web.search.searxng import SearXNG
from ddax.actions.web.search.tavily import Tavily
from ddax.actions.web.tape import NoTape
from ddax.configs.secrets import Redactor
from ddax.configs.settings import Web as Settings
from ddax.errors import ActionError, SettingsError
from ddax.memory.embeddings import HashEmbedder
from ddax.types import Hit

SEARXNG = {
    "query": "q", "number_of_results": 0, "suggestions": [], "unresponsive_engines": [],
    "results": [
        {"url": "https://a.test/1", "title": "One", "content": "First  words", "engine": "x", "score": 1.0,
         "publishedDate": "2024-05-06T00:00:00", "category": "general", "parsed_url": ["https", "a.test"]},
        {"url": "https://b.test/2", "title": "Two", "content": "", "publishedDate": None},
        {"title": "without an address"},
    ],
}  # fmt: skip
BRAVE = {
    "type": "search", "query": {"original": "q"},
    "web": {"type": "search", "results": [
        {"title": "One", "url": "https://a.test/1", "description": "First words",
         "page_age": "2024-05-06T01:02:03",
         "language": "en", "family_friendly": True, "meta_url": {"hostname": "a.test"}},
        {"title": "Two", "url": "https://b.test/2", "description": ""},
    ]},
}  # fmt: skip
TAVILY = {
    "query": "q", "answer": None, "images": [], "response_time": 0.5, "request_id": "r",
    "results": [
        {"title": "One", "url": "https://a.test/1", "content": "First words", "score": 0.9,
         "raw_content": None, "published_date": "2024-05-06"},
        {"title": "Two", "url": "https://b.test/2", "content": "", "score": 0.1},
    ],
}  # fmt: skip
FOUND = [Result("https://a.test/1", "One", "First words", "2024-05-06"), Result("https://b.test/2", "Two")]


@asynccontextmanager
async def web(folder: Path) -> AsyncIterator[Web]:
    pages = Web(
        Settings(delay=0.0, fetch_seconds=60.0), policy_of(), folder=folder,
        time=Clocks(lambda: 1e9, lambda: 1.0), services=["127.0.0.1", "localhost"],
    )  # fmt: skip
    yield pages
    await pages.close()


async def test_searxng_is_asked_for_json(httpserver: HTTPServer, tmp_path: Path) -> None:
    wanted = {"q": "two words", "format": "json", "safesearch": "1"}
    httpserver.expect_request("/search", query_string=wanted).respond_with_json(SEARXNG)
    async with web(tmp_path) as pages:
        found = await SearXNG(httpserver.url_for(""), pages.ask).search("two words", count=5)
    assert found == FOUND


async def test_brave_gets_its_key_in_a_header(httpserver: HTTPServer, tmp_path: Path) -> None:
    def answer(request: Request) -> Response:
        assert request.headers["X-Subscription-Token"] == "key" and request.args["q"] == "two words"
        return Response(json.dumps(BRAVE), content_type="application/json")

    httpserver.expect_request("/res/v1/web/search").respond_with_handler(answer)
    async with web(tmp_path) as pages:
        found = await Brave("key", pages.ask, base=httpserver.url_for("")).search("two words", count=5)
    assert found == FOUND
    httpserver.check_assertions()


async def test_tavily_is_asked_by_post_with_a_bearer(httpserver: HTTPServer, tmp_path: Path) -> None:
    body = {"query": "two words", "max_results": 5, "include_answer": False}
    httpserver.expect_request(
        "/search", method="POST", json=body, headers={"Authorization": "Bearer key"}
    ).respond_with_json(TAVILY)
    async with web(tmp_path) as pages:
        found = await Tavily("key", pages.ask, base=httpserver.url_for("").rstrip("/")).search(
            "two words", count=5
        )
    assert found == FOUND


async def test_ddgs_is_given_the_proxy_as_its_way_out() -> None:
    seen: dict[str, Any] = {}

    class DDGS:
        def __init__(self, **given: Any) -> None:
            seen.update(given)

        def text(self, query: str, *, max_results: int) -> list[dict[str, str]]:
            if query == "none":
                raise RuntimeError("No results found.")
            return [{"href": "https://a.test/1", "title": "One", "body": "First words"}][:max_results]

    service = Ddgs(policy_of(), clock=lambda: 1.0, module=SimpleNamespace(DDGS=DDGS))
    assert await service.search("q", count=3) == [Result("https://a.test/1", "One", "First words")]
    assert seen["proxy"].startswith("http://127.0.0.1:")
    with pytest.raises(ActionError, match="found nothing"):
        await service.search("none", count=3)


@pytest.mark.parametrize("answer", ["[]", "not json", '{"results": 3}', "[" * 50_000])
async def test_an_answer_in_another_form_is_named(
    httpserver: HTTPServer, tmp_path: Path, answer: str
) -> None:
    httpserver.expect_request("/search").respond_with_data(answer, content_type="application/json")
    async with web(tmp_path) as pages:
        with pytest.raises(ActionError, match="another form") as caught:
            await SearXNG(httpserver.url_for(""), pages.ask).search("q", count=5)
    assert caught.value.kind == "bad_answer"


async def test_the_service_may_be_private_but_no_page_of_its_host(
    httpserver: HTTPServer, tmp_path: Path
) -> None:
    httpserver.expect_request("/search").respond_with_json(SEARXNG)
    async with web(tmp_path) as pages:
        await SearXNG(httpserver.url_for(""), pages.ask).search("q", count=5)
        with pytest.raises(ActionError, match="not public"):
            await pages.read(httpserver.url_for("/search"))


@pytest.mark.parametrize(
    ("search", "environ", "name"),
    [
        ("auto", {"TAVILY_API_KEY": "k", "BRAVE_API_KEY": "k"}, "tavily"),
        ("auto", {"BRAVE_SEARCH_API_KEY": "k"}, "brave"),
        ("auto", {"SEARXNG_URL": "http://h:1", "TAVILY_API_KEY": "k"}, "searxng"),
        ("brave", {"BRAVE_API_KEY": "k"}, "brave"),
        ("tavily", {}, None), ("brave", {"BRAVE_API_KEY": " "}, None), ("searxng", {}, None),
    ],
)  # fmt: skip
def test_the_service_is_the_named_one_or_the_one_that_is_there(
    search: Any, environ: Mapping[str, str], name: str | None
) -> None:
    settings = Settings(search=search)
    if name is None:
        with pytest.raises(SettingsError, match="cannot be used"):
            chosen(settings, environ)
    else:
        assert chosen(settings, environ) == name


def test_without_any_service_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ddax.actions.web.search.ddg.find_spec", lambda name: None)
    with pytest.raises(SettingsError, match=r"ddax\[search\]"):
        chosen(Settings(search="auto"), {})


def test_only_the_address_of_an_own_engine_may_be_private() -> None:
    assert service_hosts(Settings(search="searxng"), {"SEARXNG_URL": "http://LOCALHOST:8080/"}) == {
        "localhost"
    }
    assert not service_hosts(Settings(search="tavily"), {"SEARXNG_URL": "http://localhost:8080"})
    with pytest.raises(SettingsError, match="no address"):
        service_hosts(Settings(search="searxng", searxng_url="ftp://h"), {})


class Listed:
    """A service that finds what it is given."""

    name = "listed"

    def __init__(self, *results: Result) -> None:
        self.results, self.asked = list(results), list[str]()

    async def search(self, query: str, *, count: int) -> list[Result]:
        self.asked.append(query)
        return self.results[:count]


class Time:
    def __init__(self) -> None:
        self.now, self.slept = 1e9, list[float]()

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def engine(folder: Path, service: Listed, time: Time, **domains: list[str]) -> WebSearch:
    cache = ResultCache(folder / "s.sqlite", clock=time, hours=1.0)
    paced = pace(30, monotonic=time, sleep=time.sleep)
    return WebSearch(service, policy_of(**domains), HashEmbedder(), cache, NoTape(), paced, 10)  # type: ignore[arg-type]


async def test_results_are_kept_paced_and_asked_for_again_when_old(tmp_path: Path) -> None:
    time, service = Time(), Listed(*FOUND)
    search = engine(tmp_path, service, time)
    await search.search("one")
    await search.search("  one ")
    await search.search("two")
    assert service.asked == ["one", "two"] and time.slept == [2.0]
    time.now += 3601
    await engine(tmp_path, service, time).search("one")
    assert service.asked == ["one", "two", "one"]


async def test_a_secret_in_a_result_is_hidden_before_it_is_cut_or_kept(tmp_path: Path) -> None:
    secret = "swordfish-7731-abcd"
    told = Result("https://docs.example/a", f"{'x' * 190} {secret}", f"{'long ' * 198}{secret}")
    search = engine(tmp_path, Listed(told), Time())
    search.redactor = Redactor([secret])
    (hit,) = await search.search("one")
    assert "[secret]" in hit.title and "[secret]" in hit.snippet
    assert "sword" not in hit.title + hit.snippet
    assert b"swordfish" not in (tmp_path / "s.sqlite").read_bytes()


async def test_results_outside_of_the_domains_are_left_out(tmp_path: Path) -> None:
    service = Listed(*FOUND, Result("javascript:alert(1)", "x"), Result("https://x.b.test/", "y"))
    assert [
        h.source for h in await engine(tmp_path, service, Time(), deny_domains=["b.test"]).search("q")
    ] == ["https://a.test/1"]
    (tmp_path / "s.sqlite").unlink()
    only = await engine(tmp_path, service, Time(), only_domains=["b.test"]).search("q")
    assert {h.source for h in only} == {"https://b.test/2", "https://x.b.test/"}


async def test_what_fits_the_intent_comes_first(tmp_path: Path) -> None:
    service = Listed(
        Result("https://a.test/", "Gardening", "how to grow roses in a pot"),
        Result("https://b.test/", "Corvane Tower", "the architect of the Corvane Tower was Ilse Maran"),
    )
    hits = await engine(tmp_path, service, Time()).search(
        "tower", intent="who was the architect of the Corvane Tower"
    )
    assert [h.source for h in hits] == ["https://b.test/", "https://a.test/"]
    assert all(0 <= h.score <= 1 for h in hits)


def test_one_page_has_one_address() -> None:
    same = [
        "http://www.a.test/x/?utm_source=n&b=2&a=1#top",
        "https://a.test/x?a=1&b=2",
        "https://a.test:443/x?b=2&a=1",
    ]
    assert len({normal(url) for url in same}) == 1
    assert [r.title for r in distinct([Result(url, str(k)) for k, url in enumerate(same)])] == ["0"]


def test_the_first_of_doubles_stays_at_its_place_and_pages_by_a_bare_query_are_none() -> None:
    urls = [
        "https://a.test/x",
        "https://b.test/",
        "http://www.a.test/x/",
        "https://w.test/?Alpha",
        "https://w.test/?Beta",
    ]
    found = distinct([Result(url, str(k)) for k, url in enumerate(urls)])
    assert [r.title for r in found] == ["0", "1", "3", "4"]


class Local:
    """Sources that hold one document or nothing."""

    def __init__(self, *hits: Hit) -> None:
        self.specs, self.hits = ("docs",), list(hits)

    async def search(self, query: str, *, intent: str = "", k: int = 10, mode: str = "hybrid") -> list[Hit]:
        return self.hits[:k]

    def describe(self) -> str:
        return "docs (1 documents)"


class Broken(Listed):
    """A service that is down."""

    async def search(self, query: str, *, count: int) -> list[Result]:
        raise ActionError("listed failed.", kind="search")


async def test_sources_and_web_are_one_library(tmp_path: Path) -> None:
    mine = Hit("d", "docs/a.md", "Mine", "words", 0.99)
    both = WebLibrary(Local(mine), engine(tmp_path, Listed(*FOUND), Time()))  # type: ignore[arg-type]
    assert [h.source for h in await both.search("one", k=2)] == ["docs/a.md", "https://a.test/1"]
    assert both.describe() == "docs (1 documents) and the web by listed"
    down = WebLibrary(Local(mine), engine(tmp_path, Broken(), Time()))  # type: ignore[arg-type]
    assert [h.source for h in await down.search("other")] == ["docs/a.md"]
    with pytest.raises(ActionError, match="listed failed"):
        await WebLibrary(Local(), engine(tmp_path, Broken(), Time())).search("other")  # type: ignore[arg-type]
