"""Several parts in one prompt: what of them is told, and that what did not fit it is never taken as read."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from ddax.configs.models import ModelRecord, Models
from ddax.reasoning import protocol as p
from ddax.reasoning.factory import Extras, open_reasoner
from ddax.reasoning.language import Limits
from ddax.reasoning.recording import as_plain
from ddax.reasoning.replaying import RecordingReasoner, ReplayingReasoner
from ddax.reasoning.testing import FakeOpenAI, Say
from ddax.types import Passage

WALL = "The harbour wall of Aber stands. It was laid in 1501 by masons. "
FISH = "Fish is sold each morning on stone slabs near ferries. "
DULL = "Clouds drift over quiet hills while nobody looks up. "


def page(name: str, text: str, times: int) -> Passage:
    return Passage(name, f"{name}.txt", name, text * times, 0, len(text) * times)


def prompt_of(body: dict[str, Any]) -> str:
    return "".join(str(message["content"]) for message in body["messages"])


def opened(server: Any, window: int | None = None, **models: Any) -> Any:
    # Each has a name of its own: what one is found to take is known of a name.
    record = ModelRecord(name=f"openai:beside-{server.base_url}-{window}", base_url=server.base_url,
                         context_tokens=window)  # fmt: skip
    return open_reasoner(
        record, embedder=None, prices={}, clock=time.monotonic, extras=Extras(environment={}),  # type: ignore[arg-type]
        models=Models(cache=False, **models), limits=Limits(first_wait=0.0),
    )  # fmt: skip


async def asked(
    method: str, request: Any, answer: Callable[[str], dict[str, Any]], window: int | None = 4096
) -> tuple[Any, list[str]]:
    """Return the reply to one request, and the prompts that a model was sent for it."""
    sent: list[str] = []

    def say(body: dict[str, Any]) -> Say:
        sent.append(prompt_of(body))
        return Say(answer(sent[-1]))

    with FakeOpenAI(answer=say) as server:
        reasoner = opened(server, window)
        try:
            return await getattr(reasoner, method)(request), sent
        finally:
            await reasoner.close()


def numbers_in(prompt: str) -> list[int]:
    return [
        json.loads(line)["number"] for line in prompt.splitlines() if line.startswith('{"number"')
    ]  # fmt: skip


def nothing(prompt: str) -> dict[str, Any]:
    """Answer for every part that is told that it says nothing."""
    parts = [{"number": n, "claims": [], "summary": ""} for n in numbers_in(prompt)]
    return {"parts": parts} if parts else {"claims": [], "summary": ""}


def judged(prompt: str) -> dict[str, Any]:
    reasons = [{"criterion": "support", "score": 0.5, "reason": "so"}]
    one = {"reasons": reasons, "value": 0.5, "confidence": 0.5}
    rows = [{"number": n, **one} for n in numbers_in(prompt)]
    return {"judgments": rows} if rows else one


def lost(reply: Any) -> list[bool]:
    return [reply.lost, *(one.lost for one in reply.others)]


async def test_a_part_of_which_no_page_was_printed_is_lost() -> None:
    first = page("Aber", WALL, 86)
    request = p.ExtractRequest(
        "Compare the towns", "the harbour wall and who laid it", (first,),
        others=(p.Pages("who has seen a whale", (page("Hills", DULL, 110),)),),
    )  # fmt: skip
    reply, (prompt,) = await asked("extract", request, nothing)
    assert DULL.strip() not in prompt and '"P2"' not in prompt, "what is not printed is not named either"
    assert lost(reply) == [False, True] and reply.usage.tokens and reply.usage.unshown


async def test_a_lost_first_part_leaves_the_others_at_their_places() -> None:
    quote = "It was laid in 1501 by masons."
    told = {"text": "The wall is of 1501.", "passage": "P2", "quote": quote, "score": 0.9}
    request = p.ExtractRequest(
        "Compare the towns", "who has seen a whale", (page("Hills", DULL, 110),),
        others=(p.Pages("the harbour wall and who laid it", (page("Aber", WALL, 86),)),),
    )  # fmt: skip
    reply, (prompt,) = await asked("extract", request, lambda _: {"claims": [told], "summary": "of 1501"})
    assert DULL.strip() not in prompt
    assert lost(reply) == [True, False] and not reply.claims and reply.usage.model_calls == 1
    assert [claim.citation.quote for claim in reply.others[0].claims] == [quote]


async def test_what_is_cut_goes_by_what_each_part_is_read_for() -> None:
    request = p.ExtractRequest(
        "Compare the towns", "who has seen a whale", (page("Hills", DULL, 230),),
        others=(p.Pages("the harbour wall and who laid it", (page("Aber", WALL, 30),)),
                p.Pages("what is sold there each morning", (page("Bree", FISH, 30),))),
    )  # fmt: skip
    reply, (prompt,) = await asked("extract", request, nothing, 8192)
    assert (WALL * 30).strip() in prompt and (FISH * 30).strip() in prompt
    assert lost(reply)[1:] == [False, False]


async def test_a_row_of_the_list_that_does_not_fit_is_a_lost_part() -> None:
    pages = [page(f"T{n}", f"Town {n} lies by the sea. ", 1) for n in range(8)]
    wants = [f"the year in which the wall of town {n} was laid, by whom and at what price" for n in range(8)]
    first, *others = (p.Pages(want * 3, (one,)) for want, one in zip(wants, pages, strict=True))
    request = p.ExtractRequest("Compare", first.intent, first.passages, others=tuple(others))
    reply, (prompt,) = await asked("extract", request, nothing)
    told = numbers_in(prompt)
    assert 1 <= len(told) < 8 and "characters cut]" not in prompt
    assert lost(reply) == [n >= len(told) for n in range(8)]


async def test_a_result_whose_evidence_was_not_printed_is_left_to_a_judge_of_its_own() -> None:
    request = p.JudgeRequest(
        "Compare the towns", "read Aber", "The harbour wall was laid in 1501.", "a year",
        (page("Aber", WALL, 86),), rubric=("support",),
        others=(p.Judged("read Hills", "A whale swims.", "whales", (page("Hills", DULL, 110),)),
                p.Judged("think", "Nothing was needed.", "no evidence")),
    )  # fmt: skip
    reply, (prompt,) = await asked("judge", request, judged)
    assert DULL.strip() not in prompt and "A whale swims." not in prompt
    assert lost(reply) == [False, True, False]


async def test_evidence_of_any_result_is_chosen_by_its_own_words() -> None:
    request = p.JudgeRequest(
        "Compare the towns", "look at clouds", "Nothing.", "-", (page("Hills", DULL, 110),),
        rubric=("support",),
        others=(p.Judged("read Aber", "The harbour wall was laid in 1501.", "a year",
                         (page("Aber", WALL, 86),)),),
    )  # fmt: skip
    reply, (prompt,) = await asked("judge", request, judged)
    assert WALL.split(". ")[0] in prompt and not reply.others[0].lost


@pytest.mark.parametrize("window", [None, 4096, 16_384, 200_000])
def test_a_reasoner_says_how_much_one_call_holds(window: int | None, tmp_path: Any) -> None:
    with FakeOpenAI(answer=lambda _: Say({})) as server:
        reasoner = opened(server, window)
        assert reasoner.room == {None: 24_000, 4096: 4716, 16_384: 24_000, 200_000: 24_000}[window]
        path = tmp_path / "run.jsonl"
        assert RecordingReasoner(reasoner, path).room == reasoner.room
    assert ReplayingReasoner(path).room == reasoner.room, "a replayed run asks as the recorded one did"


async def test_what_fits_is_told_whole() -> None:
    request = p.ExtractRequest(
        "Compare", "the wall", (page("Aber", WALL, 3),), others=(p.Pages("fish", (page("Bree", FISH, 3),)),)
    )
    before = as_plain(request)
    reply, (prompt,) = await asked("extract", request, nothing, None)
    assert (WALL * 3).strip() in prompt and (FISH * 3).strip() in prompt
    assert lost(reply) == [False, False] and not reply.usage.unshown and as_plain(request) == before
