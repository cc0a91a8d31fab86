"""Replies in the forms models write them: read as a person would, part by part, and counted."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.reasoning.language.replies import document, schemas
from ddax.reasoning.language.replies.loose_json import Broken, read_at
from ddax.reasoning.language.replies.parsing import parse, read_reply
from ddax.reasoning.language.replies.schemas import Unfit
from tests.cases import cases

ACTION = {"name": "search", "args": [{"name": "query", "value": "Ada"}], "intent": "birth"}
CHILD = {"title": "Find it", "expected": "a page", "prior": 0.5, "action": ACTION, "needs": []}
PLAN = {"children": [CHILD, {**CHILD, "title": "Read it", "needs": [0]}], "requirements": []}
JUDGED = {
    "reasons": [{"criterion": "support", "score": 0.5, "reason": "r"}], "value": 0.8, "confidence": 0.9
}  # fmt: skip


@cases("text")
def test_a_forecast_is_read_in_whatever_form_and_counted(text):
    found = read_reply(text, schemas.PredictWire)
    assert found.found == schemas.PredictWire(expected="a page", confidence=0.8)
    assert found.mended >= 1


def test_a_reply_in_its_own_form_counts_as_nothing_mended():
    assert read_reply(json.dumps(PLAN), schemas.ExpandWire).mended == 0


@cases("text", "said")
def test_a_text_is_read_as_it_was_meant(text, said):
    assert parse(text, schemas.AskWire).text == said


@pytest.mark.parametrize(
    "children",
    [
        {"child_1": CHILD, "child_2": {**CHILD, "title": "Read it", "needs": [0]}},
        [CHILD, {**CHILD, "title": "Read it", "needs": ["0"]}],
        [CHILD, {**CHILD, "title": "Read it", "needs": 0}],
        [CHILD, {**CHILD, "title": "Read it", "needs": ["Find it"]}],
        [CHILD, {**CHILD, "title": "Read it", "needs": "child 0"}],
        [{**CHILD, "needs": None}, {"title": "Read it", "action": ACTION, "depends_on": ["0"]}],
        [{**CHILD, "id": 1, "reason": "because"}, {**CHILD, "title": "Read it", "needs": [0]}],
        json.dumps(PLAN["children"]),
    ],
)
def test_a_plan_is_read_whatever_form_its_children_have(children):
    found = parse(json.dumps({"children": children}), schemas.ExpandWire)
    assert [(c.title, c.needs) for c in found.children][-1] == ("Read it", [0])


@cases("action")
def test_the_arguments_of_an_action_are_read_in_whatever_form(action):
    [child] = parse(json.dumps({"children": [{**CHILD, "action": action}]}), schemas.ExpandWire).children
    assert child.action == schemas.ActionWire.model_validate(ACTION)


def test_an_action_that_stands_flat_in_its_child_is_read():
    flat = {"title": "Find it", "action": "search", "args": {"query": "Ada"}, "intent": "birth"}
    [child] = parse(json.dumps({"children": [flat]}), schemas.ExpandWire).children
    assert child.action == schemas.ActionWire.model_validate(ACTION)
    assert (child.expected, child.needs) == ("Find it", [])


@pytest.mark.parametrize("nothing", [None, "", "none", {}, "null"])
def test_a_child_without_an_action_says_so_in_many_ways(nothing):
    [child] = parse(json.dumps({"children": [{**CHILD, "action": nothing}]}), schemas.ExpandWire).children
    assert child.action is None


@pytest.mark.parametrize(
    "bad",
    [
        {"expected": "no title", "prior": 0.5, "action": None, "needs": []},
        {**CHILD, "action": {**ACTION, "only_if": "a human agrees"}},
        {**CHILD, "until": "Monday"},
        {**CHILD, "action": 7},
        "",
        7,
        None,
    ],
)
def test_a_child_that_cannot_be_read_costs_that_child(bad):
    last = {**CHILD, "title": "c", "needs": [0, 1]}
    found = read_reply(json.dumps({"children": [CHILD, bad, last]}), schemas.ExpandWire)
    assert [c.title for c in found.found.children] == ["Find it", "c"]
    assert found.found.children[1].needs == [0, -1]  # the edge to what was left out points nowhere
    assert found.mended >= 1
    with pytest.raises(Unfit):
        parse(json.dumps({"children": [bad]}), schemas.ExpandWire)


@pytest.mark.parametrize(
    ("prior", "read"), [("50%", 0.5), ("0.5", 0.5), (50, 0.5), (7, 1.0), (0, 0.01), (-2, 0.01), (1.2, 1.0)]
)
def test_the_share_of_a_part_is_clipped(prior, read):
    found = read_reply(json.dumps({"children": [{**CHILD, "prior": prior}]}), schemas.ExpandWire)
    assert found.found.children[0].prior == read
    assert found.mended >= 1


@cases("reasons")
def test_the_criteria_of_a_judgment_are_read_in_whatever_form(reasons):
    found = parse(json.dumps({**JUDGED, "reasons": reasons}), schemas.JudgeWire)
    assert [(r.criterion, r.score) for r in found.reasons] == [("support", 0.5)]


@cases("citations")
def test_quotes_are_read_in_whatever_form(citations):
    said = {"sentences": [{"text": "t", "citations": citations}], "found": "true", "short": None}
    found = parse(json.dumps(said), document.MergeWire)
    assert found.quotes[0] == schemas.CitationWire(passage="P1", quote="q")
    assert (found.found, found.short) == (True, "")


def test_a_synthesis_of_plain_sentences_is_one_without_quotes():
    found = parse('{"sentences": ["It was built in 1902."]}', document.MergeWire)
    assert (found.answer.rstrip("\ue000\ue001"), found.quotes) == ("It was built in 1902.", [])
    flat = parse(
        '{"sentences": [{"text": "t", "passage": "P1", "quote": "q"}], "found": true}', document.MergeWire
    )
    assert flat.quotes == [schemas.CitationWire(passage="P1", quote="q")]


def test_a_claim_that_is_its_own_quote_is_read():
    found = parse(
        '{"claims": [{"claim": "Born in 1815", "source": "P1"}, {"score": 1}]}', schemas.ExtractWire
    )
    assert found.claims == [
        schemas.ClaimWire(text="Born in 1815", passage="P1", quote="Born in 1815", score=0.5)
    ]


@pytest.mark.parametrize("size", [1, 40, 200, 10_000])
def test_a_program_that_is_cut_off_is_not_read(size):
    whole = {"hypothesis": "h", "reasoning": "r", "code": "x = 1\n"}
    text = json.dumps({"candidates": [whole, {**whole, "code": "y = 2\n" * size}]})
    for cut in (True, False):
        found = read_reply(text[:-20], schemas.PatchesWire, cut=cut).found
        assert [c.code for c in found.candidates] == ["x = 1\n"]
    with pytest.raises(Unfit):
        read_reply(
            json.dumps({"candidates": [{**whole, "code": "y = 2\n" * size}]})[:-6], schemas.PatchesWire
        )


def test_an_action_that_is_cut_off_is_not_done():
    text = json.dumps({"children": [CHILD, {**CHILD, "title": "c"}]})
    for end in range(text.index('"c"'), len(text) - 3):
        found = read_reply(text[:end], schemas.ExpandWire, cut=True).found
        assert [c.title for c in found.children] == ["Find it"]


def test_a_reply_that_ended_within_its_thoughts_says_so():
    with pytest.raises(Unfit, match="within its thoughts"):
        parse('<think>Is it {"text": "a"}? Let me', schemas.AskWire)


def test_of_two_different_objects_none_is_chosen():
    with pytest.raises(Unfit):
        parse("{'text': 'a'} or {'text': 'b'}", schemas.AskWire)
    assert parse("{'text': 'a'} that is {'text': 'a'}", schemas.AskWire).text == "a"


@cases("text", "value")
def test_json_with_slips_is_read(text, value):
    found = read_at(text, 0)
    assert found.value == value
    assert found.mended >= 1


@given(st.text(alphabet="{}[]\",:\\ntrue01a'# /*-.%", max_size=60))
def test_loose_json_is_read_or_refused_and_never_anything_else(text):
    for start in (n for n, sign in enumerate(text) if sign in "{["):
        try:
            found = read_at(text, start)
        except Broken:
            continue
        assert start < found.end <= len(text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda x: st.lists(x, max_size=3) | st.dictionaries(st.text(max_size=4), x, max_size=3),
    )
)
def test_sound_json_is_read_as_it_is(value):
    text = json.dumps([value])
    found = read_at(text, 0)
    assert (found.value, found.end, found.mended) == ([value], len(text), 0)
