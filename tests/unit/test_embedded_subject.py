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
        (ROWS, "When is tea served at the Heron Inn?", "3 to 5"),
    ],
)
async def test_what_is_said_of_the_same_is_told(
    reasoner: EmbeddedReasoner, text: str, task: str, told: str
) -> None:
    said = await asked(reasoner, task, **{"Heron Inn": text})
    assert said.found and told in said.text, said.text
