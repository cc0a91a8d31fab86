"""From a reply in wire form to the protocol's records, grounded by code.

A reply that has no sense as a whole (an unknown action, a cycle, a criterion that is not in the rubric)
raises `Unfit`: it is repaired or refused, never half used. A quote that does not stand in its passage
drops the citation, and with it what needs one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from ddax.reasoning import protocol as p
from ddax.reasoning.language import wire as w
from ddax.reasoning.language.quote import clean, ground
from ddax.reasoning.language.wire import Unfit
from ddax.types import ActionCall, Citation, JsonDict, Passage, Proposal, Usage

Named = Mapping[str, Passage]
ArgumentModels = Mapping[str, type[BaseModel]]
FALLBACK_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "search": ("query",), "visit": ("source",), "save": ("text", "title"), "think": ("about",),
}  # fmt: skip
"""Arguments of the built-in actions, used where no models are given."""
MUTATIONS = 2
_FENCED = re.compile(r"\s*```[^\n`]*\n(.*?)\n?[ \t]*```\s*", re.DOTALL)


def argument_names(action: str, models: ArgumentModels) -> tuple[str, ...]:
    """Return the arguments of an action that the model fills in; the intent is asked for beside them."""
    if action in models:
        return tuple(name for name in _fields(models[action]) if name != "intent")
    return FALLBACK_ARGUMENTS.get(action, ())


def _fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields of a model by the names they are given by."""
    return {said.alias or name: said for name, said in model.model_fields.items()}


def citations(found: Sequence[w.CitationWire], passages: Named) -> tuple[Citation, ...]:
    """Return the citations whose quotes stand in a passage, without repeats."""
    checked = (_grounded(c.quote, c.passage, passages) for c in found)
    return tuple(dict.fromkeys(c for c in checked if c is not None))


def _grounded(quote: str, name: str, passages: Named) -> Citation | None:
    """Find a quote in the passage it names, else in the only source it stands in: names get mixed up."""
    if name in passages and (named := ground(quote, passages[name])):
        return named
    places = [place for passage in passages.values() if (place := ground(quote, passage))]
    return places[0] if len({place.source for place in places}) == 1 else None


def expansion(
    reply: w.ExpandWire, request: p.ExpandRequest, sources: Mapping[str, str], models: ArgumentModels
) -> p.Expansion:
    """Read a plan; `sources` maps the names of the sources that may be visited to their URIs."""
    kept = reply.children[: request.width]
    if any(child.action is None for child in kept) and request.depth + 1 >= request.max_depth:
        raise Unfit("at this depth every child needs an action")
    for position, child in enumerate(kept):
        _check_needs(position, child.needs, len(kept))
    _check_acyclic([child.needs for child in kept])
    children = tuple(_proposal(child, request, sources, models) for child in kept)
    visits = sum(child.action is not None and child.action["name"] == "visit" for child in children)
    if visits > request.reads_left:
        raise Unfit(f"{visits} visits are planned and {request.reads_left} are left")
    return p.Expansion(_gone_on_from(children, request), Usage(), requirements=tuple(reply.requirements))


def _gone_on_from(children: tuple[Proposal, ...], request: p.ExpandRequest) -> tuple[Proposal, ...]:
    """Return a plan that only searches with an idea that goes on from it: else nobody reads what is found.

    Where the plan is as wide as it may be, the idea takes the place of its last search.
    """
    last = len(children) - 1
    full = len(children) >= request.width
    if full and last > 0 and _name(children[last]) == "search" and all(last not in c.needs for c in children):
        children, full = children[:last], False
    searches = tuple(k for k, child in enumerate(children) if _name(child) == "search")
    may_read = "visit" in request.actions and request.reads_left > 0 and request.depth + 1 < request.max_depth
    if full or not searches or not may_read or any(_name(child) in ("", "visit") for child in children):
        return children
    return (*children, Proposal(p.GO_ON, expected=children[searches[0]].expected, needs=searches))


def _name(child: Proposal) -> str:
    return "" if child.action is None else child.action["name"]


def _check_needs(position: int, needs: Sequence[int], size: int) -> None:
    for need in needs:
        if not 0 <= need < size or need == position:
            raise Unfit(f"child {position} needs {need}, which is no other child (0 to {size - 1})")


def _check_acyclic(needs: Sequence[Sequence[int]]) -> None:
    done: set[int] = set()
    while len(done) < len(needs):
        ready = {i for i, wanted in enumerate(needs) if i not in done and done.issuperset(wanted)}
        if not ready:
            raise Unfit(f"children {sorted(set(range(len(needs))) - done)} need each other in a circle")
        done |= ready


def _proposal(
    child: w.ChildWire, request: p.ExpandRequest, sources: Mapping[str, str], models: ArgumentModels
) -> Proposal:
    call = _action(child.action, request, sources, models) if child.action else None
    needs = tuple(dict.fromkeys(child.needs))
    return Proposal(clean(child.title), clean(child.expected), child.prior, call, needs)


def _action(
    action: w.ActionWire, request: p.ExpandRequest, sources: Mapping[str, str], models: ArgumentModels
) -> ActionCall:
    if action.name not in request.actions:
        raise Unfit(f"there is no action {action.name!r}; known are {', '.join(request.actions)}")
    known = argument_names(action.name, models)
    args: JsonDict = {}
    for argument in action.args:
        if argument.name not in known or argument.name in args:
            raise Unfit(f"action {action.name!r} takes {', '.join(known)} once each, not {argument.name!r}")
        args[argument.name] = clean(argument.value)
    if action.name == "visit":
        args["source"] = _source(args.get("source"), sources)
    return ActionCall(name=action.name, args=_typed(action.name, args, models), intent=clean(action.intent))


def _source(name: Any, sources: Mapping[str, str]) -> str:
    if name not in sources:
        known = ", ".join(sources) or "none"
        raise Unfit(f"{name!r} names no source that may be visited (known: {known})")
    return sources[name]


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


def prediction(reply: w.PredictWire) -> p.Prediction:
    """Read a forecast."""
    return p.Prediction(clean(reply.expected), reply.confidence)


def extraction(reply: w.ExtractWire, request: p.ExtractRequest, passages: Named) -> p.Extraction:
    """Read claims; a claim whose quote is not in its passage is dropped."""
    claims = [
        p.Claim(clean(claim.text), cited[0], claim.score)
        for claim in reply.claims
        if (cited := citations([w.CitationWire(passage=claim.passage, quote=claim.quote)], passages))
    ]
    best = sorted(claims, key=lambda claim: -claim.score)[: request.limit]
    nothing = f"The passages say nothing that can be quoted on: {request.intent}"
    return p.Extraction(tuple(best), " ".join(clean(reply.summary).split()) if best else nothing)


def argument(reply: w.ArgueWire, passages: Named) -> p.Argument:
    """Read an argument; without a valid citation it has no strength."""
    cited = citations(reply.citations, passages)
    return p.Argument(clean(reply.text), cited, reply.strength if cited else 0.0)


def judgment(reply: w.JudgeWire, request: p.JudgeRequest) -> p.Judgment:
    """Read a judgment; the criteria are those of the rubric, once each."""
    given = {reason.criterion: reason for reason in reply.reasons}
    if sorted(reason.criterion for reason in reply.reasons) != sorted(request.rubric):
        raise Unfit(f"the reasons need the criteria {', '.join(request.rubric)}, once each")
    reasons = tuple((name, given[name].score, clean(given[name].reason)) for name in request.rubric)
    return p.Judgment(reply.value, reply.confidence, reasons)


def lesson(reply: w.ReflectWire) -> p.Lesson:
    """Read a lesson of at most `LESSON_WORDS` words."""
    words = clean(reply.text).split()
    if not words or len(words) > p.LESSON_WORDS:
        raise Unfit(f"the lesson has {len(words)} words; 1 to {p.LESSON_WORDS} are asked for")
    return p.Lesson(" ".join(words))


def patches(reply: w.PatchesWire, original: str, limit: int) -> p.Patches:
    """Read candidates without the fence around them; what changes nothing or repeats another is left out."""
    unique: dict[str, p.CodeCandidate] = {}
    for found in reply.candidates:
        fenced = _FENCED.fullmatch(found.code)
        code = f"{fenced.group(1)}\n" if fenced else found.code
        if code.strip() != original.strip():
            candidate = p.CodeCandidate(clean(found.hypothesis), code, clean(found.reasoning))
            unique.setdefault(code.strip(), candidate)
    return p.Patches(tuple(unique.values())[:limit])


def question(reply: w.AskWire) -> p.Question:
    """Read a question to a human."""
    return p.Question(" ".join(clean(reply.text).split()))
