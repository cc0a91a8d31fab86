"""The embedded reasoner: every request of the protocol, on small real texts and the real embedder."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import pytest

from ddax.errors import ReasonerError
from ddax.memory.embed.rows import Rows
from ddax.memory.embeddings import MiniLmEmbedder
from ddax.reasoning.embedded import EmbeddedReasoner, Policy
from ddax.reasoning.embedded.shown import MAX_WORDS
from ddax.reasoning.protocol import (
    ArgueRequest,
    Argument,
    AskRequest,
    CodeCandidate,
    ExpandRequest,
    ExtractRequest,
    Finding,
    JudgeRequest,
    MergeRequest,
    MutateRequest,
    Patches,
    PatchRequest,
    PredictRequest,
    ReflectRequest,
)  # fmt: skip
from ddax.types import ActionCall, Citation, Passage

ACTIONS = ("search", "visit", "save", "think")
MARY = (
    "The Tall Ship is a 1951 adventure film directed by Ellen Marsh. It was filmed on the coast of Wales. "
    "The score was written by a brass band."
)
ELLEN = (
    "Ellen Marsh (12 May 1909 – 3 June 1988) was a British film director. Marsh was born in Cardiff. "
    "She made nine films and later taught in Leeds."
)
BREAD = "Rye bread is a type of bread made with flour from rye grain. It is dense and keeps for a week."
TASK = "In which city was the director of The Tall Ship born?"


def page(
    source: str, title: str, text: str, *, start: int = 0, score: float = 0.5, prefix: str = ""
) -> Passage:
    return Passage(prefix + source, source, title, text, start, start + len(text), score)


SHIP = page("ship.md", "The Tall Ship", MARY, score=0.9)
DIRECTOR = page("ellen.md", "Ellen Marsh", ELLEN, score=0.3)
BARE = page("ship.md", "The Tall Ship", "The Tall Ship is a film of 1951. It was filmed on a coast.")
OTHER = page("bread.md", "Rye bread", BREAD, score=0.4)


def asked(
    *, hits: Sequence[Passage] = (), evidence: Sequence[Passage] = (), depth: int = 0, task: str = TASK,
    reads_left: int = 5, width: int = 5,
) -> ExpandRequest:  # fmt: skip
    read = tuple(dict.fromkeys(item.source for item in evidence))
    return ExpandRequest(
        task, task, depth, tuple(evidence), tuple(hits), read, ACTIONS, reads_left=reads_left, width=width
    )


async def test_a_root_searches_and_leaves_the_reading_to_an_inner_idea(reasoner: EmbeddedReasoner) -> None:
    children = (await reasoner.expand(asked())).children
    *searches, inner = children
    assert [child.action["name"] for child in searches if child.action] == ["search"] * len(searches)
    assert searches[0].action is not None
    assert searches[0].action["args"]["query"] == TASK
    assert inner.action is None
    assert inner.needs == tuple(range(len(searches)))
    assert all(child.prior > 0 and child.expected for child in children)


async def test_a_choice_searches_for_each_of_its_options(reasoner: EmbeddedReasoner) -> None:
    task = 'Which film came out first, "The Tall Ship" or "Night Market"?'
    children = (await reasoner.expand(asked(task=task))).children
    queries = [child.action["args"]["query"] for child in children if child.action]
    assert queries == [task, "The Tall Ship", "Night Market"]


async def test_the_first_layer_reads_in_parallel_and_then_follows(reasoner: EmbeddedReasoner) -> None:
    children = (await reasoner.expand(asked(hits=(OTHER, SHIP, DIRECTOR), depth=1))).children
    visits = [child.action["args"]["source"] for child in children if child.action]
    assert visits[0] == "ship.md"
    assert len(visits) == 2
    assert children[-1].action is None
    assert children[-1].needs == (0, 1)


async def test_what_was_read_names_the_next_document(reasoner: EmbeddedReasoner) -> None:
    named = page("ellen.md", "Ellen Marsh", ELLEN, prefix="mention:", score=1.0)
    more = [page(f"x{i}.md", f"Harbour {i}", "A harbour with ships and a city.", score=0.6) for i in range(6)]
    children = (await reasoner.expand(asked(hits=(*more, named), evidence=(SHIP,), depth=2))).children
    assert children[0].action == ActionCall(name="visit", args={"source": "ellen.md"}, intent=TASK)


async def test_where_nothing_links_the_finding_becomes_a_search(reasoner: EmbeddedReasoner) -> None:
    children = (await reasoner.expand(asked(hits=(OTHER,), evidence=(SHIP,), depth=2))).children
    assert children[0].action is not None
    assert children[0].action["name"] == "search"
    assert "Ellen Marsh" in children[0].action["args"]["query"]


@pytest.mark.parametrize("reads_left", [0, 1, 2, 5])
async def test_no_more_is_read_than_is_left(reasoner: EmbeddedReasoner, reads_left: int) -> None:
    children = (
        await reasoner.expand(asked(hits=(OTHER, SHIP, DIRECTOR), depth=1, reads_left=reads_left))
    ).children
    assert sum(child.action is not None for child in children) <= reads_left


async def test_nothing_new_gives_no_children(reasoner: EmbeddedReasoner) -> None:
    assert (await reasoner.expand(asked(hits=(SHIP,), evidence=(SHIP,), depth=3))).children == ()
    assert (await reasoner.expand(asked(depth=1))).children == ()


async def test_a_plan_that_read_without_a_search_and_led_nowhere_is_searched_on(
    reasoner: EmbeddedReasoner,
) -> None:
    request = asked(evidence=(BARE,), depth=1)
    first, *_ = (await reasoner.expand(request)).children
    assert first.action is not None and first.action["name"] == "search"
    searched = Finding("0.1", "search", "done", "nothing", action="search")
    assert (await reasoner.expand(replace(request, findings=(searched,)))).children == ()
    assert (await reasoner.expand(replace(request, depth=3))).children == ()


async def test_expansion_is_deterministic(reasoner: EmbeddedReasoner) -> None:
    request = asked(hits=(OTHER, SHIP, DIRECTOR), depth=1)
    again = EmbeddedReasoner(MiniLmEmbedder())
    assert await reasoner.expand(request) == await again.expand(request)


async def test_an_answer_is_short_cited_and_verbatim(reasoner: EmbeddedReasoner) -> None:
    shifted = page("ellen.md", "Ellen Marsh", ELLEN, start=700)
    asked = "Where was Ellen Marsh born?"
    reply = await reasoner.merge(MergeRequest(asked, asked, (), (SHIP, shifted), final=True))
    assert reply.found, (reply.support, reply.text)
    assert "Cardiff" in reply.text
    assert len(reply.text.split()) <= MAX_WORDS
    texts = {"ship.md": MARY, "ellen.md": " " * 700 + ELLEN}
    assert reply.citations
    assert all(texts[c.source][c.start : c.end] == c.quote for c in reply.citations)


async def test_a_question_the_sources_do_not_answer_is_refused(reasoner: EmbeddedReasoner) -> None:
    reply = await reasoner.merge(MergeRequest(TASK, TASK, (), (OTHER,), final=True))
    assert not reply.found
    assert reply.citations == ()
    assert reply.text.startswith("Not found in the sources")
    empty = await reasoner.merge(MergeRequest(TASK, TASK, (), (), final=True))
    assert (empty.found, empty.support) == (False, 0.0)
    assert "nothing read mentions Tall, Ship." in empty.text
    unnamed = await reasoner.merge(MergeRequest("Who built it?", "", (), (), final=True))
    assert unnamed.text == "Not found in the sources: nothing was read."


async def test_records_without_a_document_are_never_quoted(reasoner: EmbeddedReasoner) -> None:
    listing = Passage("1", "", "search: ship", "The Tall Ship: directed by Ellen Marsh, born in Rome.")
    reply = await reasoner.merge(MergeRequest(TASK, TASK, (), (listing,), final=True))
    assert not reply.found
    assert reply.citations == ()


async def test_a_role_is_found_by_its_verb(reasoner: EmbeddedReasoner) -> None:
    office = page("o.md", "Harbour office", "The harbour office is led by Anna Berg. It has 40 berths.")
    for task in ("Who leads the harbour office?", "Who is the leader of the harbour office?"):
        reply = await reasoner.merge(MergeRequest(task, task, (), (office,), final=True))
        assert (reply.found, reply.short) == (True, "Anna Berg")


async def test_a_branch_without_evidence_says_why_it_failed(reasoner: EmbeddedReasoner) -> None:
    failed = Finding("0.1", "read: Moon", "failed", "the page is gone")
    reply = await reasoner.merge(MergeRequest(TASK, "read", (failed,), ()))
    assert not reply.found
    assert "the page is gone" in reply.text
    cited = Finding(
        "0.2", "read", "done", "It is in Wales.", (Citation("a", "ship.md", "Ship", "Wales", 5, 10),)
    )
    assert (await reasoner.merge(MergeRequest(TASK, "read", (cited,), ()))).citations == cited.citations


async def test_claims_are_verbatim_and_best_first(reasoner: EmbeddedReasoner) -> None:
    shifted = page("ellen.md", "Ellen Marsh", ELLEN, start=40)
    found = await reasoner.extract(
        ExtractRequest(TASK, "Where was Ellen Marsh born?", (OTHER, shifted), limit=2)
    )
    assert found.claims[0].text == "Marsh was born in Cardiff."
    for claim in found.claims:
        quote = claim.citation
        assert ELLEN[quote.start - 40 : quote.end - 40] == quote.quote == claim.text
        assert 0 <= claim.score <= 1
    assert (await reasoner.extract(ExtractRequest(TASK, "x", ()))).claims == ()


async def test_debate_cites_and_uncited_words_move_nothing(reasoner: EmbeddedReasoner) -> None:
    evidence = (SHIP, DIRECTOR)
    support = await reasoner.argue(ArgueRequest(TASK, "proponent", "read", "Cardiff", "a city", evidence))
    doubt = await reasoner.argue(ArgueRequest(TASK, "opponent", "read", "Cardiff", "a city", evidence))
    assert support.citations
    assert 0 <= doubt.strength <= support.strength <= 1
    plain = JudgeRequest(TASK, "read", "Ellen Marsh was born in Cardiff.", "a city", evidence)
    base = (await reasoner.judge(plain)).value

    async def judged(role: str, argument: Argument) -> float:
        request = JudgeRequest(
            TASK, "read", plain.result, "a city", evidence, arguments=((role, argument),)
        )  # fmt: skip
        return (await reasoner.judge(request)).value

    assert await judged("proponent", Argument("Surely!", (), 1.0)) == base
    assert await judged("opponent", Argument("Weak.", support.citations, 1.0)) < base
    nothing = await reasoner.judge(JudgeRequest(TASK, "read", "Rye keeps for a week.", "a city", (OTHER,)))
    assert nothing.value < base
    assert {name for name, _, _ in nothing.reasons} == {"coverage", "support", "progress"}


async def test_results_judged_at_once_are_judged_as_one_by_one_and_embedded_together() -> None:
    asked: list[int] = []

    class Counted(MiniLmEmbedder):
        def embed(self, texts: Sequence[str]) -> Rows:
            asked.append(len(texts))
            return super().embed(texts)

    rubric = ("coverage", "support", "progress", "meets: a city is named")
    requests = [
        JudgeRequest(TASK, "read", result, "a city", evidence, rubric=rubric)
        for result in ("Ellen Marsh was born in Cardiff.", "Rye keeps for a week.", "")
        for evidence in ((SHIP, DIRECTOR), (OTHER,), ())
    ]
    together = await EmbeddedReasoner(Counted()).judge_all(requests)
    assert asked[0] > 10 and asked[1:] == [1] * len(asked[1:]) and len(asked) <= 3
    one = EmbeddedReasoner(MiniLmEmbedder())
    assert together == [await one.judge(request) for request in requests]
    assert await one.judge_all([]) == []


async def test_words_about_actions_lessons_and_questions(reasoner: EmbeddedReasoner) -> None:
    call = ActionCall(name="visit", args={"source": "ellen.md"}, intent=TASK)
    forecast = await reasoner.predict(PredictRequest(TASK, call, (DIRECTOR,)))
    assert "Ellen Marsh" in forecast.expected
    assert 0 < forecast.confidence < 1
    for kind in ("policy", "value"):
        lesson = await reasoner.reflect(ReflectRequest(TASK, "read: Moon", "a city", "nothing", 0.9, kind))
        assert "a city" in lesson.text
        assert "nothing" in lesson.text
        assert len(lesson.text.split()) <= 100
    question = await reasoner.ask(AskRequest(TASK, "The page is gone", ("Try again", "Go on without it")))
    assert question.text == "The page is gone. Shall I try again or go on without it?"


async def test_repair_needs_a_patcher() -> None:
    embedder = MiniLmEmbedder()
    request = PatchRequest("fix", "x = 1", ("t",))
    mutate = MutateRequest("fix", CodeCandidate("h", "x = 1", ""), "failed")
    with pytest.raises(ReasonerError, match="patcher"):
        await EmbeddedReasoner(embedder).propose_patches(request)
    with pytest.raises(ReasonerError, match="patcher"):
        await EmbeddedReasoner(embedder).mutate_patch(mutate)

    async def patcher(given: PatchRequest | MutateRequest) -> Patches:
        return Patches((CodeCandidate("off by one", "x = 2", given.goal),))

    helped = EmbeddedReasoner(embedder, patcher=patcher)
    assert (await helped.propose_patches(request)).candidates[0].code == "x = 2"
    assert (await helped.mutate_patch(mutate)).candidates[0].reasoning == "fix"


@pytest.mark.parametrize(
    ("task", "text", "held"),
    [
        ("故宫位于哪个城市？", "故宫位于北京的中心。它是明清两代的皇宫。", "北京"),
        ("أين تقع مدينة البتراء؟", "تقع مدينة البتراء في الأردن. وهي مدينة قديمة.", "الأردن"),
    ],
)
async def test_other_scripts_are_searched_read_and_quoted(
    reasoner: EmbeddedReasoner, task: str, text: str, held: str
) -> None:
    passage = page("a.txt", "", text)
    assert (await reasoner.expand(asked(task=task))).children
    assert (await reasoner.expand(asked(task=task, hits=(passage,), depth=1))).children
    found = await reasoner.extract(ExtractRequest(task, task, (OTHER, passage), limit=1))
    assert held in found.claims[0].text


async def test_a_very_long_task_is_capped(reasoner: EmbeddedReasoner) -> None:
    started = time.perf_counter()
    for task in ("word " * 20_000, "A" * 100_000, "What, " * 16_000, "( " * 50_000, "北" * 100_000):
        children = (await reasoner.expand(asked(task=task))).children
        assert all(len(child.title) <= 200 for child in children)
        await reasoner.merge(MergeRequest(task, task, (), (SHIP,), final=True))
    assert time.perf_counter() - started < 10


async def test_an_empty_task_expands_to_nothing(reasoner: EmbeddedReasoner) -> None:
    assert (await reasoner.expand(asked(task="  "))).children == ()


async def test_reading_without_following_takes_the_search_order() -> None:
    plain = EmbeddedReasoner(MiniLmEmbedder(), policy=Policy(follow=False))
    named = page("ellen.md", "Ellen Marsh", ELLEN, prefix="mention:", score=1.0)
    children = (await plain.expand(asked(hits=(OTHER, SHIP, named), depth=1))).children
    assert [child.action["args"]["source"] for child in children if child.action] == ["ship.md", "bread.md"]
