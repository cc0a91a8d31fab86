"""Forms of everyday sites by orders that say all of them, in a real Chromium."""

from __future__ import annotations

import pytest

from tests.integration.browser_site import Carry, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
SAY = "<p id=said></p><script>const say=(text)=>{said.textContent+=text+';'};</script>"
TABLE = (
    SAY
    + """<h1>Reserve a table</h1><form id=f><label for=n>Your name</label>
<input id=n><label for=p>Phone</label><input id=p type=tel>
<label for=g>Guests</label>
<select id=g><option>1<option>2<option>3<option>4<option>5<option>6</select>
<label for=d>Date</label><input id=d type=date>
<label for=t>Time</label><input id=t type=time><label><input type=checkbox id=o> Outside</label>
<button>Reserve</button></form><script>
f.onsubmit=(e)=>{e.preventDefault();say([n.value,p.value,g.value,d.value,t.value,o.checked])}</script>"""
)
CARS = (
    SAY
    + """<h1>Used cars</h1><aside><label>Make
<select id=m><option>Any make<option>Volvo<option>Skoda<option>Fiat</select></label><label>Fuel
<select id=f><option>Any<option>Petrol<option>Diesel<option>Electric</select></label>
<label>Price up to <input id=p type=number></label><label>Year from <input id=y type=number></label>
<button onclick="say([m.value,f.value,p.value,y.value])">Show results</button></aside>"""
)
TICK = (
    SAY
    + """<h1>New ticket</h1><form id=f><label>Title <input id=t required></label>
<label>Description <textarea id=d></textarea></label><label>Priority
<select id=p><option>Low<option selected>Normal<option>High</select></label>
<label>Assignee <select id=a><option>Nobody<option>Ann Lee<option>Bo Dahl</select></label>
<button>Create ticket</button><button type=button onclick="say('cancel')">Cancel</button></form>
<script>
f.onsubmit=(e)=>{e.preventDefault();say([t.value,d.value,p.value,a.value])}</script>"""
)
EXP = (
    SAY
    + """<h1>Expenses</h1><form id=f><input id=w placeholder="What for?">
<input id=a placeholder="Amount" inputmode=decimal>
<select id=c aria-label=Category><option>Food<option>Travel<option>Office</select>
<button>Add expense</button></form><ul><li>Train 45.00
<button onclick="say('edit train')">Edit</button>
<button onclick="say('del train')">Delete</button><li>Lunch 12.50
<button onclick="say('edit lunch')">Edit</button>
<button onclick="say('del lunch')">Delete</button></ul><script>
f.onsubmit=(e)=>{e.preventDefault();say([w.value,a.value,c.value])}</script>"""
)
BANK = (
    SAY
    + """<h1>New transfer</h1><form id=f><label>From account
<select id=s><option>Current account<option>Savings account</select></label><label>Recipient
<input id=r></label><label>IBAN <input id=i></label>
<label>Amount (EUR) <input id=a></label><label>Reference <input id=x></label>
<button>Review transfer</button></form><script>
f.onsubmit=(e)=>{e.preventDefault();say([s.value,r.value,i.value,a.value,x.value])}</script>"""
)
LIGHT = (
    SAY
    + """<h1>Living room</h1><label>Brightness
<input type=range id=b min=0 max=100 value=20 onchange="say('b'+value)"></label>
<button role=switch aria-checked=false id=l
 onclick="l.ariaChecked=l.ariaChecked!='true';say('light '+l.ariaChecked)">Ceiling light</button>
<button role=switch aria-checked=true id=k
 onclick="k.ariaChecked=k.ariaChecked!='true';say('lamp '+k.ariaChecked)">Desk lamp</button>
<label>Temperature <input type=number id=t value=20 onchange="say('t'+value)"></label>"""
)
SURV = (
    SAY
    + """<h1>Survey</h1><form id=f><fieldset><legend>How often do you visit us?</legend>
<label><input type=radio name=a value=w> Weekly</label><label>
<input type=radio name=a value=m> Monthly</label><label>
<input type=radio name=a value=y> Yearly</label></fieldset>
<fieldset><legend>How satisfied are you?</legend><label>
<input type=radio name=b value=v> Very satisfied</label><label>
<input type=radio name=b value=s> Satisfied</label><label>
<input type=radio name=b value=n> Not satisfied</label></fieldset>
<fieldset><legend>What do you buy?</legend><label>
<input type=checkbox name=c value=bread> Bread</label><label>
<input type=checkbox name=c value=fruit> Fruit</label></fieldset><button>Submit</button></form>
<script>
f.onsubmit=(e)=>{e.preventDefault();
 say(f.a.value+f.b.value+[...document.querySelectorAll('[name=c]:checked')].map(x=>x.value))}</script>"""
)
USERS = (
    SAY
    + """<h1>Members</h1><table><tr><th>Name<th>Role<th>Joined<th></tr>"""
    + "".join(
        f"<tr><td>{n}<td><select aria-label='Role of {n}' onchange=\"say('{n} '+value)\">"
        f"<option{' selected' if r == 'Viewer' else ''}>Viewer"
        f"<option{' selected' if r == 'Editor' else ''}>Editor<option>Admin</select><td>{j}<td>"
        f"<button onclick=\"say('rm {n}')\">Remove</button></tr>"
        for n, r, j in (
            ("Ann Lee", "Editor", "2021"),
            ("Bo Dahl", "Viewer", "2023"),
            ("Cy Ott", "Viewer", "2025"),
        )
    )
    + "</table>"
)
CAL = (
    SAY
    + """<h1>Time off</h1><form id=f><label>First day <input type=date id=a></label>
<label>Last day <input type=date id=b></label><label>Type
<select id=t><option>Vacation<option>Sick leave<option>Parental leave</select></label>
<label>Comment <textarea id=c></textarea></label><button>Request</button></form><script>
f.onsubmit=(e)=>{e.preventDefault();say([a.value,b.value,t.value,c.value])}</script>"""
)
GAL = (
    SAY
    + """<h1>Photos</h1>"""
    + "".join(
        f"<figure><img alt='{n}' width=40 height=40><figcaption>{n}</figcaption>"
        f"<button aria-label='Like {n}' onclick=\"say('like {n}')\">♥</button>"
        f"<button aria-label='Download {n}' onclick=\"say('dl {n}')\">⬇</button></figure>"
        for n in ("Harbour at dawn", "Old bridge", "Red barn")
    )
)
LOG = (
    SAY
    + """<h1>Sign in</h1><form id=f><label>E-mail <input type=email id=m></label>
<label>Password <input type=password id=p></label><label>
<input type=checkbox id=k> Keep me signed in</label>
<button>Sign in</button></form><a href="#" onclick="say('forgot')">Forgot password?</a><script>
f.onsubmit=(e)=>{e.preventDefault();say([m.value,p.value,k.checked])}</script>"""
)
NOTE = (
    SAY
    + """<h1>Notes</h1><button id=n>New note</button><div id=e hidden><label>Title
<input id=t></label><label>Text <textarea id=x></textarea></label>
<button onclick="say([t.value,x.value])">Save</button></div><ul><li>Shopping
<button onclick="say('pin shopping')">Pin</button><li>Ideas
<button onclick="say('pin ideas')">Pin</button></ul>
<script>n.onclick=()=>{e.hidden=false}</script>"""
)
UNIT = (
    SAY
    + """<h1>Unit converter</h1><label>Value <input id=v></label>
<select id=a aria-label="From unit"><option>km<option>miles<option>metres</select>
<select id=b aria-label="To unit"><option>km<option>miles<option>metres</select>
<button onclick="say([v.value,a.value,b.value])">Convert</button>"""
)
BIKE = (
    SAY
    + """<h1>Rent a bike</h1><label>Pick-up day <input type=date id=a></label>
<label>Return day <input type=date id=b></label><fieldset><legend>Type</legend><label>
<input type=radio name=k value=city> City bike</label><label>
<input type=radio name=k value=e> E-bike</label></fieldset><label>Helmets
<input id=h type=number value=0></label>
<button
 onclick="say([a.value,b.value,document.querySelector('[name=k]:checked')?.value,h.value])">Rent</button>"""
)
PARCEL = (
    SAY
    + """<h1>Ship a parcel</h1><form id=f><label>From postcode <input id=a></label>
<label>To postcode <input id=b></label><label>Weight (kg) <input id=w type=number step=any></label>
<label>Service <select id=s><option>Standard<option>Express<option>Overnight</select></label><label>
<input type=checkbox id=i> Insured</label><button>Get a quote</button></form><script>
f.onsubmit=(e)=>{e.preventDefault();say([a.value,b.value,w.value,s.value,i.checked])}</script>"""
)
JOBS = (
    SAY
    + """<h1>Find a job</h1><form id=f role=search><label>Job title or keyword
<input id=k></label><label>Location <input id=l></label><label>Salary from <input id=s></label>
<label>Contract <select id=c><option>Any<option>Permanent<option>Temporary</select></label>
<button>Search jobs</button></form><script>
f.onsubmit=(e)=>{e.preventDefault();say([k.value,l.value,s.value,c.value])}</script>"""
)
COURSE = (
    SAY
    + """<h1>Enrol in a course</h1><form id=f><label>Course
<select id=c><option>Pottery for beginners<option>Life drawing<option>Photography</select></label>
<label>Start <select id=s><option>January<option>April<option>September</select></label>
<label>Full name <input id=n required></label><label>Email <input id=m type=email required></label>
<button>Enrol</button></form><script>
f.onsubmit=(e)=>{e.preventDefault();say([c.value,s.value,n.value,m.value])}</script>"""
)
ALARM = (
    SAY
    + """<h1>Alarms</h1><form id=f><label>Time <input type=time id=t></label><label>Label
<input id=l></label><fieldset><legend>Repeat</legend><label>
<input type=checkbox name=d value=mo> Monday</label><label>
<input type=checkbox name=d value=tu> Tuesday</label><label>
<input type=checkbox name=d value=we> Wednesday</label></fieldset><button>Add alarm</button></form>
<script>
f.onsubmit=(e)=>{e.preventDefault();
 say([t.value,l.value]+'/'+[...document.querySelectorAll('[name=d]:checked')].map(x=>x.value))}</script>"""
)
DONATE = (
    SAY
    + """<h1>Donate</h1><form id=f><fieldset><legend>Amount</legend><label>
<input type=radio name=a value=10> €10</label><label><input type=radio name=a value=25> €25</label>
<label><input type=radio name=a value=50> €50</label></fieldset><fieldset><legend>How often</legend>
<label><input type=radio name=o value=once checked> Once</label><label>
<input type=radio name=o value=monthly> Monthly</label></fieldset><button>Donate</button></form>
<script>
f.onsubmit=(e)=>{e.preventDefault();say(f.a.value+' '+f.o.value)}</script>"""
)
HOTEL = (
    SAY
    + """<h1>Hotels</h1><form id=f><label>Destination <input id=d></label><label>Check-in
<input type=date id=a></label><label>Check-out <input type=date id=b></label><label>Adults
<input type=number id=n value=2></label><label>Children <input type=number id=c value=0></label>
<button>Search</button></form><script>
f.onsubmit=(e)=>{e.preventDefault();say([d.value,a.value,b.value,n.value,c.value])}</script>"""
)
CLIENT = (
    SAY
    + """<h1>Clients</h1><button id=n>Add client</button><dialog id=g><label>Company
<input id=c></label><label>Contact person <input id=p></label><label>Email <input id=m></label>
<button id=s>Save</button><button onclick="g.close()">Cancel</button></dialog><ul><li>Alba Ltd
<button onclick="say('edit alba')">Edit</button><li>Borg AS
<button onclick="say('edit borg')">Edit</button></ul>
<script>n.onclick=()=>g.showModal();s.onclick=()=>{say([c.value,p.value,m.value]);g.close()}</script>"""
)
RECIPE = (
    SAY
    + """<h1>Recipes</h1><label>Ingredient <input id=i></label><label>Diet
<select id=d><option>Any<option>Vegan<option>Vegetarian</select></label>
<label>Ready in at most (minutes) <input id=m type=number></label>
<button onclick="say([i.value,d.value,m.value])">Find recipes</button>"""
)
SEATS = (
    SAY
    + """<h1>Concert tickets</h1><table>"""
    + "".join(
        f"<tr><td>{n}<td>{p}<td><select aria-label='Tickets {n}'><option>0<option>1<option>2"
        f"<option>3</select><td><button"
        f" onclick=\"say('{n} '+this.closest('tr').querySelector('select').value)\">Buy</button></tr>"
        for n, p in (("Stalls", "40 EUR"), ("Balcony", "30 EUR"))
    )
    + "</table>"
)
LOAN = (
    SAY
    + """<h1>Loan calculator</h1><label>Loan amount <input id=a></label>
<label>Interest rate (%) <input id=r></label><label>Term (years) <input id=t></label>
<button onclick="say([a.value,r.value,t.value])">Calculate</button>"""
)
FEED = (
    SAY
    + """<h1>Feedback</h1><form id=f><label>How likely are you to recommend us?
<select id=s><option>Not likely<option>Likely<option>Very likely</select></label>
<label>Comments <textarea id=c></textarea></label><label>Email (optional) <input id=m></label>
<button>Send feedback</button></form><script>
f.onsubmit=(e)=>{e.preventDefault();say([s.value,c.value,m.value])}</script>"""
)
PRINT = (
    SAY
    + """<h1>Print</h1><form id=f><label>Copies <input type=number id=c value=1></label>
<label>Pages <input id=p placeholder="e.g. 1-5"></label><label>Colour
<select id=k><option>Colour<option>Black and white</select></label><label>
<input type=checkbox id=d> Double-sided</label><button>Print</button></form><script>
f.onsubmit=(e)=>{e.preventDefault();say([c.value,p.value,k.value,d.checked])}</script>"""
)
RIGHT = {
    "Reserve a table for 4 on 12 March 2027 at 19:30 for Ann Lee, phone 555 123": (
        TABLE,
        "Ann Lee,555 123,4,2027-03-12,19:30,false;",
    ),
    "Book a table outside for two people on 12 March 2027 at 20:00 under the name Dahl, phone 555 9": (
        TABLE,
        "Dahl,555 9,2,2027-03-12,20:00,true;",
    ),
    "Show electric cars from Volvo up to 25000 euros": (CARS, "Volvo,Electric,25000,;"),
    "Find diesel cars by Skoda for under 9000 euros from 2015 on": (CARS, "Skoda,Diesel,9000,2015;"),
    "Create a ticket titled “Printer jams” with high priority and assign it to Bo Dahl": (
        TICK,
        "Printer jams,,High,Bo Dahl;",
    ),
    "Open a ticket “No heating” with the description “Room 12 is cold”": (
        TICK,
        "No heating,Room 12 is cold,Normal,Nobody;",
    ),
    "Create a high priority ticket with the title “Leak” for Ann Lee": (TICK, "Leak,,High,Ann Lee;"),
    "Add an expense of 12.50 for lunch in the category Food": (EXP, "lunch,12.50,Food;"),
    "Add a travel expense: taxi, 23.40": (EXP, "taxi,23.40,Travel;"),
    "Delete the lunch expense": (EXP, "del lunch;"),
    "Transfer 250 euros from the savings account to Bo Dahl, IBAN DE44 5001 0517 5407 3249 31, "
    "reference Rent": (
        BANK,
        "Savings account,Bo Dahl,DE44 5001 0517 5407 3249 31,250,Rent;",
    ),
    "Dim the brightness to 40": (LIGHT, "b40;"),
    "Switch the ceiling light on and the desk lamp off": (LIGHT, "light true;lamp false;"),
    "Set the temperature to 22 degrees": (LIGHT, "t22;"),
    "Raise the temperature to 23": (LIGHT, "t23;"),
    "Choose Weekly and Satisfied, tick Bread and submit": (SURV, "wsbread;"),
    "Make Bo Dahl an editor": (USERS, "Bo Dahl Editor;"),
    "Change Cy Ott's role to Admin": (USERS, "Cy Ott Admin;"),
    "Promote Ann Lee to admin": (USERS, "Ann Lee Admin;"),
    "Remove the member who joined in 2023": (USERS, "rm Bo Dahl;"),
    "Request vacation from 3 May 2027 to 14 May 2027": (CAL, "2027-05-03,2027-05-14,Vacation,;"),
    "Request sick leave from 3 to 4 May 2027 with the comment “Flu”": (
        CAL,
        "2027-05-03,2027-05-04,Sick leave,Flu;",
    ),
    "Like the photo of the old bridge": (GAL, "like Old bridge;"),
    "Download Red barn": (GAL, "dl Red barn;"),
    "Sign in as ann@b.example with the password Tide88 and stay signed in": (
        LOG,
        "ann@b.example,Tide88,true;",
    ),
    "Write a new note “Trip” with the text “Pack boots”": (NOTE, "Trip,Pack boots;"),
    "Create a note titled Trip saying “Pack boots”": (NOTE, "Trip,Pack boots;"),
    "Pin the note Ideas": (NOTE, "pin ideas;"),
    "Convert 12 miles to km": (UNIT, "12,miles,km;"),
    "Convert 5 km into miles": (UNIT, "5,km,miles;"),
    "Rent an e-bike from 3 May 2027 to 5 May 2027 with 2 helmets": (BIKE, "2027-05-03,2027-05-05,e,2;"),
    "Rent a city bike with one helmet from 3 May 2027 until 4 May 2027": (
        BIKE,
        "2027-05-03,2027-05-04,city,1;",
    ),
    "Get a quote for a 3.5 kg parcel from 20457 to 10115 by express": (
        PARCEL,
        "20457,10115,3.5,Express,false;",
    ),
    "Get an overnight quote for 2 kg from postcode 20457 to postcode 10115, insured": (
        PARCEL,
        "20457,10115,2,Overnight,true;",
    ),
    "Search for permanent jobs as a nurse in Leeds": (JOBS, "nurse,Leeds,,Permanent;"),
    "Find jobs for “data engineer” in Oslo with a salary from 50000": (JOBS, "data engineer,Oslo,50000,Any;"),
    "Enrol Ann Lee, ann@b.example, in Life drawing starting in April": (
        COURSE,
        "Life drawing,April,Ann Lee,ann@b.example;",
    ),
    "Enrol in Photography from September as Bo Dahl with the email bo@b.example": (
        COURSE,
        "Photography,September,Bo Dahl,bo@b.example;",
    ),
    "Enrol in the pottery course in January with the name Cy Ott and the email cy@b.example": (
        COURSE,
        "Pottery for beginners,January,Cy Ott,cy@b.example;",
    ),
    "Add an alarm at 6:45 on Monday and Wednesday": (ALARM, "06:45,/mo,we;"),
    "Add an alarm for 7:30 labelled Gym on Tuesday": (ALARM, "07:30,Gym/tu;"),
    "Donate 25 euros monthly": (DONATE, "25 monthly;"),
    "Donate €50 once": (DONATE, "50 once;"),
    "Search hotels in Lisbon from 3 May 2027 to 6 May 2027 for 3 adults and 1 child": (
        HOTEL,
        "Lisbon,2027-05-03,2027-05-06,3,1;",
    ),
    "Find a hotel in Porto for 2 adults, 3 to 5 June 2027": (HOTEL, "Porto,2027-06-03,2027-06-05,2,0;"),
    "Add a client: company Delta BV, contact person Eli Fox, email eli@b.example": (
        CLIENT,
        "Delta BV,Eli Fox,eli@b.example;",
    ),
    "Edit the client Borg AS": (CLIENT, "edit borg;"),
    "Find vegan recipes with chickpeas that are ready in at most 30 minutes": (RECIPE, "chickpeas,Vegan,30;"),
    "Find vegetarian recipes with spinach": (RECIPE, "spinach,Vegetarian,;"),
    "Buy 2 tickets for the balcony": (SEATS, "Balcony 2;"),
    "Buy three stalls tickets": (SEATS, "Stalls 3;"),
    "Calculate a loan of 200000 at 3.5 % over 20 years": (LOAN, "200000,3.5,20;"),
    "Calculate the loan for an amount of 5000, an interest rate of 4 and a term of 3 years": (
        LOAN,
        "5000,4,3;",
    ),
    "Send the feedback “Great shop”, very likely to recommend": (FEED, "Very likely,Great shop,;"),
    "Print 3 copies double-sided in black and white": (PRINT, "3,,Black and white,true;"),
}
REFUSED = {
    "Answer that I visit monthly, am very satisfied and buy fruit, then submit": SURV,
    "I forgot my password": LOG,
    "Reserve a table for 9 on 12 March 2027 at 19:30": TABLE,
    "Show electric cars from Tesla": CARS,
    "Create a ticket titled “X” with urgent priority": TICK,
    "Add an expense of 12.50 for lunch in the category Fun": EXP,
    "Transfer 250 dollars to Bo Dahl, IBAN DE44": BANK,
    "Make Dora an editor": USERS,
    "Make Bo Dahl an owner": USERS,
    "Request a sabbatical from 3 May 2027 to 14 May 2027": CAL,
    "Like the photo of the new bridge": GAL,
    "Convert 12 yards to km": UNIT,
    "Rent a tandem from 3 May 2027 to 5 May 2027": BIKE,
    "Remove the member who joined in 2024": USERS,
    "Add the client Corvo SL with the contact person Dora Kim and the email dora@b.example": CLIENT,
    "Print pages 2-4 twice in colour": PRINT,
    "Get a quote for a parcel from 20457 to 10115 by drone": PARCEL,
    "Enrol in Weaving from September as Bo Dahl with the email bo@b.example": COURSE,
    "Enrol in Photography from May as Bo Dahl with the email bo@b.example": COURSE,
    "Add an alarm at 6:45 on Sunday": ALARM,
    "Donate 30 euros monthly": DONATE,
    "Donate 25 euros weekly": DONATE,
    "Search hotels in Lisbon from 3 May 2027 to 6 May 2027 for 3 adults and 1 dog": HOTEL,
    "Find kosher recipes with spinach": RECIPE,
    "Buy 2 tickets for the gallery": SEATS,
    "Print 3 copies on A3": PRINT,
}


@pytest.mark.parametrize(("task", "page"), RIGHT.items(), ids=RIGHT)
async def test_a_form_is_filled_and_sent_by_what_an_order_says(
    task: str, page: tuple[str, str], carry: Carry
) -> None:
    report, said = await carry(page[0], task)
    assert (said, report.failed or ()) == (page[1], ())


@pytest.mark.parametrize(("task", "body"), REFUSED.items(), ids=REFUSED)
async def test_nothing_is_sent_where_a_word_is_met_by_nothing(task: str, body: str, carry: Carry) -> None:
    report, said = await carry(body, task)
    assert (said, report.ok) == ("", False)
