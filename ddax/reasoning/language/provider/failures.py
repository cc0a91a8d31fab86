"""The one place where a provider's exceptions become ours.

Read by status and by the names of the classes, so that no provider's package is imported here.
The retry table: 408, 409, 425, 429, 5xx (529 too), time-outs and connection errors may pass; 400, 401,
403, 404, 413 and 422 do not. A reply that does not fit is repaired, not retried.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from ddax.configs.secrets import Redactor
from ddax.errors import InvalidReply, RateLimited, ReasonerError, Unavailable
from ddax.headers import retry_after
from ddax.reasoning.language.provider.failure_bodies import (
    body_of,
    first_error,
    own,
    parsed,
    reason_in,
    shown,
)
from ddax.wording import amount, span

if TYPE_CHECKING:
    from ddax.reasoning.language.provider.channel import Said

Kind = Literal[
    "status", "timeout", "connection", "length", "filtered", "quota", "context", "empty", "foreign"
]

RETRIED = frozenset({408, 409, 425, 429})
NOT_TAKEN = frozenset({401, 402, 404})
"""Statuses by which a provider takes no request with this key, account or model at all."""
_TIMEOUTS = frozenset({"TimeoutError", "APITimeoutError", "ModelTimeoutError", "TimeoutException"})
_CONNECTIONS = frozenset(
    {
        "ConnectionError", "APIConnectionError", "ModelConnectionError", "TransportError", "OSError",
        "ClientConnectionError",
    }
)  # fmt: skip
_UNREAD = frozenset({"ClientResponseError"})
"""Names by which a client says that it cannot read a reply as HTTP: the status of these is no server's."""
_HALF = ("payload is not completed", "complete message body")
"""Words by which clients say that a reply broke off after it had begun."""
_TOO_LONG = re.compile(
    r"(?:prompt|input|request)(?: is)? too (?:long|large)|input token count|too many (?:input )?tokens"
    r"|context (?:the )?overflow|range of input length|input tokens exceed"
    r"|maximum (?:model|input|sequence|prompt) length|max_new_tokens` must be"
    r"|must have less than [\d,]+ tokens"
)
"""Words by which servers say that a request is longer than the model takes."""
_CONTEXT = re.compile(r"context[ _-]?(?:length|size|window|limit)|n_ctx")
_MORE = re.compile(
    r"exceed|(?:longer|over|beyond|fit|(?:more|larger|greater) than)(?![a-z_])"
    r"|[<>]=?|too (?:long|large|small|many)|truncate"
)
_BOUND = re.compile(r"(?:maximum|max|more|larger|greater|only|limit|up to|at most)(?![a-z_])")
"""Words for a context; those which say beside one that a request does not fit; those that need a number."""
_AMOUNT = re.compile(r"(?<!error code: )\b\d[\d,]{2,}")
_MEASURED = frozenset({400, 413, 422, 500})
"""Statuses of a request that is too long; under others such words tell of something else."""
_NO_CREDIT = re.compile(r"insufficient[ _](?:quota|balance|credit|funds)|credit balance is too low")
_LOADS = re.compile(r"loading (?:the )?model|model is (?:still |currently )?loading|is currently loading")
"""Words by which a server says that its model is on its way into the memory."""
_UNHEARD = "Nothing came before the call was given up."
_HALF_READ = "Its reply had begun, and had not ended when the call was given up."
MAX_TOLD = 300
REPLY_TOLD = 200
"""Characters of a reply that an error tells."""
_TOLD: dict[Kind, str] = {
    "timeout": "no reply in time", "connection": "no connection", "length": "the reply is too long",
    "filtered": "the reply was filtered", "empty": "an empty reply", "quota": "no credit",
    "context": "the request is too long", "foreign": "no usable answer",
}  # fmt: skip
"""What a reader is told of each kind that is no HTTP status."""


@dataclass(frozen=True)
class Failure:
    """A failed attempt: its kind, the HTTP status (0: none), what was said, the wait asked for in seconds.

    `begun` says that a reply had begun when the connection broke; `words` are the server's own, in small
    letters, to look for words in.
    """

    kind: Kind
    status: int
    said: str
    retry_after: float | None = None
    begun: bool = False
    words: str = ""

    @property
    def loading(self) -> bool:
        """Say whether the server is there and its model is not yet: nothing was asked of it."""
        return self.status == 503 and _LOADS.search(self.words) is not None

    @property
    def retriable(self) -> bool:
        """Say whether the same call may succeed later."""
        if self.kind == "status":
            return self.status in RETRIED or 500 <= self.status < 600
        return self.kind in ("timeout", "connection", "empty")

    @property
    def for_all(self) -> bool:
        """Say whether every request would meet it, until time or somebody mends it.

        What took too long or broke off in its reply may do so for this one request alone.
        """
        if self.kind == "quota" or (self.kind == "status" and self.status in NOT_TAKEN):
            return True
        return self.retriable and self.kind not in ("timeout", "empty") and not self.begun

    @property
    def told(self) -> str:
        """Name the failure in a few words."""
        return f"HTTP {self.status}" if self.kind == "status" else _TOLD[self.kind]


def classify(
    error: Exception, wall: Callable[[], float], *, heard: bool = False, sent: str = ""
) -> Failure:  # fmt: skip
    """Read a foreign exception; `wall` gives the epoch time, which a Retry-After date is held against.

    `heard` says that a part of the reply had come; `sent` is the text of the request.
    """
    names = {cls.__name__ for cls in type(error).__mro__}
    if names & _UNREAD:
        return Failure("foreign", 0, _unknown(error, _words(error)))
    status, body = _status(error), body_of(error)
    said = _reason(error, status, body)
    words = f"{own(f'{said} {shown(body)}', sent)}\n{_code(error, body)}".lower()
    kind = _named_kind(names, words, status)
    if kind is not None:
        return Failure(kind, status, said, words=words)
    if status:
        return Failure("status", status, said, _retry_after(error, wall), words=words)
    return _unreached(error, said, heard=heard) or Failure("foreign", 0, _unknown(error, said))


def _reason(error: Exception, status: int, body: str) -> str:
    """Return what went wrong in words: those of the exception, or of the body where they are not in it."""
    own = " ".join(str(error).split())
    told = reason_in(body)
    words = own.removeprefix(f"Error code: {status}").removeprefix(" - ")
    if status and told and (words in told or body.strip()[:200] in own):
        return _cut(f"Error code: {status} - {told}")
    return _cut(own)


def _unknown(error: Exception, said: str) -> str:
    """Tell an exception nobody knows, by its own words first."""
    name = type(error).__name__
    return f"{said} ({name})" if said else name


def _unreached(error: Exception, said: str, *, heard: bool) -> Failure | None:
    """Read an exception of a server that did not answer; None where it is another one.

    What lies deepest says what it was: a client may call a refused connection a time-out.
    """
    links: list[BaseException] = [error]
    # A cancelled call says only how it was cancelled, which is no fault of the server's.
    while (cause := links[-1].__cause__) is not None and isinstance(cause, Exception):
        links.append(cause)
    told = _beneath(links, said)
    for link in reversed(links):
        names = {cls.__name__ for cls in type(link).__mro__}
        if names & _TIMEOUTS:
            return Failure("timeout", 0, told or (_HALF_READ if heard else _UNHEARD))
        if names & _CONNECTIONS:
            begun = any(words in told for words in _HALF)
            return Failure("connection", 0, told or type(link).__name__, begun=begun)
    return None


def _beneath(links: list[BaseException], said: str) -> str:
    """Return the first words beneath an exception that are not its own: wrappers repeat them."""
    words = map(_words, links[1:])
    return next((told for told in words if told and told != said), said)


def _words(error: BaseException) -> str:
    """Return the first words of an exception; a server may say a key back, and no part of it is left."""
    return _cut(str(error))


def _cut(text: str) -> str:
    return Redactor.of_process().cut(" ".join(text.split()), MAX_TOLD)


def _named_kind(names: set[str], said: str, status: int) -> Kind | None:
    if "EmptyReply" in names:
        return "empty"
    if "LengthFinishReasonError" in names:
        return "length"
    if "ContentFilterFinishReasonError" in names:
        return "filtered"
    if "ContextOverflowError" in names or "context_length_exceeded" in said:
        return "context"
    measured = status in _MEASURED or (not status and "NoCompletion" in names)
    if measured and _overran(said):
        return "context"
    return "quota" if _NO_CREDIT.search(said) else None


def _overran(said: str) -> bool:
    """Tell whether words say that a request was too long; the name of a context alone does not."""
    rest = _CONTEXT.sub(" ", said)
    bounded = _BOUND.search(rest) and _AMOUNT.search(rest)
    return bool(_TOO_LONG.search(said) or (rest != said and (_MORE.search(rest) or bounded)))


def _code(error: Exception, body: str) -> str:
    """Return the words a provider names a fault with, beside its message; "" where there are none."""
    told = _told_by(error) or first_error(parsed(body))
    words = (getattr(error, "code", None), told.get("code"), told.get("type"), told.get("param"))
    return " ".join(word for word in words if isinstance(word, str))


def _told_by(error: Exception) -> Mapping[str, Any]:
    """Return the error in the body of a reply; {} where there is none."""
    return first_error(getattr(error, "body", None))


def _status(error: Exception) -> int:
    """Return the status of the reply, or else the one that the error in its body names; 0: neither."""
    for holder in (error, getattr(error, "response", None)):
        for field in ("status_code", "code"):
            value = getattr(holder, field, None)
            if isinstance(value, int) and 100 <= value < 600:
                return value
    # A gateway that has begun a 200 tells in its body what the provider behind it said.
    told = str(_told_by(error).get("code") or "")
    return int(told) if re.fullmatch("[45][0-9][0-9]", told) else 0


def _retry_after(error: Exception, wall: Callable[[], float]) -> float | None:
    """Return the seconds a server asks to wait, from a number or a date; None where it says neither."""
    headers = getattr(getattr(error, "response", None), "headers", None)
    said = headers.get("retry-after") if isinstance(headers, Mapping) else None
    if not isinstance(said, str):
        return None
    return retry_after(said, datetime.fromtimestamp(wall(), UTC))


def mapped(
    failure: Failure, model: str, key: str, attempts: int, *, late: bool = False, near: str = ""
) -> ReasonerError:
    """Return our error for a failure that ends a request; `key` is the variable the key is read from.

    `late` says that the request has not the time for the wait before a further attempt; `near` is a known
    model whose name is like this one's.
    """
    tries = f" after {attempts} attempts" if attempts > 1 else ""
    if late and failure.retriable and failure.retry_after is not None:
        return RateLimited(
            f"{model} failed{tries}: {failure.told}, not to be asked again for {span(failure.retry_after)}.",
            why=failure.said,
            mend="Wait as long, or take another model.",
        )
    what, mend = f"{model} failed{tries}: {failure.told}.", _mend(failure, key)
    if near and failure.status in (400, 404):
        mend = f"{mend} The nearest name known is {near!r}."
    if failure.for_all:
        return Unavailable(what, why=failure.said, mend=mend)
    return ReasonerError(what, why=failure.said, mend=mend)


def refusal_of(said: Said, model: str, key: str) -> ReasonerError | None:
    """Return the error of a reply that says no, or that a filter ended; None for any other."""
    if said.filtered:
        return mapped(Failure("filtered", 0, "The content filter ended the reply."), model, key, 1)
    if not said.refusal:
        return None
    return InvalidReply(
        f"{model} refused to answer.", why=f"It said: {_told(said.refusal)}",
        mend="Rephrase the task, or choose another model.",
    )  # fmt: skip


def unusable(said: Said, fault: Exception, model: str, form: str, calls: int) -> InvalidReply:
    """Return the error of a reply that does not fit its form after all calls."""
    plain = said.text.strip() and "{" not in said.text  # a refusal, or why there is no object
    told = f" It said: {_told(said.text)}" if plain else ""
    return InvalidReply(
        f"{model} gave no usable reply to {form!r}.", why=f"After {amount(calls, 'call')}: {fault}.{told}",
        mend="Try a more capable model.",
    )  # fmt: skip


def _told(text: str) -> str:
    """Return the first words of a reply in one line; a model may say a key back."""
    return Redactor.of_process().cut(" ".join(text.split()), REPLY_TOLD)


def _mend(failure: Failure, key: str) -> str:
    variable = key or "the provider's key variable"
    by_status = {
        400: "The provider refuses the request itself: check the model's name and its abilities.",
        401: f"Check the key in the environment variable {variable}.",
        403: f"The key in {variable} has no right to this model: choose another model or key.",
        404: "No such model at this address: check the name after 'provider:' and the base URL.",
        413: "The request is too large for this model: read fewer sources.",
        422: "The provider refuses the request itself: check the model's name and its abilities.",
        429: "The provider limits the rate: wait, or set models.per_minute or models.concurrency.",
    }
    by_kind = {
        "timeout": "For a slow model raise models.idle_seconds or models.total_seconds; else check the"
        " network and the base URL.",
        "connection": "Check the network and the base URL.",
        "quota": f"The account behind {variable} has no credit left.",
        "context": "Choose a model with a larger context window, or read fewer sources.",
        "filtered": "The provider's content filter refused; rephrase the task.",
        "length": "Raise models.output_tokens, lower models.effort, or choose a model that thinks less.",
        "empty": "Ask again; if it stays so, choose another model, or another server for it.",
        "foreign": "Check the provider's package and its address; the server may not speak its protocol.",
    }
    if failure.kind != "status":
        return by_kind[failure.kind]
    return by_status.get(failure.status, "The provider is failing: wait, or take another model.")
