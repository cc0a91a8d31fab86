"""Documentation inside the installed Python: `python:` (library and language reference), `python:MODULE`.

Finds which modules a source means and keeps what `reference` makes of them.
"""

from __future__ import annotations

import collections.abc
import hashlib
import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path

from ddax.actions.sources.documents import ExtractCache
from ddax.actions.sources.files import Found
from ddax.actions.sources.formats.extract import Extracted, document, extract
from ddax.actions.sources.reference import C_MODULES, Target, private
from ddax.actions.sources.skipping import Skipped
from ddax.errors import SourceError

SCHEME = "python:"
LEFT_OUT = frozenset(
    """
    site-packages dist-packages test tests idlelib lib2to3 turtledemo ensurepip distutils encodings
    pydoc_data __pycache__ __phello__ lib-dynload config_test this antigravity
    posixpath ntpath genericpath posix nt pyexpat sre_compile sre_constants sre_parse
    """.split()  # noqa: SIM905
)
FORMAT = 2
"""Raised when the documents change, so that kept ones are made again."""
MOST_SECONDS = 300.0

Built = tuple[list[Extracted], list[Skipped]]


def read_python(spec: str, *, cache: ExtractCache) -> Found:
    """Read the documentation of Python or of one module; raises SourceError that names the spec."""
    name = spec[len(SCHEME) :].strip()
    if not name:
        return kept(SCHEME, version(), library_reference, cache)
    if not re.fullmatch(r"\w+(\.\w+)*", name):
        raise SourceError(
            f"The source {spec!r} names no module.",
            why="Behind `python:` stands the name of a module, or nothing.",
            mend="Write python: or python:MODULE.",
        )
    within_c = name in C_MODULES or (name in sys.stdlib_module_names and locate([name]) is None)
    targets = [] if within_c else find_targets(spec, name)
    shown = [target.name for target in targets] or [C_MODULES.get(name, name)]
    found = kept(spec, stamp_of(targets), lambda: built(targets, shown), cache)
    name = C_MODULES.get(name, name)
    inside = [entry for entry in found.documents if f"{entry.title}.".startswith(f"{name}.")]
    if not inside:
        raise SourceError(
            f"The source {spec!r} holds no documentation.",
            why="No docstring was found.",
            mend="Name another module, or `python:` for the library.",
        )
    return found._replace(documents=inside)


def kept(spec: str, stamp: str, build: Callable[[], Built], cache: ExtractCache) -> Found:
    """Build the entries of a spec, or take them from the cache."""
    rows = cache.get([(spec, stamp), (f"{spec}#skipped", stamp)])
    entries, skipped = rows.get(spec), rows.get(f"{spec}#skipped")
    if not isinstance(entries, list) or not isinstance(skipped, list):
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
        if not private(target.name)
    ]
    targets.append(Target("os.path", os.path.__file__))
    # From Python 3.13 on the file of this name only points to another module.
    targets = [target for target in targets if target.name != "collections.abc"]
    targets.append(Target("collections.abc", str(collections.abc.__file__)))
    others = {name for name in sys.stdlib_module_names - LEFT_OUT if not private(name)}
    shown = dict.fromkeys([*(target.name for target in targets), *sorted(others | {*C_MODULES.values()})])
    return built(targets, list(shown), with_topics=True)


def built(targets: list[Target], shown: list[str], *, with_topics: bool = False) -> Built:
    """Make the documents of modules in a process of its own; raises SourceError where that fails."""
    asked = json.dumps({"targets": targets, "shown": shown, "topics": with_topics})
    # Without -P a file of the working folder could stand in for a module of the library.
    command = [sys.executable, "-P", "-W", "ignore", "-m", "ddax.actions.sources.reference"]
    paths = os.pathsep.join(path for path in sys.path if path)
    try:
        done = subprocess.run(  # noqa: S603 - this Python, with arguments of ours alone
            command,
            input=asked.encode(),
            capture_output=True,
            timeout=MOST_SECONDS,
            check=True,
            env={**os.environ, "PYTHONPATH": paths},
        )
    except (OSError, subprocess.SubprocessError) as exc:
        why = (getattr(exc, "stderr", None) or b"").decode("utf-8", "replace").strip()[-500:] or str(exc)
        raise SourceError(
            "The documentation of Python cannot be collected.",
            why=why,
            mend="Try another Python, or give the pages as files.",
        ) from exc
    answer = json.loads(done.stdout.rpartition(b"\n")[2])
    headed = (
        extract(text.encode(), "text", fallback=name) for name, text in sorted(answer["topics"].items())
    )
    found = [Extracted(title, text) for title, text in answer["entries"]]
    skipped = [Skipped(SCHEME + name, reason) for name, reason in answer["skipped"]]
    return found + [entry._replace(links=()) for entry in headed], skipped


def below(name: str, path: Path) -> Iterator[Target]:
    """Yield a module, or a package with all modules below it but its tests."""
    if path.is_file():
        yield Target(name, str(path))
        return
    for parent, folders, files in os.walk(path):
        folders[:] = sorted(f for f in folders if f.isidentifier() and f not in LEFT_OUT)
        prefix = ".".join([name, *Path(parent).relative_to(path).parts])
        for file in sorted(files):
            stem, ending = os.path.splitext(file)
            if ending == ".py" and stem.isidentifier() and stem not in ("__main__", "conftest"):
                yield Target(prefix if stem == "__init__" else f"{prefix}.{stem}", str(Path(parent) / file))


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


def version() -> str:
    """Return what the documents depend on beside the source of modules."""
    return f"{FORMAT}:{sys.version}"


def stamp_of(targets: list[Target]) -> str:
    """Stamp sources by their times and sizes and by the version of Python."""
    digest = hashlib.sha256(version().encode())
    for target in targets:
        status = Path(target.path).stat()
        digest.update(f"{target.name}:{status.st_mtime_ns}:{status.st_size}\n".encode())
    return digest.hexdigest()
