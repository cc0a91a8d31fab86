"""The short way to a model that speaks OpenAI's chat protocol: its own client, plain JSON in and out.

LangChain's layers around a call cost several times the CPU of the call itself (`benchmarks parallel`).
What a model class decides about a request (names, roles, limits, key, address) is still taken from it,
once. Models asked through another protocol, as OpenAI's Responses, go the long way.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ddax.reasoning.language.acting import as_openai
from ddax.reasoning.language.provider.channel import (
    Hear,
    Mode,
    Order,
    Said,
    name_of,
    parted,
    read_calls,
    tool_of,
    window_of,
)
from ddax.reasoning.language.provider.failure_bodies import first_error, reason_in
from ddax.reasoning.language.provider.picture import sees
from ddax.reasoning.language.replies.schemas import Wire, schema_of
from ddax.reasoning.language.traits import address_of, traits_of

if TYPE_CHECKING:
    from ssl import SSLContext

    from langchain_core.language_models import BaseChatModel

CLASSES = frozenset({"ChatOpenAI", "AzureChatOpenAI"})
_PATH = "/chat/completions"
_ROLES = {"human": "user", "ai": "assistant"}
_SAMPLE = [("system", "s"), ("human", "h")]
_LIMITS = frozenset({"max_tokens", "max_completion_tokens"})
LONGEST = 1_000_000
"""Characters of a stream after which it is taken as cut: a server that heeds a limit sends fewer."""


def speaks_openai(model: BaseChatModel) -> bool:
    """Tell whether a model is one of OpenAI's own classes and asked through chat completions."""
    if type(model).__name__ not in CLASSES or getattr(model, "root_async_client", None) is None:
        return False
    payload, responses = (
        getattr(model, name, None) for name in ("_get_request_payload", "_use_responses_api")
    )
    return payload is not None and responses is not None and not responses(payload(_SAMPLE))


@cache
def form_of(wire: type[Wire], *, named: bool = False) -> dict[str, Any]:
    """Return the `response_format` of a reply; `named` keeps the forms of its parts under their names."""
    schema = {key: value for key, value in schema_of(wire, named=named).items() if key != "title"}
    return {"type": "json_schema", "json_schema": {"name": name_of(wire), "schema": schema, "strict": True}}


@cache
def trusted() -> SSLContext:
    """Return whom the clients of this process trust, as their library has it: read once."""
    from httpx2 import create_ssl_context

    return create_ssl_context()


EMPTY = frozenset({"ChildWire.needs"})
"""Lists that a small model leaves empty: it names positions of siblings that are not there."""
SMALL = 2000
"""Output tokens below which a program is bounded as if each character took a token."""


class Narrow(NamedTuple):
    """How far a grammar bounds a reply: items of a list, characters of a text and of a program."""

    items: int
    text: int
    code: int

    @classmethod
    def of(cls, output_tokens: int) -> Narrow:
        """Return bounds within which a reply ends before its output limit."""
        items = min(8, max(1, output_tokens // 400))
        code = output_tokens // 3 if output_tokens < SMALL else 3 * output_tokens
        return cls(items, max(80, output_tokens // 5), max(80, code))


def narrowed(form: dict[str, Any], choices: Mapping[str, Sequence[str]], bounds: Narrow) -> dict[str, Any]:
    """Return a form, its parts under their names, that a grammar can hold a small model to.

    A name is one of those the prompt offers, a share one of ten values, and texts and lists end.
    """
    whole: dict[str, Any] = json.loads(json.dumps(form))
    schema = whole["json_schema"]["schema"]
    for name, part in {"": schema, **schema.get("$defs", {})}.items():
        for key, about in part.get("properties", {}).items():
            part["properties"][key] = _bounded(f"{name}.{key}", about, choices, bounds)
    return whole


def _bounded(
    place: str, about: dict[str, Any], choices: Mapping[str, Sequence[str]], bounds: Narrow
) -> dict[str, Any]:
    if choices.get(place):
        return {"enum": list(dict.fromkeys(choices[place]))}
    kind = about.get("type")
    if kind == "number":
        return {"enum": [n / 10 for n in range(1, 11)]}
    if kind == "string":
        return about | {"maxLength": bounds.code if place.endswith(".code") else bounds.text}
    if kind != "array":
        return about
    if place in EMPTY:
        return about | {"maxItems": 0}
    item = about["items"].get("$ref", "").rpartition("/")[2]
    if not item:
        each_text = _bounded(f"{place} item", about["items"], choices, bounds)
        return about | {"items": each_text, "maxItems": bounds.items}
    each = [key for key in choices if key == f"{item}.criterion"]
    count = len(choices[each[0]]) if each else 1
    return about | {"minItems": count, "maxItems": count if each else bounds.items}


class OpenAIChannel:
    """A model behind OpenAI's chat completions."""

    first_mode: Mode = "schema"
    takes_tools = True

    def __init__(self, model: Any, *, narrow: Narrow | None = None, idle_seconds: float = 120.0) -> None:
        """Take over what the model class decides; `narrow` bounds the form for a model on this machine.

        `idle_seconds` is how long a stream may show no sign of life.
        """
        self._narrow, self._idle = narrow, idle_seconds
        self.native = narrow is None  # a small model is held to its form by a grammar instead
        fixed: dict[str, Any] = model._get_request_payload(_SAMPLE)
        self._system = str(fixed["messages"][0]["role"])
        self._fixed = {k: v for k, v in fixed.items() if k not in {"messages", "stream"}}
        self.limited = bool(_LIMITS & set(self._fixed))
        self._shared: Any = model.root_async_client
        self._trusted = trusted()  # here, since a model is opened beside the event loop and asked on it
        self._own: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.sees, self.window, self.reads_form = sees(model), window_of(model), narrow is None
        self._takes = frozenset(type(model).model_fields) & {"temperature", "seed"}
        self.address, self.traits = address_of(getattr(self._shared, "base_url", "")), traits_of(model)

    async def say(self, order: Order, hear: Hear | None = None) -> Said:
        """Make one call."""
        body = self._body(order)
        # As JSON and back: the client's own types would be built for each call and read once.
        if hear is None:
            return _said(json.loads(await self._client().post(_PATH, body=body, cast_to=bytes)), order)
        from openai import AsyncStream, Timeout

        body |= {"stream": True, "stream_options": {"include_usage": True}}
        # Every byte counts, also the remarks by which servers keep a connection open while they think.
        alive: Any = {"timeout": Timeout(self._idle)}
        stream = await self._client().post(
            _PATH, body=body, cast_to=object, stream=True, stream_cls=AsyncStream[object], options=alive
        )
        return await _heard(stream, order, hear)

    def _client(self) -> Any:
        """Return a client with connections of this event loop.

        LangChain shares one pool among all models of a process for its whole life; a second loop would
        be given connections of the first, which is closed. Over aiohttp a call costs less CPU than
        over httpcore, so that many begin sooner.
        """
        from openai import DefaultAioHttpClient

        loop = asyncio.get_running_loop()
        if self._own is None or self._loop is not loop:
            http = DefaultAioHttpClient(timeout=self._shared.timeout, verify=self._trusted)
            self._own, self._loop = self._shared.copy(http_client=http), loop
        return self._own

    async def close(self) -> None:
        """Close the connections."""
        if self._own is not None and self._loop is asyncio.get_running_loop():
            await self._own.close()
        self._own = None

    def _body(self, order: Order) -> dict[str, Any]:
        """Return the body of the request."""
        before, turns, behind = parted(order, as_openai)
        sent = [*map(self._message, before), *turns, *map(self._message, behind)]
        fixed = {k: v for k, v in self._fixed.items() if order.limited or k not in _LIMITS}
        if order.output:
            fixed |= {k: order.output for k in fixed if k in _LIMITS}
        body = {**fixed, "messages": sent}
        if order.sampling is not None:
            wanted = {"temperature": order.sampling.temperature, "seed": order.sampling.seed}
            body |= {key: wanted[key] for key in sorted(self._takes)}
        if order.effort:
            body["reasoning_effort"] = order.effort
        if order.native and order.acting is not None:
            body["tools"] = order.acting.forms()
        elif order.mode == "schema":
            form = form_of(order.wire, named=self._narrow is not None)
            body["response_format"] = narrowed(form, order.choices, self._narrow) if self._narrow else form
        elif order.mode == "tool":
            body["tools"] = [tool_of(order.wire)]
            body["tool_choice"] = {"type": "function", "function": {"name": name_of(order.wire)}}
        return body

    def _message(self, said: tuple[str, Any]) -> dict[str, Any]:
        role, content = said
        return {"role": self._system if role == "system" else _ROLES.get(role, role), "content": content}


class NoCompletion(ValueError):
    """Say what a server sent in place of a completion; `body` is the error it told, {} where it told none."""

    def __init__(self, sent: Any) -> None:
        self.body: Mapping[str, Any] = first_error(sent) if _tells(sent) else {}
        said = reason_in(json.dumps(sent, default=str)) if _tells(sent) else ""
        super().__init__(f"the server sent no completion but {said or sent}")


class EmptyReply(ValueError):
    """Say that a completion came without a choice in it."""

    def __init__(self) -> None:
        super().__init__("the server sent a completion without a reply in it")


def _tells(sent: Any) -> bool:
    """Tell whether something a server sent is an error, in a list too."""
    one = sent[0] if isinstance(sent, list) and sent else sent
    return isinstance(one, dict) and bool(one.get("error") or one.get("object") == "error")


def _said(body: Any, order: Order) -> Said:
    """Read a completion; raises `NoCompletion` where it is none."""
    choice = _first(body)
    if choice is None:
        if isinstance(body, dict) and "choices" in body and not body.get("error"):
            raise EmptyReply
        raise NoCompletion(body)
    message = choice.get("message")
    if not isinstance(message, dict):
        if not choice.get("finish_reason"):
            raise NoCompletion(body)
        message = {}  # it ended, and counted its tokens, before it had said anything
    calls = [_call(call) for call in _listed(message.get("tool_calls"))]
    return _reply(
        _text(message.get("content")), calls, str(choice.get("finish_reason") or ""),
        str(message.get("refusal") or ""), body.get("usage"), order, thought=_thought(message),
    )  # fmt: skip


def _first(body: Any) -> dict[str, Any] | None:
    """Return the first choice of a completion, or of a part of one; None where there is none."""
    choices = _listed(body.get("choices")) if isinstance(body, dict) else []
    return choices[0] if choices and isinstance(choices[0], dict) else None


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _reply(
    text: str, calls: Sequence[tuple[str, str]], ended: str, refusal: str, usage: Any, order: Order,
    *, thought: str,
) -> Said:  # fmt: skip
    cut = ended == "length"
    text, fault = read_calls(order, calls, text, cut=cut)
    return Said(
        text, _usage(usage), refusal=refusal, fault=fault, cut=cut,
        filtered=ended == "content_filter", thought=thought,
    )  # fmt: skip


def _call(call: Any) -> tuple[str, str]:
    function = call.get("function") if isinstance(call, dict) else None
    named = function if isinstance(function, dict) else {}
    given = named.get("arguments")
    return str(named.get("name") or ""), given if isinstance(given, str) else json.dumps(
        given
    ) if given else ""


def _text(content: Any) -> str:
    """Return the text of a message, whose content may also be a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _thought(message: Mapping[str, Any]) -> str:
    """Return the thoughts that a server tells beside the reply, by either of the names they go by."""
    return _text(message.get("reasoning_content")) or _text(message.get("reasoning"))


def _usage(usage: Any) -> dict[str, object] | None:
    """Return the counted tokens under the names LangChain gives them."""
    if not isinstance(usage, Mapping):
        return None
    details, written = (usage.get(f"{side}_tokens_details") for side in ("prompt", "completion"))
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    thought = written.get("reasoning_tokens") if isinstance(written, Mapping) else None
    return {
        "input_tokens": usage.get("prompt_tokens"),
        "output_tokens": usage.get("completion_tokens"),
        "input_token_details": {"cache_read": cached},
        "output_token_details": {"reasoning": thought},
    }


@dataclass
class _Streamed:
    """What the parts of a stream come to; `calls` are the names and the arguments of each call of a tool.

    Pieces stand in lists, since a long text that grows by itself is copied with each of them.
    """

    text: list[str] = field(default_factory=list)
    thought: list[str] = field(default_factory=list)
    refusal: str = ""
    ended: str = ""
    parts: int = 0
    length: int = 0
    usage: Any = None
    calls: dict[str, tuple[list[str], list[str]]] = field(default_factory=dict)

    @property
    def called(self) -> list[tuple[str, str]]:
        """The name and the arguments of each call of a tool."""
        return [("".join(name), "".join(given)) for name, given in self.calls.values()]

    @property
    def whole(self) -> bool:
        """Say whether what came is a whole object: some servers do not tell the end of a stream."""
        said = next((given for _, given in self.called), "".join(self.text))
        start = said.find("{")
        try:
            return start >= 0 and bool(json.JSONDecoder().raw_decode(said, start))
        except (ValueError, RecursionError):
            return False

    def take(self, part: Any) -> str:
        """Add a part, and return what it brings of the reply."""
        if _tells(part):
            raise NoCompletion(part)
        choice = _first(part)
        self.usage = part.get("usage") or self.usage
        if choice is None:
            return ""  # the part with the counted tokens has none
        self.parts += 1
        self.ended = str(choice.get("finish_reason") or self.ended)
        delta = choice.get("delta") or choice.get("message")
        if not isinstance(delta, dict):
            return ""
        text, thought = _text(delta.get("content")), _thought(delta)
        self.text.append(text)
        self.thought.append(thought)
        self.refusal += str(delta.get("refusal") or "")
        text += "".join(map(self._called, _listed(delta.get("tool_calls"))))
        self.length += len(text) + len(thought)
        return text

    def _called(self, call: Any) -> str:
        at = str(call.get("index")) if isinstance(call, dict) else ""
        name, given = self.calls.setdefault(at, ([], []))
        more, added = _call(call)
        name.append(more)
        given.append(added)
        return added


async def _heard(stream: Any, order: Order, hear: Hear) -> Said:
    """Read a stream to its end, telling each piece; raises ConnectionError where it breaks off."""
    found, parts = _Streamed(), 0
    kind = stream.response.headers.get("content-type", "")
    async with stream:
        if "json" in kind:  # a server that knows no streams
            said = _said(json.loads(await stream.response.aread()), order)
            hear(said.text)
            return said
        async for part in stream:
            if not isinstance(part, dict):
                raise NoCompletion(part)
            parts += 1
            if piece := found.take(part):
                hear(piece)
            if found.length > LONGEST:
                found.ended = "length"
                break
    if not parts and "event-stream" not in kind:
        raise NoCompletion(kind or "something of no kind")
    if not found.parts:
        raise EmptyReply
    if not found.ended and not found.whole:
        raise ConnectionError("the stream broke off before its end")
    return _reply(
        "".join(found.text), found.called, found.ended, found.refusal, found.usage, order,
        thought="".join(found.thought),
    )  # fmt: skip
