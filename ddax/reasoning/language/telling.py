"""How the parts of a request are written into a prompt, within the window of the model that is asked.

A request that comes out longer than the window, or that a model refuses as too long, is written again with
less of what was read: what bears most on it stays. Leaves out the requests themselves (`reasoner`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import wraps
from typing import Any, Self, TypeVar, cast

from ddax.errors import ReasonerError
from ddax.reasoning import protocol as p
from ddax.reasoning.background import Tool, Turn
from ddax.reasoning.budget import charge, usage_of
from ddax.reasoning.effort import Effort
from ddax.reasoning.language.asked import Under
from ddax.reasoning.language.cutting import cut
from ddax.reasoning.language.provider.retrying import Limits
from ddax.reasoning.language.provider.window import Measure, fits, narrower
from ddax.reasoning.language.quote import block, clean, lines, printed, shorten
from ddax.reasoning.language.replies import planned
from ddax.reasoning.language.room import passage_room, told_of, within
from ddax.reasoning.language.team import Role, Team
from ddax.reasoning.prompts import Book
from ddax.types import Passage, Usage

SNIPPET = 200
"""Characters shown of a source that may be visited."""
LISTED = 12
"""Sources shown, or as many as a plan may have children: what was found first bears most on the task."""
TRIES = 6
"""How often a request is written shorter before it is given up."""
SHORTER = 0.9
"""Share of what fits by our count that a request is written for the next time."""


Method = TypeVar("Method", bound=Callable[..., Coroutine[Any, Any, Any]])


class Telling:
    """The parts of prompts, within limits."""

    _limits: Limits
    _team: Team
    _under: Under
    _effort: Effort
    _book: Book
    _arguments: planned.ArgumentModels
    _unshown: int = 0
    """Characters of what was read that were left out of the prompt."""

    def _within(self, role: Role, share: float, spent: Usage, measure: Measure) -> Self:
        """Return this with the limits of the models of a role, and what the request was found to be."""
        twin = copy(self)
        window = narrower(self._team.window(role, self._effort), measure.window)
        twin._limits = within(self._limits, window, share)
        twin._under = replace(self._under, spent=spent, measure=measure)
        return twin

    def _world(self, seen: p.Seen | None) -> str:
        """Return what is told of the world the task is done in; "" where there is none."""
        if seen is None:
            return ""
        text = block("seen", shorten(seen.text, self._limits.passage_characters))
        told = self._book.render("seen", seen=text, elements=self._data("elements", lines(seen.elements)))
        return f"\n\n{told.user}"

    def _earlier(self, turns: Sequence[Turn]) -> str:
        rows = (
            {"asked": x.question, "read as": x.read_as, "answered": x.answer, "sources": x.sources}
            for x in turns
        )
        told = ({key: value for key, value in row.items() if value} for row in rows)
        return self._data("earlier", "\n".join(json.dumps(row, ensure_ascii=False) for row in told))

    def _task(self, text: str) -> str:
        """Return the user's own words: not as data, but without signs that nobody sees."""
        return told_of(clean(text), self._limits)

    def _idea(self, request: p.ExpandRequest | p.MergeRequest) -> str:
        """Return the idea as data, or several by their numbers; "" where it is the task or its beginning."""
        if isinstance(request, p.ExpandRequest) and request.others:
            rows = (
                f"{n} {' '.join(one.split())}" for n, one in enumerate((request.idea, *request.others), 1)
            )
            return self._data("ideas", "\n".join(rows))
        title = " ".join(request.idea.removesuffix("…").split())
        whole = " ".join(request.task.split()).startswith(title)
        return "" if whole else self._data("idea", request.idea)

    def _data(self, label: str, text: str) -> str:
        return block(label, shorten(text, self._limits.text_characters)) if text.strip() else ""

    def _passages(self, named: Mapping[str, Passage], task: str = "", about: str = "") -> str:
        """Return passages as data; where they are too long, what bears on the task and `about`."""
        return printed(named, self._texts(named, task, about))

    def _texts(self, named: Mapping[str, Passage], task: str, about: str) -> dict[str, str]:
        """Return what is told of passages by their names, without those of which nothing is."""
        room = passage_room(self._limits, clean(task))
        self._leave_out(named, room)
        return {name: text for name, text in cut(named, room, f"{task} {about}").items() if text}

    def _leave_out(self, named: Mapping[str, Passage], room: int) -> None:
        """Note how much of what was read does not fit."""
        self._unshown += max(0, sum(len(passage.text) for passage in named.values()) - room)

    def _program(self, code: str) -> str:
        """Quote a whole program; refuses one that is too long, since a cut one cannot be mended."""
        limit = self._limits.code_characters
        if len(code) > limit:
            raise ReasonerError(
                f"The program has {len(code)} characters; at most {limit} fit a prompt.",
                why="A program that is cut off cannot be repaired.",
                mend="Repair a smaller file.",
            )
        return block("program", code)

    def _actions(self, names: Iterable[str]) -> str:
        rows = (f"- {name}({', '.join(planned.asked_for(name, self._arguments))})" for name in names)
        return "\n".join(rows)

    def _tools(self, tools: Sequence[Tool]) -> str:
        """Return what authors say of their tools: the user's own as it is, that of others as data."""
        told = [f"{tool.name}: {clean(tool.text)}" for tool in tools if not tool.foreign]
        data = [block("tool", f"{tool.name}: {tool.text}") for tool in tools if tool.foreign]
        return "\n\n".join([*told, *data])

    def _sources(self, request: p.ExpandRequest) -> dict[str, Passage]:
        """Name the sources that may be visited S1, S2, ...: found or known, and not yet read."""
        if request.reads_left <= 0:
            return {}  # a plan that visits none of them need not hear of them
        unread = [x for x in (*request.hits, *request.evidence) if x.source and x.source not in request.read]
        first = {passage.source: passage for passage in reversed(unread)}
        ordered = [*dict.fromkeys(passage.source for passage in unread)][: max(LISTED, request.width)]
        return {f"S{n}": first[source] for n, source in enumerate(ordered, 1)}

    def _listed(self, known: Mapping[str, Passage]) -> str:
        rows = (
            f"{name} " + json.dumps(
                {"title": x.title, "source": x.source, "says": x.text[:SNIPPET]}, ensure_ascii=False
            )
            for name, x in known.items()
        )  # fmt: skip
        text = "\n".join(rows)
        return block("sources", shorten(text, self._limits.passage_characters)) if text else ""

    def _findings(self, findings: Iterable[p.Finding]) -> str:
        rows = (
            json.dumps({"title": f.title, "status": f.status, "result": f.result}, ensure_ascii=False)
            for f in findings
        )
        text = "\n".join(rows)
        return block("findings", shorten(text, self._limits.passage_characters)) if text else ""


def windowed(role: Role) -> Callable[[Method], Method]:
    """Have a request written within the window of the models of a role, and again where it is too long.

    Of the calls that a model refuses as too long one is made up for by a further one; what we count as too
    long is not sent at all.
    """

    def wrap(method: Method) -> Method:
        @wraps(method)
        async def asked(self: Telling, request: Any) -> Any:
            spent, share, measure = Usage(), 1.0, Measure()
            for left in reversed(range(TRIES)):
                twin = self._within(role, share, spent, measure)
                try:
                    reply: Any = await method(twin, request)
                except BaseException as error:
                    cost, before = usage_of(error), spent.model_calls
                    spent += cost
                    charge(error, spent)
                    part, measure = fits(error)
                    if not part or not left or (before and cost.model_calls):
                        raise
                    # What was refused told a window, by which it is written shorter in any case.
                    share *= 1.0 if cost.model_calls else min(SHORTER, part)
                else:
                    cost = spent + reply.usage + Usage(unshown=twin._unshown)
                    return replace(reply, usage=cost)
            raise AssertionError("the last try returns or raises")

        return cast("Method", asked)

    return wrap
