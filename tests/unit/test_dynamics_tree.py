"""The search tree in arrays: descent, statistics, wider or deeper, pruning."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddax.dynamics.prune import beyond_beam, near_duplicates, weak
from ddax.dynamics.score import PRESETS, Known, normalised, score_terms
from ddax.dynamics.state import unit_rows
from ddax.dynamics.tree import ROOT_NODE, Choice, Policy, Tree
from ddax.dynamics.widen import PRIOR_MEAN, Outcomes, draw_mean, goes_wider

seeds = st.integers(0, 10_000)
PUCT = Policy(PRESETS["puct"], c=1.3)


def search(seed, policy, *, steps=60, width=3, dim=4, more=True):
    """Return a tree after so many evaluations, and every (node, value) that was backed up."""
    rng = np.random.default_rng(seed)
    tree, told = Tree(dim=dim), []
    tree.pull(rng.standard_normal(dim))
    for _ in range(10 * steps):
        choice = tree.descend(policy, rng=rng)
        if choice is None or len(told) == steps:
            break
        if choice.move == "grow":
            again = more and len(tree.children[choice.node]) < 9
            tree.grow(
                choice.node, rng.random(width), D=unit_rows(rng.standard_normal((width, dim))), more=again
            )
        else:
            value = float(rng.random())
            tree.backpropagate(choice.node, value)
            told.append((choice.node, value))
            if rng.random() < 0.1:
                tree.close(choice.node)
    return tree, told


@settings(max_examples=30, deadline=None)
@given(seeds, st.sampled_from(sorted(PRESETS)), st.booleans(), st.floats(0, 1))
def test_statistics_are_the_means_of_what_lies_below(seed, preset, wider, rho):
    tree, told = search(seed, Policy(PRESETS[preset], rho=rho, wider=wider))
    for node in range(len(tree)):
        values = [value for where, value in told if node in tree.path(where)]
        assert tree.N[node] == len(values)
        assert tree.Q[node] == pytest.approx(np.mean(values) if values else 0.0)
        assert tree.below[node] == sum(tree.N[k] for k in tree.children[node])
    assert not any(tree.loss) and tree.N[ROOT_NODE] == len(told)


@settings(max_examples=30, deadline=None)
@given(seeds, st.floats(0, 3), st.floats(0, 1))
def test_puct_descends_exactly_as_puct_on_random_trees(seed, c, rho):
    policy = Policy(PRESETS["puct"], c=c, rho=rho)
    tree, _ = search(seed, policy, more=False)
    choice = tree.descend(policy)
    node = ROOT_NODE
    while choice is not None and node != choice.node:
        kids = [k for k in tree.children[node] if not tree.closed[k]]
        total, prior = sum(tree.N[k] for k in tree.children[node]), sum(tree.P[k] for k in kids)
        q = [tree.Q[k] if tree.N[k] else tree.Q[node] for k in kids]
        puct = [q[i] + c * tree.P[k] / prior * np.sqrt(total) / (1 + tree.N[k]) for i, k in enumerate(kids)]
        chosen = tree.path(choice.node)[tree.depth[node] + 1]
        assert puct[kids.index(chosen)] == pytest.approx(max(puct))
        node = chosen


@settings(max_examples=30, deadline=None)
@given(seeds, st.sampled_from(sorted(PRESETS)), st.floats(0, 1), st.lists(st.integers(0, 3), min_size=6))
def test_the_trees_score_is_the_score_of_the_engine(seed, preset, rho, losses):
    policy = Policy(PRESETS[preset], c=1.1, rho=rho)
    rng = np.random.default_rng(seed)
    tree, D = Tree(dim=4), unit_rows(rng.standard_normal((6, 4)))
    F = rng.standard_normal(4)
    tree.pull(F)
    kids = tree.grow(ROOT_NODE, rng.random(6), D=D)
    for kid in rng.integers(0, 6, 9):
        tree.backpropagate(kids[kid], float(rng.random()))
    tree.loss[1:] = losses[:6]
    N, lost = np.array(tree.N[1:], dtype=float), np.array(losses[:6], dtype=float)
    Q = np.where(N > 0, tree.Q[1:], tree.Q[ROOT_NODE]) * np.maximum(N, 1) / (np.maximum(N, 1) + lost)
    terms = score_terms(
        F, D, Known(Q, N + lost, normalised(np.array(tree.P[1:])), 9 + lost.sum()), rho=rho, c=1.1,
        weights=policy.weights,
    )  # fmt: skip
    assert terms.total[tree.best(kids, policy) - 1] == pytest.approx(terms.total.max())


def by_scoring_every_level(tree, policy):
    """Return where a descent leads that scores every open child of every level."""
    node = ROOT_NODE
    while node == ROOT_NODE or tree.V[node] is not None:
        kids = [k for k in tree.children[node] if not tree.closed[k]]
        if not kids:
            return Choice(node, "grow")
        node = tree.best(kids, policy)
    return Choice(node, "evaluate")


@settings(max_examples=30, deadline=None)
@given(seeds, st.sampled_from(sorted(PRESETS)), st.sampled_from([0.0, 0.05, 1.0, 6.0]), st.booleans())
def test_a_level_is_passed_unscored_only_where_its_best_child_still_leads(seed, preset, c, coarse):
    """One-digit values make ties; the pull, ρ, closed nodes and later values of inner ones change leads."""
    rng, policy = np.random.default_rng(seed), Policy(PRESETS[preset], c=c)
    tree = Tree(dim=3)
    for step in range(150):
        if step % 40 == 0:
            tree.pull(rng.standard_normal(3))
        if step % 25 == 0:
            policy = Policy(PRESETS[preset], c=c, rho=float(rng.random()))
        choice = tree.descend(policy)
        if choice is None:
            break
        assert choice == by_scoring_every_level(tree, policy)
        value = float(rng.random())
        if choice.move == "grow":
            priors = rng.random(3)
            tree.grow(choice.node, np.round(priors, 1) if coarse else priors, D=rng.standard_normal((3, 3)))
            continue
        tree.backpropagate(choice.node, round(value, 1) if coarse else value)
        if step % 9 == 0:
            tree.close(choice.node)
        if step % 11 == 0:
            tree.backpropagate(int(rng.integers(len(tree))), value)


def test_a_descent_ends_where_work_is():
    tree = Tree()
    assert tree.descend(PUCT) == Choice(ROOT_NODE, "grow")
    first, second = tree.grow(ROOT_NODE, [0.2, 0.8])
    assert tree.descend(PUCT).move == "evaluate"
    for node in (second, first):
        tree.backpropagate(node, 0.5)
    assert tree.descend(PUCT) == Choice(second, "grow")
    tree.close(second)
    assert tree.descend(PUCT) == Choice(first, "grow")
    tree.close(first)
    assert tree.descend(PUCT) is None and tree.closed[ROOT_NODE]


def test_an_unvisited_child_takes_its_parents_value():
    tree = Tree()
    a, b = tree.grow(ROOT_NODE, [0.5, 0.5])
    tree.backpropagate(a, 0.2)
    greedy = Policy(PRESETS["puct"], c=0.0)
    assert tree.best([a, b], greedy) == a, "equal to its parent's Q, and earlier"
    tree.backpropagate(ROOT_NODE, 0.9)
    assert tree.descend(greedy) == Choice(b, "evaluate")


@settings(max_examples=30, deadline=None)
@given(seeds, st.booleans())
def test_what_is_left_is_the_mean_outside_closed_branches(seed, more):
    tree, told = search(seed, Policy(), more=more)
    for node in range(len(tree)):
        paths = [(tree.path(where), value) for where, value in told]
        left = [v for path, v in paths if node in path and not any(tree.closed[k] for k in path if k >= node)]
        assert tree.left[node] == len(left) or tree.closed[node]
        if not tree.closed[node]:
            assert tree.L[node] == pytest.approx(np.mean(left) if left else tree.Q[node])


def test_a_branch_that_came_to_nothing_is_not_held_against_its_siblings():
    tree = Tree()
    hope, other = tree.grow(ROOT_NODE, [0.5, 0.5])
    tree.backpropagate(hope, 0.7)
    tree.backpropagate(other, 0.6)
    dead, fresh = tree.grow(hope, [0.5, 0.5])
    tree.backpropagate(dead, 0.0)
    assert tree.best([hope, other], Policy(PRESETS["hybrid"], c=0.0)) == other, "one good, one bad: 0.35"
    tree.close(dead)
    assert tree.descend(Policy(PRESETS["hybrid"], c=0.0)) == Choice(fresh, "evaluate")
    assert tree.best([hope, other], Policy(PRESETS["puct"], c=0.0)) == other, "PUCT keeps the mean of all"
    assert tree.Q[hope] == pytest.approx(0.35) and tree.L[hope] == pytest.approx(0.7)


def test_a_value_below_a_closed_branch_is_not_left():
    tree = Tree()
    (a,) = tree.grow(ROOT_NODE, [1.0], more=True)
    tree.backpropagate(a, 0.9)
    tree.close(a)
    tree.backpropagate(a, 0.1)
    assert (tree.N[ROOT_NODE], tree.left[ROOT_NODE]) == (2, 0)
    assert tree.L[ROOT_NODE] == tree.Q[ROOT_NODE] == pytest.approx(0.5)


def test_several_draws_look_at_different_places_and_leave_no_trace():
    tree = Tree()
    tree.grow(ROOT_NODE, [0.25] * 4)
    drawn = tree.draw(PUCT, 3)
    assert len({choice.node for choice in drawn}) == len(drawn) == 3
    assert not any(tree.loss) and not any(tree.N)


def test_the_robust_child_is_the_most_visited_one():
    tree = Tree()
    a, b = tree.grow(ROOT_NODE, [0.5, 0.5])
    for node, value in ((a, 0.9), (b, 0.5), (b, 0.5)):
        tree.backpropagate(node, value)
    assert tree.robust_child() == b


def test_a_wider_policy_needs_an_rng():
    tree = Tree()
    a, _ = tree.grow(ROOT_NODE, [0.5, 0.5])
    tree.backpropagate(a, 0.5)
    with pytest.raises(ValueError, match="rng"):
        tree.descend(Policy(wider=True))


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_wider_or_deeper_learns_which_side_pays(seed):
    rng = np.random.default_rng(seed)
    good, bad = Outcomes(), Outcomes()
    for _ in range(30):
        good, bad = good.add(0.8 + 0.05 * rng.random()), bad.add(0.2 + 0.05 * rng.random())
    assert sum(goes_wider(good, bad, rng) for _ in range(50)) >= 48
    assert sum(goes_wider(bad, good, rng) for _ in range(50)) <= 2
    undecided = sum(goes_wider(Outcomes(), Outcomes(), rng) for _ in range(400))
    assert 120 < undecided < 280


def test_the_posterior_mean_is_that_of_the_conjugate_update():
    values = [0.1, 0.4, 0.7, 0.9]
    seen = Outcomes()
    for value in values:
        seen = seen.add(value)
    rng = np.random.default_rng(0)
    draws = [draw_mean(seen, rng) for _ in range(4_000)]
    assert seen.mean == pytest.approx((PRIOR_MEAN + sum(values)) / 5)
    assert np.mean(draws) == pytest.approx(seen.mean, abs=0.02)


def test_wider_grows_where_new_children_paid_and_deepens_where_known_ones_did():
    policy, moves = Policy(PRESETS["puct"], wider=True), {}
    for name, first, later in (("wide", 0.9, 0.1), ("deep", 0.2, 0.9)):
        tree = Tree()
        (kid,) = tree.grow(ROOT_NODE, [1.0], more=True)
        for _ in range(12):
            tree.backpropagate(tree.grow(ROOT_NODE, [0.1], more=True)[0], first)
        tree.backpropagate(kid, first)
        (grandchild,) = tree.grow(kid, [1.0], more=True)
        for _ in range(12):
            tree.backpropagate(grandchild, later)
        rng = np.random.default_rng(1)
        moves[name] = sum(tree.descend(policy, rng=rng) == Choice(ROOT_NODE, "grow") for _ in range(50))
    assert moves["wide"] > 45 and moves["deep"] < 5


@given(seeds, st.floats(0.5, 0.999))
def test_near_duplicates_name_a_kept_original(seed, threshold):
    rng = np.random.default_rng(seed)
    E = unit_rows(rng.standard_normal((8, 3)))
    twins = near_duplicates(np.vstack([E, E[:3]]), threshold)
    later = {twin.later for twin in twins}
    assert {8, 9, 10} <= later
    assert all(t.earlier < t.later and t.earlier not in later and t.cosine >= threshold - 1e-9 for t in twins)


def test_empty_texts_are_not_duplicates_of_each_other():
    assert near_duplicates(np.zeros((3, 4)), 0.0) == []


def test_weak_branches_are_cut_only_once_tested():
    Q, N = [0.9, 0.3, 0.2, 0.8], [4, 4, 1, 4]
    cuts = weak(Q, N, margin=0.4, visits=3)
    assert [cut.row for cut in cuts] == [1] and "0.30" in cuts[0].reason
    assert weak(Q, [1] * 4, margin=0.1, visits=3) == []
    assert [cut.row for cut in beyond_beam(np.array([1.0, 3.0, 2.0, 3.0]), 2)] == [2, 0]
