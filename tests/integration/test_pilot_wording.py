"""Orders whose every word counts: what is not met is not left out, in a real Chromium."""

from __future__ import annotations

import pytest

from tests.integration.browser_site import Carry, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
SAY = "<p id=said></p><script>const say=(text)=>{said.textContent+=text+';'};</script>"
_CARD = """<div class=card><span>NAME</span> <button onclick="say('NAME')">Archive</button></div>"""
_COLUMNS = {"To do": ("Write report", "Call Bob"), "Doing": ("Fix login",), "Done": ("Buy cake", "Plan trip")}
BOARD = SAY + "".join(
    f"<div class=column><h2>{title}</h2>{''.join(_CARD.replace('NAME', name) for name in names)}"
    "<button>+ Add card</button></div>"
    for title, names in _COLUMNS.items()
)
COUPON = f"""{SAY}<label>Full name <input></label><h2>Summary</h2>
<label>Coupon code <input id=code></label><button onclick="say('used '+code.value)">Apply</button>
<button onclick="say('bought')">Place order</button>"""
CHATS = f"""{SAY}<ul><li><a href="#" id=anna>Anna</a><li><a href="#" id=bo>Bo</a></ul><div id=now></div>
<script>for(const one of [anna,bo])one.onclick=()=>{{now.innerHTML='<input aria-label=Message id=text>'
 +'<button>Send</button>';now.lastChild.onclick=()=>say(one.id+': '+text.value)}}</script>"""
FILES = f"""{SAY}<ul><li>a.txt <button>Delete</button><li>b.txt <button>Delete</button></ul>
<dialog id=ask><p id=what></p><button id=yes>Yes, delete</button><button onclick="ask.close()">Keep</button>
</dialog><script>
let row;for(const one of document.querySelectorAll('li button'))one.onclick=()=>{{row=one.parentNode;
 what.textContent='Delete '+row.firstChild.data.trim()+'? This cannot be undone.';ask.showModal()}};
yes.onclick=()=>{{say('gone '+row.firstChild.data.trim());row.remove();ask.close()}}</script>"""
CABINS = f"""{SAY}<label>Check-in <input type=date id=a></label>
<label>Check-out <input type=date id=b></label>
<label>Guests <select id=n><option>1<option>2<option>3</select></label>
<button onclick="say([a.value,b.value,n.value])">Search cabins</button>"""
RIGHT = {
    "Archive the card in Doing": (BOARD, "Fix login;"),
    "Archive Plan trip": (BOARD, "Plan trip;"),
    "Use the coupon code “SAVE10”": (COUPON, "used SAVE10;"),
    "Tell Bo “See you at six”": (CHATS, "bo: See you at six;"),
    "Delete b.txt": (FILES, "gone b.txt;"),
    "Search for a cabin from 3 May 2027 to 7 May 2027 for 3 guests": (
        CABINS, "2027-05-03,2027-05-07,3;",
    ),
    "Search cabins for 2 guests from 3 May 2027 to 7 May 2027": (CABINS, "2027-05-03,2027-05-07,2;"),
}  # fmt: skip
REFUSED = {
    "Archive the card in Done": BOARD,
    "Use the “Summer” theme": COUPON,
    "Tell Ann “See you at six”": CHATS,
    "Tell Bo that I am late": CHATS,
    "Search for a cabin from 3 May 2027 to 7 May 2027 for 3 dogs": CABINS,
    "Search for a cabin from 3 May 2027 to 7 May 2027 in Oslo": CABINS,
}


@pytest.mark.parametrize(("task", "page"), RIGHT.items(), ids=RIGHT)
async def test_what_every_word_is_met_for_is_done(task: str, page: tuple[str, str], carry: Carry) -> None:
    report, said = await carry(page[0], task)
    assert (said, report.failed) == (page[1], ())


@pytest.mark.parametrize(("task", "body"), REFUSED.items(), ids=REFUSED)
async def test_what_a_word_is_left_over_of_is_not_done(task: str, body: str, carry: Carry) -> None:
    report, said = await carry(body, task)
    assert (said, report.ok) == ("", False)
