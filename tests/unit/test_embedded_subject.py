"""What is asked of a kind of thing that nothing mentions is not answered by what is said of another kind."""

from __future__ import annotations

import pytest

from ddax.reasoning.embedded import EmbeddedReasoner
from tests.unit.embedded_asking import asked

INN = (
    "# Heron Inn\n\nThe Heron Inn stands by the river. Breakfast is served from 7 to 10 in the garden room. "
    "Rooms cost 80 euros a night. The bridge was painted in 1990. The store opens at 9. "
    "Boat tours are offered on Sundays.\n"
)
ROWS = "# Heron Inn\n\nA house by the river.\n\n- Breakfast: 7 to 10\n- Tea: 3 to 5\n"


@pytest.mark.parametrize(
    ("text", "task", "kind"),
    [
        (INN, "When is dinner served at the Heron Inn?", "dinner"),
        (INN, "When is dinner usually served at the Heron Inn?", "dinner"),
        (INN, "Where is dinner served at the Heron Inn?", "dinner"),
        (INN, "How much does a sauna cost at the Heron Inn?", "sauna"),
        (INN, "When was the ferry painted at the Heron Inn?", "ferry"),
        (INN, "When are concerts offered at the Heron Inn?", "concerts"),
        (ROWS, "When is dinner at the Heron Inn?", "dinner"),
        (ROWS, "When is dinner served at the Heron Inn?", "dinner"),
    ],
)
async def test_nothing_is_told_of_another_kind(
    reasoner: EmbeddedReasoner, text: str, task: str, kind: str
) -> None:
    said = await asked(reasoner, task, **{"Heron Inn": text})
    assert not said.found and f"nothing read mentions {kind}" in said.text, said.text


@pytest.mark.parametrize(
    ("text", "task", "told"),
    [
        (INN, "When is breakfast served at the Heron Inn?", "from 7 to 10"),
        (INN, "How much does a room cost at the Heron Inn?", "80 euros"),
        (INN, "When was the bridge at the Heron Inn painted?", "1990"),
        (INN, "When does the shop open at the Heron Inn?", "The store opens at 9"),
        (INN, "When are guided tours offered at the Heron Inn?", "on Sundays"),
        (
            INN + "Dinner is served from 18:00 to 21:30.\n",
            "When is dinner served at the Heron Inn?",
            "from 18:00 to 21:30",
        ),
        (INN, "How much does it cost to stay at the Heron Inn?", "80 euros"),
        (ROWS, "When is tea served at the Heron Inn?", "3 to 5"),
    ],
)
async def test_what_is_said_of_the_same_is_told(
    reasoner: EmbeddedReasoner, text: str, task: str, told: str
) -> None:
    said = await asked(reasoner, task, **{"Heron Inn": text})
    assert said.found and told in said.text, said.text


BREAD = (
    "# Rye bread\n\nMix 400 g of rye flour, 10 g of salt and 380 ml of water. It is baked in two tins. "
    "Elmfield School bakes it for 430 pupils.\n"
)


@pytest.mark.parametrize(
    ("task", "kind"),
    [
        ("How much sugar is in the rye bread?", "sugar"),
        ("How much butter does the rye bread need?", "butter"),
        ("How many eggs does the rye bread need?", "eggs"),
    ],
)
async def test_what_nothing_counts_is_refused(reasoner: EmbeddedReasoner, task: str, kind: str) -> None:
    said = await asked(reasoner, task, **{"Rye bread": BREAD})
    assert not said.found and f"nothing read mentions {kind}" in said.text, said.text


@pytest.mark.parametrize(
    ("task", "told"),
    [
        ("How much salt is in the rye bread?", "10 g of salt"),
        ("How many tins are there for the rye bread?", "two tins"),
        ("How many students does Elmfield School have?", "430 pupils"),
    ],
)
async def test_what_is_counted_by_this_or_a_like_word_is_told(
    reasoner: EmbeddedReasoner, task: str, told: str
) -> None:
    said = await asked(reasoner, task, **{"Rye bread": BREAD})
    assert "nothing read mentions" not in said.text and (not said.found or told in said.text), said.text


LOCK = (
    "# Vejle lock\n\nThe Vejle lock was opened in 1936. It was designed by Poul Riis, who came from Tarup.\n"
)
CLOCKS = "# Museum of Tarup\n\nThe Museum of Tarup was closed in 1950. It is a house of clocks.\n"


async def test_a_name_with_its_noun_leads_to_no_other_thing(reasoner: EmbeddedReasoner) -> None:
    pages = {"Vejle lock": LOCK, "Museum of Tarup": CLOCKS}
    said = await asked(reasoner, "When was the Vejle lock closed?", **pages)
    assert not said.found, said.text
    said = await asked(reasoner, "When was the Vejle lock opened?", **pages)
    assert said.short == "1936"


async def test_days_of_birth_and_death_do_not_tell_where(reasoner: EmbeddedReasoner) -> None:
    text = "Margit Osei (4 March 1911 – 22 October 1989) was a botanist. Poul Riis was born in Aarhus.\n"
    said = await asked(reasoner, "Where was Margit Osei born?", **{"Margit Osei": text})
    assert not said.found, said.text
    said = await asked(reasoner, "When was Margit Osei born?", **{"Margit Osei": text})
    assert said.short == "4 March 1911"


async def test_what_an_error_means_is_no_question_for_its_name(reasoner: EmbeddedReasoner) -> None:
    text = (
        "# Errors\n\n| code | meaning |\n|---|---|\n| 409 | the document was changed |\n| 429 | too many |\n"
    )
    said = await asked(reasoner, "What does error 409 mean?", Errors=text)
    assert said.short == "the document was changed"
    assert not (await asked(reasoner, "What does error 403 mean?", Errors=text)).found
