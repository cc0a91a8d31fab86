"""The policy without a model on pages in a real Chromium: suggestions, amounts, copying, one field."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import pytest_asyncio

from ddax.environments.browser.chromium import Chromium
from ddax.environments.browser.options import BrowserOptions
from ddax.environments.browser.seen import ACTED_ON, PageSeen
from ddax.environments.browser.world import BrowserWorld
from ddax.environments.pilot.drivers import DRIVERS
from ddax.environments.pilot.pilot import Pilot, Report
from tests.integration.browser_site import Site, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
Carry = Callable[[str, str], Awaitable[Report]]


@pytest_asyncio.fixture(loop_scope="module")
async def carry(chromium: Chromium, served: Site) -> AsyncIterator[Carry]:
    """Carry out a task on a page with a body."""
    worlds: list[BrowserWorld] = []

    async def carry_out(task: str, body: str) -> Report:
        url = served.page("/", body)
        world = BrowserWorld(url, browser=chromium, options=BrowserOptions(), shared=True)
        worlds.append(world)
        await world.reset()
        return await Pilot(world, DRIVERS).run(task)

    yield carry_out
    for world in worlds:
        await world.close()


def held(seen: PageSeen, name: str) -> str:
    """Return what the field of a name holds, to the letter."""
    node = next(n for n in seen.nodes if n.role in ACTED_ON and name in (n.name or n.before))
    return node.whole or node.value


PORTS = "['Arendal','Arna','Bergen','Oslo','Arcachon']"
COMBOBOX = f"""
<label>Harbour <input role=combobox aria-autocomplete=list id=h></label>
<ul role=listbox id=l hidden></ul><p id=out>-</p>
<button onclick="out.textContent='sent '+chosen">Send</button><script>let chosen='';
h.oninput=()=>setTimeout(()=>{{l.replaceChildren(...{PORTS}.filter(p=>h.value&&p.toLowerCase()
 .startsWith(h.value.toLowerCase())).map(p=>Object.assign(document.createElement('li'),{{textContent:p,
 role:'option',onclick:()=>{{h.value=chosen=p;l.hidden=true}}}})));l.hidden=!l.children.length}},250)</script>"""
MENU = f"""
<label for=h>Harbour</label><br><input id=h class=ui-autocomplete-input autocomplete=off><button>Send</button>
<ul id=l hidden style="position:absolute;padding:0;margin:0"></ul><script>
h.oninput=()=>setTimeout(()=>{{l.innerHTML={PORTS}.filter(p=>p.toLowerCase().startsWith(h.value.toLowerCase()))
 .map(p=>'<li tabindex=-1><div style="cursor:pointer">'+p+'</div></li>').join('');l.hidden=false}},300);
l.onclick=e=>{{h.value=e.target.textContent;l.hidden=true}}</script>"""
DATALIST = """<label>Harbour <input list=d></label><datalist id=d><option value=Arendal><option value=Arna>
<option value=Oslo></datalist><button>Send</button>"""
CLOSED = """<div role=combobox tabindex=0 aria-label=Harbour aria-expanded=false id=h>Choose…</div>
<ul role=listbox id=l hidden><li role=option>Oslo<li role=option>Arna</ul><script>
h.onclick=()=>l.hidden=false;l.onclick=e=>{h.textContent=e.target.textContent;l.hidden=true}</script>"""


@pytest.mark.parametrize("body", [COMBOBOX, MENU, DATALIST])
@pytest.mark.parametrize(
    ("task", "holds"),
    [
        ('Enter an item that starts with "Ar" and ends with "na".', "Arna"),
        ('Choose a harbour beginning with "Os" in the Harbour field.', "Oslo"),
        ('Enter "oslo" into the Harbour field.', "Oslo"),
        ('Choose "Arna" as harbour.', "Arna"),
    ],
)
async def test_the_suggestion_that_is_meant_is_taken(carry: Carry, body: str, task: str, holds: str) -> None:
    report = await carry(task, body)
    assert report.ok and held(report.seen, "Harbour") == holds


async def test_what_is_chosen_is_pressed_and_nothing_but_what_is_said_is(carry: Carry) -> None:
    report = await carry('Enter an item that starts with "Ber".', COMBOBOX)
    assert report.ok and "sent" not in report.seen.text
    report = await carry('Enter "Oslo" as harbour and click Send.', COMBOBOX)
    assert report.ok and "sent Oslo" in report.seen.text


@pytest.mark.parametrize("body", [COMBOBOX, MENU, DATALIST])
@pytest.mark.parametrize(
    "task", ['Enter an item that starts with "Ar" and ends with "xx".', 'Choose "Atlantis" as harbour.']
)
async def test_what_is_not_suggested_is_not_chosen(carry: Carry, body: str, task: str) -> None:
    report = await carry(f"{task} Then click Send.", body)
    assert len(report.failed) == 2 and not any(move.name == "click" for move in report.moves)


async def test_a_suggestion_that_the_field_does_not_take_was_not_taken(carry: Carry) -> None:
    report = await carry('Enter an item that starts with "Ber".', COMBOBOX.replace("h.value=chosen=p;", ""))
    assert not report.ok and held(report.seen, "Harbour") == "Ber"


async def test_a_value_that_is_not_suggested_may_be_written(carry: Carry) -> None:
    report = await carry('Enter "Atlantis" into the Harbour field.', COMBOBOX)
    assert report.ok and held(report.seen, "Harbour") == "Atlantis"


async def test_a_list_that_cannot_be_written_into_is_opened(carry: Carry) -> None:
    report = await carry('Enter "Arna" as harbour.', CLOSED)
    assert report.ok and [n.own for n in report.seen.nodes if n.role == "combobox"] == ["Arna"]


async def test_a_suggestion_of_a_search_is_not_pressed(carry: Carry, served: Site) -> None:
    served.page("/elsewhere", "elsewhere")
    body = """<input type=search role=combobox aria-label=Search oninput="l.hidden=false">
    <ul role=listbox id=l hidden><li role=option onclick="location='/elsewhere'">Oslo</ul>"""
    report = await carry('Enter "Oslo" into the search field.', body)
    assert report.ok and held(report.seen, "Search") == "Oslo" and len(report.moves) == 1


NUMBER = "<label>Guests <input type=number value=1 min=0 max=9 id=n></label>"
RANGE = "<label>Guests <input type=range value=1 min=0 max=9 id=n></label>"
BLOCKED = (
    '<label>Guests <input role=spinbutton id=n value=1 onkeydown="event.preventDefault();{keys}"></label>'
)
KEYS = BLOCKED.format(keys="n.value=+n.value+({ArrowUp:1,ArrowDown:-1}[event.key]||0)")
CONTROLS = f"""<div>{BLOCKED.format(keys="")}
<button aria-label="Increase guests" onclick="n.value++">+</button>
<button aria-label="Decrease guests" onclick="n.value--">−</button></div>
<button onclick="n.value=99">Plus account</button><button onclick="n.value=98">Top up</button>"""
SLIDER = """<div role=slider tabindex=0 aria-label=Guests aria-valuenow=1 id=n style="width:90px;height:9px"
onkeydown="n.setAttribute('aria-valuenow',+n.getAttribute('aria-valuenow')+({ArrowRight:1,ArrowLeft:-1}[event.key]||0))">
</div>"""


@pytest.mark.parametrize("body", [NUMBER, RANGE, KEYS, CONTROLS, SLIDER])
@pytest.mark.parametrize("number", ["4", "0"])
async def test_an_amount_is_set_and_read_back(carry: Carry, body: str, number: str) -> None:
    report = await carry(f"Set the guests to {number}.", body)
    assert report.ok and held(report.seen, "Guests") == number


async def test_an_amount_that_is_not_reached_stops_the_orders(carry: Carry) -> None:
    for body in (RANGE, KEYS.replace(":1", ":3").replace("-1", "-3")):
        report = await carry("Set Guests to 12 and click Send.", f"{body}<button>Send</button>")
        assert report.failed[-2:] == ("set Guests to 12", "and so neither “click Send”")
        assert not any(move.name == "click" for move in report.moves)


async def test_sliders_are_told_apart_by_name_or_taken_in_their_order(carry: Carry) -> None:
    body = RANGE + RANGE.replace("Guests", "Nights").replace("id=n", "")
    report = await carry("Set the sliders to the combination [3,5].", body)
    assert report.ok and (held(report.seen, "Guests"), held(report.seen, "Nights")) == ("3", "5")
    report = await carry("Move the Nights slider to 7.", body)
    assert report.ok and (held(report.seen, "Guests"), held(report.seen, "Nights")) == ("1", "7")
    report = await carry("Move the slider to 7.", body)
    assert report.failed[0] == "it is not said which one is meant of “Guests”, “Nights”" and not report.moves


TEXTS = """<textarea aria-label=One>first  text </textarea><textarea aria-label=Two>second
text</textarea><input aria-label=Answer>
<label>Mail <input name=mail value="a@b.example"></label><button>Send</button>"""


@pytest.mark.parametrize(
    ("task", "copied"),
    [
        ("Copy the text from the 1st text area and paste it into the text input", "first  text "),
        ("Copy the text of the 2nd text area into the Answer field", "second text"),
        ("Copy the value of the mail field and paste it into the answer", "a@b.example"),
        ('Copy the text of "One" and paste it into "Two"', "first  text "),
    ],
)
async def test_a_text_is_copied_to_the_letter(carry: Carry, task: str, copied: str) -> None:
    report = await carry(f"{task}.", TEXTS)
    assert report.ok and held(report.seen, "Two" if "Two" in task else "Answer") == copied


async def test_line_ends_are_copied_and_press_no_key(carry: Carry) -> None:
    body = """<form><textarea aria-label=One>a\n\nb\n</textarea><textarea aria-label=Two
    onkeydown="if(event.key=='Enter')form.submit()"></textarea></form>"""
    report = await carry('Copy the text of "One" into "Two".', body)
    assert report.ok and held(report.seen, "Two") == "a\n\nb\n"
    assert report.seen.url.endswith("/")


@pytest.mark.parametrize(
    "task",
    [
        "Copy the text from the 3rd text area and paste it into the text input",
        "Copy the text in the text area and paste it into the text input",
        "Copy the phone number and paste it into the text input",
    ],
)
async def test_what_is_not_there_or_not_said_is_not_copied(carry: Carry, task: str) -> None:
    report = await carry(f"{task} and click Send.", TEXTS)
    assert not report.ok and not report.moves


@pytest.mark.parametrize(
    "task",
    [
        'Enter "Oslo" as your answer and press Send.', "Enter Oslo as your answer and press Send.",
        'Enter "Oslo" and press Send.', "Enter Oslo and press Send.",
    ],
)  # fmt: skip
async def test_the_only_field_is_filled_whatever_it_is_called(carry: Carry, task: str) -> None:
    one = "<label>Capital <input></label><button onclick=\"this.textContent='Sent'\">Send</button>"
    report = await carry(task, one)
    assert report.ok and held(report.seen, "Capital") == "Oslo" and report.moves[-1].name == "click"
    report = await carry(task, f"<label>Country <input></label>{one}")
    assert (
        report.failed[0] == "it is not said which one is meant of “Country”, “Capital”" and not report.moves
    )


LEAVES = """<span role=button tabindex=0 id=b>Like</span><span role=button tabindex=0 id=d>Delete all</span>
<p id=out>-</p><script>b.onclick=()=>out.textContent='liked';d.onclick=()=>out.textContent='deleted';
b.addEventListener('mouseenter',()=>{b.style.display='none';setTimeout(()=>b.style.display='',120)},
 {once:true})</script>"""
MENU_IN_MENU = """<button id=m>Menu</button><ul role=menu id=u hidden><li role=none><a role=menuitem
aria-haspopup=true tabindex=0 id=p>Playback</a><ul role=menu id=s hidden><li role=none>
<a role=menuitem tabindex=0 onclick="out.textContent='stopped'">Stop</a></ul><li role=none>
<a role=menuitem tabindex=0>Save</a></ul><p id=out>-</p><script>m.onclick=()=>u.hidden=!u.hidden;
p.onmouseenter=()=>setTimeout(()=>{s.hidden=false;p.ariaExpanded='true'},250);
p.onclick=()=>{s.hidden=!s.hidden;p.ariaExpanded=String(!s.hidden)}</script>"""
LONG = f"""<textarea id=t aria-label=Terms rows=3>{60 * "line "}{60 * "&#10;line"}</textarea><button
onclick="out.textContent=t.scrollTop+t.clientHeight>t.scrollHeight-4?'read':'not read'">Submit</button>
<p id=out>-</p>"""


@pytest.mark.parametrize(
    ("body", "task", "said"),
    [
        (LEAVES, "Click Like.", "liked"),
        (MENU_IN_MENU, 'Click the "Menu" button, then find and click on the item labeled "Stop".', "stopped"),
        (LONG, "Scroll the text area to the bottom, then press Submit.", "read"),
    ],
)
async def test_what_goes_or_comes_below_the_pointer_is_reached(
    carry: Carry, body: str, task: str, said: str
) -> None:
    report = await carry(task, body)
    assert report.ok and said in [node.own for node in report.seen.nodes], report.failed
