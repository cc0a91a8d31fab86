"""Forms by orders that say all of them, and other everyday orders, in a real Chromium."""

from __future__ import annotations

import pytest

from tests.integration.browser_site import Carry, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
SAY = "<p id=said></p><script>const say=(text)=>{said.textContent+=text+';'};</script>"
SHIP = (
    SAY
    + """<h1>Checkout</h1><form id=f><h2>Shipping address</h2>
<label>Full name <input id=n></label><label>Street and number <input id=s></label>
<label>ZIP code <input id=z></label><label>City <input id=c></label>
<button>Continue to payment</button></form><script>
f.onsubmit=(e)=>{e.preventDefault();say([n.value,s.value,z.value,c.value])}</script>"""
)
PIZZA = (
    SAY
    + """<h1>Order a pizza</h1><form id=f><fieldset><legend>Size</legend>
<label><input type=radio name=s value=S checked> Small</label>
<label><input type=radio name=s value=L> Large</label></fieldset><fieldset><legend>Toppings</legend>
<label><input type=checkbox name=t value=ham> Ham</label>
<label><input type=checkbox name=t value=olives> Olives</label>
<label><input type=checkbox name=t value=corn> Corn</label></fieldset><button>Order</button></form>
<script>
f.onsubmit=(e)=>{e.preventDefault();
 say(f.s.value+':'+[...document.querySelectorAll('[name=t]:checked')].map(x=>x.value))}</script>"""
)
JACKET = (
    SAY
    + """<h1>Rain jacket</h1><p>59.00 EUR</p><label>Size
<select id=s><option>S<option>M<option>L</select></label>
<label>Colour <select id=c><option>Red<option>Black</select></label>
<label>Quantity <input type=number id=q value=1></label>
<button onclick="say([q.value,s.value,c.value])">Add to cart</button>
<button onclick="say('wish')">Add to wish list</button>"""
)
NEWS = (
    SAY
    + """<h2>Newsletter</h2><form id=f><label>Email <input type=email id=m></label>
<label><input type=radio name=r value=d checked> Daily</label>
<label><input type=radio name=r value=w> Weekly</label>
<button>Subscribe</button></form>
<script>f.onsubmit=(e)=>{e.preventDefault();say(m.value+','+f.r.value)}</script>"""
)
PLANS = (
    SAY
    + """<h1>Plans</h1><div class=card><h3>Free</h3><p>0 EUR</p>
<button onclick="say('free')">Choose</button></div>
<div class=card><h3>Team</h3><p>20 EUR</p><button onclick="say('team')">Choose</button></div>
<div class=card><h3>Business</h3><p>90 EUR</p>
<button onclick="say('business')">Choose</button></div>"""
)
WIZ = (
    SAY
    + """<h1>New project</h1><div id=one><label>Project name <input id=n></label>
<button onclick="one.hidden=true;two.hidden=false">Next</button></div>
<div id=two hidden><label>Owner <select id=o><option>Ann<option>Bo</select></label>
<button onclick="two.hidden=true;one.hidden=false">Back</button>
<button onclick="say([n.value,o.value])">Create project</button></div>"""
)
STARS = (
    SAY
    + """<h1>Blue Harbour Hotel</h1><div role=radiogroup aria-label="Your rating">"""
    + "".join(
        f"<label><input type=radio name=r value={i}>{i} star{'s' if i > 1 else ''}</label>"
        for i in range(1, 6)
    )
    + """</div>
<label>Your review <textarea id=t></textarea></label>
<button onclick="say(document.querySelector('[name=r]:checked')?.value+','+t.value)">Submit review</button>"""
)
FLAT = (
    SAY
    + """<h1>Flats</h1><label>City <input id=c></label>
<label>Max. rent <input id=p type=number></label><label>Rooms
<select id=r><option>Any<option>1<option>2<option>3</select></label>
<button onclick="say([c.value,p.value,r.value])">Search</button>"""
)
INV = (
    SAY
    + "<h1>Invoices</h1><table><tr><th>No.<th>Client<th>Total<th>Status<th></tr>"
    + "".join(
        f"<tr><td>{no}<td>{c}<td>{t}<td>{s}<td>"
        f"<button onclick=\"say('pdf {no}')\">Download</button>"
        f"<button onclick=\"say('remind {no}')\">Send reminder</button></tr>"
        for no, c, t, s in (
            ("2027-01", "Alba Ltd", "120.00", "Paid"),
            ("2027-02", "Borg AS", "90.00", "Open"),
            ("2027-03", "Corvo SL", "310.00", "Overdue"),
        )
    )
    + "</table>"
)
MAIL = (
    SAY
    + """<h1>Inbox</h1><ul>"""
    + "".join(
        f"<li><b>{w}</b> {s} <button onclick=\"say('arch {w}')\">Archive</button>"
        f"<button onclick=\"say('del {w}')\">Delete</button></li>"
        for w, s in (("Ann Lee", "Minutes of May"), ("Bo Dahl", "Invoice 77"), ("Cy Ott", "Lunch?"))
    )
    + "</ul>"
)
PROF = (
    SAY
    + """<h1>Profile</h1><form id=f><label>First name <input id=a value=Ann></label>
<label>Last name <input id=b value=Lee></label>
<label>Phone <input id=p value="555 1"></label><label>Time zone
<select id=z><option>UTC<option>Europe/Berlin<option>Asia/Tokyo</select></label>
<label><input type=checkbox id=v checked> Show my profile to everyone</label>
<button>Save changes</button></form><script>
f.onsubmit=(e)=>{e.preventDefault();say([a.value,b.value,p.value,z.value,v.checked])}</script>"""
)
DLG = (
    SAY
    + """<h1>Projects</h1><ul id=u><li>Atlas <button class=d>Delete</button><li>Boreas
<button class=d>Delete</button></ul>
<dialog id=g><p>Type the name of the project to confirm</p><label>Project name <input id=n></label>
<button id=y>Delete project</button><button onclick="g.close()">Cancel</button></dialog>
<script>for(const b of document.querySelectorAll('.d'))b.onclick=()=>{
 g.dataset.of=b.parentNode.firstChild.textContent.trim();g.showModal()};
y.onclick=()=>{say(g.dataset.of+'/'+n.value);g.close()}</script>"""
)
SEAT = (
    SAY
    + """<h1>Choose your seats</h1><div role=grid>"""
    + "".join(
        "<div role=row>"
        + "".join(
            f'<button role=gridcell aria-label="Seat {r}{c}" aria-pressed=false'
            f" onclick=\"this.ariaPressed=true;say('{r}{c}')\">{r}{c}</button>"
            for c in "ABC"
        )
        + "</div>"
        for r in (1, 2, 3)
    )
    + """</div><button onclick="say('go')">Confirm seats</button>"""
)
POLL = (
    SAY
    + """<h1>Where shall we meet?</h1><form id=f>
<label><input type=radio name=p value=cafe> Café Uno</label>
<label><input type=radio name=p value=park> City park</label>
<button>Vote</button></form><script>f.onsubmit=(e)=>{e.preventDefault();say(f.p.value)}</script>"""
)
TODO = (
    SAY
    + """<h1>To do</h1><input id=i placeholder="What needs to be done?"><ul id=u></ul>
<script>
const add=(t)=>{const l=document.createElement('li');
 l.innerHTML='<input type=checkbox> <span>'+t+'</span> <button>×</button>';u.append(l);
l.querySelector('input').onclick=()=>say('done '+t);
l.querySelector('button').onclick=()=>{say('del '+t);l.remove()}};
['Buy milk','Call Bo'].forEach(add);
i.onkeydown=(e)=>{if(e.key==='Enter'&&i.value){add(i.value);say('new '+i.value);i.value=''}}</script>"""
)
CONV = (
    SAY
    + """<h1>Currency converter</h1><label>Amount <input id=a type=number></label><label>From
<select id=x><option>EUR<option>USD<option>GBP</select></label>
<label>To <select id=y><option>EUR<option>USD<option>GBP</select></label>
<button onclick="say([a.value,x.value,y.value])">Convert</button>"""
)
APPT = (
    SAY
    + """<h1>Book an appointment</h1><label>Doctor
<select id=d><option>Dr. Abel<option>Dr. Ruiz</select></label>
<label>Date <input type=date id=t></label>
<label>Time <select id=h><option>09:00<option>10:30<option>14:00</select></label>
<label>Reason <input id=r></label>
<button onclick="say([d.value,t.value,h.value,r.value])">Book</button>"""
)
FILES = (
    SAY
    + """<h1>Documents</h1><table><tr><th><th>Name<th>Size</tr>"""
    + "".join(
        f"<tr><td><input type=checkbox onclick=\"say('sel {n}')\"><td>{n}<td>{s}</tr>"
        for n, s in (("a.pdf", "2 MB"), ("b.docx", "80 kB"), ("c.pdf", "5 MB"))
    )
    + """</table><button onclick="say('zip')">Download selected</button>
<button onclick="say('rm')">Delete selected</button>"""
)
WEEKLY = f"""{SAY}<form onsubmit="event.preventDefault();say(this.querySelector('[type=checkbox]').checked)">
<h2>Newsletter</h2><label>Email <input></label>
<label><input type=checkbox> Weekly only</label><button>Subscribe</button></form>"""
TABS = (
    SAY
    + """<div role=tablist><button role=tab aria-selected=true>Home</button>
<button role=tab aria-selected=false onclick="b.hidden=false">Orders</button></div>
<div id=b hidden><label>Search orders <input id=q type=search></label>
<button onclick="say(q.value)">Search</button>
<label>Your comment <textarea id=c></textarea></label>
<button onclick="say('comment '+c.value)">Post comment</button></div>"""
)
NEW = (
    SAY
    + """<h1>Entries</h1><button id=n>New</button><script>n.onclick=()=>{
document.body.insertAdjacentHTML('beforeend',
 '<label>Title <input id=t></label><button onclick="say(`saved ${t.value}`)">Save</button>')}</script>"""
)
TICKET = (
    SAY
    + """<h1>Tickets</h1><form id=f><label>Title <input id=t></label>
<label>Priority <select id=p><option>Low<option>High</select></label>
<label>Assignee <select id=a><option>Nobody<option>Ann<option>Bo</select></label>
<button>Create ticket</button></form><script>
f.onsubmit=(e)=>{e.preventDefault();say([t.value,p.value,a.value])}</script>"""
)
LEAK = "Create a ticket titled “Leak” with high priority"
RIGHT = {
    "Search for “mug” in the Orders tab": (TABS, "mug;"),
    "Write a comment “Hi” in the Orders tab": (TABS, "comment Hi;"),
    f"{LEAK} and assign it to Ann. {LEAK} and assign it to Bo.": (TICKET, "Leak,High,Ann;Leak,High,Bo;"),
    "Subscribe lea@x.example to the newsletter, weekly only.": (WEEKLY, "true;"),
    "Ship to 5 Hill Road, 20457 Hamburg for Ann Lee and continue": (
        SHIP,
        "Ann Lee,5 Hill Road,20457,Hamburg;",
    ),
    "Enter the shipping address Ann Lee, 5 Hill Road, 20457 Hamburg and continue to payment": (
        SHIP,
        "Ann Lee,5 Hill Road,20457,Hamburg;",
    ),
    "Order a large pizza with ham and olives": (PIZZA, "L:ham,olives;"),
    "Add two jackets in size L, colour black, to the cart": (JACKET, "2,L,Black;"),
    "Add a black jacket in size M to the wish list": (JACKET, "wish;"),
    "Subscribe ann@b.example to the weekly newsletter": (NEWS, "ann@b.example,w;"),
    "Subscribe with ann@b.example": (NEWS, "ann@b.example,d;"),
    "Upgrade to the Team plan": (PLANS, "team;"),
    "Choose the Business plan": (PLANS, "business;"),
    "Enter Atlas as the project name, go on, choose Bo as the owner and create the project": (
        WIZ,
        "Atlas,Bo;",
    ),
    "Give the hotel 4 stars and write “Quiet rooms” as the review, then submit it": (STARS, "4,Quiet rooms;"),
    "Leave a review with 5 stars saying “Lovely view”": (STARS, "5,Lovely view;"),
    "Find flats in Bergen with 2 rooms for at most 900 euros": (FLAT, "Bergen,900,2;"),
    "Search for flats in Bergen with a maximum rent of 1200": (FLAT, "Bergen,1200,Any;"),
    "Send a reminder for the overdue invoice": (INV, "remind 2027-03;"),
    "Download the invoice of Borg AS": (INV, "pdf 2027-02;"),
    "Archive the mail from Bo Dahl": (MAIL, "arch Bo Dahl;"),
    "Delete the message about lunch": (MAIL, "del Cy Ott;"),
    "Change my last name to Berg and my phone to 555 22, then save": (PROF, "Ann,Berg,555 22,UTC,true;"),
    "Update my phone number to +49 30 1234 and save the changes": (PROF, "Ann,Lee,+49 30 1234,UTC,true;"),
    "Delete the project Boreas and type its name to confirm": (DLG, "Boreas/Boreas;"),
    "Delete the project Atlas": (DLG, "Atlas/Atlas;"),
    "Take the seats 2A and 2B and confirm": (SEAT, "2A;2B;go;"),
    "Vote for the park": (POLL, "park;"),
    "Vote for Café Uno": (POLL, "cafe;"),
    "Add “Pay rent” to the list": (TODO, "new Pay rent;"),
    "Mark “Buy milk” as done": (TODO, "done Buy milk;"),
    "Tick off Call Bo": (TODO, "done Call Bo;"),
    "Remove Buy milk from the list": (TODO, "del Buy milk;"),
    "Convert 250 USD to GBP": (CONV, "250,USD,GBP;"),
    "Convert 20 euros into dollars": (CONV, "20,EUR,USD;"),
    "Book an appointment with Dr. Ruiz on 4 March 2027 at 10:30 for a check-up": (
        APPT,
        "Dr. Ruiz,2027-03-04,10:30,check-up;",
    ),
    "Book Dr. Abel for 5 March 2027, 14:00, reason “Back pain”": (
        APPT,
        "Dr. Abel,2027-03-05,14:00,Back pain;",
    ),
    "Select all PDF files and download them": (FILES, "sel a.pdf;sel c.pdf;zip;"),
    "Delete b.docx": (FILES, "sel b.docx;rm;"),
}
REFUSED = {
    "Create an entry: “Tea ”": NEW,
    "Create a project called Atlas owned by Bo": WIZ,
    "Remind Corvo SL of the invoice": INV,
    "Archive everything but the mail from Ann Lee": MAIL,
    "Set the time zone to Tokyo, hide my profile and save": PROF,
    "Upgrade to the Gold plan": PLANS,
    "Order a large pizza with ham and tuna": PIZZA,
    "Order a huge pizza with ham": PIZZA,
    "Subscribe ann@b.example to the monthly newsletter": NEWS,
    "Find flats in Bergen with 2 balconies": FLAT,
    "Vote for the beach": POLL,
    "Convert 20 francs into dollars": CONV,
    "Archive the mail from Dora": MAIL,
    "Take the seats 2A and 9Z and confirm": SEAT,
    "Book an appointment with Dr. Stone on 4 March 2027 at 10:30": APPT,
    "Send a reminder for the invoice of Delta": INV,
    "Add three jackets in size XXL to the cart": JACKET,
}


@pytest.mark.parametrize(("task", "page"), RIGHT.items(), ids=RIGHT)
async def test_every_word_of_an_order_is_met(task: str, page: tuple[str, str], carry: Carry) -> None:
    report, said = await carry(page[0], task)
    assert (said, report.failed or ()) == (page[1], ())


@pytest.mark.parametrize(("task", "body"), REFUSED.items(), ids=REFUSED)
async def test_nothing_is_sent_where_a_word_is_left_over(task: str, body: str, carry: Carry) -> None:
    report, said = await carry(body, task)
    assert (said, report.ok) == ("", False)
