"""The tests' side of a separate verdict: runs the units; the program is reached by messages only."""

from __future__ import annotations

import builtins
import importlib
import os
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from .frames import read_frame, write_frame
from .limits import apply_limits
from .loading import Program, Ticks
from .units import Runner
from .values import decode, encode

_BINARY = (
    "add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor",
    "getitem", "setitem", "delitem", "contains", "enter", "exit", "neg", "abs", "lt", "le", "gt", "ge",
    "matmul", "reversed",
)  # fmt: skip


class Link:
    """Asks the candidate's process; decodes nothing but plain values and handles."""

    def __init__(self, control: int, answers: int) -> None:
        self.control, self.answers = control, answers
        self.callables: list[Any] = []
        self.errors: dict[str, type[BaseException]] = {}

    def refer(self, value: Any) -> list[Any]:
        """Describe what goes over: a handle, or a callable of the tests."""
        if isinstance(value, Handle):
            return ["h", object.__getattribute__(value, "_ref")]
        if callable(value):
            self.callables.append(value)
            return ["k", len(self.callables) - 1]
        raise TypeError(f"a {type(value).__name__} of the tests cannot be sent to the program")

    def resolve(self, data: list[Any]) -> Any:
        """Read a handle."""
        if data[0] != "h" or type(data[1]) is not int:
            raise ValueError("a handle is malformed")
        return Handle(self, data[1])

    def error(self, names: list[str]) -> type[BaseException]:
        """Return the class for an exception of the program: its own name over a built-in base."""
        first = str(names[0])
        known = getattr(builtins, first, None)
        if isinstance(known, type) and issubclass(known, BaseException):
            return known
        if first not in self.errors:
            bases = [getattr(builtins, str(n), None) for n in names[1:]]
            own = [self.errors[str(n)] for n in names[1:] if str(n) in self.errors]
            base = next(
                (b for b in (*own, *bases) if isinstance(b, type) and issubclass(b, BaseException)), Exception
            )
            made: type[BaseException] = type(first, (base,), {})  # pyright: ignore[reportAssignmentType]
            self.errors[first] = made
        return self.errors[first]

    def ask(self, **request: Any) -> Any:
        """Send a request and return the decoded value; raises what the program raised."""
        write_frame(self.answers, {"ask": request})
        while True:
            reply = read_frame(self.control)
            if "callback" not in reply:
                break
            self.call_back(reply)
        if "error" in reply:
            raise self.error(reply["error"])(str(reply.get("text", "")))
        return reply

    def call_back(self, reply: dict[str, Any]) -> None:
        """Run a callable of the tests for the program."""
        try:
            value = self.callables[reply["callback"]](*(decode(a, self.resolve) for a in reply["args"]))
            answer: dict[str, Any] = {"value": encode(value, self.refer)}
        except Exception as error:  # goes back to the program as its error
            answer = {"error": f"{type(error).__name__}: {error}"[:200]}
        write_frame(self.answers, {"ask": answer})

    def use(
        self, op: str, ref: int, name: str, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Use an object of the program; lists, dicts and sets given to it change as it changed them."""
        sent = [encode(a, self.refer) for a in args]
        reply = self.ask(
            op=op,
            ref=ref,
            name=name,
            args=sent,
            kwargs={k: encode(v, self.refer) for k, v in (kwargs or {}).items()},
        )
        for old, before, after in zip(args, sent, reply["args"], strict=True):
            if before != after:
                _update(old, decode(after, self.resolve))
        return decode(reply["value"], self.resolve)


def _update(old: Any, new: Any) -> None:
    if type(old) is not type(new):
        return
    if type(old) is list:
        old[:] = new
    elif type(old) in (dict, set):
        old.clear()
        old.update(new)


class Handle:
    """An object of the program, seen from the tests. It equals no plain value."""

    def __init__(self, link: Link, ref: int) -> None:
        object.__setattr__(self, "_link", link)
        object.__setattr__(self, "_ref", ref)

    def _use(self, op: str, name: str = "", *args: Any, **kwargs: Any) -> Any:
        link: Link = object.__getattribute__(self, "_link")
        return link.use(op, object.__getattribute__(self, "_ref"), name, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        return self._use("get", name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._use("set", name, value)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._use("call", "", *args, **kwargs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Handle) and self._use("special", "__eq__", other) is True

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return int(self._use("special", "hash"))

    def __str__(self) -> str:
        return str(self._use("special", "str"))

    def __repr__(self) -> str:
        return str(self._use("special", "repr"))

    def __bool__(self) -> bool:
        return self._use("special", "bool") is True

    def __len__(self) -> int:
        return int(self._use("special", "len"))

    def __iter__(self) -> Iterator[Any]:
        return self._use("special", "iter")  # type: ignore[no-any-return]

    def __next__(self) -> Any:
        return self._use("special", "next")

    def __instancecheck__(self, value: Any) -> bool:
        return isinstance(value, Handle) and self._use("isinstance", "", value) is True


def _special(name: str) -> Any:
    def method(self: Handle, *args: Any) -> Any:
        return self._use("special", name, *args)

    return method


for _name in _BINARY:
    setattr(Handle, f"__{_name}__", _special(f"__{_name}__"))


class RemoteProgram(Program):
    """Offers the program's modules to the tests; their names are handles."""

    def __init__(self, sources: dict[str, str], link: Link, roots: list[str]) -> None:
        super().__init__(sources, lambda: None, {}, roots)
        self.link = link

    def exec_module(self, module: ModuleType) -> None:
        """Fill a module with the names of the real one."""
        path = self.paths.get(module.__name__)
        if path is None:
            return
        for name, data in self.link.ask(op="names", path=path)["names"].items():
            module.__dict__[name] = self.value(data)

    def value(self, data: Any) -> Any:
        """Read the value of a name: a module, an exception class, a plain value or a handle."""
        if type(data) is list and data and data[0] == "m":
            known = str(data[1]).split(".")[0] in sys.stdlib_module_names
            return importlib.import_module(str(data[1])) if known else None
        if type(data) is list and data and data[0] == "e":
            return self.link.error(data[1])
        return decode(data, self.link.resolve)


def main() -> None:
    """Run every unit once and send the verdict with the nonce of the order."""
    control, answers = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    order = read_frame(control)
    apply_limits(order["limits"])
    link = Link(control, answers)
    program = RemoteProgram(order["sources"], link, order["roots"])
    program.install()
    codes = {
        key: compile(text, f"<{key}>", "exec", dont_inherit=True) for key, text in order["codes"].items()
    }
    ticks = Ticks()
    runner = Runner(program, ticks, order["targets"], codes)
    rows = []
    for index, unit in enumerate(order["units"]):
        try:
            for path in order["targets"]:
                program.load(path)
            rows.append([index, *runner.run(unit, 0), [], 0.0])
        except Exception as error:  # a program that does not load fails every unit
            rows.append([index, "error", type(error).__name__, str(error)[:200], "", 0, 0, 0, [], 0.0])
    write_frame(answers, {"nonce": order["nonce"], "stage": "run", "error": "", "rows": rows})
