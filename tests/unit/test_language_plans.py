"""Several plans as one: near-duplicates joined, P the share of plans, edges kept without circles."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.configs.settings import Budget, Context
from ddax.errors import ReasonerError
from ddax.reasoning import protocol as p
from ddax.reasoning.budget import BudgetKeeper, MeteredReasoner, usage_of
from ddax.reasoning.plans import SampledReasoner, joined, metered, text_of
from ddax.reasoning.scripted import ScriptedReasoner
from ddax.types import Proposal, Usage

REQUEST = p.ExpandRequest("t", "i", 0, (), (), (), ("search",), width=3)


def search(query, *needs):
    call = {"name": "search", "args": {"query": query}, "intent": "i"}
    return Proposal(f"search {query}", "a page", action=call, needs=needs)


class Letters:
    """An embedder in which texts with the same letters are the same."""

    name, fingerprint, dim = "letters", "letters", 27

    def embed(self, texts):
        rows = np.zeros((len(texts), 27), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[26] = 1e-3
            for letter in text.lower():
                if letter.isascii() and letter.isalpha():
                    row[ord(letter) - 97] += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def rows_of(plans):
    return Letters().embed([text_of(child) for plan in plans for child in plan])


def test_the_prior_is_the_share_of_plans_and_duplicates_are_one():
    plans = [(search("ada"), search("bob")), (search("ADA"), search("ada")), (search("zzz kk"),)]
    children = joined(plans, rows_of(plans), width=5)
    assert [(c.action["args"]["query"], round(c.prior, 3)) for c in children] == [
        ("ada", 0.667), ("bob", 0.333), ("zzz kk", 0.333),
    ]  # fmt: skip


def test_an_anagram_is_near_in_this_embedding_and_joins_but_another_source_never_does():
    plans = [(search("ada"),), (search("daa"),)]
    assert len(joined(plans, rows_of(plans), width=5)) == 1

    def visit(source):
        return Proposal("read", "e", action={"name": "visit", "args": {"source": source}, "intent": "i"})

    plans = [(visit("ab.txt"),), (visit("ba.txt"),)]
    assert len(joined(plans, rows_of(plans), width=5)) == 2


def test_needs_follow_their_children_and_circles_are_left_out():
    first = (search("ada"), search("bob", 0))
    second = (search("bob"), search("ada", 0))
    children = joined([first, second], rows_of([first, second]), width=5)
    assert [c.needs for c in children] == [(), (0,)]
    inner = (Proposal("qq", "rr", needs=(1,)), search("ada", 0))
    children = joined([inner], rows_of([inner]), width=5)
    assert sorted(len(c.needs) for c in children) == [0, 1]


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=4), min_size=1, max_size=5), st.integers(1, 4))
def test_any_plans_give_at_most_width_acyclic_children_with_shares_in_0_1(names, width):
    plans = [tuple(search(n, *range(k)) for k, n in enumerate(plan)) for plan in names]
    children = joined(plans, rows_of(plans), width=width)
    assert len(children) <= width
    assert all(0 < c.prior <= 1 for c in children)
    done: set[int] = set()
    for _ in children:
        done |= {k for k, c in enumerate(children) if done.issuperset(c.needs)}
    assert len(done) == len(children)


def sampled(replies, samples=3, **budget):
    inner = ScriptedReasoner({"expand": replies})
    keeper = BudgetKeeper(Budget(**budget), clock=time.monotonic)
    reasoner = SampledReasoner(
        inner, keeper, place=None, embedder=Letters(), samples=samples, temperature=0.7
    )
    return inner, keeper, reasoner


async def test_each_plan_is_a_call_of_its_own_with_its_own_seed_and_warmth():
    plan = p.Expansion((search("ada"),), Usage(1, 10, 0.1))
    inner, keeper, reasoner = sampled([plan] * 3)
    reply = await reasoner.expand(REQUEST)
    assert [(r.seed, r.temperature) for _, r in inner.requests] == [(0, 0.7), (1, 0.7), (2, 0.7)]
    assert (reply.usage, keeper.spent) == (Usage(3, 30, pytest.approx(0.3)),) * 2
    assert reply.children[0].prior == 1.0


async def test_what_any_plan_read_out_of_the_task_is_kept_once():
    read = [("at most 5 words", "as a list"), (), ("as a list", "in German")]
    _, _, reasoner = sampled([p.Expansion((search("ada"),), requirements=found) for found in read])
    reply = await reasoner.expand(REQUEST)
    assert reply.requirements == ("at most 5 words", "as a list", "in German")


async def test_plans_that_failed_are_left_out_and_paid_and_all_failing_is_a_failure():
    _, _, reasoner = sampled([p.Expansion((search("ada"),)), ReasonerError("down"), ReasonerError("down")])
    assert [c.prior for c in (await reasoner.expand(REQUEST)).children] == [1.0]
    _, _, reasoner = sampled([ReasonerError("down")] * 3)
    with pytest.raises(ReasonerError, match="down") as caught:
        await reasoner.expand(REQUEST)
    assert usage_of(caught.value) == Usage()


async def test_the_cap_on_calls_is_passed_by_no_plan():
    plan = p.Expansion((search("ada"),), Usage(1, 10, 0.1))
    inner, _, reasoner = sampled([plan] * 8, samples=8, max_model_calls=3)
    assert (await reasoner.expand(REQUEST)).children
    assert len(inner.requests) == 3


def test_several_plans_are_drawn_with_full_effort_only():
    def chosen(spent, **models):
        settings = Context.model_validate({"models": models, "budget": {"max_model_calls": 100}})
        keeper = BudgetKeeper(settings.budget, clock=time.monotonic)
        return type(metered(
            ScriptedReasoner({}), keeper, spent=spent, settings=settings, place=None, embedder=Letters()
        ))  # fmt: skip

    assert chosen(Usage(), samples=3) is SampledReasoner
    assert chosen(Usage(60), samples=3) is MeteredReasoner
    assert chosen(Usage()) is MeteredReasoner
