import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.errors import BudgetExceeded, ReasonerError, Unavailable
from ddax.evolution.minimise import hunks, minimise, rebuild
from ddax.evolution.population import Archive, EvolutionarySolver, Individual, Islands, crossover
from ddax.evolution.records import Evaluation
from ddax.reasoning.budget import charge
from ddax.reasoning.protocol import CodeCandidate, Patches, PatchRequest
from ddax.types import Usage

GOAL = {"a = 1", "b = 2"}


def score(code: str) -> Evaluation:
    """Count which of two lines are right; both make 100."""
    letters = "".join("p" if line in code.splitlines() else "f" for line in sorted(GOAL))
    value = 100.0 if letters == "pp" else 40.0 + 20.0 * letters.count("p") / 2
    return Evaluation(value, True, True, letters == "pp", "", letters, f"wrong: {letters}")


class Scripted:
    """A reasoner that proposes texts from a list and notes what it was asked."""

    name = "scripted"

    def __init__(self, proposals, mutations=()):
        self.proposals, self.mutations = list(proposals), list(mutations)
        self.asked: list[int] = []
        self.parents: list[str] = []

    async def propose_patches(self, request):
        self.asked.append(request.n)
        if not self.proposals:
            raise ReasonerError("nothing left")
        texts, self.proposals = self.proposals[: request.n], self.proposals[request.n :]
        return Patches(tuple(CodeCandidate(t, t, "") for t in texts), Usage(model_calls=1))

    async def mutate_patch(self, request):
        self.parents.append(request.candidate.code)
        if not self.mutations:
            return Patches((), Usage(model_calls=1))
        return Patches((CodeCandidate("m", self.mutations.pop(0), ""),), Usage(model_calls=1))


def solver(reasoner, **options):
    return EvolutionarySolver(reasoner, score, rng=np.random.default_rng(0), **options)


REQUEST = PatchRequest("goal", "a = 0\nx = 0\nb = 0\n", ())


async def test_a_right_proposal_wins_at_once_and_its_whole_batch_is_judged():
    right = ["a = 1\nb = 2\n", "b = 2\na = 1\n"]
    found = await solver(Scripted(["bad", right[0], "worse", right[1]])).evolve(REQUEST)
    assert [one.candidate.code for one in found.won] == right
    assert found.best.evaluation.score == 100.0
    assert (found.tried, found.generations) == (4, 0)


async def test_the_best_is_mutated_and_three_fresh_ones_are_asked_for():
    reasoner = Scripted(["p", "q", "a = 1\n", "r", "s", "t", "u"], mutations=["v", "w", "a = 1\nb = 2\n"])
    found = await solver(reasoner, size=4, generations=3).evolve(REQUEST)
    assert reasoner.asked[:2] == [4, 3]
    assert reasoner.parents[0] == "a = 1\n"
    assert found.best.evaluation.score == 100.0
    assert found.best.origin == "mutation"


async def test_crossover_joins_two_halves():
    halves = ["a = 1\nx = 0\nb = 0\n", "a = 0\nx = 0\nb = 2\n"]
    found = await solver(Scripted(halves), generations=1).evolve(REQUEST)
    assert found.best.origin == "crossover"
    assert found.best.evaluation.score == 100.0


async def test_generations_and_failures_are_bounded_and_told():
    reasoner = Scripted(["p"])
    found = await solver(reasoner, generations=2).evolve(REQUEST)
    assert found.generations == 2
    assert found.best.evaluation.score == 40.0
    assert found.problems == ("2 times: nothing left",)


class Failing(Scripted):
    """A reasoner whose calls after the first proposals fail, and are paid all the same."""

    async def propose_patches(self, request):
        if self.proposals:
            return await super().propose_patches(request)
        raise paid(Usage(3, 100, 0.5))

    async def mutate_patch(self, request):
        raise paid(Usage(2, 10, 0.25))


def paid(usage):
    error = ReasonerError("the reply did not fit")
    charge(error, usage)
    return error


async def test_what_failed_proposals_and_mutations_cost_is_counted():
    found = await solver(Failing(["p"]), generations=1).evolve(REQUEST)
    assert found.problems == ("2 times: the reply did not fit",)
    assert found.usage == Usage(1 + 3 + 2, 110, 0.75)


class Gone(Scripted):
    """A reasoner that is not to be had, after its first proposals where it has some."""

    refused = 0

    async def propose_patches(self, request):
        if self.proposals:
            return await super().propose_patches(request)
        self.refused += 1
        raise Unavailable("no such key")

    async def mutate_patch(self, request):
        self.refused += 1
        raise Unavailable("no such key")


@pytest.mark.parametrize("first", [[], ["p"]])
async def test_a_reasoner_that_is_not_to_be_had_is_not_asked_again(first):
    reasoner = Gone(first)
    found = await solver(reasoner, generations=3).evolve(REQUEST)
    assert (reasoner.refused, found.problems) == (1, ("no such key",))


async def test_no_text_is_evaluated_twice():
    found = await solver(Scripted(["p"] * 10), generations=3).evolve(REQUEST)
    assert found.tried == 1


async def test_seeds_of_the_search_join_the_population():
    found = await solver(Scripted(["a = 0\nx = 0\nb = 2\n"]), generations=1).evolve(
        REQUEST, seeds={"a = 1\nx = 0\nb = 0\n": "half"}
    )
    assert found.best.evaluation.score == 100.0


lines = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=8).map(
    lambda ls: "".join(f"{x}\n" for x in ls)
)


@given(lines, lines)
def test_all_hunks_rebuild_the_new_text_and_none_the_old(old, new):
    assert rebuild(old, new, hunks(old, new)) == new
    assert rebuild(old, new, []) == old


@given(lines, lines)
def test_minimise_keeps_what_is_needed(old, new):
    small = minimise(old, new, lambda text: text.count("a") == new.count("a"))
    assert len(hunks(old, small)) <= len(hunks(old, new))
    assert small.count("a") == new.count("a")


def test_minimise_drops_what_is_not_needed():
    old, new = "a\nb\nc\nd\ne\n", "x\nb\ny\nd\nz\n"
    assert minimise(old, new, lambda text: "y" in text) == "a\nb\ny\nd\ne\n"
    assert minimise(old, new, lambda text: "x" in text and "z" in text) == "x\nb\nc\nd\nz\n"
    assert minimise(old, new, lambda text: False) == new


@given(lines, lines, lines, st.integers(0, 5))
def test_crossover_of_a_patch_with_nothing_is_the_patch(old, a, b, seed):
    rng = np.random.default_rng(seed)
    assert crossover(old, a, old, rng) == a
    assert isinstance(crossover(old, a, b, rng), str)


def individual(letters: str, value: float) -> Individual:
    return Individual(
        CodeCandidate(letters, letters, ""), Evaluation(value, True, True, False, "", letters), "model"
    )


@given(
    st.lists(st.tuples(st.sampled_from(["pf", "fp", "ff"]), st.integers(0, 99)), max_size=12),
    st.integers(1, 4),
)
def test_islands_hold_all_that_was_dealt_and_migration_brings_the_best_to_the_next(dealt, count):
    islands = Islands([Archive() for _ in range(count)])
    for letters, value in dealt:
        islands.deal(individual(letters, float(value)))
    used = [bool(archive.best) for archive in islands.archives]
    assert used == [i < len(dealt) for i in range(count)]
    before = [archive.ranked() for archive in islands.archives]
    islands.migrate()
    for i, home in enumerate(before):
        if home:
            after = islands.archives[(i + 1) % count].ranked()
            assert after[0].evaluation.score >= home[0].evaluation.score
    top = max((value for _, value in dealt), default=None)
    assert not dealt or islands.ranked()[0].evaluation.score == top


async def test_the_generations_breed_on_the_islands_in_turn():
    reasoner = Scripted(["a = 1\nfirst", "second", "third", "fourth"], mutations=["m1", "m2", "m3"])
    one = solver(reasoner, generations=2, islands=2)
    await one.evolve(REQUEST)
    # the first generation mutates the best of island 0, the second the one that migrated to island 1
    assert reasoner.parents[0] == "a = 1\nfirst"
    assert all(archive.best for archive in one.islands.archives)
    assert any(i.candidate.code == "a = 1\nfirst" for i in one.islands.archives[1].best.values())
    apart = Scripted(["a = 1\nfirst", "second", "third", "fourth"], mutations=["m1", "m2", "m3"])
    alone = solver(apart, generations=2, islands=2)
    alone.islands.migrate = lambda: None  # without migration island 1 breeds what was dealt to it
    await alone.evolve(REQUEST)
    assert apart.parents == ["a = 1\nfirst", "second"]


async def test_a_reasoner_is_asked_once_and_not_again_where_it_is_late():
    reasoner = Scripted(["bad"], ["worse"])
    found = await solver(reasoner, generations=3, late=lambda: True).evolve(REQUEST)
    assert (found.tried, found.generations) == (1, 0)
    later = iter([False, True])
    found = await solver(Scripted(["bad"], ["worse"]), generations=3, late=lambda: next(later, True)).evolve(
        REQUEST
    )
    assert found.generations == 1


class Capped(Gone):
    """A reasoner behind a cap that is reached after its first proposals."""

    async def propose_patches(self, request):
        if self.proposals:
            return await Scripted.propose_patches(self, request)
        raise BudgetExceeded("max_model_calls reached: 3 of 3.")

    async def mutate_patch(self, request):
        raise BudgetExceeded("max_model_calls reached: 3 of 3.")


async def test_a_cap_ends_the_generations_and_is_told():
    found = await solver(Capped(["p"]), generations=3).evolve(REQUEST)
    assert found.best.candidate.code == "p"
    assert len(found.problems) == 1
    assert "max_model_calls" in found.problems[0]
