"""A sentence that the model knows of itself is no evidence: not in support, citations or memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ddax.debate.support import Means, supports
from ddax.memory.embed.likeness import Vectors
from ddax.memory.embeddings import open_embedder
from ddax.reasoning import protocol as p
from ddax.reasoning.entailment import open_check
from ddax.reasoning.language.replies.document import MergeWire, synthesis
from ddax.reasoning.language.replies.schemas import CitationWire
from ddax.types import Citation, Passage

PIER = "The pier was built by Jan Orr in 1902."
OWN = "Crowns were the money of that coast."
PASSAGE = Passage("m1", "a.md", "Doc", PIER, 0, len(PIER))


@pytest.fixture(scope="module")
def means() -> Means:
    embedder = open_embedder()
    return Means(open_check(embedder), Vectors(embedder).likeness)


@pytest.mark.parametrize("named", [(), (1,)])
def test_it_has_no_citation_whatever_it_was_given_with(named: tuple[int, ...], means: Means) -> None:
    cited = [Citation("m1", "a.md", "Doc", PIER)]
    stated = [p.Stated(PIER, (1,)), p.Stated(OWN, named, own=True)]
    first, own = supports(f"{PIER} {OWN}", cited, means, stated=stated)
    assert (first.status, first.citations) == ("supported", (1,))
    assert (own.status, own.citations) == ("knowledge", ())
    assert own.row()["origin"] == "model"


@pytest.mark.parametrize("marks", ["[own]", "[own] [1]", "[1] [own]", "[own][1]", "[1][own]"])
def test_it_adds_nothing_to_the_support_of_an_answer(marks: str) -> None:
    request = p.MergeRequest("t", "i", (), (PASSAGE,), final=True)
    reply = MergeWire(
        quotes=[CitationWire(passage="P1", quote=PIER)], answer=f"{PIER} [1] {OWN} {marks}", found=True,
        short="",
    )  # fmt: skip
    found = synthesis(reply, request, {"P1": PASSAGE})
    assert found.support == 0.5
    assert found.text == f"{PIER} {OWN}"
    assert [one.text for one in found.stated if one.own] == [OWN]


async def test_it_is_told_as_a_thought_and_never_as_evidence(kit: Any, tmp_path: Path) -> None:
    seen: list[Any] = []

    def merged(request: p.MergeRequest) -> p.Synthesis:
        seen.append(request)
        return p.Synthesis(OWN, (), True, 0.0, stated=(p.Stated(OWN, (), own=True),))

    script = {**kit.script(), "merge": [merged]}
    async with kit.agent(tmp_path, script, knowledge="allow") as agent:
        first = await agent.run(f"{kit.question} {OWN}", thread="a")
        kit.now += 60
        await agent.run(f"What were crowns? {OWN}", thread="b")
        state = await agent.state("a")
    assert [span["status"] for span in first["spans"]] == ["knowledge"]
    assert first["citations"] == []
    assert state["answer"]["carried"] == [0]
    rows = await kit.memory.rows("claims", limit=1000)
    assert not [c for row in rows for c in row["citations"] if OWN in c["quote"]]
    later = [request for request in seen if request.task.startswith("What were crowns")]
    assert later
    assert not [x for request in later for x in request.evidence if OWN in x.text]
    assert any(OWN in thought for request in later for thought in request.thoughts)
