"""Where a sentence denies what is asked, it is what is told, and no date or name of something else."""

from __future__ import annotations

import pytest

from ddax.reasoning.embedded import EmbeddedReasoner
from tests.unit.embedded_asking import asked

LINE = (
    "# Carn Viaduct\n\nThe Carn Viaduct was built in 1871 and carries two tracks. It was never electrified. "
    "The viaduct was not widened until 1902. It was closed in 1964.\n"
)
OVER = (
    "The Carn Viaduct was opened in 1871. The line over the viaduct has never been electrified. "
    "It closed in 1964.\n"
)
MOES = "Lena Moe never married. Her sister Ida Moe married Per Vik in 1931. Lena Moe died in 1960 in Holm.\n"
TRAMS = "The Rusk tramway was planned in 1899 but not built. The Holm tramway was built in 1904.\n"
LATER = "In 1900 the viaduct was not electrified. The viaduct was electrified in 1962.\n"


@pytest.mark.parametrize(
    ("text", "task", "told", "kept_out"),
    [
        (LINE, "When was the viaduct electrified?", "It was never electrified.", "1871 1902 1964"),
        (LINE, "In which year was the Carn Viaduct electrified?", "It was never electrified.", "1871 1964"),
        (LINE, "Who electrified the viaduct?", "It was never electrified.", "1871 1902 1964"),
        (OVER, "When was the viaduct electrified?", "has never been electrified.", "1871 1964"),
        (MOES, "When did Lena Moe marry?", "Lena Moe never married.", "1931 1960"),
        (MOES, "Whom did Lena Moe marry?", "Lena Moe never married.", "Per Ida"),
        (TRAMS, "When was the Rusk tramway built?", "but not built.", "1904"),
    ],
)
async def test_what_denies_it_is_told_alone(
    reasoner: EmbeddedReasoner, text: str, task: str, told: str, kept_out: str
) -> None:
    said = await asked(reasoner, task, **{"Carn Viaduct": text})
    assert said.found and said.text.endswith(told) and said.short == "", said.text
    assert not any(word in said.text for word in kept_out.split()), said.text


@pytest.mark.parametrize(
    ("text", "task", "told"),
    [
        (LINE, "When was the Carn Viaduct built?", "1871"),
        (LINE, "When was the viaduct widened?", "not widened until 1902"),
        (LINE, "When was the viaduct closed?", "closed in 1964"),
        (MOES, "When did Ida Moe marry?", "1931"),
        (TRAMS, "When was the Holm tramway built?", "1904"),
        (TRAMS, "When was the Rusk tramway planned?", "1899"),
        (LATER, "When was the viaduct electrified?", "1962"),
    ],
)
async def test_what_is_limited_or_affirmed_is_told(
    reasoner: EmbeddedReasoner, text: str, task: str, told: str
) -> None:
    said = await asked(reasoner, task, **{"Carn Viaduct": text})
    assert said.found and told in said.text, said.text
