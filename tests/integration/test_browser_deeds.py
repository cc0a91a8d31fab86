"""Orders about one of several rows or cards in a real Chromium, and what a page says of what it was given."""

from __future__ import annotations

import pytest

from tests.integration.browser_site import Carry, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
LIST = """
<h1>Files</h1><ul id=list></ul><button onclick="say('all')">Delete all</button><p id=said></p>
<div id=menu role=menu hidden><button role=menuitem>Rename</button><button role=menuitem>Delete</button></div>
<script>
const say = (text) => { said.textContent += text + ';'; };
let row = '';
for (const name of ['report-final.pdf', 'report.pdf', 'notes.txt']) {
  list.innerHTML += `<li>${name} <button data-more=${name} aria-label="More for ${name}">⋯</button></li>`;
}
list.onclick = (event) => { row = event.target.dataset.more || row; menu.hidden = false; };
menu.onclick = (event) => { menu.hidden = true; say(event.target.textContent + ' ' + row); };
</script>
"""
CARDS = """
<style>TAG{display:inline-block;width:200px}b{cursor:pointer;padding:4px}</style>
<div id=shop></div><p id=said></p>
<script>
for (const name of ['Blue mug', 'Red mug', 'Teapot']) {
  shop.innerHTML += `<TAG><h3>${name}</h3><b>−</b> <i>1</i> <b>+</b><br><button>Add to basket</button></TAG>`;
}
shop.onclick = ({ target }) => {
  const card = target.closest('TAG'), count = card.querySelector('i');
  const by = target.textContent === '+' ? 1 : -1, name = card.textContent.split('−')[0];
  if (target.tagName === 'B') count.textContent = Number(count.textContent) + by;
  if (target.tagName === 'BUTTON') said.textContent += `${count.textContent} ${name};`;
};
</script>
"""
FORM = """
<form id=form><label>Topic <select name=topic><option>Any<option>Billing<option>Delivery</select></label>
<label>Guests <input name=guests type=number min=1 max=6 value=1></label>
<label>Arrival <input name=day placeholder="DD/MM/YYYY"></label>
<label><input type=checkbox name=terms> I accept the terms</label><button>Send</button></form><p id=said></p>
<script>form.onsubmit = (event) => { event.preventDefault(); const data = new FormData(form);
  said.textContent = data.get('terms') ? [...data.values()].join(';') : 'You must accept the terms.'; };
</script>
"""


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("Delete the file report.pdf", "Delete report.pdf;"),
        ("Rename notes.txt", "Rename notes.txt;"),
        ("Delete photo.png", ""),
        ("Delete report", ""),
    ],
)
async def test_the_menu_of_the_row_is_opened_that_is_said(carry: Carry, task: str, said: str) -> None:
    report, now = await carry(LIST, task)
    assert now == said and report.ok == bool(said)


@pytest.mark.parametrize("tag", ["article", "div"])
@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("Add two of the blue mugs to the basket", "1 Blue mug;1 Blue mug;"),
        ("Add the red mug to the basket", "1 Red mug;"),
        ("Add 3 teapots to the basket", "1 Teapot;1 Teapot;1 Teapot;"),
        ("Add a yellow mug to the basket", ""),
    ],
)
async def test_as_many_of_a_card_are_added_as_are_said(carry: Carry, tag: str, task: str, said: str) -> None:
    report, now = await carry(CARDS.replace("TAG", tag), task)
    assert now == said and report.ok == bool(said)


@pytest.mark.parametrize(
    ("task", "said", "failed"),
    [
        (
            "Set the topic to Billing, set the guests to 4, set the arrival to 3 January 2027, "
            "accept the terms and click Send.", "Billing;4;03/01/2027;on", "",
        ),
        ("Choose Delivery as topic, accept the terms and click Send.", "Delivery;1;;on", ""),
        ("Click Send.", "You must accept the terms.",
         "Click Send: the page answered “You must accept the terms.”"),
        ("Set the guests to 9.", "", "Set the guests to 9: “Guests” takes a number from 1 to 6"),
    ],
)  # fmt: skip
async def test_a_form_is_filled_and_what_it_answers_is_heard(
    carry: Carry, task: str, said: str, failed: str
) -> None:
    report, now = await carry(FORM, task)
    assert now == said and report.failed[-1:] == ((failed,) if failed else ())


async def test_a_list_is_called_by_its_label_alone(carry: Carry) -> None:
    report, _ = await carry(FORM, "Choose Billing as topic.")
    names = {node.role: node.name for node in report.seen.nodes if node.role in ("combobox", "textbox")}
    assert names == {"combobox": "Topic", "textbox": "Arrival"}


async def test_a_switch_in_its_label_and_a_sign_with_a_title_have_names(carry: Carry) -> None:
    body = "<label><input type=checkbox role=switch> Alarm</label><button title=Edit>✎</button>"
    report, _ = await carry(body, "Enable the alarm.")
    assert report.ok and "checked" in next(n.state for n in report.seen.nodes if n.role == "switch")
    assert [n.name for n in report.seen.nodes if n.role == "button"] == ["Edit"]


def press(said: str, name: str = "Delete") -> str:
    """Return a button that writes down that it was pressed."""
    return f"<button onclick=\"said.textContent+='{said};'\">{name}</button>"


def listed(*names: str) -> str:
    """Return a list of names, each with a button Delete."""
    return f"<ul>{''.join(f'<li>{name} {press(name)}</li>' for name in names)}</ul><p id=said></p>"


SIGNED_IN = f"{listed('Ann')}<p>Signed in as Carol</p>{press('Carol')}"
TWO_LISTS = f"<ul><li>Bob</li><li>Ann {press('Ann')}</li></ul>{listed('Carol')}"
BEFORE_ITS_NAME = f"<i>Files:</i><br>{press('Ann')} <i>Ann</i><br>{press('Bob')} <i>Bob</i><p id=said></p>"
BELOW_ANOTHER = (
    f"<h2>Ann</h2><p>owner</p><h2>Bob</h2>{press('Bob')}<h2>Others</h2><p>Carol</p><p id=said></p>"
)


@pytest.mark.parametrize(
    ("body", "task", "said"),
    [
        (listed("Draft (1)", "Draft (2)"), "Delete Draft (2).", "Draft (2);"),
        (listed("Draft (1)", "Notes"), "Delete Draft (2).", ""),
        (listed("Draft", "Notes"), "Delete Draft (2).", ""),
        (listed("Mr. Hill", "Dr. Low"), "Delete Mr. Low.", ""),
        (listed("Ann", "Bob"), "Click “Delete” beside Bob.", "Bob;"),
        (listed("Ann", "Bob"), 'Click the "Delete" button in the row of Carol', ""),
        (SIGNED_IN, "Delete Carol", ""),
        (SIGNED_IN, "Delete", ""),
        (SIGNED_IN, "Delete Ann", "Ann;"),
        (TWO_LISTS, "Delete Bob", ""),
        (TWO_LISTS, "Delete Ann", "Ann;"),
        (BEFORE_ITS_NAME, "Delete Ann", ""),
        (BELOW_ANOTHER, "Delete Ann", ""),
        (BELOW_ANOTHER, "Delete Carol", ""),
        (BELOW_ANOTHER, "Delete Bob", "Bob;"),
    ],
)
async def test_what_belongs_to_another_row_is_left_alone(
    carry: Carry, body: str, task: str, said: str
) -> None:
    report, now = await carry(body, task)
    assert now == said and report.ok == bool(said)


async def test_a_number_behind_the_verb_is_how_many_though_the_row_shows_it(carry: Carry) -> None:
    stocked = CARDS.replace("TAG", "article").replace("<b>−", "<p>2 in stock</p><b>−")
    report, now = await carry(stocked.replace("split('−')", "split('2 in')"), "Add 2 teapots to the basket")
    assert now == "1 Teapot;1 Teapot;" and report.ok
    report, now = await carry(listed("2 in stock: mug", "3 cups").replace(">Delete<", ">Add<"), "Add 2 mugs")
    assert now == "2 in stock: mug;2 in stock: mug;" and report.ok
    report, now = await carry(listed("Nokia 3310", "Pixel 2").replace(">Delete<", ">Buy<"), "Buy Nokia 3310")
    assert now == "Nokia 3310;" and report.ok


async def test_what_is_another_thing_after_a_press_is_not_pressed_again(carry: Carry) -> None:
    turns = "<button onclick=\"said.textContent+=name+';';name=textContent='Remove'\" name=Add>Add</button>"
    report, now = await carry(f"<ul><li>Mug {turns}</li></ul><p id=said></p>", "Add two mugs.")
    assert now == "Add;" and report.failed == (
        "Add two mugs: “Add” was pressed 1 of 2 times, and is another thing then",
    )


@pytest.mark.parametrize("task", ["Delete chapter two.", "Delete chapter 2.", "Delete 2 chapters."])
async def test_a_number_that_is_a_name_is_no_count(carry: Carry, task: str) -> None:
    report, now = await carry(listed("Chapter 1", "Chapter 3"), task)
    assert now == "" and not report.ok
