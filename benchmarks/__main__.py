"""Run a benchmark, or list them.

Exit codes: 0 ok, 1 a target is missed (with --check), 2 usage or missing data,
3 the benchmark itself failed, so that there is no number.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from pathlib import Path

from benchmarks import report
from benchmarks.core import MissingData, Options, WrongOption, discover, execute, last, spoken

OWN = ("", "ddax", "benchmarks", "tests")
"""Packages that no set-up brings: where one of them is missing, the benchmark is broken."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    it = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__.splitlines()[0] if __doc__ else ""
    )
    it.add_argument("name", nargs="?", help="the benchmark; without it they are listed")
    it.add_argument("--names", action="store_true", help="list the names only")
    it.add_argument("--quick", action="store_true", help="the short form: at most 10 minutes on 2 cores")
    it.add_argument("--json", action="store_true", help="print one JSON object")
    it.add_argument(
        "--check", action="store_true", help="exit 1 and name the first figure that misses its target"
    )
    it.add_argument("--data", type=Path, default=None, metavar="DIR", help="folder of the data files")
    it.add_argument("--seed", type=int, default=0)
    it.add_argument("--model", default="", help="the model that is asked, where the benchmark needs one")
    return it


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    given = parser().parse_args(arguments)
    known = discover()
    if given.name is None:
        for name, benchmark in known.items():
            print(name if given.names else f"{name:<18} {benchmark.DESCRIPTION}{_took(name)}")
        return 0
    if given.name not in known:
        print(f"no benchmark {given.name!r}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    if given.data is not None and not given.data.is_dir():
        print(f"--data: no folder {str(given.data)!r}", file=sys.stderr)
        return 2
    options = Options(quick=given.quick, data=given.data, seed=given.seed, model=given.model)
    try:
        result = execute(known[given.name], options)
    except (MissingData, WrongOption) as missing:
        print(missing, file=sys.stderr)
        return 2
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] in OWN:
            raise
        print(f"{given.name} needs the package {missing.name!r}, which is not installed: make setup-bench",
              file=sys.stderr)  # fmt: skip
        return 2
    except Exception:  # the outermost place: recorded in full, and never mistaken for a missed target
        traceback.print_exc()
        return 3
    print(result.to_json() if given.json else report.text(result))
    miss = result.first_miss()
    if given.check and miss is not None:
        print(f"missed: {report.line(miss)}", file=sys.stderr)
        return 1
    return 0


def _took(name: str) -> str:
    about = last(name)
    if not about:
        return ""
    form = " --quick" if about["quick"] else ""
    return f" ({spoken(about['seconds'])}{form} on {about['machine']['cores']} cores)"


if __name__ == "__main__":
    raise SystemExit(main())
