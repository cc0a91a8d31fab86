"""The price table of language models: US dollars per million tokens, and each provider's key variable.

Leaves out calling a model. The table is `models.yaml` beside this file; a `models.yaml` in
`DDAX_HOME` adds to it and wins.
"""

from __future__ import annotations

import difflib
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ddax.configs.documents import YamlDocument, read_document, shipped
from ddax.errors import SettingsError

TOKENS_PER_PRICE = 1_000_000
SHIPPED = shipped("models.yaml")
SECTIONS = ("models", "providers")


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens in and out, and of those in that the provider had cached."""

    input: float
    output: float
    cached: float | None = None

    def cost(self, tokens_in: int, tokens_out: int, cached: int = 0) -> float:
        """Return the US dollars of one call; without a price of its own a cached token costs as another."""
        old = min(max(cached, 0), tokens_in)
        rate = self.input if self.cached is None else self.cached
        whole = (tokens_in - old) * self.input + old * rate + tokens_out * self.output
        return whole / TOKENS_PER_PRICE


@dataclass(frozen=True)
class Provider:
    """A provider: the environment variable of its key ("" where none is needed), and its package."""

    key: str
    package: str
    extra: str = ""
    """The extra of ddax that brings the package; "" where none does."""


def load_prices(*, home: Path | None = None) -> dict[str, Price]:
    """Map `provider:model` (or `provider:*`) to its price; raises `SettingsError`."""
    prices: dict[str, Price] = {}
    for path in _tables(home):
        for model, row in _section(path, "models").items():
            prices[model] = _price(path, model, row)
    return prices


def load_providers(*, home: Path | None = None) -> dict[str, Provider]:
    """Map a provider's name to its key variable and package; raises `SettingsError`."""
    providers: dict[str, Provider] = {}
    for path in _tables(home):
        for name, row in _section(path, "providers").items():
            if not isinstance(row, Mapping):
                raise SettingsError(
                    f"{path}: the provider {name!r} needs `key` and `package`.",
                    why=f"It is {row!r}.",
                    mend="Write {key: VARIABLE, package: NAME}: where its key is, and what to install.",
                )
            words = (str(row.get(field) or "") for field in ("key", "package", "extra"))
            providers[name] = Provider(*words)
    return providers


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """Return the price of `provider:model`, by its own line or its provider's `*`; None: unknown."""
    provider = model.partition(":")[0]
    return prices.get(model) or prices.get(f"{provider}:*")


def nearest_priced(model: str, prices: Iterable[str]) -> str:
    """Return the priced model of the same provider that a name likely means; "" where none is like it."""
    provider, _, said = model.partition(":")
    known = {name.partition(":")[2] for name in prices if name.partition(":")[0] == provider} - {"*"}
    near = difflib.get_close_matches(said, sorted(known - {said}), n=1, cutoff=0.8)
    return f"{provider}:{near[0]}" if near and said not in known else ""


def _tables(home: Path | None) -> list[Path]:
    own = [] if home is None else [home / "models.yaml"]
    return [SHIPPED, *(path for path in own if os.path.lexists(path))]


def _section(path: Path, name: str) -> dict[str, Any]:
    table = _table(path)
    rows = table.values.get(name) or {}
    if not isinstance(rows, dict):
        raise SettingsError(
            f"{table.where(name)}: `{name}` is not a table.",
            why=f"It is {rows!r:.80}.",
            mend=f"Compare with the table that ships with ddax: {SHIPPED}",
        )
    return {str(key): row for key, row in rows.items()}


def _table(path: Path) -> YamlDocument:
    """Read a table; raises `SettingsError` for one that cannot be read, or with a section of another name."""
    try:
        table = read_document(path, may_be_empty=True)
    except SettingsError as error:
        aside = "or move it aside: without it the prices that ship with ddax hold."
        mend = f"{error.mend.removesuffix('.')}, {aside}"
        raise SettingsError(error.what, why=error.why, mend=mend) from error
    for key in table.values:
        if key not in SECTIONS:
            raise SettingsError(
                f"{table.where(key)}: there is no section {key!r}.",
                why=f"A table of prices has the sections {' and '.join(SECTIONS)}.",
                mend=f"Compare with the table that ships with ddax: {SHIPPED}",
            )
    return table


def _price(path: Path, model: str, row: Any) -> Price:
    ok = isinstance(row, dict) and all(_is_price(row.get(side)) for side in ("input", "output"))
    if not ok or not (row.get("cached") is None or _is_price(row["cached"])):
        raise SettingsError(
            f"{path}: the price of {model!r} is {row!r}.",
            why="A price is two numbers, and a third where the provider keeps what it was told.",
            mend="Write {input: X, output: Y} in US dollars per million tokens, both at least 0; "
            "`cached: Z` beside them is the price of a token in that the provider had cached.",
        )
    cached = row.get("cached")
    return Price(float(row["input"]), float(row["output"]), None if cached is None else float(cached))


def _is_price(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf
