"""What an order names is never pressed by likeness: its opposite stands beside it on most pages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ddax.environments.browser.seen import PageSeen
from ddax.environments.pilot.drivers.table import DRIVERS
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.protocol import Move
from tests.unit.test_pilot import FixedPage, page

pytestmark = pytest.mark.asyncio

OPPOSITES = """
Cancel/Delete|Decline/Accept|Save/Discard|Approve/Reject|Keep/Delete|Confirm/Cancel|Agree/Disagree|Allow/Block
Enable/Disable|Subscribe/Unsubscribe|Install/Uninstall|Lock/Unlock|Publish/Unpublish|Follow/Unfollow|Mute/Unmute
Hide/Show|Open/Close|Start/Stop|Pause/Resume|Undo/Redo|Upload/Download|Import/Export|Import/Important|Add/Remove
Archive/Restore|Encrypt/Decrypt|Attach/Detach|Connect/Disconnect|Join/Leave|Login/Logout|Log in/Log out
Expand/Collapse|Increase/Decrease|Increment/Increase|Previous/Preview|Next/Previous|First/Last|Buy/Sell|Borrow/Return
Activate/Deactivate|Assign/Unassign|Grant/Revoke|Merge/Split|Freeze/Thaw|Pin/Unpin|Select/Deselect|Check/Uncheck
Backup/Rollback|Deposit/Withdraw|Yes/No|Continue/Abort|Retry/Ignore|Update/Upgrade|Send/Discard|Reply/Forward
"""
SHARED = """
Notifications/Disable notifications|Cookies/Block cookies|Small/Extra small|Refundable/Non refundable
Publish/Undo publish|Delete/Delete workspace|Member/Block member|Sound/Mute sound|Save/Save and delete
Renewal/Cancel renewal|Remove/Remove everyone|Allow/Never allow|Share/Share publicly|Ann/Without Ann
"""
"""What is asked for, and a name with its words that means another thing."""
WHOLE = frozenset({"Log in", "Log out", "First", "Last", "Next", "Previous", "Preview", "Yes", "No"})
"""Names to which no object is added."""


def pairs() -> list[tuple[str, str]]:
    """Return what is asked for and what alone is there, in both directions."""
    found = []
    for pair in OPPOSITES.replace("\n", "|").strip("|").split("|"):
        one, other = pair.split("/")
        found += [(one, other), (other, one)]
    objects = ("", " the draft", " my order", " account")
    shared = [tuple(pair.split("/")) for pair in SHARED.replace("\n", "|").strip("|").split("|")]
    return [(one, other) for one, other in shared] + [
        (f"{a}{what}", f"{b}{what}")
        for a, b in found
        for what in (objects if a not in WHOLE else objects[:1])
    ]


async def test_there_are_two_hundred_pairs_at_least() -> None:
    assert len(pairs()) >= 200


@pytest.mark.parametrize("role", ["button", "link", "menuitem"])
async def test_of_two_opposites_the_one_that_is_not_named_is_not_pressed(role: str) -> None:
    pressed = []
    for wanted, there in pairs():
        world = page((role, there), (role, "Home"))
        report = await Pilot(world, DRIVERS).run(f"Click {wanted}.")
        if world.moves or report.ok:
            pressed.append((wanted, there, world.moves))
    assert pressed == []


async def test_what_there_is_instead_is_told() -> None:
    world = page(("button", "Delete"), ("button", "Home"))
    report = await Pilot(world, DRIVERS).run("Click Cancel.")
    assert world.moves == [] and not report.ok
    assert report.failed[0] == "Click Cancel: no control is called “Cancel”; there are “Delete”, “Home”"


async def test_a_press_by_its_name_is_found_among_opposites() -> None:
    for wanted, there in pairs():
        world = page(("button", there), ("button", wanted))
        report = await Pilot(world, DRIVERS).run(f"Click “{wanted}”.")
        assert report.ok and [move.target for move in world.moves] == ["e2"], (wanted, there, report)


class Asking(FixedPage):
    """A page whose every press is asked about by `confirm()`."""

    asks = False

    async def observe(self) -> PageSeen:
        seen = await super().observe()
        return replace(seen, dialog="Delete it?") if self.asks else seen

    async def act(self, move: Move) -> PageSeen:
        self.asks = move.name == "click"
        await super().act(move)
        return await self.observe()


@pytest.mark.parametrize(
    ("task", "answer", "ok"),
    [
        ("Click Delete and confirm.", "accept", True),
        ("Click Delete.", "dismiss", False),
        ("Click Delete, then press Cancel.", "dismiss", True),
        ("Click Delete but do not confirm.", "dismiss", True),
        ("Click Delete and answer No.", "dismiss", True),
        ("Click Delete, but don't go through with it.", "dismiss", False),
        ("Click “Delete no 5”.", "dismiss", False),
    ],
)
async def test_what_a_page_asks_is_never_accepted_against_the_order(task: str, answer: str, ok: bool) -> None:
    world = Asking(page(("button", "Delete no 5" if "5" in task else "Delete")).nodes)
    report = await Pilot(world, DRIVERS).run(task)
    assert [move.name for move in world.moves if move.target == "dialog"] == [answer]
    assert report.ok == ok
