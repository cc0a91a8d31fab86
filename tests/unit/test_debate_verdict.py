"""The debate: gate, quotes, vote, verdict."""

import json
import re
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddax.configs.settings import Debate
from ddax.debate.gate import gate, median, unanimous
from ddax.debate.quotes import is_verbatim, verified
from ddax.debate.records import Verdict
from ddax.debate.roles import Debater
from ddax.debate.rubric import Criterion, Rubric, load_rubric
from ddax.debate.verdict import Case, evaluate_outcome
from ddax.errors import BudgetExceeded, ReasonerError, SettingsError
from ddax.reasoning.budget import charge, usage_of
from ddax.reasoning.protocol import ArgueRequest, Argument, JudgeRequest, Judgment
from ddax.types import Citation, Passage, Usage

PASSAGE = Passage("p1", "file:a.txt", "A", "The bridge was opened in 1932 by the premier.")
TRUE_QUOTE = Citation("p1", "file:a.txt", "A", "opened in 1932")
FALSE_QUOTE = Citation("p1", "file:a.txt", "A", "opened in 1940")
unit = st.floats(0, 1)
ONE_CALL = Usage(model_calls=1, tokens=10, usd=0.01)


@dataclass
class Speaker:
    """A reasoner that says what it is told, moves its value by what it hears, and notes each request."""

    name: str = "speaker"
    cheap: float = 0.5
    quotes: tuple[tuple[Citation, ...], ...] = ((TRUE_QUOTE,), (TRUE_QUOTE,))
    strengths: tuple[float, ...] = (0.9, 0.2)
    calls_left: int = 100
    seen: list[object] = field(default_factory=list)

    def _note(self, request: object) -> None:
        if self.calls_left <= 0:
            raise BudgetExceeded("max_model_calls = 2 is reached.")
        self.calls_left -= 1
        self.seen.append(request)

    async def judge(self, request: JudgeRequest) -> Judgment:
        self._note(request)
        moved = sum(0.3 if role == "proponent" else -0.1 for role, _ in request.arguments)
        return Judgment(self.cheap + moved, 0.7, (("coverage", 0.5, "half"),), ONE_CALL)

    async def argue(self, request: ArgueRequest) -> Argument:
        self._note(request)
        k = 0 if request.side == "proponent" else 1
        return Argument(f"{request.side} speaks", self.quotes[k], self.strengths[k], ONE_CALL)

    def arguments_heard(self) -> list[tuple[str, Argument]]:
        last = [r for r in self.seen if isinstance(r, JudgeRequest)][-1]
        return list(last.arguments)


class FreshSpeaker(Speaker):
    """A speaker with another quote each time."""

    async def argue(self, request: ArgueRequest) -> Argument:
        self._note(request)
        word = PASSAGE.text.split()[len(request.heard)]
        return Argument("again", (Citation("p1", "file:a.txt", "A", word),), 0.5, ONE_CALL)


async def judged(speaker, *, settings=None, evidence=(PASSAGE,), seed=0, panel=(), **more):
    case = Case("When was it opened?", "read a", "1932", "a year", evidence, 0.2, ("look for dates",))
    return await evaluate_outcome(
        case, panel or [Debater(speaker.name, speaker)], settings=settings or Debate(),
        rng=np.random.default_rng(seed), **more,
    )  # fmt: skip


async def test_a_debate_is_held_near_the_boundary_and_moves_the_value():
    speaker = Speaker()
    verdict = await judged(speaker)
    assert verdict.debated and (verdict.cheap, verdict.value) == (0.5, pytest.approx(0.7))
    assert verdict.usage == Usage(4, 40, pytest.approx(0.04)) and verdict.confidence == 0.7
    assert [type(r) for r in speaker.seen] == [JudgeRequest, ArgueRequest, ArgueRequest, JudgeRequest]
    assert speaker.seen[0].arguments == () and speaker.seen[0].lessons == ("look for dates",)
    assert speaker.seen[2].heard == (f"{speaker.seen[1].side} speaks",)
    assert verdict.vote == median([0.5, 0.9, 0.8])


@pytest.mark.parametrize("cheap", [0.0, 0.3, 0.66, 1.0])
async def test_a_debate_that_cannot_change_the_decision_is_not_held(cheap):
    speaker = Speaker(cheap=cheap)
    verdict = await judged(speaker)
    assert not verdict.debated and verdict.value == verdict.vote == verdict.cheap == cheap
    assert len(speaker.seen) == 1 and "nearest boundary" in verdict.why


async def test_debates_can_be_switched_off_and_need_something_to_quote():
    off = await judged(Speaker(), settings=Debate(enabled=False))
    bare = await judged(Speaker(), evidence=())
    assert not off.debated and "off" in off.why and not bare.debated and "quote" in bare.why


@pytest.mark.parametrize(
    ("quotes", "heard"),
    [
        (((TRUE_QUOTE,), (FALSE_QUOTE,)), {"proponent"}),
        (((FALSE_QUOTE,), (TRUE_QUOTE, FALSE_QUOTE)), {"opponent"}),
        (((), (FALSE_QUOTE,)), set()),
    ],
)
async def test_an_argument_without_a_verbatim_quote_moves_nothing(quotes, heard):
    speaker = Speaker(quotes=quotes)
    verdict = await judged(speaker)
    assert verdict.debated and {role for role, _ in speaker.arguments_heard()} == heard
    for _, argument in speaker.arguments_heard():
        assert argument.citations == (TRUE_QUOTE,)
    if not heard:
        assert verdict.value == verdict.cheap and "no argument held" in verdict.why
        assert verdict.usage.model_calls == 3


async def test_rounds_hear_what_was_said():
    speaker = Speaker()
    verdict = await judged(speaker, settings=Debate(rounds=3))
    assert len(verdict.transcript) == 4, "the second round brought no new quote, so it is the last"
    fresh = FreshSpeaker()
    verdict = await judged(fresh, settings=Debate(rounds=3))
    heard = [len(r.heard) for r in fresh.seen if isinstance(r, ArgueRequest)]
    assert heard == [0, 1, 2, 3, 4, 5] and len(verdict.transcript) == 6


async def test_who_begins_is_drawn_and_the_same_seed_draws_the_same():
    first = {(await judged(Speaker(), seed=s)).transcript[0].role for s in range(12)}
    assert first == {"proponent", "opponent"}
    assert (await judged(Speaker(), seed=3)) == (await judged(Speaker(), seed=3))


async def test_a_budget_that_ends_in_the_debate_leaves_the_cheap_value():
    verdict = await judged(Speaker(calls_left=3))
    assert verdict.value == verdict.cheap == 0.5 and "budget" in verdict.why
    assert verdict.usage.model_calls == 3
    with pytest.raises(BudgetExceeded):
        await judged(Speaker(calls_left=0))


async def test_a_call_that_the_budget_ended_in_the_debate_is_paid():
    class Charged(Speaker):
        async def argue(self, request):
            error = BudgetExceeded("max_seconds = 2 is reached.")
            charge(error, ONE_CALL)
            raise error

    assert (await judged(Charged())).usage == ONE_CALL + ONE_CALL


@pytest.mark.parametrize("calls", [0, 1, 2, 3])
async def test_what_was_paid_before_a_call_that_failed_is_paid(calls: int):
    """A vote, two speeches and the judge again: each of them fails once."""

    class Failing(Speaker):
        def _note(self, request: object) -> None:
            if len(self.seen) == calls:
                error = ReasonerError("The provider is down.")
                charge(error, ONE_CALL)
                raise error
            super()._note(request)

    with pytest.raises(ReasonerError) as caught:
        await judged(Failing())
    assert usage_of(caught.value).model_calls == calls + 1


async def test_what_the_first_voters_cost_is_paid_where_the_next_one_fails():
    class Broken(Speaker):
        async def judge(self, request):
            raise ReasonerError("The provider is down.")

    panel = [Debater("a", Speaker("a"), 0.9), Debater("b", Broken("b"), 0.1)]
    with pytest.raises(ReasonerError) as caught:
        await judged(Speaker(), panel=panel, settings=Debate(first_votes=2))
    assert usage_of(caught.value) == ONE_CALL


async def test_a_failing_reasoner_is_an_error_not_a_value():
    class Broken(Speaker):
        async def judge(self, request):
            raise ReasonerError("The provider is down.")

    with pytest.raises(ReasonerError):
        await judged(Broken())


async def test_a_panel_shares_the_roles_and_agreement_saves_the_debate():
    panel = [Debater(f"d{i}", Speaker(f"d{i}", cheap=c), 0.6) for i, c in enumerate((0.55, 0.52, 0.6, 0.58))]
    verdict = await judged(Speaker(), panel=panel)
    assert not verdict.debated and "agree" in verdict.why and len(verdict.roles["judges"].split(", ")) == 2
    split = [Debater(f"d{i}", Speaker(f"d{i}", cheap=c), 0.6) for i, c in enumerate((0.4, 0.6, 0.4, 0.6))]
    outcomes = [await judged(Speaker(), panel=split, seed=s) for s in range(8)]
    assert any(v.debated for v in outcomes)
    assert all(len({s.speaker for s in v.transcript}) == 2 for v in outcomes if v.debated)


async def test_a_verdict_is_plain_json():
    row = (await judged(Speaker(quotes=((TRUE_QUOTE,), (FALSE_QUOTE,))))).row()
    assert json.loads(json.dumps(row)) == row and len(json.dumps(row)) < 2000
    assert {s["role"]: s["held"] for s in row["transcript"]} == {"proponent": ["p1"], "opponent": []}
    failed = Verdict.failure("x" * 1000)
    assert failed.value == 0 and failed.confidence == 1 and len(failed.why) < 300 and not failed.debated


@given(st.lists(unit, min_size=1, max_size=9), unit)
def test_the_vote_stands_where_the_majority_stands(values, boundary):
    above = sum(v >= boundary for v in values)
    if len(values) % 2:
        assert (median(values) >= boundary) == (2 * above > len(values))


@given(st.lists(unit, min_size=1, max_size=5), unit)
def test_the_gate_opens_only_near_a_boundary(values, margin):
    opened = gate(values, margin=margin)
    assert opened.why
    if opened.opens:
        assert abs(median(values) - 0.5) < margin and not unanimous(values)
    assert not gate(values, margin=margin, quotable=False).opens


def test_one_judge_is_not_unanimous():
    assert not unanimous([0.5]) and unanimous([0.6, 0.9]) and not unanimous([0.4, 0.6])


def test_quotes_must_be_verbatim_in_the_passage_they_name():
    assert is_verbatim(TRUE_QUOTE, [PASSAGE]) and not is_verbatim(FALSE_QUOTE, [PASSAGE])
    assert not is_verbatim(Citation("p2", "file:a.txt", "A", "opened in 1932"), [PASSAGE])
    assert not is_verbatim(Citation("p1", "file:a.txt", "A", "  "), [PASSAGE])
    both = Argument("x", (TRUE_QUOTE, FALSE_QUOTE), 0.5)
    assert verified(both, [PASSAGE]) == Argument("x", (TRUE_QUOTE,), 0.5)


def test_the_default_rubric_is_the_one_judges_go_by(tmp_path):
    assert load_rubric().names == JudgeRequest("", "", "", "", ()).rubric
    with pytest.raises(SettingsError) as refused:
        load_rubric("defalt")
    assert refused.value.what == "There is no rubric 'defalt'."
    assert refused.value.why == "It is neither a name that is known nor a file."
    assert re.fullmatch(r"Known: (\w+, )*default(, \w+)*\.", str(refused.value.mend))
    for file in ("mine.yaml", "mine.yml"):
        mine = tmp_path / file
        mine.write_text("criteria:\n  beauty: >\n    Is it\n    beautiful?\n  2: So?\n")
        wanted = (Criterion("beauty", "Is it beautiful?"), Criterion("2", "So?"))
        assert load_rubric(mine) == Rubric("mine", wanted)
    mine.write_text("name: ours\ncriteria:\n  beauty: Is it?\n")
    assert load_rubric(mine).name == "ours"
    mine.write_text("criteria: []\n")
    with pytest.raises(SettingsError, match="maps names"):
        load_rubric(mine)
