"""Generations of whole-program candidates proposed by a reasoner: islands, elitism, crossover, fresh blood.

Each island has an archive that keeps the best candidate of every behaviour (which tests pass); parents
come from it. Candidates are dealt to the islands in turn, the generations breed on them in turn, and
after each the best of an island migrates to the next: one idea cannot take over the whole population
before another has had its generation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from numpy.random import Generator

from ddax.errors import BudgetExceeded, ReasonerError, Unavailable
from ddax.evolution.minimise import Opcode, hunks
from ddax.evolution.records import Evaluation
from ddax.reasoning.budget import usage_of
from ddax.reasoning.protocol import CodeCandidate, MutateRequest, Patches, PatchRequest, Reasoner
from ddax.reasoning.sourced import CODE_READ, TOLD, sourced
from ddax.types import Usage

FRESH = 3
"""New candidates asked for in each generation."""
ISLANDS = 2
PROPOSED = ("model", "mutation")
"""The origins of candidates that a reasoner has proposed, and is told of when it is asked again."""

Evaluate = Callable[[str], "Evaluation"]
Tell = Callable[[str], str]
"""Says something of a candidate's text."""


@dataclass(frozen=True)
class Individual:
    """A candidate with its evaluation and where it came from."""

    candidate: CodeCandidate
    evaluation: Evaluation
    origin: str


@dataclass
class Archive:
    """The best individual of each behaviour signature on one island."""

    best: dict[str, Individual] = field(default_factory=dict)

    def add(self, one: Individual) -> None:
        """Keep an individual where its behaviour is new or its score better."""
        held = self.best.get(one.evaluation.signature)
        if held is None or one.evaluation.score > held.evaluation.score:
            self.best[one.evaluation.signature] = one

    def ranked(self) -> list[Individual]:
        """Return the kept individuals, best first."""
        return sorted(self.best.values(), key=lambda i: (-i.evaluation.score, i.evaluation.signature))


def crossover(original: str, a: str, b: str, rng: Generator) -> str:
    """Combine two patches of one text: b's regions join those of a that they do not touch.

    Where regions meet, one of the two is drawn.
    """
    marked = [(h, a) for h in hunks(original, a)] + [(h, b) for h in hunks(original, b)]
    marked.sort(key=lambda item: (item[0][1], item[0][2]))
    kept: list[tuple[Opcode, str]] = []
    for item in marked:
        clash = kept and item[0][1] < max(kept[-1][0][2], kept[-1][0][1] + 1)
        if not clash:
            kept.append(item)
        elif rng.random() < 0.5:
            kept[-1] = item
    before, lines, at = original.splitlines(True), list[str](), 0
    for (_, i1, i2, j1, j2), text in kept:
        if i1 < at:
            continue
        lines += before[at:i1] + text.splitlines(True)[j1:j2]
        at = i2
    return "".join(lines + before[at:])


@dataclass
class Islands:
    """The archives of all islands, and every text tried on any of them (the tabu list)."""

    archives: list[Archive]
    texts: set[str] = field(default_factory=set)
    dealt: int = 0

    def is_new(self, code: str) -> bool:
        """Say whether a text was not tried yet, and remember it."""
        key = sha256(code.encode()).hexdigest()
        if key in self.texts:
            return False
        self.texts.add(key)
        return True

    def deal(self, one: Individual, island: int | None = None) -> None:
        """Settle an individual on an island, by default on the next in turn."""
        if island is None:
            island, self.dealt = self.dealt, self.dealt + 1
        self.archives[island % len(self.archives)].add(one)

    def migrate(self) -> None:
        """Send the best of each island, all at once, to the next one."""
        best = [archive.ranked()[:1] for archive in self.archives]
        for island, travellers in enumerate(best):
            for one in travellers:
                self.archives[(island + 1) % len(self.archives)].add(one)

    def ranked(self) -> list[Individual]:
        """Return the individuals of all islands, best first, each once."""
        known = {id(one): one for archive in self.archives for one in archive.ranked()}
        return sorted(known.values(), key=lambda i: (-i.evaluation.score, i.evaluation.signature))


def _told_once(problems: Sequence[str]) -> tuple[str, ...]:
    """Return each problem once, with how often it came."""
    return tuple(f"{n} times: {said}" if n > 1 else said for said, n in Counter(problems).items())


@dataclass(frozen=True)
class Evolved:
    """What the generations brought: who passed in the last batch, the best individual, and what they cost."""

    won: tuple[Individual, ...]
    best: Individual | None
    tried: int
    generations: int
    usage: Usage
    problems: tuple[str, ...] = ()


class EvolutionarySolver:
    """Evolves one file's text; `evaluate` scores a text on the 0–100 scale.

    The reasoner is asked at least once, and not again where it is `late` or not to be had. `tell` says how a
    candidate's tests fail, `change` what it changes, `show` what a reasoner is shown of it.
    """

    def __init__(
        self,
        reasoner: Reasoner,
        evaluate: Evaluate,
        *,
        size: int = 4,
        generations: int = 3,
        rng: Generator,
        accept: float = 100.0,
        islands: int = ISLANDS,
        late: Callable[[], bool] = lambda: False,
        tell: Tell = lambda _code: "",
        change: Tell = lambda _code: "",
        show: Tell = lambda _code: "",
    ) -> None:
        self.reasoner, self.score, self.rng = reasoner, evaluate, rng
        self.size, self.generations, self.accept, self.late = size, generations, accept, late
        self.islands = Islands([Archive() for _ in range(max(1, islands))])
        self.tell, self.change, self.show = tell, change, show
        self.usage, self.tried = Usage(), 0
        self.failed: list[str] = []
        self.problems: list[str] = []
        self.gone = False

    async def propose(self, request: PatchRequest) -> list[CodeCandidate]:
        """Ask for candidates."""
        return await self._asked(self.reasoner.propose_patches(request))

    async def mutate(self, goal: str, parent: Individual) -> list[CodeCandidate]:
        """Ask for a changed version of the best, given its fitness report."""
        import asyncio

        code, passed = parent.candidate.code, parent.evaluation
        said = passed.report if passed.score >= 98.0 else await asyncio.to_thread(self.tell, code)
        report = f"score {passed.score:.0f} of 100\n{said or passed.report}"
        seed = int(self.rng.integers(1 << 31))
        request = MutateRequest(goal, parent.candidate, report, seed, self.show(code))
        request = sourced(request, goal=TOLD, candidate=CODE_READ, report=CODE_READ, shown=CODE_READ)
        return (await self._asked(self.reasoner.mutate_patch(request)))[:1]

    async def _asked(self, reply: Awaitable[Patches]) -> list[CodeCandidate]:
        """Return what a request brings; a failing reasoner is noted and brings none."""
        try:
            patches = await reply
        except (BudgetExceeded, ReasonerError) as error:
            self._note(error)
            return []
        self.usage += patches.usage
        return list(patches.candidates)

    def _note(self, error: BudgetExceeded | ReasonerError) -> None:
        """Note why a request brought nothing, and whether every further one would end so."""
        self.problems.append(str(error))
        self.usage += usage_of(error)
        self.gone = isinstance(error, BudgetExceeded | Unavailable)

    def _ended(self) -> bool:
        return self.gone or self.late()

    async def assess(
        self, candidates: list[CodeCandidate], origin: str, island: int | None = None
    ) -> list[Individual]:
        """Evaluate new candidates and settle them; return all that are accepted.

        Each is judged before one is chosen: the first that passes may be one that fits the tests alone.
        """
        import asyncio

        winners = list[Individual]()
        for candidate in candidates:
            if not self.islands.is_new(candidate.code):
                continue
            self.tried += 1
            evaluation = await asyncio.to_thread(self.score, candidate.code)
            one = Individual(candidate, evaluation, origin)
            self.islands.deal(one, island)
            if evaluation.score >= self.accept:
                winners.append(one)
            elif origin in PROPOSED:
                self.failed.append(self._how_it_failed(one))
        return winners

    def _how_it_failed(self, one: Individual) -> str:
        """Say what a proposed candidate changed, and what still failed with it."""
        found, change = one.evaluation, self.change(one.candidate.code)
        why = found.report or found.error_message
        return "\n".join(filter(None, [one.candidate.hypothesis, change, f"still fails: {why}"]))

    def crossed(self, original: str) -> list[CodeCandidate]:
        """Cross the two best of different behaviour, wherever they live."""
        by_behaviour: dict[str, Individual] = {}
        for one in self.islands.ranked():
            if one.evaluation.syntax_valid:
                by_behaviour.setdefault(one.evaluation.signature, one)
        parents = list(by_behaviour.values())[:2]
        if len(parents) < 2:
            return []
        a, b = (p.candidate for p in parents)
        text = crossover(original, a.code, b.code, self.rng)
        return [CodeCandidate(f"{a.hypothesis}; and {b.hypothesis}", text, "a crossover of two candidates")]

    async def evolve(self, request: PatchRequest, *, seeds: Mapping[str, str] | None = None) -> Evolved:
        """Run the generations; `seeds` are texts found otherwise, with their hypotheses as values."""
        self.islands.is_new(request.code)
        first = [
            CodeCandidate(why, code, "found by search over edits") for code, why in (seeds or {}).items()
        ]
        winners = await self.assess(first, "search")
        winners = winners or await self.assess((await self.propose(request))[: self.size], "model")
        generation = 0
        while not winners and generation < self.generations and not self._ended():
            generation += 1
            winners = await self.breed(request, generation - 1)
            self.islands.migrate()
        best = next(iter(winners or self.islands.ranked()), None)
        return Evolved(tuple(winners), best, self.tried, generation, self.usage, _told_once(self.problems))

    async def breed(self, request: PatchRequest, island: int) -> list[Individual]:
        """Mutate the best of an island, cross the two best of all, then take in fresh candidates."""
        home = self.islands.archives[island % len(self.islands.archives)].ranked()
        parents = home or self.islands.ranked()
        winners = list[Individual]()
        if parents:
            winners = await self.assess(await self.mutate(request.goal, parents[0]), "mutation", island)
        winners = winners or await self.assess(self.crossed(request.code), "crossover", island)
        if winners or self._ended():
            return winners
        seed = int(self.rng.integers(1 << 31))
        again = replace(request, n=FRESH, seed=seed, tried=(*request.tried, *self.failed))
        return await self.assess((await self.propose(again))[:FRESH], "model")
