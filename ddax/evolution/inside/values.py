"""Values that cross between the tests' process and the candidate's: exact plain types, or a handle.

An instance of a subclass of a plain type is no plain value: a text that claims to equal everything
arrives as a handle, and a handle equals no plain value.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

DEPTH = 60
_MAPPINGS = (dict, Counter, OrderedDict, defaultdict)
_BIG = 1 << 53


def encode(value: Any, refer: Callable[[Any], list[Any]], depth: int = 0) -> Any:
    """Write a value as JSON; what is not plain is left to `refer`."""
    kind = type(value)
    if value is None or kind in (bool, str) or (kind is int and abs(value) < _BIG):
        return value
    if depth > DEPTH:
        raise RecursionError("a value is nested too deeply to cross")
    if kind is int:
        return ["i", hex(value)]
    if kind is float:
        return ["f", value.hex()]
    if kind is complex:
        return ["c", value.real.hex(), value.imag.hex()]
    if kind in (bytes, bytearray):
        return ["b" if kind is bytes else "B", value.hex()]
    names: dict[Any, str] = {list: "l", tuple: "t", set: "s", frozenset: "z"}
    if kind in names:
        return [names[kind], [encode(v, refer, depth + 1) for v in value]]
    if kind in _MAPPINGS:
        return [
            "d",
            [[encode(k, refer, depth + 1), encode(v, refer, depth + 1)] for k, v in dict.items(value)],
        ]
    if kind is range:
        return ["r", [value.start, value.stop, value.step]]
    if kind in (Decimal, Fraction):
        return ["D" if kind is Decimal else "F", str(value)]
    return refer(value)


_PLAIN: dict[str, Callable[[Any], Any]] = {
    "i": lambda v: int(v, 16),
    "f": float.fromhex,
    "b": bytes.fromhex,
    "B": bytearray.fromhex,
    "r": lambda v: range(*v),
    "D": Decimal,
    "F": Fraction,
}
_GROUPS: dict[str, Callable[[Any], Any]] = {"l": list, "t": tuple, "s": set, "z": frozenset}


def decode(data: Any, resolve: Callable[[list[Any]], Any]) -> Any:
    """Read a value from JSON; raises ValueError where it is malformed. `resolve` reads what is not plain."""
    if data is None or type(data) in (bool, int, str):
        return data
    if type(data) is not list or not data:
        raise ValueError("a value is malformed")
    tag = data[0]
    if tag in _PLAIN:
        return _PLAIN[tag](data[1])
    if tag in _GROUPS:
        return _GROUPS[tag](decode(v, resolve) for v in data[1])
    if tag == "d":
        return {decode(k, resolve): decode(v, resolve) for k, v in data[1]}
    if tag == "c":
        return complex(float.fromhex(data[1]), float.fromhex(data[2]))
    return resolve(data)
