"""The turns of a leaf as a model is told them, natively or in words, and its next calls as they are read.

Whichever way a model says its calls, they become one reply of the form `ActWire`: so it is cached, repaired
and billed as any other. Leaves out how a call is sent (`provider.channel`) and what it does (the nodes).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, groupby
from typing import Any

from pydantic import BaseModel, ValidationError

from ddax.reasoning.acting import Acted, Call, Called, Offered
from ddax.reasoning.language.quote import block, clean, shorten
from ddax.reasoning.language.replies.loose_json import Broken, CutObject, read_at
from ddax.reasoning.language.replies.schemas import ActWire, CallWire, Unfit

LEAST = 200
"""Characters that are told of a result however many there are."""
NAME = 64
"""Characters of a tool's name that providers take."""
FORM = """THE REPLY
Reply with one JSON object and nothing else.
"calls": the calls to make next, each with the "name" of a tool and its "args": a list of objects with
"name" and "value", a value that is no text as JSON. An empty list when nothing is left to call.
"result": then what was found or done; before that empty."""
"""What a model without native calls is told of the reply."""
CALL_AGAIN = "Your reply could not be used: {fault}. Call a tool, or say what was found or done."
"""What is told after a reply to native tools that was none."""
TEXTS = ("string_type", "literal_error", "enum")
"""Faults of a value that was read as JSON, and is meant as the text it stands in."""
Arguments = Mapping[str, type[BaseModel]]


@dataclass(frozen=True)
class Acting:
    """What is offered and what was called so far; `room` are the characters that results take together."""

    tools: tuple[Offered, ...]
    done: tuple[Called, ...] = ()
    room: int = 24_000

    @property
    def names(self) -> dict[str, str]:
        """The name of each tool as providers take it, by its own."""
        found: dict[str, str] = {}
        for tool in self.tools:
            plain = re.sub(r"[^A-Za-z0-9_-]", "_", tool.name)[:NAME] or "tool"
            sent = next(
                name for number in count() if (name := f"{plain[: NAME - 4]}__{number}" if number else plain)
                not in found.values()
            )  # fmt: skip
            found[tool.name] = sent
        return found

    def choices(self, models: Arguments) -> dict[str, list[str]]:
        """Return the names that a grammar may hold a reply in words to."""
        named = [tool.name for tool in self.tools]
        fields = [models[name].model_fields.items() for name in named if name in models]
        arguments = [said.alias or field for each in fields for field, said in each]
        return {"CallWire.name": named, "ArgumentWire.name": arguments}

    def forms(self) -> list[dict[str, Any]]:
        """Return the tools as providers take them."""
        names = self.names
        return [
            {"type": "function", "function": {
                "name": names[tool.name], "description": clean(tool.text),
                "parameters": {"type": "object", "properties": {}, **tool.schema},
            }}
            for tool in self.tools
        ]  # fmt: skip

    def turns(self) -> Iterator[list[tuple[str, Call, str]]]:
        """Yield for each turn its calls: an id, the call by its sent name, what is told of the result."""
        told, names = self._told(), self.names
        for turn, called in groupby(zip(self.done, told, strict=True), key=lambda pair: pair[0].turn):
            yield [
                (f"t{turn:04d}c{n:03d}", Call(names.get(one.call.name, one.call.name), one.call.args), text)
                for n, (one, text) in enumerate(called)
            ]

    def words(self) -> str:
        """Return the same in words, for a model that is told of tools in its prompt."""
        tools = "\n\n".join(map(_in_words, self.tools))
        rows = (f"{_row(one)}\n{text}" for one, text in zip(self.done, self._told(), strict=True))
        parts = [f"TOOLS (arguments by name)\n{tools}"]
        parts += ["CALLS SO FAR\n" + "\n".join(rows)] if self.done else []
        return "\n\n".join([*parts, FORM])

    def _told(self) -> list[str]:
        """Return what is told of each result, as data; where room is short the oldest are cut first."""
        left, found = self.room, list[str]()
        for one in reversed(self.done):
            text = shorten(one.text, max(LEAST, left))
            left -= len(text)
            found.append(block("result" if one.ok else "failure", text))
        return found[::-1]


def _in_words(tool: Offered) -> str:
    text = f"{tool.name}: {tool.text}\n{tool.arguments}".strip()
    return block("tool", text) if tool.foreign else clean(text)


def _row(one: Called) -> str:
    return _json({"turn": one.turn + 1, "name": one.call.name, "args": one.call.args})


def as_openai(acting: Acting) -> list[dict[str, Any]]:
    """Return the turns as messages of OpenAI's protocol."""
    sent: list[dict[str, Any]] = []
    for turn in acting.turns():
        calls = [
            {"id": name, "type": "function", "function": {"name": call.name, "arguments": _json(call.args)}}
            for name, call, _ in turn
        ]
        sent.append({"role": "assistant", "content": None, "tool_calls": calls})
        sent += [{"role": "tool", "tool_call_id": name, "content": text} for name, _, text in turn]
    return sent


def as_langchain(acting: Acting) -> list[Any]:
    """Return the turns as messages of LangChain."""
    from langchain_core.messages import AIMessage, ToolMessage

    sent: list[Any] = []
    for turn in acting.turns():
        calls = [{"id": name, "name": call.name, "args": dict(call.args)} for name, call, _ in turn]
        sent.append(AIMessage(content="", tool_calls=calls))
        sent += [ToolMessage(content=text, tool_call_id=name) for name, _, text in turn]
    return sent


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def reply_of(calls: Sequence[tuple[str, str]], text: str) -> tuple[str, str]:
    """Return native calls (name, arguments as text) as one reply in words, and what is wrong with them."""
    found = []
    for name, given in calls:
        args = _object(given)
        if args is None:
            return "", f"the arguments of the call of {name!r} are no JSON object"
        found.append({"name": name, "args": [{"name": key, "value": _json(v)} for key, v in args.items()]})
    return _json({"calls": found, "result": text}), ""


def _object(text: str) -> dict[str, Any] | None:
    """Read the arguments of a call; None where they are no whole object."""
    if not text.strip():
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        start = text.find("{")
        try:
            found = read_at(text, start).value if start >= 0 else None
        except Broken:
            return None
    return found if isinstance(found, dict) and not isinstance(found, CutObject) else None


def acted(reply: ActWire, acting: Acting, models: Arguments) -> Acted:
    """Read the next calls, or the result; raises `Unfit` where it is neither."""
    calls = tuple(_call(one, acting, models) for one in reply.calls)
    text = clean(reply.result).strip()
    if not calls and not text:
        raise Unfit("it neither calls a tool nor says what was found")
    return Acted(calls, text)


def _call(one: CallWire, acting: Acting, models: Arguments) -> Call:
    name = _meant(clean(one.name), acting.names)
    model = models.get(name)
    known = {said.alias or field: said for field, said in model.model_fields.items()} if model else {}
    args = {_meant(clean(arg.name), {key: key for key in known}): clean(arg.value) for arg in one.args}
    return Call(name, _typed(args, model))


def _meant(said: str, names: Mapping[str, str]) -> str:
    """Return the own name of what was said: the same, or the one that differs in case and signs alone."""
    if said in names:
        return said
    like = [own for own, sent in names.items() if said == sent or _plain(said) in (_plain(own), _plain(sent))]
    return like[0] if len(like) == 1 else said


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def _typed(args: Mapping[str, str], model: type[BaseModel] | None) -> dict[str, Any]:
    """Return arguments read from their text; one that the tool takes as text stays one.

    What does not fit is left as it was read: the tool itself says what is wrong.
    """
    read = {name: _read(text) for name, text in args.items()}
    if model is None:
        return read
    try:
        model.model_validate(read)
    except ValidationError as error:
        for fault in error.errors(include_url=False, include_context=False):
            place = str(fault["loc"][0]) if fault["loc"] else ""
            if fault["type"] in TEXTS and place in args and not isinstance(read[place], str):
                read[place] = args[place]
    return read


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
