"""Orders over lists, shops and small forms, in a real Chromium."""

from __future__ import annotations

import pytest

from tests.integration.browser_site import Carry, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
SAY = "<p id=said></p><script>const say=(text)=>{said.textContent+=text+';'};</script>"
PET = (
    SAY
    + """<h1>Adopt a pet</h1><form id=f><label>Kind
<select id=k><option>Cat<option>Dog<option>Rabbit</select></label><label>Max. age (years)
<input id=a type=number></label><label><input type=checkbox id=g> Good with children</label>
<button>Show pets</button></form><script>
f.onsubmit=(e)=>{e.preventDefault();say([k.value,a.value,g.checked])}</script>"""
)
INVOICE = (
    SAY
    + """<h1>New invoice</h1><form id=f><label>Client
<select id=c><option>Alba Ltd<option>Borg AS</select></label><label>Amount <input id=a></label>
<label>Currency <select id=u><option>EUR<option>NOK</select></label><label>Due date
<input type=date id=d></label><label>Description <input id=t></label>
<button>Create invoice</button></form><script>
f.onsubmit=(e)=>{e.preventDefault();say([c.value,a.value,u.value,d.value,t.value])}</script>"""
)
MOVIE = (
    SAY
    + """<h1>Cinema</h1>"""
    + "".join(
        f"<article><h2>{n}</h2><p>{t}</p>"
        f"<label>Seats <input type=number value=1 class=n></label><button"
        f" onclick=\"say('{n} '+this.closest('article').querySelector('.n').value)\">"
        f"Book seats</button></article>"
        for n, t in (("North Wind", "18:00"), ("The Long Road", "20:30"))
    )
)
TIMER = (
    SAY
    + """<h1>Time tracking</h1><form id=f><label>Project
<select id=p><option>Website<option>App<option>Internal</select></label><label>Hours
<input id=h></label><label>Date <input type=date id=d></label>
<label>Notes <textarea id=n></textarea></label><button>Log time</button></form><script>
f.onsubmit=(e)=>{e.preventDefault();say([p.value,h.value,d.value,n.value])}</script>"""
)
SHOP = (
    SAY
    + """<h1>Garden shop</h1><label>Sort by
<select onchange="say('sort '+value)"><option>Popularity
<option>Price: low to high<option>Price: high to low</select></label>
<fieldset><legend>Category</legend><label><input type=checkbox onchange="say('pots '+checked)"> Pots</label>
<label><input type=checkbox onchange="say('tools '+checked)"> Tools</label></fieldset>"""
    + "".join(
        f"<div class=p><h3>{n}</h3><p>{p} EUR</p><button"
        f" onclick=\"say('buy {n}')\">Add to basket</button></div>"
        for n, p in (("Clay pot", "9.50"), ("Spade", "24.00"), ("Rake", "18.00"))
    )
)
EVENT = (
    SAY
    + """<h1>RSVP</h1><form id=f><label>Your name <input id=n></label>
<fieldset><legend>Will you come?</legend><label><input type=radio name=y value=yes> Yes</label>
<label><input type=radio name=y value=no> No</label></fieldset><label>Guests
<input type=number id=g value=0></label><label>Menu
<select id=m><option>Meat<option>Fish<option>Vegetarian</select></label>
<button>Send answer</button></form><script>
f.onsubmit=(e)=>{e.preventDefault();say([n.value,f.y.value,g.value,m.value])}</script>"""
)
ADDR = (
    SAY
    + """<h1>My addresses</h1><ul><li>Home: 1 Elm St
<button onclick="say('edit home')">Edit</button><button onclick="say('del home')">Delete</button>
<button onclick="say('default home')">Make default</button><li>Work: 9 Oak Rd
<button onclick="say('edit work')">Edit</button><button onclick="say('del work')">Delete</button>
<button onclick="say('default work')">Make default</button></ul>
<button onclick="say('new')">Add address</button>"""
)
MUSIC = (
    SAY
    + """<h1>Playlist</h1><ol>"""
    + "".join(
        f"<li>{n} <button aria-label='Play {n}' onclick=\"say('play {n}')\">▶</button>"
        f"<button aria-label='Remove {n}' onclick=\"say('rm {n}')\">✕</button></li>"
        for n in ("Blue Hour", "Slow Tide", "Paper Boats")
    )
    + """</ol><button onclick="say('shuffle')">Shuffle</button>
<label>Volume <input type=range min=0 max=100 value=50 onchange="say('vol '+value)"></label>"""
)
CRM = (
    SAY
    + """<h1>Contacts</h1><label>Filter
<input id=q></label><table><tr><th>Name<th>Company<th>Stage<th></tr>"""
    + "".join(
        f"<tr><td>{n}<td>{c}<td>{s}<td><button onclick=\"say('call {n}')\">Call</button><button"
        f" onclick=\"say('mail {n}')\">Email</button></tr>"
        for n, c, s in (
            ("Ann Lee", "Alba", "Lead"),
            ("Bo Dahl", "Borg", "Customer"),
            ("Cy Ott", "Corvo", "Lead"),
        )
    )
    + "</table>"
)
RIGHT = {
    "Show dogs up to 3 years old that are good with children": (PET, "Dog,3,true;"),
    "Show me rabbits": (PET, "Rabbit,,false;"),
    "Create an invoice for Borg AS over 1200 NOK due on 1 June 2027 for consulting": (
        INVOICE,
        "Borg AS,1200,NOK,2027-06-01,consulting;",
    ),
    "Create an invoice of 90 euros to Alba Ltd, due 5 May 2027, description “Logo”": (
        INVOICE,
        "Alba Ltd,90,EUR,2027-05-05,Logo;",
    ),
    "Book 3 seats for The Long Road": (MOVIE, "The Long Road 3;"),
    "Book a seat for North Wind": (MOVIE, "North Wind 1;"),
    "Book two seats for the film at 20:30": (MOVIE, "The Long Road 2;"),
    "Log 2.5 hours on the App project for 3 May 2027": (TIMER, "App,2.5,2027-05-03,;"),
    "Log 4 hours for Website on 4 May 2027 with the note “Header”": (TIMER, "Website,4,2027-05-04,Header;"),
    "Sort by price from low to high": (SHOP, "sort Price: low to high;"),
    "Show only tools": (SHOP, "tools true;"),
    "Put the spade into the basket": (SHOP, "buy Spade;"),
    "Add the cheapest item to the basket": (SHOP, "buy Clay pot;"),
    "Add the rake and the clay pot to the basket": (SHOP, "buy Rake;buy Clay pot;"),
    "Answer yes as Ann Lee with 2 guests and the vegetarian menu": (EVENT, "Ann Lee,yes,2,Vegetarian;"),
    "Send the answer no for Bo Dahl": (EVENT, "Bo Dahl,no,0,Meat;"),
    "Make the work address the default": (ADDR, "default work;"),
    "Delete my home address": (ADDR, "del home;"),
    "Edit the work address": (ADDR, "edit work;"),
    "Play Slow Tide": (MUSIC, "play Slow Tide;"),
    "Remove Paper Boats from the playlist": (MUSIC, "rm Paper Boats;"),
    "Turn the volume up to 80": (MUSIC, "vol 80;"),
    "Call the contact from Corvo": (CRM, "call Cy Ott;"),
    "Email Bo Dahl": (CRM, "mail Bo Dahl;"),
}
REFUSED = {
    "Play the second song": MUSIC,
    "Show parrots": PET,
    "Create an invoice for Delta BV over 1200 NOK due on 1 June 2027": INVOICE,
    "Create an invoice for Borg AS over 1200 USD due on 1 June 2027": INVOICE,
    "Book 3 seats for South Wind": MOVIE,
    "Log 2.5 hours on the Garden project for 3 May 2027": TIMER,
    "Show only plants": SHOP,
    "Answer maybe as Ann Lee": EVENT,
    "Delete my holiday address": ADDR,
    "Play Fast Tide": MUSIC,
    "Call the contact from Delta": CRM,
    "Email the lead": CRM,
}


@pytest.mark.parametrize(("task", "page"), RIGHT.items(), ids=RIGHT)
async def test_an_order_is_carried_out_whole(task: str, page: tuple[str, str], carry: Carry) -> None:
    report, said = await carry(page[0], task)
    assert (said, report.failed or ()) == (page[1], ())


@pytest.mark.parametrize(("task", "body"), REFUSED.items(), ids=REFUSED)
async def test_what_nothing_on_the_page_is_called_is_refused(task: str, body: str, carry: Carry) -> None:
    report, said = await carry(body, task)
    assert (said, report.ok) == ("", False)
