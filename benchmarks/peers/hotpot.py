"""The same two-hop questions over the same local pages, asked with the same scripted model."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.core import Options, Target
from benchmarks.model_server import Served
from benchmarks.peers.driving import OURS, PEERS, Found, Peer, each_of, once
from benchmarks.peers.research import FILE
from benchmarks.peers.rows import Measure, Part, of_the_best, rows_of

POOL, QUESTIONS, QUICK = 20, 20, 5
"""Questions whose pages are pooled, and how many of them are asked."""
RESEARCHER = Peer("gpt-researcher", "gpt_researcher", "gpt-researcher")
READERS = (OURS, "LangGraph, prebuilt ReAct", "smolagents", RESEARCHER.name)

SOLVED = Measure("two-hop questions: answered", "share", "higher")
EACH = Measure("two-hop questions: model calls a question answered", "calls", "lower")
RATIO = Measure(
    "two-hop questions: calls a question answered, of the best peer's that answers as many", "×", "lower",
    Target("<=", 0.7),
)  # fmt: skip
TOKENS = Measure("two-hop questions: tokens a question answered", "", "lower")
SECONDS = Measure("two-hop questions: seconds a question, model without latency", "s", "lower")


def run(served: Served, options: Options, *, peers: Sequence[Peer] = (*PEERS, RESEARCHER)) -> Part:
    """Ask every reader."""
    rows = [json.loads(line) for line in options.file(FILE).read_text(encoding="utf-8").splitlines()][:POOL]
    pages = {p["title"]: "".join(p["sentences"]).strip() for row in rows for p in row["paragraphs"]}
    asked = rows[: QUICK if options.quick else QUESTIONS]
    missing = {
        peer.name: "has no tools and reads no pages by itself" for peer in peers if peer.name not in READERS
    }  # fmt: skip
    served.clear(0.0)
    given: dict[str, Any] = {"questions": [row["question"] for row in asked], "pages": pages}
    readers = [peer for peer in peers if peer.name in READERS]
    found = each_of(readers, lambda peer: [once(peer, "research", served, warm=False, **given)], missing)

    def right(one: Found) -> int:
        pairs = zip(asked, one.row["answers"], strict=True)
        return sum(row["answer"].lower() in str(answer).lower() for row, answer in pairs)

    def talk(one: Found) -> list[Mapping[str, Any]]:
        return [c for c in one.calls if c["kind"] != "embedding"]

    measures: dict[Measure, Callable[[Found], float | None]] = {
        SOLVED: lambda one: right(one) / len(asked),
        EACH: lambda one: len(talk(one)) / right(one) if right(one) else None,
        TOKENS: lambda one: (
            sum(c["tokens_in"] + c["tokens_out"] for c in talk(one)) / right(one) if right(one) else None
        ),
        SECONDS: lambda one: one.row["seconds"] / len(asked),
    }
    note = (
        f"{len(asked)} questions over {len(pages)} pages; the model answers once it was shown all pages "
        "that carry the answer; ReAct and smolagents have a search by BM25 and a tool that reads; "
        "gpt-researcher plans from that search and finds parts of pages by the embeddings that ours uses; "
        "ours has its own search, reads the folder anew for every question, and has outcomes judged where "
        "a value decides"
    )
    each = {name: measures[EACH](runs[0]) for name, runs in found.items()}
    solved = {name: float(right(runs[0])) for name, runs in found.items()}
    return Part([*rows_of(found, measures), *of_the_best(RATIO, each, solved)], (note,), missing)
