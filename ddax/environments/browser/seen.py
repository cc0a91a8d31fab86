"""What is seen of a page: nodes with stable ids, and the same as text for a reader."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from ddax.environments.browser.options import BrowserOptions
from ddax.environments.protocol import Element, Observation
from ddax.types import JsonDict

MAX_TEXT = 20_000
"""Characters of a page that are shown."""
MAX_NAME, MAX_VALUE, MAX_BESIDE, MAX_ADDRESS, MAX_HINTS = 300, 2000, 80, 500, 200
"""Characters of an element that are shown: its name or text, its value, words beside it, addresses, hints."""
MAX_NOTE = 500
"""Characters that are told of one thing that happened."""
ACTED_ON = frozenset(
    """link button combobox textbox searchbox spinbutton checkbox radio slider summary file color tab
    menuitem menuitemcheckbox menuitemradio option switch treeitem gridcell listbox canvas shape icon
    clickable handle video audio""".split()  # noqa: SIM905
)
"""Roles that are there to be acted on; the others are there to be read."""
HTML_WORDS = ACTED_ON | frozenset(
    """input textarea select a form label text password email number date time month week tel url search
    submit reset hidden range paragraph heading image cell row table list listitem dialog""".split()  # noqa: SIM905
)
"""Roles, tags and types that are words of HTML and none of a page."""
REFUSING = 400
"""HTTP status from which an answer says that a request was not carried out."""
BROWSERS_OWN = "chrome-error:"
"""How the address begins of the page that Chromium shows where none came."""
UNENDED = "the page had not ended when it was read: there may be more of it."
"""The note of a page whose HTML was still coming."""
PAGE = "page"
"""The element that stands for the page as a whole: go back, scroll, wait, read it, be done."""
DIALOG = "dialog"
"""The element that stands for an open question of the page."""


class Box(NamedTuple):
    """A box without a role: its id, and that of the first box beside it that is alike, for all of a kind."""

    id: str
    kind: str


@dataclass(frozen=True)
class Node:
    """One shown element of a page.

    `sample` is what a field shows while it is empty, `before` and `after` are the words next to one, `own` is
    the text of an element without that of its children, `hints` are the words of its attributes, `box` is x,
    y, width and height in CSS pixels of the window. `whole` is what a field holds to the letter, empty where
    that is `value` or too long.
    """

    id: str
    role: str
    name: str = ""
    value: str = ""
    whole: str = ""
    parent: str = ""
    tag: str = ""
    type: str = ""
    own: str = ""
    sample: str = ""
    before: str = ""
    after: str = ""
    href: str = ""
    hints: str = ""
    options: tuple[str, ...] = ()
    bounds: tuple[str, ...] = ()
    """The least and the most number that it takes; empty where it names none."""
    state: frozenset[str] = frozenset()
    box: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    form: tuple[str, str, str] = ("", "", "")
    """The form it belongs to: its id, its method, its target."""
    paint: tuple[tuple[str, str], ...] = ()
    scrolls: tuple[int, int] = (0, 0)
    """How far it is scrolled and how far it can be, in pixels."""
    fetches: bool = False
    """Whether it is a link that brings a file and no page."""
    submits: bool = False
    drags: bool = False
    bold: bool = False
    boxes: tuple[Box, ...] = ()
    """What holds it below its parent and has no role, as the box of a card; the innermost first."""
    controls: str = ""
    """The id of what it opens or fills, as the list of a combobox."""

    @property
    def middle(self) -> tuple[float, float]:
        """Where its middle is, in pixels from the left and from the top."""
        return self.box[0] + self.box[2] / 2, self.box[1] + self.box[3] / 2

    @property
    def text(self) -> str:
        """What it shows: its own text, or its name where it has none."""
        return self.own or self.name

    def says(self) -> str:
        """Return the element in words: role, name, value and state."""
        parts = [self.role]
        label = self.name or self.before or self.after
        if label:
            parts.append(f'"{label}"')
        if self.value:
            parts.append(f'= "{self.value}"')
        if self.options:
            parts.append("of " + ", ".join(f'"{option}"' for option in self.options[:20]))
        parts += [f"({word})" for word in sorted(self.state)]
        return " ".join(parts)


@dataclass(frozen=True)
class PageSeen(Observation):
    """A page as it is seen: the protocol's text and elements, and the nodes behind them.

    `dialog` is the question it asks, `prompts` whether it wants words for an answer. `whole` says that it has
    no more elements than were looked at. `trouble` says why a page that came is not the one that was asked
    for; the first look at it alone says so.
    """

    url: str = ""
    title: str = ""
    nodes: tuple[Node, ...] = ()
    notes: tuple[str, ...] = ()
    dialog: str = ""
    prompts: bool = False
    whole: bool = True
    trouble: str = ""

    def node(self, id: str) -> Node | None:
        """Return a node by its id."""
        return next((node for node in self.nodes if node.id == id), None)


def node_of(row: JsonDict, frame: str, options: BrowserOptions) -> Node:
    """Read a row of the page script; ids get the name of their frame, and no cut parts a secret."""
    cut, form = options.cut, row.get("form") or ("", "", "")
    state = frozenset(name for name, on in row["state"].items() if on)
    return Node(
        id=f"{frame}e{row['id']}",
        role=str(row["role"]),
        name=cut(clean(row["name"]), MAX_NAME),
        value=cut(clean(row.get("value", "")), MAX_VALUE),
        whole=to_the_letter(str(row.get("whole", ""))),
        parent=f"{frame}e{row['parent']}" if row["parent"] else "",
        tag=str(row["tag"]),
        type=str(row.get("type", "")),
        own=cut(clean(row.get("own", "")), MAX_NAME),
        sample=cut(clean(row.get("sample", "")), MAX_BESIDE),
        before=cut(clean(row.get("before", "")), MAX_BESIDE),
        after=cut(clean(row.get("after", "")), MAX_BESIDE),
        href=cut(str(row.get("href", "")), MAX_ADDRESS),
        hints=_parted(options.vault.hide(options.redactor.text(cut(clean(row["hints"]), MAX_HINTS)))),
        options=tuple(map(clean, row.get("options", ()))),
        bounds=tuple(map(clean, row.get("bounds", ()))),
        state=state,
        box=_box(row["box"]),
        form=(f"{frame}e{form[0]}" if form[0] else "", str(form[1]).lower(), cut(str(form[2]), MAX_ADDRESS)),
        paint=tuple(sorted(row.get("paint", {}).items())),
        scrolls=tuple(row.get("scrolls", (0, 0))),
        fetches=bool(row.get("fetches")),
        submits=bool(row.get("submits")),
        drags=bool(row.get("drags")),
        bold=bool(row.get("bold")),
        controls=f"{frame}e{row['controls']}" if row.get("controls") else "",
        boxes=tuple(Box(f"{frame}e{id}", f"{frame}e{kind}") for id, kind in row.get("boxes", ())),
    )


def _parted(hints: str) -> str:
    """Return names as the words they are made of; what a secret is made of is not to be known any more."""
    return " ".join(_BETWEEN_WORDS.sub(" ", hints).split())


def without_secrets(node: Node, hide: Callable[[str], str]) -> Node:
    """Return a node with every text hidden as `hide` says, but for ids and for the words of HTML itself.

    The pilot works by these, and a secret may be spelled as one of them is. Hints were hidden when read.
    """

    def hidden(value: Any) -> Any:
        if isinstance(value, str):
            return hide(value)
        return tuple(map(hidden, value)) if isinstance(value, tuple) else value

    kept = {one.name: hidden(getattr(node, one.name)) for one in fields(node)}
    plain = {
        name: getattr(node, name) for name in ("role", "tag", "type") if getattr(node, name) in HTML_WORDS
    }
    return replace(
        node,
        **kept
        | plain
        | {
            "id": node.id,
            "parent": node.parent,
            "boxes": node.boxes,
            "controls": node.controls,
            "form": node.form[:2] + kept["form"][2:],
            "hints": node.hints,
        },
    )


def _box(found: Sequence[float]) -> tuple[float, float, float, float]:
    x, y, width, height = found
    return (float(x), float(y), float(width), float(height))


def trouble_of(found: JsonDict) -> str:
    """Return what is wrong with a page at the first look at it; empty where nothing is, or for a later look.

    `found` is what the page script told of the page as a whole.
    """
    if not found["first"]:
        return ""
    if int(found["status"]) >= REFUSING:
        return f"the page was answered with status {int(found['status'])}"
    return "the page did not come" if str(found["url"]).startswith(BROWSERS_OWN) else ""


class Line(NamedTuple):
    """A line of a page as text, and the node it tells."""

    node: Node
    text: str


def outline(nodes: Sequence[Node]) -> list[Line]:
    """Return the nodes as indented lines; what can be acted on carries its id.

    Where something can be dragged everything does: it may be dropped onto anything.
    """
    drags = any(node.drags for node in nodes)
    depth: dict[str, int] = {}
    parents = {node.parent for node in nodes}
    lines: list[Line] = []
    for node in nodes:
        depth[node.id] = depth.get(node.parent, -1) + 1
        lead = "  " * min(depth[node.id], 12)
        if node.role in ACTED_ON:
            lines.append(Line(node, f"{lead}[{node.id}] {node.says()}"))
            continue
        words = node.own if node.id in parents or node.role == "text" else node.name or node.own
        if node.role == "text":
            lines.append(Line(node, f'{lead}[{node.id}] "{words or node.name}"'))
        elif words or node.role not in ("cell", "listitem", "label"):
            mark, said = f"[{node.id}] " if drags else "", f' "{words}"' if words else ""
            lines.append(Line(node, f"{lead}{mark}{node.role}{said}"))
    return lines


def elements(nodes: Iterable[Node]) -> Iterable[Element]:
    """Return what a move may name."""
    for node in nodes:
        yield Element(node.id, node.role, node.says())


def text_of(title: str, url: str, notes: Sequence[str], lines: Sequence[str]) -> str:
    """Return a page as text, whole lines of at most `MAX_TEXT` characters."""
    head = [f"Page: {title or '(no title)'}", f"Address: {url}", *(f"Note: {note}" for note in notes), ""]
    text = "\n".join([*head, *lines])
    if len(text) <= MAX_TEXT:
        return text
    kept = text[:MAX_TEXT].rsplit("\n", 1)[0]
    return f"{kept}\n({len(lines) - kept.count(chr(10)) + len(head) - 1} more lines; scroll or extract)"


def told(title: str, url: str, text: str, options: BrowserOptions) -> str:
    """Return what was extracted from a page, at most `MAX_TEXT` characters, under the head of the page."""
    whole = "\n".join([f"Page: {title or '(no title)'}", f"Address: {url}", "", text])
    more = "\n(there is more; extract an element)" if len(whole) > MAX_TEXT else ""
    return options.cut(whole, MAX_TEXT) + more


def clean(text: Any) -> str:
    """Drop what is not seen: control, format, bidi and tag characters, and lone surrogates."""
    said = str(text)
    if said.isprintable():
        return said.strip()
    kept = (" " if sign in "\t\r\n\u00a0" else sign for sign in said)
    return "".join(sign for sign in kept if unicodedata.category(sign) not in HIDDEN).strip()


def to_the_letter(text: str) -> str:
    """Return a text with its spaces and line ends; half a character (a lone surrogate) cannot be written."""
    return "".join(sign for sign in text if unicodedata.category(sign) != "Cs")


HIDDEN = frozenset({"Cc", "Cf", "Co", "Cs", "Cn"})
_BETWEEN_WORDS = re.compile(r"[_./]+|(?<=\w)-+|-+(?!\d)|(?<=[a-z])(?=[A-Z])")
