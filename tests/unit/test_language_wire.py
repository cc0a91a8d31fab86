"""Replies fit their schema or are refused with a reason; schemas hold what providers take."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.reasoning.language.provider.openai_wire import Narrow, form_of, narrowed
from ddax.reasoning.language.replies import document, schemas
from ddax.reasoning.language.replies.parsing import parse, read_reply
from ddax.reasoning.language.replies.schemas import Unfit, schema_of
from tests.cases import cases

GOOD = {
    "expand": (
        schemas.ExpandWire,
        {
            "children": [
                {
                    "title": "Find it",
                    "expected": "A page {with} braces",
                    "prior": 0.5,
                    "action": {"name": "search", "args": [{"name": "query", "value": "x"}], "intent": "i"},
                    "needs": [],
                }
            ],
            "requirements": ["at most 5 words"],
        },
    ),
    "judge": (
        schemas.JudgeWire,
        {"reasons": [{"criterion": "c", "score": 1, "reason": "r"}], "value": 0.5, "confidence": 1},
    ),
    "merge": (
        document.MergeWire,
        {"quotes": [{"passage": "P1", "quote": "q"}], "found": True, "answer": "t [1]", "short": ""},
    ),
    "extract": (
        schemas.ExtractWire,
        {"claims": [{"text": "t", "passage": "P1", "quote": "q", "score": 0.1}], "summary": "s"},
    ),
    "patches": (
        schemas.PatchesWire,
        {"candidates": [{"hypothesis": "h", "reasoning": "r", "code": "x = '}'"}]},
    ),
}


@pytest.mark.parametrize("name", GOOD)
def test_a_good_reply_is_read_alone_fenced_and_with_words_around_it(name):
    model, value = GOOD[name]
    text = json.dumps(value)
    for form in (text, f"```json\n{text}\n```", f"\ufeffHere it is: {text} Done."):
        assert parse(form, model).model_dump() == value


@cases("around")
@pytest.mark.parametrize("name", GOOD)
def test_a_reply_is_found_among_words_with_braces_of_their_own(name, around):
    model, value = GOOD[name]
    assert parse(around.replace("{}", json.dumps(value)), model).model_dump() == value


@pytest.mark.parametrize("thought", ['<think>Is {"text": "a"} fine?</think>\n', "It is {short}.</think>"])
@pytest.mark.parametrize("name", GOOD)
def test_thoughts_before_a_reply_are_left_out(name, thought):
    model, value = GOOD[name]
    assert parse(thought + json.dumps(value), model).model_dump() == value
    assert parse(f"{thought}```json\n{json.dumps(value)}\n```", model).model_dump() == value


@pytest.mark.parametrize("form", ["{}", "```json\n{}\n```", " {} "])
def test_words_of_a_reply_that_look_like_the_end_of_thoughts_stay(form):
    text = json.dumps({"text": "What is </think> {for}?"})
    assert parse(form.replace("{}", text), schemas.AskWire).text == "What is </think> {for}?"


def test_a_reply_behind_words_is_read_where_it_says_the_end_of_thoughts():
    text = json.dumps({"text": "What is </think> for?"})
    assert parse(f"Here it is: {text}", schemas.AskWire).text == "What is </think> for?"


def test_a_plan_may_leave_out_that_the_task_demands_nothing():
    assert parse('{"children": []}', schemas.ExpandWire).requirements == []


@pytest.mark.parametrize("name", GOOD)
def test_of_a_reply_cut_at_any_character_only_whole_parts_are_read(name):
    model, value = GOOD[name]
    text = json.dumps(value)
    whole = parse(text, model).model_dump()
    parts = next((key for key, part in whole.items() if isinstance(part, list)), "")
    for size in range(len(text)):
        try:
            found = read_reply(text[:size], model, cut=True)
        except Unfit:
            continue
        assert found.mended
        assert found.found.model_dump()[parts] == whole[parts]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no JSON object"),
        ("I cannot help with that.", "no JSON object"),
        ('{"text": "a", "text": "b"}', "twice"),
        ('{"texts": "a", "more": 1}', "text: Field required; texts: Extra inputs"),
        ('{"text": {"of": "two"}}', "text: Input should be a valid string"),
        ('{"text": ""}', "at least 1 character"),
        ('{"text": "\\ud800"}', "text:"),
        ('{"text": "a"} {"text": "b"}', "not valid JSON"),
        ("{}", "text: Field required"),
        ('{"text": ' + "[" * 100_000 + "]" * 100_000 + "}", "JSON"),
        ('{"text": "' + "x" * 300_000 + '"}', "at most"),
        ("{" + '"a":' * 5 + "1}", "not valid JSON"),
        ('{"text": ' + "9" * 5000 + "}", "JSON"),
    ],
)
def test_a_bad_reply_is_refused_with_its_reason(text, why):
    with pytest.raises(Unfit, match=why):
        parse(text, schemas.AskWire)


def test_what_stands_beside_the_fields_of_a_reply_is_left_out():
    found = parse('{"reasoning": {"text": "hm"}, "text": "a", "confidence": 0.4}', schemas.AskWire)
    assert found == schemas.AskWire(text="a")


def test_beside_the_fields_of_a_plan_no_list_may_stand_that_could_be_its_demands():
    assert parse('{"children": [], "thought": "hm"}', schemas.ExpandWire).children == []
    named = parse('{"children": [], "requirement": ["at most 3 words"]}', schemas.ExpandWire)
    assert named.requirements == ["at most 3 words"]
    with pytest.raises(Unfit, match="limits: Extra inputs"):
        parse('{"children": [], "limits": ["at most 3 words"]}', schemas.ExpandWire)


def test_a_key_too_many_inside_a_reply_is_refused():
    action = {"name": "save", "args": [], "intent": "i", "only_if": "a human agrees"}
    child = {"title": "t", "expected": "e", "prior": 0.5, "action": action, "needs": []}
    with pytest.raises(Unfit, match="only_if: Extra inputs"):
        parse(json.dumps({"children": [child]}), schemas.ExpandWire)


def test_a_short_answer_that_is_none_is_left_out():
    sentence = {"text": "t", "citations": []}
    found = read_reply(
        json.dumps({"sentences": [sentence], "found": True, "short": "x" * 2000}), document.MergeWire
    )
    assert (found.found.short, found.mended) == ("", 2)


def test_of_two_objects_the_one_without_keys_too_many_is_the_reply():
    assert parse('Draft: {"text": "a", "draft": true}. Reply: {"text": "b"}', schemas.AskWire).text == "b"


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "1e999", "-3", "7", "1000", '"high"', "true", "null", "[]"]
)
def test_a_number_far_out_of_range_or_of_another_type_is_refused(number):
    with pytest.raises(Unfit):
        parse(f'{{"expected": "e", "confidence": {number}}}', schemas.PredictWire)


@given(st.text(max_size=100))
def test_no_text_does_more_than_be_refused(text):
    with pytest.raises(Unfit):
        parse(text, schemas.JudgeWire)


WIRES = [
    schemas.ExpandWire, schemas.PredictWire, schemas.ExtractWire, schemas.ArgueWire, schemas.JudgeWire,
    document.MergeWire,
    schemas.ReflectWire, schemas.PatchesWire, schemas.AskWire,
]  # fmt: skip


@pytest.mark.parametrize("model", WIRES)
def test_a_schema_is_strict_and_lean(model):
    def walk(node):
        if isinstance(node, dict):
            if node.get("type") == "object":
                assert node["additionalProperties"] is False
                assert node["required"] == list(node["properties"])
                for value in node["properties"].values():
                    assert not {"minimum", "maximum", "maxLength", "minLength", "default"} & set(value)
            for value in node.values():
                walk(value)
        elif isinstance(node, list):
            for value in node:
                walk(value)

    schema = schema_of(model)
    assert schema["title"] == model.__name__.removesuffix("Wire").lower()
    walk(schema)


def test_a_grammar_leaves_a_small_model_every_name_and_the_demands_of_the_task():
    offered = {"ActionWire.name": ("mail", "save"), "ArgumentWire.name": ["to", "text", "text", "title"]}
    form = narrowed(form_of(schemas.ExpandWire, named=True), offered, Narrow(items=3, text=80, code=90))
    schema = form["json_schema"]["schema"]
    assert schema["$defs"]["ArgumentWire"]["properties"]["name"] == {"enum": ["to", "text", "title"]}
    assert schema["$defs"]["ChildWire"]["properties"]["needs"]["maxItems"] == 0
    demands = schema["properties"]["requirements"]
    assert (demands["items"], demands["maxItems"]) == ({"type": "string", "maxLength": 80}, 3)


def test_a_property_called_title_stays_in_the_schema():
    assert "title" in schema_of(schemas.ExpandWire, named=True)["$defs"]["ChildWire"]["properties"]
    assert "title" in schema_of(schemas.ExpandWire)["properties"]["children"]["items"]["properties"]


@pytest.mark.parametrize(
    "model", [schemas.ExpandWire, schemas.PlansWire, schemas.ExtractWire, schemas.JudgeWire]
)
def test_a_schema_holds_no_word_that_is_only_for_readers_of_the_code(model):
    text = json.dumps(schema_of(model))
    assert "description" not in text and "$defs" not in text and "$ref" not in text
