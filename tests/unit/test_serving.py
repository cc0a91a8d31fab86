"""Who a LangGraph server lets in."""

from __future__ import annotations

import pytest
from langgraph_sdk import Auth

from ddax.errors import UsageError
from ddax.graph.serving import KEYS, authenticate, owner_of, read_keys

ADA = "ada-has-a-long-key-1"


@pytest.mark.parametrize(
    "headers", [{b"x-api-key": ADA.encode()}, {"Authorization": f"Bearer {ADA}"}, {"X-Api-Key": ADA}]
)
async def test_a_key_names_its_owner(headers: dict[object, object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEYS, f"ada:{ADA}, bob:bob-has-a-long-key-2")
    assert (await authenticate(headers))["identity"] == "ada"


@pytest.mark.parametrize("keys", ["", f"ada:{ADA}"])
@pytest.mark.parametrize("headers", [{}, {"x-api-key": "another-long-key-of-20"}, {"x-api-key": ""}])
async def test_nobody_else_comes_in(
    keys: str, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEYS, keys)
    with pytest.raises(Auth.exceptions.HTTPException) as refused:
        await authenticate(headers)
    assert refused.value.status_code == 401


@pytest.mark.parametrize("text", ["ada", "ada:short", f":{ADA}", f"ada:{ADA},ada:{ADA}x"])
def test_a_key_that_protects_nothing_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=KEYS):
        read_keys(text)


def test_keys_that_are_not_ascii_are_compared_too() -> None:
    assert owner_of("schlüssel-mit-umlaut", {"ada": "schlüssel-mit-umlaut"}) == "ada"
    assert owner_of("schlussel-mit-umlaut", {"ada": "schlüssel-mit-umlaut"}) == ""
