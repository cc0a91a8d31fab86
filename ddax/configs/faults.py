"""What is wrong with settings, in the same words wherever they come from: a file, a variable, Python."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Container, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from ddax.configs.keys import nearest_one, sections, setting_fields
from ddax.errors import SettingsError, first_fault

LIST_OF_ALL = "`ddax config show` lists every setting."


def unknown(
    key: str, where: str, spell: Callable[[str], str] = str, *, group: type[BaseModel]
) -> SettingsError:
    """Return the error of a key that is no setting of a group; names the one it was meant for."""
    if key in sections(group):
        first = next(known for known in setting_fields(group) if known.startswith(f"{key}."))
        return SettingsError(
            f"{where}: {key!r} is a group of settings, not one.",
            why="Each of its keys is set by itself.",
            mend=f"Name the key, as {spell(first)}; `ddax config show` lists them.",
        )
    return SettingsError(
        f"{where}: there is no setting {key!r}.",
        why=nearest_one(key, group, spell),
        mend=LIST_OF_ALL,
    )


def wrong(field: FieldInfo, place: str, value: object, fault: str, *, part: str = "") -> SettingsError:
    """Return the error of a value that its field does not take; `part` is where in the value it lies."""
    inside = f"In {part!r}: " if part else ""
    if field.is_required():
        mend = "Give another value."
    else:
        default = field.get_default(call_default_factory=True)
        mend = f"Give another value; the default is {_spelled(default)}."
        if isinstance(default, tuple) and isinstance(value, str):
            mend = f"Write a list: [{value}]."
    return SettingsError(
        f"{place} = {_spelled(value)} is not allowed.",
        why=f"{inside}{fault}. It means: {field.description}",
        mend=mend,
    )


def split_key(loc: tuple[int | str, ...], known: Container[str]) -> tuple[str, str]:
    """Part where a fault lies into the longest key that is known ("" for none) and the rest."""
    parts = [str(part) for part in loc]
    for length in range(len(parts), 0, -1):
        if (key := ".".join(parts[:length])) in known:
            return key, ".".join(parts[length:])
    return "", ".".join(parts)


def refused(group: type[BaseModel], values: Mapping[str, Any], error: ValidationError) -> SettingsError:
    """Return what is wrong with settings that were given in Python, as if a file had them."""
    loc, fault = first_fault(error.errors(include_url=False))
    fields = setting_fields(group)
    key, part = split_key(loc, fields)
    if not key:
        return unknown(part, group.__name__, group=group) if part else _at_odds(group, fault)
    found: Any = values
    for name in key.split("."):
        found = found.get(name, _MISSING) if isinstance(found, Mapping) else getattr(found, name, _MISSING)
    if found is _MISSING:
        return SettingsError(
            f"{group.__name__}: {key} is missing.",
            why=f"It has no default. It means: {fields[key].description}",
            mend=f"Give it: {group.__name__}({key}=...)",
        )
    return wrong(fields[key], f"{group.__name__}: {key}", found, fault, part=part)


_MISSING = object()


def _at_odds(group: type[BaseModel], fault: str) -> SettingsError:
    return SettingsError(
        f"{group.__name__}: {fault}.",
        why="Each value may stand by itself; together they do not.",
        mend="Change one of them.",
    )


def _spelled(value: Any) -> str:
    """Write a value as a settings file has it, cut where it is long."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return reprlib.repr(list(value) if isinstance(value, tuple) else value)
