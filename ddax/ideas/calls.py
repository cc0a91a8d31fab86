"""When two calls are the same: one name, and arguments that are equal in whatever order they stand.

So are counted what was tried (`indexed`, `ddax.dynamics.utility`) and what was approved or done
(`content_of`). Looser on purpose are `ddax.steps.expand.joining.same` and `ddax.reasoning.plans`, which
ask whether a plan says a thing twice; `ddax.steps.protect.human_decisions.call_text` is for people to read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from ddax.types import ActionCall


def action_key(name: str, args: Mapping[str, Any]) -> str:
    """Return an action with its arguments as text: equal for the same calls alone."""
    return json.dumps([name, args], sort_keys=True, ensure_ascii=False, default=str)


def content_of(call: ActionCall) -> str:
    """Return the hash of what an action does: its name and arguments, not why it is done."""
    key = action_key(call["name"], call["args"])
    return sha256(key.encode("utf-8", "replace")).hexdigest()[:32]
