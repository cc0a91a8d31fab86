"""What is seen of a page: names of boxes, ids of cells, files, and long pages in few words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ddax.environments.browser.seen import Node, PageSeen
from ddax.environments.protocol import Move
from ddax.errors import ActionError
from tests.integration.browser_site import Open, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
ROWS = "".join(
    f"<tr><td>Customer {n}<td>{n * 11}<td><button>Approve</button><button>Reject</button>"
    for n in range(1, 601)
)
"""A table of 600 rows with two buttons each."""


def named(seen: PageSeen, role: str) -> list[str]:
    return [node.name for node in seen.nodes if node.role == role]


def one(seen: PageSeen, name: str) -> Node:
    return next(node for node in seen.nodes if node.name == name and node.role != "label")


@pytest.mark.parametrize(
    "body",
    [
        "{i} Card<br>{i} Cash<br>{i} Bank",
        "<p>Card {i}</p><p>Cash {i}</p><p>Bank {i}</p>",
        "<div>{i}<span>Card</span></div><div>{i}<span>Cash</span></div><div>{i}<span>Bank</span></div>",
        "Card {i} Cash {i} Bank {i}",
    ],
    ids=["text behind", "text before, a line each", "a box each", "text before, in one line"],
)
async def test_a_box_without_a_label_is_called_by_its_text(opened: Open, body: str) -> None:
    _, seen = await opened(body.format(i="<input type=radio name=p>"))
    assert named(seen, "radio") == ["Card", "Cash", "Bank"]
    assert '] radio "Cash"' in seen.text


async def test_every_cell_of_a_grid_has_an_id(opened: Open) -> None:
    row = "<tr><td tabindex=0>12 March<td tabindex=-1>Deposit<td>$5"
    _, seen = await opened(f"<table role=grid>{row}</table><table><tr><td>plain</table>")
    assert named(seen, "gridcell") == ["12 March", "Deposit", "$5"]
    assert {node.id for node in seen.nodes if node.role == "gridcell"} <= {one.id for one in seen.elements}


async def test_a_tree_item_is_called_without_what_it_holds(opened: Open) -> None:
    _, seen = await opened(
        "<ul role=tree><li role=treeitem aria-expanded=true>Reports"
        "<ul role=group><li role=treeitem>May</ul></ul>"
    )
    assert named(seen, "treeitem") == ["Reports", "May"]


async def test_a_long_table_is_an_outline_and_the_button_behind_it_is_there(opened: Open) -> None:
    world, seen = await opened(f"<h1>Accounts</h1><table>{ROWS}</table><button>Finish</button>")
    assert len(seen.text) < 6000 and 'button "Finish"' in seen.text
    assert "Customer 2" in seen.text and "scroll to one to see it" in seen.text
    ends = re.findall(r'from \[\w+\] "Customer (\d+)[^"]*" to \[\w+\] "Customer (\d+)', seen.text)
    assert any(int(first) <= 431 <= int(last) for first, last in ends)
    assert len(seen.elements) < 150
    far = one(seen, "Customer 431")
    after = await world.act(Move("scroll", far.parent))
    assert 'cell "Customer 431"' in after.text and 'button "Finish"' in after.text


async def test_the_words_of_an_element_without_a_name_are_shown(opened: Open) -> None:
    _, seen = await opened("<header>Free mooring on Sundays</header><footer>Closed in May</footer>")
    assert "Free mooring on Sundays" in seen.text and "Closed in May" in seen.text


async def test_a_short_page_is_shown_whole(opened: Open) -> None:
    _, seen = await opened("".join(f"<li>Entry {n}" for n in range(40)))
    assert "Entry 39" in seen.text and "more, from" not in seen.text


async def test_a_file_is_handed_over_from_its_folder_alone(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "up").mkdir()
    (tmp_path / "up" / "note.txt").write_text("A note.", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("Another.", encoding="utf-8")
    world, seen = await opened(
        "<label>Photo <input type=file style='display:none'></label>", uploads=tmp_path / "up"
    )
    field = one(seen, "Photo")
    assert field.role == "file"
    after = await world.act(Move("upload", field.id, "note.txt"))
    assert "note.txt" in one(after, "Photo").value
    for name in ("../secret.txt", str(tmp_path / "secret.txt"), "missing.txt"):
        with pytest.raises(ActionError) as refused:
            await world.act(Move("upload", field.id, name))
        assert refused.value.kind == "no_such_file"


async def test_no_file_is_handed_over_without_a_folder(opened: Open) -> None:
    world, seen = await opened("<input type=file title=Photo>")
    with pytest.raises(ActionError, match="files are not handed"):
        await world.act(Move("upload", one(seen, "Photo").id, "/etc/passwd"))
