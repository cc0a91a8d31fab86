"""What a form takes: the fields and options that go with a button, and what was given to them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.match import label_of
from ddax.environments.pilot.pilot import Pilot
from ddax.environments.pilot.repeats import asks_again
from ddax.environments.pilot.rows import above_of, words_of, words_of_name
from ddax.environments.pilot.words import EMPTY, FIELD

_ASIDE = re.compile(r"(?<!\s)\s*\([^()]*\)|(?:(?<!\s)\s*[—–,|]|:)\s.*$")
"""What stands behind the name of an option: a price, an explanation."""
_PRICE = re.compile(r"^[€$£]?(\d[\d.,]*)[€$£]?$")


@dataclass(frozen=True)
class Option:
    """Something that can be chosen: a radio or a box, or one line of a list."""

    node: Node
    name: str

    @property
    def keys(self) -> list[str]:
        """Return the words of its name as they are compared."""
        words = words_of(_ASIDE.sub("", self.name) or self.name)
        return [_PRICE.sub(r"\1", word) for word in words if word not in EMPTY]


@dataclass
class Plan:
    """What is to be chosen and written before a button is pressed."""

    button: Node
    fields: list[Node]
    options: list[Option]
    chosen: list[Option] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)

    def free(self) -> list[Node]:
        """Return the fields for which nothing was said yet."""
        return [n for n in self.fields if n.id not in self.written]

    def has(self, node: Node) -> bool:
        """Tell whether a line of a list was chosen."""
        return node.tag == "select" and any(one.node.id == node.id for one in self.chosen)

    def open(self) -> list[Option]:
        """Return what can still be chosen."""
        return [one for one in self.options if one not in self.chosen and not self.has(one.node)]


def plan_of(pilot: Pilot, button: Node) -> Plan:
    """Return an empty plan for the form of a button, or for what stands in no form; longest names first."""
    fields = [n for n in pilot.nodes(FIELD) if "readonly" not in n.state and not asks_again(n)]
    own = [n for n in pilot.nodes({"radio", "checkbox", "combobox"}) if n.form[0] == button.form[0]]
    options = [Option(n, label_of(n) or n.after) for n in own if n.tag != "select" and n.role != "combobox"]
    options += [Option(n, one) for n in own if n.tag == "select" for one in n.options]
    options = sorted((one for one in options if one.keys), key=lambda one: -len(one.keys))
    return Plan(button, [n for n in fields if n.form[0] == button.form[0] and n.type != "password"], options)


def called(node: Node) -> set[str]:
    """Return the words of what a field or a list is called, or shows while it is empty."""
    return set(words_of_name(label_of(node) or node.sample))


def told(pilot: Pilot) -> set[str]:
    """Return the words of the title and the headings of a page."""
    said = [n.name or n.own for n in pilot.seen.nodes if n.role == "heading"]
    return set(words_of(" ".join([pilot.seen.title, *said])))


def labels_of(pilot: Pilot, plan: Plan) -> set[str]:
    """Return the words by which what is chosen and written is called, its groups among them."""
    above = {n.id: n for n in pilot.seen.nodes}
    parents = {n.id: n.parent for n in pilot.seen.nodes}
    groups = [above[id] for one in plan.chosen for id in above_of(one.node, parents) if id in above]
    named = [n.name or n.before for n in groups if n.role in ("group", "radiogroup")]
    words = set(words_of(" ".join(named)))
    nodes = [one.node for one in plan.chosen if one.node.tag == "select"]
    nodes += [n for n in plan.fields if n.id in plan.written]
    return words.union(*map(called, nodes))
