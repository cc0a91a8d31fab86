"""Print the size of the code: lines, lengths of functions, files a folder, parameters.

python scripts/stats.py [FOLDER ...]    # ddax and tests by default
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import quantiles

FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
LONG_FILE, LONG_FUNCTION, FULL_FOLDER, MANY_PARAMETERS = 400, 25, 25, 8


def functions(path: Path) -> Iterator[tuple[str, int, int]]:
    """Yield the name, the lines and the parameters of each function of a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, FUNCTIONS):
            given = node.args
            names = [a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            yield (
                f"{path}:{node.lineno} {node.name}",
                lines,
                len([n for n in names if n not in ("self", "cls")]),
            )


def report(folder: Path) -> Iterator[str]:
    """Yield what there is to say of a folder, a line each."""
    files = sorted(folder.rglob("*.py"))
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    found = [row for path in files for row in functions(path)]
    lengths = [lines for _, lines, _ in found]
    cuts = quantiles(lengths, n=100)
    full = {name: count for name, count in Counter(p.parent for p in files).items() if count > FULL_FOLDER}
    wide = [(count, name) for name, _, count in found if count > MANY_PARAMETERS]
    yield f"{folder}: {sum(sizes.values()):,} lines in {len(files)} files"
    yield f"  lines a function: median {cuts[49]:.0f}, p90 {cuts[89]:.0f}, longest {max(lengths)}"
    yield f"  functions over {LONG_FUNCTION} lines: {sum(n > LONG_FUNCTION for n in lengths)} of {len(found)}"
    yield f"  files over {LONG_FILE} lines: {sum(n > LONG_FILE for n in sizes.values())}"
    yield f"  functions over {MANY_PARAMETERS} parameters: {len(wide)}"
    yield from (f"    {count} {name}" for count, name in sorted(wide, reverse=True)[:10])
    yield f"  folders over {FULL_FOLDER} files: {len(full)}"
    yield from (f"    {count} {name}" for name, count in sorted(full.items(), key=lambda row: -row[1]))


if __name__ == "__main__":
    for name in sys.argv[1:] or ["ddax", "tests"]:
        print("\n".join(report(Path(name))))
