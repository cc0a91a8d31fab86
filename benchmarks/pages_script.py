"""A scripted model for the benchmark `pages`: it makes the moves of a person, by what it is shown.

The moves of each order stand in `data/pages_moves.yaml`, by role and name; the id of an element is looked up
in the page as the request tells it. What is not shown there is not done, and the order not claimed. Nothing
here remembers: the same request has the same reply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import yaml

from benchmarks.model_server import Body, Reply
from benchmarks.pages_site import FOLDER, read_pages
from ddax.reasoning import rote

MOVES = FOLDER.parent / "pages_moves.yaml"
DONE, SAYS = CLAIMS = ("The order was carried out.", "The page says:")
_NAMED = r'(?:(?P<role>\w+) "(?P<name>[^"]*)"|(?P<bare>\w+))(?: (?P<side>below|above) "(?P<near>[^"]*)")?'
_MOVE = re.compile(rf"(?P<verb>\w+) {_NAMED}(?: = (?P<value>.*))?")
_SEE = re.compile(r'see "(?P<words>[^"]*\b(?P<number>\d+))"')
_TELL = re.compile(r'tell (?P<what>.*?)(?: below "(?P<near>[^"]*)")?')
_OUTLINED = re.compile(r'\[(\w+)\] "[^"]*?(\d+)[^"]*"')
"""An end of a run of folded rows: its id, and the first number of its words."""
_AT = re.compile(r"go on at (\d+)")
_MADE = re.compile(r"move (\d+) of \d+:")


class Line(NamedTuple):
    """Something that stands in a view: its line, its id, its role (text for none), its name."""

    number: int
    id: str
    role: str
    name: str


@cache
def moves() -> Mapping[str, tuple[str, ...]]:
    """Return what is done at each look, by the words of an order."""
    rows = yaml.safe_load(MOVES.read_text("utf-8"))
    return {
        asked.order: tuple(looks)
        for page in read_pages()
        for asked, looks in zip(page.orders, rows[page.name], strict=True)
    }


def made_of(looks: Sequence[str]) -> list[str]:
    """Return the moves of an order one by one, without what only looks, tells or stops."""
    lines = (look for look in looks if not look.startswith(("see ", "tell ", "stop ")))
    return [move for look in lines for move in look.split(" ; ")]


def reply(body: Body) -> Reply:
    """Return the reply to a request; raises KeyError for an order that is not of the benchmark."""
    form = rote.request_of(body)
    answers = {"expand": _plan, "merge": _answer}
    return Reply(json.dumps(answers.get(form, rote.ANSWERS[form])(body), ensure_ascii=False), kind=form)


def _plan(body: Body) -> dict[str, Any]:
    """Make the moves of the next look, as far as what they name is shown."""
    shown, looks = rote.blocks(body), moves()[rote.task_of(body)]
    view = f"{shown['seen']}\n{_lines(shown.get('elements', ''))}"
    found = _AT.search(shown.get("idea", ""))
    at = int(found[1]) if found else 0
    while at < len(looks) and (see := _SEE.fullmatch(looks[at])):
        if f'"{see["words"]}"' not in view:
            return {"children": [*_scroll(view, see), *_later(looks, at)]}
        at += 1
    if at >= len(looks) or '"status": "failed"' in shown.get("findings", ""):
        return {"children": []}
    children = list(_moved(looks, at, view))
    return {"children": children + _later(looks, at + 1, len(children)) if children else []}


def _moved(looks: Sequence[str], at: int, view: str) -> Iterator[dict[str, Any]]:
    """Yield the moves of one look, one after the other; none where one of them names what is not shown."""
    if looks[at].startswith(("tell ", "stop ")):
        return
    said = looks[at].split(" ; ")
    calls = [_call(move, view) for move in said]
    before, whole = len(made_of(looks[:at])), len(made_of(looks))
    if None in calls:
        return
    for n, (move, call) in enumerate(zip(said, calls, strict=True)):
        args = [{"name": k, "value": v} for k, v in {**(call or {}), "turn": str(before + n)}.items()]
        action = {"name": "move", "args": args, "intent": "what the order names"}
        title = f"move {before + n + 1} of {whole}: {move}"
        yield _child(title, action, [n - 1] if n else [])


def _scroll(view: str, see: re.Match[str]) -> Iterator[dict[str, Any]]:
    """Yield the scroll to what of a folded page is nearest to the wanted row by its number."""
    wanted = int(see["number"])
    ends = [one for line in view.splitlines() if line.startswith("…") for one in _OUTLINED.findall(line)]
    if ends:
        id, _ = min(ends, key=lambda end: abs(int(end[1]) - wanted))
        args = [{"name": "target", "value": id}, {"name": "name", "value": "scroll"}]
        yield _child(see[0], {"name": "move", "args": args, "intent": "the row"})


def _child(title: str, action: Mapping[str, Any] | None, needs: Sequence[int] = ()) -> dict[str, Any]:
    return {
        "title": title, "expected": "The page shows it.", "prior": 0.9, "action": action,
        "needs": list(needs),
    }  # fmt: skip


def _later(looks: Sequence[str], at: int, after: int = 1) -> list[dict[str, Any]]:
    """Return the child that goes on with the order, where there is more to do than to tell."""
    if at < len(looks) and not looks[at].startswith("tell "):
        return [_child(f"go on at {at}", None, [after - 1])]
    return []


def _call(move: str, view: str) -> dict[str, str] | None:
    """Return the arguments of a move, with ids out of a view; None where it does not show them."""
    found = _MOVE.fullmatch(move)
    if found is None:
        raise ValueError(f'{move!r} is no move: VERB ROLE "NAME" [below "TEXT"] [= VALUE].')
    target, value = _id_of(found, view), found["value"] or ""
    if found["verb"] == "drag":
        onto = re.fullmatch(_NAMED, value)
        value = _id_of(onto, view) if onto else value
    return {"target": target, "name": found["verb"], "value": value} if target and value is not None else None


def _id_of(named: re.Match[str], view: str) -> str | None:
    if named["bare"]:
        return str(named["bare"]) if f"[{named['bare']}]" in view else None
    wanted = (named["role"], named["name"])
    ids = {line.number: line.id for line in seen(view) if (line.role, line.name) == wanted}
    if not named["side"]:
        return next(iter(ids.values()), None)
    near = _place_of(named["near"], view)
    if near is None:
        return None
    if named["side"] == "below":
        return next((id for number, id in ids.items() if number > near), None)
    return next((id for number, id in reversed(ids.items()) if number < near), None)


def seen(view: str) -> Iterator[Line]:
    """Yield what a view has with an id."""
    for number, line in enumerate(_plain(view).splitlines()):
        if found := re.match(r'\s*\[(\w+)\] (?:(\w+) )?"([^"]*)"', line):
            yield Line(number, found[1], found[2] or "text", found[3])


def _place_of(words: str, view: str) -> int | None:
    lines = enumerate(_plain(view).splitlines())
    return next((number for number, line in lines if f'"{words}"' in line), None)


def _plain(text: str) -> str:
    return text.replace("’", "'")


def _lines(rows: str) -> str:
    """Return rows that are quoted as JSON as they are read."""
    return "\n".join(json.loads(row) for row in rows.splitlines())


def _answer(body: Body) -> dict[str, Any]:
    """Claim the order where each of its moves was made and what is to be told was read; else say no."""
    shown, looks = rote.blocks(body), moves()[rote.task_of(body)]
    rows = [json.loads(row) for row in shown.get("findings", "").splitlines()]
    told = _told(looks, shown)
    if told is None or not _all_made(looks, rows) or any(look.startswith("stop ") for look in looks):
        return {"quotes": [], "found": False, "answer": "", "short": ""}
    passage, quote, said = told
    quotes = [{"passage": passage, "quote": quote}]
    return {"quotes": quotes, "found": True, "answer": f"{said} [1]", "short": ""}


def _all_made(looks: Sequence[str], rows: Sequence[Mapping[str, str]]) -> bool:
    """Tell whether each move was made, or what went on with the order says that it was carried out."""
    done = [row for row in rows if row["status"] == "done"]
    made = {int(n) for row in done for n in _MADE.findall(row["title"])}
    went_on = any(_AT.fullmatch(row["title"]) and row["result"].startswith(CLAIMS) for row in done)
    return went_on or made == set(range(1, len(made_of(looks)) + 1))


def _told(looks: Sequence[str], shown: Mapping[str, str]) -> tuple[str, str, str] | None:
    """Return a passage, a line of it and what is said; None where what is to be told stands nowhere."""
    pages = {name: text.partition("\n")[2] for name, text in shown.items() if re.fullmatch(r"P\d+", name)}
    tell = next((found for look in looks if (found := _TELL.fullmatch(look))), None)
    for name, text in reversed(pages.items()):
        lines = text.splitlines()
        if tell is None:
            return name, lines[0].strip(), DONE
        start = _place_of(tell["near"], text) if tell["near"] else -1
        if start is None:
            continue
        for line in lines[start + 1 :]:
            if found := re.search(tell["what"], line):
                return name, line.strip(), f"{SAYS} {found[0]}"
    return None
