"""gpt-researcher: its research over local documents, with a search of the same pages and our embeddings.

It plans from a first search; over local documents that search is one of its user's, so it has the search
by words that the others have. Every part of what it embeds is let through: how many it shows is its own.
"""

import asyncio
import contextlib
import http.server
import io
import json
import os
import threading
import urllib.parse


def load():
    """Import the peer, which reads its settings from the environment."""
    models = {f"{kind}_LLM": "openai:script" for kind in ("FAST", "SMART", "STRATEGIC")}
    os.environ.update(models, RETRIEVER="custom", EMBEDDING="custom:sentences", SIMILARITY_THRESHOLD="0.0")
    global GPTResearcher
    with contextlib.redirect_stdout(io.StringIO()):
        from gpt_researcher import GPTResearcher


def research(given):
    """Ask each question over a folder of the pages."""
    docs = f"{given['place']}-docs"
    os.makedirs(docs)
    for number, (title, text) in enumerate(given["pages"].items()):
        with open(f"{docs}/{number}.txt", "w") as file:
            file.write(f"{title}\n\n{text}\n")
    os.environ["DOC_PATH"] = docs
    with _searching(given) as address:
        os.environ["RETRIEVER_ENDPOINT"] = address
        return {"answers": [asyncio.run(_research(question)) for question in given["questions"]]}


@contextlib.contextmanager
def _searching(given):
    class Search(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)["query"][0]
            titles = given["search"].titles(query)[:5]  # as many as it asks services for
            rows = [{"url": title, "raw_content": f"{title}\n{given['pages'][title]}"} for title in titles]
            data = json.dumps(rows).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args):
            """Say nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Search) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


async def _research(question):
    with contextlib.redirect_stdout(io.StringIO()):
        it = GPTResearcher(
            query=question, report_type="research_report", report_source="local", verbose=False
        )
        await it.conduct_research()
        return await it.write_report()
