"""What a batch came to: counts, score and cost over every result there is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median

from ddax.types import JsonDict, Usage


def summary(rows: Sequence[JsonDict], tasks: int) -> JsonDict:
    """Sum up the rows of a batch of so many tasks; the score is over those that have validators."""
    scores = [row["score"] for row in rows if row["score"] is not None]
    cost = sum((Usage.of_row(row.get("usage", {})) for row in rows), Usage())
    failures = Counter(row["error"]["kind"] for row in rows if row.get("error"))
    return {
        "tasks": tasks,
        "results": len(rows),
        "status": dict(sorted(Counter(row["status"] for row in rows).items())),
        "scored": len(scores),
        "score": round(sum(scores) / len(scores), 4) if scores else None,
        "right": sum(score == 1.0 for score in scores),
        "errors": dict(sorted(failures.items())),
        "model_calls": cost.model_calls,
        "tokens": cost.tokens,
        "usd": cost.usd,
        "seconds_median": round(median(row["seconds"] for row in rows), 3) if rows else None,
    }
