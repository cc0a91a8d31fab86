"""How one call reaches a chat model: what is sent, the form of the reply, and what came back.

`ChatChannel` speaks to any LangChain chat model; `openai_wire` is the shorter way for those that speak
OpenAI's protocol. Leaves out retries, cost and what a reply means.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from ddax.reasoning.language.acting import Acting, as_langchain, reply_of
from ddax.reasoning.language.provider.efforts import effort_fields
from ddax.reasoning.language.provider.picture import content_of, sees
from ddax.reasoning.language.provider.prefixes import Prefixes
from ddax.reasoning.language.replies.schemas import Wire, schema_of
from ddax.reasoning.language.replies.written_calls import written_calls
from ddax.reasoning.language.traits import address_of, traits_of
from ddax.types import Picture

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

Messages: TypeAlias = Sequence[tuple[str, str]]
Mode = Literal["schema", "tool", "words", "free"]
"""How the form of a reply is asked for: a JSON schema, the arguments of a tool, in words, or not at all."""
Hear: TypeAlias = Callable[[str], None]
"""Takes the pieces of a reply while it is written."""


_LIMITS = ("max_tokens", "max_output_tokens", "max_completion_tokens", "num_predict")
"""Fields by which model classes limit the output tokens."""


@dataclass(frozen=True)
class Sampling:
    """How a reply is drawn; passed on where the model takes it."""

    temperature: float = 0.0
    seed: int = 0


@dataclass(frozen=True)
class Order:
    """One call; `sampling` None leaves the model's own settings, `effort` "" asks for none.

    `choices` are the values that fields of the reply may take (`Record.field`), for a model that a
    grammar holds to its form. `picture` goes with the first message of the user's. Without `limited` the
    length of the reply is left to the model; `output` is a limit for this call alone (0: the usual one).
    Without `system` the instructions go with the first message of the user's. `acting` are tools to call,
    offered natively where `native` says so, else in words.
    """

    messages: Messages
    wire: type[Wire]
    mode: Mode
    sampling: Sampling | None = None
    effort: str = ""
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    picture: Picture | None = None
    limited: bool = True
    output: int = 0
    system: bool = True
    acting: Acting | None = None
    native: bool = False
    parts: Mapping[str, int] = field(default_factory=dict)
    """The bytes of the parts of the request."""
    stable: tuple[int, ...] = ()
    """Where parts of the request end that may come again behind the same instructions."""


@dataclass(frozen=True)
class Said:
    """A reply: its text, the tokens the provider counted, and how it ended.

    `thought` is what stood beside it as thoughts, which is paid for and not read. `fault` says why it cannot
    be one reply at all; `cut` that the output limit ended it.
    """

    text: str
    usage: Mapping[str, object] | None = None
    refusal: str = ""
    fault: str = ""
    cut: bool = False
    filtered: bool = False
    thought: str = ""


class Channel(Protocol):
    """One chat model. `say` raises whatever the provider's package raises."""

    first_mode: Mode
    takes_tools: bool
    native: bool
    """Whether a model is offered tools to call natively, until it refuses them."""
    sees: bool
    """Whether the model is known to take pictures."""
    limited: bool
    """Whether its calls carry a limit of output tokens that can be left out."""
    address: str
    """Where the model is, so that two servers with one model name are told apart."""
    traits: str
    """A digest of what else makes its replies its own, without any secret."""
    window: int
    """Tokens that the model takes, as its class knows them; 0 where it does not."""
    reads_form: bool
    """Whether the form of a reply is among what the model reads and is billed for; no grammar is."""

    async def say(self, order: Order, hear: Hear | None = None) -> Said: ...
    async def close(self) -> None: ...


def name_of(wire: type[Wire]) -> str:
    """Return the name of a reply's form: that of its request."""
    return wire.__name__.removesuffix("Wire").lower()


@cache
def tool_of(wire: type[Wire]) -> dict[str, Any]:
    """Return the one tool whose arguments are the reply; the model is made to call it, nobody runs it."""
    schema = {key: value for key, value in schema_of(wire).items() if key != "title"}
    about = {"name": name_of(wire), "description": "Give the reply.", "parameters": schema, "strict": True}
    return {"type": "function", "function": about}


def contents(order: Order) -> list[tuple[str, Any]]:
    """Return the messages of a call as they are sent: with the schema where words ask for the form.

    Messages of one sender in a row are one: templates of many models take no others.
    """
    (role, system), *rest = order.messages
    if order.acting is not None and not order.native:
        rest = [(rest[0][0], f"{rest[0][1]}\n\n{order.acting.words()}"), *rest[1:]]
    if order.mode == "words" and not order.native:
        system = f"{system}\n\nThe JSON schema of the reply:\n{json.dumps(schema_of(order.wire))}"
    first = [(role if order.system else rest[0][0], system)]
    sent: list[tuple[str, Any]] = []
    for sender, text in [*first, *rest]:
        if sent and sent[-1][0] == sender:
            sent[-1] = (sender, f"{sent[-1][1]}\n\n{text}")
        else:
            sent.append((sender, text))
    if order.picture is not None:
        place = next(n for n, (sender, _) in enumerate(sent) if sender == rest[0][0])
        sent[place] = (sent[place][0], content_of(sent[place][1], order.picture))
    return sent


def parted(
    order: Order, turns: Callable[[Acting], list[Any]]
) -> tuple[list[tuple[str, Any]], list[Any], Messages]:
    """Return the messages of a call, the native turns behind them, and the messages behind these."""
    if order.acting is None or not order.native:
        return contents(order), [], ()
    return contents(replace(order, messages=order.messages[:2])), turns(order.acting), order.messages[2:]


def read_calls(order: Order, calls: Sequence[tuple[str, str]], text: str, *, cut: bool) -> tuple[str, str]:
    """Return the text of a reply that came with calls, and what is wrong with it."""
    written = [] if calls or order.acting is None else _written(text, order.acting)
    if not (order.native or written):
        return (
            chosen(calls, order.wire) if calls and (order.mode == "tool" or not text.strip()) else (text, "")
        )
    if written:
        calls, text = written, ""
    if cut and calls:  # a call in which a part is missing is not made
        return "", "a call was cut off at the output limit; be shorter"
    return reply_of(calls, text)


def _written(text: str, acting: Acting) -> list[tuple[str, str]]:
    return written_calls(text, {*acting.names, *acting.names.values()})


def chosen(calls: Sequence[tuple[str, str]], wire: type[Wire]) -> tuple[str, str]:
    """Return the arguments of the one call that gives the reply, and what is wrong if there is none.

    The same call said again is the same reply, and a call that stands alone is meant, whatever it is called.
    """
    named = list(dict.fromkeys(args for name, args in calls if name.casefold() == name_of(wire).casefold()))
    if not named and len(calls) == 1:
        named = [calls[0][1]]
    if len(named) == 1:
        return named[0], ""
    if not named:
        return "", f"the tool {name_of(wire)!r} was not called"
    return "", f"the tool {name_of(wire)!r} was called {len(named)} times; once is asked for"


class ChatChannel:
    """Any LangChain chat model, by its own structured output."""

    def __init__(self, model: BaseChatModel, *, idle_seconds: float = 120.0, opened: bool = False) -> None:
        """Take a model; `opened` says that it was opened by its name and its settings."""
        self._model, self._idle = model, idle_seconds
        self._prefixes = _prefixes(model)
        self._limit = next((name for name in _LIMITS if name in type(model).model_fields), "")
        self.limited = bool(self._limit) and bool(getattr(model, self._limit, None))
        taken = inspect.signature(type(model).with_structured_output).parameters
        self._strict = "strict" in taken
        self.first_mode: Mode = "schema" if "method" in taken else "words"
        self.native = self.takes_tools = type(model).bind_tools is not _base().bind_tools
        self.sees, self.window, self.reads_form = sees(model), window_of(model), True
        self.address = address_of(getattr(model, "base_url", "") or getattr(model, "openai_api_base", ""))
        self.traits = traits_of(model, opened=opened)

    async def say(self, order: Order, hear: Hear | None = None) -> Said:
        """Make one call."""
        runnable, order = self._prepared(order)
        before, turns, behind = parted(order, as_langchain)
        if self._prefixes is not None:
            before = self._prefixes.marked(before, order)
        messages = [*before, *turns, *behind]
        if hear is None:
            message = await _invoked(runnable, messages)
        else:
            message = None
            async for piece in _alive(runnable.astream(messages), self._idle):
                message = piece if message is None else message + piece
                hear(str(getattr(piece, "text", "") or ""))
        return _said(message, order)

    async def close(self) -> None:
        """Close nothing: LangChain keeps what a model holds open."""

    def _changes(self, order: Order) -> dict[str, Any]:
        """Return the fields of the model that a call sets otherwise, of those that its class has."""
        fields = type(self._model).model_fields
        name = str(getattr(self._model, "model", "") or getattr(self._model, "model_name", ""))
        most = int(getattr(self._model, self._limit, None) or 0) if self._limit else 0
        effort = effort_fields(fields, order.effort, model=name, most=order.output or most)
        wanted: dict[str, Any] = {}
        if order.sampling is not None:
            wanted = {"temperature": order.sampling.temperature, "seed": order.sampling.seed}
        if "thinking" in effort:
            wanted.pop("temperature", None)  # a model that thinks takes none
        changes = {k: v for k, v in wanted.items() if k in fields} | effort
        if self._limit and not order.limited:
            changes[self._limit] = None
        elif self._limit and order.output:
            changes[self._limit] = order.output
        return changes

    def _prepared(self, order: Order) -> tuple[Any, Order]:
        """Return what to send messages to, and the call as it goes there.

        Some classes have the methods for tools and forms, and say only when asked that they take none: then
        these are told in words.
        """
        try:
            return self._runnable(order), order
        except NotImplementedError:
            if order.native:
                self.native = False
                return self._prepared(replace(order, native=False))
            if order.mode in ("words", "free"):
                raise
            self.takes_tools = False
            return self._runnable(order := replace(order, mode="words")), order

    def _runnable(self, order: Order) -> Any:
        """Return what to send messages to: the model with the form of the reply, and no parser after it."""
        model: Any = self._model
        if changes := self._changes(order):
            model = model.model_copy(update=changes)
        if order.native and order.acting is not None:
            return model.bind_tools(order.acting.forms())
        if order.mode in ("words", "free"):
            return model
        if order.mode == "tool":
            return model.bind_tools([tool_of(order.wire)], tool_choice=name_of(order.wire))
        more = {"strict": True} if self._strict else {}
        bound = model.with_structured_output(schema_of(order.wire), method="json_schema", **more)
        return getattr(bound, "first", bound)


def _prefixes(model: Any) -> Prefixes | None:
    """Return what marks beginnings that come again, for a provider that keeps none without a mark."""
    return Prefixes() if "anthropic" in str(getattr(model, "_llm_type", "")).lower() else None


def window_of(model: Any) -> int:
    """Return the tokens that a chat model takes: those it is opened with, or of LangChain's profile of it."""
    profile = getattr(model, "profile", None)
    told = getattr(model, "num_ctx", None) or (profile or {}).get("max_input_tokens")
    return told if isinstance(told, int) and told > 0 else 0


async def _alive(pieces: AsyncIterator[Any], idle: float) -> AsyncIterator[Any]:
    """Yield the pieces of a stream; raises TimeoutError where none comes for a while."""
    while True:
        try:
            piece = await asyncio.wait_for(anext(pieces), idle)
        except StopAsyncIteration:
            return
        yield piece


async def _invoked(runnable: Any, messages: list[Any]) -> Any:
    """Return the message of a reply; raises ValueError where it holds none."""
    try:
        return await runnable.ainvoke(messages)
    except IndexError as error:  # LangChain takes the first choice without looking
        raise ValueError("the server sent a reply without a choice") from error


def _base() -> type[BaseChatModel]:
    """Return the class of all chat models, imported late because it takes long."""
    from langchain_core.language_models import BaseChatModel

    return BaseChatModel


def _said(message: Any, order: Order) -> Said:
    named = [
        (str(c.get("name")), json.dumps(c.get("args"))) for c in getattr(message, "tool_calls", None) or []
    ]
    broken = getattr(message, "invalid_tool_calls", None) or []
    named += [(str(c.get("name")), str(c.get("args") or "")) for c in broken]
    told = getattr(message, "response_metadata", None) or {}
    ended = str(told.get("finish_reason") or told.get("stop_reason") or told.get("done_reason") or "").lower()
    cut = ended in {"length", "max_tokens"}
    text, fault = read_calls(order, named, str(getattr(message, "text", "") or ""), cut=cut)
    return Said(
        text,
        getattr(message, "usage_metadata", None),
        refusal=str((getattr(message, "additional_kwargs", None) or {}).get("refusal") or ""),
        fault=fault,
        cut=cut,
        filtered=ended in {"content_filter", "safety"},
    )
