"""Boxes taken off, alone or all of a group, days for short, menus, comments at once, in Chromium."""

from __future__ import annotations

import pytest

from tests.integration.browser_site import Carry, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
SAY = "<p id=said></p><script>const say=(text)=>{said.textContent+=text+';'};</script>"


def boxes(names: str) -> str:
    return "".join(
        f"<label><input type=checkbox {'' if n == 'Basil' else 'checked'}"
        f" onchange=\"say('{n} '+this.checked)\">{n}</label>"
        for n in names.split()
    )


GROUP = f"{SAY}<fieldset><legend>Toppings</legend>{boxes('Ham Olives Basil')}</fieldset>" + boxes("Terms")
PLAIN = f"{SAY}<div>{boxes('Ham Basil')}</div><div>{boxes('Terms')}</div>"
ITEMS = f"{SAY}<ul>{boxes('Ham Basil')}</ul><ul>{boxes('Terms')}</ul>"
LIST = f"""{SAY}<label>Toppings <select multiple onchange="said.textContent=[...this.selectedOptions]
.map(o=>o.text)"><option selected>Ham<option selected>Olives<option>Basil</select></label>"""
DAYS = f"""{SAY}<label>Day <select onchange="say(this.value)"><option>Mon<option>Wed<option>Thurs<option>Sat
</select></label>"""
MONTHS = f"""{SAY}<label>Month <select onchange="say(this.value)"><option>Jan<option>Mar<option>May
<option>Sept</select></label>"""
RADIO = SAY + "".join(
    f"<label><input type=radio name=d onchange=\"say('{n}')\">{n}</label>" for n in ("Mon", "Sat", "Sun")
)
MENU = f"""{SAY}<button aria-haspopup=true onclick="m.hidden=!m.hidden">File</button>
<div id=m hidden role=menu><button role=menuitem onclick="say('new')">New</button>
<button role=menuitem onclick="say('open')">Open</button>
</div><button onclick="say('wrong')">Open shop</button>"""
SURE = f"""{SAY}<button onclick="say('asked');d.showModal()">Delete account</button><dialog id=d><p>Sure?</p>
<button onclick="say('deleted');d.close()">Yes, delete</button>
<button onclick="d.close()">No</button></dialog>"""
FIELD = "<h1>A post</h1><p>Text.</p><label>Comment <textarea id=t></textarea></label>"
POSTS = f"{SAY}{FIELD}<button onclick=\"say('posted '+t.value);t.value=''\">Post</button>"


@pytest.mark.parametrize(
    ("body", "task", "said"),
    [
        (GROUP, "Deselect Ham.", "Ham false;"),
        (GROUP, "Uncheck all toppings", "Ham false;Olives false;"),
        (GROUP, "Check all the toppings", "Basil true;"),
        (GROUP, "Select only Basil.", "Basil true;Ham false;Olives false;"),
        (GROUP, "Select Olives only", "Ham false;"),
        (GROUP, 'Select only "Basil".', "Basil true;Ham false;Olives false;"),
        (ITEMS, "Select only Basil.", "Basil true;Ham false;"),
        (LIST, "Deselect Ham.", "Olives"),
        (LIST, "Select only Basil.", "Basil"),
        (DAYS, "Choose Saturday", "Sat;"),
        (DAYS, "Set the day to Wednesday", "Wed;"),
        (DAYS, "Select Thursday", "Thurs;"),
        (MONTHS, "Choose September", "Sept;"),
        (RADIO, "Choose Saturday.", "Sat;"),
        (MENU, "Choose Open from the File menu", "open;"),
        (SURE, "Delete the account and confirm", "asked;deleted;"),
        (SURE, "Delete the account, then confirm it.", "asked;deleted;"),
        (SURE, "Delete the account", "asked;deleted;"),
        (POSTS, 'Comment "Well said"', "posted Well said;"),
        (POSTS, "Comment: Well said", "posted Well said;"),
    ],
)
async def test_it_is_done_and_nothing_else(carry: Carry, body: str, task: str, said: str) -> None:
    report, page = await carry(body, task)
    assert (page, report.failed) == (said, ()), report


@pytest.mark.parametrize(
    ("body", "task"),
    [
        (DAYS, "Choose Tuesday"),
        (MONTHS, "Choose June"),
        (GROUP, "Uncheck all sauces"),
        (PLAIN, "Select only Basil."),
        (LIST, "Deselect Basil."),
        (MENU, "Choose Print from the File menu"),
    ],
)
async def test_what_is_not_there_is_told_and_nothing_done(carry: Carry, body: str, task: str) -> None:
    report, page = await carry(body, task)
    assert page == "" and report.failed, report
