"""Quotes, invitations and wishes by orders that say all of them, in a real Chromium."""

from __future__ import annotations

import pytest

from tests.integration.browser_site import Carry, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
SAY = "<p id=said></p><script>const say=(text)=>{said.textContent+=text+';'};</script>"
MOVE = (
    SAY
    + """<h1>Moving quote</h1><form id=f><label>From city <input id=a></label><label>To city
<input id=b></label><label>Moving date <input type=date id=d></label><label>Rooms
<input type=number id=r></label><label><input type=checkbox id=p> Packing service</label>
<button>Request quote</button></form><script>
f.onsubmit=(e)=>{e.preventDefault();say([a.value,b.value,d.value,r.value,p.checked])}</script>"""
)
TEAM = (
    SAY
    + """<h1>Team</h1><form id=f><label>Email address <input id=m type=email></label>
<label>Role <select id=r><option>Member<option>Manager<option>Owner</select></label>
<button>Send invitation</button></form><ul><li>Ann Lee – Manager
<button onclick="say('out ann')">Remove</button><li>Bo Dahl – Member
<button onclick="say('out bo')">Remove</button></ul><script>
f.onsubmit=(e)=>{e.preventDefault();say([m.value,r.value])}</script>"""
)
CAKE = (
    SAY
    + """<h1>Cake builder</h1><fieldset><legend>Base</legend><label>
<input type=radio name=b value=choc> Chocolate</label><label>
<input type=radio name=b value=van> Vanilla</label></fieldset><label>Tiers
<select id=t><option>1<option>2<option>3</select></label><label>Message on the cake
<input id=m></label><label>Pick-up day <input type=date id=d></label>
<button
 onclick="say([document.querySelector('[name=b]:checked')?.value,t.value,m.value,d.value])">
Order cake</button>"""
)
MAPS = (
    SAY
    + """<h1>Directions</h1><label>Start <input id=a></label><label>Destination
<input id=b></label><fieldset><legend>By</legend><label>
<input type=radio name=w value=car checked> Car</label><label>
<input type=radio name=w value=bike> Bike</label><label>
<input type=radio name=w value=foot> On foot</label></fieldset>
<button
 onclick="say([a.value,b.value,document.querySelector('[name=w]:checked').value])">Get directions</button>"""
)
NEWSL = (
    SAY
    + """<h1>News</h1>
<nav><a href="#" onclick="say('sport')">Sport</a> <a href="#" onclick="say('science')">Science</a></nav>
<article><h2>Bridge reopens</h2><a href="#" onclick="say('bridge')">Read more</a>
<button onclick="say('save bridge')">Save for later</button></article>
<article><h2>New lab</h2><a href="#" onclick="say('lab')">Read more</a>
<button onclick="say('save lab')">Save for later</button></article>"""
)
BUD = (
    SAY
    + """<h1>Budget</h1><table><tr><th>Category<th>Limit<th></tr>"""
    + "".join(
        f"<tr><td>{n}<td><input aria-label='Limit for {n}' value={v}><td>"
        f"<button onclick=\"say('{n}='+this.closest('tr').querySelector('input').value)\">"
        f"Update</button></tr>"
        for n, v in (("Food", 300), ("Rent", 900), ("Fun", 80))
    )
    + "</table>"
)
CHAT = (
    SAY
    + """<h1>Channel #general</h1><ul><li>Ann: hello
<button onclick="say('react ann')">React</button><li>Bo: standup at 10
<button onclick="say('react bo')">React</button></ul><input id=t aria-label="Message #general">
<button onclick="say('sent '+t.value)">Send</button>"""
)
WISH = (
    SAY
    + """<h1>Wish list</h1><form id=f><label>Item <input id=i></label><label>Price
<input id=p></label><label>Priority
<select id=q><option>Low<option>Medium<option>High</select></label><button>Add wish</button></form>
<script>
f.onsubmit=(e)=>{e.preventDefault();say([i.value,p.value,q.value])}</script>"""
)
RIGHT = {
    "Request a quote for moving from Leeds to Hull on 3 May 2027 with 3 rooms and the packing service": (
        MOVE,
        "Leeds,Hull,2027-05-03,3,true;",
    ),
    "Request a moving quote from Oslo to Bergen, 2 rooms, on 9 June 2027": (
        MOVE,
        "Oslo,Bergen,2027-06-09,2,false;",
    ),
    "Send an invitation to dora@b.example with the role Owner": (TEAM, "dora@b.example,Owner;"),
    "Remove Bo Dahl from the team": (TEAM, "out bo;"),
    "Order a chocolate cake with 2 tiers saying “Happy birthday” for 3 May 2027": (
        CAKE,
        "choc,2,Happy birthday,2027-05-03;",
    ),
    "Order a vanilla cake with three tiers, pick-up day 4 May 2027": (CAKE, "van,3,,2027-05-04;"),
    "Get directions from the station to Mill Lane by bike": (MAPS, "station,Mill Lane,bike;"),
    "Get directions from Hull to Leeds on foot": (MAPS, "Hull,Leeds,foot;"),
    "Open the science section": (NEWSL, "science;"),
    "Save the article about the new lab for later": (NEWSL, "save lab;"),
    "Read more about the bridge": (NEWSL, "bridge;"),
    "Set the limit for food to 350 and update it": (BUD, "Food=350;"),
    "Change the rent limit to 950 and press Update": (BUD, "Rent=950;"),
    "Send “On my way” to the channel": (CHAT, "sent On my way;"),
    "React to the message of Bo": (CHAT, "react bo;"),
    "Add a wish: bicycle, 400 euros, high priority": (WISH, "bicycle,400,High;"),
    "Add the wish “Camera” for 250 euros with medium priority": (WISH, "Camera,250,Medium;"),
}
REFUSED = {
    "Invite cy@b.example as a manager": TEAM,
    "Request a quote for moving from Leeds to Hull on 3 May 2027 with 3 rooms and a piano": MOVE,
    "Invite cy@b.example as an auditor": TEAM,
    "Order a lemon cake with 2 tiers for 3 May 2027": CAKE,
    "Get directions from Hull to Leeds by boat": MAPS,
    "Open the politics section": NEWSL,
    "Set the limit for travel to 350 and update it": BUD,
    "React to the message of Cleo": CHAT,
    "Add the wish “Camera” for 250 euros with urgent priority": WISH,
}


@pytest.mark.parametrize(("task", "page"), RIGHT.items(), ids=RIGHT)
async def test_a_form_is_sent_with_all_that_is_said(task: str, page: tuple[str, str], carry: Carry) -> None:
    report, said = await carry(page[0], task)
    assert (said, report.failed or ()) == (page[1], ())


@pytest.mark.parametrize(("task", "body"), REFUSED.items(), ids=REFUSED)
async def test_what_is_beside_the_form_is_refused(task: str, body: str, carry: Carry) -> None:
    report, said = await carry(body, task)
    assert (said, report.ok) == ("", False)
