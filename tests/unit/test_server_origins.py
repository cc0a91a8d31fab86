"""Which pages of a browser may call a LangGraph server."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from ddax.configs.server import Server
from ddax.graph.origins import LOOPBACK, STUDIO, Origins, app, refusal
from ddax.graph.session.callers import AUTH

HERE = "127.0.0.1:2024"
FOREIGN = [
    "http://evil.example", "https://evil.example:2024", "null", "", "http://localhost.evil.example",
    "http://127.0.0.1.evil.example", "https://smith.langchain.com.evil.example", "http://smith.langchain.com",
    "https://xsmith.langchain.com", "http://localhost:2024/", "http://user@localhost", "http://0.0.0.0:2024",
    "http://128.0.0.1", "http://[::2]", "file://", "chrome-extension://abc", "http://localhost:x",
    "http://127.0.0.1\thttp://evil.example", "http://192.168.1.5:2024",
]  # fmt: skip
OURS = [STUDIO, "http://localhost:3000", "https://localhost", "http://127.0.0.1:2024", "http://[::1]:5173"]


def scope(path: str = "/threads", **headers: str) -> dict[str, Any]:
    named = {"host": HERE, **{name.replace("_", "-"): value for name, value in headers.items()}}
    rows = [(name.encode(), value.encode()) for name, value in named.items()]
    return {"type": "http", "method": "POST", "path": path, "root_path": "", "headers": rows}


def refused(keyed: bool = False, server: Server | None = None, **given: Any) -> str:
    return refusal(scope(**given), server or Server(), keyed=keyed)


@pytest.mark.parametrize("keyed", [False, True])
@pytest.mark.parametrize("origin", FOREIGN)
def test_a_foreign_page_is_refused(origin: str, keyed: bool) -> None:
    words = refused(keyed, origin=origin)
    assert "may not call this server" in words and "DDAX_SERVER__ORIGINS" in words
    assert refused(keyed, origin=origin, sec_fetch_site="same-origin")


@pytest.mark.parametrize("origin", OURS)
def test_studio_and_pages_of_this_machine_may_call(origin: str) -> None:
    assert refused(origin=origin, sec_fetch_site="cross-site") == ""


def test_a_request_without_an_origin_may_come_from_no_other_site() -> None:
    assert refused() == refused(sec_fetch_site="none") == refused(sec_fetch_site="same-origin") == ""
    assert "another site" in refused(sec_fetch_site="cross-site")
    assert "another site" in refused(sec_fetch_site="Cross-Site", path="/ok")


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:2024", "127.0.0.1.evil.example", "[::1", "0.0.0.0", ""]
)
def test_a_name_that_was_bound_to_this_machine_is_none_of_ours(host: str) -> None:
    assert "no name of this machine" in refused(host=host)
    assert refused(host=host, path="/ok") == "", "a probe asks by any name"
    assert refused(keyed=True, host=host) == "", "who has a key is asked for it"
    assert refused(host=host, origin=f"http://{host}")


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:2024", "127.0.0.1", "127.1.2.3:80", "[::1]:2024", "api:8000"]
)
def test_the_names_of_this_machine_and_of_the_settings_are_ours(host: str) -> None:
    assert refused(server=Server(hosts=("api",)), host=host) == ""


def test_the_settings_may_name_a_page_and_a_server_serves_its_own() -> None:
    chat = Server(origins=("https://chat.example.org/",))
    assert refused(server=chat, origin="https://chat.example.org") == ""
    assert refused(server=chat, origin="https://chat.example.org.evil.example")
    assert refused(keyed=True, host="agents.example.org", origin="https://agents.example.org") == ""
    assert refused(keyed=True, host="agents.example.org", origin="https://evil.example.org")


def test_what_says_two_things_is_refused() -> None:
    for name in (b"host", b"origin", b"sec-fetch-site"):
        twice = scope(origin=STUDIO, sec_fetch_site="same-origin")
        twice["headers"].append((name.upper(), b"http://localhost"))
        assert "twice" in refusal(twice, Server(), keyed=True)


@pytest.mark.parametrize(
    "path", ["/internal/debug/thread/x", "/internal/truncate", "/deploy", "/deploy/x/stream"]
)
def test_what_asks_for_no_key_is_closed_on_a_server_that_does(path: str) -> None:
    assert "asks for no key" in refused(keyed=True, path=path)
    assert refused(path=path) == ""
    assert "asks for no key" in refusal(
        {**scope(path), "path": f"/v1{path}", "root_path": "/v1"}, Server(), keyed=True
    )


def test_the_server_may_ask_itself() -> None:
    inside = {**scope(host="api", origin="http://evil.example"), "root_path": "/noauth"}
    assert refusal(inside, Server(), keyed=True) == refusal(inside, Server(), keyed=False) == ""
    assert refusal({**inside, "root_path": "/noauthor"}, Server(), keyed=False)


async def through(given: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Send a request through the guard; return what came back, and what the server behind it saw."""
    back: list[dict[str, Any]] = []
    seen: list[dict[str, Any]] = []

    async def inner(inner_scope: Any, receive: Any, send: Any) -> None:
        seen.append(inner_scope)

    async def receive() -> Any:
        return {"type": f"{given['type']}.connect"}

    async def send(message: Any) -> None:
        back.append(message)

    await Origins(inner)(given, receive, send)
    return back, seen


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("DDAX_") or name == AUTH]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("bare")
async def test_the_guard_answers_in_place_of_the_server() -> None:
    back, seen = await through(scope(origin="http://evil.example"))
    assert back[0]["status"] == 403 and "evil.example" in json.loads(back[1]["body"])["detail"]
    assert seen == []
    back, seen = await through({**scope(origin="http://evil.example"), "type": "websocket"})
    assert [one["type"] for one in back] == ["websocket.close"] and seen == []
    asked = scope(origin=STUDIO, access_control_request_private_network="true")
    back, seen = await through(asked)
    assert back == [] and [name for name, _ in seen[0]["headers"]] == [b"host", b"origin"]
    back, seen = await through({"type": "lifespan"})
    assert len(seen) == 1


@pytest.mark.usefixtures("bare")
async def test_a_server_whose_settings_cannot_be_read_lets_nobody_in(tmp_path: Path) -> None:
    (tmp_path / "ddax.yaml").write_text("server: {orgins: [x]}\n")
    back, seen = await through(scope())
    assert back[0]["status"] == 500 and b"origins" in back[1]["body"] and seen == []


@pytest.mark.parametrize("name", ["langgraph.json", "langgraph.server.json"])
def test_both_files_name_the_guard_and_the_pages_that_may_read(repo: Path, name: str) -> None:
    http = json.loads((repo / name).read_text(encoding="utf-8"))["http"]
    assert http["app"] == "ddax.graph.origins:app" and http["disable_webhooks"] is True
    assert http["cors"]["allow_origins"] == [STUDIO] and http["cors"]["allow_credentials"] is False
    assert re.compile(http["cors"]["allow_origin_regex"]).pattern == LOOPBACK
    assert [one.cls is Origins for one in app.user_middleware] == [True]


def test_the_servers_file_lets_no_page_in_that_says_it_is_studio(repo: Path) -> None:
    file = json.loads((repo / "langgraph.server.json").read_text(encoding="utf-8"))
    assert file["auth"]["disable_studio_auth"] is True
