"""What a sentence says by its form: a temperature by its unit, a version and its day by the heading."""

from __future__ import annotations

import pytest

from ddax.reasoning.embedded import EmbeddedReasoner
from tests.unit.embedded_asking import asked

BREAD = (
    "# Rye bread\n\nIngredients: 700 g rye flour, 20 g salt, 3 eggs, 650 ml of water.\n\n"
    "1. Mix the flour, the salt and the sugar.\n2. Let the dough rest for 90 minutes at 26 °C.\n"
    "3. Bake the bread for 50 minutes at 220 °C.\n\nThe van drives at 80 km/h.\n"
)
CHANGES = (
    "# Changelog\n\n## 2.4.0 (2024-09-02)\n\n- Added: export to CSV.\n\n"
    "## [2.3.1] - 2024-06-11\n\n- Fixed: crash on empty files.\n\n"
    "## v2.3.0 (2024-05-20)\n\n- Added: dark mode.\n\n## 2.2\n\n- Added: a search.\n"
)
RULES = "# Handbook\n\n## Expenses\n\nMeals are paid up to 35 euros a day. Taxis are paid only after 22:00.\n"


@pytest.mark.parametrize(
    ("text", "task", "told", "short"),
    [
        (BREAD, "At what temperature is the bread baked?", "50 minutes at 220 °C", None),
        (BREAD, "At what temperature does the dough rest?", "90 minutes at 26 °C", None),
        (BREAD, "At what speed does the van drive?", "80 km/h", None),
        (BREAD, "How much salt is needed?", "20 g salt", None),
        (BREAD, "How many eggs are needed?", "3 eggs", None),
        (BREAD, "How much water is required?", "650 ml of water", None),
        (CHANGES, "When was 2.3.1 released?", "2024-06-11", "2024-06-11"),
        (CHANGES, "When was version 2.4.0 released?", "2024-09-02", "2024-09-02"),
        (CHANGES, "When was dark mode added?", "2024-05-20): Added: dark mode", ""),
        (CHANGES, "Which version fixed the crash on empty files?", "Fixed: crash on empty files", ""),
        (RULES, "How much is paid for meals?", "up to 35 euros a day", None),
        (RULES, "When are taxis paid?", "after 22:00", None),
    ],
)
async def test_what_is_said_by_its_form_is_told(
    reasoner: EmbeddedReasoner, text: str, task: str, told: str, short: str | None
) -> None:
    said = await asked(reasoner, task, text=text)
    assert said.found and told in " ".join(said.text.split()), said.text
    assert short in (said.short, None), said.short


@pytest.mark.parametrize(
    ("text", "task"),
    [
        (BREAD, "At what temperature is the cake baked?"),
        (BREAD, "At what speed is the bread baked?"),
        (BREAD, "How much sugar is needed?"),
        (BREAD, "How much yeast is needed?"),
        (CHANGES, "When was 2.3.2 released?"),
        (CHANGES, "When was light mode added?"),
        (CHANGES, "When was the search added?"),
        (RULES, "How much is paid for hotels?"),
    ],
)
async def test_what_no_form_says_is_refused(reasoner: EmbeddedReasoner, text: str, task: str) -> None:
    said = await asked(reasoner, task, text=text)
    assert not said.found and said.short == "", said.text
