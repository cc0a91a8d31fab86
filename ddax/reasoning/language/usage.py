"""What one model call cost, from what the provider says; pessimistic where it says nothing usable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ddax.reasoning.language.parts import REPLY, Sizes, split
from ddax.reasoning.language.replies.parsing import THINKS
from ddax.types import Usage

if TYPE_CHECKING:
    from ddax.reasoning.language.provider.channel import Said

CHARACTERS_A_TOKEN = 3
"""Low on purpose: an estimate must not come out below the truth."""
MOST = 10**9
"""Tokens of one call above which a count is nonsense: no model takes or gives as many."""


class PriceLike(Protocol):
    """US dollars per million tokens in and out, as `ddax.configs.prices` reads them."""

    def cost(self, tokens_in: int, tokens_out: int, cached: int = 0) -> float: ...


class Tokens(NamedTuple):
    """Tokens of one call; `cached` are those of `taken` that the provider had in its cache."""

    taken: int
    given: int
    cached: int = 0


def counted(said: Mapping[str, object] | None, *, sent: int, reply: str, picture: int = 0) -> Tokens:
    """Return the tokens the provider counted; missing, negative, non-integer or absurd counts are estimated.

    `sent` are the bytes of what was sent, `picture` the tokens a picture beside it is estimated at.
    """
    taken = _count(said, "input_tokens", sent, picture)
    given = _count(said, "output_tokens", len(reply.encode("utf-8", "replace")))
    return Tokens(taken, given, min(_cached(said), taken))


def _count(said: Mapping[str, object] | None, key: str, size: int, more: int = 0) -> int:
    value = _whole((said or {}).get(key))
    if value > 0 or (value == 0 and not size):
        return value
    return -(-size // CHARACTERS_A_TOKEN) + more


def _cached(said: Mapping[str, object] | None) -> int:
    """Return the tokens read from the provider's cache; none where it does not say so."""
    details = (said or {}).get("input_token_details")
    return max(0, _whole(details.get("cache_read"))) if isinstance(details, Mapping) else 0


def _whole(value: object) -> int:
    """Return a count as it was said; -1 where it is none."""
    usable = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST
    return value if usable and isinstance(value, int) else -1


def thought(said: Said) -> bool:
    """Tell whether a reply was written after thoughts, or ended in them."""
    details = (said.usage or {}).get("output_token_details")
    told = details.get("reasoning") if isinstance(details, Mapping) else None
    return bool(said.thought or told) or said.text.lstrip().startswith(THINKS)


def price_of(model: str, prices: Mapping[str, PriceLike]) -> PriceLike | None:
    """Return the price of `provider:model`, by its own line or its provider's `*`; None: unknown."""
    provider = model.partition(":")[0]
    return prices.get(model) or prices.get(f"{provider}:*")


def priced(tokens: Tokens, price: PriceLike | None, sizes: Sizes) -> Usage:
    """Return the usage of one call, its tokens by the parts of what was sent; `usd` None: price unknown."""
    usd = None if price is None else price.cost(*tokens)
    whole = tokens.taken + tokens.given
    parts = split(tokens.taken, sizes) | ({REPLY: tokens.given} if tokens.given else {})
    return Usage(
        1, whole, usd, prompt_tokens=tokens.taken, cached_tokens=tokens.cached,
        parts=tuple(sorted(parts.items())),
    )  # fmt: skip
