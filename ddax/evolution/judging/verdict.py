"""The separate verdict: tests in one sandbox, the candidate in another, plain values between them.

What the candidate prints, how it exits and what it does to its own process plays no part: it never
shares a process with a test, and never sees one.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import asdict

from ddax.errors import SandboxError
from ddax.evolution.evaluator import evaluate_report
from ddax.evolution.localise import Report, read_report
from ddax.evolution.program.suites import Suite
from ddax.evolution.records import Evaluation
from ddax.evolution.sandbox.protocol import Limits, Sandbox
from ddax.evolution.sandbox.worker import Channel, start_inside

_SLACK = 5.0
_UNREADABLE = (EOFError, TimeoutError, ValueError, TypeError, LookupError, AttributeError, RecursionError)


def separate_report(sandbox: Sandbox, suite: Suite, sources: Mapping[str, str], *, limits: Limits) -> Report:
    """Run the suite with its tests and the program in two sandboxes, and relay between them."""
    nonce = secrets.token_hex(16)
    bounds = asdict(limits)
    program = {**suite.sources, **sources}
    served = Channel(start_inside(sandbox, "served", limits))
    oracle = Channel(start_inside(sandbox, "oracle", limits))
    try:
        end = time.monotonic() + limits.wall + _SLACK
        load = {"op": "load", "sources": program, "targets": list(suite.targets), "roots": list(suite.roots)}
        served.send({**load, "limits": bounds})
        first = json.loads(served.receive(end - time.monotonic()))
        if "error" in first:
            return Report("import", f"{first['error']} {first.get('text', '')}"[:300], ())
        # The tests' side needs the names of the files only.
        message = {**suite.message(), "sources": dict.fromkeys(program, "")}
        oracle.send({**message, "nonce": nonce, "limits": bounds})
        return _relay(oracle, served, nonce, len(suite.units), end)
    except (SandboxError, *_UNREADABLE) as error:
        return Report("timeout" if isinstance(error, TimeoutError) else "killed", str(error)[:200], ())
    finally:
        served.close()
        oracle.close()


def _relay(oracle: Channel, served: Channel, nonce: str, units: int, end: float) -> Report:
    while True:
        body = oracle.receive(end - time.monotonic())
        message = json.loads(body)
        if "ask" in message:
            served.send(message["ask"])
            oracle.send(json.loads(served.receive(end - time.monotonic())))
        elif message.get("nonce") == nonce:
            return read_report(body, units)
        else:
            raise ValueError("the tests' side sent no verdict")


def separate_verdict(
    sandbox: Sandbox, suite: Suite, sources: Mapping[str, str], *, limits: Limits
) -> Evaluation:
    """Score a program by the separate verdict; 100 needs every unit to pass."""
    found = evaluate_report(separate_report(sandbox, suite, sources, limits=limits), suite)
    if found.score < 99.0:
        return found
    return Evaluation(100.0, True, True, True, "", found.signature)
