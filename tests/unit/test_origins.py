"""Where data come from: by address, by word, through merges, and what an idea keeps of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.actions.protocol import ActionContext, ActionResult
from ddax.actions.registry import action
from ddax.graph.routing import leaf_packet
from ddax.ideas.origins import MAX_NAMED, MEMORY, join, kind_of, of_foreign, of_record, of_source, read, trace
from ddax.nodes.act import act
from ddax.nodes.expand import expand
from ddax.nodes.merge import merge
from ddax.reasoning import protocol as p
from ddax.steps.leaves.permission import asked
from ddax.types import ActionCall, Document, Idea, Record

TOLD = "Send 100 to GB29NWBK60161331926819 and read https://example.org/a?b=1 please"
CONTEXT = frozenset({"model", "file", "web:example.org"})


@pytest.mark.parametrize(
    ("source", "origin"),
    [
        ("https://Example.org:8443/x", "web:example.org"),
        ("http://[::1]/", "web:::1"),
        ("http://[broken", "web:*"),
        ("/home/me/notes.md", "file"),
        ("notes.md", "file"),
        ("python:json.dumps", "web:python"),
        ("tool:bank", "tool:bank"),
    ],
)
def test_an_address_says_where_it_leads(source: str, origin: str) -> None:
    assert of_source(source) == {origin}


def test_a_row_says_it_itself_or_by_its_writer() -> None:
    assert of_record(Record("observation", "x", source="https://a.example/")) == {"web:a.example"}
    assert of_record(Record("internal_thought", "x")) == {"memory"}
    assert of_record(Record("internal_thought", "x", writer="human:Ada")) == {"user"}
    stamped = Record("internal_thought", "x", meta={"origins": ["file", "web:a.example"]})
    assert of_record(stamped) == {"file", "web:a.example"}
    assert kind_of("who knows") == "tool", "what is unknown is trusted least"


@pytest.mark.parametrize(
    ("value", "origins"),
    [
        ("GB29NWBK60161331926819", {"user"}),
        ("https://example.org/a?b=1", {"user"}),
        (100, {"user"}),
        (["please", 100], {"user"}),
        ("please send", {"model"}),
        ("open secrets", CONTEXT),
        ("read harbour", {"model", "web:public.example"}),
        (1000, CONTEXT),
        ("https://evil.example/?q=secret", CONTEXT),
        ({"to": "GB29NWBK60161331926819", "note": "stolen"}, {"user", *CONTEXT}),
        (True, set()),
        (None, set()),
        ("", set()),
        ("harbour?\U0001f630\U0001f639", CONTEXT | {"web:public.example"}),
        ("harbour\u200b\u200c\u200b", CONTEXT | {"web:public.example"}),
        ("harbour\u2003\u2002", CONTEXT | {"web:public.example"}),
        ("read\ufe0f\ufe01", CONTEXT),
        ("\U0001f630\U0001f639", CONTEXT),
        ("\u201cread\u201d (harbour) \u2013 please\u2026", {"model", "web:public.example"}),
        ("\uff1f", set()),
    ],
)
def test_an_argument_carries_where_its_words_come_from(value: Any, origins: set[str]) -> None:
    public = {"web:public.example": "A harbour of the north."}
    assert trace(value, told=TOLD, public=public, context=CONTEXT) == origins


def test_signs_that_are_no_words_are_known_where_they_were_told_or_read() -> None:
    told, public = "Look up \u2603 5 \u20ac", {"web:a.example": "A \U0001f389\U0001f38a day"}

    def traced(value: str) -> frozenset[str]:
        return trace(value, told=told, public=public, context=CONTEXT)

    assert traced("\u2603 5 \u20ac") == {"user"}
    assert traced("\u20ac 5 day") == {"model", "web:a.example"}
    assert traced("day \U0001f389\U0001f38a") == {"model", "web:a.example"}
    assert traced("day \U0001f38a\U0001f389") == CONTEXT | {"web:a.example"}


names = st.sampled_from(["user", "model", "file", "memory", "code", *(f"web:{n}.example" for n in range(12))])


@given(st.lists(st.frozensets(names)))
def test_origins_join_as_sets_and_an_idea_keeps_few(parts: list[frozenset[str]]) -> None:
    whole = join(*parts)
    assert whole == join(*reversed(parts)) == join(whole, *parts)
    kept = read(whole)
    assert len(kept) <= MAX_NAMED + 4
    assert {kind_of(name) for name in kept} == {kind_of(name) for name in whole} - {"user", "model"}
    assert read(kept) == kept


async def test_what_a_leaf_read_goes_through_merge_and_into_the_next_plan(kit: Any) -> None:
    plan = p.Expansion((kit.leaf("Trondby", "visit", source="Trondby"), kit.inner("more", 0)))
    later = p.Expansion((kit.leaf("send"),))
    script = {"expand": [plan, later], "extract": [p.Extraction((), "read")], "merge": [kit.synthesis()]}
    session = kit.session(script)
    state = await kit.after(expand, await kit.opened(session, focus=["0"], step=1), session)
    assert "origins" not in state["ideas"]["0.1"], "nothing was read when it was planned"
    update = await kit.update(act, leaf_packet({**state, "step": 2}, "0.1"), session)
    state = kit.reduced({**state, "step": 3}, update)
    assert state["ideas"]["0.1"]["origins"] == ["file"]
    after = await kit.after(expand, {**state, "focus": ["0.2"]}, session)
    assert after["ideas"]["0.2.1"]["origins"] == ["file"]
    done = {**state, "ideas": {**state["ideas"], "0.2": {**state["ideas"]["0.2"], "status": "failed"}}}
    merged = await kit.after(merge, {**done, "focus": ["0.3"]}, session)
    assert merged["ideas"]["0.3"]["origins"] == merged["ideas"]["0"]["origins"] == ["file"]
    (thought,) = await session.memory.get(merged["ideas"]["0.3"]["evidence"][:1])
    assert of_record(thought) == {"file"}


@action(effect="reads")
async def fetch(context: ActionContext, url: str) -> ActionResult:
    """Ask somebody outside."""
    page = Document(url, url, url, "The harbour was built in 1712.")
    kept = Record(
        "observation", page.text, source=url, task=context.task, idea=context.idea, step=context.step
    )
    return ActionResult("read", records=(kept,), pages=(page,), sources=(url,))


@pytest.mark.parametrize(
    ("url", "before", "ruling"),
    [
        ("https://named.example/", ("file", "web:x.example"), "allow"),
        ("https://evil.example/?q=secret", ("web:x.example",), "allow"),
        ("https://evil.example/?q=secret", ("file",), "ask"),
        ("https://evil.example/?q=secret", ("memory", "web:x.example"), "ask"),
        ("harbour built 1712", ("file", "web:x.example"), "allow"),
    ],
)
async def test_private_data_meet_no_way_out_unasked(kit: Any, url: str, before: Any, ruling: str) -> None:
    session = kit.session({}, actions=(fetch,))
    state = await kit.opened(session, "What does https://named.example/ say?")
    packet = kit.packet("0.1", "fetch", state=state, url="https://x.example/")
    await kit.update(act, packet, session)
    call = ActionCall(name="fetch", args={"url": url}, intent="")
    found = await asked(call, session, task=state["work"]["id"], before=before, protect=False)
    assert found.permission.ruling == ruling


async def test_a_failure_tells_in_the_words_of_the_other_side(kit: Any) -> None:
    session = kit.session({})
    state = await kit.opened(session)
    packet = {**kit.packet("0.1", "visit", state=state, source="gone.md"), "origins": ["web:a.example"]}
    update = await kit.update(act, packet, session)
    assert update["ideas"]["0.1"] | Idea(status="failed") == update["ideas"]["0.1"]
    assert update["ideas"]["0.1"]["origins"] == ["file", "web:a.example"]


@pytest.mark.parametrize(
    ("record", "wanted"),
    [
        (Record("internal_thought", "t", writer="human:ada"), {MEMORY}),
        (
            Record("internal_thought", "t", writer="human:ada", source="https://a.example/x"),
            {"web:a.example"},
        ),
        (
            Record("internal_thought", "t", writer="human:ada", meta={"origins": ["web:b.example"]}),
            {"web:b.example"},
        ),
        (Record("internal_thought", "t", meta={"origins": []}), {MEMORY}),
    ],
)
def test_a_row_from_elsewhere_is_never_the_word_of_the_user(record: Record, wanted: set[str]) -> None:
    assert of_foreign(record) == wanted
