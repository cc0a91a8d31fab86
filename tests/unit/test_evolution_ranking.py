"""Among patches that pass every test: the examples, agreement, types and crashes decide."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ddax.evolution.inside.probing import show
from ddax.evolution.judging.inputs import agrees, around, changed_functions, examples, probes_of
from ddax.evolution.judging.ranking import Suspect, Written, literals, penalties
from ddax.evolution.operators import Seen, Source, first_order

PROGRAM = '''
def last(xs):
    """Return the last one.

    >>> last([1, 2])
    2
    >>> last("ab")
    'b'
    >>> x = 3
    >>> last([])
    Traceback (most recent call last):
    IndexError: list index out of range
    """
    return xs[-1]
'''


def best(*suspects: Suspect, before=("int 1", "int 1"), wanted=(), words=frozenset()) -> int:
    faults = penalties(suspects, before=before, wanted=wanted, words=words)
    return min(range(len(suspects)), key=lambda i: faults[i])


def one(*answers: str, rank: float = 0.0, text: str = "x", old: str = "", shown=(), lost=0.0) -> Suspect:
    return Suspect(rank, (Written(text, old),), answers, tuple(shown), lost)


def test_examples_of_docstrings_are_read_where_they_are_expressions():
    found = examples("a.py", PROGRAM)
    assert [(probe["code"], want) for probe, want in found] == [("last([1, 2])", "2"), ('last("ab")', "'b'")]
    assert examples("a.py", "def f(:") == []


def test_a_comparison_in_a_docstring_with_nothing_below_it_is_a_claim():
    text = '"""Double.\n\n>>> f(2) == 4\n>>> f(1)\n>>> f(3) == 7\nFalse\n"""\n'
    found = [(probe["code"], want) for probe, want in examples("a.py", text)]
    assert found == [("f(2) == 4", "True"), ("f(3) == 7", "False")]
    assert agrees(show(True), "True")
    assert not agrees(show(False), "True")


def test_an_answer_agrees_with_an_example_whatever_its_quotes():
    assert agrees(show("b"), '"b"')
    assert agrees(show([1, (2, 0.5)]), "[1, (2, .5)]")
    assert agrees(show({1, 2}), "{2, 1}")
    assert not agrees(show(True), "1")
    assert not agrees("raises ValueError", "1")


def test_who_breaks_an_example_ranks_last():
    assert (
        best(
            one("int 1", "int 1", shown=["int 3"]),
            one("int 1", "int 1", rank=2.0, shown=["int 2"]),
            wanted=["2"],
        )
        == 1
    )


def test_who_answers_as_the_others_ranks_first():
    lonely, two, three = (
        one("int 9", "int 8"),
        one("int 1", "int 2", rank=0.3),
        one("int 1", "int 2", rank=0.4),
    )
    assert best(lonely, two, three) == 1


def test_who_crashes_alone_or_changes_the_type_ranks_last():
    assert best(one("raises IndexError", "int 1"), one("int 1", "int 1"), one("int 1", "int 1")) == 1
    assert best(one("str 1", "str 1"), one("int 1", "int 1", rank=0.2)) == 1


def test_who_loses_branches_ranks_last():
    assert best(one("int 1", "int 1", lost=0.5), one("int 1", "int 1", rank=0.4)) == 1
    assert best(one("int 1", "int 1", lost=0.5), one("int 1", "int 1", rank=0.4, lost=0.5)) == 0


def test_who_needs_a_second_edit_ranks_last():
    two = Suspect(-0.5, (Written("x"), Written("y")), ("int 1", "int 1"))
    assert best(two, one("int 1", "int 1")) == 1


def test_a_value_of_a_test_in_the_code_is_doubted():
    assert (
        best(
            one("int 1", text="x == 37"),
            one("int 1", rank=0.5, text="x > y"),
            before=("int 1",),
            words=literals("37"),
        )
        == 1
    )
    assert literals("f(0, 1, 2, '', None)") == frozenset()
    assert literals("    if x == 37:\n        return 9\n    return y\n") == {"37", "9"}


def test_only_what_is_new_in_an_edit_counts_as_its_length_and_as_its_values():
    line = "total = price * quantity"
    assert Written(f"{line}\nreturn total", line).length() == len("\nreturn total")
    assert Written("f(a, 37, c)", "f(a, 37, b)").values() == frozenset()
    long, short = one("int 1", text=f"{line} - 1", old=line), one("int 1", text="- quantity", rank=0.01)
    assert best(long, short, before=("int 1",)) == 0


values = st.recursive(
    st.integers(-50, 50) | st.text(max_size=4) | st.booleans() | st.floats(-9, 9, allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)


@given(st.lists(st.lists(values, min_size=1, max_size=2), min_size=1, max_size=4))
def test_inputs_near_the_seen_ones_begin_with_them_and_repeat_nothing(rows):
    made = around(rows)
    assert made[0] == rows[0]
    assert len({repr(row) for row in made}) == len(made)
    assert all(len(row) in {len(r) for r in rows} for row in made)


def test_probes_are_plain_and_the_same_every_time():
    calls = {("a.py", "f"): ([1, ["l", [1, 2]]],)}
    assert probes_of(calls) == probes_of(calls)
    assert probes_of(calls)[0] == {"path": "a.py", "name": "f", "args": [1, ["l", [1, 2]]]}


def test_a_name_that_is_never_read_is_a_likely_slip():
    text = b"def f(a, b):\n    top = a + b\n    return a * 2\n"
    assert Source("a.py", text, Seen()).unused() == {"top"}
    ranks = {edit.text: rank for rank, edit in first_order(Source("a.py", text, Seen()), {3: 1.0})}
    assert ranks["top"] < ranks["b"]


def test_an_attribute_that_is_never_read_is_a_likely_slip_and_what_only_repeats_it_is_none():
    head = b"class A:\n    def __init__(self, n):\n        self.n = n\n\n"
    text = head + b"    def f(self, x):\n        return x * 2\n"
    seen = Seen({("a.py", 5): {"self.n": frozenset({"int"}), "x": frozenset({"int"})}})
    assert Source("a.py", text, seen).unused() == {"self.n"}
    ranks = {edit.text: rank for rank, edit in first_order(Source("a.py", text, seen), {3: 1.0, 6: 1.0})}
    assert ranks["self.n"] < ranks["x"]
    assert ranks["        self.n += n\n"] == 0.9


def test_functions_that_changed_are_probed_before_others():
    calls = {("a.py", name): [[1]] for name in ("alpha", "beta", "delta", "gamma", "zeta")}
    old = "def alpha(x):\n    return x\n\n\ndef zeta(x):\n    return x\n"
    changed = changed_functions("a.py", old, old.replace("return x", "return -x", 2).replace("-x", "x", 1))
    assert changed == {("a.py", "zeta")}
    assert {probe["name"] for probe in probes_of(calls)} == {"alpha", "beta", "delta", "gamma"}
    assert {probe["name"] for probe in probes_of(calls, changed)} == {"alpha", "beta", "delta", "zeta"}
