"""Research as the scripted model does it: it reads only what it is shown."""

from typing import Any


def reply(body: Any, text: str) -> Any:
    """Return nothing yet."""
    return None
