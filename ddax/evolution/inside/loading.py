"""Loads a program from texts instead of files, with a time-out built into its loops."""

from __future__ import annotations

import ast
import io
import os
import sys
import time
import tokenize
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any

TICK = "__tick__"
WORK = "/box/work"
"""The folder of the project in the box."""


LOOK = 1_000
"""Rounds between two looks at the processor's time, where those that are free are used up."""


class OutOfTicks(BaseException):
    """Say that a budget is used up; not an Exception, so that programs do not catch it."""


class Ticks:
    """A budget of loop rounds and calls, and then of processor time: a program that is over both is out.

    Rounds alone say little: a right program may make many. `used` are those since the last `reset`.
    """

    def __init__(self) -> None:
        self.limit = self.used = 0
        self.begin, self.seconds, self.out = 0.0, 0.0, False

    def reset(self, limit: int, seconds: float = 0.0) -> None:
        """Start a new budget: rounds that are free, and processor time for more; 0 rounds are unlimited."""
        self.limit, self.used = limit or (1 << 62), 0
        self.begin, self.seconds, self.out = time.process_time(), seconds, False

    def spent(self) -> float:
        """Return the processor time since the last reset."""
        return time.process_time() - self.begin

    def tick(self) -> None:
        """Count one round; raises OutOfTicks for ever once the budget is used up."""
        self.used += 1
        if self.used > self.limit:
            self.look()

    def look(self) -> None:
        """Go on where there is processor time left; raises OutOfTicks where there is none."""
        if self.out or self.spent() >= self.seconds:
            self.out = True
            raise OutOfTicks
        self.limit += LOOK


def as_bytes(text: str) -> bytes:
    """Write a file's text in the encoding that its first lines name, else as UTF-8."""
    head = io.BytesIO("\n".join(text.split("\n", 2)[:2]).encode("utf-8", "replace") + b"\n")
    try:
        return text.encode(tokenize.detect_encoding(head.readline)[0])
    except (SyntaxError, UnicodeEncodeError):
        return text.encode()


def instrument(tree: ast.Module) -> ast.Module:
    """Put a tick at the head of every loop body and function, in place."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.While, ast.AsyncFor, ast.FunctionDef, ast.AsyncFunctionDef)):
            call = ast.Call(ast.Name(TICK, ast.Load()), [], [])
            function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            at = int(function and ast.get_docstring(node, clean=False) is not None)  # type: ignore[arg-type]
            line = node.body[0].lineno
            statement = ast.Expr(call)
            for part in (statement, call, call.func):
                part.lineno = part.end_lineno = line
                part.col_offset = part.end_col_offset = 0
            node.body.insert(at, statement)
    return tree


OURS = frozenset({"inside", "pytest", "_pytest", "__main__"})
"""Modules that have to stay: they run the tests."""
ROOTS = ("src", "")
"""Folders from which modules are imported, the preferred one first; "" is the project's own."""


def module_names(path: str, roots: Sequence[str] = ROOTS) -> list[str]:
    """Name the module of a path, seen from every root above it: ``src/pkg/mod.py`` is ``pkg.mod``."""
    names = []
    for root in roots:
        inner = path.removeprefix(f"{root}/") if root else path
        if root and inner == path:
            continue
        parts = inner.removesuffix(".py").split("/")
        if parts[-1] == "__init__" and len(parts) > 1:
            parts = parts[:-1]
        names.append(".".join(parts))
    return names


def module_name(path: str, roots: Sequence[str] = ROOTS) -> str:
    """Name the module of a path, seen from the first root above it."""
    return next(iter(module_names(path, roots)), module_names(path, ("",))[0])


def installed(names: Iterable[str]) -> list[str]:
    """Return the loaded modules that hide those of a program: pytest, or a library, has them of its own."""
    tops = {name.partition(".")[0] for name in names} - sys.stdlib_module_names - OURS
    return [name for name in sys.modules if name.partition(".")[0] in tops]


class Program(MetaPathFinder, Loader):
    """Finds and loads the modules of a program held as texts."""

    def __init__(
        self,
        sources: Mapping[str, str],
        tick: Callable[[], None],
        cache: dict[tuple[str, str], CodeType],
        roots: Sequence[str] = ROOTS,
    ) -> None:
        self.names = {path: module_name(path, roots) for path in sources}
        aliases = {name: path for path in sources for name in module_names(path, roots)}
        self.paths = aliases | {name: path for path, name in self.names.items()}
        self.sources, self.tick, self.cache, self.roots = sources, tick, cache, tuple(roots)
        self.packages = {".".join(n.split(".")[:i]) for n in self.paths for i in range(1, n.count(".") + 1)}
        self.packages |= {name for name, path in self.paths.items() if path.endswith("__init__.py")}

    def compile(self, path: str) -> CodeType:
        """Return the instrumented code of a file; raises SyntaxError."""
        key = (path, self.sources[path])
        if key not in self.cache:
            self.cache[key] = compile(instrument(ast.parse(key[1], path)), path, "exec", dont_inherit=True)
        return self.cache[key]

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Answer for the program's own modules only."""
        if fullname not in self.paths and fullname not in self.packages:
            return None
        spec = ModuleSpec(fullname, self, is_package=fullname in self.packages)
        spec.origin = self.paths.get(fullname)
        if spec.submodule_search_locations is not None:
            inner = fullname.replace(".", "/")
            places = [os.path.join(WORK, root, inner) for root in self.roots]
            spec.submodule_search_locations += [place for place in places if os.path.isdir(place)]
        return spec

    def get_data(self, path: str) -> bytes:
        """Return a file of data beside the program, as `pkgutil` asks for it."""
        with open(path, "rb") as stream:
            return stream.read()

    def get_resource_reader(self, fullname: str) -> Any:
        """Return who reads the files of a package, as `importlib.resources` asks for them."""
        from importlib.readers import FileReader

        inner = fullname.replace(".", "/")
        known = self.paths.get(fullname, "")
        found = [
            os.path.join(root, inner) for root in self.roots if os.path.isdir(os.path.join(WORK, root, inner))
        ]
        folder = os.path.dirname(known) if known else next(iter(found), inner)
        return FileReader(SimpleNamespace(path=os.path.join(WORK, folder, "__init__.py")))  # type: ignore[arg-type]

    def get_code(self, fullname: str) -> CodeType:
        """Return the plain code of a module, as `runpy` asks for it."""
        path = self.paths[fullname]
        return compile(self.sources[path], path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        """Run a module of the program."""
        path = self.paths.get(module.__name__)
        if path is None:
            return
        module.__dict__[TICK] = self.tick
        module.__dict__["__file__"] = os.path.join(WORK, path)
        exec(self.compile(path), module.__dict__)  # noqa: S102 - this is the sandboxed side

    def install(self) -> None:
        """Make the program importable, before everything else, installed copies of it too."""
        for name in installed(self.names.values()):
            del sys.modules[name]
        sys.meta_path.insert(0, self)

    def load(self, path: str) -> dict[str, Any]:
        """Import the module of a path and return its globals."""
        name = self.names[path]
        __import__(name)
        return sys.modules[name].__dict__
