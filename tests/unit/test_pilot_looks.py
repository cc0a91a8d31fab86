"""Orders by what things look like: colour, form, size, side; and what is refused because it is not plain."""

from __future__ import annotations

import pytest

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.finding.looks import hue_of
from tests.unit.test_pilot import FixedPage, done, page

pytestmark = pytest.mark.asyncio


def drawn() -> FixedPage:
    """Return four drawn things: a large red circle, a small red box, a small blue box, a triangle."""
    rows = [
        ("circle", "rgb(255, 0, 0)", 40.0, ""), ("rect", "rgb(255, 0, 0)", 10.0, ""),
        ("rect", "rgb(0, 0, 255)", 10.0, ""), ("polygon", "rgb(40, 90, 40)", 12.0, "3"),
    ]  # fmt: skip
    return FixedPage([
        Node(f"e{n}", "shape", box=(50.0 * n, 10.0, size, size),
             paint=(("corners", corners), ("fill", fill), ("form", form)))
        for n, (form, fill, size, corners) in enumerate(rows, 1)
    ])  # fmt: skip


@pytest.mark.parametrize(
    ("task", "pressed"),
    [
        ("Click the circle", ["e1"]),
        ("Click the blue box", ["e3"]),
        ("Click the small red shape", ["e2"]),
        ("Press the triangle", ["e4"]),
        ("Select all shades of red", ["e1", "e2"]),
        ("Click on a box", ["e2"]),
        ("Click every box", ["e2", "e3"]),
        ("Click the left box", ["e2"]),
        ("Click the green triangle", ["e4"]),
    ],
)
async def test_things_are_told_by_their_looks(task: str, pressed: list[str]) -> None:
    report, moves = await done(task, drawn())
    assert [target for _, target, _ in moves] == pressed and report.ok, report.failed


@pytest.mark.parametrize(
    "task",
    [
        "Click the box",
        "Click the yellow circle",
        "Click the red save box",
        "Press the hexagon",
        'Click "red box"',
    ],
)
async def test_looks_that_fit_several_or_none_press_nothing(task: str) -> None:
    report, moves = await done(task, drawn())
    assert moves == [] and not report.ok


async def test_a_control_of_that_name_comes_before_looks() -> None:
    world = page(("button", "Red"), ("button", "Blue"))
    report, moves = await done("Click Red", world)
    assert moves == [["click", "e1", ""]] and report.ok


@pytest.mark.parametrize(
    ("shade", "name"),
    [((205, 229, 205), "green"), ((28, 28, 151), "blue"), ((220, 53, 69), "red"), ((90, 90, 90), "")],
)
async def test_a_shade_belongs_to_a_colour(shade: tuple[int, int, int], name: str) -> None:
    assert hue_of(shade) == name
