"""Roles: trust decides, the devil's advocate is drawn."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.debate.roles import Debater, assign_roles, devils_advocate
from ddax.errors import UsageError
from ddax.memory.agents.trust import EXCLUDED_BELOW


class Nobody:
    name = "nobody"


def people(*trusts):
    return [Debater(f"d{i}", Nobody(), t) for i, t in enumerate(trusts)]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.integers(0, 99))
def test_roles_are_always_filled(trusts, seed):
    roles = assign_roles(people(*trusts), np.random.default_rng(seed))
    arguing = {roles.proponent.name, roles.opponent.name}
    admitted = [t for t in trusts if t >= EXCLUDED_BELOW]
    assert roles.judges
    assert (len(arguing) == 2) == (len(admitted) >= 2)
    if len(admitted) >= 3:
        assert not arguing & {judge.name for judge in roles.judges}


def test_the_excluded_take_no_part():
    roles = [assign_roles(people(0.9, 0.8, 0.19), np.random.default_rng(s)) for s in range(30)]
    assert all("d2" not in "".join(r.names().values()) for r in roles)


def test_the_advocate_is_drawn_in_proportion_to_trust():
    crowd, rng = people(0.2, 0.6), np.random.default_rng(0)
    drawn = Counter(devils_advocate(crowd, rng).name for _ in range(4000))
    assert drawn["d1"] / 4000 == pytest.approx(0.75, abs=0.03)
    assert len({devils_advocate(people(0.0, 0.0), rng).name for _ in range(50)}) == 2


def test_the_most_trusted_of_the_others_proposes():
    for seed in range(20):
        roles = assign_roles(people(0.9, 0.7, 0.5), np.random.default_rng(seed))
        assert roles.proponent.name == ("d1" if roles.opponent.name == "d0" else "d0")


def test_of_two_fixed_proponents_one_opposes_and_the_other_proposes():
    fixed = {"d0": "proponent", "d1": "proponent", "d2": "judge"}
    for seed in range(20):
        roles = assign_roles(people(0.9, 0.8, 0.7), np.random.default_rng(seed), fixed)
        assert {roles.proponent.name, roles.opponent.name} == {"d0", "d1"}


def test_nobody_is_an_error():
    with pytest.raises(UsageError):
        assign_roles([], np.random.default_rng(0))
