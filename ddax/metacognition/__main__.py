"""The bridge as a service: one JSON object a line on stdin, one on stdout.

In:  {"prediction": "...", "outcome": "...", "confidence": 0.9, "surprise": 0.7}
     or {"observation": "HIGH_SURPRISE"}; {"reset": true} begins anew.
Out: {"belief": {...}, "action": "...", "state": "...", "observation": "...", "reason": "...",
      "values": {...}}, or {"error": {"what": ..., "why": ..., "mend": ...}}; the loop goes on after an error.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ddax.errors import DdaxError, UsageError

if TYPE_CHECKING:
    from ddax.metacognition.bridge import Bridge
    from ddax.metacognition.twin import Engine

KEYS = frozenset({"observation", "prediction", "outcome", "confidence", "surprise", "similarity"})
NUMBERS = frozenset({"confidence", "surprise", "similarity"})
MAX_LINE = 1_000_000


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    it = argparse.ArgumentParser(
        prog="python -m ddax.metacognition", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    it.add_argument("--engine", choices=("auto", "pymdp", "numpy"), default="numpy")
    it.add_argument("--policy-len", type=int, default=3, choices=(1, 2, 3, 4), help="planning horizon")
    it.add_argument("--matrices", type=Path, default=None, help="a YAML file of A, B, C and D")
    it.add_argument("--nice", type=int, default=0, help="give way to others by so much")
    return it


def main(arguments: list[str] | None = None) -> int:
    """Serve until the input ends or nobody reads on; return the exit code."""
    given = parser().parse_args(arguments)
    if given.nice:
        os.nice(given.nice)
    try:
        from ddax.metacognition.bridge import Bridge

        bridge = Bridge(engine=given.engine, matrices=given.matrices, policy_len=given.policy_len)
    except DdaxError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    with bridge:
        try:
            # As bytes, since JSON is UTF-8 whatever the locale says.
            for reply in serve(bridge, (line.decode("utf-8", "replace") for line in sys.stdin.buffer)):
                sys.stdout.write(json.dumps(reply) + "\n")
                sys.stdout.flush()
        except BrokenPipeError:  # the reader has seen enough; nothing is left for the interpreter to flush
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except KeyboardInterrupt:
            return 130
    return 0


def serve(bridge: Bridge, lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Answer each line; a wrong one gets an error and changes nothing."""
    for line in lines:
        if not line.strip():
            continue
        try:
            yield _answer(bridge, _parsed(line))
        except DdaxError as error:
            yield {"error": {"what": error.what, "why": error.why, "mend": error.mend}}


def _parsed(line: str) -> dict[str, Any]:
    try:
        request = json.loads(line) if len(line) <= MAX_LINE else None
    except (ValueError, RecursionError):
        request = None
    if not isinstance(request, dict):
        raise UsageError(
            "The line is no JSON object.",
            why=f"It begins {line[:40].strip()!r}."
            if len(line) <= MAX_LINE
            else f"It has {len(line):,} characters; at most {MAX_LINE:,} are read.",
            mend='Write: {"observation": "LOW_SURPRISE"}',
        )
    return request


def _answer(bridge: Bridge, request: dict[str, Any]) -> dict[str, Any]:
    if "prior" in request:
        return _cycle(bridge.controller.live, request)
    if request.get("reset") is True:
        bridge.mood = bridge.controller.open_mood()
        return {"belief": dict(_named(bridge)), "action": "", "state": bridge.mood["state"]}
    unknown = sorted(set(request) - KEYS)
    wrong = [k for k, v in request.items() if not (_number(v) if k in NUMBERS else isinstance(v, str))]
    if unknown or wrong:
        raise UsageError(
            f"{(unknown or wrong)[0]!r} {'is unknown' if unknown else 'has a value of the wrong type'}.",
            why=f"Known are {', '.join(sorted(KEYS))}." if unknown else f"It is {request[wrong[0]]!r:.80}.",
            mend=f"Numbers: {', '.join(sorted(NUMBERS))}; text: {', '.join(sorted(KEYS - NUMBERS))}.",
        )
    belief, action = bridge.observe(**request)
    return {
        "belief": belief, "action": action, "state": bridge.mood["state"],
        "observation": bridge.mood["observation"], "reason": bridge.reason, "values": bridge.values,
    }  # fmt: skip


def _named(bridge: Bridge) -> Iterator[tuple[str, float]]:
    from ddax.metacognition.matrices import STATES

    return iter(zip(STATES, bridge.mood["belief"], strict=True))


def _cycle(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    """Run one bare cycle; what a controller in another process asks for."""
    import numpy as np

    from ddax.metacognition.matrices import OBSERVATIONS, STATES

    prior, index = request["prior"], request.get("index")
    numbers = prior if isinstance(prior, list) and all(map(_number, prior)) else []
    if len(numbers) != len(STATES) or min(numbers) < 0 or not 0 < sum(numbers) < float("inf"):
        raise UsageError(
            "'prior' is no belief.",
            why=f"It is {prior!r:.80}.",
            mend=f"Give {len(STATES)} numbers, none below 0 and one above.",
        )
    if not isinstance(index, int) or isinstance(index, bool) or index not in range(len(OBSERVATIONS)):
        raise UsageError(
            "'index' names no observation.",
            why=f"It is {index!r:.80}.",
            mend=f"Give 0 to {len(OBSERVATIONS) - 1}.",
        )
    thought = engine.cycle(np.asarray(numbers, dtype=np.float64), index)
    return {
        "belief": thought.belief.tolist(), "action": thought.action, "prior": thought.prior.tolist(),
        "values": thought.values.tolist(),
    }  # fmt: skip


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


if __name__ == "__main__":
    raise SystemExit(main())
