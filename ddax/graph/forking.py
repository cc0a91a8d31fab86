"""Leave a thread at one of its moments by another way: a thread of its own, with something changed.

The other thread is not touched. What the task had read and logged up to that moment is the fork's
as well; what came after is not. Only what is behind the moment is computed again.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from ddax.configs.settings import Context, Mood
from ddax.dynamics.state import attractor, new_attractor
from ddax.errors import InvariantError, UsageError, first_fault
from ddax.graph.history import Moment
from ddax.graph.threads.snapshots import unclaimed
from ddax.ideas import dag
from ddax.memory.records import branched
from ddax.metacognition.versions import settled
from ddax.types import Idea, JsonDict

if TYPE_CHECKING:
    from ddax.graph.runner import Agent
    from ddax.graph.threads.manifests import RunInfo

OTHER_NAME = "Name another one: --to NAME"
FORMS = "ideas.ID.FIELD=VALUE, mind.FIELD=VALUE, mood.FIELD=VALUE or a setting such as budget.max_steps=9"


@dataclass(frozen=True)
class Change:
    """What is other in the fork: values by dotted path, the identity; `to` names the thread."""

    values: Mapping[str, Any] = field(default_factory=dict)
    identity: str | None = None
    to: str | None = None

    def name(self, thread: str, at: int) -> str:
        """Return the name of the fork."""
        return self.to if self.to is not None else f"{thread}-fork-{at}"


async def fork(agent: Agent, thread: str, at: int, change: Change) -> RunInfo:
    """Make a thread of its own out of a moment of another and return its manifest; `resume` runs it.

    Raises UsageError where there is no such moment or a change does not fit, ThreadInUse where
    another process has the thread.
    """
    name = change.name(thread, at)
    if name == thread:
        raise _taken(name)
    async with agent.locked(thread), agent.locked(name):
        return await _fork(agent, thread, at, change, name)


async def _fork(agent: Agent, thread: str, at: int, change: Change, name: str) -> RunInfo:
    info = await asyncio.to_thread(agent.runs.known, thread)
    if await asyncio.to_thread(agent.runs.load, name) is not None:
        raise _taken(name)
    await unclaimed(agent.store, name, mend=OTHER_NAME)
    moment = await _moment(agent, info.thread_id, at)
    context = await asyncio.to_thread(lambda: settled(_context(info, change), agent.home.path))
    source: Any = {"configurable": {"thread_id": info.thread_id, "checkpoint_id": moment["checkpoint_id"]}}
    values = (await agent.graph.aget_state(source)).values
    update = await _update(agent, values, context, change, name)
    session = await agent.services.session(context)
    with session.used():
        await session.memory.upkeep.branch(
            values["work"]["id"],
            update["work"]["id"],
            step=int(values["step"]),
            before=datetime.fromisoformat(moment["at"]).timestamp(),
        )
    await agent.store.adelete_thread(name)  # left by a fork that was cut short
    await agent.store.copy_until(info.thread_id, name, moment["checkpoint_id"])
    place: Any = {
        "configurable": {
            "thread_id": name, "checkpoint_ns": "", "checkpoint_id": moment["checkpoint_id"],
        }
    }  # fmt: skip
    made = await agent.graph.aupdate_state(place, update, as_node=moment["ran"][0])
    now = session.clock()
    forked = replace(
        info, thread_id=name, status="running", stop_reason="", digest="", before="", created=now,
        updated=now, checkpoint_id=str(made["configurable"]["checkpoint_id"]),
        context=context.model_dump(mode="json"), forked_from=info.thread_id,
    )  # fmt: skip
    await asyncio.to_thread(agent.runs.save, forked)
    return forked


def _taken(name: str) -> UsageError:
    return UsageError(
        f"There is a thread {name!r} already.",
        why="A fork is a thread of its own.",
        mend=OTHER_NAME,
    )


async def _moment(agent: Agent, thread: str, at: int) -> Moment:
    for found in await agent.history(thread, number=at):
        if _usable(found):
            return found
    known = await agent.history(thread)
    usable = [one["number"] for one in known if _usable(one)]
    what = f"thread {thread!r} cannot be forked at {at}."
    if usable:
        raise UsageError(
            what,
            why=f"Its moments to fork at: {min(usable)} to {max(usable)}.",
            mend=f"List them: ddax history {thread}",
        )
    swept = bool(known) and known[0]["step"] > 0
    why = "`ddax gc` let go of its moments" if swept else "There is no moment of it to go on from"
    raise UsageError(what, why=f"{why}.", mend='Ask anew: ddax run "TASK"')


def _usable(one: Moment) -> bool:
    return bool(one["next"] and one["ran"] and one["step"] and one["number"] > 0)


def _context(info: RunInfo, change: Change) -> Context:
    """Return the settings of the fork; raises SettingsError for a value that does not fit."""
    from ddax.configs.keys import setting_fields
    from ddax.configs.layers import load_context

    given = {key: value for key, value in change.values.items() if not _of_state(key)}
    if change.identity is not None:
        given["identity"] = change.identity
    _check_settings(given, list(setting_fields(Context)))
    values = dict(info.context)
    fresh = load_context(file=None, env={}, arguments=given).context.model_dump(mode="json") if given else {}
    for key in given:
        _put(values, key.split("."), _at(fresh, key.split(".")))
    return Context.model_validate(values)


def _check_settings(given: Iterable[str], fields: Sequence[str]) -> None:
    """Raise UsageError for a path that names neither a setting nor a section, with one only if it is near."""
    for key in given:
        if key in fields or any(field.startswith(f"{key}.") for field in fields):
            continue
        near = get_close_matches(key, fields, n=1, cutoff=0.7)
        raise UsageError(
            f"there is no setting {key!r}.",
            why=f"The nearest one is {near[0]!r}." if near else f"A fork takes {FORMS}.",
            mend="`ddax config show` lists every setting, `ddax show THREAD` the ideas.",
        )


async def _update(
    agent: Agent, values: Mapping[str, Any], context: Context, change: Change, name: str
) -> JsonDict:
    """Return what the first write of the fork changes in the state."""
    work = dict(values["work"])
    branch = branched(work["id"], name)
    trunk = work.get("trunk", work["id"])
    update: JsonDict = {"work": {**work, "id": branch, "thread": name, "trunk": trunk}}
    mind, mood = dict(values.get("mind", {})), dict(values.get("mood", {}))
    if change.identity is not None:
        mind = await _turned(agent, context, mind, str(work["text"]))
    ideas: dict[str, JsonDict] = {}
    for path, value in change.values.items():
        part, *rest = path.split(".")
        if part == "ideas" and len(rest) > 1:
            ideas.setdefault(".".join(rest[:-1]), {})[rest[-1]] = value
        elif _of_state(path):
            target = {"mind": mind, "mood": mood}.get(part, {})
            if len(rest) != 1 or rest[0] not in target:
                raise UsageError(
                    f"there is no {path!r} in the state.",
                    why="Only ideas, mind and settings can be changed in a fork.",
                    mend=f"Give {FORMS}.",
                )
            fitting = _fitting(path, target[rest[0]], value)
            if part == "mind" and isinstance(fitting, str):
                raise UsageError(
                    f"{path!r} cannot be set.",
                    why="It is a vector, or what the mind was warned of.",
                    mend="Change a number of the mind, or the profile: --identity NAME.",
                )
            target[rest[0]] = fitting
    _check_ideas(values["ideas"], ideas)
    return update | {"mind": mind} | ({"mood": mood} if mood else {}) | ({"ideas": ideas} if ideas else {})


def _of_state(path: str) -> bool:
    """Tell whether a path names a part of the state; `mood` has settings of other names as well."""
    part, *rest = path.split(".")
    return part in _PARTS and not (part == "mood" and rest[:1] and rest[0] in Mood.model_fields)


def _fitting(path: str, old: Any, value: Any) -> Any:
    """Return a value of the kind it replaces, finite and within the bounds of its name."""
    if not _is_like(old, value):
        raise UsageError(
            f"{path!r} cannot be {value!r}.",
            why=f"It is {old!r:.80} at that moment.",
            mend="Give a value of the same kind.",
        )
    if not _is_number(old):
        return value
    low, high = _BOUNDS.get(path.rpartition(".")[2], (-math.inf, math.inf))
    if not low <= value <= high:
        bounds = f"{low:g} at least" + (f" and {high:g} at most" if high < math.inf else "")
        raise UsageError(
            f"{path!r} cannot be {value!r}.",
            why=f"It is {old!r} at that moment, and always {bounds}.",
            mend="Give a value within these bounds.",
        )
    return type(old)(value)


def _is_like(old: Any, value: Any) -> bool:
    """Tell whether a value is of the kind of another: of as many numbers, whole where it is whole."""
    if _is_number(old) and _is_number(value):
        return math.isfinite(value) and (isinstance(old, float) or value == int(value))
    if isinstance(old, list) and isinstance(value, list) and old and all(map(_is_number, old)):
        return len(old) == len(value) and all(map(_is_like, old, value))
    return type(value) is type(old)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _check_ideas(known: Mapping[str, Any], changed: Mapping[str, JsonDict]) -> None:
    for key, fields in changed.items():
        wrong = [name for name in fields if name not in known.get(key, {})]
        if key not in known or wrong:
            what = f"field {wrong[0]!r} of idea {key!r}" if key in known else f"idea {key!r}"
            raise UsageError(
                f"there is no {what} at that moment.",
                why="The state of that moment does not hold it.",
                mend=f"Give {FORMS}.",
            )
        shape = [name for name in fields if name in _SHAPE]
        if shape:
            raise UsageError(
                f"the {shape[0]!r} of idea {key!r} cannot be set.",
                why="It is where the idea stands in the DAG, which other ideas rest on.",
                mend="Set its status, or what it is worth: status, reason, P, Q, N or V.",
            )
        for name in fields:
            fields[name] = _fitting(f"ideas.{key}.{name}", known[key][name], fields[name])
    try:
        dag.check_patch(dict(known), changed)  # type: ignore[arg-type]  # plain JSON from a user
    except InvariantError as error:
        raise UsageError(
            error.what, why=error.why, mend="Give --set another value; `ddax show THREAD` shows the ideas."
        ) from error
    for key, fields in changed.items():
        _check_types(key, fields)


def _check_types(idea_id: str, fields: JsonDict) -> None:
    """Refuse fields that are not what an idea has there, down to the last key."""
    try:
        TypeAdapter(Idea).validate_python(fields)
    except ValidationError as error:
        where, fault = first_fault(error.errors())
        raise UsageError(
            f"'ideas.{idea_id}.{where[0]}' cannot be {fields[str(where[0])]!r}.",
            why=f"{'.'.join(map(str, where))}: {fault}.",
            mend="Give what it has at that moment; `ddax show THREAD` shows the ideas.",
        ) from error


async def _turned(agent: Agent, context: Context, mind: JsonDict, task: str) -> JsonDict:
    """Return the mind turned towards the attractor of another identity; where it stands stays."""
    session = await agent.services.session(context)
    statement, about = await session.encode(session.identity.statement, task)
    x_star = attractor(session.identity, statement=statement, task=about)
    return dict(new_attractor(mind, x_star))  # type: ignore[arg-type]  # plain JSON in state


def _at(values: Mapping[str, Any], path: list[str]) -> Any:
    return values[path[0]] if len(path) == 1 else _at(values[path[0]], path[1:])


def _put(values: JsonDict, path: list[str], value: Any) -> None:
    if len(path) == 1:
        values[path[0]] = value
        return
    values[path[0]] = dict(values.get(path[0], {}))
    _put(values[path[0]], path[1:], value)


_PARTS = ("ideas", "mind", "mood")
_SHAPE = frozenset({"id", "parent", "kind", "depth", "needs", "joined", "supersedes", "origins"})
"""Fields of an idea that say where it stands."""
_BOUNDS = {"rho": (0.0, 1.0), "P": (0.0, 1.0), "Q": (0.0, 1.0), "V": (0.0, 1.0), "N": (0, math.inf)}
"""Least and greatest number by the name of a field, in what a mind and an idea hold."""
