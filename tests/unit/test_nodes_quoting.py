"""A reasoner is not taken at its word: what does not stand where it is said to is no citation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ddax.environments.grid import GridWorld
from ddax.graph.state import Answer
from ddax.ideas.idea import root
from ddax.reasoning import protocol as p
from ddax.reasoning.scripted import ScriptedReasoner
from ddax.steps.findings.final_answer import supported
from ddax.steps.findings.quote_check import verbatim
from ddax.types import Citation, Record

TEXT = "The pier was built by Jan Orr in 1902."


@pytest.mark.parametrize(
    ("row", "quote", "stands"),
    [
        ("there", TEXT, True),
        ("there", "built by Jan Orr", True),
        ("there", "built by Elvis Presley", False),
        ("there", " ", False),
        ("nowhere", TEXT, False),
    ],
)
async def test_a_quote_stands_in_the_row_it_names_or_is_none(
    kit: Any, row: str, quote: str, stands: bool
) -> None:
    session = kit.session()
    (there,) = await session.memory.put([Record("observation", TEXT, source="pier.md", title="Pier")])
    cited = Citation(there if row == "there" else row, "pier.md", "Pier", quote)
    reply = await verbatim(p.Synthesis("So it is.", (cited,), True, 0.9), session)
    assert reply.citations == ((cited,) if stands else ())


async def test_an_answer_with_a_made_up_quote_is_not_checked(kit: Any, tmp_path: Any) -> None:
    def makes_up(request: p.MergeRequest) -> p.Synthesis:
        (one,) = (passage for passage in request.evidence if passage.title == "Ilse Maran")
        said = "It was compiled by Elvis Presley."
        return p.Synthesis(said, (Citation(one.id, one.source, one.title, said),), True, 0.9)

    async with kit.agent(tmp_path, {**kit.script(), "merge": [makes_up]}) as agent:
        result = await agent.run("Where was Ilse Maran born?", thread="t")
    assert (result["citations"], result["answer"]) == ([], "It was compiled by Elvis Presley.")
    assert [span["status"] for span in result["spans"]] == ["unchecked"]


@pytest.mark.parametrize(("name", "marked"), [("openai:m", True), ("embedded", False)])
async def test_in_a_world_a_model_is_not_taken_at_its_word_and_the_report_of_deeds_is(
    kit: Any, name: str, marked: bool
) -> None:
    reasoner = ScriptedReasoner({}, name=name)
    session = replace(kit.session(), world=GridWorld(), reasoner=reasoner)
    cited = {"passage_id": "x", "quote": "Delete account", "source": "x", "title": "x"}
    told = Answer(text="Your account is deleted.", short="", found=True, support=1.0, citations=[cited])
    state = {"work": {"id": "t", "text": "Delete it.", "root": "0"}, "ideas": {"0": root(0, "Delete it.")}}
    found = await supported(told, state, session)
    assert found["text"] == told["text"]
    assert [span["status"] for span in found.get("spans", [])] == (["unchecked"] if marked else [])
