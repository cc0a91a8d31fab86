"""From a value to the form it was asked in: what a person would take for it is taken, part by part.

A number may come as text, one thing instead of a list, a map instead of pairs, an object in a wrapper. A
part that does not fit is left out of its list; what the whole cannot do without is still asked for.
Everything that was changed or left out is counted.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ddax.reasoning.language.replies.loose_json import CutList, CutObject
from ddax.reasoning.language.replies.scalars import SCALARS, Misfit, as_text, is_nothing, kind_of

WRAPPERS = 4
"""Wrappers around a reply that are taken off."""
OVER = 0.5
"""How far beyond 0 and 1 a share may lie that is taken for one of the two."""
REMARKS = frozenset(
    {"id", "index", "number", "reason", "reasoning", "rationale", "thought", "thoughts", "explanation",
     "comment", "note", "notes", "description", "status"}
)  # fmt: skip
"""Keys that say nothing of how a part is meant."""
M = TypeVar("M", bound=BaseModel)


@dataclass
class Mends:
    """How many things were changed or left out."""

    count: int = 0


def fitted(value: Any, model: type[M], mends: Mends) -> dict[str, Any]:
    """Return a value as the fields of a form; raises `Misfit` where the whole cannot be read."""
    plain = _unwrapped(_reformed(value, model), model, mends)
    return _fields(_reformed(plain, model), model, mends, part=False)


def _reformed(value: Any, model: type[BaseModel]) -> Any:
    """Return a value in the form of its model, where that reads an older form too."""
    reform = getattr(model, "reformed", None)
    return reform(value) if reform and isinstance(value, Mapping) else value


def _unwrapped(value: Any, model: type[BaseModel], mends: Mends) -> Any:
    """Return what stands inside wrappers: a list of one, an object with one key, JSON as a text."""
    for _ in range(WRAPPERS):
        inner = _inner(value, model)
        if inner is value:
            break
        value, mends.count = inner, mends.count + 1
    return value


def _inner(value: Any, model: type[BaseModel]) -> Any:
    if isinstance(value, str):
        return _decoded(value)
    if isinstance(value, list):
        first = _list_field(model)
        holds = first and any(isinstance(x, Mapping) and _known(x, _item(model, first)) for x in value)
        if first and holds and not any(isinstance(x, Mapping) and first in _known(x, model) for x in value):
            return {first: value}
        return value[0] if len(value) == 1 else value
    if not isinstance(value, Mapping) or _known(value, model):
        return value
    insides = [x for key, x in value.items() if isinstance(x, Mapping | list) or _is_object(x)]
    fitting = [x for x in insides if isinstance(x, Mapping) and _known(x, model)]
    if len(fitting) == 1:
        return fitting[0]
    return insides[0] if len(insides) == 1 and not _is_misnamed(insides[0], model) else value


def _is_misnamed(value: Any, model: type[BaseModel]) -> bool:
    """Tell whether a list is that of a form whose other fields may stand beside it."""
    return isinstance(value, list) and len(model.model_fields) > 1 and _list_field(model) != ""


def _decoded(text: str) -> Any:
    try:
        return json.loads(text) if text.lstrip()[:1] in ("{", "[", '"') else text
    except (ValueError, RecursionError):
        return text


def _is_object(value: Any) -> bool:
    return isinstance(value, str) and isinstance(_decoded(value), dict)


def _list_field(model: type[BaseModel]) -> str:
    """Return the field of a form that holds its parts; "" where it has none or several."""
    found = [name for name, field in model.model_fields.items() if _item_of(field.annotation)]
    return found[0] if len(found) == 1 else ""


def _item(model: type[BaseModel], name: str) -> type[BaseModel]:
    found = _item_of(model.model_fields[name].annotation)
    assert found is not None
    return found


def _item_of(kind: Any) -> type[BaseModel] | None:
    """Return the form of the parts of a list; None where it is no list of such."""
    inner = get_args(kind)[0] if get_origin(kind) is list else None
    return inner if isinstance(inner, type) and issubclass(inner, BaseModel) else None


def _plain(key: str) -> str:
    return re.sub(r"[\W_]", "", str(key)).casefold()


def _known(value: Mapping[str, Any], model: type[BaseModel]) -> dict[str, str]:
    """Map the fields of a form that a value has to the keys it gives them."""
    aliases: Mapping[str, tuple[str, ...]] = getattr(model, "ALIASES", {})
    given = {_plain(key): key for key in reversed(list(value))}
    found: dict[str, str] = {}
    for name in model.model_fields:
        names = (name, *aliases.get(name, ()))
        key = name if name in value else next((given[n] for n in map(_plain, names) if n in given), None)
        if key is not None and key not in found.values():
            found[name] = key
    return found


def _fields(value: Any, model: type[BaseModel], mends: Mends, *, part: bool) -> dict[str, Any]:
    value = _as_object(value, model, mends)
    known = _known(value, model)
    _refuse_terms(value, known, model)
    _refuse_lists(value, known, model)
    mends.count += sum(name != key for name, key in known.items())
    mends.count += part and len(value) > len(known)
    renamed = _misnamed(value, known, model)
    found: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        key = known.get(name) or (renamed[1] if name == renamed[0] else "")
        if key and name in getattr(model, "RAW", ()):
            found[name] = as_text(value[key])
        elif key and name in getattr(model, "DROPS", ()) and _is_too_long(value[key], field):
            mends.count += 1
        elif key:
            found[name] = _at(name, value[key], field, mends, part=part)
    mends.count += bool(renamed[0])
    for name, field in model.model_fields.items():
        if name not in found:
            if isinstance(value, CutObject) and _item_of(field.annotation):
                raise Misfit(f"{name}: it was cut off")
            found[name] = _spare(name, model, found, mends)
    return found


def _as_object(value: Any, model: type[BaseModel], mends: Mends) -> Mapping[str, Any]:
    if isinstance(value, str):
        value = _decoded(value)
    bare: str = getattr(model, "BARE", "")
    if isinstance(value, str) and bare:
        mends.count += 1
        return {bare: value}
    if isinstance(value, list) and len(value) == 1:
        mends.count += 1
        value = value[0]
    if not isinstance(value, Mapping):
        raise Misfit(f"Input should be an object, not {kind_of(value)}")
    folds: Mapping[str, tuple[str, ...]] = getattr(model, "FOLDS", {})
    found: Mapping[str, Any] = value
    for into, keys in folds.items():
        found = _folded(found, into, [key for key in keys if key in found])
    return found


def _folded(value: Mapping[str, Any], into: str, keys: list[str]) -> Mapping[str, Any]:
    """Return an object with the keys of a part that stand beside it moved into the part."""
    outer = value.get(into)
    if not keys or not (outer is None or isinstance(outer, str)):
        return value
    part = {key: value[key] for key in keys} | ({"name": outer} if outer else {})
    return {key: x for key, x in value.items() if key not in keys} | {into: part}


def _refuse_terms(value: Mapping[str, Any], known: Mapping[str, str], model: type[BaseModel]) -> None:
    """Refuse a key that may say on what terms a part is meant, where that matters."""
    if not getattr(model, "BINDING", False):
        return
    taken = set(known.values())
    for key in value:
        if key not in taken and _plain(key) not in REMARKS:
            raise Misfit(f"{key}: Extra inputs are not permitted")


def _refuse_lists(value: Mapping[str, Any], known: Mapping[str, str], model: type[BaseModel]) -> None:
    """Refuse a list beside the fields where one that may be left out is missing: it may be that one."""
    free = [name for name, field in model.model_fields.items() if not field.is_required()]
    if all(name in known for name in free):
        return
    taken, renamed = set(known.values()), _misnamed(value, known, model)[1]
    for key, inside in value.items():
        if key not in taken and key != renamed and isinstance(inside, list):
            raise Misfit(f"{key}: Extra inputs are not permitted")


def _misnamed(value: Mapping[str, Any], known: Mapping[str, str], model: type[BaseModel]) -> tuple[str, str]:
    """Return the list of parts that a value lacks, and the key under which alone it can stand."""
    name = _list_field(model)
    if not name or name in known:
        return "", ""
    item, taken = _item(model, name), set(known.values())
    lists = [
        key for key, x in value.items()
        if key not in taken and isinstance(x, list)
        and any(isinstance(y, Mapping) and _known(y, item) for y in x)
    ]  # fmt: skip
    return (name, lists[0]) if len(lists) == 1 else ("", "")


def _spare(name: str, model: type[BaseModel], found: Mapping[str, Any], mends: Mends) -> Any:
    """Return what stands for a field that was left out; raises `Misfit` where nothing can."""
    field = model.model_fields[name]
    if not field.is_required():
        return field.get_default(call_default_factory=True)
    spares: Mapping[str, Any] = getattr(model, "SPARES", {})
    if name not in spares:
        raise Misfit(f"{name}: Field required")
    mends.count += 1
    spare = spares[name]
    return spare(found) if callable(spare) else spare


def _at(name: str, value: Any, field: FieldInfo, mends: Mends, *, part: bool) -> Any:
    try:
        return _bounded(_value(field.annotation, value, mends, part=part), field, mends, part=part)
    except Misfit as error:
        raise Misfit(f"{name}{'.' if ': ' in str(error) else ': '}{error}") from error


def _value(kind: Any, value: Any, mends: Mends, *, part: bool) -> Any:
    if get_origin(kind) is list:
        return _list(get_args(kind)[0], value, mends)
    if get_origin(kind) in (Union, UnionType):
        inner = next(each for each in get_args(kind) if each is not NoneType)
        if value is None or is_nothing(value):
            mends.count += value is not None
            return None
        return _value(inner, value, mends, part=part)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return _fields(value, kind, mends, part=True)
    if kind is Any:  # a form of the user's own: it is checked by its schema
        return value
    found: Any = SCALARS[kind](value)
    mends.count += type(found) is not type(value) and not (kind is float and type(value) is int)
    return found


def _list(kind: Any, value: Any, mends: Mends) -> list[Any]:
    model = kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None
    if isinstance(value, CutList) and not value and model is not None:
        raise Misfit("it was cut off")
    listed = _listed(value, model, mends)
    edges: str = getattr(model, "EDGES", "")
    listed = _by_title(listed, edges, mends) if edges else listed
    found: dict[int, Any] = {}
    faults = []
    for place, item in enumerate(listed):
        try:
            if isinstance(item, CutObject):
                raise Misfit("it was cut off")
            read = _value(kind, item, mends, part=True)
            if model is not None:
                model.model_validate(read)
            found[place] = read
        except ValueError as error:
            mends.count += 1
            faults.append(f"{place}.{error}" if isinstance(error, Misfit) else f"{place}: it does not fit")
    if faults and not found and model is not None:
        raise Misfit(faults[0])
    return _renumbered(found, edges)


def _listed(value: Any, model: type[BaseModel] | None, mends: Mends) -> list[Any]:
    """Return a list where one thing, a map of things, a text or nothing stands for it."""
    if isinstance(value, str):
        value = _decoded(value)
    if isinstance(value, list):
        return _unpaired(value, model, mends)
    mends.count += 1
    if value is None or is_nothing(value):
        return []
    if isinstance(value, Mapping) and model is not None and not _known(value, model):
        pair: tuple[str, ...] = getattr(model, "PAIR", ())
        if pair and not all(isinstance(x, Mapping) for x in value.values()):
            return [{pair[0]: key, pair[1]: x} for key, x in value.items()]
        return [_with_name(key, x, pair) for key, x in value.items()]
    return [value]


def _with_name(key: str, value: Any, pair: tuple[str, ...]) -> Any:
    """Return a part of a map with the name it has there, where it has none of its own."""
    named = bool(pair) and isinstance(value, Mapping) and pair[0] not in value
    return {pair[0]: key, **value} if named else value


def _unpaired(items: list[Any], model: type[BaseModel] | None, mends: Mends) -> list[Any]:
    """Return pairs that were written as objects of one key in their own form."""
    pair: tuple[str, ...] = getattr(model, "PAIR", ())
    if model is None or not pair:
        return items
    found = []
    for item in items:
        alone = isinstance(item, Mapping) and len(item) == 1 and not _known(item, model)
        mends.count += alone
        found.append({pair[0]: next(iter(item)), pair[1]: next(iter(item.values()))} if alone else item)
    return found


def _renewed(item: Mapping[str, Any], values: dict[str, Any]) -> Mapping[str, Any]:
    """Return an object with other values, one that was cut off as such."""
    return CutObject(values) if isinstance(item, CutObject) else values


def _by_title(items: list[Any], edges: str, mends: Mends) -> list[Any]:
    """Return parts whose edges name others by their place where they named them by their title."""
    titles = {str(x.get("title")).casefold(): n for n, x in enumerate(items) if isinstance(x, Mapping)}
    found = []
    for item in items:
        named = item.get(edges) if isinstance(item, Mapping) else None
        if isinstance(named, list) and any(isinstance(x, str) and x.casefold() in titles for x in named):
            mends.count += 1
            places = [titles.get(str(x).casefold(), x) for x in named]
            item = _renewed(item, {**item, edges: places})
        found.append(item)
    return found


def _renumbered(found: Mapping[int, Any], edges: str) -> list[Any]:
    """Return the parts that are left, their edges to one another by the places they have now."""
    if not edges:
        return list(found.values())
    places = {old: new for new, old in enumerate(found)}
    # An edge to what was left out points nowhere; whoever reads it drops it and counts it.
    return [{**item, edges: [places.get(edge, -1) for edge in item[edges]]} for item in found.values()]


def _bounded(value: Any, field: FieldInfo, mends: Mends, *, part: bool) -> Any:
    """Return a value within the bounds of its field; raises `Misfit` where it is too far from them."""
    bounds = {
        key: x for one in field.metadata for key in _BOUNDS if (x := getattr(one, key, None)) is not None
    }
    if isinstance(value, str | list):
        return _shortened(value, bounds, mends)
    if not isinstance(value, float) or "le" not in bounds:
        return value
    low, high = bounds.get("ge", bounds.get("gt", -math.inf)), bounds["le"]
    if not math.isfinite(value) or (not part and not low - OVER <= value <= high + OVER):
        raise Misfit(f"Input should be a number from {low:g} to {high:g}")
    if "gt" in bounds and value <= low:
        mends.count += 1
        return 0.01
    mends.count += not low <= value <= high
    return min(max(value, low), high)


_BOUNDS = ("min_length", "max_length", "ge", "gt", "le")


def _is_too_long(value: Any, field: FieldInfo) -> bool:
    most = next((x for one in field.metadata if (x := getattr(one, "max_length", None)) is not None), None)
    return most is not None and isinstance(value, str) and len(value) > most


def _shortened(value: Any, bounds: Mapping[str, Any], mends: Mends) -> Any:
    if len(value) < bounds.get("min_length", 0):
        raise Misfit("String should have at least 1 character")
    most = bounds.get("max_length", len(value))
    if len(value) <= most:
        return value
    mends.count += 1
    return value[:most] if isinstance(value, list) else value[:most].rsplit(None, 1)[0][:most]
