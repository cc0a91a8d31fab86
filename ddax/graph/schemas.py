"""The schemas of a graph: what ddax keeps in its state, and beside it the fields of whoever builds on it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple, get_type_hints

from typing_extensions import TypedDict, is_typeddict

from ddax.errors import UsageError
from ddax.graph.misfits import misfit, parted, spelled
from ddax.graph.state import Input, State
from ddax.types import JsonDict

Fields = Mapping[str, Any]
ASKS = frozenset({"task", "messages"})
"""The fields of an input by which a task comes in."""


class Schemas(NamedTuple):
    """The types of what a graph keeps, takes and gives."""

    state: type
    input: type
    output: type


def schemas_of(state: type | None, given: type | None, output: type | None) -> Schemas:
    """Return the schemas of a graph with the fields of those that are named, which may leave out ours.

    Raises UsageError for one that is no TypedDict, a field that ddax has with another type, an input
    without a task, and an output of fields that nothing keeps.
    """
    own = own_fields("state_schema", state)
    taken = own_fields("input_schema", given)
    if given is not None and not ASKS & get_type_hints(given).keys():
        raise UsageError(
            f"The input_schema {given.__name__!r} takes no task.",
            why="A run begins with what is asked, in `task` or in `messages`.",
            mend="Give it the field: task: str",
        )
    kept = _joined(own, taken)
    if output is not None and (lost := sorted(own_fields("output_schema", output).keys() - kept.keys())):
        raise UsageError(
            f"The output_schema {output.__name__!r} has the field {lost[0]!r}, which the state has not.",
            why="Only what is kept in the state comes out.",
            mend=f"Declare {lost[0]!r} in the state_schema too.",
        )
    whole = _widened(State, kept, state)
    return Schemas(whole, given or _widened(Input, own), output or whole)


def own_fields(place: str, schema: type | None) -> dict[str, Any]:
    """Return the fields of a schema that ddax has not, with their reducers; raises UsageError."""
    if schema is None:
        return {}
    if not is_typeddict(schema):
        raise UsageError(
            f"The {place} {getattr(schema, '__name__', schema)!r} is no TypedDict.",
            why="The state of ddax is one: its nodes write single fields, and read those that are there.",
            mend="Write: class Mine(State): customer: str   (from ddax import State)",
        )
    found, ours = get_type_hints(schema, include_extras=True), _ours()
    for name in sorted(found.keys() & ours.keys()):
        if name != "messages" and get_type_hints(schema)[name] != get_type_hints(State)[name]:
            raise UsageError(
                f"The {place} {schema.__name__!r} has the field {name!r}, which ddax has with another type.",
                why="Its nodes rely on their own.",
                mend="Give the field another name, or leave it out.",
            )
    return {name: hint for name, hint in found.items() if name not in ours}


def own_values(state: Mapping[str, Any]) -> JsonDict:
    """Return what a state holds in fields that are not those of ddax."""
    return {name: value for name, value in state.items() if name not in _ours()}


def check_given(given: object, taken: Fields) -> None:
    """Refuse an input with a field that the graph would drop, or with a value of another type."""
    refuse_unknown(given, taken)
    refuse_mistyped(given, taken)


def refuse_unknown(given: object, taken: Fields) -> None:
    """Refuse an input with a key that the graph would drop; raises UsageError that names it.

    A state that is sent back whole is none: what only ddax writes of it is left out, as ever.
    """
    if not isinstance(given, Mapping):
        return
    if lost := sorted(str(key) for key in given if key not in taken and key not in _ours()):
        raise UsageError(
            f"The input has the field {lost[0]!r}, which this graph does not take.",
            why=f"It takes {', '.join(sorted(taken))}; anything else would be lost.",
            mend="Declare it: open_agent(build=partial(build_graph, state_schema=Mine)), with"
            f" class Mine(State): {lost[0]}: ...",
        )


def refuse_mistyped(given: object, taken: Fields) -> None:
    """Refuse a value of a field of one's own that is of another type; raises UsageError that names it.

    What JSON makes of a type is taken for it. Of a field with a reducer it is the reducer that says what
    it takes.
    """
    if not isinstance(given, Mapping):
        return
    for name in given:
        if name in taken and name not in _ours() and (fault := misfit(given[name], taken[name])):
            raise UsageError(
                f"The field {name!r} of the state is given a value of another type.",
                why=fault,
                mend=f"Give what its schema declares: {name}: {spelled(taken[name])}",
            )


def check_state(given: object) -> None:
    """Refuse a state of one's own that has no fields; raises UsageError."""
    if given is not None and not isinstance(given, Mapping):
        raise UsageError(
            f"A state is given that is a {type(given).__name__}.",
            why="A state has fields by name.",
            mend="Give a dictionary: agent.run(task, state={'customer': 'C-17'}).",
        )


def _joined(*parts: Fields) -> dict[str, Any]:
    """Join fields; raises UsageError for one that has two types."""
    found: dict[str, Any] = {}
    for name, hint in ((name, hint) for part in parts for name, hint in part.items()):
        if parted(found.setdefault(name, hint)) != parted(hint):
            raise UsageError(
                f"The field {name!r} has one type in the state_schema and another in the input_schema.",
                why="What comes in is kept as it is.",
                mend="Give it the same type, with the same reducer.",
            )
    return found


def _widened(ours: type, own: Fields, theirs: type | None = None) -> type:
    """Return a schema of ours with own fields: theirs where it has them all."""
    fields = {**get_type_hints(ours, include_extras=True), **own}
    if theirs is not None and fields.keys() == get_type_hints(theirs).keys():
        return theirs
    if not own:
        return ours
    make: Any = TypedDict  # a checker wants each field in the source
    widened: type = make(ours.__name__, fields, total=False)
    return widened


@cache
def _ours() -> Fields:
    return get_type_hints(State, include_extras=True)
