"""What a leaf is told of its task."""

from typing import Any

from ddax.graph.routing import leaf_packet


async def test_a_leaf_knows_its_road_and_how_a_follow_up_is_read(kit: Any) -> None:
    state = await kit.opened(kit.session({}), "And when?")
    work = {**state["work"], "read_as": "When was the harbour built?", "road": "quick", "code": "src"}
    told = leaf_packet({**state, "work": work}, "0")["work"]
    assert (told["read_as"], told["road"], "code" in told) == ("When was the harbour built?", "quick", False)
