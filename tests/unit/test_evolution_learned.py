"""What earlier repairs taught orders the next search, within a limit."""

from __future__ import annotations

from ddax.evolution.learned import LIMIT, adjustments, rule_text, successes
from ddax.evolution.localise import Row, suspicion
from ddax.evolution.operators import Seen, Source, first_order

TEXT = b"def f(a, b):\n    return a + b\n"


def first(operator: str, priors: dict[str, float]) -> int:
    listed = first_order(Source("a.py", TEXT, Seen()), {2: 1.0}, priors=priors)
    return next(i for i, (_, edit) in enumerate(listed) if edit.operator == operator)


def test_rules_are_counted_by_operator():
    rules = [{"operator": "compare"}, {"operator": "compare"}, {"operator": "wrap"}, {"text": "x"}]
    assert successes(rules) == {"compare": 2, "wrap": 1}
    assert rule_text("off_by_one", 2) == "A repair by the edit 'off by one' has held 2 times."


def test_success_makes_an_operator_cheaper_up_to_a_limit():
    found = adjustments({"compare": 1, "wrap": 3, "negate": 10**6})
    assert 0 > found["compare"] > found["wrap"] > found["negate"] == -LIMIT
    assert adjustments({}) == {}


def test_what_was_learned_comes_earlier():
    listed = first_order(Source("a.py", TEXT, Seen()), {2: 1.0})
    late = listed[len(listed) // 2][1].operator
    assert first(late, {late: -LIMIT}) < first(late, {})


def test_a_function_named_in_a_failing_test_and_a_hint_are_suspected_more():
    row = Row(0, "assert", "AssertionError", "", "", 0, 0, 3, lines=(("a.py", 0), ("a.py", 2), ("a.py", 6)))
    plain = suspicion([row])
    assert plain == {("a.py", 2): 1.0, ("a.py", 6): 1.0}
    assert suspicion([row], named={("a.py", 6)})[("a.py", 6)] > 1.0
    assert (
        suspicion([row], hints=[("a.py", 2)])[("a.py", 2)]
        > suspicion([row], named={("a.py", 2)})[("a.py", 2)]
    )
