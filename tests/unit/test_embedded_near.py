"""Near misses: what says nearly what is asked, of another number, another kind or another thing."""

from __future__ import annotations

import pytest

from ddax.reasoning.embedded import EmbeddedReasoner
from tests.unit.embedded_asking import asked

MEALS = (
    "# House book\n\n## Meals\n\nThe daily allowance for meals is 24 EUR on domestic trips. On trips abroad "
    "it is 41 EUR.\n\n## Beds\n\nThe allowance for beds is 90 EUR.\n"
)


@pytest.mark.parametrize(
    ("task", "short"),
    [
        ("How much is the daily allowance for meals on trips abroad?", ""),
        ("How much is the daily allowance for meals on domestic trips?", "24 EUR"),
        ("How much is the allowance for beds?", "90 EUR"),
    ],
)
async def test_no_number_is_told_beside_one_of_what_is_asked(
    reasoner: EmbeddedReasoner, task: str, short: str
) -> None:
    reply = await asked(reasoner, task, **{"House book": MEALS})
    assert reply.found and reply.short == short, reply
