"""The policy: order by order, find, act, look what came of it, and try the next best where nothing did."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ddax.environments.browser.seen import Node, PageSeen
from ddax.environments.pilot.consent import least
from ddax.environments.pilot.match import Embed, Matcher
from ddax.environments.pilot.orders import Order, read_orders
from ddax.environments.pilot.telling import QUOTED, told
from ddax.environments.protocol import Environment, Move
from ddax.errors import ActionError

MAX_MOVES = 60
HARMLESS = frozenset({
    "no_such_move", "covered", "hidden", "read_only", "bad_value", "no_such_option", "page_failed", "timeout",
})  # fmt: skip
"""Ways a move may fail after which another one can be tried."""
Came: TypeAlias = Literal["refused", "unchanged", "changed"]
"""What came of a move: it was not made, nothing is seen of it, something is."""
ANSWERED = 5
"""Questions in a row that a page may ask and get an answer to."""
TOLD = frozenset({"alert", "status", "text", "paragraph", "label", "listitem", "heading"})
MOST_TOLD = 160
"""Roles of what a page says, and characters of a sentence by which it refuses something at most."""
_NO = re.compile(
    r"\b(?:no|not|never|cancel|dismiss|abort|decline|reject|refuse|deny|without)\b|n['’]t\b", re.IGNORECASE
)
_YES = re.compile(r"\b(?:confirm|accept|agree|yes|ok|okay)\b(?!\.\w)", re.IGNORECASE)
"""Words by which a task says no to something, and yes."""
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
_NOTHING = re.compile(
    r"\bno (?:\w+ ){0,2}(?:(?:is|are) required|errors?)\b"
    r"|\b(?:can ?not|can['’]t) be (?:undone|reversed|reverted|restored|recovered|taken back)\b",
    re.IGNORECASE,
)
"""Words by which it says that nothing is wrong, or warns of what it asks about."""
REFUSED = "refused:"
"""How a note of what a browser did not let happen begins."""


def _cut(text: str, most: int) -> str:
    return text[:most]


class OutOfMoves(Exception):
    """Say that the moves a task may take are used up."""


class Over(Exception):
    """Say that the world has ended."""


@dataclass(frozen=True)
class Report:
    """What a policy did: its moves, the orders it could not carry out, the last page.

    `notes` are what the page did by itself: what it said in an alert, files it sent, questions it asked.
    """

    moves: tuple[Move, ...]
    failed: tuple[str, ...]
    seen: PageSeen
    notes: tuple[str, ...] = ()
    settled: bool = False
    """Whether something that was asked for was so already."""
    mend: str = ""
    """How what failed can be said so that it is understood; empty where that is not known."""
    did: tuple[str, ...] = ()
    """The moves after which the page may not be as it was, in words and without what was written."""

    @property
    def ok(self) -> bool:
        """Whether every order was carried out, as far as the page showed."""
        return not self.failed


@dataclass
class Pilot:
    """Carries out a task in a browser world, from where it stands.

    `embed` breaks ties by meaning; without it words alone count. `cut` shortens what is told, at a place
    where no secret stands. A pilot is used for one task.
    """

    world: Environment
    embed: Embed | None = None
    max_moves: int = MAX_MOVES
    cut: Callable[[str, int], str] = _cut
    moves: list[Move] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    orders: list[Order] = field(default_factory=list)
    place: int = 0
    """How many orders were begun."""
    task: str = ""
    clip: str = ""
    """What was copied."""
    origin: str = ""
    """The id of the field it was copied from; empty where it was a text."""
    focus: Node | None = None
    """What the last order was about, for "it" and "their"."""
    ruled_out: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    settled: bool = False
    agreed: bool = False
    """Whether the last order said yes to what the page asked because of it."""
    mend: str = ""
    did: list[str] = field(default_factory=list)
    uncovered_by: set[str] = field(default_factory=set)
    """What was pressed because a box about cookies lay over what was meant; nothing is pressed so twice."""
    kept_from: str = ""
    """What kept the last refused move from being made, where that is something on the page."""
    _seen: PageSeen | None = None
    _before: PageSeen | None = None

    @property
    def before_last(self) -> PageSeen:
        """Return the page as it was before the last move."""
        return self._before or self.seen

    @property
    def seen(self) -> PageSeen:
        """Return the page as it was last seen."""
        if self._seen is None:
            raise ActionError("nothing has been looked at yet.", kind="not_started")
        return self._seen

    @property
    def match(self) -> Matcher:
        """Return a matcher over the page as it is."""
        return Matcher(self.seen, self.embed)

    @property
    def behind(self) -> list[Order]:
        """Return the orders behind the one that is carried out, in whatever words that is carried out."""
        return self.orders[self.place :]

    async def run(self, task: str, carry_out: Callable[[Pilot], Awaitable[None]]) -> Report:
        """Do what `carry_out` makes of a task; raises ActionError where the world itself fails."""
        self.task, self.orders = task, read_orders(task)
        self._take(await self.world.observe())
        try:
            await self._answer(begun=False)
            await carry_out(self)
        except OutOfMoves:
            self.failed.append(f"not done within {self.max_moves} moves")
        except Over:
            pass
        return Report(
            tuple(self.moves), tuple(self.failed), self.seen, tuple(self.notes), self.settled, self.mend,
            tuple(self.did),
        )  # fmt: skip

    async def do(self, name: str, target: str = "", value: str = "") -> Came:
        """Make a move and say what came of it; raises Over at the end of the world."""
        if len(self.moves) >= self.max_moves:
            raise OutOfMoves
        move, before = Move(name, target, value), self.seen
        self.moves.append(move)
        self._before = before
        try:
            self._take(await self.world.act(move))
        except ActionError as error:
            if error.kind == "world_ended":
                raise Over from error
            if error.kind not in HARMLESS:
                raise
            self.kept_from = error.why if error.kind == "covered" else ""
            self._take(await self.world.observe())
            if self.kept_from and await self._uncovered():
                return await self.do(name, target, value)
            return "refused"
        self.kept_from = ""
        self.did += filter(None, [told(move, before)])
        if name in ("click", "press", "drag"):
            self._fail_by(note for note in self.seen.notes if note.startswith(REFUSED))
        await self._answer()
        if self.seen.done:
            raise Over
        if name == "click":
            self._fail_by(held_back(before, self.seen, target) or said_no(before, self.seen, target))
        return "unchanged" if shows(self.seen) == shows(before) else "changed"

    async def _uncovered(self) -> bool:
        """Press what keeps the least in a box about cookies that lies over what is meant, and say so."""
        choice, why = least(self.seen), self.kept_from
        if choice is None or choice.id in self.uncovered_by:
            return False
        self.uncovered_by.add(choice.id)
        if await self.do("click", choice.id) != "changed":
            self.kept_from = why
            return False
        self.notes.append(
            f"something lay over the page: “{self.cut(choice.name, 60)}” was pressed in its box about cookies"
        )
        return True

    async def _answer(self, *, begun: bool = True) -> None:
        """Answer what the page asks: it is accepted where the orders say so, and the task no to nothing.

        A browser that only reads dismisses it: a site asks before it changes something, also by a GET.
        """
        for _ in range(ANSWERED):
            if not self.seen.dialog:
                return
            asked, accepts = f"the page asked “{self.cut(self.seen.dialog, 120)}”", False
            if self.world.effect == "reads":
                self._fail_by([f"{REFUSED} {asked}, and to accept it needs --browser-writes"])
            elif begun and (word := refuses(self.task)):
                self._fail_by([f"{asked}, which was dismissed: the task says “{word}”"])
            elif self.seen.prompts and begun:
                self._fail_by([f"{asked}, and no order says what to answer"])
            elif begun and not self._agrees():
                self.misread(f"{asked}, which was dismissed", "Say what to answer, as “… and confirm”")
            else:
                self.agreed |= begun
                accepts = begun
                self.notes.append(f"{asked}, which was {'accepted' if begun else 'dismissed'}")
            self._take(await self.world.act(Move("accept" if accepts else "dismiss", "dialog")))
        if self.seen.dialog:
            self._fail_by(["the page goes on asking"])

    def _agrees(self) -> bool:
        """Tell whether the order in hand, or one behind it, says yes outside of its quotes."""
        left = self.orders[max(0, self.place - 1) :] or self.orders
        return any(_YES.search(f"{one.word} {one.outside}") for one in left)

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
        self._fail_by([seen.trouble] if seen.trouble else [])

    def _fail_by(self, reasons: Iterable[str]) -> None:
        self.failed += [reason for reason in reasons if reason not in self.failed]

    def nodes(self, roles: Iterable[str]) -> list[Node]:
        """Return the usable elements of some roles, in the order of the page."""
        wanted = frozenset(roles)
        return [n for n in self.seen.nodes if n.role in wanted and "disabled" not in n.state]

    def fail(self, order: Order) -> None:
        """Note an order that could not be carried out."""
        if self.kept_from:
            boxes = [n.name for n in self.seen.nodes if n.role in ("dialog", "alertdialog") and n.name]
            over = f"“{self.cut(boxes[-1], 60)}” lies over it." if boxes else self.kept_from
            self.misread(f"it could not be pressed: {over.rstrip('.')}", "Say first what is to be closed")
        self.failed.append(self._spelled(order))

    def unclear(self, nodes: Iterable[Node]) -> None:
        """Note that an order does not say which of several elements it means."""
        names = [f"“{node.name or node.before or f'a {node.role} without a name'}”" for node in nodes]
        self._fail_by([f"it is not said which one is meant of {self.cut(', '.join(names), 200)}"])

    def misread(self, reason: str, mend: str) -> None:
        """Note why an order is not carried out as it is said, and how it can be said instead."""
        self._fail_by([reason])
        self.mend = self.mend or mend

    def leave(self, orders: Iterable[Order]) -> None:
        """Note the orders behind one that could not be carried out: a form half filled is not sent."""
        self.failed += [f"and so neither “{self._spelled(order)}”" for order in orders]

    def _spelled(self, order: Order) -> str:
        return self.cut(f"{order.word} {order.text}".strip(), 120)


def refuses(task: str) -> str:
    """Return the word by which a task says no to something, outside of its quotes; "" where it says none."""
    said = _NO.search(QUOTED.sub(" ", task))
    return said[0] if said else ""


def leads(node: Node, url: str) -> bool:
    """Tell whether an element is a link that goes to another page than the one of an address."""
    there = node.href.split("#")[0]
    return bool(there) and not there.startswith("javascript:") and there != url.split("#")[0]


def shows(seen: PageSeen) -> tuple[object, ...]:
    """Return what tells two looks at a page apart; not where the focus is, which each press moves."""
    nodes = [(n.id, n.name, n.own, n.value, n.hints, n.state - {"focused"}) for n in seen.nodes]
    return seen.url, seen.text.replace(" (focused)", ""), nodes


def _acts(node: Node, url: str) -> bool:
    """Tell whether an element does something on its page: a button, also one that is a box or a link."""
    return node.role in ("button", "clickable") or (node.role == "link" and not leads(node, url))


def held_back(before: PageSeen, after: PageSeen, target: str) -> list[str]:
    """Say which field keeps the browser from sending a form whose button was pressed; nothing if it went."""
    node = before.node(target)
    if node is None or not node.submits or before.url != after.url:
        return []
    return [
        f"the browser did not send the form: it does not take what stands in “{field.name or field.before}”"
        for field in after.nodes
        if {"invalid", "focused"} <= field.state
    ]


def said_no(before: PageSeen, after: PageSeen, target: str) -> list[str]:
    """Return what a page newly says against a press, where it left the button and showed no new field.

    A page that came anew has its button and fields again under the same names.
    """
    pressed = before.node(target)
    known, now = ({(n.role, n.name or n.before) for n in seen.nodes} for seen in (before, after))
    fields = any(role in ("textbox", "spinbutton", "combobox") for role, _ in now - known)
    if pressed is None or not _acts(pressed, before.url) or fields:
        return []
    if (pressed.role, pressed.name or pressed.before) not in now:
        return []
    said = {node.own or node.name for node in before.nodes}
    new = [(node.role, node.own or node.name) for node in after.nodes if (node.own or node.name) not in said]
    short = [text for role, text in new if role in TOLD and len(text) <= MOST_TOLD]
    told = [text for text in short if _AGAINST.search(_NOTHING.sub("", text))]
    return [f"the page answered “{told[0]}”"] if told else []


Skill = Callable[[Pilot, Order], Awaitable[bool]]
"""Carry out one order and say whether that was possible."""
