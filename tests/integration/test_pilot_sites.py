"""Orders in the words of users, on small pages as many sites have them, in a real Chromium."""

from __future__ import annotations

import pytest

from tests.integration.browser_site import Carry, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
SAY = "<p id=said></p><script>const say=(text)=>{said.textContent+=text+';'};</script>"
TRAIN = (
    SAY
    + """<h1>Train tickets</h1><form id=f><label>From <input id=a></label><label>To
<input id=b></label><label>Date <input type=date id=d></label><label>Departure after
<input type=time id=t></label><label>Class
<select id=c><option>Second class<option>First class</select></label><label>Passengers
<input type=number id=n value=1></label><button>Find trains</button></form><script>
f.onsubmit=(e)=>{e.preventDefault();say([a.value,b.value,d.value,t.value,c.value,n.value])}</script>"""
)
ROOM = (
    SAY
    + """<h1>Meeting rooms</h1><form id=f><label>Room
<select id=r><option>Alder<option>Birch<option>Cedar</select></label><label>Day
<input type=date id=d></label><label>From <input type=time id=a></label><label>To
<input type=time id=b></label><label>Purpose <input id=p></label><button>Book room</button></form>
<script>
f.onsubmit=(e)=>{e.preventDefault();say([r.value,d.value,a.value,b.value,p.value])}</script>"""
)
REPORT = (
    SAY
    + """<h1>Report a problem</h1><form id=f><label>Where <input id=w></label>
<label>Category <select id=c><option>Street light<option>Pothole<option>Rubbish</select></label>
<label>Details <textarea id=d></textarea></label><label>
<input type=checkbox id=a> Report anonymously</label><button>Send report</button></form><script>
f.onsubmit=(e)=>{e.preventDefault();say([w.value,c.value,d.value,a.checked])}</script>"""
)
BOOKS = (
    SAY
    + """<h1>Library catalogue</h1><form id=f><label>Title <input id=t></label>
<label>Author <input id=a></label><label>Year from <input id=y></label><label>Year to
<input id=z></label><label>Language
<select id=l><option>Any<option>English<option>French<option>German</select></label>
<button>Search</button><button type=reset onclick="say('reset')">Clear</button></form><script>
f.onsubmit=(e)=>{e.preventDefault();say([t.value,a.value,y.value,z.value,l.value])}</script>"""
)
TAXI = (
    SAY
    + """<h1>Order a taxi</h1><form id=f><label>Pick-up address <input id=a></label>
<label>Destination <input id=b></label><label>Time <input type=time id=t></label><label>Passengers
<select id=n><option>1<option>2<option>3<option>4</select></label><button>Order taxi</button></form>
<script>
f.onsubmit=(e)=>{e.preventDefault();say([a.value,b.value,t.value,n.value])}</script>"""
)
GYM = (
    SAY
    + """<h1>Classes</h1>"""
    + "".join(
        f"<div class=c><h3>{n}</h3><p>{w}</p><p>{s}</p><button onclick=\"say('{n}')\">Book</button></div>"
        for n, w, s in (
            ("Yoga", "Monday 18:00", "3 places left"),
            ("Spinning", "Tuesday 7:00", "full"),
            ("Pilates", "Monday 9:00", "8 places left"),
        )
    )
)
SET = (
    SAY
    + """<h1>Settings</h1><h2>Notifications</h2><label>
<input type=checkbox id=a checked onchange="say('mail '+checked)"> Email me about new comments</label>
<label><input type=checkbox id=b onchange="say('weekly '+checked)"> Send a weekly summary</label>
<h2>Appearance</h2>
<label>Theme <select onchange="say('theme '+value)"><option>Light<option>Dark</select></label>
<label>Font size <select onchange="say('font '+value)">
<option>Small<option>Medium<option>Large</select></label>"""
)
CART = (
    SAY
    + """<h1>Cart</h1><ul><li>Mug
<input type=number aria-label="Quantity of Mug" value=1 onchange="say('mug '+value)">
<button onclick="say('rm mug')">Remove</button><li>Plate
<input type=number aria-label="Quantity of Plate" value=2 onchange="say('plate '+value)">
<button onclick="say('rm plate')">Remove</button></ul>
<button onclick="say('checkout')">Checkout</button>"""
)
LEAVE = (
    SAY
    + """<h1>Contact us</h1><form id=f><label>Name <input id=n required></label>
<label>Email <input id=m type=email required></label><label>Order number <input id=o></label>
<label>Message <textarea id=t required></textarea></label><button>Send</button></form><script>
f.onsubmit=(e)=>{e.preventDefault();say([n.value,m.value,o.value,t.value])}</script>"""
)
KANBAN = (
    SAY
    + """<h1>Board</h1>"""
    + "".join(
        f"<section><h2>{c}</h2>"
        + "".join(
            f"<article><h3>{t}</h3><button onclick=\"say('open {t}')\">Open</button>"
            f"<select aria-label='Status of {t}' onchange=\"say('{t} '+value)\">"
            f"<option>To do<option>Doing<option>Done</select></article>"
            for t in ts
        )
        + "</section>"
        for c, ts in (("To do", ("Fix login", "Write docs")), ("Doing", ("New logo",)))
    )
)
PWD = (
    SAY
    + """<h1>Account</h1><form id=f><label>Current password <input type=password id=a></label>
<label>New password <input type=password id=b></label><label>Repeat new password
<input type=password id=c></label><button>Change password</button></form><script>
f.onsubmit=(e)=>{e.preventDefault();say([a.value,b.value,c.value])}</script>"""
)
RIGHT = {
    "Find trains from Leeds to York on 3 May 2027 after 9:00, first class, for 2 passengers": (
        TRAIN,
        "Leeds,York,2027-05-03,09:00,First class,2;",
    ),
    "Search for a train from Oslo to Bergen on 4 June 2027": (
        TRAIN,
        "Oslo,Bergen,2027-06-04,,Second class,1;",
    ),
    "Book the Birch room on 3 May 2027 from 10:00 to 11:30 for the budget review": (
        ROOM,
        "Birch,2027-05-03,10:00,11:30,budget review;",
    ),
    "Book Cedar for 4 May 2027, 14:00 to 15:00, purpose “Interview”": (
        ROOM,
        "Cedar,2027-05-04,14:00,15:00,Interview;",
    ),
    "Report a pothole in Mill Lane: “Deep hole by number 7”": (
        REPORT,
        "Mill Lane,Pothole,Deep hole by number 7,false;",
    ),
    "Search for books by Woolf in English from 1920 to 1930": (BOOKS, ",Woolf,1920,1930,English;"),
    "Find the French book titled “La Peste” by Camus": (BOOKS, "La Peste,Camus,,,French;"),
    "Find German books by Mann": (BOOKS, ",Mann,,,German;"),
    "Order a taxi from 5 Mill Lane to the station at 17:45 for 3 passengers": (
        TAXI,
        "5 Mill Lane,station,17:45,3;",
    ),
    "Book the yoga class": (GYM, "Yoga;"),
    "Book Pilates on Monday": (GYM, "Pilates;"),
    "Turn on the weekly summary": (SET, "weekly true;"),
    "Switch to the dark theme": (SET, "theme Dark;"),
    "Change the quantity of plates to 4": (CART, "plate 4;"),
    "Remove the plates and check out": (CART, "rm plate;checkout;"),
    "Send the message “Hello” from Bo Dahl with the email bo@b.example": (
        LEAVE,
        "Bo Dahl,bo@b.example,,Hello;",
    ),
    "Move “Fix login” to Doing": (KANBAN, "Fix login Doing;"),
    "Set the status of New logo to Done": (KANBAN, "New logo Done;"),
    "Open the card Write docs": (KANBAN, "open Write docs;"),
    "Change my password from Old1 to New22": (PWD, "Old1,New22,New22;"),
}
REFUSED = {
    "Report a broken street light at Hill Road 5 anonymously": REPORT,
    "Stop emailing me about new comments": SET,
    "Use the dark theme and a large font": SET,
    "Make it three mugs": CART,
    "Write to support as Ann Lee, ann@b.example, about order 4471: “Where is it?”": LEAVE,
    "Find trains from Leeds to York on 3 May 2027, third class": TRAIN,
    "Book the Dogwood room on 3 May 2027 from 10:00 to 11:30": ROOM,
    "Search for books by Woolf in Latin": BOOKS,
    "Book the boxing class": GYM,
    "Order a taxi from 5 Mill Lane to the station at 17:45 for 3 passengers and a dog": TAXI,
    "Turn on the monthly summary": SET,
    "Use the blue theme": SET,
    "Change the quantity of bowls to 4": CART,
    "Move “Fix logout” to Doing": KANBAN,
    "Send the message “Hello” from Bo Dahl": LEAVE,
}


@pytest.mark.parametrize(("task", "page"), RIGHT.items(), ids=RIGHT)
async def test_an_order_is_carried_out_as_it_is_meant(task: str, page: tuple[str, str], carry: Carry) -> None:
    report, said = await carry(page[0], task)
    assert (said, report.failed or ()) == (page[1], ())


@pytest.mark.parametrize(("task", "body"), REFUSED.items(), ids=REFUSED)
async def test_what_is_not_there_is_refused(task: str, body: str, carry: Carry) -> None:
    report, said = await carry(body, task)
    assert (said, report.ok) == ("", False)
