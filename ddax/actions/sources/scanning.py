"""What lies in a folder: which files are to be read, each with its stamp, and what is left out and why.

Every start looks at each file once, so this goes by the entries of folders, as the system gives them.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ddax.actions.sources.formats.file_kinds import ENDINGS, KINDS
from ddax.actions.sources.ignoring import NAME, Ignoring, ignored, rules_above, rules_of
from ddax.actions.sources.skipping import (
    CLOSED,
    GITIGNORED,
    LARGER,
    LINK,
    NO_FILE,
    NOWHERE,
    UNKNOWN,
    Skipped,
)  # fmt: skip

APART = frozenset({"html", "pdf", *KINDS})
"""Kinds that are read in a process of their own whatever their size: a small one may unpack without end."""
SMALL = 500_000
"""Bytes up to which a file of another kind is read here: its time grows as its size, so it is short."""
IGNORED = frozenset({"__pycache__", "node_modules", "venv", "site-packages"})
TEXTS = frozenset(
    """
    .txt .text .rst .adoc .org .tex .log .yaml .yml .toml .ini
    .cfg .conf .xml .srt .vtt .po .bib
    .py .pyi .c .h .cc .cpp .cxx .hpp .hh .rs .go .java .kt .kts .scala .swift .m .mm .cs .fs .js .jsx
    .mjs .cjs .ts .tsx .vue .rb .php .pl .pm .lua .r .jl .hs .ml .mli .ex .exs .erl .clj .sh .bash .zsh
    .fish .ps1 .sql .proto .graphql .css .scss .dart .zig .nim .f90 .for .asm .s .cmake .gradle .tf
    """.split()  # noqa: SIM905
)
OTHERS = {
    ".pdf": "pdf", ".html": "html", ".htm": "html", ".xhtml": "html", ".md": "markdown",
    ".markdown": "markdown", ".mdx": "markdown", ".csv": "table", ".tsv": "table", ".json": "json",
    ".jsonl": "json", ".ndjson": "json", "": "text",
}  # fmt: skip
KIND_OF = {**dict.fromkeys(TEXTS, "text"), **OTHERS, **ENDINGS}
"""How a file is read, by its ending."""


class Candidate(NamedTuple):
    """A file to be read: where it lies, its name as a source, what its cache row depends on, its size."""

    path: Path | str
    source: str
    stamp: str
    size: int

    @property
    def apart(self) -> bool:
        """Tell whether it is read in a process of its own."""
        return self.size > SMALL or kind_of(self.path) in APART


def kind_of(path: Path | str) -> str:
    """Say how a file is read, by its ending; "" where the ending is unknown."""
    return kind_of_name(os.path.basename(path))


def kind_of_name(name: str) -> str:
    """Say how a file of a name is read; "" where its ending is unknown."""
    dot = name.rfind(".")
    return KIND_OF.get(name[dot:].lower() if dot > 0 else "", "")


def candidate(path: Path | str, source: str) -> Candidate:
    """Stamp a file by its time of change and size."""
    status = os.stat(path)
    return Candidate(path, source, f"{status.st_mtime_ns}:{status.st_size}", status.st_size)


def written(name: str) -> str:
    """Return the name of a file as text that can be stored: bytes that are no UTF-8 as escapes."""
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "backslashreplace")


@dataclass
class Scan:
    """What a folder holds; to be filled by `run`. Raises OSError where the folder itself is closed."""

    spec: str
    folder: Path
    max_bytes: int
    wanted: list[Candidate] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)

    def run(self) -> Scan:
        """Look at everything below the folder, in the order of names; what is hidden is left out."""
        root = str(self.folder)
        self._base, self._front = len(os.path.join(root, "")), os.path.join(Path(self.spec).as_posix(), "")
        if self._front == os.path.join(".", ""):
            self._front = ""
        self._real = os.path.realpath(root)
        self._below(os.path.abspath(root), root, rules_above(self.folder), first=True)
        return self

    def _below(self, place: str, folder: str, rules: Ignoring, *, first: bool = False) -> None:
        try:
            with os.scandir(folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            if first:
                raise
            self._skip(folder, f"{CLOSED} ({error.strerror})")
            return
        if any(entry.name == NAME for entry in entries):
            rules = (*rules, *rules_of(place, os.path.join(folder, NAME)))
        inner = [one for one in entries if self._entry(place, one, rules)]
        for one in inner:
            self._below(os.path.join(place, one.name), one.path, rules)

    def _entry(self, place: str, entry: os.DirEntry[str], rules: Ignoring) -> bool:
        """Note a file; tells whether it is a folder to be looked into."""
        name = entry.name
        if name.startswith("."):
            return False
        link = entry.is_symlink()
        if link and not self._leads_inside(entry.path):
            return False
        folder = _is_folder(entry)
        if folder and (link or name in IGNORED):
            return False  # what such a link leads to is met anyway
        if rules and ignored(f"{place}{os.sep}{name}{os.sep if folder else ''}", rules):
            self._skip(entry.path, GITIGNORED)
            return False
        if not folder:
            self._file(entry, link=link)
        return folder

    def _leads_inside(self, path: str) -> bool:
        real = os.path.realpath(path)
        inside = real == self._real or real.startswith(os.path.join(self._real, ""))
        if not inside:
            self._skip(path, LINK)
        return inside

    def _file(self, entry: os.DirEntry[str], *, link: bool) -> None:
        try:
            status = entry.stat()
        except OSError as error:
            self._skip(entry.path, NOWHERE if link else f"{CLOSED} ({error.strerror})")
            return
        reason = self._refusal(entry.name, status)
        if reason:
            self._skip(entry.path, reason)
            return
        stamp = f"{status.st_mtime_ns}:{status.st_size}"
        self.wanted.append(Candidate(entry.path, self._named(entry.path), stamp, status.st_size))

    def _refusal(self, name: str, status: os.stat_result) -> str:
        """Say why a file is not read, or ""."""
        if not stat.S_ISREG(status.st_mode):
            return NO_FILE
        if status.st_size > self.max_bytes:
            return f"{LARGER} {self.max_bytes:,} bytes"
        return "" if kind_of_name(name) else UNKNOWN

    def _named(self, path: str) -> str:
        name = self._front + path[self._base :]
        return name if os.sep == "/" and name.isascii() else written(name.replace(os.sep, "/"))

    def _skip(self, path: str, reason: str) -> None:
        self.skipped.append(Skipped(self._named(path), reason))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def stamps(scan: Scan) -> Iterator[str]:
    """Yield what an index over a scan depends on."""
    for one in scan.wanted:
        yield f"{one.source}\0{one.stamp}\n"
    for item in scan.skipped:
        yield f"{item.source}\0-{item.reason}\n"
