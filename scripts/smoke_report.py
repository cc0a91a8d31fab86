"""Tell what the smoke run of a paid model came to and what it cost; exit 1 above 0.05 USD."""

from __future__ import annotations

import json
import sys
from pathlib import Path

CAP = 0.05


def main(path: str, code: int) -> int:
    """Print the cost and return the exit code of the run, or 1 where the cap did not hold."""
    text = Path(path).read_text(encoding="utf-8")
    result = json.loads(text) if text.strip() else {}
    usage = result.get("usage")
    if usage is None:
        print(f"smoke-openai: there is no result (exit code {code}): {text.strip()[:300]}")
        return code or 1
    usd = usage["usd"]
    cost = "an unknown price" if usd is None else f"{usd:.4f} USD"
    print(f"smoke-openai: {result['status']}: {result['answer'][:200]}")
    print(f"smoke-openai: it cost {cost}: {usage['model_calls']} calls, {usage['tokens']} tokens,")
    print(
        f"smoke-openai: {usage['cached_share']:.0%} of what was sent was cached; by model {usage['models']}"
    )
    if usd is None or usd > CAP:
        print(f"smoke-openai: the cap of {CAP} USD did not hold.")
        return 1
    return code


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], int(sys.argv[2])))
