"""Questions over small documents, as data: what is claimed of them, and what is only shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ddax.reasoning.embedded import EmbeddedReasoner
from ddax.reasoning.protocol import MergeRequest, Synthesis
from ddax.types import Passage

CASES: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("reader_cases.yaml").read_text(encoding="utf-8")
)


async def ask(reasoner: EmbeddedReasoner, task: str, *documents: tuple[str, str]) -> Synthesis:
    """Ask a question of documents, each by its title and its text."""
    pages = tuple(Passage(title, f"{title}.md", title, text, 0, len(text)) for title, text in documents)
    return await reasoner.merge(MergeRequest(task, task, (), pages, final=True))


def shown(reply: Synthesis) -> str:
    """Return what a reader sees: the claim, or the passages that come nearest."""
    return "\n\n".join([reply.text, *(one.quote for one in reply.nearest)])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["question"])
async def test_a_case(reasoner: EmbeddedReasoner, case: dict[str, Any]) -> None:
    reply = await ask(reasoner, case["question"], (case.get("title", "page"), case["document"]))
    assert reply.found is case.get("claimed", True), (reply.support, reply.text)
    assert case.get("says", "") in shown(reply)
    assert all(quote.quote in case["document"] for quote in reply.citations)


async def test_where_nothing_is_claimed_passages_are_quoted_with_place(reasoner: EmbeddedReasoner) -> None:
    reply = await ask(
        reasoner, "Who paid for the tunnel at Rusk?",
        ("Rusk", "# Rusk\n\n## History\n\nThe bridge at Rusk was paid for by the guild.\n"),
        ("Vessa", "# Vessa\n\nVessa has a lighthouse.\n"),
    )  # fmt: skip
    assert not reply.found and not reply.citations and reply.support < 0.9
    assert reply.text.startswith("Not found in the sources") and len(reply.nearest) <= 3
    best = reply.nearest[0]
    assert "paid for by the guild" in best.quote and best.place == "Rusk.md (Rusk, History)"


TOWER = ("Corvane Tower", "The Corvane Tower is a lookout tower in Belmark. Ilse Maran designed it in 1931.")
MARAN = ("Ilse Maran", "Ilse Maran was an architect. She was born in the city of Trondby and died in 1970.")
OTHERS = tuple(
    (f"{name} Maran", f"{name} Maran was an architect. {name} Maran was born in the city of {city}.")
    for name, city in (("Otto", "Vessa"), ("Runa", "Calder"), ("Pell", "Rusk"))
)


@pytest.mark.parametrize("others", [(), OTHERS], ids=["alone", "among others of whom the same is said"])
async def test_what_a_document_leads_to_is_claimed_with_what_leads_to_it(
    reasoner: EmbeddedReasoner, others: tuple[tuple[str, str], ...]
) -> None:
    question = "In which city was the architect of the Corvane Tower born?"
    reply = await ask(reasoner, question, TOWER, MARAN, *others)
    assert reply.found and "born in the city of Trondby" in reply.text
    assert [quote.source for quote in reply.citations] == ["Ilse Maran.md", "Corvane Tower.md"]
    assert "Ilse Maran designed it" in reply.text


async def test_nobody_is_claimed_to_whom_no_document_leads(reasoner: EmbeddedReasoner) -> None:
    question = "In which city was the architect of the Corvane Tower born?"
    bare = ("Corvane Tower", "The Corvane Tower is a lookout tower in Belmark. It was built in 1931.")
    assert not (await ask(reasoner, question, bare, MARAN, *OTHERS)).found


REYES = ("Carl Reyes", "Carl Reyes makes films. He was born in Arica in 1950.")
HOLT = ("Anna Holt", "Anna Holt makes films. She studied law in Vienna.")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It was directed by Carl Reyes.", True),
        ("It was directed by Anna Holt and produced by Carl Reyes.", False),
        ("It was not directed by Carl Reyes but by Anna Holt.", False),
    ],
)
async def test_where_one_sentence_names_two_neither_is_claimed(
    reasoner: EmbeddedReasoner, text: str, found: bool
) -> None:
    film = ("Bellwether", f"Bellwether is a drama of 1984. {text}")
    reply = await ask(reasoner, "Where was the director of Bellwether born?", film, REYES, HOLT)
    assert reply.found is found and ("Arica" in reply.text) is found, (reply.support, reply.text)
    assert found or reply.support <= 0.5


async def test_a_name_that_stands_in_a_longer_one_is_another_name(reasoner: EmbeddedReasoner) -> None:
    reply = await ask(
        reasoner, "Where was the captain of Vanda FC born?",
        ("Vanda FC", "Vanda FC is a football club. Its captain is Per Lind junior."),
        ("Per Lind", "Per Lind is a former player. He was born in Malmo in 1961."),
        ("Per Lind junior", "Per Lind junior is a player. He was born in Lund in 1992."),
    )  # fmt: skip
    assert reply.found and "Lund" in reply.text and "Malmo" not in reply.text


async def test_a_copy_of_a_document_changes_nothing(reasoner: EmbeddedReasoner) -> None:
    text = "# Notice\n\nThe barista course costs 65 euros. It is held on Mondays.\n"
    question = "How much does the barista course cost?"
    alone = await ask(reasoner, question, ("notice", text))
    twice = await ask(reasoner, question, ("notice", text), ("notice-copy", text))
    assert alone.found and (twice.text, twice.support) == (alone.text, alone.support)
    assert [quote.source for quote in twice.citations] == ["notice.md"]
