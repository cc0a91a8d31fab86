"""A day picked in calendars of a real Chromium: a popup of links, a grid of cells, one on the page itself."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import pytest_asyncio

from ddax.environments.browser.chromium import Chromium
from ddax.environments.browser.options import BrowserOptions
from ddax.environments.browser.world import BrowserWorld
from ddax.environments.pilot.drivers import DRIVERS
from ddax.environments.pilot.pilot import Pilot, Report
from tests.integration.browser_site import Site, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
Order = Callable[[str, str], Awaitable[Report]]
POPUP = """
<style>#box{position:absolute;background:#fff;font:12px sans-serif}#box a{cursor:pointer}
#box .no{opacity:.35;cursor:default}</style>
<form action=/sent><p>Arrival: <input id=field name=day readonly></p><button>Book</button></form>
<div id=box hidden></div>
<script>
const name = (m) => new Date(2026, m, 1).toLocaleString('en', { month: 'long' });
const two = (n) => String(n).padStart(2, '0'), write = WRITE;
const min = new Date(MIN), max = new Date(MAX), lists = LISTS;
let at = new Date(START);
const draw = () => {
  const y = at.getFullYear(), m = at.getMonth(), first = new Date(y, m, 1).getDay();
  const option = (text, chosen) => `<option${chosen ? ' selected' : ''}>${text}`;
  const monthList = [...Array(12).keys()].map((n) => option(name(n).slice(0, 3), n === m)).join('');
  const yearList = [2024, 2025, 2026, 2027].map((n) => option(n, n === y)).join('');
  const title = lists ? `<select>${monthList}</select><select>${yearList}</select>`
    : `<span>${name(m)}</span>&nbsp;<span>${y}</span>`;
  let rows = '';
  for (let i = 0; i < 42; i++) {
    const day = new Date(y, m, 1 - first + i), shut = day < min || day > max;
    const text = shut ? `<span>${day.getDate()}</span>` : `<a href=# data-day="${+day}">${day.getDate()}</a>`;
    rows += `${i % 7 ? '' : '<tr>'}<td class="${shut ? 'no' : ''}">${text}`;
  }
  box.innerHTML = `<div><a title=Prev><span>Prev</span></a> <a title=Next><span>Next</span></a> ${title}</div>
    <table><tr><th>Su<th>Mo<th>Tu<th>We<th>Th<th>Fr<th>Sa${rows}</table>`;
  const [prev, next] = box.querySelectorAll('a[title]');
  const turn = (by) => { at = new Date(y, m + by, 1); draw(); };
  prev.addEventListener('click', () => at > min && turn(-1));
  next.addEventListener('click', () => new Date(y, m + 1, 1) <= max && turn(1));
  const [months, years] = box.querySelectorAll('select');
  if (lists) months.onchange = years.onchange = () => turn((years.value - y) * 12 + months.selectedIndex - m);
  for (const link of box.querySelectorAll('a[data-day]')) link.addEventListener('click', (event) => {
    const day = new Date(Number(link.dataset.day));
    field.value = write(day); box.hidden = true; event.preventDefault(); event.stopPropagation();
  });
};
field.addEventListener('focus', () => { box.hidden = false; draw(); });
</script>
"""
GRID = """
<style>td{width:2em;text-align:center}</style>
<form action=/sent>
 <label>Return date <input name=back readonly></label>
 <button type=button aria-label="Choose Date" id=opens>📅</button>
 <div role=dialog aria-label="Choose Date" id=box hidden>
  <button type=TYPE aria-label="previous year">«</button>
  <button type=TYPE aria-label="previous month">‹</button>
  <h2 aria-live=polite id=title style="display:inline">-</h2>
  <button type=TYPE aria-label="next month">›</button>
  <button type=TYPE aria-label="next year">»</button>
  <table role=grid><thead><tr><th>Mo<th>Tu<th>We<th>Th<th>Fr<th>Sa<th>Su</thead><tbody id=days></table>
  <button type=button>Cancel</button>
 </div>
 <button type=button onclick="document.title='went on'">Next</button>
</form>
<script>
let at = new Date(2026, 10, 1);
const draw = () => {
  const first = (at.getDay() + 6) % 7, month = at.toLocaleString('en', { month: 'long' });
  title.textContent = `${month} ${at.getFullYear()}`;
  days.innerHTML = '';
  for (let i = 0; i < 42; i++) {
    const day = new Date(at.getFullYear(), at.getMonth(), 1 - first + i);
    const own = day.getMonth() === at.getMonth();
    const cell = (i % 7 ? days.lastChild : days.insertRow()).insertCell();
    cell.textContent = day.getDate();
    cell.tabIndex = day.getDate() === 1 && own ? 0 : -1;
    if (!own) cell.className = 'disabled';
    else cell.onclick = () => {
      document.querySelector('input').value = day.toLocaleDateString('en-GB', { dateStyle: 'long' });
      box.hidden = true;
    };
  }
};
opens.onclick = () => { box.hidden = false; draw(); };
[-12, -1, 1, 12].forEach((by, i) => {
  box.querySelectorAll('button')[i].onclick = () => { at.setMonth(at.getMonth() + by); draw(); };
});
</script>
"""
STANDING = """
<h2>Ferries</h2><div onclick="said.textContent = event.target.dataset.day || said.textContent">
<div><b>Dec 2026</b></div><table>{rows}</table></div><p id=said>-</p>
<button onclick="said.textContent='sent'">Next</button>
"""


@pytest_asyncio.fixture(loop_scope="module")
async def order(chromium: Chromium, served: Site) -> AsyncIterator[Order]:
    worlds: list[BrowserWorld] = []

    async def carry_out(task: str, body: str) -> Report:
        served.page("/sent", "<h1>Sent</h1>")
        options = BrowserOptions(writes=True)
        world = BrowserWorld(served.page("/", body), browser=chromium, options=options, shared=True)
        worlds.append(world)
        await world.reset()
        return await Pilot(world, DRIVERS).run(task)

    yield carry_out
    for world in worlds:
        await world.close()


AMERICAN = "(d) => `${two(d.getMonth() + 1)}/${two(d.getDate())}/${d.getFullYear()}`"


def popup(
    *, start: str = "2026, 10, 1", least: str = "2020, 0, 1", most: str = "2030, 0, 1", lists: bool = False,
    write: str = AMERICAN,
) -> str:  # fmt: skip
    body = POPUP.replace("START", start).replace("MIN", least).replace("MAX", most)
    return body.replace("LISTS", str(lists).lower()).replace("WRITE", write)


def field_of(report: Report) -> str:
    return next(node.value for node in report.seen.nodes if node.role == "textbox")


@pytest.mark.parametrize(
    ("task", "held"),
    [
        ("Choose November 1, 2026 as the arrival date", "11/01/2026"),
        ("Choose 31 Dec 2026 as the date", "12/31/2026"),
        ("Enter 2027-02-28 into the arrival field", "02/28/2027"),
        ("Select 04/30/2026 as the date", "04/30/2026"),
    ],
)
async def test_a_day_is_pressed_in_the_popup_of_a_read_only_field(order: Order, task: str, held: str) -> None:
    report = await order(task, popup())
    assert (report.failed, field_of(report)) == ((), held)


async def test_the_form_is_sent_with_the_day_that_was_picked(order: Order, served: Site) -> None:
    report = await order("Choose 2026-12-24 as the date and click Book.", popup())
    assert report.ok and "GET /sent?day=12%2F24%2F2026" in served.asked


async def test_lists_of_months_and_years_are_set(order: Order) -> None:
    report = await order("Choose 2024-02-29 as the date.", popup(lists=True))
    assert report.ok and field_of(report) == "02/29/2024"
    assert [move.name for move in report.moves] == ["click", "select", "select", "click"]


@pytest.mark.parametrize(
    ("task", "failed"),
    [
        ("Choose 2026-11-04 as the date and click Book.", "the calendar does not let 2026-11-04 be chosen"),
        (
            "Choose 2027-03-01 as the date and click Book.",
            "the calendar shows 2026-12 and comes no nearer to 2027-03-01",
        ),
    ],
)
async def test_a_day_that_cannot_be_chosen_is_told_and_nothing_is_sent(
    order: Order, served: Site, task: str, failed: str
) -> None:
    report = await order(task, popup(least="2026, 10, 5", most="2026, 11, 20"))
    assert report.failed[0] == failed and report.failed[-1] == "and so neither “click Book”"
    assert not any("/sent" in asked for asked in served.asked) and field_of(report) == ""


async def test_a_field_that_shows_another_day_was_not_filled(order: Order) -> None:
    report = await order("Choose 2026-11-24 as the date.", popup(write="() => '11/25/2026'"))
    assert report.failed[0] == "the field shows '11/25/2026' after 2026-11-24 was pressed in its calendar"


@pytest.mark.parametrize("day", ["2026-11-30", "2026-10-31", "2029-01-01"])
async def test_a_day_is_pressed_in_the_grid_that_a_button_opens(order: Order, served: Site, day: str) -> None:
    report = await order(f"Enter {day} into the return date field.", GRID.replace("TYPE", "button"))
    year, month, number = day.split("-")
    name = {"10": "October", "11": "November", "01": "January"}[month]
    assert (report.failed, field_of(report)) == ((), f"{int(number)} {name} {year}")
    assert report.seen.title == "A page" and not any("/sent" in asked for asked in served.asked)


async def test_an_arrow_that_would_send_the_form_is_left_alone(order: Order, served: Site) -> None:
    report = await order("Enter 2026-12-30 into the return date field.", GRID.replace("TYPE", "submit"))
    assert report.failed[0] == "the calendar shows 2026-11 and comes no nearer to 2026-12-30"
    assert not any("/sent" in asked for asked in served.asked) and report.seen.title == "A page"


def standing() -> str:
    cells = "".join(
        ("<tr>" if place % 7 == 0 else "") + (f"<td data-day={day}>{day}" if 0 < day < 32 else "<td>")
        for place, day in enumerate(range(35))
    )
    return STANDING.format(rows=cells)


@pytest.mark.parametrize(("day", "said", "ok"), [("2026-12-24", "24", True), ("2027-01-24", "-", False)])
async def test_a_day_is_pressed_in_a_calendar_that_stands_on_the_page(
    order: Order, day: str, said: str, ok: bool
) -> None:
    report = await order(f"Select {day} in the calendar.", standing())
    told = next(node.own for node in report.seen.nodes if node.tag == "p")
    assert (report.ok, told) == (ok, said)


async def test_a_text_field_that_takes_no_keys_is_filled_by_its_calendar(order: Order) -> None:
    body = popup().replace("readonly>", "onkeydown='return false' onbeforeinput='return false'>")
    report = await order("Enter 2026-12-24 into the arrival field.", body)
    assert report.ok and field_of(report) == "12/24/2026"


async def test_a_read_only_field_without_a_calendar_takes_no_date(order: Order, served: Site) -> None:
    report = await order(
        "Choose 2026-12-24 as the date and click Book.",
        "<form action=/sent><label>Date <input readonly></label><button>Book this date</button></form>",
    )
    assert report.failed[0] == "no calendar is seen" and not any("/sent" in asked for asked in served.asked)
