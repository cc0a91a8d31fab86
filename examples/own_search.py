"""A search service of one's own: it knows which page to read. A small site stands for the web."""

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ddax import Context, open_agent
from ddax.actions.web.search.protocol import Result
from ddax.graph.services import Parts

PAGE = b"<title>The Harbour Almanac</title><p>The Harbour Almanac was written by Ines Calder in 1911.</p>"


class Site(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/almanac" else 404)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE if self.path == "/almanac" else b"")

    def log_message(self, *words):
        """Keep quiet."""


class Catalogue:
    name = "catalogue"

    def __init__(self, address):
        self.address = address

    async def search(self, query, *, count):
        """Find pages, best first; an ActionError says why that failed."""
        return [Result(f"{self.address}/almanac", "The Harbour Almanac", "A book of tides.")][:count]


async def main(address):
    context = Context(allow_hosts=("127.0.0.1",), namespace="own_search")
    async with open_agent(context, parts=Parts(search=Catalogue(address))) as agent:
        result = await agent.run("Who wrote the Harbour Almanac?")
        print(result["status"], result["short"] or result["answer"])
        for citation in result["citations"]:
            print(citation["source"], "|", citation["quote"])


if __name__ == "__main__":
    site = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    asyncio.run(main(f"http://127.0.0.1:{site.server_port}"))
    site.shutdown()
    site.server_close()
