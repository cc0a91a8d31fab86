"""The DAG as a dict that knows its structure: what every step asks for is kept as it changes.

A step changes a few ideas and asks for all that are unfinished. So the answers are kept in an `Index`,
made at the first question and carried on idea by idea: a step pays for what it changed and for what is
unfinished, not for all that is done. Leaves out what the answers are good for (`ddax.ideas.dag`).
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

from ddax.copying import copied
from ddax.ideas.calls import action_key
from ddax.ideas.ids import sort_key, task_of
from ddax.ideas.origins import join
from ddax.ideas.tally import Tally
from ddax.types import FINAL, LOST, NO_PARENT, Idea

if TYPE_CHECKING:
    from ddax.ideas.rows import Rows


class Index:
    """The structure of one DAG; `after` makes that of the next one and leaves this one as it is.

    `order` has the ids of a task and `below` those under an idea, both sorted; `again` those that an idea
    proposed as well though they stand under another; `live` the sorted ids of a task that are not final,
    `lost` those that failed or were given up. `visits` is ΣN of the children of an idea, merges excepted;
    `calls` the action of each leaf as text, `tried` how many final leaves had it. The columns of unfinished
    ideas (`ddax.ideas.rows`) are kept here by task, each with what has changed since, and in `lost_below`
    what `dag.lost_values` found, until something lost changes.
    """

    def __init__(self, ideas: Mapping[str, Idea]) -> None:
        self.ideas = ideas
        self.order: dict[str, list[str]] = {}
        self.below: dict[str, list[str]] = {}
        self.again: dict[str, frozenset[str]] = {}
        self.live: dict[str, list[str]] = {}
        self.lost: dict[str, frozenset[str]] = {}
        self.visits: dict[str, int] = {}
        self.calls: dict[str, str] = {}
        self.tried: dict[str, dict[str, int]] = {}
        self._tally: Tally | None = None
        self._rows: dict[str, tuple[Rows, frozenset[str]]] = {}
        self.lost_below: dict[str, dict[str, tuple[int, float]]] = {}
        self._read: dict[str, frozenset[str]] = {}
        for idea_id in sorted(ideas, key=sort_key):
            idea = ideas[idea_id]
            self.order.setdefault(task_of(idea_id), []).append(idea_id)
            self.below.setdefault(idea["parent"], []).append(idea_id)
            live = self.live.setdefault(task_of(idea_id), [])
            if idea["status"] not in FINAL:
                live.append(idea_id)
            self._count(idea_id, idea, 1)
        self._join({}, ideas)
        self._give_up(ideas)

    def after(self, ideas: Mapping[str, Idea], changed: Iterable[str]) -> Index:
        """Return the index of a DAG that differs from this one's in these ideas alone."""
        touched = [i for i in changed if ideas[i] is not self.ideas.get(i)]
        if any(i in self.ideas and _moved(self.ideas[i], ideas[i]) for i in touched):
            return Index(ideas)
        new = object.__new__(Index)
        new.ideas = ideas
        fresh = sorted((i for i in touched if i not in self.ideas), key=sort_key)
        # What no change concerns is shared with the old index: neither writes to it.
        new.order, new.below = (dict(self.order), dict(self.below)) if fresh else (self.order, self.below)
        new.live, new.lost, new.visits = dict(self.live), dict(self.lost), dict(self.visits)
        new.again = dict(self.again)
        new.calls = dict(self.calls) if fresh else self.calls
        ends = any(ideas[i]["status"] in FINAL for i in touched)
        ends = ends or any(self.ideas[i]["status"] in FINAL for i in touched if i in self.ideas)
        new.tried = {task: dict(counts) for task, counts in self.tried.items()} if ends else self.tried
        new._tally = None if self._tally is None else self._tally.after(ideas, touched)
        new._rows = {task: (rows, since.union(touched)) for task, (rows, since) in self._rows.items()}
        tasks = {task_of(i) for i in touched}
        new._read = {task: read for task, read in self._read.items() if task not in tasks}
        new._add(fresh)
        for idea_id in touched:
            if idea_id in self.ideas:
                new._count(idea_id, self.ideas[idea_id], -1)
            new._count(idea_id, ideas[idea_id], 1)
        new._ended(self, touched)
        new._join(self.ideas, touched)
        new._give_up(touched)
        new.lost_below = {
            task: values for task, values in self.lost_below.items() if new._lost_as(self, task, touched)
        }
        return new

    def _lost_as(self, old: Index, task: str, touched: list[str]) -> bool:
        """Say whether what is lost in a task, its values, and what lies above it are as in the old index."""
        lost = self.lost.get(task)
        return lost is old.lost.get(task) and not any(
            self._within(i, lost or frozenset())
            or (i in old.ideas and _joined(old.ideas[i]) != _joined(self.ideas[i]))
            for i in touched
        )

    def _within(self, idea_id: str, branches: frozenset[str]) -> bool:
        """Say whether an idea is one of these or stands below one, whichever way up."""
        waiting, met = [idea_id], set[str]()
        while waiting:
            here = waiting.pop()
            if here in branches:
                return True
            met.add(here)
            waiting.extend(above for above in above_of(self.ideas[here]) if above not in met)
        return False

    def rows(self, task: str) -> Rows | None:
        """Return the columns of the unfinished ideas of a task; None where they are to be made anew."""
        if task not in self._rows:
            return None
        rows, since = self._rows[task]
        now = rows.after(self.ideas, since) if since else rows
        if now is None:
            del self._rows[task]
            return None
        self.keep(task, now)
        return now

    def keep(self, task: str, rows: Rows) -> None:
        """Keep the columns of a task, for this index and those after it."""
        self._rows[task] = (rows, frozenset())

    def origins(self, task: str) -> frozenset[str]:
        """Return where everything comes from that the final ideas of a task have read."""
        if task not in self._read:
            mine = (self.ideas[i] for i in self.order.get(task, ()))
            self._read[task] = join(*(i.get("origins", ()) for i in mine if i["status"] in FINAL))
        return self._read[task]

    def digest(self) -> str:
        """Return the hash of the whole DAG."""
        if self._tally is None:
            self._tally = Tally.of(self.ideas)
        return self._tally.root

    def _add(self, fresh: list[str]) -> None:
        """Take in ideas that were not there before; lists are replaced, for the old index has them too."""
        for table, key in ((self.order, task_of), (self.below, self._parent)):
            mine: dict[str, list[str]] = {}
            for idea_id in fresh:
                name = key(idea_id)
                if name not in mine:
                    mine[name] = table[name] = list(table.get(name, ()))
                insort(mine[name], idea_id, key=sort_key)

    def _parent(self, idea_id: str) -> str:
        return self.ideas[idea_id]["parent"]

    def _ended(self, old: Index, touched: list[str]) -> None:
        """Bring the lists of what is not final up to date."""
        gone, come = set[str](), dict[str, list[str]]()
        for idea_id in touched:
            was = idea_id in old.ideas and old.ideas[idea_id]["status"] not in FINAL
            now = self.ideas[idea_id]["status"] not in FINAL
            if was and not now:
                gone.add(idea_id)
            elif now and not was:
                come.setdefault(task_of(idea_id), []).append(idea_id)
        for task in {task_of(i) for i in gone} | set(come):
            kept = [i for i in self.live.get(task, ()) if i not in gone] + come.get(task, [])
            self.live[task] = sorted(kept, key=sort_key) if task in come else kept

    def _join(self, before: Mapping[str, Idea], touched: Iterable[str]) -> None:
        """Bring the sets of what was proposed again up to date."""
        for idea_id in touched:
            was = set(_joined(before[idea_id])) if idea_id in before else set[str]()
            for above in was.symmetric_difference(_joined(self.ideas[idea_id])):
                self.again[above] = self.again.get(above, frozenset()) ^ {idea_id}

    def _give_up(self, touched: Iterable[str]) -> None:
        """Bring the sets of what is lost up to date; sets are replaced, for the old index has them too."""
        new: dict[str, set[str]] = {}
        for idea_id in touched:
            task, lost = task_of(idea_id), self.ideas[idea_id]["status"] in LOST
            if lost != (idea_id in new.get(task, self.lost.get(task, ()))):
                mine = new.setdefault(task, set(self.lost.get(task, ())))
                (mine.add if lost else mine.discard)(idea_id)
        self.lost.update((task, frozenset(mine)) for task, mine in new.items())

    def _count(self, idea_id: str, idea: Idea, sign: int) -> None:
        """Count an idea in, or with −1 out."""
        if idea["kind"] != "merge":
            parent = idea["parent"]
            self.visits[parent] = self.visits.get(parent, 0) + sign * idea["N"]
        if idea["kind"] == "leaf":
            call = self.calls.get(idea_id) or self.calls.setdefault(idea_id, _call(idea))
            if idea["status"] in FINAL:
                tried = self.tried.setdefault(task_of(idea_id), {})
                tried[call] = tried.get(call, 0) + sign


class Dag(dict[str, Idea]):
    """A DAG of ideas that is never changed in place; its index goes with it from change to change."""

    __slots__ = ("_index", "_since")

    def __init__(self, ideas: Mapping[str, Idea]) -> None:
        super().__init__(ideas)
        self._index: Index | None = None
        self._since: tuple[Dag, frozenset[str]] | None = None

    def after(self, changes: Mapping[str, Idea]) -> Self:
        """Return the DAG in which these ideas are new or stand for those of the same id."""
        new = type(self)(self)
        dict.update(new, changes)
        # The one it came from is indexed where this one is: it may be asked again, or be the start of others.
        base, since = (self, frozenset[str]()) if self._index or not self._since else self._since
        new._since = (base, since | changes.keys()) if base else None
        return new

    def own(self) -> Self:
        """Return the DAG with ideas of its own; its index tells what stands in this one."""
        new = type(self)(copied(dict(self)))
        new._since = (self, frozenset())
        return new

    @property
    def index(self) -> Index:
        """Return what is known of the structure."""
        if self._index is None:
            came = self._since
            if came is None:
                self._index = Index(self)
            else:  # where nothing has changed since, the answers are the same, also those still to be found
                self._index = came[0].index.after(self, came[1]) if came[1] else came[0].index
            self._since = None
        return self._index

    def __copy__(self) -> Self:
        """Return itself: nothing can change it."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as the plain dict it stands for."""
        return dict, (dict(self),)

    def _frozen(self, *_: object, **__: object) -> Any:
        raise TypeError("A Dag is not changed in place: write a patch, and apply it (apply_patches).")

    if not TYPE_CHECKING:  # to a type checker it is any dict
        __setitem__ = __delitem__ = __ior__ = _frozen
        update = pop = popitem = clear = setdefault = _frozen


def as_dag(ideas: Mapping[str, Idea]) -> Dag:
    """Return the ideas as a Dag, itself where it is one."""
    return ideas if isinstance(ideas, Dag) else Dag(ideas)


def index_of(ideas: Mapping[str, Idea]) -> Index:
    """Return the index of the ideas; of a plain dict it is made anew each time."""
    return ideas.index if isinstance(ideas, Dag) else Index(ideas)


def _call(leaf: Idea) -> str:
    return action_key(leaf["action"]["name"], leaf["action"]["args"])


def above_of(idea: Idea) -> list[str]:
    """Return the parent of an idea, where it has one, and those that proposed it as well."""
    return [above for above in (idea["parent"], *_joined(idea)) if above != NO_PARENT]


def _joined(idea: Idea) -> list[str]:
    return idea.get("joined", [])


def _moved(old: Idea, new: Idea) -> bool:
    """Tell whether an idea is another one under its id: then nothing counted before holds."""
    same = old["parent"] == new["parent"] and old["kind"] == new["kind"]
    return not same or old.get("action") != new.get("action")
