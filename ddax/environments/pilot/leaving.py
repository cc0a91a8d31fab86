"""Leave the field that was written last: many pages take a value, check or save it only then."""

from __future__ import annotations

from ddax.environments.pilot.pilot import Pilot

_OFFERED = frozenset({"option", "link", "button", "menuitem", "clickable", "listitem"})
"""What a page may offer while one writes."""


async def leave_field(pilot: Pilot) -> None:
    """Take the focus from the field written last, unless it offers something that would go away with it."""
    if not pilot.moves or pilot.moves[-1].name != "type" or len(pilot.moves) >= pilot.max_moves:
        return
    field = pilot.seen.node(pilot.moves[-1].target)
    if field is None or "focused" not in field.state:
        return
    known = {node.id for node in pilot.before_last.nodes}
    if not any(node.role in _OFFERED and node.id not in known for node in pilot.seen.nodes):
        await pilot.do("leave", field.id)
