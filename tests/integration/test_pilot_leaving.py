"""The field written last is left, as by a user who is done with it: many pages take a value only then."""

from __future__ import annotations

import pytest

from tests.integration.browser_site import Carry, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
SAY = "<p id=said></p><script>const say=(text)=>{said.textContent+=text+';'};</script>"
GUESTS = f'{SAY}<label>Guests <input type=number value=2 onchange="say(this.value)"></label>'
TOTAL = "<p id=t>Total: -</p><script>onchange=(e)=>{t.textContent=`Total: ${e.target.value}0 €`}</script>"
LIMITED = GUESTS.replace("onchange=", "onblur='value=6' onchange=")
NAME = f"{SAY}<label>Name <input onblur=\"say('saved '+this.value)\"></label><button>Send</button>"
NEXT = f"{SAY}<label>Name <input></label><label>Day <input onfocus=\"say('opened')\"></label>"
CITY = f"""{SAY}<label>City <input oninput="l.hidden=false" onblur="l.hidden=true;say('left')"></label>
<ul id=l role=listbox hidden><li role=option>Bergen<li role=option>Berlin</ul>"""
FIND = f"""{SAY}<label>Search <input type=search oninput="l.hidden=false" onblur="say('left')"></label>
<div id=l hidden><a href=/bergen>Bergen</a></div>"""
COUNTED = f"""{SAY}<label>Name <input maxlength=20 oninput="c.textContent=this.value.length"
onchange="say(this.value)"></label><span id=c>0</span>"""
NOTE = f'{SAY}<label>Note <textarea onchange="say(this.value)"></textarea></label>'


def tracked(kind: str, value: str) -> str:
    """A field as React has it: a value that a script set on the field itself is no news to it."""
    return f"""{SAY}<label>Start <input id=f type={kind} value="{value}"></label><script>
const own=Object.getOwnPropertyDescriptor(HTMLInputElement.prototype,'value');let held=f.value;
Object.defineProperty(f,'value',{{get(){{return own.get.call(this)}},set(v){{held=v;own.set.call(this,v)}}}});
f.addEventListener('input',()=>{{if(f.value!==held){{held=f.value;say(f.value)}}}});</script>"""


@pytest.mark.parametrize(
    ("body", "task", "said"),
    [
        (GUESTS, "Set guests to 5.", "5;"),
        (GUESTS + TOTAL, "Set guests to 5. Then tell me the total.", "5;"),
        (NAME, 'Enter "Ann" into the name field', "saved Ann;"),
        (NEXT, 'Enter "Ann" into the name field', ""),
        (NOTE, 'Enter "Late" into the note', "Late;"),
        (COUNTED, 'Enter "Ann" into the name field', "Ann;"),
    ],
)
async def test_what_was_written_is_taken(carry: Carry, body: str, task: str, said: str) -> None:
    report, page = await carry(body, task)
    assert (page, report.failed) == (said, ()), report


async def test_a_value_that_is_told_is_that_of_a_field_left(carry: Carry) -> None:
    report, _ = await carry(GUESTS + TOTAL, "Set guests to 5. Then tell me the total.")
    assert report.answers == ("Total: 50 €",)


async def test_a_value_that_a_page_changes_once_it_is_left_is_not_called_done(carry: Carry) -> None:
    report, _ = await carry(LIMITED, "Set guests to 9.")
    assert report.failed == ("Set guests to 9: “Guests” does not hold what was written once it was left",)


@pytest.mark.parametrize(
    ("body", "task"),
    [(CITY, 'Enter "Ber" into the city field'), (FIND, 'Type "Ber" into the search field')],
)
async def test_a_field_that_suggests_is_not_left(carry: Carry, body: str, task: str) -> None:
    report, page = await carry(body, task)
    assert (page, report.failed) == ("", ()), report
    assert "Bergen" in report.seen.text


@pytest.mark.parametrize(
    ("kind", "before", "task", "said"),
    [
        ("date", "", "Set the start to 2026-12-24", "2026-12-24;"),
        ("time", "", 'Enter "14:05" as the start', "14:05;"),
        ("range", "2", "Set the start to 7", "7;"),
    ],
)
async def test_a_value_is_news(carry: Carry, kind: str, before: str, task: str, said: str) -> None:
    report, page = await carry(tracked(kind, before), task)
    assert (page, report.failed) == (said, ()), report
