"""Fields that a press brings a while later, as those of the second step of a login."""

from __future__ import annotations

import time

import pytest

from tests.integration.browser_site import Carry, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
STEPS = """<div id=one><label>Email <input type=email id=mail></label>
<button type=button id=next>Next</button></div>
<div id=two hidden><label>Password <input type=password id=pw></label>
<button type=button id=send>Sign in</button></div><p id=said></p><script>
next.onclick=()=>{if(!mail.value.includes('@'))return;GONEsetTimeout(()=>{one.hidden=true;two.hidden=false},WAIT)}
send.onclick=()=>{said.textContent=mail.value+' '+pw.value}</script>"""
GONE = "one.hidden=true;"
LOGINS = (
    "Log in as ann@example.org with password geheim1",
    "Enter ann@example.org as the email, press Next, enter geheim1 as the password and press Sign in",
    'Enter "ann@example.org" into the email field. Click Next. Enter "geheim1" into the password field. '
    "Click Sign in.",
)


@pytest.mark.parametrize("task", LOGINS)
@pytest.mark.parametrize(
    ("wait", "gone"), [("0", GONE), ("300", GONE), ("1500", GONE), ("700", "")],
    ids=["at once", "soon", "late", "beside the first step"],
)  # fmt: skip
async def test_a_field_that_comes_later_is_waited_for(carry: Carry, task: str, wait: str, gone: str) -> None:
    report, now = await carry(STEPS.replace("WAIT", wait).replace("GONE", gone), task)
    assert (report.failed, now) == ((), "ann@example.org geheim1")


@pytest.mark.parametrize("task", LOGINS)
async def test_a_field_that_does_not_come_is_named(carry: Carry, task: str) -> None:
    begun = time.monotonic()
    report, now = await carry(STEPS.replace("WAIT", "60000").replace("GONE", GONE), task)
    assert "no field for “password” showed up within 3 s" in report.failed and now == ""
    assert report.mend == "See in a browser what the page asks for at this step"
    assert report.did == ("wrote into “Email”", "pressed “Next”")
    assert time.monotonic() - begun < 15


async def test_a_name_that_the_page_does_not_take_is_told_and_not_waited_for(carry: Carry) -> None:
    body = STEPS.replace("WAIT", "60000").replace("GONE", GONE)
    report, _ = await carry(body, "Log in as ann with password geheim1")
    assert "the page does not take what stands in “Email”" in report.failed
    assert "wait" not in [move.name for move in report.moves]


async def test_an_order_that_nothing_was_pressed_for_is_not_waited_for(carry: Carry) -> None:
    report, _ = await carry("<label>Name <input></label><p id=said></p>", 'Enter "7" into the age field')
    assert not report.ok and "wait" not in [move.name for move in report.moves]
