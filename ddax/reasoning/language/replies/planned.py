"""From a plan in wire form to proposals: what is wrong in one child costs that child, not the plan.

An edge that points nowhere or closes a circle is dropped; an action that is not known, or a source that
is none, becomes a search where that can be done, else the child is left out. All of it is counted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic.json_schema import SkipJsonSchema

from ddax.reasoning import protocol as p
from ddax.reasoning.language.quote import clean
from ddax.reasoning.language.replies import schemas as w
from ddax.reasoning.language.replies.schemas import Unfit
from ddax.types import ActionCall, JsonDict, Proposal, Usage

ArgumentModels = Mapping[str, type[BaseModel]]
FALLBACK_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "search": ("query",), "visit": ("source",), "save": ("text", "title"), "think": ("about",),
}  # fmt: skip
"""Arguments of the built-in actions, used where no models are given."""
SEARCH, VISIT, LOOK = "search", "visit", "look"
ONE_ARGUMENT = frozenset({SEARCH, VISIT, "think"})
"""Actions that change nothing and have one argument: it is meant whatever it is called."""
_SKIPS = get_args(SkipJsonSchema[str])[1]
"""What pydantic keeps beside a field that the schema skips."""


def argument_names(action: str, models: ArgumentModels) -> tuple[str, ...]:
    """Return the arguments of an action that the model fills in; the intent is asked for beside them."""
    if action in models:
        return tuple(name for name in _fields(models[action]) if name != "intent")
    return FALLBACK_ARGUMENTS.get(action, ())


def asked_for(action: str, models: ArgumentModels) -> list[str]:
    """Return the arguments that a model is told of: all but those that their schema skips."""
    fields = _fields(models[action]) if action in models else {}
    return [name for name in argument_names(action, models) if not _skipped(fields.get(name))]


def _skipped(field: FieldInfo | None) -> bool:
    return field is not None and _SKIPS in field.metadata


def _fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields of a model by the names they are given by."""
    return {said.alias or name: said for name, said in model.model_fields.items()}


@dataclass(frozen=True)
class _Terms:
    """What a plan may do: the request, the sources by the names they go by, and the arguments of actions."""

    request: p.ExpandRequest
    sources: Mapping[str, str]
    models: ArgumentModels

    @property
    def searches(self) -> bool:
        return SEARCH in self.request.actions

    @property
    def deepest(self) -> bool:
        return self.request.depth + 1 >= self.request.max_depth


def visits(request: p.ExpandRequest) -> str:
    """Return how many visits may be planned in words; "" where none can be."""
    return f", at most {request.reads_left} visits" if VISIT in request.actions else ""


def of_plan(request: p.ExpandRequest) -> p.Brief:
    """Return what a plan is told of the whole task; who answers was told to the first of them."""
    return replace(request.brief, identity="") if request.others else request.brief


def open_actions(request: p.ExpandRequest) -> list[str]:
    """Return the actions that can still be planned: no visit once none is left, no look at what is seen."""
    spent = {VISIT} if request.reads_left <= 0 else set()
    spent |= {LOOK} if request.seen is not None else set()
    return [name for name in request.actions if name not in spent]


def expansion(
    reply: w.ExpandWire, request: p.ExpandRequest, sources: Mapping[str, str], models: ArgumentModels
) -> p.Expansion:
    """Read a plan; `sources` maps the names of the sources that may be visited to their URIs.

    Raises `Unfit` where nothing is left of it.
    """
    terms = _Terms(request, sources, models)
    kept = reply.children[: request.width]
    found: dict[int, Proposal] = {}
    faults: list[str] = []
    mended = visits = 0
    for place, child in enumerate(kept):
        try:
            proposal, changed = _proposal(child, terms)
            visits += _is_visit(proposal)
            if _is_visit(proposal) and visits > request.reads_left:
                raise Unfit(f"more visits are planned than the {request.reads_left} that are left")
        except Unfit as fault:
            faults.append(str(fault))
        else:
            found[place], mended = proposal, mended + changed
    if faults and not found:
        raise Unfit(faults[0])
    children, dropped = _linked(found)
    repaired = mended + dropped + len(faults)
    going = _gone_on_from(children, request)
    return p.Expansion(going, Usage(repaired=repaired), requirements=tuple(reply.requirements))


def expansions(
    reply: w.PlansWire, request: p.ExpandRequest, sources: Mapping[str, str], models: ArgumentModels
) -> p.Expansion:
    """Read the plans of several ideas; one that was left out, or of which nothing fits, is empty.

    Raises `Unfit` where nothing is left of any.
    """
    found: dict[int, p.Expansion] = {}
    faults: list[str] = []
    count = 1 + len(request.others)
    for plan in reply.plans:
        if 1 <= plan.idea <= count and plan.idea not in found:
            try:
                found[plan.idea] = expansion(w.ExpandWire(children=plan.children), request, sources, models)
            except Unfit as fault:
                faults.append(str(fault))
    if not found:
        raise Unfit(faults[0] if faults else f"it plans none of the {count} ideas")
    each = [found.get(number, p.Expansion(())) for number in range(1, count + 1)]
    repaired = sum(one.usage.repaired for one in each) + count - len(found)
    return p.Expansion(each[0].children, Usage(repaired=repaired), others=tuple(x.children for x in each[1:]))


def _is_visit(child: Proposal) -> bool:
    return _name(child) == VISIT


def _linked(found: Mapping[int, Proposal]) -> tuple[tuple[Proposal, ...], int]:
    """Return the children with their edges by the places they have now, and how many edges were dropped."""
    places = {old: new for new, old in enumerate(found)}
    needs: list[list[int]] = []
    dropped = 0
    for old, child in found.items():
        good = [places[need] for need in child.needs if need in places and need != old]
        dropped += len(child.needs) - len(good)
        needs.append(good)
    dropped += _cut_circles(needs)
    linked = (replace(child, needs=tuple(edges)) for child, edges in zip(found.values(), needs, strict=True))
    return tuple(linked), dropped


def _cut_circles(needs: list[list[int]]) -> int:
    """Take edges out until no children need each other in a circle; return how many."""
    done: set[int] = set()
    cut = 0
    while len(done) < len(needs):
        ready = {i for i, wanted in enumerate(needs) if i not in done and done.issuperset(wanted)}
        if not ready:  # the first of those that wait goes on without what it waits for
            first = next(i for i in range(len(needs)) if i not in done)
            cut += sum(need not in done for need in needs[first])
            needs[first] = [need for need in needs[first] if need in done]
            ready = {first}
        done |= ready
    return cut


def _gone_on_from(children: tuple[Proposal, ...], request: p.ExpandRequest) -> tuple[Proposal, ...]:
    """Return a plan that only searches with an idea that goes on from it: else nobody reads what is found.

    Where the plan is as wide as it may be, the idea takes the place of its last search.
    """
    last = len(children) - 1
    full = len(children) >= request.width
    if full and last > 0 and _name(children[last]) == SEARCH and all(last not in c.needs for c in children):
        children, full = children[:last], False
    searches = tuple(k for k, child in enumerate(children) if _name(child) == SEARCH)
    may_read = VISIT in request.actions and request.reads_left > 0 and request.depth + 1 < request.max_depth
    if full or not searches or not may_read or any(_name(child) in ("", VISIT) for child in children):
        return children
    return (*children, Proposal(p.GO_ON, expected=children[searches[0]].expected, needs=searches))


def _name(child: Proposal) -> str:
    return "" if child.action is None else child.action["name"]


def _proposal(child: w.ChildWire, terms: _Terms) -> tuple[Proposal, int]:
    """Return a child, and how much of it was changed; raises `Unfit` where it has to be left out."""
    title, changed = clean(child.title), 0
    call = None
    if child.action is not None:
        call, changed = _action(child.action, title, terms)
    elif terms.deepest:
        call, changed = _search_for(title, title, "at this depth every child needs an action", terms), 1
    needs = tuple(dict.fromkeys(child.needs))
    return Proposal(title, clean(child.expected), child.prior, call, needs), changed


def _search_for(query: str, intent: str, fault: str, terms: _Terms) -> ActionCall:
    """Return a search in place of what cannot be done; raises `Unfit` with the fault where there is none."""
    if not (terms.searches and query.strip()):
        raise Unfit(fault)
    names = argument_names(SEARCH, terms.models)
    if "query" not in names:
        raise Unfit(fault)
    args = _typed(SEARCH, {"query": query}, terms.models)
    return ActionCall(name=SEARCH, args=args, intent=intent)


def _action(action: w.ActionWire, title: str, terms: _Terms) -> tuple[ActionCall, int]:
    intent = clean(action.intent).strip() or title
    name = _meant(action.name, terms.request.actions)
    if not name:
        known = ", ".join(terms.request.actions)
        fault = f"there is no action {action.name!r}; known are {known}"
        return _search_for(_query_of(action) or title, intent, fault, terms), 1
    args, renamed = _args(name, action, terms)
    changed = int(name != action.name) + renamed
    if name == SEARCH and not any(args.values()):
        return _search_for(title, intent, f"action {name!r} looks for nothing", terms), 1
    if name == VISIT:
        source = _source(str(args.get("source") or ""), terms.sources)
        if not source:
            known = ", ".join(terms.sources) or "none"
            fault = f"{args.get('source')!r} names no source that may be visited (known: {known})"
            return _search_for(title, intent, fault, terms), 1
        changed += args.get("source") not in terms.sources
        args["source"] = source
    return ActionCall(name=name, args=_typed(name, args, terms.models), intent=intent), changed


def _meant(name: str, actions: Sequence[str]) -> str:
    """Return the action a name means: its own, or the one that differs in case and signs alone."""
    if name in actions:
        return name
    plain = {_plain(known): known for known in actions}
    return plain.get(_plain(name), "") if len(plain) == len(actions) else ""


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def _query_of(action: w.ActionWire) -> str:
    return next((clean(one.value) for one in action.args if _plain(one.name) in ("query", "q")), "")


def _args(name: str, action: w.ActionWire, terms: _Terms) -> tuple[JsonDict, int]:
    """Return the arguments by their own names, and how many had others; raises `Unfit` for one too many."""
    known = argument_names(name, terms.models)
    given = [(one.name, clean(one.value)) for one in action.args]
    if name in ONE_ARGUMENT and len(given) == 1 and len(known) >= 1 and given[0][0] not in known:
        return {known[0]: given[0][1]}, 1
    args: JsonDict = {}
    changed = 0
    for said, value in given:
        own = _meant(said, known)
        if not own and name in ONE_ARGUMENT:
            changed += 1  # it changes nothing, whatever it was meant to say
            continue
        if not own or (own in args and args[own] != value):
            raise Unfit(f"action {name!r} takes {', '.join(known)} once each, not {said!r}")
        args[own], changed = value, changed + (own != said)
    return args, changed


def _source(said: str, sources: Mapping[str, str]) -> str:
    """Return the source a text means: by its name, by a name with more words, or by its own address."""
    if said in sources:
        return sources[said]
    if said in sources.values():
        return said
    names = dict.fromkeys(name for name in re.findall(r"\bS\d+\b", said.upper()) if name in sources)
    return sources[next(iter(names))] if len(names) == 1 else ""


def _typed(action: str, args: JsonDict, models: ArgumentModels) -> JsonDict:
    """Check the arguments of an action, reading numbers and the like from their text."""
    if action not in models:
        missing = [name for name in argument_names(action, models)[:1] if not args.get(name)]
        if missing:
            raise Unfit(f"action {action!r} lacks {missing[0]!r}")
        return args
    fields = _fields(models[action])
    typed = {name: value if fields[name].annotation is str else _read(value) for name, value in args.items()}
    try:
        models[action].model_validate(typed)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, fault["loc"])) or "arguments"
        raise Unfit(f"action {action!r}: {where}: {fault['msg']}") from error
    return typed


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
