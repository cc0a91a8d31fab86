"""Debate against a vote at equal budget, and the gate against debating everything.

First with simulated debaters of known accuracy and bias, run through the real procedure: real quotes,
the real support check, the real gate. Then with the embedded reasoner on statements from two-hop
questions, half of them false, with and without the paragraphs that tell. Nothing is fitted here.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import math
import re
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from benchmarks.core import Figure, Options, Result, Target, bootstrap, paired_bootstrap

if TYPE_CHECKING:
    from ddax.configs.settings import Debate
    from ddax.reasoning.protocol import ArgueRequest, Argument, JudgeRequest, Judgment, Reasoner
    from ddax.types import EntailmentCheck, Passage

NAME = "debate"
DESCRIPTION = "value by debate against a vote of as many calls; gated against always; simulated and embedded"
FILE = "hotpot_dev.jsonl"
BUDGET = 4
"""Calls of one debate of one round: a first value, two arguments, a second value."""
SKILL, COMMON, OWN = 1.5, 1.0, 0.35
"""A judge's logit is ±SKILL + bias + error; COMMON of the error is the same in each of its calls."""
MOVE = 2.5
"""How far an argument that holds moves the simulated judge's logit."""
WORLDS = ((0.0, 0.9), (0.0, 0.7), (1.0, 0.9), (1.0, 0.7))
"""(bias of the judge, chance that a debater finds the telling sentence)."""


GATES: tuple[Literal["margin", "evidence", "both"], ...] = ("margin", "evidence", "both")
"""The gates that are compared with debating everything; one of them is the default."""
QUICK = 15
"""Questions of the quick form."""
PAGES = 2
"""Paragraphs that stand beside a statement."""


class Trial(NamedTuple):
    """What each way of judging made of one case: right or not, and the calls it took.

    `gated` maps a gate to its (right, calls); trials of one `group` hang together.
    """

    debate: float
    vote: float
    calls: int
    gated: Mapping[str, tuple[float, int]]
    group: Hashable


@dataclass
class Simulated:
    """A judge and debater of known skill; `truth` is 1 where the result is right."""

    truth: int
    impression: float
    accuracy: float
    telling: str
    rng: np.random.Generator

    async def judge(self, request: JudgeRequest) -> Judgment:
        """Return the impression with fresh noise, moved by the arguments that were let through."""
        from ddax.reasoning.protocol import Judgment

        moved = sum(MOVE if role == "proponent" else -MOVE for role, _ in request.arguments)
        logit = self.impression + OWN * self.rng.normal() + moved
        return Judgment(1 / (1 + math.exp(-logit)), 0.6, (("support", 0.5, "as it seems"),))

    async def argue(self, request: ArgueRequest) -> Argument:
        """Cite the telling sentence where it is found, else any other; both sides do their best."""
        from ddax.reasoning.protocol import Argument
        from ddax.types import Citation

        page = request.evidence[0]
        lines = page.text.split("\n")
        found = self.telling in lines and self.rng.random() < self.accuracy
        quote = self.telling if found else lines[int(self.rng.integers(len(lines)))]
        cited = Citation(page.id, page.source, page.title, quote)
        return Argument(f"I hold with the {request.side}.", (cited,), 0.8)


async def simulated(
    number: int, *, bias: float, accuracy: float, evidence: bool, seed: int, check: EntailmentCheck
) -> Trial:
    """Judge one made-up statement in each way."""
    from ddax.reasoning.scripted import ScriptedReasoner
    from ddax.types import Passage

    rng = np.random.default_rng((seed, number, int(bias * 10), int(accuracy * 10), int(evidence)))
    truth, year = int(rng.random() < 0.5), 1700 + int(rng.integers(200))
    telling = f"The harbour of Trondby was built in {year}."
    other = f"The harbour of Belmark was built in {year + 40}."
    said = year if truth else year + 1 + int(rng.integers(30))
    lines = ["Fish is sold on the quay.", other, "A ferry leaves twice a day."]
    text = "\n".join([*lines, telling] if evidence else lines)
    impression = (2 * truth - 1) * SKILL + bias + COMMON * rng.normal()

    def speaker() -> Reasoner:
        one = Simulated(truth, impression, accuracy, telling, np.random.default_rng((seed, number)))
        return ScriptedReasoner({"judge": (one.judge,), "argue": (one.argue,)}, name="simulated", repeat=True)

    page = Passage("p", "page", "Harbours", text)
    result = f"The harbour of Trondby was built in {said}."
    own = (number, bias, accuracy, evidence)
    return await _trial(speaker, result, (page,), truth, check, group=own)


async def _trial(
    speaker: Callable[[], Reasoner], result: str, evidence: tuple[Passage, ...], truth: int,
    check: EntailmentCheck, task: str = "Is it so?", group: Hashable = None,
) -> Trial:  # fmt: skip
    """Judge one case by always debating, by each gate, and by a vote of as many calls as a debate has."""
    from ddax.configs.settings import Debate
    from ddax.debate.roles import Debater
    from ddax.debate.verdict import Case, evaluate_outcome
    from ddax.reasoning.protocol import JudgeRequest

    async def held(settings: Debate) -> tuple[float, int]:
        case = Case(task, result, result, "a true statement", evidence)
        voice = speaker()
        verdict = await evaluate_outcome(
            case,
            [Debater(voice.name, voice)],
            settings=settings,
            rng=np.random.default_rng(truth),
            check=check,
        )
        return float((verdict.value >= 0.5) == bool(truth)), verdict.calls

    debate, calls = await held(Debate(gate="always"))
    gated: dict[str, tuple[float, int]] = {name: await held(Debate(gate=name)) for name in GATES}
    voter = speaker()
    request = JudgeRequest(task, result, result, "a true statement", evidence)
    values = [(await voter.judge(request)).value for _ in range(BUDGET)]
    ayes = sum(value >= 0.5 for value in values)
    vote = ayes * 2 > BUDGET or (ayes * 2 == BUDGET and sum(values) / BUDGET >= 0.5)
    return Trial(debate, float(vote == bool(truth)), calls, gated, group)


def run(options: Options) -> Result:
    """Run the simulated worlds, then the statements of the two-hop questions."""
    from ddax.reasoning.entailment.rules import lexical

    n = 300 if options.quick else 2000
    figures: list[Figure] = []
    mixed: list[Trial] = []
    for bias, accuracy in WORLDS:
        for evidence in (True, False):
            trials = asyncio.run(_all(
                [simulated(i, bias=bias, accuracy=accuracy, evidence=evidence, seed=options.seed,
                           check=lexical) for i in range(n)]
            ))  # fmt: skip
            mixed += trials
            name = f"simulated, bias {bias:g}, accuracy {accuracy:g}, {'with' if evidence else 'no'} evidence"
            figures += _against(name, trials, evidence=evidence, seed=options.seed)
    figures += _gates("simulated", mixed, seed=options.seed)
    figures += asyncio.run(_embedded(options))
    notes = (
        f"simulated judges: logit ±{SKILL} + bias, error {COMMON} common to all calls and {OWN} of each "
        f"call; an argument that holds moves it by {MOVE}; the vote has {BUDGET} calls of the same judge",
        "judges whose errors are mostly their own gain more from voting: here most of the error is common, "
        "as with one model asked again",
        "embedded: the statement is a supporting sentence, false where its answer or a year was exchanged; "
        "intervals are over questions, n counts them; the paragraphs that tell, or each pair of the others",
        "embedded, with evidence: the cheap value believes every statement and half are false; a gate as "
        "right as always debating must debate each that the debate puts right, which is more than half of "
        "the calls in that world, so that the target is on both worlds together, as with the simulated",
    )
    return Result(NAME, tuple(figures), (options.seed,), 1, notes)


async def _all(trials: Sequence[Awaitable[Trial]]) -> list[Trial]:
    return [await trial for trial in trials]


def _against(name: str, trials: Sequence[Trial], *, evidence: bool, seed: int) -> list[Figure]:
    debate, vote = _grouped(trials, lambda t: t.debate), _grouped(trials, lambda t: t.vote)
    lead = paired_bootstrap(debate, vote, seed=seed)
    target = Target(">", 0.0) if evidence else Target(">=", -0.03)
    return [
        _share(f"{name}: debate right", debate, seed),
        _share(f"{name}: vote right", vote, seed),
        Figure(f"{name}: debate − vote, lower end", lead.low, "", target, lead.low, lead.high, len(debate)),
    ]


def _gates(name: str, trials: Sequence[Trial], *, seed: int, judged: bool = True) -> list[Figure]:
    """Compare each gate with debating everything; the default one has the targets where `judged`."""
    from ddax.configs.settings import Debate

    figures, always = [], _grouped(trials, lambda t: t.debate)
    for gate in GATES:
        ours = judged and gate == Debate().gate
        lead = paired_bootstrap(
            _grouped(trials, lambda t, gate=gate: t.gated[gate][0]),  # type: ignore[misc]
            always, seed=seed,
        )  # fmt: skip
        share = sum(t.gated[gate][1] for t in trials) / sum(t.calls for t in trials)
        figures += [
            Figure(f"{name}: calls under the gate {gate}, share of always", share, "",
                   Target("<=", 0.5) if ours else None, n=len(trials)),
            Figure(f"{name}: gate {gate} − always, accuracy", lead.value, "",
                   Target(">=", -0.03) if ours else None, lead.low, lead.high, len(always)),
        ]  # fmt: skip
    return figures


def _grouped(trials: Sequence[Trial], take: Callable[[Trial], float]) -> list[float]:
    """Return the mean of each group of trials that hang together, in order of the groups."""
    groups: dict[Hashable, list[float]] = {}
    for trial in trials:
        groups.setdefault(trial.group, []).append(take(trial))
    return [sum(values) / len(values) for values in groups.values()]


def _share(name: str, values: Sequence[float], seed: int) -> Figure:
    found = bootstrap(list(values), seed=seed)
    return Figure(name, found.value, "", None, found.low, found.high, len(values))


@dataclass(frozen=True)
class Statement:
    """A statement of a question's supporting paragraphs, true or made false, and what tells."""

    number: int
    question: str
    text: str
    truth: int
    telling: tuple[tuple[str, str], ...]
    silent: tuple[tuple[str, str], ...]


def statements(path: Path) -> list[Statement]:
    """Make a true and a false statement of each supporting sentence that can be changed."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    made = []
    for number, row in enumerate(rows):
        pages = {p["title"]: p["sentences"] for p in row["paragraphs"]}
        gold = {title for title, _ in row["supporting"]}
        lines = [pages[t][k] for t, k in row["supporting"] if t in pages and k < len(pages[t])]
        pairs = [p for line in lines if (p := _exchanged(line.strip(), row, rows, number))]
        telling = tuple((t, "".join(s)) for t, s in pages.items() if t in gold)
        silent = tuple((t, "".join(s)) for t, s in pages.items() if t not in gold)
        made += [
            Statement(number, row["question"], pair[k], 1 - k, telling, silent)
            for pair in pairs
            for k in (0, 1)
        ]
    return made


def _exchanged(
    line: str, row: dict[str, str], rows: list[dict[str, str]], number: int
) -> tuple[str, str] | None:
    """Return a sentence and its false twin: the answer exchanged for another's, else a year moved."""
    answer = row["answer"]
    if answer in line and answer.lower() not in ("yes", "no"):
        others = [
            r["answer"]
            for r in rows[number + 1 :] + rows[:number]
            if r["answer"].lower() not in ("yes", "no")
        ]
        alike = [o for o in others if o[:1].isdigit() == answer[:1].isdigit() and o not in line]
        return (line, line.replace(answer, alike[0])) if alike else None
    year = re.search(r"\b1[89]\d\d\b|\b20[01]\d\b", line)
    return (line, line.replace(year.group(), str(int(year.group()) - 13))) if year else None


async def _embedded(options: Options) -> list[Figure]:
    """Let the embedded reasoner judge the statements, with the telling paragraphs and without them."""
    from ddax.memory.embeddings import open_embedder
    from ddax.reasoning.embedded import EmbeddedReasoner
    from ddax.reasoning.entailment import open_check

    embedder = open_embedder()
    reasoner, check = EmbeddedReasoner(embedder), open_check(embedder)
    cases = statements(options.file(FILE))
    cases = [case for case in cases if case.number < QUICK] if options.quick else cases
    figures: list[Figure] = []
    every: list[Trial] = []
    for evidence in (True, False):
        trials = [
            await _trial(
                lambda: reasoner, case.text, _passages(pages), case.truth, check, case.question, case.number
            )
            for case in cases
            for pages in ([case.telling] if evidence else _pairs(case.silent))
        ]
        name = f"embedded, statements of two-hop questions, {'with' if evidence else 'no'} evidence"
        figures += _against(name, trials, evidence=evidence, seed=options.seed)
        figures += _gates(name, trials, seed=options.seed, judged=False)
        # Both worlds weigh the same in what follows: one pair of paragraphs for each statement.
        every += trials if evidence else _first(trials, cases)
    return figures + _gates("embedded, both worlds", every, seed=options.seed)


def _pairs(pages: Sequence[tuple[str, str]]) -> list[Sequence[tuple[str, str]]]:
    return [pages[k : k + PAGES] for k in range(0, len(pages) - PAGES + 1, PAGES)]


def _first(trials: Sequence[Trial], cases: Sequence[Statement]) -> list[Trial]:
    """Return the first trial of each statement."""
    starts = itertools.accumulate((len(_pairs(case.silent)) for case in cases[:-1]), initial=0)
    return [trials[start] for start in starts]


def _passages(pages: Sequence[tuple[str, str]]) -> tuple[Passage, ...]:
    from ddax.types import Passage

    return tuple(
        Passage(f"p{k}", f"{k}.md", title, text, 0, len(text)) for k, (title, text) in enumerate(pages)
    )
