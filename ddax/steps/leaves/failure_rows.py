"""The rows of leaf actions that did not succeed: what was raised, cleaned and told in few words."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from hashlib import sha256

from ddax.errors import UNDONE, DdaxError
from ddax.ideas.idea import CAUSE_BYTES, KIND_BYTES, RESULT_BYTES, clip
from ddax.types import JsonDict


def failed(error: BaseException, clean: Callable[[str], str]) -> JsonDict:
    """Return the row of what was raised, cleaned before any cut; a foreign exception is told by its type."""
    name, trace = type(error).__name__, clean("".join(traceback.format_exception(error)))
    if isinstance(error, DdaxError):
        return failure(getattr(error, "kind", name), clean(str(error)), trace)
    return failure(name, clean(f"{name}: {error}" if str(error) else name), trace)


def failure(kind: str, cause: str, trace: str = "") -> JsonDict:
    """Return the row of a leaf that failed for a cause of a kind."""
    digest = sha256(trace.encode("utf-8", "replace")).hexdigest()[:16] if trace else ""
    return {
        "ok": False,
        "text": clip(cause, RESULT_BYTES),
        **({"cause": clip(cause, CAUSE_BYTES)} if kind == UNDONE else {}),
        "kind": clip(kind, KIND_BYTES),
        "trace": digest,
        "trace_text": trace[-4000:],
        "evidence": [],
        "usage": {},
    }
