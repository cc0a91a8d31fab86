"""What makes the replies of a chat model its own: its class and how it is set up, without any secret.

Of two objects of one class each may answer in its own way: their kept replies are told apart by this. What
changes no reply, such as time-outs and limits of its length, is left out.
"""

from __future__ import annotations

import json
import re
import weakref
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from ddax.configs.secrets import Redactor, is_secret, shaped

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

ALIKE = re.compile(
    r"(?i)timeout|retries|proxy|tiktoken|^stream|^max_(?:\w*_)?tokens$|^num_predict$|^socket_options$"
)
"""Names of fields that change no reply that was accepted."""
SIGNED = re.compile(r"(?i)authorization|cookie")
"""Names of headers that are never told, whatever stands in them."""
_PLAIN = (type(None), bool, int, float, str)


class Unplain(TypeError):
    """Say that a value cannot be written down."""


class _Mark(NamedTuple):
    """What stands for one object for as long as it lives."""

    whose: weakref.ref[Any]
    text: str


_MARKS: dict[int, _Mark] = {}
"""The marks of objects that cannot be described, by their place in memory."""


def traits_of(model: BaseChatModel, *, opened: bool = False) -> str:
    """Return a digest of how a model is set up; a mark of this object alone where nothing tells it.

    One that was `opened` by its name and its settings is told by these, whatever else it holds.
    """
    said, whole = _described(model)
    if not whole and not opened:
        return _mark(model)
    kind = type(model)
    told = Redactor.of_process().value([kind.__module__, kind.__qualname__, said])
    return sha256(json.dumps(told, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def address_of(value: object) -> str:
    """Return the address of a model without a secret in it."""
    return Redactor.of_process().text(str(value or ""))


def _described(model: Any) -> tuple[list[Any], bool]:
    """Return what a model says of itself with its own fields, and whether that is all there is to it.

    Its class says what identifies it, or its fields do, where each is plain.
    """
    named, _ = _said(dict(model._identifying_params or {}).items())
    fields, odd = _said(_fields(model))
    return [named, fields], bool(named) or (bool(fields) and not odd and not _has_own(model))


def _has_own(model: Any) -> bool:
    """Tell whether a model holds plain values beside its fields that are not those of every one."""
    usual = {name: said.get_default() for name, said in type(model).__private_attributes__.items()}
    held = getattr(model, "__pydantic_private__", None) or {}
    kinds = (*_PLAIN, list, tuple, set, frozenset, Mapping)
    return any(isinstance(one, kinds) and one != usual.get(name, one) for name, one in held.items())


def _fields(model: Any) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a model that its class adds to those of all; a client is none of them."""
    for name, about in type(model).model_fields.items():
        if name not in _common() and not about.exclude:
            yield name, getattr(model, name)


@cache
def _common() -> frozenset[str]:
    from langchain_core.language_models import BaseChatModel

    return frozenset(BaseChatModel.model_fields)


def _said(fields: Iterable[tuple[Any, Any]]) -> tuple[dict[str, Any], bool]:
    """Return fields as plain values, without secrets and what changes no reply; say whether one is odd.

    So is a text that is left out for its name alone: it may be one by which replies differ.
    """
    found: dict[str, Any] = {}
    odd = False
    for name, value in fields:
        if ALIKE.search(str(name)):
            continue
        if _hides(str(name), value):
            known = SIGNED.search(str(name)) or not isinstance(value, str)
            odd |= not known and bool(value.strip()) and not any(shaped(value))
            continue
        try:
            found[str(name)] = _plain(value)
        except Unplain:
            odd = True
    return found, odd


def _hides(name: str, value: Any) -> bool:
    """Tell whether a value is a secret, or makes one."""
    if hasattr(value, "get_secret_value") or SIGNED.search(name):
        return True
    if isinstance(value, (type(None), bool, int, float, Mapping)):
        return False
    return is_secret(name, value.strip() if isinstance(value, str) else "")


def _plain(value: Any) -> Any:
    """Return a value as plain JSON; raises `Unplain` for an object that nothing is known of."""
    if isinstance(value, Enum):
        return _plain(value.value)
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, Mapping):
        found, odd = _said(value.items())
        if odd:
            raise Unplain("a mapping with an object in it")
        return found
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(one) for one in value), key=repr)
    raise Unplain(type(value).__name__)


def _mark(model: Any) -> str:
    """Return the mark of an object: another one for each, in every process."""
    place = id(model)
    known = _MARKS.get(place)
    if known is None or known.whose() is not model:
        known = _Mark(weakref.ref(model, lambda _: _forget(place)), uuid4().hex)
        _MARKS[place] = known
    return known.text


def _forget(place: int) -> None:
    """Drop the mark of an object that is gone, unless another one stands in its place already."""
    known = _MARKS.get(place)
    if known is not None and known.whose() is None:
        del _MARKS[place]
