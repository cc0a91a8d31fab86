"""Orders that a page in a real Chromium does not answer to: what is left alone and not called done."""

from __future__ import annotations

import pytest

from ddax.environments.pilot.drivers.table import DRIVERS
from ddax.environments.pilot.pilot import Pilot
from tests.integration.browser_site import Carry, Open, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
SAID = "<p id=said></p><script>const say = (text) => { said.textContent += text + ';'; };</script>"


def press(name: str, said: str = "") -> str:
    """Return a button that says that it was pressed."""
    return f"<button onclick=\"say('{said or name}')\">{name}</button>"


def field(name: str, kind: str = "text", **more: str) -> str:
    """Return a field with a label that says what it is changed to."""
    other = "".join(f' {key}="{value}"' for key, value in more.items())
    return f"<label>{name} <input type={kind} onchange=\"say('{name} '+value)\"{other}></label>"


def select(name: str, *options: str, then: str = "") -> str:
    """Return a list with a label that says what is chosen in it."""
    rows = "".join(f"<option>{option}" for option in ("-", *options))
    return f"<label>{name} <select onchange=\"say('{name} '+value);{then}\">{rows}</select></label>"


def offers(*names: str) -> str:
    """Return rows of a name and a price, each with a button Buy."""
    rows = (f"<li>{name} {press('Buy', name.split()[0])}</li>" for name in names)
    return f"<ul>{''.join(rows)}</ul>"


MUGS = offers("Blue mug €8.00", "Red mug €5.00") + "<p>Shipping €3.90</p>"
CITIES = select("From", "Oslo", "York") + select("Destination", "Oslo", "York")
LOGIN = (
    "<form onsubmit=\"event.preventDefault();say(u.value+'/'+p.value)\"><label>User name <input id=u></label>"
    f"<label>Password <input id=p type=password></label><button>Log in</button></form>{press('Settings')}"
)
SENDS = "onsubmit=\"event.preventDefault();say('NAME')\""
FORM = f"<form {SENDS}><label>NAME <input></label><button>Send</button></form>"
FORMS = FORM.replace("NAME", "Newsletter") + FORM.replace("NAME", "Message")
MAIL = "".join(
    f"<li><b>{name}</b> Hello {press('Delete', name)}</li>" for name in ("Annette", "Bob")
) + press("Logout")  # fmt: skip
LIKES = "<a href=#a>Post A</a> <i>3</i> <a href=#b>Post B</a> <i>1</i> <a href=#p onclick=\"say('7')\">7</a>"
NUMBERED = f"{press('Sort ascending')}{press('1')}{press('2')}"


@pytest.mark.parametrize(
    ("body", "task", "said"),
    [
        (CITIES, "Choose Oslo as destination.", "Destination Oslo;"),
        (CITIES, 'Select "Oslo" from the Destination dropdown.', "Destination Oslo;"),
        (field("City") + field("Name") + press("Done"), 'Enter "Bothell" into City and click Done.',
         "City Bothell;Done;"),
        (NUMBERED, "Click Sort ascending.", "Sort ascending;"),
        (press("Meet her team") + "<p>team</p><a href=#a>Other</a>", 'Click "Meet her team".',
         "Meet her team;"),
        (MAIL, "Find the email by Bob and click Delete. Click Logout.", "Bob;Logout;"),
        (field("Author") + field("Title") + press("Search"), 'Search for "sea" in the title field.',
         "Title sea;Search;"),
        (LOGIN, 'Log in with username "ann" and password "my pass. word".', "ann/my pass. word;"),
        (LOGIN, "Log in as ann, password: x1", "ann/x1;"),
        (LOGIN, 'Log in as ann, password: "x 1"', "ann/x 1;"),
        (LOGIN, "Log in as ann with password x1 and click Settings.", "ann/x1;Settings;"),
        (FORMS, 'Enter "hello" into Message and submit.', "Message;"),
        (FORMS, 'Enter "hello" into Newsletter and submit the form.', "Newsletter;"),
        (field("Note") + press("Add") + NUMBERED, "Click Sort ascending and click 2.", "Sort ascending;2;"),
        (f"{field('Find', 'search')}{press('Search')}{press('Add')}", 'Search for "mug" and click Add.',
         "Find mug;Search;Add;"),
    ],
)  # fmt: skip
async def test_what_is_said_is_done_and_nothing_that_is_like_it(
    carry: Carry, body: str, task: str, said: str
) -> None:
    report, now = await carry(body + SAID, task)
    assert report.ok and now == said


@pytest.mark.parametrize(
    ("body", "task"),
    [
        (CITIES, "Choose Oslo."),
        (select("Country", "Guinea-Bissau", "Equatorial Guinea"), "Choose Guinea as country."),
        (f"<ul><li>Ann {press('Edit')}</li><li>Bob</li></ul>", "Click Edit next to Bob."),
        (LOGIN, "Log in as ann with password"),
        (CITIES, "Choose New York as destination."),
        ('<a href=#x onclick="say(1)">Report 2023</a>', "Click the link Report 2024."),
        (field("Price", "number", step="any"), "Set the price to 21,5."),
        (field("Price", "number", step="any"), 'Enter "1.234,50" into Price.'),
        (MAIL, "Delete the email from Ann."),
        (MAIL, "Find the email by Bob and click the trash to delete it. Click Logout."),  # no trash there
        (MUGS, "Buy the cheapest blue cup."),
        (FORMS.replace("Send", "Cancel"), "Submit the form."),
        (field("Author") + field("Title") + press("Search"), 'Search for "sea" in the publisher field.'),
        ("<label><input type=checkbox onchange='say(1)'>Martina</label>", "Check Martin."),
        (press("Martina"), "Click Martin."),
        (MUGS, "Buy the cheapest cup."),
        (MUGS + press("Next"), "Buy the cheapest plate."),
        (LIKES, "Open the newest post."),
        (press("Search") + press("Delete account"), "Submit the review."),
        (press("Cancel") + press("Delete account"), "Submit the review."),
    ],
)
async def test_what_only_looks_like_the_thing_that_is_said_is_left_alone(
    carry: Carry, body: str, task: str
) -> None:
    report, now = await carry(body + SAID, task)
    assert now == "" and not report.ok


@pytest.mark.parametrize(
    ("body", "task"),
    [
        ("<ul><li>Ann <button>Delete</button></li><li>Bob <button>Delete</button></li></ul>", "Delete Ann."),
        ("<ul><li>Ann <button onclick=\"confirm('Sure?')\">Delete</button></li></ul>", "Delete Ann."),
        ("<ul><li>Ann <button onclick=\"confirm('Sure?')&&say('Could not delete it')\">Delete</button></ul>",
         "Delete Ann."),
        ("<ul><li>Ann <button onclick=\"say(prompt('New name?'))\">Rename</button></li></ul>", "Rename Ann."),
        ("<button onclick=\"e.textContent='It can\\'t be so'\">Send</button><i id=e></i>", "Click Send."),
        ("<button onclick=\"e.innerHTML='<li>Name is required'\">Send</button><ul id=e></ul>", "Click Send."),
        ("<label><input type=checkbox onclick='return false'>Terms</label>", "Check Terms."),
        (select("Topic", "Billing", then="selectedIndex=0"), "Choose Billing as topic."),
        ("<label>Amount <input oninput=\"value=(value.replace(/\\D/g,'')/100).toFixed(2)\"></label>",
         "Enter 12 into Amount."),
    ],
)  # fmt: skip
async def test_what_is_not_seen_to_be_done_is_not_called_done(carry: Carry, body: str, task: str) -> None:
    report, _ = await carry(body + SAID, task)
    assert not report.ok


async def test_a_form_that_comes_anew_with_a_refusal_was_refused(carry: Carry) -> None:
    form = "<form><input type=hidden name=sent value=1>{}<button>Log in</button></form><p id=e></p>"
    body = (
        form.format(field("User name")) + "<script>if (location.search) e.textContent='Wrong name.'</script>"
    )
    report, _ = await carry(body + SAID, "Enter Ann into User name and click Log in.")
    assert report.failed == ("click Log in: the page answered “Wrong name.”",)


async def test_none_of_several_controls_is_pressed_that_nothing_tells_apart(carry: Carry) -> None:
    alike = "<div onclick=\"say('Delete')\" style='cursor:pointer'>Delete</div>" * 3
    report, now = await carry(alike + SAID, "Click Delete.")
    assert now == "" and not report.moves
    assert report.failed == ("Click Delete: it is not said which one is meant of 3 called “Delete”",)


async def test_a_value_is_written_to_the_letter_and_into_the_field_of_its_whole_name(carry: Carry) -> None:
    fields = field("Time") + field("Time to live") + field("Title") + press("Done")
    task = 'Enter "Learn lower Case" into the Title field. Set "Time to live" to 5. Click Done.'
    report, now = await carry(fields + SAID, task)
    assert report.ok and now == "Title Learn lower Case;Time to live 5;Done;"


async def test_what_a_page_asks_before_any_order_is_dismissed(carry: Carry) -> None:
    asks = (
        "<script>const sure = confirm('Delete everything?')</script><button onclick='say(sure)'>Show</button>"
    )
    report, now = await carry(asks + SAID, "Click Show")
    assert report.ok and now == "false;"
    assert report.notes == ("the page asked “Delete everything?”, which was dismissed",)


@pytest.mark.parametrize("task", ["Check Terms.", "Accept the terms.", "Set the guests to 2."])
async def test_what_is_so_already_counts_as_done(carry: Carry, task: str) -> None:
    box = "<label><input type=checkbox checked>Terms</label>"
    report, _ = await carry(box + field("Guests", "number", value="2"), task)
    assert report.ok and report.settled and not report.moves


async def test_a_table_below_the_window_is_sorted_by_all_of_its_cells(carry: Carry) -> None:
    table = (
        "<div style='height:900px'>top</div><table><tr><th onclick='n++;draw()' style='cursor:pointer'>Price"
        "</th><tbody id=rows></tbody></table><script>let n = 0; const draw = () => {"
        "const now = [9,1,7,3,8,2,15,20]; if (n === 1) now.splice(0, 3, 1, 9, 7);"
        "if (n > 1) now.sort((a, b) => a - b);"
        "rows.innerHTML = now.map((one) => `<tr><td style='height:50px'>${one}`).join('') }; draw();</script>"
    )
    report, _ = await carry(table + SAID, "Sort by price, lowest first.")
    assert report.ok and [node.name for node in report.seen.nodes if node.role == "cell"] == [
        "1", "2", "3", "7", "8", "9", "15", "20",
    ]  # fmt: skip


@pytest.mark.parametrize("task", ["Press the last Buy.", "Click the last button."])
async def test_the_last_of_more_than_was_looked_at_is_not_known(opened: Open, task: str) -> None:
    many = offers(*(f"Mug {number}" for number in range(800)))
    world, _ = await opened(many + SAID, writes=True, max_nodes=900)
    report = await Pilot(world, DRIVERS).run(task)
    assert not report.ok and not report.moves and not report.seen.whole


async def test_a_button_behind_a_long_list_is_found(carry: Carry) -> None:
    many = offers(*(f"Mug {number}" for number in range(1200)))
    report, now = await carry(many + press("Pay") + SAID, "Click Buy next to Mug 1100 and click Pay.")
    assert report.ok and now == "Mug;Pay;"


async def test_elements_in_elements_without_end_are_looked_through(carry: Carry) -> None:
    deep = (
        "<script>let at = document.body; for (let n = 0; n < 1200; n++) {"
        "const one = document.createElement('div'); one.append('@t' + n); at.append(one); at = one }</script>"
    )
    report, now = await carry(press("Go") + SAID + deep, "Click Go in the post of @t5.")
    assert report.ok and now == "Go;"


PLUS = "".join(
    f"<div><span>{name} mug</span> <button onclick=\"this.nextElementSibling.textContent=1;say('{name}')\">+"
    "</button> <span>0</span></div>"
    for name in ("Blue", "Red")
)
LESS = (
    "<div><span>Blue mug</span> <button aria-label=Less>−</button><span>0</span>"
    "<button aria-label=More onclick=\"say('more')\">+</button> <button>Add to basket</button></div>"
)
BARE = f"<ul><li>Blue mug {press('+')}</li><li>Red mug {press('+')}</li></ul>"


@pytest.mark.parametrize("body", [PLUS, LESS, BARE], ids=["plus", "less and more", "bare"])
@pytest.mark.parametrize(
    "task",
    ["Add two green mugs to the basket", "Add two teapots", "Press 2 teapots", "Buy two teapots",
     "Choose two teapots"],
)  # fmt: skip
async def test_nothing_is_counted_up_that_no_row_names(carry: Carry, body: str, task: str) -> None:
    report, now = await carry(SAID + body, task)
    assert (report.ok, now, report.did) == (False, "", ())
