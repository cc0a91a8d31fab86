"""What a model has been found to take: forms of a reply, pictures, a limit, settings, roles, streams.

A server says that it refuses something in words of its own; they are looked for in what it says, not in what
it says back of a request. What was found holds for the process: the next session need not be refused the
same again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ddax.reasoning.language.provider.channel import Mode, Order
from ddax.reasoning.language.provider.failures import Failure
from ddax.reasoning.language.provider.window import narrower

BLIND = ("image", "vision", "multimodal", "content must be a string")
REFUSED = frozenset({400, 404, 415, 422, 500, 501})
"""Words by which servers refuse a picture, and the statuses of it and of a form: neither has its own code."""
FORMS: Mapping[Mode, Sequence[str]] = {
    "schema": ("response_format", "response format", "schema", "structured output", "json mode", "grammar"),
    "tool": ("tool", "function"),
}
"""Words by which servers refuse a form of the reply."""
LIMIT = (
    "max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens", "num_predict",
    "completion tokens", "in the completion",
)  # fmt: skip
"""Words by which servers refuse the limit of output tokens: its name, or that it is larger than theirs."""
EFFORT = ("reasoning_effort", "reasoning effort", "thinking", "reasoning", "effort")
NO_SYSTEM = (
    "system role", "system message", "system prompt", "system instruction", "developer instruction",
    "role 'system'", 'role "system"', "role: system", "developer", "only user and assistant",
    "unexpected role", "role must alternate", "roles must alternate",
)  # fmt: skip
"""Words by which templates refuse instructions that do not come from the user."""


@dataclass
class Abilities:
    """What one model takes; what it refused is given up for good."""

    mode: Mode
    sees: bool
    limited: bool
    sampled: bool = True
    effort: bool = True
    streams: bool = True
    system: bool = True
    must_stream: bool = False
    native: bool = False
    """It takes tools to call by itself, as far as is known."""
    window: int = 0
    """The tokens it takes, as far as it has told them in refusing more; 0: not known."""
    room: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Output tokens and effort that a form was found to need, by its name; 0 and "" for those asked for."""

    def adapted(self, order: Order) -> Order:
        """Return a call in the form the model has been found to take."""
        return replace(
            order, mode=self.mode, sampling=order.sampling if self.sampled else None,
            effort=order.effort if self.effort else "", picture=order.picture if self.sees else None,
            limited=self.limited, system=self.system, native=self.native and order.acting is not None,
        )  # fmt: skip

    def learn(self, failure: Failure, sent: Order, *, streamed: bool, takes_tools: bool) -> bool:
        """Give up what a model refuses; say whether there was anything.

        It goes by what was sent: others may have been refused the same while this call was under way.
        """
        said, named = failure.words, failure.status in (400, 422)
        if failure.kind not in ("status", "context") or failure.status not in REFUSED:
            return False
        if sent.picture is not None and names(said, BLIND):
            self.sees = False
        elif named and sent.limited and names(said, LIMIT):
            self.limited = False
        elif failure.kind == "context":
            return False
        elif sent.system and names(said, NO_SYSTEM):
            self.system = False
        elif named and sent.effort and names(said, EFFORT):
            self.effort = False
        elif named and sent.sampling is not None and names(said, ["temperature", "seed"]):
            self.sampled = False
        elif named and streamed and names(said, ["stream"]):
            self.streams = False
        elif sent.native and names(said, FORMS["tool"]):
            self.native = False
        elif not sent.native and names(said, FORMS.get(sent.mode, ())):
            self._step_down(sent.mode, takes_tools=takes_tools)
        else:
            return False
        return True

    def learn_window(self, failure: Failure, told: int) -> None:
        """Keep a window that was told in tokens; a server that fails teaches nothing."""
        if failure.status < 500:
            self.window = narrower(told, self.window)

    def _step_down(self, refused: Mode, *, takes_tools: bool) -> None:
        """Ask for the next form, once for all calls that were refused the same one."""
        if self.mode == refused:
            self.mode = "tool" if refused == "schema" and takes_tools else "words"


_KNOWN: dict[tuple[str, str, str, bool], Abilities] = {}


def known(name: str, address: str, fresh: Abilities) -> Abilities:
    """Return what this process knows of a model at an address; what is `fresh` where that is nothing."""
    if not address:
        return fresh
    return _KNOWN.setdefault((name, address, fresh.mode, fresh.sees), fresh)


def forget() -> None:
    """Forget what was found of all models."""
    _KNOWN.clear()


def names(said: str, words: Sequence[str]) -> bool:
    """Tell whether a message has a word that begins like one of some: no "stream" is in "upstream"."""
    return any(re.search(rf"(?<![a-z]){re.escape(word)}", said) for word in words)
