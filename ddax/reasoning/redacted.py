"""A reasoner that sees no secret and says none: each request, reply and error is cleaned on its way."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from ddax.configs.secrets import Redactor
from ddax.errors import DdaxError
from ddax.reasoning.protocol import METHODS


class RedactedReasoner:
    """Stands before a reasoner; what is no request method is that of the reasoner itself."""

    def __init__(self, inner: Any, redactor: Redactor) -> None:
        self.inner, self._redactor = inner, redactor

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.inner, name)
        if name == "bound":
            return lambda *given, **named: RedactedReasoner(found(*given, **named), self._redactor)
        return self._cleaned(found) if name in METHODS else found

    def _cleaned(self, method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def ask(request: Any, *more: Any, **named: Any) -> Any:
            try:
                reply = await method(self._redactor.value(request), *more, **named)
            except DdaxError as error:  # whoever catches it may tell a part of it alone
                error.reword(self._redactor.text)
                raise
            return self._redactor.value(reply)

        return ask
