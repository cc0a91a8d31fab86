"""The policy table cell by cell, and that no configuration lets private data out unasked."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.actions import policy
from ddax.actions.policy import WAYS_OUT, Reach, Ruling, Standing, leaks, permit
from ddax.ideas.origins import KINDS, PRIVATE, UNTRUSTED

REACHES: tuple[Reach, ...] = get_args(Reach)
STANDINGS: tuple[Standing, ...] = get_args(Standing)
ARGUMENTS = """
none    allow allow allow allow allow allow allow
inside  allow allow allow allow allow allow allow
reads   allow allow allow ask   ask   ask   ask
writes  allow ask   ask   ask   ask   ask   deny
spends  ask   ask   ask   ask   ask   ask   deny
"""
DECISIONS = """
none    allow allow allow allow allow allow allow
inside  allow allow allow allow allow allow allow
reads   allow allow allow allow allow allow allow
writes  allow ask   ask   ask   ask   ask   ask
spends  ask   ask   ask   ask   ask   ask   ask
"""
ORDER: list[Ruling] = ["allow", "ask", "deny"]


def cells(table: str) -> list[tuple[str, str, str]]:
    rows = [line.split() for line in table.strip().splitlines()]
    return [(row[0], kind, ruling) for row in rows for kind, ruling in zip(KINDS, row[1:], strict=True)]


def test_the_kinds_stand_in_the_order_of_the_tables() -> None:
    assert KINDS == ("user", "model", "web", "file", "memory", "tool", "code")


@pytest.mark.parametrize(("reach", "kind", "ruling"), cells(ARGUMENTS))
def test_every_cell_by_the_origin_of_an_argument(reach: Reach, kind: str, ruling: str) -> None:
    assert permit(reach, (kind,)).ruling == ruling


@pytest.mark.parametrize(("reach", "kind", "ruling"), cells(DECISIONS))
def test_every_cell_by_the_origin_of_the_decision(reach: Reach, kind: str, ruling: str) -> None:
    assert permit(reach, (), (kind,)).ruling == ruling


def unsafe_cells() -> Iterator[tuple[Reach, frozenset[str], frozenset[str], bool, str]]:
    """Yield every configuration that would let private data out by untrusted content, unasked: none may be.

    A ruling on a set is the strictest of its members and `leaks` looks for pairs, so that sets of at
    most two kinds on either side stand for all.
    """
    kinds = [frozenset(some) for n in range(3) for some in combinations(KINDS, n)]
    for reach, read, before, protect, standing in product(REACHES, kinds, kinds, (False, True), STANDINGS):
        allowed = permit(reach, read, before, protect=protect, standing=standing).ruling == "allow"
        if allowed and leaks(reach, read, before):
            yield reach, read, before, protect, standing


def test_no_configuration_lets_private_data_out_by_untrusted_content_unasked() -> None:
    assert list(unsafe_cells()) == []


def test_the_check_finds_a_table_that_leaks(monkeypatch: pytest.MonkeyPatch) -> None:
    row = {**policy.BY_ARGUMENT["reads"], "file": "allow"}
    monkeypatch.setattr(policy, "BY_ARGUMENT", {**policy.BY_ARGUMENT, "reads": row})
    assert {found[0] for found in unsafe_cells()} == {"reads"}


def test_what_is_private_was_read_and_everything_read_is_untrusted() -> None:
    assert PRIVATE < UNTRUSTED == set(KINDS) - {"user", "model"}


sets = st.frozensets(st.sampled_from([*KINDS, "web:a.example", "tool:bank"]), max_size=8)


@given(
    st.sampled_from(REACHES), sets, sets, st.booleans(), st.sampled_from(STANDINGS), st.sampled_from(KINDS)
)
def test_one_more_origin_never_makes_a_ruling_milder(reach, given_, before, protect, standing, more) -> None:
    def ruling(arguments, decision):
        return ORDER.index(permit(reach, arguments, decision, protect=protect, standing=standing).ruling)

    least = ruling(given_, before)
    assert ruling(given_ | {more}, before) >= least
    assert ruling(given_, before | {more}) >= least
    assert not (least == 0 and leaks(reach, given_, before))


@pytest.mark.parametrize("reach", REACHES)
def test_protect_asks_for_whatever_others_can_see(reach: Reach) -> None:
    for arguments in (pair for n in range(3) for pair in combinations(KINDS, n)):
        ruling = permit(reach, arguments, ("model",), protect=True).ruling
        assert (ruling == "allow") is (reach not in WAYS_OUT)


@pytest.mark.parametrize(("reach", "kind"), list(product(sorted(WAYS_OUT), KINDS)))
def test_a_standing_word_passes_what_is_asked_but_never_a_leak(reach: Reach, kind: str) -> None:
    ruling = permit(reach, (kind,), ("model", "tool"), standing="allow").ruling
    denied = kind == "code" and reach != "reads"
    assert ruling == ("deny" if denied else "ask" if kind in PRIVATE else "allow")
    assert permit(reach, (kind,), (), standing="deny").ruling == "deny"
    assert permit(reach, (kind,), (), standing="ask").ruling != "allow"


def test_the_reason_names_what_made_the_ruling() -> None:
    found = permit("writes", ("user", "web:evil.example"), ("model",))
    assert found.reason == "an action that writes outside, with data from the model, the web"
