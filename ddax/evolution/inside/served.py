"""The candidate's side of a separate verdict: holds the program, answers calls, sees no test."""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import Any

from .frames import read_frame, write_frame
from .limits import apply_limits
from .loading import Program, Ticks
from .values import decode, encode


class Server:
    """Answers requests about the program's objects; foreign callables call back."""

    def __init__(self, control: int, answers: int) -> None:
        self.control, self.answers = control, answers
        self.objects: list[Any] = []
        self.program: Program | None = None

    def refer(self, value: Any) -> list[Any]:
        """Keep an object and describe it."""
        self.objects.append(value)
        kind = "class" if isinstance(value, type) else "callable" if callable(value) else "object"
        return ["h", len(self.objects) - 1, kind, type(value).__name__]

    def resolve(self, data: list[Any]) -> Any:
        """Read a handle of ours, or a callable of the tests."""
        if data[0] == "h":
            return self.objects[data[1]]
        number = data[1]

        def back(*args: Any) -> Any:
            write_frame(self.answers, {"callback": number, "args": [encode(a, self.refer) for a in args]})
            reply = read_frame(self.control)
            if "error" in reply:
                raise RuntimeError(reply["error"])
            return decode(reply["value"], self.resolve)

        return back

    def names(self, space: dict[str, Any]) -> dict[str, Any]:
        """Describe the public names of a module."""
        found: dict[str, Any] = {}
        for name, value in list(space.items()):
            if name.startswith("__"):
                continue
            if isinstance(value, ModuleType):
                found[name] = ["m", value.__name__]
            elif isinstance(value, type) and issubclass(value, BaseException):
                found[name] = ["e", [c.__name__ for c in value.__mro__]]
            elif type(value).__module__ not in ("typing", "__future__"):
                found[name] = encode(value, self.refer)
        return found

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Perform one request."""
        if request["op"] == "load":
            apply_limits(request["limits"])
            ticks = Ticks()
            ticks.reset(0)
            self.program = Program(request["sources"], ticks.tick, {}, request["roots"])
            self.program.install()
            for path in request["targets"]:
                self.program.load(path)
            return {"value": None}
        if request["op"] == "names" and self.program is not None:
            return {"names": self.names(self.program.load(request["path"]))}
        args = [decode(a, self.resolve) for a in request["args"]]
        kwargs = {k: decode(v, self.resolve) for k, v in request.get("kwargs", {}).items()}
        value = self.perform(request, args, kwargs)
        return {"value": encode(value, self.refer), "args": [encode(a, self.refer) for a in args]}

    def perform(self, request: dict[str, Any], args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Call an object, read or set an attribute, or use an operator on it."""
        target = self.objects[request["ref"]]
        if request["op"] == "call":
            return target(*args, **kwargs)
        if request["op"] == "get":
            return getattr(target, request["name"])
        if request["op"] == "set":
            return setattr(target, request["name"], args[0])
        if request["op"] == "isinstance":
            return isinstance(args[0], target)
        if request["name"] in ("str", "repr", "bool", "iter", "next", "len", "hash"):
            import builtins

            return getattr(builtins, request["name"])(target)
        return getattr(target, request["name"])(*args)

    def serve(self) -> None:
        """Answer until the other side closes."""
        while True:
            try:
                request = read_frame(self.control)
            except EOFError:
                return
            try:
                reply = self.answer(request)
            except BaseException as error:  # what the program raises is its answer
                try:
                    text = str(error)[:300]
                except BaseException:  # its text is foreign code as well
                    text = ""
                reply = {"error": [c.__name__ for c in type(error).__mro__], "text": text}
            write_frame(self.answers, reply)


def main() -> None:
    """Serve on descriptors of our own."""
    control, answers = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    sys.setrecursionlimit(1000)
    Server(control, answers).serve()
