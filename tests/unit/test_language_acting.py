"""Tools go to a provider under names that it takes, each under its own."""

import pytest

from ddax.reasoning.acting import Offered
from ddax.reasoning.language.acting import NAME, Acting


@pytest.mark.parametrize(
    "names",
    [
        ("a__1", "a", "a.", "a b"),
        ("a", "a!", "a?", "a__1", "a__2"),
        tuple("x" * 70 + end for end in ("1", "2", "3")),
        ("look up", "look_up"),
    ],
)
def test_no_two_tools_have_one_name(names: tuple[str, ...]) -> None:
    sent = Acting(tuple(Offered(name, "Do it.") for name in names)).names
    assert set(sent) == set(names)
    assert len(set(sent.values())) == len(names)
    assert all(0 < len(name) <= NAME for name in sent.values())
