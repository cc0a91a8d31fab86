"""The loop: look, act, look, check, frame by frame; one that cannot be met ends the task with its reason."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ddax.environments.browser.seen import Node, PageSeen
from ddax.environments.pilot.finding.match import FIELDS, label, names
from ddax.environments.pilot.finding.relations import Page
from ddax.environments.pilot.finding.values import same_value
from ddax.environments.pilot.orders.frames import Act, Frame, Reading
from ddax.environments.pilot.orders.grammar import read_task
from ddax.environments.pilot.orders.verbs import VERB
from ddax.environments.pilot.telling import told
from ddax.environments.pilot.words import Word, key, keys
from ddax.environments.protocol import Environment, Move
from ddax.errors import ActionError

MAX_MOVES = 120
HARMLESS = frozenset({
    "no_such_move", "covered", "hidden", "read_only", "bad_value", "no_such_option", "page_failed", "timeout",
    "no_such_file",
})  # fmt: skip
"""Ways a move may fail that leave the page to be looked at."""
REFUSED = "refused:"
"""How a note of what a browser did not let happen begins."""
MOST_TOLD = 160
MOST_ASKED = 5
"""Questions in a row that are dismissed."""
_LEFT = frozenset({"textbox", "searchbox", "spinbutton", "combobox"})
_OFFERED = frozenset({"option", "link", "button", "menuitem", "clickable", "listitem"})
"""What a page may offer while one writes."""
_FINE = re.compile(r"\bno (?:\w+ ){0,2}(?:errors?|action) [^.]{0,30}", re.IGNORECASE)
"""What sounds like a refusal and is none: “No further action is required”."""
_LEAVES = re.compile(r"\b(?:except|but|other than|without|or|unless|if|instead of)\b", re.IGNORECASE)
PLACED = frozenset({"press", "deed", "tick"})
"""Acts on a thing that an order before may have told the place of, as “Find Bob and click Delete”."""
_AGAINST = re.compile(
    r"\b(?:invalid|incorrect|wrong|error|failed|denied|expired"
    r"|(?:is|are|was) not (?:an? )?(?:valid|allowed|available|correct)"
    r"|(?:(?:could|can|do|does|did) ?not|(?:could|ca|do|does|did)n['’]t) "
    r"(?:match|be|exist|find|sign|log|save|send|delete|remove|add|update)|is required"
    r"|not found|too (?:short|long)|at least \d+ |must (?:be|have|contain|match|accept|agree|choose|select)"
    r"|already (?:exists|taken|in use)|try again"
    r"|(?:no \w+(?: \w+)?|nothing) (?:(?:is|are|was|were) )?selected"
    r"|please (?:enter|choose|select|fill|provide|accept|agree|check))\b",
    re.IGNORECASE,
)
"""Words by which a page says that it did not take what it was given."""


class NotDone(Exception):
    """Say why a frame could not be met, and how it could be said instead."""

    def __init__(self, reason: str, mend: str = "") -> None:
        super().__init__(reason)
        self.reason, self.mend = reason, mend


class Over(Exception):
    """Say that the world has ended."""


def _cut(text: str, most: int) -> str:
    return text[:most]


@dataclass(frozen=True)
class Report:
    """What was done: the moves, what could not be met and why, what was to be told, the last page.

    `notes` are what the page did by itself; `settled` says that something was so already; `did` are the moves
    in words, without what was written.
    """

    moves: tuple[Move, ...]
    failed: tuple[str, ...]
    seen: PageSeen
    notes: tuple[str, ...] = ()
    settled: bool = False
    mend: str = ""
    did: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every frame was met, as far as the page shows."""
        return not self.failed


Driver = Callable[["Pilot", Frame], Awaitable[None]]
"""Carry out one frame; raises NotDone where that is not possible or cannot be seen."""


@dataclass
class Pilot:
    """Carries out one task in a browser world, from where it stands; `drivers` do the frames."""

    world: Environment
    drivers: Mapping[Act, Driver]
    cut: Callable[[str, int], str] = _cut
    moves: list[Move] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    did: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    behind: tuple[Frame, ...] = ()
    """The frames behind the one that is carried out."""
    settled: bool = False
    seeking: bool = False
    """Whether what is folded away may be opened to look for what is meant, as the order says."""
    mend: str = ""
    field_id: str = ""
    """The field that was written into last."""
    kept: str = ""
    """What was read from the page last, for an order behind that says “it”."""
    known: frozenset[str] = frozenset()
    """What the page said before the last move, to tell what is new."""
    told: int = 0
    """How many notes there were before the last move."""
    asked: str = ""
    """The last question of the page that was answered."""
    _seen: PageSeen | None = None
    _page: Page | None = None

    @property
    def seen(self) -> PageSeen:
        """Return the page as it was last seen."""
        if self._seen is None:
            raise ActionError("nothing has been looked at yet.", kind="not_started")
        return self._seen

    @property
    def page(self) -> Page:
        """Return the page with what holds what."""
        if self._page is None or self._page.seen is not self.seen:
            self._page = Page(self.seen)
        return self._page

    async def run(self, task: str) -> Report:
        """Do a task; raises ActionError where the world itself fails."""
        reading = read_task(task)
        self._take(await self.world.observe())
        if unread := reading.unread or self._unknown(reading.frames):
            self.failed.append(f"“{self.cut(unread, 120)}” was not understood")
            reading = Reading()
        try:
            if self.seen.dialog:
                await self._dismiss()
            await self._all(reading.frames)
        except NotDone as why:  # the page asked before anything was done
            self.failed.append(why.reason)
        except Over:
            pass
        return Report(
            tuple(self.moves), tuple(self.failed), self.seen, tuple(self.notes), self.settled, self.mend,
            tuple(self.did), tuple(self.answers),
        )  # fmt: skip

    def _unknown(self, frames: Sequence[Frame]) -> str:
        """Return the first of several orders whose verb is none, and names nothing on the page."""
        there = {word for node in self.seen.nodes for name in names(node) for word in keys(name)}
        odd = (one for one in frames if one.act == "deed" and one.verb and not VERB.fullmatch(one.verb))
        return next((one.said for one in odd if key(one.verb) not in there), "") if len(frames) > 1 else ""

    async def _all(self, frames: Sequence[Frame]) -> None:
        """Carry out frames until one cannot be met; what is only found says where the next one is meant."""
        where: tuple[Word, ...] = ()
        for at, frame in enumerate(frames):
            self.behind = tuple(frames[at + 1 :])
            if where:
                frame, where = replace(frame, words=(*frame.words, Word("within", "within"), *where)), ()
            made = len(self.moves)
            try:
                await self._frame(frame)
            except NotDone as why:
                if (
                    frame.verb != "find"
                    or not self.behind
                    or self.behind[0].act not in PLACED
                    or (not self._says(frame) and any(move.name != "hover" for move in self.moves[made:]))
                ):
                    self._fail(frame, why)
                    return
                where = self._place(frame.words)
        if frames and not self.failed:
            await self._last(frames[-1])

    def _says(self, frame: Frame) -> bool:
        """Tell whether the page speaks of what was to be found."""
        found = tuple(word.key for word in self._place(frame.words) if word.is_solid)
        return bool(found) and bool(self.page.saying(found))

    def _place(self, words: Sequence[Word]) -> tuple[Word, ...]:
        """Return what was found without the place it was to be in, where the page does not speak of that."""
        at = next(
            (n for n, word in enumerate(words) if n and word.group < 0 and word.key == "in"), len(words)
        )
        behind = tuple(word.key for word in words[at + 1 :] if not word.is_stop)
        return tuple(words if behind and self.page.saying(behind) else words[:at])

    async def _last(self, frame: Frame) -> None:
        try:
            await self._leave_field()
        except NotDone as why:
            self._fail(frame, why)

    async def _leave_field(self) -> None:
        """Take the focus from the field written last: many pages take a value, check or save it only then.

        Not where it offers something that would go away with it.
        """
        last = self.moves[-1] if self.moves else None
        there = self.node(last.target) if last is not None and last.name == "type" else None
        if there is None or "focused" not in there.state or there.role not in _LEFT:
            return
        if any(node.role in _OFFERED for node in self.fresh()):
            return
        await self.do("leave", there.id)
        now = self.node(there.id)
        if now is not None and now.type != "password" and not same_value(there.value, now.value):
            raise NotDone(f"“{label(there)}” does not hold what was written once it was left")

    async def _frame(self, frame: Frame) -> None:
        if frame.act in ("tell", "read"):
            await self._leave_field()
        await self.drivers[frame.act](self, frame)
        if self.seen.trouble and self.seen.trouble not in self.failed:
            self.failed.append(self.seen.trouble)

    def _fail(self, frame: Frame, why: NotDone) -> None:
        if word := leaves_out(frame):
            why = NotDone(f"“{word}” is not understood", f"Name what is meant, without “{word}”")
        self.failed.append(f"{self.cut(frame.said, 120)}: {why.reason}")
        self.mend = why.mend
        self.failed += [f"and so neither “{self.cut(one.said, 80)}”" for one in self.behind]

    async def do(self, name: str, target: str = "", value: str = "") -> bool:
        """Make a move; tells whether the page shows a change. Raises NotDone where it was not made."""
        if len(self.moves) >= MAX_MOVES:
            raise NotDone(f"not done within {MAX_MOVES} moves")
        move, before = Move(name, target, value), self.seen
        self.moves.append(move)
        if name not in ("hover", "leave", "scroll"):
            self.known, self.told = frozenset(_said(node) for node in before.nodes), len(self.notes)
        try:
            self._take(await self.world.act(move))
        except ActionError as error:
            if error.kind == "world_ended":
                raise Over from error
            if error.kind not in HARMLESS:
                raise
            self._take(await self.world.observe())
            raise NotDone(
                f"{error.what.rstrip('.')}{f': {error.why}' if error.why else ''}".rstrip("."), error.mend
            ) from error
        self.did += filter(None, [told(move, before)])
        await self._after(move, before)
        return shows(self.seen) != shows(before)

    async def _after(self, move: Move, before: PageSeen) -> None:
        """See what the page asks, refuses or says against a move."""
        held = [note for note in self.seen.notes if note.startswith(REFUSED)]
        if held and move.name in ("click", "press", "drag"):
            raise NotDone(held[0])
        if self.seen.dialog and not self._answered_next():
            await self._dismiss(fail=True)
        if self.seen.done:
            raise Over
        if move.name == "click" and (said := held_back(before, self.seen, move.target)):
            raise NotDone(said)
        heard = move.name == "click" and not any(frame.act == "tell" for frame in self.behind)
        if said := said_no(before, self.seen, move.target) if heard else "":
            raise NotDone(f"the page answered “{said}”")

    def _answered_next(self) -> bool:
        """Tell whether the next frame answers what the page asks."""
        following = self.following
        return following is not None and (
            following.act in ("dialog", "press") or (self.seen.prompts and following.act in ("write", "deed"))
        )

    async def _dismiss(self, *, fail: bool = False) -> None:
        """Dismiss what the page asks; fails where an order has led to it and does not answer it."""
        asked = f"the page asked “{self.cut(self.seen.dialog, 120)}”, which was dismissed"
        for _ in range(MOST_ASKED):
            await self._answer(False, "")
            if not self.seen.dialog:
                break
        else:
            raise NotDone("the page goes on asking")
        if fail:
            raise NotDone(f"{asked}: the order does not say what to answer", "Say it, as “… and confirm”")
        self.notes.append(asked)

    async def answer(self, accept: bool, text: str) -> None:
        """Answer the question of the page; another one behind it has to be answered by the order, too."""
        await self._answer(accept, text)
        if self.seen.dialog and not self._answered_next():
            await self._dismiss(fail=True)

    async def _answer(self, accept: bool, text: str) -> None:
        self.asked = self.seen.dialog
        if accept and self.world.effect == "reads":
            await self._dismiss()
            raise NotDone(
                f"{REFUSED} the page asked “{self.cut(self.asked, 120)}”,"
                " and to accept it needs --browser-writes"
            )
        self.known = frozenset()
        move = Move("accept" if accept else "dismiss", "dialog", text)
        self.moves.append(move)
        self._take(await self.world.act(move))
        if self.seen.done:
            raise Over

    async def look(self) -> None:
        """Look again without a move."""
        self._take(await self.world.observe())
        if self.seen.done:
            raise Over

    def _take(self, seen: object) -> None:
        if not isinstance(seen, PageSeen):
            raise ActionError("this policy needs a browser world.", kind="bad_arguments")
        self._seen = seen
        self.notes += [note for note in seen.notes if note not in self.notes]

    def node(self, id: str) -> Node | None:
        """Return an element as it is now."""
        return self.page.by_id.get(id)

    @property
    def following(self) -> Frame | None:
        """The frame behind the one that is carried out."""
        return self.behind[0] if self.behind else None

    def named(self, nodes: Sequence[Node], most: int = 6) -> str:
        """Return what some elements are called, to tell what there is."""
        found = list(
            dict.fromkeys(f"“{self.cut(label(node), 40)}”" for node in nodes if label(node) != node.role)
        )
        return ", ".join(found[:most])

    def fresh(self) -> list[Node]:
        """Return what the page says that it did not say before the last move."""
        return [node for node in self.seen.nodes if _said(node) not in self.known]


def _said(node: Node) -> str:
    return f"{node.role} {node.text} {node.value}"


def leaves_out(frame: Frame) -> str:
    """Return the word by which an order leaves something out or open: such an order is not guessed at."""
    said = " ".join(word.text for word in frame.words if word.group < 0)
    found = _LEAVES.search(f"{frame.verb} {said}")
    return found[0] if found else ""


def shows(seen: PageSeen) -> tuple[object, ...]:
    """Return what tells two looks at a page apart; not where the focus is."""
    return seen.url, [(n.id, n.name, n.own, n.value, n.hints, n.state - {"focused"}) for n in seen.nodes]


def held_back(before: PageSeen, after: PageSeen, target: str) -> str:
    """Say which field keeps the browser from sending a form whose button was pressed; "" if it went."""
    node = before.node(target)
    if node is None or not node.submits or before.url != after.url:
        return ""
    stuck = [label(field) for field in after.nodes if {"invalid", "focused"} <= field.state][:1]
    return "".join(
        f"the browser did not send the form: it does not take what stands in “{one}”" for one in stuck
    )


def said_no(before: PageSeen, after: PageSeen, target: str) -> str:
    """Return what a page newly says against a press that left its button there; "" for nothing."""
    pressed, was = before.node(target), {(node.role, label(node)) for node in before.nodes}
    now = {(node.role, node.name) for node in after.nodes}
    if (
        pressed is None
        or pressed.role not in ("button", "clickable")
        or (pressed.role, pressed.name) not in now
    ):
        return ""
    if any((node.role, label(node)) not in was for node in after.nodes if node.role in FIELDS):
        return ""  # a new step of a form says what it wants, and refuses nothing
    known = {node.text for node in before.nodes}
    new = [node.text for node in after.nodes if node.role in TOLD and (node.text) not in known]
    return next((text for text in new if len(text) <= MOST_TOLD and _AGAINST.search(_FINE.sub("", text))), "")


TOLD = frozenset({"alert", "status", "text", "paragraph", "label", "listitem"})
