"""Orders about cards, menus, tabs, ranges, prices in words, conversations and accounts, in Chromium."""

from __future__ import annotations

import pytest

from tests.integration.browser_site import Carry, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
SAY = "<p id=said></p><script>const say=(text)=>{said.textContent+=text+';'};</script>"


def button(name: str, said: str) -> str:
    return f"<button onclick=\"say('{said}')\">{name}</button>"


def menu(number: int, entries: str) -> str:
    """A button with dots, and the entries that it shows."""
    shows = f'<button aria-haspopup=menu onclick="m{number}.hidden=!m{number}.hidden">⋮</button>'
    return f"{shows}<div id=m{number} role=menu hidden>{entries}</div>"


def entry(name: str, said: str) -> str:
    return f"<button role=menuitem onclick=\"say('{said}')\">{name}</button>"


CHEAP = (
    f"{SAY}<h1>All items</h1><table><tr><th>Item<th>Price<th></tr>"
    + "".join(
        f"<tr><td>{name}<td>{price} EUR<td>{button('Buy', name)}</tr>"
        for name, price in (("Lamp", "12"), ("Mug", "9,50"), ("Sofa", "110"))
    )
    + "</table>"
)
CART = f"{SAY}<h1>Your cart</h1>" + "".join(
    f"<div><h3>{name}</h3><label>Quantity <input type=number value=1"
    f" onchange=\"say('{name} '+this.value)\"></label>{button('Remove', f'removed {name}')}</div>"
    for name in ("Green tea", "Coffee", "Cocoa")
)
TASKS = f"{SAY}<h1>Tasks</h1>" + "".join(
    f"<div><h3>{name}</h3><select onchange=\"say('{name}:'+this.value)\"><option>Nobody<option>Ann<option>Ben"
    "</select></div>"
    for name in ("Fix roof", "Paint boat")
)
BOARD = f"{SAY}<h1>Cards</h1>" + "".join(
    f"<section><h2>{place}</h2><div><h3>{name}</h3>"
    + menu(number, "".join(entry(f"Move to {to}", f"{name}>{to}") for to in ("To do", "Doing", "Done")))
    + "</div></section>"
    for number, (place, name) in enumerate((("To do", "Write report"), ("Doing", "Fix bike")))
)
USERS = (
    f"{SAY}<h1>Users</h1><table><tr><th>Name<th>Dept<th></tr>"
    + "".join(
        f"<tr><td>{name}<td>{dept}<td>{menu(n, entry('Lock', f'lock {name}'))}</tr>"
        for n, (name, dept) in enumerate((("Ann Lee", "Sales"), ("Bo Ek", "Legal"), ("Cy Fox", "Sales")))
    )
    + "</table>"
)
ACCOUNT = f"{SAY}<div>{menu(1, entry('Profile', 'profile') + entry('Log out', 'out'))}</div>".replace(
    "⋮", "Ann Lee"
)
STAY = f"""{SAY}<h1>Rooms</h1><label>Check-in <input type=date id=f></label><label>Check-out <input type=date
id=t></label><button onclick="say(f.value+'/'+t.value)">Book</button>"""
PRICE = f"""{SAY}<fieldset><legend>Price</legend><label>Min <input type=number id=a></label><label>Max <input
type=number id=b></label></fieldset><button onclick="say(a.value+'-'+b.value)">Apply</button>"""
TABS = f"""{SAY}<div role=tablist><button role=tab aria-selected=true>General</button><button role=tab
aria-selected=false onclick="b.hidden=false;this.ariaSelected='true'">Security</button></div><div id=b hidden>
<label><input type=checkbox onchange="say('2fa '+this.checked)">Two-factor authentication</label></div>"""
PLAIN = f"""{SAY}<div><span>Colour</span><div id=d style="cursor:pointer" onclick="o.hidden=!o.hidden">Select…
</div><div id=o hidden><div style="cursor:pointer" onclick="say('red')">Red</div><div style="cursor:pointer"
onclick="say('blue')">Blue</div></div></div>"""
THREAD = f"{SAY}<h1>Comments</h1>" + "".join(
    f'<div><b>{name}</b><p>{text}</p><button onclick="this.nextElementSibling.hidden=false">Reply</button>'
    f"<div hidden><textarea placeholder='Your reply'></textarea><button"
    f" onclick=\"say('{name}<'+this.previousElementSibling.value)\">Post reply</button></div></div>"
    for name, text in (("Ann", "Nice."), ("Bob", "Hm."))
)
CHAT = f"""{SAY}<ul><li><button onclick="w.textContent='Ann'">Ann</button><li><button
onclick="w.textContent='Bob'">Bob</button></ul><h2 id=w>Ann</h2><textarea id=m placeholder="Write a message"
></textarea><button onclick="say(w.textContent+':'+m.value.trim())">Send</button>"""
JOIN = f"""{SAY}<h1>Sign up</h1><form onsubmit="event.preventDefault();say(u.value+'/'+p.value+'/'+q.value)">
<label>User name <input id=u></label><label>Password <input id=p type=password></label>
<label>Repeat the password <input id=q type=password></label><button>Create account</button></form>"""
MORE = JOIN.replace("<label>Password", "<label>Email <input id=e></label><label>Password")
GUESTS = f"""{SAY}<div>Guests <button onclick="g.textContent--;say('-')">−</button><span id=g>2</span><button
onclick="g.textContent++;say('+')">+</button></div><div>Rooms <button>−</button><span id=r>1</span><button
onclick="r.textContent++;say('r+')">+</button></div>"""
SORTED = f"""{SAY}<table id=t><tr><th onclick="say('item')">Item<th onclick="s()">Qty</tr><tr><td>Tea<td>5
</tr><tr><td>Oil<td>2</tr></table><script>function s(){{t.rows[0].after(t.rows[2]);say('qty')}}</script>"""
CHIPS = f"{SAY}<h1>Dishes</h1>{button('All', 'all')}{button('Vegan', 'vegan')}<ul><li>Tofu<li>Salmon</ul>"
OPEN = f"{SAY}<h1>Cards</h1>" + "".join(
    f"<div><h3>{name}</h3>{button('Open', f'open {name}')}{button('Archive', f'archive {name}')}</div>"
    for name in ("New logo", "Tax return")
)


@pytest.mark.parametrize(
    ("body", "task", "said"),
    [
        (CHEAP, "Buy the cheapest item", "Mug;"),
        (CHEAP, "Buy the most expensive item", "Sofa;"),
        (CART, "Change the quantity of the coffee to 3", "Coffee 3;"),
        (CART, "Remove the coffee from the cart", "removed Coffee;"),
        (TASKS, 'Assign the task "Fix roof" to Ben', "Fix roof:Ben;"),
        (TASKS, "Assign Paint boat to Ann", "Paint boat:Ann;"),
        (BOARD, 'Move the card "Write report" to Done', "Write report>Done;"),
        (BOARD, "Move Fix bike to Done", "Fix bike>Done;"),
        (USERS, "Lock the user Bo Ek", "lock Bo Ek;"),
        (ACCOUNT, "Log out", "out;"),
        (STAY, "Book from 3 May 2027 to 7 May 2027", "2027-05-03/2027-05-07;"),
        (PRICE, "Set the price range from 20 to 50 and apply", "20-50;"),
        (TABS, "Turn on two-factor authentication in the Security tab", "2fa true;"),
        (PLAIN, "Choose Blue as the colour", "blue;"),
        (THREAD, 'Reply to Bob with "Thanks"', "Bob<Thanks;"),
        (CHAT, 'Send "Hello" to Bob', "Bob:Hello;"),
        (CHAT, 'Write "See you" to Ann', "Ann:See you;"),
        (JOIN, "Sign up with the user name ann and the password Secret-12.", "ann/Secret-12/Secret-12;"),
        (GUESTS, "Add one more guest", "+;"),
        (GUESTS, "Add two more guests", "+;+;"),
        (GUESTS, "Add another room", "r+;"),
        (SORTED, "Sort by quantity", "qty;"),
        (CHIPS, "Show only vegan dishes", "vegan;"),
        (OPEN, "Open Tax return", "open Tax return;"),
    ],
)
async def test_it_is_done_and_nothing_else(carry: Carry, body: str, task: str, said: str) -> None:
    report, page = await carry(body, task)
    assert (page, report.failed) == (said, ()), report


@pytest.mark.parametrize(
    ("body", "task"),
    [
        (CHEAP, "Buy the cheapest boat"),
        (CART, "Change the quantity to 3"),
        (CART, "Remove the milk from the cart"),
        (TASKS, "Assign Paint house to Ann"),
        (BOARD, "Move Call Bob to Done"),
        (USERS, "Lock the user in Sales"),
        (PRICE, "Set the weight from 20 kg to 50 kg"),
        (THREAD, 'Reply to Carl with "Thanks"'),
        (CHAT, 'Send "Hello" to Carl'),
        (MORE, "Sign up with the user name ann and the password Secret-12."),
        (GUESTS, "Add one more dog"),
        (CHIPS, "Show only cheap dishes"),
    ],
)
async def test_what_is_not_sure_is_not_done(carry: Carry, body: str, task: str) -> None:
    report, page = await carry(body, task)
    assert page == "" and report.failed, report


FORM = f"""{SAY}<h1>Checkout</h1><form
onsubmit="event.preventDefault();say([n.value,z.value,k.value].join('|'))">
<label>Full name <input id=n></label><label>ZIP code <input id=z></label><label>Country <select id=k>
<option>Germany<option>Norway</select></label><button>Place order</button></form>"""
TWO = FORM.replace("<label>ZIP", "<label>Name of the firm <input></label><label>ZIP")
STAFF = (
    f"{SAY}<h1>Staff</h1><table>"
    + "".join(
        f"<tr><td><input type=checkbox onchange=\"say('{name}')\"><td>{name}</tr>"
        for name in ("Ann", "Bob", "Cleo")
    )
    + f"</table>{button('Export', 'export')}"
)
WRITE = f"""{SAY}<label>Your name <input id=n></label><label>Message <textarea id=m></textarea></label>
<button onclick="say(n.value+'|'+m.value)">Send message</button>"""
TODO = f"""{SAY}<h1>To-do</h1><input placeholder="What needs to be done?" onkeydown="if(event.key=='Enter'){{
l.insertAdjacentHTML('beforeend','<li>'+this.value);say('add '+this.value);this.value=''}}"><ul id=l>
<li>Milk</ul>"""
FIELDS = "name Ann Lee, ZIP 12345, country Norway"


@pytest.mark.parametrize(
    ("body", "task", "said"),
    [
        (FORM, f"Fill in the form: {FIELDS}, and place the order", "Ann Lee|12345|Norway;"),
        (FORM, f"Fill out the form with {FIELDS}. Place the order.", "Ann Lee|12345|Norway;"),
        (
            FORM,
            "Full name: Ann Lee. ZIP code: 123. Country: Norway. Place the order.",
            "Ann Lee|123|Norway;",
        ),
        (STAFF, "Tick Ann and Cleo, then export", "Ann;Cleo;export;"),
        (WRITE, 'Enter Ann as your name, write "Hello" into the message and send it', "Ann|Hello;"),
        (TODO, 'Add "Water plants" to the list', "add Water plants;"),
    ],
)
async def test_a_form_an_entry_and_what_comes_then(carry: Carry, body: str, task: str, said: str) -> None:
    report, page = await carry(body, task)
    assert (page, report.failed) == (said, ()), report


@pytest.mark.parametrize(
    ("body", "task"),
    [
        (TWO, f"Fill in the form: {FIELDS}, and place the order"),
        (FORM, "Fill in the form: name Ann Lee, planet Mars, and place the order"),
        (STAFF, "Tick Ann and Dora, then export"),
    ],
)
async def test_a_form_of_which_one_part_is_unknown_stays_empty(carry: Carry, body: str, task: str) -> None:
    report, page = await carry(body, task)
    assert page == "" and report.failed, report
    assert not [move for move in report.moves if move.name == "type"]
