"""Choose in one list: a select, a combobox, a listbox; what is chosen has to be the option by its name."""

from __future__ import annotations

from ddax.environments.browser.seen import Node
from ddax.environments.pilot.finding.match import label
from ddax.environments.pilot.pilot import NotDone, Pilot
from ddax.environments.pilot.words import Keys, keys

LISTED = frozenset({"option", "menuitem", "menuitemradio", "treeitem"})


async def pick_in(pilot: Pilot, node: Node, wanted: Keys, text: str) -> None:
    """Choose the option called so in a list, opening it first, and see that it is chosen."""
    if node.tag == "select":
        await _select(pilot, node, wanted, text)
        return
    option = _option(pilot, node, wanted)
    if option is None:
        await pilot.do("click", node.id)
        option = _option(pilot, node, wanted) or await _searched(pilot, node, wanted, text)
    if option is None:
        there = pilot.named([n for n in pilot.seen.nodes if n.role in LISTED])
        if pilot.node(node.id) and "expanded" in (pilot.node(node.id) or node).state:
            await pilot.do("press", "page", "Escape")
        raise NotDone(
            f"“{label(node)}” has no “{pilot.cut(text, 60)}”{f'; there are {there}' if there else ''}"
        )
    await pilot.do("click", option.id)
    if option.role != "menuitem" and not _chosen(pilot, node, option, wanted):
        raise NotDone(f"“{pilot.cut(text, 60)}” was pressed in “{label(node)}”, and is not chosen")


async def _select(pilot: Pilot, node: Node, wanted: Keys, text: str) -> None:
    same = [option for option in node.options if option == text] or [
        o for o in node.options if keys(o) == wanted
    ]
    if not same:
        there = ", ".join(f"“{option}”" for option in node.options[:6])
        raise NotDone(f"“{label(node)}” has no “{pilot.cut(text, 60)}”; there are {there}")
    await pilot.do("select", node.id, same[0])
    now = pilot.node(node.id)
    if now is not None and keys(now.value) != keys(same[0]):
        raise NotDone(f"“{label(node)}” does not hold “{same[0]}”")


def _option(pilot: Pilot, node: Node, wanted: Keys) -> Node | None:
    """Return the shown option of a list by its name."""
    options = [n for n in pilot.seen.nodes if n.role in LISTED and keys(n.name or n.own) == wanted]
    inside = {one.id for one in pilot.page.held(node.controls or node.id)}
    own = [n for n in options if n.id in inside] or options
    return own[0] if own else None


async def _searched(pilot: Pilot, node: Node, wanted: Keys, text: str) -> Node | None:
    """Write into the field of a list that filters it, and return the option that is left."""
    fields = [n for n in pilot.fresh() if n.role in ("searchbox", "textbox") and n.id != node.id]
    fields = fields or ([node] if node.tag in ("input", "textarea") else [])
    if not fields:
        return None
    await pilot.do("type", fields[0].id, text)
    return _option(pilot, node, wanted)


def _chosen(pilot: Pilot, node: Node, option: Node, wanted: Keys) -> bool:
    """Tell whether a list holds an option now."""
    now, pressed = pilot.node(node.id), pilot.node(option.id)
    if pressed is not None and pressed.state & {"selected", "checked"}:
        return True
    if now is None:
        return True  # the list went with the choice
    held = [keys(one) for one in (now.value, now.own, now.name)]
    inner = [keys(one.text) for one in pilot.page.held(node.id)]
    return any(wanted == one for one in [*held, *inner]) or wanted == keys(now.name)
