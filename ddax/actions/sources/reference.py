"""Documents of Python modules, each name where it is public; run as a program of its own.

A process of its own, because to silence the warnings of other people's source changes the filters of
the whole process, and because modules in C can only be inspected by importing them. Modules with
source are parsed, never imported. C modules of others than the standard library are left out.
"""

from __future__ import annotations

import ast
import gc
import importlib
import importlib.util
import json
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from ddax.actions.sources.docstrings import (
    Member,
    Module,
    described,
    entries,
    first_line,
    inspected_module,
    merged,
    parsed_module,
)

C_MODULES = {
    "posix": "os", "nt": "os", "_io": "io",
    "_collections": "collections", "_functools": "functools", "_operator": "operator", "_struct": "struct",
    "_csv": "csv", "_thread": "threading", "_sqlite3": "sqlite3", "_socket": "socket", "_random": "random",
    "_contextvars": "contextvars", "_datetime": "datetime", "_decimal": "decimal", "_heapq": "heapq",
    "_bisect": "bisect", "_json": "json", "_weakref": "weakref", "_signal": "signal", "_queue": "queue",
    "_hashlib": "hashlib", "_bz2": "bz2", "_lzma": "lzma", "_ssl": "ssl", "_pickle": "pickle",
    "_curses": "curses", "_ctypes": "ctypes", "_tracemalloc": "tracemalloc", "_warnings": "warnings",
    "_locale": "locale", "_codecs": "codecs", "_asyncio": "asyncio", "_zoneinfo": "zoneinfo",
    "_elementtree": "xml.etree.ElementTree", "_statistics": "statistics", "pyexpat": "xml.parsers.expat",
}  # fmt: skip
"""Modules in C that lie behind a public one, with its name."""
TWINS = {"io": ("_pyio",), "datetime": ("_pydatetime",), "decimal": ("_pydecimal",)}
"""Sources in Python of modules that are in C."""

Origin: TypeAlias = tuple[str, str]
"""The module that defines a name, and the name there."""


class Target(NamedTuple):
    """A module file: its dotted name and where its source lies."""

    name: str
    path: str


class Names:
    """The names that modules offer, each traced to where it is defined."""

    def __init__(self, targets: Sequence[Target]) -> None:
        self.skipped: list[tuple[str, str]] = []
        self._paths = {target.name: Path(target.path) for target in targets}
        self._modules: dict[str, Module | None] = {}
        self._library = Path(sysconfig.get_paths()["stdlib"])

    def module(self, name: str) -> Module | None:
        """Parse a module once; None where it has no source here."""
        if name not in self._modules:
            self._modules[name] = None
            path = self._path(name)
            if path is not None:
                self._modules[name] = self._parsed(name, path)
        return self._modules[name]

    def offered(self, name: str, seen: tuple[str, ...] = ()) -> dict[str, Origin]:
        """Return the public names of a module that source in Python defines, with their origins."""
        module = self.module(name)
        if module is None or name in seen:
            return {}
        found: dict[str, Origin] = {}
        for star in (*module.stars, *TWINS.get(name, ())):
            if module.public is not None or inward(name, star):
                found |= self.offered(star, (*seen, name))
        for alias, (source, original) in (*module.lazy.items(), *module.imports.items()):
            # Without `__all__` only a package passes names on; elsewhere an import is mere use.
            if alias in (module.public or ()) or (module.public is None and source.startswith(f"{name}.")):
                origin = self._origin(source, original, (*seen, name))
                found |= {alias: origin} if origin else {}
        found |= {own: (name, own) for own in module.members}
        return {alias: origin for alias, origin in found.items() if module.shows(alias)}

    def member(self, origin: Origin, name: str) -> Member:
        """Return what is said where a name is defined, under its public name."""
        module = self.module(origin[0])
        assert module is not None, origin
        return module.members[origin[1]]._replace(name=name)

    def doc(self, name: str) -> str:
        """Return the docstring of a module, or of the one that it only passes on."""
        module = self.module(name)
        if module is None:
            return ""
        passed = module.stars if not module.members else ()
        docs = (found.doc for part in (*passed, *TWINS.get(name, ())) if (found := self.module(part)))
        return module.doc or next(filter(None, docs), "")

    def _origin(self, source: str, name: str, seen: tuple[str, ...]) -> Origin | None:
        module = self.module(source)
        if module is None or source in seen:
            return None
        if name in module.members:
            return source, name
        if name in module.imports:
            return self._origin(*module.imports[name], (*seen, source))
        return next((o[name] for s in module.stars if name in (o := self.offered(s, (*seen, source)))), None)

    def _path(self, name: str) -> Path | None:
        base = self._library.joinpath(*name.split("."))
        known = name.split(".")[0] in sys.stdlib_module_names
        made = (base.with_suffix(".py"), base / "__init__.py") if known else ()
        return self._paths.get(name) or next((path for path in made if path.is_file()), None)

    def _parsed(self, name: str, path: Path) -> Module | None:
        try:
            return parsed_module(ast.parse(path.read_bytes()), name, package=path.stem == "__init__")
        except (OSError, SyntaxError, ValueError, RecursionError) as exc:
            self.skipped.append((name, f"it cannot be parsed ({type(exc).__name__})"))
            return None


def inward(name: str, source: str) -> bool:
    """Tell whether a module passes on all of another: of one inside it, or of a private one."""
    return source.startswith((f"{name}.", "_"))


def private(name: str) -> bool:
    """Tell whether a part of a dotted name starts with an underscore."""
    return any(part.startswith("_") for part in name.split("."))


def homes(offered: Mapping[str, Mapping[str, Origin]]) -> dict[Origin, str]:
    """Choose for each name one module: a package that offers it, else its own, else the shortest."""
    found: dict[Origin, tuple[int, int, str]] = {}
    for name, names in offered.items():
        for origin in names.values():
            own = 3 if private(name) else 1
            kind = 0 if origin[0].startswith(f"{name}.") else own if origin[0] == name else 2
            rank = (kind, name.count("."), name)
            found[origin] = min(rank, found.get(origin, rank))
    return {origin: rank[2] for origin, rank in found.items()}


def documents(names: Names, shown: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield title and text for modules and their names, those in C under their public modules."""
    offered = {name: names.offered(name) for name in shown}
    home = homes(offered)
    for name in shown:
        found = {alias: names.member(origin, alias) for alias, origin in sorted(offered[name].items())}
        elsewhere = {alias for alias, origin in offered[name].items() if home[origin] != name}
        module = Member(name, "", names.doc(name), tuple(found.values()))
        parsed = names.module(name)
        for part in inspected(name, alone=parsed is None):
            shows = tuple(m for m in part.members if parsed is None or parsed.shows(m.name))
            module = merged(module, part._replace(members=shows))
        listed = {member.name for member in module.members}
        bare = sorted(((parsed and parsed.public) or frozenset()) - listed)
        module = module._replace(members=(*module.members, *(Member(alias, "", "") for alias in bare)))
        if not module.doc and not module.members:
            inside = [part for part in shown if part.rpartition(".")[0] == name]
            parts = tuple(Member(part, "", first_line(names.doc(part))) for part in inside)
            module = module._replace(members=parts)
        if module.doc or module.members:
            yield name, described(module, name)
        for member in module.members:
            if member.name not in elsewhere:
                yield from entries(member, f"{name}.")


def inspected(public: str, *, alone: bool) -> Iterator[Member]:
    """Yield the modules in C behind a public name, and itself where it is `alone`, without source."""
    behind = [module for module, name in C_MODULES.items() if name == public]
    for module in [*([public] if alone and public in sys.stdlib_module_names else []), *behind]:
        try:
            yield inspected_module(importlib.import_module(module), public)
        except ModuleNotFoundError:
            # Some modules are of one system only, and a slim installation lacks others.
            continue


def topics() -> dict[str, str]:
    """Read the topics of the language reference; a slim installation may leave them out."""
    if importlib.util.find_spec("pydoc_data.topics") is None:
        return {}
    found: dict[str, str] = importlib.import_module("pydoc_data.topics").topics
    return found


def main() -> None:
    """Read modules from standard input as JSON and write their documents to standard output."""
    gc.disable()  # syntax trees hold no cycles, and to look for some takes a third of the time
    asked = json.load(sys.stdin)
    names = Names([Target(*target) for target in asked["targets"]])
    found = list(documents(names, asked["shown"]))
    answer = {"entries": found, "skipped": names.skipped, "topics": topics() if asked["topics"] else {}}
    # Some modules in C write to the terminal when they are imported: the answer has its own line.
    sys.stdout.write("\n" + json.dumps(answer))


if __name__ == "__main__":
    main()
