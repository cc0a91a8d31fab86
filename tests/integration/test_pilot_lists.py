"""Lists that are put in order by dragging, in a real Chromium: by mouse, and by the browser's own drag."""

from __future__ import annotations

import pytest

from tests.integration.browser_site import Carry, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
STYLE = "<style>li{height:20px;width:120px;cursor:grab;user-select:none}ul{padding:0;list-style:none}</style>"
SAY = "said.textContent=[...document.querySelectorAll('li')].map(one=>one.textContent).join()"
BY_MOUSE = f"""<script>let held=null;document.onmousedown=e=>held=e.target.closest('li');
document.onmousemove=e=>{{if(!held)return;held.style.pointerEvents='none';
 const at=document.elementFromPoint(e.clientX,e.clientY)?.closest('li');held.style.pointerEvents='';
 if(!at||at===held)return;const box=at.getBoundingClientRect();
 if(e.clientY>box.top+box.height/2)at.after(held);else at.before(held)}};
document.onmouseup=()=>{{held=null;{SAY}}}</script>"""
BY_DRAG = f"""<script>let held=null;for(const one of document.querySelectorAll('li')){{one.draggable=true;
one.ondragstart=e=>{{held=one;e.dataTransfer.setData('text','x')}};one.ondragover=e=>e.preventDefault();
one.ondrop=e=>{{e.preventDefault();const box=one.getBoundingClientRect();
 if(e.clientY>box.top+box.height/2)one.after(held);else one.before(held);{SAY}}}}}</script>"""


def listed(*names: str) -> str:
    """Return a list of names that can be dragged, and what says how it stands."""
    return f"{STYLE}<ul>{''.join(f'<li>{name}</li>' for name in names)}</ul><p id=said>-</p>"


@pytest.mark.parametrize("script", [BY_MOUSE, BY_DRAG], ids=["mouse", "drag"])
@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("Drag Ann to the 3rd position.", "Bob,Cleo,Ann,Dan"),
        ("Move Dan to the top.", "Dan,Ann,Bob,Cleo"),
        ("Drag Ann to the bottom of the list", "Bob,Cleo,Dan,Ann"),
        ("Move Bob to position 4", "Ann,Cleo,Dan,Bob"),
        ("Drag Cleo up by one position.", "Ann,Cleo,Bob,Dan"),
        ("Move Ann down two places", "Bob,Cleo,Ann,Dan"),
        ("Drag Dan above Bob", "Ann,Dan,Bob,Cleo"),
        ("Move Ann below Cleo.", "Bob,Cleo,Ann,Dan"),
    ],
)
async def test_an_item_is_dragged_to_its_place(carry: Carry, script: str, task: str, said: str) -> None:
    report, says = await carry(listed("Ann", "Bob", "Cleo", "Dan") + script, task)
    assert (report.failed, says) == ((), said)


@pytest.mark.parametrize("script", [BY_MOUSE, BY_DRAG], ids=["mouse", "drag"])
@pytest.mark.parametrize(
    ("names", "task", "said"),
    [
        (("38", "-65", "63", "9"), "Sort the numbers in increasing order.", "-65,9,38,63"),
        (("38", "-65", "63", "9"), "Sort the list in descending order", "63,38,9,-65"),
        (("Dan", "Cleo", "Ann"), "Sort the names alphabetically.", "Ann,Cleo,Dan"),
    ],
)
async def test_a_list_is_sorted_by_dragging(
    carry: Carry, script: str, names: tuple[str, ...], task: str, said: str
) -> None:
    report, says = await carry(listed(*names) + script, task)
    assert (report.failed, says) == ((), said)


@pytest.mark.parametrize(
    "task",
    ["Drag Ann to the 9th position.", "Move Ann up by one", "Move Eve to the top", "Move Ann up by many",
     "Drag Ann above Eve"],
)  # fmt: skip
async def test_a_place_that_is_not_there_is_not_guessed(carry: Carry, task: str) -> None:
    report, _ = await carry(listed("Ann", "Bob", "Cleo") + BY_MOUSE, task)
    assert not report.ok and report.moves == ()


async def test_a_list_that_does_not_let_itself_be_dragged_is_not_called_done(carry: Carry) -> None:
    report, _ = await carry(listed("Ann", "Bob", "Cleo"), "Move Cleo to the top.")
    assert not report.ok and len(report.moves) == 3
