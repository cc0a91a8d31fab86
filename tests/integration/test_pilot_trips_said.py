"""Trips, tickets and registrations by orders that say all of them, in a real Chromium."""

from __future__ import annotations

import pytest

from tests.integration.browser_site import Carry, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
SAY = "<p id=said></p><script>const say=(text)=>{said.textContent+=text+';'};</script>"
FLIGHT = (
    SAY
    + """<h1>Flights</h1><form id=f><label>
<input type=radio name=w value=rt checked> Round trip</label><label>
<input type=radio name=w value=ow> One way</label><label>From <input id=a></label><label>To
<input id=b></label><label>Depart <input type=date id=d></label><label>Return
<input type=date id=r></label><label>Adults
<select id=n><option>1<option>2<option>3</select></label><button>Search flights</button></form>
<script>
f.onsubmit=(e)=>{e.preventDefault();say([f.w.value,a.value,b.value,d.value,r.value,n.value])}</script>"""
)
PERM = (
    SAY
    + """<h1>Share settings</h1><table>"""
    + "".join(
        f"<tr><td>{n}<td><label><input type=checkbox"
        f" onchange=\"say('{n} view '+checked)\"> View</label><td><label><input type=checkbox"
        f" onchange=\"say('{n} edit '+checked)\"> Edit</label></tr>"
        for n in ("Ann Lee", "Bo Dahl")
    )
    + """</table><button onclick="say('saved')">Save</button>"""
)
JOB = (
    SAY
    + """<h1>Apply: Data engineer</h1><form id=f><label>First name <input id=a></label>
<label>Last name <input id=b></label><label>Email <input id=m></label><label>Years of experience
<input id=y type=number></label><label>Earliest start <input id=d type=date></label>
<label>Cover letter <textarea id=c></textarea></label><label>
<input type=checkbox id=t required> I accept the privacy policy</label>
<button>Apply now</button></form><script>
f.onsubmit=(e)=>{e.preventDefault();
 say([a.value,b.value,m.value,y.value,d.value,c.value,t.checked])}</script>"""
)
WX = (
    SAY
    + """<h1>Weather</h1><input id=q placeholder="Search city">
<button onclick="say('city '+q.value)">Go</button><button onclick="say('unit F')">°F</button>
<button onclick="say('unit C')">°C</button><div role=tablist>
<button role=tab aria-selected=true>Today</button>
<button role=tab aria-selected=false onclick="say('week')">Week</button></div>"""
)
TICKETS = (
    SAY
    + """<h1>Support tickets</h1><table><tr><th>#<th>Subject<th>Status<th></tr>"""
    + "".join(
        f"<tr><td>{i}<td>{s}<td>{t}<td><button onclick=\"say('close {i}')\">Close</button>"
        f"<button onclick=\"say('assign {i}')\">Assign to me</button></tr>"
        for i, s, t in ((101, "Login fails", "Open"), (102, "Slow page", "Open"), (103, "Typo", "Waiting"))
    )
    + "</table>"
)
CONF = (
    SAY
    + """<h1>Register for the conference</h1><form id=f><label>Full name <input id=n></label>
<label>Organisation <input id=o></label><fieldset><legend>Ticket</legend><label>
<input type=radio name=k value=student> Student (€50)</label><label>
<input type=radio name=k value=regular> Regular (€200)</label></fieldset>
<fieldset><legend>Workshops</legend><label><input type=checkbox name=w value=rust> Rust</label>
<label><input type=checkbox name=w value=graphs> Graphs</label></fieldset><label>T-shirt
<select id=t><option>S<option>M<option>L<option>XL</select></label><button>Register</button></form>
<script>
f.onsubmit=(e)=>{e.preventDefault();
 say([n.value,o.value,f.k.value,[...document.querySelectorAll('[name=w]:checked')].map(x=>x.value).join('+'),t.value])}</script>"""
)
DIARY = (
    SAY
    + """<h1>Diary</h1><form id=f><label>Date <input type=date id=d></label><label>Mood
<select id=m><option>Good<option>Okay<option>Bad</select></label>
<label>Entry <textarea id=e></textarea></label><button>Save entry</button></form><script>
f.onsubmit=(x)=>{x.preventDefault();say([d.value,m.value,e.value])}</script>"""
)
FINE = (
    SAY
    + """<h1>Pay a parking fine</h1><form id=f><label>Number plate <input id=p></label>
<label>Reference number <input id=r></label><label>Amount <input id=a></label>
<button>Pay fine</button></form><script>
f.onsubmit=(e)=>{e.preventDefault();say([p.value,r.value,a.value])}</script>"""
)
RIGHT = {
    "Search one-way flights from Oslo to Rome on 3 May 2027 for 2 adults": (
        FLIGHT,
        "ow,Oslo,Rome,2027-05-03,,2;",
    ),
    "Find a round trip from Leeds to Lisbon, departing 3 May 2027 and returning 10 May 2027": (
        FLIGHT,
        "rt,Leeds,Lisbon,2027-05-03,2027-05-10,1;",
    ),
    "Search for Bergen": (WX, "city Bergen;"),
    "Open the Week tab": (WX, "week;"),
    "Close ticket 102": (TICKETS, "close 102;"),
    "Close the ticket about the typo": (TICKETS, "close 103;"),
    "Assign the ticket Login fails to me": (TICKETS, "assign 101;"),
    "Register Ann Lee from Alba Ltd with a student ticket, the Rust workshop and a T-shirt in M": (
        CONF,
        "Ann Lee,Alba Ltd,student,rust,M;",
    ),
    "Register as Bo Dahl, regular ticket, workshops Rust and Graphs, T-shirt XL": (
        CONF,
        "Bo Dahl,,regular,rust+graphs,XL;",
    ),
    "Save the diary entry “Rain all day” for 3 May 2027 with a bad mood": (
        DIARY,
        "2027-05-03,Bad,Rain all day;",
    ),
    "Pay the fine with reference number 7781 for the number plate AB 123 CD, amount 40": (
        FINE,
        "AB 123 CD,7781,40;",
    ),
    "Pay 40 euros for plate XY 99, reference 5512": (FINE, "XY 99,5512,40;"),
}
REFUSED = {
    "Let Bo Dahl edit and save": PERM,
    "Give Ann Lee view access": PERM,
    "Apply as Ann Lee, ann@b.example, with 5 years of experience, starting 1 June 2027; "
    "accept the privacy policy": JOB,
    "Close all open tickets": TICKETS,
    "Write “Sun at last” in the diary for 4 May 2027, mood good, and save the entry": DIARY,
    "Search one-way flights from Oslo to Rome on 3 May 2027 for 2 adults and a cat": FLIGHT,
    "Close ticket 109": TICKETS,
    "Register Ann Lee with a press ticket": CONF,
    "Register Ann Lee with a student ticket and the Go workshop": CONF,
    "Save the diary entry “Rain” for 3 May 2027 with a great mood": DIARY,
    "Let Dora edit and save": PERM,
}


@pytest.mark.parametrize(("task", "page"), RIGHT.items(), ids=RIGHT)
async def test_a_trip_or_a_registration_is_sent_whole(task: str, page: tuple[str, str], carry: Carry) -> None:
    report, said = await carry(page[0], task)
    assert (said, report.failed or ()) == (page[1], ())


@pytest.mark.parametrize(("task", "body"), REFUSED.items(), ids=REFUSED)
async def test_nothing_is_sent_where_a_part_has_no_field(task: str, body: str, carry: Carry) -> None:
    report, said = await carry(body, task)
    assert (said, report.ok) == ("", False)
