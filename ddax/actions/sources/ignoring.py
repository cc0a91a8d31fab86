"""What the `.gitignore` files of a folder leave out, by the rules of git.

The files above a folder count as far up as its repository goes, unless they leave out the folder itself: who
names it wants it read.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

NAME = ".gitignore"
MOST_BYTES = 500_000
MOST_ABOVE = 32
"""Folders above the one that is read in which a repository is looked for."""


@dataclass(frozen=True)
class Rules:
    """The rules of one file: they hold for what lies below its folder, named from there."""

    base: str
    spec: GitIgnoreSpec
    any_of: re.Pattern[str]
    """Matches whatever one of the rules matches, so that most names are asked for once."""

    def say(self, path: str) -> bool | None:
        """Tell whether a path is left out, None where no rule says so; one of a folder ends in a slash."""
        below = path[len(self.base) :]
        if self.any_of.search(below) is None:
            return None
        return self.spec.check_file(below).include


Ignoring = tuple[Rules, ...]
"""The rules that hold in a folder, those of the nearest file last."""


def ignored(path: str, rules: Ignoring) -> bool:
    """Tell whether a path is left out: the nearest file that says something of it decides."""
    for one in reversed(rules):
        said = one.say(path)
        if said is not None:
            return said
    return False


def rules_of(folder: str, file: str = "") -> Ignoring:
    """Read the rules that a folder has; none where its file holds none or cannot be read."""
    from pathspec import GitIgnoreSpec

    try:
        with open(file or os.path.join(folder, NAME), "rb") as opened:
            lines = opened.read(MOST_BYTES).decode("utf-8", "replace").splitlines()
        spec = GitIgnoreSpec.from_lines(lines)
    except (OSError, ValueError):  # git reads on where it cannot read one, and so is done here
        return ()
    told = [str(one.regex.pattern) for one in spec.patterns if one.include is not None and one.regex]
    if not told:
        return ()
    # A group has its name once in a pattern.
    whole = "|".join(f"(?:{re.sub(r'[?]P<[a-z_]+>', '?:', pattern)})" for pattern in told)
    return (Rules(os.path.join(folder, ""), spec, re.compile(whole)),)


def rules_above(folder: Path) -> Ignoring:
    """Return the rules of the repository that a folder lies in, from its root down to the folder above."""
    place = folder.absolute()
    above = [place, *place.parents][:MOST_ABOVE]
    root = next((number for number, one in enumerate(above) if (one / ".git").exists()), 0)
    found: list[Rules] = []
    for one in reversed(above[: root + 1]):
        if (one / ".git").is_dir():
            found += rules_of(str(one), str(one / ".git" / "info" / "exclude"))
        if one != place:
            found += rules_of(str(one))
    rules = tuple(found)
    parts = [os.path.join(str(one), "") for one in reversed(above[:root])]
    return () if any(ignored(part, rules) for part in parts) else rules
