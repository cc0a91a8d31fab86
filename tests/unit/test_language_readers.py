"""Replies become records: actions, sources, edges and quotes are checked by code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from ddax.actions.search import SearchArguments
from ddax.reasoning import protocol as p
from ddax.reasoning.language.quote import numbered
from ddax.reasoning.language.replies import grounding, planned, schemas
from ddax.reasoning.language.replies.schemas import Unfit
from ddax.reasoning.prompts import source
from ddax.types import Passage

PASSAGE = Passage("m1", "a.txt", "A", "Ada Lovelace was born in 1815 in London.")
NAMED = numbered([PASSAGE])
REQUEST = p.ExpandRequest(
    task="t", idea="i", depth=1, evidence=(), hits=(PASSAGE,), read=(), actions=("search", "visit", "think")
)
SOURCES = {"S1": "a.txt"}


def child(action="search", args=None, needs=(), **more):
    made = None
    if action:
        given_args = {"query": "x"} if args is None else args
        pairs = [schemas.ArgumentWire(name=k, value=v) for k, v in given_args.items()]
        made = schemas.ActionWire(name=action, args=pairs, intent="why")
    fields = {"title": "t", "expected": "e", "prior": 0.5, **more}
    return schemas.ChildWire(action=made, needs=list(needs), **fields)


def expand(*children, request=REQUEST, models=None):
    return planned.expansion(schemas.ExpandWire(children=list(children)), request, SOURCES, models or {})


def test_a_plan_is_read_with_its_edges_and_sources():
    found = expand(child(), child("visit", {"source": "S1"}, needs=[0, 0]), child(None))
    assert [c.action and c.action["args"] for c in found.children] == [
        {"query": "x"},
        {"source": "a.txt"},
        None,
    ]
    assert found.children[1].needs == (0,)


def test_what_a_plan_reads_out_of_the_task_is_handed_on():
    reply = schemas.ExpandWire(children=[child()], requirements=["answer in one word"])
    assert planned.expansion(reply, REQUEST, SOURCES, {}).requirements == ("answer in one word",)


def test_an_empty_plan_says_nothing_is_left():
    assert expand().children == ()


@pytest.mark.parametrize(
    ("children", "why"),
    [
        ([child("save", {"text": "x"})], "no action 'save'"),
        ([child("visit", {"source": "http://evil.example/x"})], "names no source"),
        ([child("delete"), child("visit", {"source": "S2"})], "no action 'delete'"),
    ],
)
def test_a_plan_of_which_nothing_is_left_is_refused(children, why):
    with pytest.raises(Unfit, match=why):
        expand(*children, request=_with(actions=("visit", "think")))


@pytest.mark.parametrize(
    ("bad", "becomes"),
    [
        (child("delete", title="Find it"), ("search", {"query": "x"})),
        (child("web_browse", {"q": "Ada"}), ("search", {"query": "Ada"})),
        (child("Search"), ("search", {"query": "x"})),
        (child("visit", {"source": "S2"}, title="Ada"), ("search", {"query": "Ada"})),
        (child("visit", {}, title="Ada"), ("search", {"query": "Ada"})),
        (child("visit", {"source": "S1: a.txt"}), ("visit", {"source": "a.txt"})),
        (child("visit", {"source": "a.txt"}), ("visit", {"source": "a.txt"})),
        (child("visit", {"url": "S1"}), ("visit", {"source": "a.txt"})),
        (child(args={"q": "Ada"}), ("search", {"query": "Ada"})),
        (child(args={"query": "x", "url": "y"}), ("search", {"query": "x"})),
        (child(args={}, title="Ada"), ("search", {"query": "Ada"})),
    ],
)
def test_what_a_child_means_is_done_or_searched_for_and_counted(bad, becomes):
    found = expand(bad, child(None, title="rest"))
    assert (found.children[0].action["name"], found.children[0].action["args"]) == becomes
    assert (len(found.children), found.usage.repaired) == (2, int(bad.action.args[:1] != ["S1"]))


MAIL = {"mail": type("Mail", (BaseModel,), {"__annotations__": {"to": str, "text": str}})}


@pytest.mark.parametrize(
    "args", [{"to": "a", "text": "b", "only_if": "she agrees"}, {"to": "a"}, {"whom": "a", "text": "b"}]
)
def test_an_action_that_changes_something_is_done_as_it_was_said_or_left_out(args):
    request = _with(actions=("search", "mail"))
    found = expand(child("mail", args), child(), request=request, models=MAIL)
    assert [c.action["name"] for c in found.children] == ["search"]
    assert found.usage.repaired == 1


@pytest.mark.parametrize(
    ("needs", "kept"),
    [
        ([[0], []], [(), ()]),
        ([[-1], [0]], [(), (0,)]),
        ([[5], [0, 7]], [(), (0,)]),
        ([[1], [0]], [(), (0,)]),
        ([[1], [2], [0], []], [(), (2,), (0,), ()]),
    ],
)
def test_an_edge_without_sense_is_dropped_and_counted(needs, kept):
    found = expand(*[child(None, needs=each) for each in needs])
    assert [c.needs for c in found.children] == kept
    assert found.usage.repaired == sum(map(len, needs)) - sum(map(len, kept))


def test_edges_follow_their_children_where_others_are_left_out():
    request = _with(actions=("think",))
    found = expand(
        child("delete"), child(None), child(None, needs=[0, 1]), child(None, needs=[2]), request=request
    )
    assert ([c.needs for c in found.children], found.usage.repaired) == ([(), (0,), (1,)], 2)


def test_a_plan_wider_than_allowed_keeps_its_first_children():
    assert len(expand(*[child()] * 9).children) == REQUEST.width


def _with(**changes):
    return p.ExpandRequest(**{**vars(REQUEST), **changes})


def test_a_plan_that_only_searches_is_gone_on_from_within_its_width():
    *searches, on = expand(child(), child("think", {"about": "x"}), child()).children
    assert (len(searches), on.title, on.action, on.needs) == (3, p.GO_ON, None, (0, 2))
    *searches, on = expand(*[child()] * 5).children
    assert (len(searches), on.needs) == (4, (0, 1, 2, 3))


@pytest.mark.parametrize(
    ("children", "request_"),
    [
        ([child(), child(None, needs=[0])], REQUEST),
        ([child(), child("visit", {"source": "S1"})], REQUEST),
        ([child("think", {"about": "x"})], REQUEST),
        ([child()], _with(actions=("search", "think"))),
        ([child()], _with(reads_left=0)),
        ([child()], _with(depth=5)),
        ([child()], _with(width=1)),
        ([*[child()] * 4, child("think", {"about": "x"})], REQUEST),
        ([child(), child(needs=[2]), child()], _with(width=3)),
    ],
    ids=["planned", "read", "no search", "no visit", "no reads", "deep", "one", "full", "needed"],
)
def test_a_plan_that_reads_or_cannot_is_left_as_it_is(children, request_):
    found = expand(*children, request=request_).children
    assert [c.title for c in found] == ["t"] * len(children)


def test_a_kept_child_does_not_need_one_that_was_cut():
    found = expand(child(None, needs=[5]), *[child(None)] * 6)
    assert (found.children[0].needs, found.usage.repaired) == ((), 1)


def test_at_the_deepest_level_and_without_reads_left_the_plan_is_bounded():
    [found] = expand(child(None, title="Ada"), request=_with(depth=5)).children
    assert found.action["args"] == {"query": "Ada"}
    with pytest.raises(Unfit, match="needs an action"):
        expand(child(None), request=_with(depth=5, actions=("think",)))
    visit = child("visit", {"source": "S1"})
    with pytest.raises(Unfit, match="than the 0"):
        expand(visit, request=_with(reads_left=0))
    found = expand(visit, visit, child("think", {"about": "x"}), request=_with(reads_left=1))
    assert [c.action["name"] for c in found.children] == ["visit", "think"]


def test_arguments_are_typed_by_the_model_of_the_action():
    models = {"search": SearchArguments}
    found = expand(child(args={"query": "12", "k": "3"}), models=models)
    assert found.children[0].action["args"] == {"query": "12", "k": 3}
    with pytest.raises(Unfit, match="k: "):
        expand(child(args={"query": "x", "k": "many"}), models=models)


@given(st.lists(st.lists(st.integers(-1, 5), max_size=3), max_size=5))
def test_every_plan_that_is_read_is_acyclic(edges):
    try:
        found = expand(*[child(needs=needs) for needs in edges])
    except Unfit:
        return
    done = set()
    for _ in found.children:
        done |= {i for i, c in enumerate(found.children) if done.issuperset(c.needs)}
    assert done == set(range(len(found.children)))


def claim(quote, passage="P1", score=0.5):
    return schemas.ClaimWire(text="c", passage=passage, quote=quote, score=score)


def test_a_claim_without_its_quote_is_dropped_and_the_best_come_first():
    request = p.ExtractRequest("t", "birth", (PASSAGE,), limit=2)
    claims = [claim("born in 1816"), claim("in London", score=0.2), claim("born in 1815", score=0.9)]
    found = grounding.extraction(schemas.ExtractWire(claims=claims, summary="s"), request, NAMED)
    assert [c.citation.quote for c in found.claims] == ["born in 1815", "in London"]
    none = grounding.extraction(
        schemas.ExtractWire(claims=[claim("x y z", "P9")], summary="lie"), request, NAMED
    )
    assert none.claims == ()
    assert "lie" not in none.summary


def test_an_argument_without_a_valid_quote_has_no_strength():
    cited = schemas.CitationWire(passage="P1", quote="born in 1815")
    assert (
        grounding.argument(schemas.ArgueWire(text="a", citations=[cited], strength=0.8), NAMED).strength
        == 0.8
    )
    wrong = schemas.CitationWire(passage="P1", quote="born in 1915")
    found = grounding.argument(schemas.ArgueWire(text="a", citations=[wrong], strength=0.8), NAMED)
    assert (found.strength, found.citations) == (0.0, ())


def test_a_judgment_has_the_criteria_of_the_rubric_once_each():
    request = p.JudgeRequest("t", "i", "r", "e", (), rubric=("support", "coverage"))
    reasons = [schemas.ReasonWire(criterion=c, score=0.5, reason="r") for c in ("coverage", "support")]
    found = grounding.judgment(schemas.JudgeWire(reasons=reasons, value=0.4, confidence=0.9), request)
    assert [name for name, _, _ in found.reasons] == ["support", "coverage"]
    loose = [
        schemas.ReasonWire(criterion=c, score=0.5, reason="r") for c in ("Coverage", "coverage", "style")
    ]
    found = grounding.judgment(schemas.JudgeWire(reasons=loose, value=0.4, confidence=0.9), request)
    assert (found.value, [name for name, _, _ in found.reasons]) == (0.4, ["coverage"])
    assert found.usage.repaired == 4  # a name in another case, one twice, a strange one, a missing one
    for bad in (loose[2:], []):
        with pytest.raises(Unfit, match="criteria"):
            grounding.judgment(schemas.JudgeWire(reasons=bad, value=0.4, confidence=0.9), request)


def test_a_lesson_has_at_most_100_words():
    assert grounding.lesson(schemas.ReflectWire(text=" a  lesson ")).text == "a lesson"
    long = grounding.lesson(schemas.ReflectWire(text="Look first. " + "w " * 101))
    assert (long.text, long.usage.repaired) == ("Look first.", 1)
    assert grounding.lesson(schemas.ReflectWire(text="w " * 101)).text.split() == ["w"] * 100
    with pytest.raises(Unfit, match="no words"):
        grounding.lesson(schemas.ReflectWire(text=" "))


def test_patches_that_change_nothing_or_repeat_are_left_out():
    codes = ["x = 1\n", "x = 2", "x = 2\n", "x = 3", "x = 4"]
    reply = schemas.PatchesWire(
        candidates=[schemas.CandidateWire(hypothesis="h", reasoning="r", code=c) for c in codes]
    )
    assert [c.code for c in grounding.patches(reply, "x = 1", 2).candidates] == ["x = 2", "x = 3"]


@pytest.mark.parametrize(
    ("code", "read"),
    [
        ("```python\nx = 2\n```", "x = 2\n"),
        ("\n```\nx = 2\n\ny = 3\n```\n", "x = 2\n\ny = 3\n"),
        ('x = """\n```python\n```\n"""\n', 'x = """\n```python\n```\n"""\n'),
        ("```python\nx = 2", "x = 2\n"),
    ],
)
def test_a_program_is_read_without_the_fence_around_it(code, read):
    reply = schemas.PatchesWire(candidates=[schemas.CandidateWire(hypothesis="h", reasoning="r", code=code)])
    assert [c.code for c in grounding.patches(reply, "x = 1", 2).candidates] == [read]
    assert not grounding.patches(reply, read, 2).candidates


def test_the_prompt_asks_for_a_lesson_that_is_read():
    assert f"at most {p.LESSON_WORDS} words" in source("reflect")


TWO = {
    "P1": Passage("m1", "a.txt", "A", "The pier was built in 1902. Dogs are welcome."),
    "P2": Passage("m2", "b.txt", "B", "The mill was built in 1911. Dogs are welcome."),
    "P3": Passage("m3", "b.txt", "B", "The mill was built in 1911. It grinds rye."),
}


@pytest.mark.parametrize(
    ("name", "quote", "source"),
    [
        ("P1", "The pier was built in 1902.", "a.txt"),
        ("P1: A", "The pier was built in 1902.", "a.txt"),
        ("p1", "The pier was built in 1902.", "a.txt"),
        ("P1", "The mill was built in 1911.", "b.txt"),
        ("P9", "The mill was built in 1911.", "b.txt"),
        ("P2", "Dogs are welcome.", "b.txt"),
        ("P9", "Dogs are welcome.", None),  # it stands in both
        ("P1", "The mill was built in 1902.", None),
    ],
)
def test_a_quote_under_a_wrong_name_is_cited_where_it_alone_stands(name, quote, source):
    found = grounding.citations([schemas.CitationWire(passage=name, quote=quote)], TWO)
    assert [one.source for one in found] == ([source] if source else [])
    claims = [schemas.ClaimWire(text="c", passage=name, quote=quote, score=0.5)]
    request = p.ExtractRequest("t", "i", tuple(TWO.values()))
    read = grounding.extraction(schemas.ExtractWire(claims=claims, summary="s"), request, TWO)
    assert [one.citation.source for one in read.claims] == ([source] if source else [])
