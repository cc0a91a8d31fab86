"""A leaf of several turns: call, look, call again, until its aim is reached.

Each turn asks for the next calls, and each call is an action like any other (`act.once`): under the policy,
in the ledger, with an origin. Turns and calls are rows under their place in the leaf, so that a leaf which
was killed, or waited for a human, goes on behind the last of them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from itertools import groupby
from typing import cast

from ddax.actions.described import offered
from ddax.actions.protocol import Action, ActionResult, of_descriptions
from ddax.actions.work import WorkArguments, tools_for
from ddax.errors import ActionError, BudgetExceeded, ReasonerError, StateError, Unavailable
from ddax.graph.services import Session
from ddax.graph.state import LeafPacket
from ddax.ideas.idea import MAX_EVIDENCE, RESULT_BYTES, clip
from ddax.ideas.origins import Origins, join, read
from ddax.memory.gate.instructions import without_orders
from ddax.memory.protocol import MANY
from ddax.reasoning.acting import Acted, Call, Called
from ddax.reasoning.protocol import ActingReasoner, ActRequest, Finding
from ddax.reasoning.sourced import TOLD, of_request, sourced
from ddax.steps.accounts.leaf_ledger import TURNS
from ddax.steps.accounts.long_arguments import whole
from ddax.steps.findings.gather import brief_from, whole_text
from ddax.steps.leaves.failure_rows import failed, failure
from ddax.steps.leaves.permission import Held, said_of
from ddax.types import ActionCall, JsonDict, Usage
from ddax.wording import amount

Once = Callable[[LeafPacket, Session, str], Awaitable["JsonDict | Held"]]
UNFINISHED = "unfinished"
"""The kind of the error of a leaf that was ended before its aim was reached."""
AT_ONCE = 16
"""Calls of one turn that are made; the others are told to wait."""
WHOLE = 8_000
"""Characters of a result that the next turn is told."""
UNMADE = frozenset({"repeated", "too_many", "unknown_action", "refused"})
"""Kinds of calls that were not made, for reasons that are no failure of a tool."""
STUCK = 2
"""Results of one call, word for word the same, after which it is not made once more."""
CYCLE, FAILED_ROUNDS = 4, 4
"""Turns that are looked for as a round at most, and rounds in which nothing succeeds that are made."""
ROUND = "the same calls were asked for once more, and had brought the same each time"
SAME = (
    "this very call was made just now, and its result stands above. Say what was done; only where it is meant"
    " to happen once more, make it again"
)
"""What is told of a call that changes something and is asked for a second time."""


async def work(packet: LeafPacket, session: Session, once: Once) -> JsonDict | Held:
    """Return the row of a leaf of several turns, or the call of it that waits for a human."""
    try:
        arguments = session.actions.arguments(packet["action"])
    except ActionError as error:
        return failed(error, session.redactor.text)
    tools = tools_for(cast(WorkArguments, arguments), session.actions)
    if not tools:
        return failure("no_tools", "there is no tool to work with")
    chain = await _opened(packet, session, once, tools)
    try:
        row = await chain.run()
    except Unavailable:
        raise  # the run breaks off, to be resumed
    except (BudgetExceeded, ReasonerError) as error:
        row = chain.cut_short(session.redactor.text(str(error)), failed(error, session.redactor.text))
    spent = chain.spent()
    return replace(row, usage=spent) if isinstance(row, Held) else {**row, "usage": spent}


async def _opened(packet: LeafPacket, session: Session, once: Once, tools: tuple[Action, ...]) -> _Chain:
    """Return a leaf with the turns that were asked for before."""
    rows = await session.memory.rows(TURNS, task=packet["work"]["id"], leaf=packet["leaf"], limit=MANY)
    known = {int(row["turn"]): row for row in rows}
    reasoner = cast(ActingReasoner, session.metered(packet["work"]["id"], packet["usage"]))
    needed = join(*(one["origins"] for one in packet.get("known", ())))
    return _Chain(
        packet, session, once, {tool.name: tool for tool in tools}, reasoner, known,
        origins=join(packet["origins"], needed),
    )  # fmt: skip


@dataclass
class _Chain:
    """One leaf under way: its turns by their number, the calls made, and what was read for them."""

    packet: LeafPacket
    session: Session
    once: Once
    tools: Mapping[str, Action]
    reasoner: ActingReasoner
    turns: dict[int, JsonDict]
    done: list[Called] = field(default_factory=list)
    rows: list[JsonDict] = field(default_factory=list)
    origins: Origins = frozenset()
    again: Usage = field(default_factory=Usage)
    """The cost of turns that were paid in this superstep before it broke off."""

    @property
    def place(self) -> str:
        return f"{self.packet['work']['id']}:{self.packet['leaf']}"

    async def run(self) -> JsonDict | Held:
        """Take turns until there is a result, a call waits for a human, or the cap is reached."""
        most = self.session.settings.budget.max_turns
        for turn in range(most):
            reply = await self._turn(turn)
            if not reply.calls:
                return self._finished(reply.text)
            if self._is_stuck(reply.calls):
                return self._finished(next(one.text for one in reversed(self.done) if one.ok))
            if self._goes_round(reply.calls):
                return self.cut_short(ROUND)
            for n, call in enumerate(reply.calls):
                row = await self._called(f"{turn}.{n}", call) if n < AT_ONCE else _too_many()
                if isinstance(row, Held):
                    return row
                self._note(turn, call, row)
        return self.cut_short(f"the cap max_turns={most} is reached")

    async def _turn(self, turn: int) -> Acted:
        """Return the reply of a turn: from its row, or a new one, which is kept before its calls are made."""
        if (row := self.turns.get(turn)) is not None:
            return self._given_again(turn, row)
        request = await self._request()
        if not callable(getattr(self.session.reasoner, "act", None)):  # the thread began with another one
            raise ReasonerError(
                f"Without a model nobody chooses calls of {', '.join(self.tools)}.",
                why="What a tool is for stands in its author's own words, which take a model to read.",
                mend="Name a model with `model` (--model provider:model).",
            )
        reply = await self.reasoner.act(request)
        task, leaf = self.packet["work"]["id"], self.packet["leaf"]
        row = {
            "task": task, "leaf": leaf, "turn": turn, "step": self.packet["step"], "text": reply.text,
            "calls": [{"name": call.name, "args": dict(call.args)} for call in reply.calls],
            "origins": read(of_request(request)), "usage": reply.usage.row(),
        }  # fmt: skip
        row = self.session.redactor.value(row)
        await self.session.memory.log(TURNS, row, key=f"{self.place}:{turn}")
        self.session.keepers[task].paid(f"{self.place}:{turn}")
        self.origins = join(self.origins, row["origins"])
        return _reply(row)

    def _given_again(self, turn: int, row: JsonDict) -> Acted:
        if int(row["step"]) == self.packet["step"]:  # else it stands in the usage of the state
            usage = Usage.of_row(row["usage"])
            self.again += usage
            self.session.keepers[self.packet["work"]["id"]].add_once(f"{self.place}:{turn}", usage)
        self.origins = join(self.origins, row["origins"])
        return _reply(row)

    async def _request(self) -> ActRequest:
        packet, session, tools = self.packet, self.session, tuple(self.tools.values())
        told = packet.get("known", ())
        request = ActRequest(
            task=await whole_text(session, packet["work"]["id"]) or packet["work"].get("text", ""),
            intent=str(packet["action"]["args"]["aim"]),
            tools=offered(tools),
            done=tuple(self.done),
            findings=tuple(Finding(k["id"], k["title"], k["status"], k["result"]) for k in told),
            brief=brief_from(packet["work"], session),
            seed=session.settings.seed,
        )
        return sourced(
            request, task=TOLD, brief=TOLD, intent=packet["origins"], tools=of_descriptions(tools),
            done=self.origins, findings=join(*(known["origins"] for known in told)),
        )  # fmt: skip

    async def _called(self, place: str, call: Call) -> JsonDict | Held:
        """Return the row of one call; what cannot be called is told, and left out of the ledger."""
        packet, session = self.packet, self.session
        if call.name not in self.tools:
            return failure("unknown_action", _unknown(call.name, tuple(self.tools)))
        action = ActionCall(name=call.name, args=dict(call.args), intent=packet["action"]["intent"])
        said = await said_of(session, task=packet["work"]["id"], leaf=packet["leaf"], turn=place)
        if said is not None and not said["approved"]:
            return failure("refused", f"a human refused this call of {call.name}")
        try:
            action = await whole({**action, "args": said["args"]}, session) if said else action
            session.actions.arguments(action)
        except (ActionError, StateError) as error:
            return failed(error, session.redactor.text)
        if said is None and self._is_doubled(place, call):
            return failure("repeated", SAME)
        if call.name == "visit" and self._visits() >= session.settings.budget.max_reads:
            return failure("not_allowed", "no more documents may be visited")
        made: LeafPacket = {**packet, "action": action, "origins": sorted(self.origins), "turn": place}
        row = await self.once(made, session, f"{packet['leaf']}:{place}")
        if not isinstance(row, Held):
            return {**row, "made": action["args"]} if said else row
        if session.settings.human:
            return replace(row, more={"turn": place})
        return failure("not_allowed", f"nobody is there to ask: {row.reason}")

    def _is_stuck(self, calls: Sequence[Call]) -> bool:
        """Tell whether the one call asked for was made in the last turns, and brought the same each time."""
        last = [one for one in self.done if one.ok][-STUCK:]
        same = len(calls) == 1 and all(one.call == calls[0] for one in last)
        return same and len({one.turn for one in last}) == STUCK and len({one.text for one in last}) == 1

    def _goes_round(self, calls: Sequence[Call]) -> bool:
        """Tell whether the last turns are one round made again and again, which these calls would begin anew.

        A round is a turn or a few; each time its calls and all of their results were the same.
        """
        turns = [[*made] for _, made in groupby(self.done, key=lambda one: one.turn)]
        rounds = [[(one.call, one.ok, one.text) for one in made] for made in turns]
        for length in range(1, CYCLE + 1):
            last = rounds[-length:]
            if len(last) < length or [call for call, _, _ in last[0]] != [*calls]:
                continue
            times = STUCK if any(ok for made in last for _, ok, _ in made) else FAILED_ROUNDS
            if rounds[-times * length :] == last * times:
                return True
        return False

    def _is_doubled(self, place: str, call: Call) -> bool:
        """Tell whether a call that changes something is the last one made, which its turn was told of."""
        last = self.done[-1] if self.done else None
        told = last is not None and last.ok and last.call == call and last.turn < int(place.partition(".")[0])
        return told and not self.tools[call.name].repeatable

    def _visits(self) -> int:
        return sum(one.ok and one.call.name == "visit" for one in self.done)

    def _note(self, turn: int, call: Call, row: JsonDict) -> None:
        """Take a call with its result into what the next turn is told."""
        self.rows.append(row)
        call = Call(call.name, row.get("made", call.args))  # a human may have changed it
        self.done.append(Called(turn, call, bool(row["ok"]), str(row.get("told") or row["text"])))
        self.origins = join(self.origins, row.get("origins", ()))

    def _finished(self, text: str) -> JsonDict:
        row = {"ok": True, "text": clip(text, RESULT_BYTES), **self._brought()}
        return row | ({"lost": lost} if (lost := self._lost()) else {})

    def _lost(self) -> str:
        """Return which tools failed and did not succeed later, with the cause; "" where none did."""
        made = zip(self.done, self.rows, strict=True)
        last = {one.call.name: row for one, row in made if row["ok"] or row["kind"] not in UNMADE}
        return "; ".join(
            f"{name}: {row.get('cause', row['text'])}" for name, row in last.items() if not row["ok"]
        )

    def cut_short(self, why: str, row: JsonDict | None = None) -> JsonDict:
        """Return the row of a leaf that was ended: with what was found so far, where that is anything."""
        good = [(called, row) for called, row in zip(self.done, self.rows, strict=True) if called.ok]
        why = f"unfinished after {amount(len(self.done), 'call')}: {why}"
        if not good:
            return row or failure(UNFINISHED, why)
        told = "; ".join(f"{called.call.name}: {' '.join(row['text'].split())}" for called, row in good[::-1])
        text = clip(f"Not finished. Last found: {told}", RESULT_BYTES)
        return {"ok": True, "text": text, "unfinished": why, **self._brought()}

    def _brought(self) -> JsonDict:
        """Return what all calls brought: the newest rows of evidence, and all origins."""
        ids = dict.fromkeys(i for row in reversed(self.rows) for i in row["evidence"])
        return {"evidence": [*ids][:MAX_EVIDENCE][::-1], "origins": read(self.origins)}

    def spent(self) -> JsonDict:
        """Return what the leaf cost in this superstep, also before it broke off."""
        usage = self.again + Usage.of_row(self.session.paid) if self.session.paid else self.again
        return usage.row() if usage.model_calls or usage.hits else {}


def _reply(row: JsonDict) -> Acted:
    return Acted(tuple(Call(call["name"], call["args"]) for call in row["calls"]), row["text"])


def _unknown(name: str, tools: Sequence[str]) -> str:
    near = get_close_matches(name, tools, n=1, cutoff=0.5)
    meant = f"; the nearest is {near[0]!r}" if near else ""
    return f"there is no tool {name!r}{meant}; there are {', '.join(tools)}"


def _too_many() -> JsonDict:
    return failure("too_many", f"only {AT_ONCE} calls are made in one turn; make this one in the next")


def whole_told(result: ActionResult, cut: Callable[[str, int], str], *, clean: bool) -> str:
    """Return what the next turn is told of a result: its texts, else its summary, and what was found."""
    texts = [page.text for page in result.pages] or [result.summary]
    hits = [f"{hit.title} ({hit.source}): {hit.snippet}" for hit in result.hits]
    text = "\n".join([*texts, *hits])
    text = without_orders(text) if clean else text
    more = f" [... {len(text) - WHOLE} characters cut]" if len(text) > WHOLE else ""
    return cut(text, WHOLE) + more
