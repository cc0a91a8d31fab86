"""Run only the parts whose names hold a word: `python -m benchmarks.peers crash --quick`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from benchmarks import report
from benchmarks.core import Options
from benchmarks.peers import parts


def main() -> int:
    """Run the command line and return its exit code: 2 where no part has such a name."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("word", help="what the name of a part holds")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", type=Path, metavar="DIR")
    given = parser.parse_args()
    names: list[str] = []
    for name, part in parts(Options(quick=given.quick, data=given.data)):
        names.append(name)
        if given.word.lower() not in name.lower():
            continue
        began, found = time.perf_counter(), part()
        print("\n".join([name, *(f"  {report.line(row.figure())}" for row in found.rows)]))
        print("\n".join(f"  note: {note}" for note in found.notes))
        print("\n".join(f"  not measured: {peer}: {why}" for peer, why in found.missing.items()))
        print(f"  {time.perf_counter() - began:.0f} s", flush=True)
    if any(given.word.lower() in name.lower() for name in names):
        return 0
    print(f"no part {given.word!r}; there are: {', '.join(names)}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    raise SystemExit(main())
