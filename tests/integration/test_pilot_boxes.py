"""Pages whose rows, cards, heads and questions are boxes without a role, in a real Chromium."""

from __future__ import annotations

import pytest

from tests.integration.browser_site import Carry, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
SAY = "<p id=said></p><script>const say=(text)=>{said.textContent+=text+';'};</script>"


def control(name: str, said: str) -> str:
    """Return a box that is pressed and says what it was pressed for."""
    return f"<div style='cursor:pointer' onclick=\"say('{said}')\">{name}</div>"


def card(name: str, more: str) -> str:
    """Return a card of a shop as a box without a role."""
    return f"<div class=card><div class=t>{name}</div><div>€9.00</div>{more}</div>"


SHOP = (
    SAY
    + card("Base layer", f"<div>Size: <b>S</b> <b>M</b></div>{control('Add to basket', 'layer')}")
    + card("Rain poncho", "<div class=off>Sold out</div>")
    + card("Wool beanie grey", control("Add to basket", "grey"))
    + card("Wool beanie rust", f"<div>New</div>{control('Add to basket', 'rust')}")
    + card("Trail socks", control("Add to wishlist", "socks"))
)
LAST_ONE = SAY + card("Rain poncho", "<div>Sold out</div>") + card("Socks", control("Add to basket", "socks"))
LINES = SAY + "".join(
    f"<div class=line><span>{name}</span> <span class=act>{control('Remove', name)}</span></div>"
    for name in ("Ann", "Bob")
)
MAIL = SAY + "".join(
    f"<div class=it><input type=checkbox><span><b>{who}</b> {about}</span>"
    f"<span title=Delete style='cursor:pointer' onclick=\"say('{about}')\">🗑</span></div>"
    for who, about in (("Ines Roth", "Minutes"), ("Tom Falk", "Bill"), ("Ines Roth", "Lunch"))
)
GRID = f"""{SAY}<style>.r{{display:grid;grid-template-columns:120px 90px 90px}}</style>
<div class="r h"><div><button onclick="by(0)">Article</button></div>
<div><button onclick="by(1)">Price</button></div>
<div><button onclick="say('other')">Other</button></div></div><div id=rows></div><script>
const D=[['Hinge','2.40'],['Castor','18.75'],['Brace','9.10']];let last=-1,way=1;
const row=(d)=>`<div class=r><div>${{d[0]}}</div><div>${{d[1]}}</div></div>`;
const draw=()=>{{rows.innerHTML=D.map(row).join('')}};
const by=(c)=>{{way=last===c?-way:1;last=c;D.sort((a,b)=>way*(c?a[1]-b[1]:a[0].localeCompare(b[0])));
 draw();say(c+(way>0?'up':'down'))}};draw()</script>"""
DAYS = SAY + control("Monday", "Monday") + control("09:00", "09:00") + control("14:00", "14:00")
CHECKED = """<label>E-mail <input></label>
<button onclick="out.textContent='This is not a valid e-mail address.'">Next</button><p id=out></p>"""


def asking(choices: str, text: str = "We use cookies to measure ads.") -> str:
    """Return a page that lies below a box with some choices."""
    return f"""{SAY}<button onclick="say('shown')">Show dates</button>
<div id=over style="position:fixed;inset:0;background:#0008"><div style="margin:99px;background:#fff">
<h2>Your choice</h2><div><p>{text}</p></div><div class=row>{choices}</div></div></div>"""


def choice(name: str, tag: str = "button") -> str:
    """Return a control that takes the box away and says that it did."""
    return f"<{tag} style='cursor:pointer' onclick=\"say('{name}');over.remove()\">{name}</{tag}>"


MUGS = SAY + "".join(
    f"<div class=mug><b>{name}</b> <i></i> <a title='One more' href='#m'"
    f" onclick=\"{do};say('{name}')\">+</a></div>"
    for name, do in (
        ("Blue mug", "this.previousElementSibling.textContent='× '+(this.n=(this.n||0)+1)"),
        ("Red mug", "this.previousElementSibling.textContent='Holds 2 cups'"),
    )
)
ROWS = "<ul id=rows><li>Alder<li>Birk</ul>"
FILTER = (
    "for(const row of rows.children)row.hidden=!row.textContent.toLowerCase().includes(value.toLowerCase())"
)
LIVE = f"""{SAY}<input type=search placeholder="Search people" oninput="{FILTER}">{ROWS}
<button onclick="say('all')">Delete all</button>"""
ENTERED = f"""{SAY}<input type=search placeholder="Search people"
 onkeydown="if(event.key==='Enter')say(value)">{ROWS}
<button onclick="say('saved')">Save</button>"""
BESIDE = f"""{SAY}<button onclick="say('saved')">Save</button>
<form onsubmit="event.preventDefault();say(who.value)">
<input type=search id=who placeholder="Search people"><button>Find people</button></form>"""
FIELDS = f"""{SAY}<form onsubmit="say('sent')"><label>Name <input></label><button>Submit</button></form>
<table><tr><th>Director<td><input id=who><tr><th>Year<td><input id=year></table>
<div style="cursor:pointer" onclick="say([who.value,year.value])">Submit</div>"""
PAGES = f"""{SAY}<table id=rows></table><a href="#n" onclick="page=1;draw()">Next ›</a><script>let page=0;
const D=[['Ann','Bob'],['Cleo','Dan']];const draw=()=>{{rows.innerHTML=D[page].map(name=>
`<tr><td>${{name}}<td><button onclick="say('${{name}}')">Remove</button></tr>`).join('')}};draw()</script>"""
REFUSES = """<label>Name <input></label><p id=out></p>
<a href="#" onclick="out.textContent='Please enter your full name.'">Send application</a>"""
SHOWS = SAY + "".join(
    f"<article><h2>{film}</h2><a href='#{film}' onclick=\"say('{film}')\">17:00</a></article>"
    for film in ("Tide", "Moons")
)
NEEDED = choice("Accept all") + choice("Only necessary cookies", "div") + choice("Options")
BOTH = choice("Accept all") + choice("Reject all") + choice("Only necessary cookies")
NO_CHOICE = choice("Accept all") + choice("Strictly necessary cookies", "a") + choice("Settings")
OFFER = choice("Accept") + choice("Decline")


@pytest.mark.parametrize(
    ("body", "task", "said"),
    [
        (SHOP, "Add the wool beanie rust to the basket.", "rust;"),
        (SHOP, "Add the base layer to the basket.", "layer;"),
        (LINES, "Remove Bob.", "Bob;"),
        (GRID, "Sort by price, highest first.", "1up;1down;"),
        (GRID, "Sort by article.", "0up;"),
        (DAYS, "Click Monday, then the 14:00 button.", "Monday;14:00;"),
        (MUGS, "Add two blue mugs.", "Blue mug;Blue mug;"),
        (MUGS, "Add a blue mug.", "Blue mug;"),
        (LIVE, "Search for birk.", ""),
        (ENTERED, "Search for birk.", "birk;"),
        (BESIDE, "Search for birk.", "birk;"),
        (FIELDS, "Search for director Kirk and year 1987.", "Kirk,1987;"),
        (PAGES, "Remove Dan.", "Dan;"),
        (asking(NEEDED), "Accept only the necessary cookies.", "Only necessary cookies;"),
        (asking(NEEDED), "Reject all cookies except the necessary ones and click Show dates.",
         "Only necessary cookies;shown;"),
        (asking(NEEDED), "Only essential cookies. Then click Show dates.",
         "Only necessary cookies;shown;"),
        (asking(BOTH), "Reject all cookies.", "Reject all;"),
        (asking(BOTH), "Allow only necessary cookies.", "Only necessary cookies;"),
        (asking(NEEDED), "Accept all cookies.", "Accept all;"),
    ],
)  # fmt: skip
async def test_boxes_without_a_role_hold_what_belongs_together(
    carry: Carry, body: str, task: str, said: str
) -> None:
    report, told = await carry(body, task)
    assert report.ok, report.failed
    assert told == said


@pytest.mark.parametrize(
    ("body", "task", "said"),
    [
        (SHOP, "Add the rain poncho to the basket.", ""),
        (SHOP, "Add the wool beanie to the basket.", ""),
        (SHOP, "Add the trail socks to the basket.", ""),
        (LAST_ONE, "Add the rain poncho to the basket.", ""),
        (LINES, "Click Remove.", ""),
        (MUGS, "Add a green mug.", ""),
        (MUGS, "Add two red mugs.", "Red mug;"),
        (MAIL, "Delete the mail from Ines Roth.", ""),
        (GRID, "Sort by other.", ""),
        (REFUSES, "Click Send application.", ""),
        (SHOWS, "Click 17:00.", ""),
        (DAYS, "Click Monday, then the 16:30 button.", "Monday;"),
        (CHECKED, 'Enter "kim" as the e-mail and click Next.', ""),
        (asking(NO_CHOICE), "Click Show dates.", ""),
        (asking(NO_CHOICE), "Reject all cookies.", ""),
        (asking(OFFER, "A discount of 10 % for you."), "Click Show dates.", ""),
        (asking(choice("Accept all") + choice("Reject marketing cookies")), "Click Show dates.", ""),
    ],
)
async def test_what_no_box_says_is_left_alone(carry: Carry, body: str, task: str, said: str) -> None:
    report, told = await carry(body, task)
    assert not report.ok
    assert told == said


async def test_a_box_about_cookies_over_the_page_gets_the_least_and_the_run_says_so(carry: Carry) -> None:
    report, told = await carry(asking(NEEDED), "Click Show dates.")
    assert report.ok
    assert told == "Only necessary cookies;shown;"
    assert report.notes == (
        "something lay over the page: “Only necessary cookies” was pressed in its box about cookies",
    )
