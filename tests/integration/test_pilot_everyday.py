"""Orders as people word them on shops, mails, files and settings, in a real Chromium: done, or refused."""

from __future__ import annotations

import pytest

from tests.integration.browser_site import Carry, Open, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
SAY = "<p id=said></p><script>const say=(text)=>{said.textContent+=text+';'};</script>"


def buttons(*names: str) -> str:
    """Return buttons that write down that they were pressed."""
    return "".join(f"<button onclick=\"say('{name}')\">{name}</button>" for name in names)


KEYPAD = SAY + buttons("4", "5", "+", "×", "=")
DAYS = SAY + "".join(
    f"<div><h3>{day}</h3>"
    + "".join(f"<button onclick=\"say('{day} {time}')\">{time}</button>" for time in times)
    + "</div>"
    for day, times in (("Monday", ("09:00", "10:30")), ("Friday", ("09:00",)))
)
COUNTRY = SAY + "<label>Country <select onchange='say(value)'><option>Italy<option>France</select></label>"
ROW = """<tr><td><input type=checkbox aria-label=Select><td>NAME
<td><button aria-label=Actions aria-expanded=false>⋮</button><div role=menu hidden>
<button role=menuitem>Rename</button><button role=menuitem>Delete</button></div></tr>"""
FILES = f"""{SAY}<table>{"".join(ROW.replace("NAME", name) for name in ("a.txt", "b.txt", "c.txt"))}</table>
<button id=picked>Download</button><div role=dialog aria-label=Rename id=box hidden>
<input id=called aria-label=Name><button>OK</button><button>Cancel</button></div><script>
let row;onclick=({{target}})=>{{const menu=target.nextElementSibling;
 if(target.ariaLabel==='Actions'){{row=target.closest('tr').cells[1];menu.hidden=false;
  target.ariaExpanded='true'}}
 if(target.role==='menuitem'){{target.parentNode.hidden=true;
  target.parentNode.previousElementSibling.ariaExpanded='false';
  if(target.textContent==='Delete')say('gone '+row.innerText);else box.hidden=false}}
 if(target.textContent==='OK'){{say(row.innerText+' is '+called.value);box.hidden=true}}
 if(target===picked)say([...document.querySelectorAll(':checked')].map(o=>o.closest('tr').cells[1].innerText))
}}</script>"""
SETTINGS = f"""{SAY}<div role=tablist><button role=tab aria-selected=true id=t1>General</button>
<button role=tab aria-selected=false id=t2>Alerts</button></div><div id=p1 role=radiogroup aria-label=Theme>
<button role=radio aria-checked=true>Light</button><button role=radio aria-checked=false>Dark</button></div>
<div id=p2 hidden><label><input type=checkbox role=switch> Digest</label>
<label><input type=checkbox role=switch> Push notifications</label></div><script>
onclick=({{target}})=>{{
 if(target.role==='tab')
  for(const [t,p] of [[t1,p1],[t2,p2]]){{t.ariaSelected=String(t===target);p.hidden=t!==target}}
 if(target.role==='radio')say(target.textContent);
 if(target.role==='switch')say(target.parentNode.textContent.trim())}}</script>"""
DELIVERY = f"""{SAY}<fieldset onchange="say(event.target.value)"><legend>Delivery method</legend>
<label><input type=radio name=d value=slow>Standard (5 days)</label>
<label><input type=radio name=d value=fast>Express (next day)</label></fieldset>"""
MAIL = f"""{SAY}<button onclick="box.hidden=false">Compose</button><button id=reply>Reply</button>
<div id=box hidden><label>To <input id=to></label><label>Subject <input id=about></label>
<textarea aria-label="Message body" id=text></textarea>
<button onclick="say([to.value,about.value,text.value]);box.hidden=true">Send</button></div>
<script>reply.onclick=()=>{{box.hidden=false;to.value='Tom'}}</script>"""
CART = f"""{SAY}<p>Blue mug</p><p>Red mug</p><table>
<tr><td>Blue mug<td><button onclick="say('blue')">Remove</button></tr>
<tr><td>Red mug<td><button onclick="say('red')">Remove</button></tr></table>"""
TWICE = f"""{SAY}
<button onclick="one.hidden=false">Delete account</button>
<div role=dialog id=one aria-label="Delete account?" hidden>
<button onclick="two.hidden=false">Continue</button>
<div role=alertdialog id=two hidden>Type DELETE
<input aria-label=Confirmation><button>Delete for ever</button></div>
</div>"""
TREE = f"""{SAY}<ul role=tree><li role=treeitem aria-expanded=false id=leave>Leave<ul role=group hidden>
<li role=treeitem onclick="say('sick')">Sick leave</ul></ul><script>
leave.onclick=(event)=>{{if(event.target===leave)leave.querySelector('ul').hidden=false}}</script>"""
PRIORITY = f"""{SAY}<button aria-expanded=false onclick="list.hidden=false">Priority</button>
<ul role=listbox id=list hidden onclick="say(event.target.innerText)"><li role=option>Low
<li role=option>Urgent</ul>"""
FILTERS = f"""{SAY}<label>Filter by customer <input id=who></label>
<label>Rows per page <select id=rows><option>5<option>10</select></label>
<label>Verification code <input maxlength=4 id=code></label>
<button onclick="say([who.value,rows.value,code.value])">Go</button>"""
WISHES = f"""{SAY}<h3>Blue mug</h3>
<button onclick="say('wish')">Add Blue mug to wishlist</button>
<label>Promo code <input></label>"""
TOOLBAR = f"""{SAY}<button onclick="said.textContent='No messages selected'">Delete</button>
<ul><li><b>Parcelio</b> <a href="#1">On its way</a></ul>"""
PRICES = (
    "<article><h3>NAME</h3><s>€OLD</s> <b>€NEW</b> <button onclick=\"say('NAME')\">Add</button></article>"
)
STRUCK = SAY + "".join(
    PRICES.replace("NAME", name).replace("OLD", old).replace("NEW", new)
    for name, old, new in (("Cup", "5", "4"), ("Jug", "9", "3"))
)


@pytest.mark.parametrize(
    ("body", "task", "said"),
    [
        (KEYPAD, "Press 4, 5, + and 5, then =.", "4;5;+;5;=;"),
        (KEYPAD, "Click “5” and “×”.", "5;×;"),
        (DAYS, "Select 09:00 on Friday.", "Friday 09:00;"),
        (DAYS, "Click 10:30.", "Monday 10:30;"),
        (COUNTRY, "Choose France as the country.", "France;"),
        (FILES, "Rename b.txt to notes.txt.", "b.txt is notes.txt;"),
        (FILES, "Delete the 2nd row.", "gone b.txt;"),
        (FILES, "Delete a.txt and c.txt.", "gone a.txt;gone c.txt;"),
        (FILES, "Select a.txt and c.txt and download them.", "a.txt,c.txt;"),
        (FILES, "Select all files and click Download.", "a.txt,b.txt,c.txt;"),
        (SETTINGS, "Choose the dark theme.", "Dark;"),
        (SETTINGS, "Turn on push notifications.", "Push notifications;"),
        (SETTINGS, "Enable the digest and push notifications.", "Digest;Push notifications;"),
        (DELIVERY, "Choose express delivery.", "fast;"),
        (MAIL, "Write an email to bo@x.example with the subject “Hi” and the text “Soon.” and send it.",
         "bo@x.example,Hi,Soon.;"),
        (MAIL, "Reply “Yes.”", "Tom,,Yes.;"),
        (CART, "Remove the blue mug.", "blue;"),
        (TREE, "Click Sick leave.", "sick;"),
        (PRIORITY, "Choose Urgent as the priority.", "Urgent;"),
        (FILTERS, "Filter by customer “Birch”. Show 10 rows per page. Enter the code 4829. Click Go.",
         "Birch,10,4829;"),
        (WISHES, "Put the blue mug on my wishlist.", "wish;"),
        (STRUCK, "Add the cheapest product.", "Jug;"),
    ],
)  # fmt: skip
async def test_an_order_is_carried_out_whole(carry: Carry, body: str, task: str, said: str) -> None:
    report, now = await carry(body, task)
    assert (report.failed, now) == ((), said)


@pytest.mark.parametrize(
    ("body", "task", "said"),
    [
        (KEYPAD, "Click 5 and √.", "5;"),
        (DAYS, "Click 09:00.", ""),
        (COUNTRY, "Choose Spain as the country.", ""),
        (FILES, "Delete the 9th row.", ""),
        (FILES, "Delete the file.", ""),
        (FILES, "Rename the file to x.txt.", ""),
        (DELIVERY, "Choose overnight delivery.", ""),
        (TWICE, "Delete the account.", ""),
        (TOOLBAR, "Delete the message from Parcelio.", "No messages selected"),
    ],
)
async def test_what_is_not_said_or_not_there_is_not_called_done(
    carry: Carry, body: str, task: str, said: str
) -> None:
    report, now = await carry(body, task)
    assert report.failed and now == said


async def test_what_lies_over_a_control_is_told(carry: Carry) -> None:
    over = "<div role=dialog aria-label=Cookies style='position:fixed;inset:0;background:white'>Yes?</div>"
    report, _ = await carry(f"{buttons('Apply')}{over}", "Click Apply.")
    assert report.failed[0] == "it could not be pressed: “Cookies” lies over it"
    assert report.mend == "Say first what is to be closed"


async def test_what_is_struck_is_not_read(opened: Open) -> None:
    world, _ = await opened("<p>The fee is <s>45</s> <del>40</del> 34 euros.</p>")
    assert await world.extract() == "The fee is 34 euros."
    assert await world.extract() == "The fee is 34 euros."
