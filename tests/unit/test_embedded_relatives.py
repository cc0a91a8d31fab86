"""What somebody did is no answer where it is asked what a relative did."""

from __future__ import annotations

import pytest

from ddax.reasoning.embedded import EmbeddedReasoner
from tests.unit.embedded_asking import asked

VOSS = (
    "# Ida Voss\n\nIda Voss (1901-1978) was a botanist. Her daughter Ama became a pilot. "
    "Ida Voss died in Trondby in 1978.\n"
)
AMA = VOSS + "Ama died in Lindholm in 2004.\n"
WIFE = "# Ida Voss\n\nIda Voss died in 1978. Her husband, Karl Voss, died in Rome in 1981.\n"


@pytest.mark.parametrize(
    "task",
    [
        "When did Ida Voss's daughter die?",
        "When did the daughter of Ida Voss die?",
        "Where did Ida Voss's daughter die?",
        "When did Ida Voss' husband die?",
    ],
)
async def test_what_somebody_did_is_not_told_of_a_relative(reasoner: EmbeddedReasoner, task: str) -> None:
    said = await asked(reasoner, task, Voss=VOSS)
    assert not said.found and said.short == "", said.text


@pytest.mark.parametrize(
    ("text", "task", "told"),
    [
        (VOSS, "When did Ida Voss die?", "died in Trondby in 1978"),
        (VOSS, "Who was Ida Voss's daughter?", "Her daughter Ama"),
        (VOSS, "What did Ida Voss's daughter become?", "became a pilot"),
        (AMA, "When did Ida Voss's daughter die?", "Ama died in Lindholm in 2004"),
        (WIFE, "When did Ida Voss's husband die?", "died in Rome in 1981"),
    ],
)
async def test_what_a_relative_did_is_told(
    reasoner: EmbeddedReasoner, text: str, task: str, told: str
) -> None:
    said = await asked(reasoner, task, Voss=text)
    assert said.found and told in said.text, said.text
