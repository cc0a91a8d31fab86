"""The price table: what ships is well formed, and the user's own lines win."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ddax.configs.prices import Price, load_prices, load_providers, price_of
from ddax.errors import SettingsError
from tests.cases import cases


def test_the_shipped_table_is_well_formed():
    prices, providers = load_prices(), load_providers()
    assert prices["openai:gpt-4.1-mini"] == Price(0.4, 1.6, 0.1)
    assert {model.partition(":")[0] for model in prices} <= set(providers)
    assert providers["openai"].key == "OPENAI_API_KEY"
    assert all(price.input >= 0 and price.output >= 0 for price in prices.values())


def test_a_price_is_found_by_name_or_by_provider():
    prices = load_prices()
    assert price_of("ollama:anything", prices) == Price(0, 0)
    assert price_of("openai:no-such-model", prices) is None


def test_cost_counts_a_million_tokens():
    assert Price(2.0, 8.0).cost(1_000_000, 500_000) == pytest.approx(6.0)


def test_own_lines_win(tmp_path: Path):
    (tmp_path / "models.yaml").write_text(
        "models:\n  openai:gpt-4.1: {input: 1, output: 2}\n  mine:m: {input: 3, output: 4}\n"
        "providers:\n  mine: {key: MINE_KEY, package: langchain-mine}\n"
    )
    prices = load_prices(home=tmp_path)
    assert prices["openai:gpt-4.1"] == Price(1, 2)
    assert prices["mine:m"] == Price(3, 4)
    assert load_providers(home=tmp_path)["mine"].key == "MINE_KEY"
    assert load_prices(home=tmp_path / "none") == load_prices()


@cases("text")
def test_a_wrong_table_is_refused(tmp_path: Path, text: str):
    (tmp_path / "models.yaml").write_text(text)
    with pytest.raises(SettingsError, match=r"models\.yaml"):
        load_prices(home=tmp_path)


@cases("text", "what")
def test_the_line_that_is_wrong_is_told(tmp_path: Path, text: str, what: str):
    (tmp_path / "models.yaml").write_text(text)
    with pytest.raises(SettingsError, match=re.escape(what)):
        load_prices(home=tmp_path)


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "models:\n"])
def test_a_table_that_adds_nothing_is_none(tmp_path: Path, text: str):
    (tmp_path / "models.yaml").write_text(text)
    assert load_prices(home=tmp_path) == load_prices()


def test_a_table_that_is_a_folder_is_told(tmp_path: Path):
    (tmp_path / "models.yaml").mkdir()
    with pytest.raises(SettingsError, match=r"models.yaml cannot be read. Is a directory.") as found:
        load_prices(home=tmp_path)
    assert "move it aside" in found.value.mend
    with pytest.raises(SettingsError, match="cannot be read"):
        load_providers(home=tmp_path)
