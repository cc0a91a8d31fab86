"""The language-model reasoner: each method renders one prompt, asks once, and reads a grounded reply.

Leaves out retries and cost (`call`), the meaning of replies (`replies.grounding`) and quoting (`quote`).
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ddax.ideas.requirements import FORMS
from ddax.reasoning import protocol as p
from ddax.reasoning.budget import BudgetKeeper
from ddax.reasoning.effort import Effort
from ddax.reasoning.followup import meant
from ddax.reasoning.language import batched, merging
from ddax.reasoning.language.acting import Acting, acted
from ddax.reasoning.language.asked import Ask, Under
from ddax.reasoning.language.call import Caller, Hints
from ddax.reasoning.language.merging import told
from ddax.reasoning.language.provider.channel import Hear, Sampling
from ddax.reasoning.language.provider.retrying import Limits
from ddax.reasoning.language.provider.shortest_way import open_channel
from ddax.reasoning.language.quote import clean, lines, numbered, numbered_lines, printed, quoted
from ddax.reasoning.language.replies import grounding, marked, planned, schemas
from ddax.reasoning.language.room import note_of, passage_room, within
from ddax.reasoning.language.team import Role, Team
from ddax.reasoning.language.telling import Telling, windowed
from ddax.reasoning.language.usage import PriceLike, price_of
from ddax.reasoning.prompts import SHIPPED, Book, Prompt
from ddax.types import Passage, Picture, Usage

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


TOGETHER: tuple[Role, ...] = ("extract", "judge")
"""The roles that may answer several parts by one reply."""
R = TypeVar("R")
W = TypeVar("W", bound=schemas.Wire)


class LanguageReasoner(Telling):
    """Reason with chat models: a team of them, one for each role.

    `arguments` maps actions to their argument models (`{name: action.arguments}` of the registry).
    """

    def __init__(
        self, team: Team, *, name: str, limits: Limits | None = None,
        arguments: planned.ArgumentModels | None = None, release: Callable[[], None] | None = None,
        book: Book = SHIPPED,
    ) -> None:  # fmt: skip
        self.name, self._team, self._release = name, team, release
        self._limits = limits or Limits()
        self._arguments, self._book = arguments or {}, book
        self._under = Under()
        self._effort: Effort = "full"

    @classmethod
    def over(
        cls, model: BaseChatModel, *, name: str, prices: Mapping[str, PriceLike],
        clock: Callable[[], float], rng: np.random.Generator, limits: Limits | None = None, key: str = "",
        arguments: planned.ArgumentModels | None = None, wall: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep, sees: bool | None = None,
    ) -> LanguageReasoner:  # fmt: skip
        """Reason with one chat model, which must not retry itself: `max_retries=0`.

        `name` is `provider:model`, under which its price stands in `prices`; `key` the environment
        variable of its key, for messages. `clock` is monotonic, `wall` the epoch time, both in seconds.
        `sees` says whether it takes pictures; None goes by what is known of it.
        """
        bounds = limits or Limits()
        caller = Caller(
            open_channel(model), name=name, hints=Hints(key), price=price_of(name, prices), limits=bounds,
            clock=clock, wall=wall, rng=rng, sleep=sleep, sees=sees,
        )  # fmt: skip
        return cls(Team.of_one(caller), name=name, limits=bounds, arguments=arguments)

    def bound(
        self, keeper: BudgetKeeper, *, effort: Effort = "full", hear: Hear | None = None
    ) -> LanguageReasoner:
        """Return this reasoner with the caps of `keeper` checked between the calls of one request.

        `hear` is told the pieces of replies while they are written.
        """
        twin = copy(self)
        twin._under, twin._effort = Under(keeper, hear), effort
        return twin

    async def close(self) -> None:
        """Close what was opened for this reasoner: connections, the cache of replies, a local server."""
        await self._team.close()
        if self._release is not None:
            await asyncio.to_thread(self._release)

    plans_together = answers_together = True
    """Whether one request may ask for several plans, for several judgments or readings."""

    @property
    def room(self) -> int:
        """Return the characters of passages that one request for several parts has beside a short task."""
        windows = (self._team.window(role, "lean") for role in TOGETHER)
        return min(passage_room(within(self._limits, window), "") for window in windows)

    @property
    def free_of_charge(self) -> bool:
        """Say whether every model's price is known and zero."""
        return self._team.free_of_charge

    @property
    def sees(self) -> bool:
        """Say whether a model that plans takes pictures."""
        return self._team.sees

    async def _ask(
        self, role: Role, prompt: Prompt, form: type[W], read: Callable[[W], R],
        sampling: Sampling | None = None, *, choices: Mapping[str, Sequence[str]] | None = None,
        picture: Picture | None = None, acting: Acting | None = None,
    ) -> tuple[R, Usage]:  # fmt: skip
        ask = Ask(prompt, form, read, sampling or Sampling(), choices or {}, picture, acting)
        return await self._team.ask(role, ask, self._under, effort=self._effort)

    @windowed("plan")
    async def expand(self, request: p.ExpandRequest) -> p.Expansion:
        """Plan a sub-DAG; actions, sources and edges are checked by code."""
        known = self._sources(request)
        named = {name: passage.source for name, passage in known.items()}
        findings = self._findings(request.findings)
        more = {} if request.others else {"forms": "" if request.depth else "; ".join(FORMS)}
        prompt = self._book.render(
            "plans" if request.others else "expand", brief=told(planned.of_plan(request)),
            task=self._task(request.task), idea=self._idea(request),
            depth=str(request.depth), max_depth=str(request.max_depth), width=str(request.width),
            reads_left=planned.visits(request), actions=self._actions(planned.open_actions(request)),
            sources=self._listed(known), read=self._data("read", lines(request.read)),
            lessons=self._data("lessons", lines(request.lessons)), findings=findings,
            evidence=self._passages(numbered(request.evidence), meant(request.task, request.earlier)),
            earlier=self._earlier(request.earlier),
            tools=self._tools(request.tools), **more,
        )  # fmt: skip
        prompt = prompt.followed(self._world(request.seen), "passages")
        sampling = Sampling(request.temperature, request.seed)
        reply, usage = await self._planned(prompt, request, named, sampling)
        return replace(reply, usage=usage)

    async def _planned(
        self, prompt: Prompt, request: p.ExpandRequest, named: Mapping[str, str], sampling: Sampling
    ) -> tuple[p.Expansion, Usage]:
        """Ask for the plan of one idea, or for those of several."""
        arguments = self._arguments
        choices = {
            "ActionWire.name": planned.open_actions(request),
            "ArgumentWire.name": [
                name for action in request.actions for name in planned.asked_for(action, arguments)
            ],
        }
        if request.others:
            return await self._ask(
                "plan", prompt, schemas.PlansWire,
                lambda found: planned.expansions(found, request, named, arguments), sampling, choices=choices,
            )  # fmt: skip
        return await self._ask(
            "plan", prompt, schemas.ExpandWire,
            lambda found: planned.expansion(found, request, named, arguments), sampling, choices=choices,
            picture=request.seen.picture if request.seen is not None else None,
        )  # fmt: skip

    @windowed("plan")
    async def act(self, request: p.ActRequest) -> p.Acted:
        """Choose the next calls of a leaf of several turns, or say what came of it."""
        acting = Acting(request.tools, request.done, self._limits.passage_characters)
        prompt = self._book.render(
            "act", brief=told(request.brief), task=self._task(request.task),
            intent="" if request.intent == request.task else clean(request.intent),
            findings=self._findings(request.findings),
        )  # fmt: skip
        reply, usage = await self._ask(
            "plan", prompt, schemas.ActWire, lambda found: acted(found, acting, self._arguments),
            Sampling(seed=request.seed), acting=acting, choices=acting.choices(self._arguments),
        )  # fmt: skip
        return replace(reply, usage=usage)

    @windowed("plan")
    async def predict(self, request: p.PredictRequest) -> p.Prediction:
        """Forecast the outcome of an action."""
        prompt = self._book.render(
            "predict", task=self._task(request.task),
            action=self._data("action", json.dumps(request.action, ensure_ascii=False, sort_keys=True)),
            evidence=self._passages(numbered(request.evidence), request.task),
        )  # fmt: skip
        reply, usage = await self._ask("plan", prompt, schemas.PredictWire, grounding.prediction)
        return replace(reply, usage=usage)

    def _shown(
        self, request: p.ExtractRequest | p.JudgeRequest, passages: Sequence[Passage]
    ) -> tuple[dict[str, Passage], dict[str, str]]:
        """Return the passages that have room in the prompt by their names, and what is told of each."""
        named = numbered(passages)
        texts = self._texts(named, request.task, batched.about(request))
        return {name: named[name] for name in texts} or named, texts

    @windowed("extract")
    async def extract(self, request: p.ExtractRequest) -> p.Extraction:
        """Take claims from passages, each with a quote that stands in one of them."""
        count = 1 + len(request.others)
        named, texts = self._shown(request, batched.passages_of(request))
        request, places = batched.told_pages(request, named, self._limits.text_characters)
        form: Any = schemas.ExtractsWire if request.others else schemas.ExtractWire
        read: Any = batched.extractions if request.others else grounding.extraction
        more = batched.asked(request, named)
        prompt = self._book.render(
            "extracts" if request.others else "extract", task=self._task(request.task),
            passages=printed(named, texts), limit=str(request.limit),
            **{key: self._data(key, text) for key, text in more.items()},
        )  # fmt: skip
        reply: p.Extraction
        reply, usage = await self._ask(
            "extract", prompt, form, lambda found: read(found, request, named),
            choices={"ClaimWire.passage": tuple(named)},
        )  # fmt: skip
        return batched.spread(replace(reply, usage=usage), places, count, batched.UNREAD)

    @windowed("argue")
    async def argue(self, request: p.ArgueRequest) -> p.Argument:
        """Argue for one side, with quotes."""
        named = numbered(request.evidence)
        prompt = self._book.render(
            "argue", task=self._task(request.task), side=request.side, rho=f"{request.rho:.2f}",
            idea=self._data("idea", request.idea), expected=self._data("expected", request.expected),
            result=self._data("result", request.result), heard=self._data("heard", lines(request.heard)),
            evidence=self._passages(named, request.task, f"{request.idea} {request.result}"),
        )  # fmt: skip
        reply, usage = await self._ask(
            "argue", prompt, schemas.ArgueWire, lambda found: grounding.argument(found, named),
            choices={"CitationWire.passage": tuple(named)},
        )  # fmt: skip
        return replace(reply, usage=usage)

    @windowed("judge")
    async def judge(self, request: p.JudgeRequest) -> p.Judgment:
        """Value a result by the rubric."""
        count = 1 + len(request.others)
        named, texts = self._shown(request, batched.evidence_of(request))
        request, places = batched.told_results(request, named, self._limits.text_characters)
        form: Any = schemas.JudgesWire if request.others else schemas.JudgeWire
        read: Any = batched.judgments if request.others else grounding.judgment
        more = batched.case(request, named)
        prompt = self._book.render(
            "judges" if request.others else "judge", task=self._task(request.task),
            rubric=lines(request.rubric), rho=f"{request.rho:.2f}",
            lessons=self._data("lessons", lines(request.lessons)),
            evidence=printed(named, texts), **{key: self._data(key, text) for key, text in more.items()},
        )  # fmt: skip
        reply: p.Judgment
        reply, usage = await self._ask(
            "judge", prompt, form, lambda found: read(found, request),
            choices={"ReasonWire.criterion": request.rubric},
        )  # fmt: skip
        return batched.spread(replace(reply, usage=usage), places, count, batched.LOST)

    @windowed("merge")
    async def merge(self, request: p.MergeRequest) -> p.Synthesis:
        """Put findings together into a document; where there is nothing to read, say what the model knows."""
        if "merge" in self._book.own and "settle" not in self._book.own:  # who words one means both
            request = replace(request, settling=False)
        named = numbered([*request.evidence, *merging.cited(request)])
        asked = clean(meant(request.task, request.earlier))
        room, about = passage_room(self._limits, asked), f"{asked} {request.idea}"
        self._leave_out(named, room)
        settling = merging.settles(request)
        sentences = marked.sentences_of(named, room, about) if settling else []
        prompt = merging.prompt_of(
            request, self._book, task=self._task(request.task), idea=self._idea(request),
            passages=marked.told(sentences, named) if settling else quoted(named, room, about),
            findings=self._data("reading", request.findings[0].result)
            if settling and request.findings else self._findings(request.findings),
            thoughts=self._data("thoughts", lines(request.thoughts)), earlier=self._earlier(request.earlier),
        )  # fmt: skip
        reply, usage = await self._ask(
            "merge", prompt, merging.wire_of(request),
            lambda found: merging.read(found, request, named, sentences),
            Sampling(seed=request.seed), choices={"CitationWire.passage": tuple(named)},
        )  # fmt: skip
        note = note_of(clean(request.task), self._limits)
        return replace(reply, usage=usage, notes=(*reply.notes, note) if note else reply.notes)

    @windowed("plan")
    async def reflect(self, request: p.ReflectRequest) -> p.Lesson:
        """Learn one lesson from a transition."""
        prompt = self._book.render(
            "reflect", task=self._task(request.task), kind=request.kind, epsilon=f"{request.epsilon:.2f}",
            action=self._data("action", request.action), expected=self._data("expected", request.expected),
            actual=self._data("actual", request.actual),
        )  # fmt: skip
        reply, usage = await self._ask("plan", prompt, schemas.ReflectWire, grounding.lesson)
        return replace(reply, usage=usage)

    @windowed("repair")
    async def propose_patches(self, request: p.PatchRequest) -> p.Patches:
        """Propose distinct repairs of a program."""
        prompt = self._book.render(
            "propose_patches", goal=self._data("goal", request.goal), n=str(request.n),
            suspicious=self._data("lines", numbered_lines(request.code, request.suspicious)),
            code=self._program(request.shown or request.code), called=self._data("called", request.called),
            failures=self._data("failures", "\n\n".join(request.failures)),
            tried=self._data("tried", "\n".join(request.tried)),
        )  # fmt: skip
        reply, usage = await self._ask(
            "repair", prompt, schemas.PatchesWire, lambda found: grounding.patches(found, request.code,
            request.n),
            Sampling(seed=request.seed),
        )  # fmt: skip
        return replace(reply, usage=usage)

    @windowed("repair")
    async def mutate_patch(self, request: p.MutateRequest) -> p.Patches:
        """Change a failed candidate."""
        candidate = request.candidate
        prompt = self._book.render(
            "mutate_patch", goal=self._data("goal", request.goal),
            hypothesis=self._data("hypothesis", f"{candidate.hypothesis}\n{candidate.reasoning}"),
            code=self._program(request.shown or candidate.code), report=self._data("report", request.report),
        )  # fmt: skip
        reply, usage = await self._ask(
            "repair", prompt, schemas.PatchesWire,
            lambda found: grounding.patches(found, candidate.code, grounding.MUTATIONS),
            Sampling(seed=request.seed),
        )  # fmt: skip
        return replace(reply, usage=usage)

    @windowed("plan")
    async def ask(self, request: p.AskRequest) -> p.Question:
        """Write a question to a human."""
        prompt = self._book.render(
            "ask", task=self._task(request.task), situation=self._data("situation", request.situation),
            options=self._data("options", lines(request.options)),
            evidence=self._passages(numbered(request.evidence), request.task),
        )  # fmt: skip
        reply, usage = await self._ask("plan", prompt, schemas.AskWire, grounding.question)
        return replace(reply, usage=usage)
