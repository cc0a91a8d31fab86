"""Find what an order names on a page: by label, role, place and paint; by meaning only where it is asked for.

Nothing that is pressed is found by meaning: “Cancel” would be “Delete” where that is the nearest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ddax.environments.browser.seen import ACTED_ON, Node, PageSeen
from ddax.environments.pilot.words import (
    EMPTY,
    FIELD,
    KINDS,
    as_numbers,
    color_table,
    counted,
    is_color,
    kin,
    lettered,
    likeness,
    plain,
    rgb,
    tokens,
)

Embed: TypeAlias = Callable[[list[str]], Any]
"""Return unit vectors `[n, dim]` of texts."""
SAME_THING: dict[str, frozenset[str]] = {
    "x": frozenset({"close"}),
    "close": frozenset({"x", "×", "close"}),
    "trash": frozenset({"delete", "remove", "bin"}),
    "delete": frozenset({"trash", "remove", "bin"}),
    "star": frozenset({"important", "favourite", "favorite"}),
    "important": frozenset({"star"}),
    "login": frozenset({"log in", "sign in", "ok", "submit"}),
    "submit": frozenset(
        {"ok", "send", "save", "done", "go", "search", "continue", "apply", "log in", "login"}
    ),
    "search": frozenset({"find", "go", "submit"}),
    "next": frozenset({">", "›", "»", "→"}),
    "previous": frozenset({"<", "‹", "«", "←", "prev"}),
    "reply": frozenset({"answer", "respond"}),
    "forward": frozenset({"fwd"}),
    "like": frozenset({"heart"}),
    "send": frozenset({"submit"}),
}
"""Other names that controls go by."""
FORMS: dict[str, tuple[str, ...]] = {
    "circle": ("circle", "ellipse"),
    "rectangle": ("rect",),
    "square": ("rect",),
    "triangle": ("polygon", "path"),
    "line": ("line",),
    "letter": ("text",),
    "number": ("text",),
    "digit": ("text",),
}
BY_MEANING = 0.35
"""Below this likeness of words the meaning may decide."""


def label_of(node: Node) -> str:
    """Return what a field is called: its name, else the words before it."""
    return node.name or node.before


@dataclass(frozen=True)
class Found:
    """An element with how well it answers, higher is better."""

    node: Node
    score: float


@dataclass
class Matcher:
    """Ranks the elements of one look at a page."""

    seen: PageSeen
    embed: Embed | None = None
    _children: dict[str, list[Node]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for node in self.seen.nodes:
            self._children.setdefault(node.parent, []).append(node)

    def below(self, node: Node) -> list[Node]:
        """Return everything inside an element, in the order of the page."""
        found: list[Node] = []
        left = self._children.get(node.id, [])[::-1]
        while left:
            found.append(left.pop())
            left += self._children.get(found[-1].id, [])[::-1]
        return found

    def text(self, node: Node) -> str:
        """Return all words in an element."""
        inner = self.below(node)
        if not inner:
            return node.name or node.own or node.value
        return " ".join(filter(None, [node.own, *(part.own or part.name for part in inner)]))

    def label(self, node: Node) -> str:
        """Return what an element is called."""
        return node.name or (node.before or node.after if node.role in FIELD else "") or node.own

    def rank(
        self, wanted: str, roles: frozenset[str] = frozenset(), *, among: Iterable[Node] | None = None,
        by_meaning: bool = False,
    ) -> list[Found]:  # fmt: skip
        """Return the elements that answer to a name, best first; where none does, `by_meaning` may decide."""
        pool = [n for n in (self.seen.nodes if among is None else among) if "disabled" not in n.state]
        found = [Found(node, self._score(node, wanted, roles)) for node in pool]
        best = max((one.score for one in found), default=0.0)
        if by_meaning and lettered(wanted) and best < BY_MEANING:
            found = self._by_meaning(found, wanted, roles)
        found = [one for one in found if one.score > 0.2]
        return sorted(found, key=lambda one: -one.score)

    def _score(self, node: Node, wanted: str, roles: frozenset[str]) -> float:
        label = self.label(node)
        score = likeness(wanted, label) if wanted else 0.5 * (node.role in roles)
        if wanted:
            score = max(score, 0.9 * likeness(wanted, node.own), self._other_names(node, wanted, label))
            if node.role in FIELD and node.value and wanted == node.value:
                score = max(score, 0.5)
        if score <= 0.1:
            return 0.0
        if roles:
            score += 0.3 if node.role in roles else -0.1
        bonus = 0.06 if node.role in ACTED_ON else 0.0
        within = node.role == "tab" and any(
            child.role == "button" for child in self._children.get(node.id, ())
        )
        return score + bonus - 0.02 * (node.box[2] * node.box[3] > 150_000) - 0.05 * within

    def _other_names(self, node: Node, wanted: str, label: str) -> float:
        names = SAME_THING.get(plain(wanted) or wanted.strip().lower(), frozenset())
        said = plain(label) or label.strip()
        if said and said in names:
            return 0.7
        words = set(tokens(node.hints))
        asked = set(tokens(wanted))
        if asked and asked <= words and node.role in ACTED_ON | {"image", "text"}:
            return 0.62 if not label else 0.45
        return 0.5 if names & words and not label else 0.0

    def _by_meaning(self, found: Sequence[Found], wanted: str, roles: frozenset[str]) -> list[Found]:
        """Let vectors decide where no words meet."""
        pool = [one for one in found if one.node.role in ACTED_ON and self.label(one.node)]
        pool = [one for one in pool if not roles or one.node.role in roles] or pool
        pool = [one for one in pool if not is_another(wanted, self.label(one.node))]
        if not pool or self.embed is None:
            return list(found)
        vectors = self.embed([wanted, *(self.label(one.node)[:200] for one in pool)])
        likes = vectors[1:] @ vectors[0]
        near = [
            Found(one.node, 0.6 * float(like)) for one, like in zip(pool, likes, strict=True) if like > 0.4
        ]
        return [*near, *(one for one in found if one.score > 0)]

    def rows(self, words: Sequence[str]) -> list[Node]:
        """Return the smallest groups of elements that hold all of some words, in the order of the page."""
        whole = [re.compile(rf"(?<!\w){re.escape(word.casefold())}(?!\w)") for word in words]

        def holds(node: Node) -> bool:
            text = self.text(node).casefold() + " " + node.name.casefold()
            return all(word.search(text) for word in whole)

        held = [node for node in self.seen.nodes if holds(node)]
        inner = {node.parent for node in held}
        return [node for node in held if node.id not in inner]

    def near(self, anchor: Node, pool: Iterable[Node]) -> list[Node]:
        """Return elements by their distance to one: in its line first, else below it."""
        ax, ay, aw, ah = anchor.box

        def distance(node: Node) -> float:
            x, y, w, h = node.box
            down = (y + h / 2) - (ay + ah / 2)
            return abs(x + w / 2 - ax - aw / 2) + (3 * abs(down) if down >= -ah / 2 - 2 else 20 * abs(down))

        return sorted((node for node in pool if node.id != anchor.id), key=distance)

    def painted(self, words: Sequence[str]) -> list[Node]:
        """Return the elements that look as words say: a colour, a form, a size."""
        names = [word for word in words if word in color_table()]
        forms = [FORMS[word.removesuffix("s")] for word in words if word.removesuffix("s") in FORMS]
        pool = [
            n for n in self.seen.nodes if n.role in ("shape", "icon", "clickable", "text", "cell") and n.paint
        ]
        kept = [n for n in pool if all(_has_color(n, name) for name in names)]
        return [n for n in kept if all(dict(n.paint).get("form", "") in form for form in forms)]


def is_another(wanted: str, label: str) -> bool:
    """Tell whether a label names another thing of a kind: it shares words, and each has some of its own.

    “Discard draft” is not “Save draft”. A number that is wanted must stand on the label.
    """
    asked, said = (
        [word for word in tokens(as_numbers(text)) if word not in EMPTY | KINDS and word.isalnum()]
        for text in (wanted, label)
    )
    left = [word for word in asked if not any(kin(word, other) for other in said)]
    own = [word for word in said if not any(kin(word, other) for other in asked)]
    numbered = counted(wanted)
    return bool(left and own and len(left) < len(asked)) or bool(numbered and not numbered & counted(label))


def _has_color(node: Node, name: str) -> bool:
    paint = dict(node.paint)
    keys = ("fill", "stroke") if "form" in paint else ("fill",)
    found = [rgb(paint.get(key, "")) for key in keys]
    return any(color is not None and is_color(name, color) for color in found)
