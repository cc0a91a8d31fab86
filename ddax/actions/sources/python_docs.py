"""Documentation inside the installed Python: `python:` (library and language reference), `python:MODULE`.

Modules with source are parsed, never imported. Modules of the standard library that are written in C
have no source and are inspected; C modules of others are left out.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import os
import re
import sys
import sysconfig
import warnings
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import NamedTuple

from ddax.actions.sources.docstrings import module_entries, object_entries
from ddax.actions.sources.documents import ExtractCache
from ddax.actions.sources.extract import Extracted, document, extract
from ddax.actions.sources.files import Found, Skipped
from ddax.errors import SourceError

SCHEME = "python:"
LEFT_OUT = frozenset(
    """
    site-packages dist-packages test tests idlelib lib2to3 turtledemo ensurepip distutils encodings
    pydoc_data __pycache__ __phello__ lib-dynload config_test this antigravity
    """.split()  # noqa: SIM905
)
C_MODULES = {
    "builtins": "builtins", "math": "math", "cmath": "cmath", "itertools": "itertools", "time": "time",
    "sys": "sys", "gc": "gc", "array": "array", "atexit": "atexit", "binascii": "binascii",
    "errno": "errno", "fcntl": "fcntl", "mmap": "mmap", "marshal": "marshal", "resource": "resource",
    "select": "select", "unicodedata": "unicodedata", "zlib": "zlib", "posix": "os", "_io": "io",
    "_collections": "collections", "_functools": "functools", "_operator": "operator", "_struct": "struct",
    "_csv": "csv", "_thread": "threading", "_sqlite3": "sqlite3", "_socket": "socket", "_random": "random",
    "_contextvars": "contextvars", "_datetime": "datetime", "_decimal": "decimal", "_heapq": "heapq",
    "_bisect": "bisect", "_json": "json", "_weakref": "weakref", "_signal": "signal", "_queue": "queue",
}  # fmt: skip
"""Modules in C, with the name under which they are documented."""
PURE_TWINS = {
    "_pydecimal": "decimal", "_pydatetime": "datetime", "_pyio": "io", "_collections_abc": "collections.abc",
}  # fmt: skip
"""Sources in Python of modules that are in C."""


class Target(NamedTuple):
    """A module file: its dotted name and where its source lies."""

    name: str
    path: Path


Built = tuple[list[Extracted], list[Skipped]]


def read_python(spec: str, *, cache: ExtractCache) -> Found:
    """Read the documentation of Python or of one module; raises SourceError that names the spec."""
    name = spec[len(SCHEME) :].strip()
    if not name:
        return kept(SCHEME, sys.version, library_reference, cache)
    if not re.fullmatch(r"\w+(\.\w+)*", name):
        raise SourceError(f"The source {spec!r} names no module.", mend="Write python: or python:MODULE.")
    if name in C_MODULES:
        return kept(spec, sys.version, lambda: (list(inspected(name, C_MODULES[name])), []), cache)
    targets = find_targets(spec, name)
    found = kept(spec, stamp_of(targets), lambda: with_c_parts(targets), cache)
    inside = [entry for entry in found.documents if f"{entry.title}.".startswith(f"{name}.")]
    if not inside:
        raise SourceError(f"The source {spec!r} holds no documentation.", why="No docstring was found.")
    return found._replace(documents=inside)


def kept(spec: str, stamp: str, build: Callable[[], Built], cache: ExtractCache) -> Found:
    """Build the entries of a spec, or take them from the cache."""
    rows = cache.get([(spec, stamp), (f"{spec}#skipped", stamp)])
    entries, skipped = rows.get(spec), rows.get(f"{spec}#skipped")
    if not isinstance(entries, list) or not isinstance(skipped, list):
        with warnings.catch_warnings():
            # Parsing warns of the escapes in other people's strings, which are not ours to mend.
            warnings.simplefilter("ignore")
            entries, unread = build()
        skipped = [Extracted(item.source, item.reason) for item in unread]
        cache.put([(spec, stamp, entries), (f"{spec}#skipped", stamp, skipped)])
    documents = {entry.title: entry for entry in reversed(entries)}
    return Found(
        [document(entry, SCHEME + title.replace(" ", "_")) for title, entry in sorted(documents.items())],
        [Skipped(item.title, item.text) for item in skipped],
    )


def library_reference() -> Built:
    """Collect the standard library and the topics of the language reference."""
    root = Path(sysconfig.get_paths()["stdlib"])
    tops = sorted(
        path
        for path in root.iterdir()
        if (path.suffix == ".py" or (path / "__init__.py").is_file()) and path.stem not in LEFT_OUT
    )
    targets = [
        target
        for path in tops
        if path.stem in sys.stdlib_module_names
        for target in below(path.stem, path)
        if target.name in PURE_TWINS or not re.search(r"(^|\.)_", target.name)
    ]
    entries, skipped = parsed(targets)
    for module, public in C_MODULES.items():
        entries.extend(inspected(module, public))
    return entries + topics(), skipped


def topics() -> list[Extracted]:
    """Read the topics of the language reference, titled by their headings."""
    # Data only; a slim installation may leave it out.
    found = importlib.util.find_spec("pydoc_data.topics")
    if found is None:
        return []
    texts: dict[str, str] = importlib.import_module("pydoc_data.topics").topics
    entries = (extract(text.encode(), "text", fallback=name) for name, text in sorted(texts.items()))
    return [entry._replace(links=()) for entry in entries]


def parsed(targets: list[Target]) -> Built:
    """Collect the docstrings of modules by parsing their source."""
    entries: list[Extracted] = []
    skipped: list[Skipped] = []
    for target in targets:
        try:
            tree = ast.parse(target.path.read_bytes())
        except (OSError, SyntaxError, ValueError, RecursionError) as exc:
            skipped.append(Skipped(SCHEME + target.name, f"it cannot be parsed ({type(exc).__name__})"))
            continue
        entries.extend(module_entries(tree, PURE_TWINS.get(target.name, target.name)))
    return entries, skipped


def with_c_parts(targets: list[Target]) -> Built:
    """Collect the docstrings of modules and of what they take from modules in C."""
    entries, skipped = parsed(targets)
    names = {target.name for target in targets}
    for module, public in C_MODULES.items():
        if public in names:
            entries.extend(inspected(module, public))
    return entries, skipped


def inspected(module: str, public: str) -> list[Extracted]:
    """Collect the docstrings of a module in C; none where this machine lacks it."""
    try:
        return object_entries(importlib.import_module(module), public)
    except ModuleNotFoundError:
        return []


def below(name: str, path: Path) -> Iterator[Target]:
    """Yield a module, or a package with all modules below it but its tests."""
    if path.is_file():
        yield Target(name, path)
        return
    for parent, folders, files in os.walk(path):
        folders[:] = sorted(f for f in folders if f.isidentifier() and f not in LEFT_OUT)
        prefix = ".".join([name, *Path(parent).relative_to(path).parts])
        for file in sorted(files):
            stem, ending = os.path.splitext(file)
            if ending == ".py" and stem.isidentifier() and stem not in ("__main__", "conftest"):
                yield Target(prefix if stem == "__init__" else f"{prefix}.{stem}", Path(parent) / file)


def find_targets(spec: str, name: str) -> list[Target]:
    """Find the source of a module, or of the module that holds the named class or function."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        found = locate(parts[:length])
        if found is not None:
            return list(below(".".join(parts[:length]), found))
    raise SourceError(
        f"The source {spec!r} cannot be read.",
        why=f"No module {parts[0]!r} with Python source is installed for {sys.executable}.",
        mend="Install it there, or check the name.",
    )


def locate(parts: list[str]) -> Path | None:
    """Find a module's file or a package's folder by the finders of this Python, importing nothing."""
    path: list[str] | None = None
    spec: ModuleSpec | None = None
    for length in range(1, len(parts) + 1):
        name = ".".join(parts[:length])
        finders = [f for f in sys.meta_path if hasattr(f, "find_spec")]
        spec = next((s for f in finders if (s := f.find_spec(name, path, None)) is not None), None)
        if spec is None:
            return None
        path = list(spec.submodule_search_locations or ())
    if spec is None or spec.origin is None:
        return Path(path[0]) if path else None
    if path:
        return Path(path[0])
    if spec.origin == "frozen":
        origin = Path(sysconfig.get_paths()["stdlib"], *parts).with_suffix(".py")
        return origin if origin.is_file() else None
    return Path(spec.origin) if spec.origin.endswith(".py") else None


def stamp_of(targets: list[Target]) -> str:
    """Stamp sources by their times and sizes and by the version of Python."""
    digest = hashlib.sha256(sys.version.encode())
    for target in targets:
        status = target.path.stat()
        digest.update(f"{target.name}:{status.st_mtime_ns}:{status.st_size}\n".encode())
    return digest.hexdigest()
