"""Every behaviour of `python -m benchmarks wires`, each as a test, with siblings that it does not have."""

from pathlib import Path

import pytest

from benchmarks import wires

SIBLINGS = Path(__file__).with_name("wire_siblings.yaml")


def held(fate):
    assert fate.end == ("named" if fate.case.error else "right"), fate.why
    assert fate.extra <= fate.case.extra <= 1
    assert not fate.thrown


@pytest.mark.parametrize("case", wires.cases(), ids=lambda case: case.id)
async def test_a_behaviour_ends_right_or_in_an_error_with_its_mend(case):
    held(await wires.fate_of(case))


@pytest.mark.parametrize("case", wires.cases(SIBLINGS), ids=lambda case: case.id)
async def test_a_sibling_that_is_not_in_the_table_ends_so_too(case):
    held(await wires.fate_of(case))
