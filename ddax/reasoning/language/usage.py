"""What one model call cost, from what the provider says; pessimistic where it says nothing usable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from ddax.types import Usage

CHARACTERS_A_TOKEN = 3
"""Low on purpose: an estimate must not come out below the truth."""


class PriceLike(Protocol):
    """US dollars per million tokens in and out, as `ddax.configs.prices` reads them."""

    def cost(self, tokens_in: int, tokens_out: int) -> float: ...


class Tokens(NamedTuple):
    """Tokens of one call."""

    taken: int
    given: int


def counted(said: Mapping[str, object] | None, *, prompt: str, reply: str) -> Tokens:
    """Return the tokens the provider counted; missing, negative or non-integer counts are estimated."""
    return Tokens(
        _count(said, "input_tokens", prompt),
        _count(said, "output_tokens", reply),
    )


def _count(said: Mapping[str, object] | None, key: str, text: str) -> int:
    value = (said or {}).get(key)
    usable = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if usable and isinstance(value, int) and (value > 0 or not text):
        return value
    return -(-len(text.encode("utf-8", "replace")) // CHARACTERS_A_TOKEN)


def price_of(model: str, prices: Mapping[str, PriceLike]) -> PriceLike | None:
    """Return the price of `provider:model`, by its own line or its provider's `*`; None: unknown."""
    provider = model.partition(":")[0]
    return prices.get(model) or prices.get(f"{provider}:*")


def priced(tokens: Tokens, price: PriceLike | None) -> Usage:
    """Return the usage of one call; `usd` is None where the price is unknown."""
    usd = None if price is None else price.cost(tokens.taken, tokens.given)
    return Usage(model_calls=1, tokens=tokens.taken + tokens.given, usd=usd)
