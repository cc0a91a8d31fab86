"""What an action keeps of a page, and where its first part stands."""

from __future__ import annotations

from typing import Any

import pytest

from ddax.actions.pages import page_records
from ddax.actions.protocol import ActionContext
from ddax.nodes.gather import as_passage
from ddax.types import Document

LINE = "The pier was built by Jan Orr in 1902. "


@pytest.mark.parametrize("front", ["", "\n\n\n"])
def test_white_space_at_the_front_of_a_page_takes_no_opening_from_it(front: str) -> None:
    nobody: Any = None
    context = ActionContext(
        nobody, nobody, task="t", task_text="Who built it?", idea="0.1", step=1, now=1.0, key="k"
    )
    text = front + LINE * 40
    first, *others = [as_passage(row, 1.0) for row in page_records(context, Document("d", "d", "d", text))]
    assert others and (first.start, first.opens) == (len(front), True)
    assert not any(passage.opens for passage in others)
    assert all(text[p.start : p.end] == p.text for p in (first, *others))
