"""What hostile callers send a server: settings that reach the machine, requests for what others have."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.serve_place import PRIVATE, PUBLIC, SECRET, Place

if TYPE_CHECKING:
    import httpx

AT_ONCE = 12
SECONDS = 120.0
HOSTILE: Sequence[tuple[str, Any]] = (
    ("actions.files", ["{place}/plugin.py"]),
    ("actions.files", ["plugin.py"]),
    ("actions.mcp", ["x=touch {place}/touched"]),
    ("actions.mcp", ["x=http://127.0.0.1:{trap}/mcp"]),
    ("actions.allow", ["fetch", "browse"]),
    ("actions.reads", ["x_send"]),
    ("record", "{place}/loot-record"),
    ("record", "home/../loot-record-2"),
    ("replay", "{place}/secret.txt"),
    ("web.record", "{place}/loot-tape"),
    ("web.replay", "{place}/secret.txt"),
    ("web.searxng_url", "http://127.0.0.1:{trap}/"),
    ("browser.downloads", "{place}/loot"),
    ("browser.secrets", {"PIN": {"env": "CANARY_WORD", "domain": "127.0.0.1"}}),
    ("browser.writes", True),
    ("sources", ["{place}/secret.txt"]),
    ("sources", ["{place}"]),
    ("sources", ["secret.txt"]),
    ("sources", ["papers/../secret.txt"]),
    ("sources", ["/etc/passwd"]),
    ("sources", ["file://{place}/secret.txt"]),
    ("sources", ["~"]),
    ("sources", ["http://127.0.0.1:{trap}/source"]),
    ("sources", ["http://localhost:{trap}/source"]),
    ("sources", ["http://[::ffff:127.0.0.1]:{trap}/source"]),
    ("sources", ["browser:http://127.0.0.1:{trap}/page"]),
    ("sources", ["browser:http://localhost:{trap}/page"]),
    ("sources", ["python:../../secret"]),
    ("sources", ["world:FrozenLake-v1?render_mode=human"]),
    ("identity", "{place}/secret.yaml"),
    ("debate.panel", "{place}/secret.yaml"),
    ("trust.rubric", "{place}/secret.yaml"),
    ("mood.matrices", "{place}/secret.yaml"),
    ("mood.matrices", "secret.txt"),
    ("model", "gguf:{place}/secret.txt"),
    ("model", "huggingface:{place}"),
    ("models.plan", "gguf:secret.txt"),
    ("models.fallbacks", ["gguf:secret.txt"]),
    ("budget.max_usd", 1e9),
    ("budget.max_seconds", 1e9),
    ("web.robots", False),
    ("web.delay", 0.0),
)
"""Settings and values; what they name is in the place."""
TOGETHER: Sequence[dict[str, Any]] = (
    {"allow_hosts": ["127.0.0.1"], "sources": ["http://127.0.0.1:{trap}/together"]},
    {"allow_hosts": ["127.0.0.1"], "sources": ["browser:http://127.0.0.1:{trap}/together"]},
    {"allow_hosts": ["localhost"], "web": {"search": "searxng", "searxng_url": "http://localhost:{trap}/"}},
    {"browser": {"downloads": "{place}/loot", "writes": True}, "allow_hosts": ["127.0.0.1"],
     "sources": ["browser:http://127.0.0.1:{trap}/file"]},
    {"server": {"sources_below": ["/"]}, "sources": ["{place}/secret.txt"]},
)  # fmt: skip
CONTROLS: Sequence[dict[str, Any]] = (
    {"actions": {"files": ["{place}/plugin.py"]}},
    {"record": "{place}/loot-record"},
    {"sources": ["{place}/secret.txt"]},
    {"allow_hosts": ["127.0.0.1"], "sources": ["http://127.0.0.1:{trap}/together"]},
)
"""What is sent to a copy without guards: it does what is asked, and the rest of them takes long there."""
TASK = "Who opened the vault?"
ORIGINS: Sequence[dict[str, str]] = (
    {"origin": "http://evil.example"}, {"origin": "https://evil.example"}, {"origin": "null"}, {"origin": ""},
    {"origin": "http://localhost.evil.example"}, {"origin": "https://smith.langchain.com.evil.example"},
    {"origin": "http://evil.example", "sec-fetch-site": "same-origin"}, {"sec-fetch-site": "cross-site"},
)  # fmt: skip
ROUTES: Sequence[tuple[str, str]] = (
    ("POST", "/runs/wait"), ("POST", "/runs/stream"), ("POST", "/runs"), ("POST", "/threads"),
    ("POST", "/threads/search"), ("POST", "/assistants/search"), ("POST", "/mcp/"), ("PUT", "/store/items"),
    ("POST", "/store/items/search"), ("GET", "/info"), ("GET", "/docs"), ("GET", "/openapi.json"),
    ("GET", "/deploy"), ("POST", "/internal/truncate"), ("OPTIONS", "/runs/wait"),
)  # fmt: skip


class Sent(NamedTuple):
    """A hostile request, and what came back."""

    what: str
    status: int
    text: str


def all_contexts() -> Iterator[dict[str, Any]]:
    """Yield the hostile contexts."""
    for key, value in HOSTILE:
        section, _, name = key.rpartition(".")
        yield {section: {name: value}} if section else {name: value}
    yield from TOGETHER


async def hostile_runs(place: Place, contexts: Iterable[dict[str, Any]]) -> list[Sent]:
    """Send each hostile context, as such and as `configurable`; bob does where a key is asked for."""
    plain = {"assistant_id": "ddax", "input": {"task": TASK}}
    asked: list[tuple[str, str, str, Any, dict[str, str]]] = []
    for hostile in contexts:
        named, context = json.dumps(hostile), place.filled(hostile)
        asked.append(("POST", "/runs/wait", named, {**plain, "context": context}, {}))
        config = {"configurable": context}
        asked.append(("POST", "/runs/wait", f"{named} as configurable", {**plain, "config": config}, {}))
    return await sent(place, asked)


async def foreign_runs(place: Place) -> list[Sent]:
    """Send runs and other requests as pages of other sites would; a key is not theirs to send."""
    body = {
        "assistant_id": "ddax",
        "input": {"task": TASK},
        "context": place.filled({"actions": {"files": ["{place}/plugin.py"]}}),
    }
    asked = [
        (method, path, f"{method} {path} from {headers}", body, headers)
        for headers in ORIGINS
        for method, path in ROUTES
    ]
    return await sent(place, asked)


async def sent(place: Place, asked: Sequence[tuple[str, str, str, Any, dict[str, str]]]) -> list[Sent]:
    """Send requests, some at once, and return what came back."""
    import httpx

    turns = asyncio.Semaphore(AT_ONCE)
    async with httpx.AsyncClient(base_url=place.url, headers=place.headers(), timeout=SECONDS) as client:

        async def one(method: str, path: str, what: str, body: Any, headers: dict[str, str]) -> Sent:
            async with turns:
                return await _one(client, method, path, what, body, headers)

        return list(await asyncio.gather(*(one(*each) for each in asked)))


async def _one(
    client: httpx.AsyncClient, method: str, path: str, what: str, body: Any, headers: dict[str, str]
) -> Sent:
    import httpx

    content = {} if method in ("GET", "OPTIONS") else {"json": body}
    try:
        reply = await client.request(method, path, headers=headers, **content)
    except httpx.TransportError as error:
        return Sent(what, 0, f"no answer: {type(error).__name__}")
    return Sent(what, reply.status_code, reply.text)


def effects(place: Place, back: Sequence[Sent]) -> list[str]:
    """Return what hostile requests did to the machine: files, connections, and secrets that were told."""
    told = [f"told the secret for {one.what}" for one in back if SECRET in one.text]
    return [
        *(f"wrote {name}" for name in place.written()),
        *(f"opened {hit}" for hit in place.trap.hits),
        *told,
    ]


async def honest(place: Place) -> float:
    """Return the share of plain runs that are answered, so that a dead server passes for no safe one."""
    context = {"sources": [str(place.folder / "papers" / "almanac.txt")], "budget": {"max_steps": 40}}
    body = {"assistant_id": "ddax", "input": {"task": "Who wrote the Harbour Almanac?"}, "context": context}
    back = await sent(place, [("POST", "/runs/wait", f"plain {k}", body, {}) for k in range(3)])
    return sum(PUBLIC in one.text for one in back) / len(back)


async def others(place: Place) -> tuple[int, int, int]:
    """Let ada read a page of her own, and bob ask for it; return his requests, her bytes, her answers."""
    import httpx

    task = "Who wrote the private diary?"
    run = {"assistant_id": "ddax", "input": {"task": task}}
    async with httpx.AsyncClient(base_url=place.url, headers=place.headers("ada"), timeout=SECONDS) as ada:
        thread = (await ada.post("/threads", json={})).json()["thread_id"]
        source = {"sources": [str(place.folder / "papers" / "ada.txt")], "namespace": "diary"}
        own = await ada.post(f"/threads/{thread}/runs/wait", json={**run, "context": source})
        item = {"namespace": ["ada"], "key": "k", "value": {"text": PRIVATE}}
        await ada.put("/store/items", json=item)
    back = await sent(place, [*_asking(run), *_at_thread(thread, run)])
    bobs = [file for file in place.folder.glob("home/owners/bob-*/**/*") if file.is_file()]
    seen = "".join(one.text for one in back).count(PRIVATE) + sum(
        file.read_bytes().count(PRIVATE.encode()) for file in bobs
    )
    return len(back), seen * len(PRIVATE), int(PRIVATE in own.text)


def _asking(run: dict[str, Any]) -> Iterator[tuple[str, str, str, Any, dict[str, str]]]:
    for namespace in ("default", "diary", "ada", "../ada", "owners/ada", "*"):
        yield "POST", "/runs/wait", f"memory {namespace}", {**run, "context": {"namespace": namespace}}, {}
    yield "POST", "/a2a/ddax", "a2a", _rpc("message/send", run), {}
    for prefix in (["ada"], [], ["bob"]):
        yield "POST", "/store/items/search", "store", {"namespace_prefix": prefix}, {}
    yield "GET", "/store/items?namespace=ada&key=k", "store item", None, {}
    for headers in ({"x-auth-scheme": "langsmith", "x-api-key": ""}, {"x-api-key": ""}):
        yield "POST", "/threads/search", "another door", {"limit": 100}, headers
    yield "POST", "/threads/search", "all threads", {"limit": 100, "metadata": {"owner": "ada"}}, {}


def _rpc(method: str, run: dict[str, Any]) -> dict[str, Any]:
    part = {"kind": "text", "text": run["input"]["task"]}
    message = {"role": "user", "parts": [part], "messageId": "m"}
    return {"jsonrpc": "2.0", "id": "1", "method": method, "params": {"message": message}}


def _at_thread(thread: str, run: dict[str, Any]) -> Iterator[tuple[str, str, str, Any, dict[str, str]]]:
    place = f"/threads/{thread}"
    for path in ("", "/state", "/history", "/runs", "/stream"):
        yield "GET", f"{place}{path}", f"GET thread{path}", None, {}
    for path in ("/history", "/copy", "/state", "/state/checkpoint", "/runs/wait", "/runs/stream", "/runs"):
        yield "POST", f"{place}{path}", f"POST thread{path}", {**run, "values": {}, "checkpoint": {}}, {}
    yield "PATCH", place, "take the thread", {"metadata": {"owner": "bob"}}, {}
    yield "GET", f"/internal/debug/thread/{thread}", "debug", None, {}
    here = {"thread_id": thread, "checkpoint_ns": ""}
    for more in ({"config": {"configurable": here}}, {"checkpoint": here}, {"context": here}):
        yield "POST", "/runs/wait", "the thread in a run", {**run, **more}, {}
    yield "DELETE", place, "delete", None, {}
