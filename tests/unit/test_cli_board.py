"""The board, the plain lines and the tree, at every width."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from ddax.cli.board import Board, cost_words, plain_line, score_words
from ddax.cli.tree import instruments, picture, visible

TOP = [{"id": "0.1", "total": 0.62, "alignment": 0.2, "value": 0.31, "exploration": 0.11, "tabu": 0.0}]


def event(node: str, step: int, **data: object) -> dict[str, object]:
    return {"type": "node", "node": node, "step": step, "data": data}


ROOT = {"id": "0", "parent": "", "title": "What is it?", "status": "open", "kind": "inner"}
SEARCH = {"id": "0.1", "parent": "0", "title": "Search", "status": "open", "Q": 0.0, "N": 0}
VISIT = {"id": "0.2", "parent": "0", "title": "[red]Visit[/red]\x1b[2J", "status": "open"}
EVENTS = [
    event("open_task", 0, ideas=[ROOT]),
    event("expand", 1, ideas=[SEARCH, VISIT]),
    event("select", 2, decision={"next": "act", "focus": ["0.1"], "top": TOP}),
    event("act", 2, ideas=[{"id": "0.1", "status": "done", "N": 1, "Q": 0.5}], usage={"model_calls": 0}),
    event("rigidity", 2, mind={"rho": 0.42, "epsilon": 0.8}),
    event("metacognition", 2, mood={"action": "EXPLORE", "belief": [1]}),
    event("act", 3, ideas=[{"id": "0.2", "status": "failed", "reason": "timeout"}]),
]


def board_of(events=EVENTS) -> Board:
    board = Board()
    for event in events:
        board.apply(event)
    return board


def drawn(board: Board, width: int, **how) -> list[str]:
    stream = io.StringIO()
    console = Console(file=stream, width=width, no_color=True, highlight=False)
    console.print(picture(board, width=width, **how))
    return stream.getvalue().rstrip("\n").split("\n")


def test_the_board_puts_events_together():
    board = board_of()
    assert board.ideas["0.1"]["title"] == "Search"
    assert board.ideas["0.1"]["status"] == "done"
    assert (board.step, board.node, board.focus) == (3, "act", frozenset({"0.1"}))
    assert board.counts() == "3 ideas, 2 final"


def test_usage_adds_up_and_an_unknown_price_stays_unknown():
    board = Board()
    for usage in ({"usd": 0.1, "tokens": 5}, {"usd": None, "tokens": 5}, {"usd": 0.1}):
        board.apply({"type": "node", "node": "act", "step": 1, "data": {"usage": usage}})
    assert board.usage["tokens"] == 10
    assert board.usage["usd"] is None
    assert "price unknown" in cost_words({"usd": None, "model_calls": 2})
    assert cost_words({"usd": 0.0, "model_calls": 0}) == "no model"


@pytest.mark.parametrize("width", [20, 40, 80, 200])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_the_picture_fits_and_says_it_all(width: int, ascii_only: bool):
    lines = drawn(board_of(), width, ascii_only=ascii_only)
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    assert "\x1b" not in text
    assert "done Search" in text
    if width >= 40:
        for words in ("rigidity", "0.42", "mood EXPLORE", "no model", "[red]Visit[/red]", "failed"):
            assert words in text
    if width >= 80:
        assert "score 0.62 = align 0.20 +value 0.31 +explore 0.11 -tabu 0.00" in text
    if width == 40:
        assert "-tabu 0.00" in text
    if width >= 80:
        assert "timeout" in text
    if ascii_only:
        own = "\n".join(line for line in lines if not line.startswith(("├", "└")))
        assert own.replace("…", "").isascii()


def test_protect_is_said():
    board = Board(mind={"rho": 0.9, "protect": True})
    assert "protect" in instruments(board, width=80)[0].plain


def test_a_large_dag_shows_what_matters_and_counts_the_rest():
    board = Board()
    ideas = [{"id": "0", "parent": "", "title": "root", "status": "open"}]
    ideas += [{"id": f"0.{n}", "parent": "0", "title": f"idea {n}", "status": "done"} for n in range(1, 1000)]
    ideas[500]["status"] = "running"
    board.apply({"type": "node", "node": "act", "step": 1, "data": {"ideas": ideas}})
    assert visible(board, 10) >= {"0", "0.500", "0.999"}
    lines = drawn(board, 80, rows=10)
    assert len(lines) < 20
    assert any("990 more" in line for line in lines)
    assert len(drawn(board, 80)) > 1000


def test_every_event_is_one_plain_line():
    lines = [plain_line(event) for event in EVENTS]
    assert all("\n" not in line and "\x1b" not in line for line in lines)
    assert (
        lines[2] == "[2] select: next act 0.1; score 0.62 = align 0.20 +value 0.31 +explore 0.11 -tabu 0.00"
    )
    assert lines[3] == "[2] act: 0.1 done"
    assert lines[4] == "[2] rigidity: rigidity 0.42; surprise 0.80"
    assert lines[5] == "[2] metacognition: mood EXPLORE"
    assert lines[6] == "[3] act: 0.2 failed (timeout)"
    assert plain_line({"type": "note", "data": {"text": "a\nb"}}) == "[0] note: a b"


def test_no_score_no_words():
    assert score_words([]) == ""
