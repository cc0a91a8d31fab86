"""What opens a debate and who sits in it, whole: gates with their chance, refusals, roles and rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ddax.configs.settings import Debate
from ddax.debate.carried import Quotes, carriers
from ddax.debate.gate import Gate, gate, median, opening, unanimous, weighted_median
from ddax.debate.outcomes import JudgeStore, outcome_rows
from ddax.debate.panel import Seat, load_panel
from ddax.debate.quotes import MAX_SENTENCES, Bearing, Carrying, is_verbatim, statements, verified
from ddax.debate.records import Speech
from ddax.debate.renderings import bare, differs, renders
from ddax.debate.roles import Debater, assign_roles, devils_advocate
from ddax.debate.rubric import Criterion, Rubric, load_rubric
from ddax.debate.support import Means, supports
from ddax.debate.task_rubric import requirements, rubric_row, task_rubric
from ddax.debate.verdict import majority
from ddax.errors import SettingsError, StateError, UsageError
from ddax.reasoning.entailment.rules import lexical
from ddax.reasoning.protocol import Argument, Stated
from ddax.reasoning.scripted import ScriptedReasoner
from ddax.types import Citation, Entailment, Passage

NOTHING = "nothing was read that an argument could quote"
OFF = Gate(False, "debates are switched off", 0.0)


def near(gate: Gate, opens: bool, why: str, change: float) -> None:
    assert (gate.opens, gate.why) == (opens, why) and gate.change == pytest.approx(change)


@pytest.mark.parametrize(
    ("values", "margin", "opens", "why", "change"),
    [
        ([0.5], 0.2, True, "the value 0.50 is within 0.20 of a boundary", 1.0),
        ([0.55], 0.2, True, "the value 0.55 is within 0.20 of a boundary", 0.75),
        ([0.25], 0.25, False, "the value 0.25 is 0.25 from the nearest boundary", 0.0),
        ([0.75], 0.25, False, "the value 0.75 is 0.25 from the nearest boundary", 0.0),
        ([0.5, 0.7], 0.4, False, "all 2 judges agree", 0.0),
        ([0.4, 0.6, 0.9], 0.2, True, "the value 0.60 is within 0.20 of a boundary", 0.5),
    ],
)
def test_a_gate_says_whether_why_and_by_what_chance(
    values: list[float], margin: float, opens: bool, why: str, change: float
) -> None:
    near(gate(values, margin=margin), opens, why, change)
    near(opening(Debate(gate="margin", margin=margin), values, confidence=0.0), opens, why, change)
    near(gate(values, margin=margin, quotable=False), False, NOTHING, 0.0)


def test_the_nearest_of_several_boundaries_counts_and_all_must_be_agreed_on() -> None:
    near(
        gate([0.72], margin=0.1, boundaries=(0.5, 0.7)),
        True,
        "the value 0.72 is within 0.10 of a boundary",
        0.8,
    )
    assert unanimous([0.6, 0.9], (0.5,)) and not unanimous([0.6, 0.9], (0.5, 0.7))
    assert not unanimous([0.6]) and not unanimous([0.4, 0.5]) and unanimous([0.1, 0.2, 0.4])


def test_each_rule_opens_with_its_own_words() -> None:
    def opened(rule: Any, *values: float, confidence: float = 0.9, **more: Any) -> Gate:
        return opening(Debate(gate=rule, doubt=0.6, margin=0.1), values, confidence=confidence, **more)

    assert opening(Debate(enabled=False), [0.5], confidence=0.0) == opened("never", 0.5) == OFF
    assert opened("always", 0.9) == Gate(True, "every value is debated", 1.0)
    assert opened("always", 0.9, quotable=False) == Gate(False, NOTHING, 0.0)
    near(opened("doubt", 0.9, confidence=0.25), True, "the confidence 0.25 is below 0.60", 0.75)
    assert opened("doubt", 0.9, confidence=0.6) == opened("margin", 0.9, confidence=0.25)
    near(opened("doubt", 0.5, confidence=0.25), True, "the value 0.50 is within 0.10 of a boundary", 1.0)
    assert opened("doubt", 0.9, 0.8, confidence=0.25).why == "all 2 judges agree"
    assert opened("doubt", 0.9, confidence=0.25, quotable=False).why == NOTHING
    disputed = Bearing("It is red. " * 20)
    cut = f"what was read contradicts “{'It is red. ' * 6}It is red.…”"
    found = opened("evidence", 0.5, bearing=disputed)
    assert (found.opens, found.change) == (True, 1.0) and found.why[:40] == cut[:40] and len(found.why) < 120
    assert opened("evidence", 0.49, bearing=disputed) == Gate(False, "the value is low already")
    assert opened("evidence", 0.9, bearing=Bearing()) == Gate(False, "nothing read contradicts the result")
    assert opened("both", 0.5, bearing=Bearing(silent=True)) == Gate(
        False, "nothing read bears on the result"
    )
    assert opened("both", 0.5) == opened("margin", 0.5)


@pytest.mark.parametrize(
    ("values", "weights", "wanted"),
    [
        ([0.1, 0.5, 0.9], [0.2, 0.2, 0.2], 0.5),
        ([0.9, 0.1], [0.4, 0.6], 0.1),
        ([0.9, 0.1], [0.6, 0.4], 0.9),
        ([0.1, 0.5, 0.9], [0.5, 0.25, 0.25], 0.1),
        ([0.1, 0.5, 0.9], [0.25, 0.25, 0.5], 0.5),
        ([0.1, 0.9], [0.0, 1.0], 0.9),
        ([0.1, 0.3, 0.9, 0.5], [0.0] * 4, 0.4),
    ],
)
def test_the_value_at_half_of_the_weight(values: list[float], weights: list[float], wanted: float) -> None:
    assert weighted_median(values, weights) == pytest.approx(wanted)


def test_a_majority_counts_an_opponents_strength_against() -> None:
    def speech(role: str, strength: float) -> Speech:
        return Speech(role, "x", Argument("said", (), strength), None)

    assert majority([0.5], [speech("proponent", 0.8), speech("opponent", 0.1)]) == 0.8
    assert majority([0.5], [speech("proponent", 0.2), speech("opponent", 0.9)]) == pytest.approx(0.2)
    assert majority([0.3], []) == median([0.3]) == 0.3


def told(call: Any, *arguments: Any) -> tuple[str, str, str]:
    with pytest.raises((SettingsError, StateError, UsageError)) as caught:
        call(*arguments)
    return caught.value.what, caught.value.why, caught.value.mend


DEBATER = (
    "Such a debater could not speak.",
    "Give it a role (any, proponent, opponent, judge) and, where it has its own, a model.",
)


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ("ann: {role: king}", "'ann' has the role 'king' or a comma in its name"),
        ('"a,b": {role: judge}', "'a,b' has the role 'judge' or a comma in its name"),
        ("ann: {size: 1, hue: 2}", "'ann' has the key 'hue'"),
    ],
)
def test_a_debater_that_could_not_speak_is_refused_whole(tmp_path: Path, row: str, wrong: str) -> None:
    file = tmp_path / "p.yml"
    file.write_text(f"debaters:\n  {row}\n")
    what, *rest = told(load_panel, file)
    assert what.endswith(f": the debater {wrong}.") and str(file) in what and tuple(rest) == DEBATER


@pytest.mark.parametrize("text", ["debaters: {}\n", "debaters: [a]\n", "others: {a: b}\n"])
def test_a_panel_or_rubric_of_nothing_is_refused_whole(tmp_path: Path, text: str) -> None:
    file = tmp_path / "p.yaml"
    file.write_text(text)
    what, *rest = told(load_panel, file)
    assert what.endswith(": `debaters` maps names to their role and model.")
    assert rest == ["It holds something else.", "Write at least one line `name: {role: any}`."]
    file.write_text(text.replace("debaters", "criteria"))
    what, *rest = told(load_rubric, file)
    assert what.endswith(": `criteria` maps names to what they mean.")
    assert rest == ["It holds something else.", "Write at least one line `name: question`."]


def test_what_is_neither_a_name_nor_a_file_is_told_with_what_is_known() -> None:
    for load, kind in ((load_panel, "panel"), (load_rubric, "rubric")):
        what, why, mend = told(load, "x" * 90)
        assert what == f"There is no {kind} {'x' * 80!r}."
        assert why == "It is neither a name that is known nor a file." and mend.startswith("Known: ")
        assert mend.endswith(".") and "default" in mend


def test_rows_of_a_panel_and_of_a_rubric_are_read_whole(tmp_path: Path) -> None:
    file = tmp_path / "mine.yml"
    file.write_text("debaters:\n  ann:\n  7: {model: }\n  bo: {role: proponent, model: m}\n")
    assert load_panel(file) == (Seat("ann"), Seat("7", "any", ""), Seat("bo", "proponent", "m"))
    file.write_text("criteria:\n  1: |\n    two\n    lines\n  b: Is it?\n")
    assert load_rubric(file) == Rubric("mine", (Criterion("1", "two lines"), Criterion("b", "Is it?")))
    file.write_text("name: own\ncriteria: {b: Is it?}\n")
    assert load_rubric(str(file)) == Rubric("own", (Criterion("b", "Is it?"),))
    file.write_text("criteria: {b: ''}\n")
    assert told(load_rubric, file)[1] == "It holds something else."


def seats(**trust: float) -> list[Debater]:
    return [Debater(name, ScriptedReasoner({}), value) for name, value in trust.items()]


def test_roles_go_by_trust_and_nobody_is_left_out_without_need() -> None:
    rng = np.random.default_rng(0)
    assert told(assign_roles, [], rng) == (
        "A debate needs a participant.", "Nobody is left to speak.", "Give at least one debater.",
    )  # fmt: skip
    (one,) = seats(a=0.0)
    assert assign_roles([one], rng).names() == {"proponent": "a", "opponent": "a", "judges": "a"}
    fixed = {"b": "opponent"}
    two = assign_roles(seats(a=0.9, b=0.5), rng, fixed)
    assert two.names() == {"proponent": "a", "opponent": "b", "judges": "a"}
    four = assign_roles(seats(d=0.6, c=0.9, a=0.6, b=0.5), rng, fixed)
    assert four.names() == {"proponent": "c", "opponent": "b", "judges": "a, d"}, "equals go by name"
    drawn = {devils_advocate(seats(a=0.0, b=1.0), np.random.default_rng(k)).name for k in range(20)}
    assert drawn == {"b"}


def test_a_statement_is_read_without_its_yes_and_cut_at_its_limits() -> None:
    assert [bare(t) for t in ("Yes, it is.", "Nein – nie.", "Yes.", "Yesterday it was.", "NO: x")] == [
        "it is.", "nie.", "Yes.", "Yesterday it was.", "x",
    ]  # fmt: skip
    text = " ".join(f"Sentence number {k} is here." for k in range(MAX_SENTENCES + 2))
    assert statements(text) == [f"Sentence number {k} is here." for k in range(6)]
    assert statements("Red. It is red.") == ["It is red."]
    assert statements("Red. Blue.") == ["Red."] and statements(" ") == []


PASSAGE = Passage("p1", "a", "A", "The bridge was opened in 1932. It is red.")


def test_only_the_quotes_that_hold_are_left_of_an_argument() -> None:
    def quoted(quote: str, where: str = "p1") -> Citation:
        return Citation(where, "a", "A", quote)

    good, spaced = quoted("It is red."), quoted(" opened in 1932 ")
    bad = (quoted("It is blue."), quoted("It is red.", "p2"), quoted("  "))
    assert [is_verbatim(c, [PASSAGE]) for c in (good, spaced, *bad)] == [True, True, False, False, False]
    argument = Argument("Look.", (bad[0], good, bad[1], spaced), 0.7)
    assert verified(argument, [PASSAGE]) == Argument("Look.", (good, spaced), 0.7)
    assert verified(Argument("Look.", bad, 0.7), [PASSAGE]) is None
    assert verified(argument, []) is None


@pytest.mark.parametrize(
    ("side", "relation", "confidence", "carries"),
    [
        ("proponent", "entailment", 0.5, True), ("proponent", "entailment", 0.49, False),
        ("proponent", "contradiction", 1.0, False), ("opponent", "contradiction", 0.5, True),
        ("opponent", "contradiction", 0.49, False), ("opponent", "neutral", 1.0, False),
        ("opponent", "entailment", 0.5, True),
    ],
)  # fmt: skip
def test_a_quote_carries_from_the_confidence_asked_of_it(
    side: str, relation: Any, confidence: float, carries: bool
) -> None:
    def check(quote: str, line: str) -> Entailment:
        return Entailment(relation, confidence)

    assert Carrying(check, "It is so.").carries(side, "a quote", "It is said.") is carries


def flat(value: float) -> Any:
    return lambda _, others: np.full(len(others), value, np.float32)


@pytest.mark.parametrize(
    ("quote", "line", "different"),
    [
        ("Ann beat Bo in 1990.", "Bo beat Ann in 1990.", True),
        ("Ann beat Bo in 1990.", "Bo was beaten by Ann in 1990.", False),
        ("Ann is taller than Bo.", "Bo is taller than Ann.", False),
        ("It rose from 10 to 20 degrees.", "It rose from 20 to 10 degrees.", True),
        ("It has 3 doors and 4 windows.", "It has 4 windows and 3 doors.", False),
        ("It has 3 doors and 4 windows.", "It has 4 doors and 3 windows.", True),
        ("Ann paid 10 and Bo paid 20.", "Bo paid 20 and Ann paid 10.", False),
        ("Ann paid 10 and Bo paid 20.", "Ann paid 20 and Bo paid 10.", True),
        ("Ann paid 10 and Bo paid 20.", "Bo paid 10 and Ann paid 20.", True),
        ("The pier is 12 m long.", "The pier is 12 km long.", True),
        ("The pier is long.", "The pier is not long.", True),
        ("Opened on 3 May 1902 by Ann.", "Opened by Ann on May 3 1902.", False),
    ],
)
def test_what_changed_places_is_another_thing(quote: str, line: str, different: bool) -> None:
    assert differs(quote, line, flat(1.0)) is different


def test_what_two_quotes_say_only_together_rests_on_both() -> None:
    quotes = [
        Citation("m1", "a", "Pier", "Jan Orr drew the pier."),
        Citation("m2", "b", "Harbour", "It cost 900 crowns."),
    ]
    line = "Jan Orr drew the pier, and it cost 900 crowns."
    neutral = Means(lambda *_: Entailment("neutral", 1.0), flat(1.0))
    (both,) = supports(line, quotes, neutral, stated=[Stated(line, (1, 2))])
    assert (both.status, both.citations) == ("paraphrase", (1, 2))
    (one,) = supports(line, quotes, neutral, stated=[Stated(line, (1,))])
    assert (one.status, one.citations) == ("unchecked", (1,))
    (out,) = supports(line, quotes, neutral, stated=[Stated(line, (0, 3, 2))])
    assert (out.status, out.citations) == ("unchecked", (2,)), "only citations that are there are named"
    far = Means(neutral.check, flat(0.0))
    other = "Jan Orr sketched the pier, and it swallowed 900 crowns."
    (found,) = supports(other, quotes, far, stated=[Stated(other, (1, 2))])
    assert found.status == "unchecked"


def test_a_rendering_needs_words_in_common_or_likeness() -> None:
    quote = "The ferry leaves at dawn."
    assert renders(quote, "Ferry: at dawn it leaves.", flat(1.0))
    assert not renders(quote, "", flat(1.0)) and not renders(quote, "It is.", flat(1.0))
    assert not renders(quote, "Whales sing loudly.", flat(1.0))


def test_rows_of_a_table_are_told_by_the_row_of_their_columns_alone() -> None:
    header, one, two = (
        "| Ferry | Captain | Speed |",
        "| Borealis | Per Lund | 24 |",
        "| Aurora | Ada Calder | 18 |",
    )
    said = "Borealis: Captain Per Lund, Speed 24."
    for quotes, number in (
        ([header, one, two], 2),
        ([one, two, header], 1),
        ([one], 0),
        ([two, one], 0),
        ([header], 0),
    ):
        assert Quotes(quotes).word_for_word(said) == number, quotes
    assert Quotes([one, one]).word_for_word("Borealis: Per Lund Per Lund, 24 24.") == 0
    assert carriers("Per Lund: Captain Borealis, Speed 24.", [header, one], lexical) == [0]


def test_the_first_quote_that_entails_with_enough_confidence_carries() -> None:
    sure = {
        "a": Entailment("entailment", 0.69),
        "b": Entailment("neutral", 1.0),
        "c": Entailment("entailment", 0.7),
    }
    quotes = Quotes(["a", "b", "c", "c"])
    assert quotes.entailing("x", lambda quote, line: sure[quote], 0.7) == 3
    assert quotes.entailing("x", lambda quote, line: sure[quote], 0.5) == 1
    assert quotes.entailing("x", lambda quote, line: sure[quote], 0.71) == 0


def test_the_rubric_of_a_task_is_made_whole() -> None:
    rubric = task_rubric("When was Ilse Maran born? Keep the answer very short.")
    assert rubric == Rubric(
        "task",
        (
            Criterion("bears on Ilse Maran", "Does the result say something of Ilse Maran?"),
            Criterion("gives a date", "Is there what was asked for: it gives a date?"),
            Criterion("meets: Keep the answer very short.", "Is this met: Keep the answer very short.?"),
        ),
    )
    row = rubric_row(("coverage", "gives a date"), rubric)
    assert row["rubric"] == ["coverage", "gives a date", "bears on Ilse Maran", rubric.names[2]]
    assert row["task_criteria"] == {c.name: c.meaning for c in rubric.criteria} and len(row["version"]) == 12
    items = "\n".join(f"- item number {k}" for k in range(6)) + "\n- too short"
    assert requirements(f"Do it.\n{items}") == [f"item number {k}" for k in range(4)]
    (long,) = requirements(f"Why? Name {'x' * 80} and more.")
    assert long == f"Name {'x' * 55}"


def test_judged_values_are_kept_once_whole_and_by_time(tmp_path: Path) -> None:
    now = [10.00049]
    store = JudgeStore(tmp_path, clock=lambda: now[0])
    assert store.names() == [] and store.rows("m") == []
    assert store.add("t1", [("m", "k1", 0.12345678, 1.0), ("n", "k1", 0.5, 0.0)]) == 2
    now[0] = 20.0
    assert store.add("t2", [("m", "k1", 0.9, 0.0), ("m", "k0", 0.4, 1.0)]) == 1
    first = {"key": "k1", "task": "t1", "at": 10.0, "value": 0.123457, "outcome": 1.0}
    second = {"key": "k0", "task": "t2", "at": 20.0, "value": 0.4, "outcome": 1.0}
    assert store.names() == ["m", "n"] and store.rows("m") == [first, second]
    assert store.rows("m", before=20.0) == [first] and store.rows("m", before=10.0) == []
    assert store.wrong("t1") == 2 and store.wrong("t3") == 0
    assert store.rows("m") == [{**first, "outcome": 0.0}, second]
    (file, _) = sorted(tmp_path.glob("judge-*.json"))
    file.write_text('{"schema": 9, "rows": {}}')
    assert told(store.names) == (
        f"The file {str(file)!r} holds no judged values in a version known here.",
        "It was damaged, or written by a newer release.",
        "Upgrade ddax, or move the file aside.",
    )


def test_a_judged_result_was_right_where_the_answer_rests_on_it() -> None:
    rows = [
        {"task": "t", "idea": "0.1", "step": 2, "raw": {"a": 0.7, "b": 1}, "models": {"a": "m", "b": "n"}},
        {"task": "t", "idea": "0.2", "step": 3, "raw": {"a": 0.2}, "models": {"a": "m"}},
        {"task": "t", "idea": "0.3", "step": 3},
    ]
    evidence = {"0.1": ["x", "y"], "0.2": ["z"]}
    assert outcome_rows(rows, evidence, frozenset({"y"}), found=True) == [
        ("m", "t:0.1:2:a", 0.7, 1.0), ("n", "t:0.1:2:b", 1.0, 1.0), ("m", "t:0.2:3:a", 0.2, 0.0),
    ]  # fmt: skip
    assert {row[3] for row in outcome_rows(rows, evidence, frozenset({"y"}), found=False)} == {0.0}


def test_eighty_bytes_of_a_disputed_sentence_are_told() -> None:
    told = opening(Debate(gate="evidence"), [0.6], confidence=1.0, bearing=Bearing(disputed="a" * 200)).why
    assert len(told.partition("“")[2].removesuffix("”").encode()) == 80


def test_a_rubric_of_text_that_is_no_unicode_has_a_version() -> None:
    own = Rubric("own", (Criterion("clear", "half of a pair: \ud800"),))
    assert len(rubric_row(("true",), own)["version"]) == 12
