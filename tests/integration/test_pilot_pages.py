"""Orders on pages of many kinds, in a real Chromium: seats, tickets, menus, editors; done, or refused."""

from __future__ import annotations

import pytest

from tests.integration.browser_site import Carry, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
SAY = "<p id=said></p><script>const say=(text)=>{said.textContent+=text+';'};</script>"
SEATS = f"""{SAY}<div id=map></div><button onclick="say('confirmed')">Confirm seat</button>
<button onclick="say('skipped')">Skip seat selection</button><script>
for(const seat of ['11C','11D','12C','12D']){{const b=document.createElement('button');
 b.textContent=b.ariaLabel='Seat '+seat;b.disabled=seat==='12C';
 b.onclick=()=>say(seat);map.append(b)}}</script>"""
TICKET = """<tr><td>NO<td>WHAT<td><select aria-label="Status of NO" onchange="say('NO '+value)"><option>Open
<option>Waiting<option>Closed</select><td><select onchange="say('NO '+value)"><option>Nobody<option>Ana
<option>Lee</select><td><button onclick="say('escalated NO')">Escalate</button></tr>"""
TICKETS = f"""{SAY}<h1>Tickets</h1><table><tr><th>No.<th>Subject<th>Status<th>Owner<th></tr>
{TICKET.replace("NO", "104").replace("WHAT", "Printer on fire")}
{TICKET.replace("NO", "106").replace("WHAT", "Invoice is wrong")}</table>"""
PLAYER = f"""{SAY}<h1>My music</h1><ul id=list></ul><script>
const songs=[['Blue Monday','New Order'],['Blue in Green','Miles Davis'],['So What','Miles Davis']];
for(const [name,by] of songs)
 list.insertAdjacentHTML('beforeend',`<li><b>${{name}}</b> <i>${{by}}</i>
 <button aria-label="Play ${{name}}" onclick="say('play ${{name}}')">▶</button>
 <button aria-label="Like ${{name}}" onclick="say('like ${{name}}')">♥</button>`)</script>"""
MENU = f"""{SAY}<h1>Sole</h1><div id=cards></div><button id=basket>Basket (0)</button><script>let n=0;
for(const name of ['Chair 1','Tiramisu','Espresso'])cards.insertAdjacentHTML('beforeend',
 `<div><h3>${{name}}</h3><p>€ 9</p><button onclick="add('${{name}}')">Add</button></div>`);
const add=(name)=>{{n++;say(name);basket.textContent='Basket ('+n+')'}}</script>"""
UNCOUNTED = MENU.replace("basket.textContent=", "document.body.dataset.n=")
PEOPLE = f"""{SAY}<div id=box style="height:200px;overflow-y:auto"><ul id=list></ul></div><script>
const all=[];for(const last of ['Abel','Bosch'])
for(const first of ['Ada','Ben','Cleo','Dan','Eva','Finn','Gus','Hana','Ivan','Jo','Kim','Otto'])
 all.push(first+' '+last);let n=0;
const more=()=>{{for(const name of all.slice(n,n+8)){{const row=document.createElement('li');
 row.style.height='40px';row.innerHTML='<span>'+name+'</span> <button>Call</button> <button>Block</button>';
 list.append(row)}}n+=8}};more();
box.onscroll=()=>{{if(box.scrollTop+box.clientHeight>box.scrollHeight-30&&n<all.length)setTimeout(more,20)}};
list.onclick=({{target}})=>{{if(target.tagName==='BUTTON')
 say(target.textContent+' '+target.parentNode.firstChild.textContent)}}</script>"""
LOGIN = f"""{SAY}<form id=one><label>User name <input id=user></label><button>Next</button></form>
<form id=two hidden><label>Password <input type=password id=secret></label><button>Sign in</button></form>
<script>one.onsubmit=(e)=>{{e.preventDefault();one.hidden=true;two.hidden=false}};
two.onsubmit=(e)=>{{e.preventDefault();say(user.value+' '+secret.value);two.hidden=true}}</script>"""
TAGS = f"""{SAY}<div role=group aria-label=Tags id=tags></div><label>Add a tag <input id=tag></label>
<label>Share with <input id=who></label><button onclick="say(who.value);who.value=''">Invite</button>
<button onclick="say('discarded')">Discard draft</button><script>
const chip=(name)=>tags.insertAdjacentHTML('beforeend',
 `<span>${{name}} <button aria-label="Remove ${{name}}"
 onclick="say('-${{name}}');parentNode.remove()">×</button></span>`);
['snow','gear','maps'].forEach(chip);
tag.onkeydown=(e)=>{{if(e.key==='Enter'){{say('+'+tag.value);chip(tag.value);tag.value=''}}}}</script>"""
STARS = f"""{SAY}<script>for(const what of ['Canteen','Office'])document.write(
 `<div role=radiogroup aria-label=${{what}}>`+[2,3,4].map((n)=>
 `<button role=radio aria-label="${{n}} stars" onclick="say('${{what}} ${{n}}')">★</button>`).join('')
 +'</div>')</script>"""
EDITOR = f"""{SAY}<div role=toolbar><button aria-label=Bold id=bold>B</button>
<button aria-label="Text color" onclick="shades.hidden=false">A</button></div>
<div id=shades hidden><i style="background:#e60000" data-of=red>&nbsp;</i>
<i style="background:#0066cc" data-of=blue>&nbsp;</i></div><style>i{{cursor:pointer}}</style>
<div contenteditable role=textbox id=pad>Nisl tortor orci.</div><script>
let kept='';document.onselectionchange=()=>{{kept=String(getSelection())||kept}};
bold.onmousedown=shades.onmousedown=(e)=>e.preventDefault();
bold.onclick=()=>say('bold '+kept);shades.onclick=(e)=>say(e.target.dataset.of+' '+kept)</script>"""
COLOUR = f"""{SAY}<label>Wall color <input id=wall value=ab2567></label>
<button onclick="say(wall.value)">Save</button>"""
LATE = f"""{SAY}<button onclick="setTimeout(()=>{{get.disabled=false}},700)">Prepare</button>
<button id=get disabled onclick="say('got')">Download</button>"""
FLIGHTS = f"""{SAY}<label>From: <input id=start list=places></label>
<label>To: <input id=end list=places></label>
<datalist id=places><option>Leeds (LBA)<option>Bergen (BGO)<option>New Bergen (NBG)</datalist>
<label>Departure date <input type=date id=day></label><button id=go>Search flights</button>
<div id=found></div><script>go.onclick=()=>{{say([start.value,end.value,day.value]);
 found.innerHTML=[[120,'2h 5m'],[80,'4h 0m']].map(([price,time])=>`<div><p>${{time}}</p>
 <button onclick="say(${{price}})">Book flight for $${{price}}</button></div>`).join('')}}</script>"""
MAIL = f"""{SAY}<nav><a href="#in">Inbox</a></nav><ul id=list></ul>
<div id=view hidden><div role=toolbar><button>Back</button><button id=gone>Delete</button></div>
<h2 id=what></h2><p id=who></p></div>
<script>let mails=[['Rosa Lind','Lunch on Friday'],['Tom Reed','Holiday pictures']],open;
const draw=()=>{{view.hidden=true;list.innerHTML=mails.map((m,i)=>
 `<li><a href="#m" data-i=${{i}}><b>${{m[0]}}</b> ${{m[1]}}</a></li>`).join('')}};draw();
list.onclick=(e)=>{{open=mails[e.target.closest('a').dataset.i];list.innerHTML='';view.hidden=false;
 what.textContent=open[1];who.textContent='From '+open[0]}};
gone.onclick=()=>{{say('gone '+open[0]);mails=mails.filter(m=>m!==open);draw()}}</script>"""


@pytest.mark.parametrize(
    ("body", "task", "said"),
    [
        (SEATS, "Choose seat 12D and confirm.", "12D;confirmed;"),
        (TICKETS, "Set the status of ticket 106 to Closed.", "106 Closed;"),
        (TICKETS, "Assign ticket 104 to Ana.", "104 Ana;"),
        (TICKETS, "Change the owner of the invoice ticket to Lee.", "106 Lee;"),
        (TICKETS, "Mark ticket 104 as Waiting.", "104 Waiting;"),
        (PLAYER, "Play the song by New Order.", "play Blue Monday;"),
        (MENU, "Add two Tiramisu to the basket.", "Tiramisu;Tiramisu;"),
        (MENU, "Add an Espresso and a Tiramisu to the basket.", "Espresso;Tiramisu;"),
        (PEOPLE, "Block Otto Abel.", "Block Otto Abel;"),
        (PEOPLE, "Call Gus Bosch and block Ada Abel.", "Call Gus Bosch;Block Ada Abel;"),
        (LOGIN, "Log in as mira with the password owl-7.", "mira owl-7;"),
        (TAGS, "Add the tag alps.", "+alps;"),
        (TAGS, "Add the tags alps and skiing.", "+alps;+skiing;"),
        (TAGS, "Remove the tags snow and gear.", "-snow;-gear;"),
        (TAGS, "Invite ann@x.example and bo@x.example.", "ann@x.example;bo@x.example;"),
        (STARS, "Give the canteen 4 stars.", "Canteen 4;"),
        (STARS, "Rate the office 2 stars.", "Office 2;"),
        (EDITOR, "Make the word tortor bold.", "bold tortor;"),
        (EDITOR, "Using the editor, make everything the color blue.", "blue Nisl tortor orci.;"),
        (COLOUR, "Select teal as the wall color and click Save.", "008080;"),
        (LATE, "Click Prepare, wait until Download is enabled, then click Download.", "got;"),
        (FLIGHTS, "Book the cheapest flight from Leeds to Bergen on May 3, 2027.",
         "Leeds (LBA),Bergen (BGO),2027-05-03;80;"),
        (FLIGHTS, "Book the shortest flight from Leeds to BGO on 2027-05-03.",
         "Leeds (LBA),Bergen (BGO),2027-05-03;120;"),
        (MAIL, "Delete the message about holiday pictures.", "gone Tom Reed;"),
        (MAIL, "Open the message from Tom Reed. Then delete the message.", "gone Tom Reed;"),
    ],
)  # fmt: skip
async def test_an_order_is_carried_out_whole(carry: Carry, body: str, task: str, said: str) -> None:
    report, now = await carry(body, task)
    assert (report.failed, now) == ((), said)


@pytest.mark.parametrize(
    ("body", "task", "said"),
    [
        (SEATS, "Choose seat 12C and confirm the seat.", ""),
        (SEATS, "Choose the seat 9A.", ""),
        (TICKETS, "Set the status of ticket 108 to Closed.", ""),
        (TICKETS, "Set the status of ticket 104 to Solved.", ""),
        (TICKETS, "Set the priority of ticket 104 to High.", ""),
        (TICKETS, "Assign ticket 104 to Bob.", ""),
        (PLAYER, "Like the song by Miles Davis.", ""),
        (PLAYER, "Play the song by Green Day.", ""),
        (MENU, "Add Chair 2 to the basket.", ""),
        (UNCOUNTED, "Add two Tiramisu to the basket.", "Tiramisu;"),
        (PEOPLE, "Block Otto.", ""),
        (PEOPLE, "Call Zoe Bosch.", ""),
        (LOGIN, "Log in with user name mira.", ""),
        (TAGS, "Click Save draft.", ""),
        (TAGS, "Remove the tag summer.", ""),
        (STARS, "Give 3 stars.", ""),
        (STARS, "Give the service 3 stars.", ""),
        (EDITOR, "Make the word ipsum bold.", ""),
        (FLIGHTS, "Book the cheapest flight from Leeds to Oslo on May 3, 2027.", ""),
        (MAIL, "Delete the message about the budget.", ""),
    ],
)  # fmt: skip
async def test_what_is_not_said_or_not_there_is_not_called_done(
    carry: Carry, body: str, task: str, said: str
) -> None:
    report, now = await carry(body, task)
    assert report.failed and now == said
