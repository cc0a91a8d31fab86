"""A retriever of one's own as a source: here the full-text search of an SQLite table, and no model."""

import asyncio
import re
import sqlite3

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from ddax import Context, from_retriever, open_agent

PAGES = [
    ("almanac", 3, "The Harbour Almanac was written by Ines Calder in 1911. It lists the tides."),
    ("ferry", 1, "The ferry of Belmark sails twice a day. A ticket costs 4 pounds."),
]


class FullText(BaseRetriever):
    """Find rows that hold a word of the query, best first."""

    base: sqlite3.Connection

    def _get_relevant_documents(self, query, *, run_manager):
        words = " OR ".join(re.findall(r"\w+", query))
        rows = self.base.execute(
            "SELECT name, page, body FROM pages WHERE pages MATCH ? ORDER BY rank LIMIT 5", (words,)
        )
        return [Document(body, metadata={"source": name, "page": page}) for name, page, body in rows]


def table():
    base = sqlite3.connect(":memory:", check_same_thread=False)
    base.execute("CREATE VIRTUAL TABLE pages USING fts5(name UNINDEXED, page UNINDEXED, body)")
    base.executemany("INSERT INTO pages VALUES (?, ?, ?)", PAGES)
    return base


async def main(base):
    # `outside=False`: the table is ours, so what is searched for may hold words from private sources.
    context = Context(namespace="own_retriever")
    retriever = from_retriever(FullText(base=base), outside=False)
    async with open_agent(context, retriever=retriever) as agent:
        result = await agent.run("Who wrote the Harbour Almanac?")
        print(result["status"], "|", result["short"])
        for citation in result["citations"]:
            print(citation["source"], citation["metadata"], "|", citation["quote"])


if __name__ == "__main__":
    opened = table()
    asyncio.run(main(opened))
    opened.close()
