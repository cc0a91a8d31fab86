"""Many in one: pages read by one call, results valued by one on one scale; a wrong part costs that part."""

from __future__ import annotations

from typing import Any

import pytest

from ddax.errors import BudgetExceeded
from ddax.nodes.act import act
from ddax.nodes.evaluate import evaluate
from ddax.nodes.expand import expand
from ddax.reasoning import protocol as p
from ddax.reasoning.language import batched
from ddax.reasoning.language.quote import numbered
from ddax.reasoning.language.replies import schemas
from ddax.reasoning.language.replies.schemas import Unfit
from ddax.reasoning.sourced import of_request
from ddax.steps.evaluate.side_by_side import MOST, grouped
from ddax.types import Citation, Passage, Usage

PAGES = {name: f"{name} lies by the sea. The tower of {name} was built in {year}." * 20
         for name, year in (("Aber", 1501), ("Bree", 1602), ("Corm", 1703))}  # fmt: skip
ADA, BOB = (
    Passage(i, f"{i}.txt", i, f"{i} was born in {y}.", 0, 99) for i, y in (("Ada", 1815), ("Bob", 1900))
)


def claim(passage: Passage, name: str) -> p.Claim:
    quote = f"The tower of {name} was built in"
    return p.Claim(f"{name} has a tower.", Citation(passage.id, passage.source, name, quote, 0, 9), 0.9)


def read(request: p.ExtractRequest, *, lost: str = "") -> p.Extraction:
    parts = [request.passages, *(part.passages for part in request.others)]
    each = [
        p.Extraction((), "", lost=True) if passages[0].title == lost
        else p.Extraction((claim(passages[0], passages[0].title),), f"of {passages[0].title}")
        for passages in parts
    ]  # fmt: skip
    return p.Extraction(each[0].claims, each[0].summary, Usage(1, 500), each[0].lost, tuple(each[1:]))


async def acted(
    kit: Any, replies: dict[str, Any], *, together: bool = True, came: Any = None, **settings: Any
) -> tuple[Any, Any]:
    """Return the session and the state after three pages were read at once; `came` are origins of plans."""
    kit.pages.update(PAGES)
    leaves = tuple(kit.leaf(f"read {name}", "visit", source=name) for name in PAGES)
    session = kit.session({"expand": [p.Expansion(leaves)], **replies}, repeat=True, **settings)
    session.reasoner.answers_together = together
    state = await kit.after(expand, await kit.opened(session, focus=["0"], step=1), session)
    state = {**state, "step": 2, "outcomes": {}, "mind": {**state["mind"], "rho": 0.0}}
    for leaf, name in zip(("0.1", "0.2", "0.3"), PAGES, strict=True):
        packet = {**kit.packet(leaf, "visit", state=state, source=name), "beside": 3}
        packet |= {"origins": (came or {}).get(leaf, packet["origins"])}
        state = kit.reduced(state, await kit.update(act, packet, session))
    return session, state


def judged(request: p.JudgeRequest, *, lost: int = -1) -> p.Judgment:
    reasons = (("coverage", 0.5, "so"),)
    each = [p.Judgment(0.2 + 0.3 * n, 0.9, reasons, lost=n == lost) for n in range(1 + len(request.others))]
    return p.Judgment(each[0].value, 0.9, reasons, Usage(1, 700), each[0].lost, tuple(each[1:]))


def asked(session: Any, method: str) -> list[Any]:
    return [request for made, request in session.reasoner.requests if made == method]


async def test_pages_of_one_step_are_read_by_one_call_and_cited_by_their_own_leaves(kit: Any) -> None:
    session, state = await acted(kit, {"extract": [read], "judge": [judged]}, came={"0.3": ["tool:mailbox"]})
    assert not asked(session, "extract") and all(o["unread"] for o in state["outcomes"].values())
    assert [state["ideas"][leaf]["origins"] for leaf in ("0.1", "0.2")] == [["file"], ["file"]]
    after = kit.reduced(state, await kit.update(evaluate, state, session))
    (request,) = asked(session, "extract")
    assert len(request.others) == 2
    for leaf, name in zip(("0.1", "0.2", "0.3"), PAGES, strict=True):
        assert after["ideas"][leaf]["result"] == f"of {name}" == after["outcomes"][leaf]["text"]
        assert "unread" not in after["outcomes"][leaf]
        (row,) = await session.memory.rows("claims", idea=leaf)
        assert [one["title"] for one in row["citations"]] == [name]
    assert of_request(request) >= of_request(await _alone(session, state)) >= {"tool:mailbox"}
    for leaf in ("0.1", "0.2", "0.3"):
        told = after["ideas"][leaf]["origins"]
        assert told == ["file", "tool:mailbox"], "one reply saw all pages: where any comes from, all do"


async def _alone(session: Any, state: Any) -> p.ExtractRequest:
    from ddax.steps.evaluate.reading_together import _request

    rows = await session.memory.rows("unread", task=state["work"]["id"], idea="0.3")
    return await _request(state, session, rows[0])


async def test_what_no_model_read_keeps_its_own_origins(kit: Any) -> None:
    came = {"0.3": ["tool:mailbox"]}
    session, state = await acted(
        kit, {"extract": [lambda r: read(r, lost="Bree")], "judge": [judged]}, came=came
    )
    after = kit.reduced(state, await kit.update(evaluate, state, session))
    found = [after["ideas"][leaf]["origins"] for leaf in ("0.1", "0.2", "0.3")]
    assert found == [["file", "tool:mailbox"], ["file"], ["file", "tool:mailbox"]]


async def test_pages_of_many_hosts_read_together_still_fit_their_leaves(kit: Any) -> None:
    from ddax.ideas import dag

    hosts = [f"web:{'x' * 60}{n}.example" for n in range(6)]
    came = {"0.1": hosts[:3], "0.2": hosts[3:], "0.3": [f"tool:{'y' * 60}{n}" for n in range(6)]}
    session, state = await acted(kit, {"extract": [read], "judge": [judged]}, came=came)
    after = kit.reduced(state, await kit.update(evaluate, state, session))
    for leaf in ("0.1", "0.2", "0.3"):
        kinds = {name.partition(":")[0] for name in after["ideas"][leaf]["origins"]}
        assert kinds == {"file", "web", "tool"} and after["ideas"][leaf]["evidence"]
        assert dag.size_of(after["ideas"][leaf]) <= dag.MAX_IDEA_BYTES
    dag.check(after["ideas"])


@pytest.mark.parametrize("summary", ["", "  \n "])
async def test_a_part_without_a_summary_leaves_the_text_of_its_outcome(kit: Any, summary: str) -> None:
    def bare(request: p.ExtractRequest) -> p.Extraction:
        found = read(request)
        others = tuple(p.Extraction(one.claims, summary) for one in found.others)
        return p.Extraction(found.claims, summary, found.usage, others=others)

    session, state = await acted(kit, {"extract": [bare], "judge": [judged]})
    after = kit.reduced(state, await kit.update(evaluate, state, session))
    for leaf in ("0.1", "0.2", "0.3"):
        assert state["outcomes"][leaf]["text"], "what the action itself said"
        assert after["ideas"][leaf]["result"] == state["outcomes"][leaf]["text"]
        assert after["outcomes"][leaf]["text"] == after["ideas"][leaf]["result"]


@pytest.mark.parametrize("lost", [*PAGES])
async def test_a_page_that_the_reply_lost_is_read_without_a_model(kit: Any, lost: str) -> None:
    session, state = await acted(kit, {"extract": [lambda r: read(r, lost=lost)], "judge": [judged]})
    after = kit.reduced(state, await kit.update(evaluate, state, session))
    for leaf, name in zip(("0.1", "0.2", "0.3"), PAGES, strict=True):
        told = after["ideas"][leaf]["result"]
        assert (told == f"of {name}") is (name != lost) and told
        (row,) = await session.memory.rows("claims", idea=leaf)
        assert all(one["title"] == name for one in row["citations"])
    assert len(asked(session, "extract")) == 1


async def test_a_reading_that_fails_is_told_and_the_pages_are_read_all_the_same(kit: Any) -> None:
    from ddax.errors import ReasonerError

    session, state = await acted(kit, {"extract": [ReasonerError("down")], "judge": [judged]})
    after = kit.reduced(state, await kit.update(evaluate, state, session))
    assert {"0.1:claims", "0.2:claims", "0.3:claims"} <= set(after["failures"])
    assert all(after["ideas"][leaf]["result"] for leaf in ("0.1", "0.2", "0.3"))


async def test_results_of_one_step_are_valued_by_one_call_on_one_scale(kit: Any) -> None:
    debate = {"gate": "never"}
    session, state = await acted(kit, {"extract": [read], "judge": [judged]}, debate=debate)
    update = await kit.update(evaluate, state, session)
    first = asked(session, "judge")[0]
    assert len(first.others) == 2
    values = [update["verdicts"][leaf]["cheap"] for leaf in ("0.1", "0.2", "0.3")]
    assert values == [0.2, 0.5, 0.8] and update["usage"]["tokens"] >= 1200


async def test_a_result_that_the_judge_left_out_is_judged_alone(kit: Any) -> None:
    debate = {"gate": "never"}
    session, state = await acted(
        kit, {"extract": [read], "judge": [lambda r: judged(r, lost=1), judged]}, debate=debate
    )
    update = await kit.update(evaluate, state, session)
    together, alone = asked(session, "judge")
    assert len(together.others) == 2 and alone.others == () and alone.idea == "read Bree"
    assert len(update["verdicts"]) == 3


@pytest.mark.parametrize("later", [0, 1])
async def test_a_cap_in_the_shared_judgment_costs_the_verdicts_and_not_the_step(kit: Any, later: int) -> None:
    cap = BudgetExceeded("the cap max_tokens=5", why="w", mend="m")
    replies = {"extract": [read], "judge": [cap, *([judged] * later)]}
    session, state = await acted(kit, replies, debate={"gate": "never"})
    update = await kit.update(evaluate, state, session)
    assert [update["ideas"][leaf]["result"] for leaf in ("0.1", "0.2", "0.3")] == [f"of {n}" for n in PAGES]
    causes = {key: row["cause"] for key, row in update["failures"].items() if key.endswith(":verdict")}
    assert set(causes) == ({f"0.{n}:verdict" for n in (1, 2, 3)} if not later else set())
    assert all("max_tokens=5" in cause for cause in causes.values()), "which cap it was is told"
    assert len(update["verdicts"]) == 3 * later


async def test_a_shared_judgment_of_nothing_is_still_paid(kit: Any) -> None:
    def empty(request: p.JudgeRequest) -> p.Judgment:
        lost = p.Judgment(0.0, 0.0, (), lost=True)
        return p.Judgment(0.0, 0.0, (), Usage(1, 700), True, (lost,) * len(request.others))

    session, state = await acted(kit, {"extract": [read], "judge": [empty, judged]}, debate={"gate": "never"})
    update = await kit.update(evaluate, state, session)
    assert len(update["verdicts"]) == 3
    assert update["usage"]["tokens"] == 500 + 700 + 3 * 700


@pytest.mark.parametrize(("room", "calls"), [(24_000, 1), (2_800, 2), (1_000, 3)])
async def test_no_more_pages_and_results_go_together_than_the_window_has_room_for(
    kit: Any, room: int, calls: int
) -> None:
    session, state = await acted(kit, {"extract": [read], "judge": [judged]}, debate={"gate": "never"})
    session.reasoner.room = room
    await kit.update(evaluate, state, session)
    assert len(asked(session, "extract")) == calls
    judges = asked(session, "judge")
    assert len(judges) == calls and sum(1 + len(one.others) for one in judges) == 3


def test_a_call_has_as_many_parts_as_fit_it() -> None:
    assert [len(group) for group in grouped({str(n): 1 for n in range(20)}, 100)] == [MOST, MOST, 4]
    assert [*grouped({"a": 90, "b": 300, "c": 20}, 100)] == [["a", "b"], ["c"]]
    assert [*grouped({"a": 90, "b": 300, "c": 20}, 100, most=350)] == [["a"], ["b", "c"]]


EXTRACT = p.ExtractRequest("t", "Ada", (ADA,), others=(p.Pages("Bob", (BOB,)), p.Pages("Cid", ())))
RIGHT = {"text": "Bob was born.", "passage": "P2", "quote": "Bob was born in 1900", "score": 0.5}


@pytest.mark.parametrize(
    ("parts", "lost", "repaired"),
    [
        ([{"number": 2, "claims": [RIGHT], "summary": "s"}], [True, False, True], 2),
        ([{"number": n, "claims": [RIGHT], "summary": "s"} for n in (1, 2, 2)], [True, False, True], 2),
        ([{"number": n, "claims": [], "summary": ""} for n in (1, 2, 3)], [False, False, False], 0),
    ],
)
def test_a_wrong_part_of_a_reading_costs_that_part(parts: Any, lost: list[bool], repaired: int) -> None:
    reply = schemas.ExtractsWire.model_validate({"parts": parts})
    found = batched.extractions(reply, EXTRACT, numbered(batched.passages_of(EXTRACT)))
    assert [found.lost, *(one.lost for one in found.others)] == lost
    assert found.usage.repaired == repaired
    assert not found.claims, "a claim on another part's page is none of the first"


def test_a_reply_without_any_part_is_refused() -> None:
    with pytest.raises(Unfit):
        batched.extractions(schemas.ExtractsWire(parts=[]), EXTRACT, numbered(batched.passages_of(EXTRACT)))
    with pytest.raises(Unfit):
        batched.judgments(schemas.JudgesWire(judgments=[]), JUDGE)


JUDGE = p.JudgeRequest(
    "t", "one", "r1", "e", (ADA,), rubric=("support",), others=(p.Judged("two", "r2", "e"),)
)


def test_a_wrong_judgment_costs_that_one() -> None:
    good = schemas.ReasonWire(criterion="Support", score=0.5, reason="so")
    strange = schemas.ReasonWire(criterion="style", score=0.5, reason="so")
    rows = [
        schemas.JudgedWire(number=1, reasons=[strange], value=0.9, confidence=0.9),
        schemas.JudgedWire(number=2, reasons=[good], value=0.4, confidence=0.8),
        schemas.JudgedWire(number=7, reasons=[good], value=0.4, confidence=0.8),
    ]
    found = batched.judgments(schemas.JudgesWire(judgments=rows), JUDGE)
    assert found.lost and not found.others[0].lost and found.others[0].value == 0.4
    assert found.usage.repaired >= 1


async def test_who_answers_one_request_at_a_time_is_asked_one_at_a_time(kit: Any) -> None:
    session, state = await acted(kit, {"extract": [read], "judge": [judged]}, together=False)
    assert not any(outcome.get("unread") for outcome in state["outcomes"].values())
    await kit.update(evaluate, state, session)
    assert len(asked(session, "extract")) == 3
    assert all(request.others == () for method in ("extract", "judge") for request in asked(session, method))
