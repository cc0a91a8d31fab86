"""What ideas are made of and what is refused of them: whole records, whole refusals, and each boundary."""

from __future__ import annotations

from typing import Any

import pytest

from ddax.errors import InvariantError
from ddax.ideas import dag, grow
from ddax.ideas.idea import REASON_BYTES, apply_patches, child, clip, fitted, is_final, merge_idea, root, size
from ddax.ideas.rows import Frame, Rows
from ddax.types import ActionCall, Idea, Proposal

KEPT = "Mend the node that returned it; its state before stands: ddax resume"
CALL = ActionCall(name="visit", args={"source": "s"}, intent="")
BLANK = {"status": "open", "Q": 0.0, "N": 0, "V": 0.0}
EVERY = ("open", "running", "waiting", "done", "failed", "abandoned")


def tree(parents: dict[str, str], **changed: Any) -> Any:
    """Return ideas by id and kind, each a child of what its id says, with some fields changed."""
    ideas = {"0": root(0, "task")}
    for idea_id, kind in parents.items():
        above, _, number = idea_id.rpartition(".")
        if kind == "merge":
            ideas[idea_id] = merge_idea(ideas[above], int(number), needs=[], step=1)
        else:
            call = CALL if kind == "leaf" else None
            ideas[idea_id] = child(
                ideas[above], int(number), "part", expected="", prior=0.5, step=1, needs=[], action=call
            )
    return apply_patches(ideas, [{i: Idea(**fields) for i, fields in changed.items()}])  # type: ignore[typeddict-item]


def ids(found: Any) -> list[str]:
    return [idea["id"] for idea in found]


def refused(call: Any, *arguments: Any) -> tuple[str, str, str]:
    with pytest.raises(InvariantError) as caught:
        call(*arguments)
    return caught.value.what, caught.value.why, caught.value.mend


WITH = {"0.1": "leaf", "0.2": "leaf", "0.3": "merge"}


@pytest.mark.parametrize(
    ("changed", "what", "why"),
    [
        ({"0.3": {"needs": ["0.1"]}}, "Merge '0.3' does not need '0.2', which it must synthesise.",
         "A merge waits for all parts of what it puts together."),
        ({"0.3": {"needs": []}}, "Merge '0.3' does not need '0.1', which it must synthesise.",
         "A merge waits for all parts of what it puts together."),
        ({"0.3": {"kind": "inner"}}, "The expansion of idea '0' has no merge.",
         "Without one nobody puts together what its parts bring."),
        ({"0.2": {"supersedes": "0.1"}}, "Idea '0.2' supersedes another but is no merge.",
         "Only a merge takes the place of an earlier one; this is of the kind 'leaf'."),
        ({"0.2": {"needs": ["0.1", "0.9", "0.8"]}}, "Idea '0.2' needs '0.9', which does not exist.",
         "It would wait for it for ever."),
        ({"0.2": {"parent": "0.7"}}, "The parent '0.7' of idea '0.2' does not exist.",
         "An idea is part of one that is there."),
        ({"0.2": {"parent": ""}}, "Idea '0.2' has no parent.", "Only the root of a task has none."),
        ({"0.2": {"needs": ["0.2"]}}, "The needs of idea '0.2' form a cycle.",
         "Each of them would wait for the other for ever."),
    ],
)  # fmt: skip
def test_a_broken_dag_is_refused_by_name_with_the_rule(
    changed: dict[str, dict[str, Any]], what: str, why: str
) -> None:
    sound = tree(WITH, **{"0.3": {"needs": ["0.1", "0.2"]}})
    dag.check(sound)
    broken = apply_patches(sound, [{i: Idea(**fields) for i, fields in changed.items()}])  # type: ignore[typeddict-item]
    assert refused(dag.check, broken) == (what, why, KEPT)


@pytest.mark.parametrize(
    ("needs", "cyclic"),
    [
        ({"0.1": ["0.2"], "0.2": ["0.4"], "0.4": ["0.1"]}, True),
        ({"0.1": ["0.2", "0.4"], "0.2": ["0.4"]}, False),
        ({"0.2": ["0.1"], "0.4": ["0.1", "0.2"]}, False),
        ({"0.1": ["0.4"], "0.2": ["0.4"], "0.4": ["0.2"]}, True),
    ],
)
def test_only_needs_that_lead_back_are_a_cycle(needs: dict[str, list[str]], cyclic: bool) -> None:
    whole = {**WITH, "0.4": "leaf"}
    ideas = tree(
        whole, **{"0.3": {"needs": ["0.1", "0.2", "0.4"]}, **{i: {"needs": n} for i, n in needs.items()}}
    )
    if not cyclic:
        dag.check(ideas)
    else:
        assert refused(dag.check, ideas)[0].endswith("form a cycle.")


def test_what_a_patch_may_not_write_is_told_whole() -> None:
    ideas: Any = {"0": root(0, "task")}
    new: Any = child(ideas["0"], 1, "a", expected="", prior=1.0, step=1, needs=[], action=CALL)
    assert refused(dag.check_patch, ideas, {"0": {"zeal": 1, "colour": 2}}) == (
        "Idea '0' has no field 'colour'.",
        f"An idea has {', '.join(sorted(Idea.__annotations__))}.",
        "Write one of these.",
    )
    assert refused(dag.check_patch, ideas, {"0.7": Idea(status="done")}) == (
        "Idea '0.7' does not exist.",
        "Only an idea that is there can be changed.",
        "Create it with all its fields.",
    )
    for name in ("action", "P", "depth", "title"):
        part = {key: value for key, value in new.items() if key != name}
        assert refused(dag.check_patch, ideas, {"0.1": part}) == (
            f"The new idea '0.1' has no {name!r}.",
            "Every idea has one.",
            KEPT,
        )
    inner: Any = {key: "inner" if key == "kind" else value for key, value in new.items() if key != "action"}
    dag.check_patch(ideas, {"0.1": inner})
    two = child(ideas["0"], 2, "b", expected="", prior=1.0, step=1, needs=["0.1"])
    dag.check_patch(ideas, {"0.2": two, "0.1": new})


def test_an_idea_may_have_all_the_bytes_there_are_and_not_one_more() -> None:
    ideas: Any = {"0": root(0, "task")}
    room = dag.MAX_IDEA_BYTES - dag.size_of({**ideas["0"], "result": ""})
    dag.check_patch(ideas, {"0": Idea(result="x" * room)})
    assert refused(dag.check_patch, ideas, {"0": Idea(result="x" * (room + 1))}) == (
        "Idea '0' has 1537 bytes, more than 1536.",
        "Each checkpoint holds the ideas that changed, so they stay small.",
        "Keep long text in the memory and its id in `evidence`.",
    )
    assert refused(dag.check_patch, ideas, {"0": Idea(result="é" * room)})[0].startswith("Idea '0' has")


@pytest.mark.parametrize("old", EVERY)
def test_what_is_final_stays_and_the_rest_may_become_anything(old: Any) -> None:
    ideas = tree({}, **{"0": {"status": old}})
    for new in EVERY:
        if new == old or old in EVERY[:3]:
            dag.check_patch(ideas, {"0": Idea(status=new)})  # type: ignore[typeddict-item]
        else:
            said = refused(dag.check_patch, ideas, {"0": Idea(status=new)})  # type: ignore[typeddict-item]
            assert said == (
                f"Idea '0' cannot go from {old!r} to {new!r}.", f"From {old!r} it goes to {old}.", KEPT,
            )  # fmt: skip
    assert is_final(ideas["0"]) is (old in EVERY[3:])


def test_new_ideas_hold_this_and_nothing_else() -> None:
    top = root(3, "  a\n task ")
    assert top == {**BLANK, "id": "3", "parent": "", "kind": "inner", "title": "a task", "needs": [],
                   "P": 1.0, "depth": 0, "step": 0}  # fmt: skip
    call = ActionCall(name="visit", args={"source": "s", "n": 2}, intent="to see")
    inner = child(top, 2, "b", expected="c", prior=1 / 3, step=5, needs=["3.1"])
    assert inner == {**BLANK, "id": "3.2", "parent": "3", "kind": "inner", "title": "b", "needs": ["3.1"],
                     "expected": "c", "P": 0.333333, "depth": 1, "step": 5}  # fmt: skip
    leaf = child(inner, 1, "b", expected="c", prior=1.0, step=6, needs=[], action=call)
    assert leaf == {**inner, "id": "3.2.1", "parent": "3.2", "kind": "leaf", "needs": [], "P": 1.0,
                    "depth": 2, "step": 6, "action": call}  # fmt: skip
    merge = merge_idea(inner, 2, needs=["3.2.1"], step=7)
    assert merge == {**BLANK, "id": "3.2.2", "parent": "3.2", "kind": "merge", "title": "merge: b",
                     "needs": ["3.2.1"], "P": 1.0, "depth": 2, "step": 7}  # fmt: skip
    assert merge_idea(inner, 2, needs=["3.2.1"], step=7, supersedes="3.2.0") == {
        **merge,
        "supersedes": "3.2.0",
    }


@pytest.mark.parametrize(
    ("text", "limit", "wanted"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abc…"),
        (" a \n b\t", 3, "a b"),
        ("ab cdefg", 6, "ab…"),
        ("日本語日", 12, "日本語日"),
        ("日本語日本", 12, "日本語…"),
        ('""""', 8, '""""'),
        ('"""""', 8, '""…'),
        ("", 5, ""),
    ],
)
def test_a_text_is_cut_to_its_bytes_as_json(text: str, limit: int, wanted: str) -> None:
    assert clip(text, limit) == wanted
    assert size(wanted) <= limit


def test_a_call_is_fitted_but_for_its_addresses() -> None:
    long = "y\n" + "x" * 399
    call = ActionCall(name="n", args={"source": long, "root": long, "text": long, "k": 7}, intent="i" * 121)
    cut = "y " + "x" * 395 + "…"
    assert fitted(call) == {"name": "n", "args": {"source": long, "root": long, "text": cut, "k": 7},
                            "intent": "i" * 117 + "…"}  # fmt: skip
    fits = ActionCall(name="n", args={"text": "y\n" + "x" * 397}, intent="i" * 120)
    assert fitted(fits) == fits, "its lines stay where it fits"


def test_an_expansion_is_its_children_their_merge_and_a_parent_that_waits() -> None:
    ideas = tree({"0.1": "leaf"}, **{"0.1": {"status": "done"}})
    plan = [Proposal("a", "b", 1.0, action=CALL), Proposal("c", "d", 3.0, needs=(0,))]
    patch = grow.expansion(ideas, ideas["0"], plan, step=4, also_needs={1: ["0.1"], 0: []}, origins=["file"])
    two: Any = {**BLANK, "parent": "0", "depth": 1, "step": 4, "origins": ["file"]}
    assert patch == {
        "0.2": {**two, "id": "0.2", "kind": "leaf", "title": "a", "expected": "b", "P": 0.25, "needs": [],
                "action": CALL},
        "0.3": {**two, "id": "0.3", "kind": "inner", "title": "c", "expected": "d", "P": 0.75,
                "needs": ["0.2", "0.1"]},
        "0.4": merge_idea(ideas["0"], 4, needs=["0.1", "0.2", "0.3"], step=4),
        "0": {"status": "waiting", "reason": "children"},
    }  # fmt: skip
    free = grow.expansion(ideas, ideas["0"], [Proposal("a", "b", 0.0)] * 2, step=4)
    assert [free[i].get("P") for i in ("0.2", "0.3")] == [0.0, 0.0] and "origins" not in free["0.2"]
    ideas = apply_patches(ideas, [patch])
    more = grow.expansion(ideas, ideas["0"], [Proposal("e", "f", 1.0)], step=5)
    assert list(more) == ["0.5", "0.4", "0"] and more["0.4"] == {"needs": ["0.1", "0.2", "0.3", "0.5"]}


def test_each_interim_merge_takes_the_place_of_the_one_before() -> None:
    ideas = tree(WITH, **{"0.3": {"needs": ["0.1", "0.2"]}, "0.1": {"status": "failed"}})
    first = grow.interim_merge(ideas, ideas["0"], step=6)
    assert first == {
        "0.4": merge_idea(ideas["0"], 4, needs=["0.1"], step=6),
        "0.3": {"supersedes": "0.4"},
    }
    ideas = apply_patches(ideas, [first, {"0.2": Idea(status="done"), "0.4": Idea(status="done")}])
    assert grow.interim_merge(ideas, ideas["0"], step=7) == {
        "0.5": merge_idea(ideas["0"], 5, needs=["0.1", "0.2"], step=7, supersedes="0.4"),
        "0.3": {"supersedes": "0.5"},
    }
    alone = tree({"0.1": "leaf"}, **{"0.1": {"status": "done"}})
    assert grow.interim_merge(alone, alone["0"], step=8) == {
        "0.2": merge_idea(alone["0"], 2, needs=["0.1"], step=8)
    }


def test_what_is_given_up_is_an_idea_with_all_that_is_open_below_it() -> None:
    ideas = tree(
        {"0.1": "inner", "0.1.1": "leaf", "0.1.2": "leaf", "0.2": "leaf", "0.10": "leaf"},
        **{"0.1.1": {"status": "done"}},
    )
    said = {"status": "abandoned", "reason": "r" * (REASON_BYTES - 3) + "…"}
    assert grow.abandon(ideas, "0.1", "r" * 300) == {"0.1": said, "0.1.2": said}
    assert grow.abandon(ideas, "0.1.1", "late") == {}
    lost = {"status": "abandoned", "reason": "everything it needs has failed"}
    chained = apply_patches(ideas, [{"0.2": Idea(needs=["0.1.2"]), "0.10": Idea(needs=["0.2", "0.1.2"])}])
    begun = {"0.1.2": Idea(status="failed"), "0": Idea(N=3)}
    assert grow.give_up(chained, "0", begun) == {**begun, "0.2": lost, "0.10": lost}
    kept = apply_patches(chained, [{"0.10": Idea(needs=["0.2", "0.1.1"])}])
    assert grow.give_up(kept, "0", begun) == {**begun, "0.2": lost}


def test_values_go_up_every_way_once() -> None:
    ideas = tree(
        {"0.1": "inner", "0.2": "inner", "0.1.1": "leaf"},
        **{"0.1.1": {"joined": ["0.2"]}, "0": {"N": 1, "Q": 0.9}, "0.2": {"N": 3, "Q": 0.1}},
    )
    assert grow.backpropagate(ideas, [("0.1.1", 1 / 3), ("0.2", 1.0)]) == {
        "0.1.1": {"Q": 0.333333, "N": 1, "V": 0.333333},
        "0.1": {"Q": 0.333333, "N": 1},
        "0.2": {"Q": 0.326666, "N": 5, "V": 1.0},
        "0": {"Q": 0.744445, "N": 3},
    }
    assert grow.backpropagate(ideas, []) == {}


def test_a_merge_has_room_for_so_many_children() -> None:
    room = [grow.room_for_children(ideas, ideas["0"]) for ideas in (tree({}), tree(WITH))]
    assert room == [66, 65], "what is there takes the bytes of its id, and no more"
    deep = tree({"0.1": "inner", "0.1.1": "inner"})
    assert grow.room_for_children(deep, deep["0.1.1"]) == 46
    many = tree({f"0.{k}": "leaf" for k in range(1, 100)})
    assert grow.room_for_children(many, many["0"]) == 0


def test_who_may_run_depends_on_what_it_needs() -> None:
    for first, second, runs, lost in (
        ("done", "failed", True, False), ("failed", "abandoned", False, True), ("done", "open", False, False),
        ("failed", "waiting", False, False), ("done", "done", True, False),
    ):  # fmt: skip
        ideas = tree(
            {"0.1": "leaf", "0.2": "leaf", "0.3": "leaf", "0.4": "inner", "0.5": "merge"},
            **{"0.1": {"status": first}, "0.2": {"status": second},
               **{i: {"needs": ["0.1", "0.2"]} for i in ("0.3", "0.4", "0.5")}},
        )  # fmt: skip
        assert [dag.is_runnable(ideas, ideas[i]) for i in ("0.3", "0.4")] == [runs, runs]
        assert ("0.3" in ids(dag.runnable_leaves(ideas, "0"))) is runs
        assert ids(dag.open_inner(ideas, "0")) == ["0", *["0.4"] * runs]
        assert ids(dag.orphans(ideas, "0")) == ["0.3", "0.4"] * lost
        busy = apply_patches(ideas, [{"0.3": Idea(status="running")}])
        assert not dag.is_runnable(busy, busy["0.3"]) and "0.3" not in ids(dag.orphans(busy, "0"))
        ready = dag.mergeable(ideas, "0")
        assert (ready is not None) is all(s in EVERY[3:] for s in (first, second))


def test_the_deepest_merge_comes_first_and_the_oldest_of_equals() -> None:
    whole = {"0.1": "inner", "0.1.1": "merge", "0.2": "inner", "0.2.1": "merge", "0.3": "merge"}
    ideas = tree(whole)
    order = []
    while (ready := dag.mergeable(ideas, "0")) is not None:
        order.append(ready["id"])
        ideas = apply_patches(ideas, [{ready["id"]: Idea(status="done")}])
    assert order == ["0.1.1", "0.2.1", "0.3"]


def test_who_stands_where_is_told_whole_and_in_order() -> None:
    kinds = {f"0.{k}": "leaf" for k in (1, 2, 10)} | {
        "0.3": "merge",
        "0.11": "merge",
        "0.4": "inner",
        "0.4.1": "leaf",
    }
    ideas = tree(
        kinds,
        **{"0.11": {"supersedes": "0.3"}, "0.2": {"needs": ["0.1"]}, "0.10": {"needs": ["0.2"]},
           "0.4.1": {"needs": ["0.10"], "joined": ["0.2"]}, "0.3": {"needs": ["0.1"]}},
    )  # fmt: skip
    assert ids(dag.children(ideas, "0")) == ["0.1", "0.2", "0.4", "0.10"]
    assert ids(dag.merges(ideas, "0")) == ["0.3", "0.11"]
    assert (dag.current_merge(ideas, "0"), dag.current_merge(ideas, "0.4")) == (ideas["0.11"], None)
    assert [dag.next_number(ideas, i) for i in ("0", "0.4", "0.1")] == [12, 2, 1]
    assert ids(dag.ancestors(ideas, "0.4.1")) == ["0.4", "0"] and dag.ancestors(ideas, "0") == []
    assert ids(dag.dependents(ideas, "0.1")) == ["0.2", "0.4.1", "0.10"]
    assert dag.dependents(ideas, "0.4.1") == []
    assert sorted(ids(dag.reached(ideas, "0.4.1"))) == ["0", "0.2", "0.4"]
    assert sorted(ids(dag.reached(ideas, "0.4.1", without={"0.4"}))) == ["0", "0.2"]
    assert ids(dag.reached(ideas, "0.4.1", without={"0.4", "0.2"})) == []
    assert dag.reached(ideas, "0.4.1", without={"0.4.1"}) == []
    ended = apply_patches(ideas, [{i: Idea(status="done") for i in ("0", "0.4", "0.1", "0.3")}])
    assert ids(dag.unfinished(ended, "0")) == ["0", "0.2", "0.4", "0.4.1", "0.10"]
    assert ids(dag.live(ended, "0")) == ["0.2", "0.4.1", "0.10", "0.11"]
    assert dag.roots({**ended, "1": root(1, "next")}) == ["0", "1"]


@pytest.mark.parametrize(
    ("above", "q"),
    [
        ({"0": {"N": 2, "Q": 0.7}}, 0.7),
        ({"0": {"N": 2, "Q": 0.7}, "0.1": {"N": 1, "Q": 0.2}}, 0.2),
        ({"0": {"N": 0, "Q": 0.7}}, 0.0),
        ({"0.1.1": {"N": 1, "Q": 0.0}, "0": {"N": 2, "Q": 0.7}}, 0.0),
    ],
)
def test_a_value_is_taken_from_the_nearest_above_that_has_one_also_outside_the_frame(
    above: dict[str, dict[str, Any]], q: float
) -> None:
    chain = ["0.1", "0.1.1", "0.1.1.1"]
    ideas = tree(dict.fromkeys(chain, "inner"), **above)
    lowest = Frame.of(ideas, [ideas["0.1.1.1"]], ideas)
    assert Rows.of(ideas, lowest).Q.tolist() == [q]
    whole = Frame.of(ideas, list(ideas.values()), ideas)
    rows = Rows.of(ideas, whole)
    assert rows.Q.tolist()[-1] == q and rows.with_own(ideas, {}).tolist() == rows.Q.tolist()
    visited = apply_patches(ideas, [{"0.1.1.1": Idea(N=1, Q=0.4)}])
    valued = Rows.of(visited, whole)
    assert valued.with_own(ideas, {"0.1.1.1": 0.9}).tolist() == [*rows.Q.tolist()[:-1], 0.9]
    assert valued.Q.tolist()[-1] == 0.4


def test_a_frame_holds_until_what_it_is_made_of_changes() -> None:
    ideas = tree(WITH, **{"0.2": {"status": "done", "P": 0.25}, "0.1": {"expected": "more"}})
    frame = Frame.of(ideas, [ideas["0"], ideas["0.1"], ideas["0.2"]], ["0", "0.1", "0.3"])
    assert (frame.ids, frame.up.tolist(), frame.end.tolist()) == (("0", "0.1", "0.2"), [-1, 0, 0], [3, 2, 3])
    assert (frame.texts, frame.P.tolist()) == (("task", "more", "part"), [1.0, 0.5, 0.25])
    assert [*frame.final, *frame.merges] == ["0.2", "0.3"]
    assert frame.below == {"": ("0",), "0": ("0.1", "0.2")}
    for idea_id, change, holds in (
        ("0.1", {"N": 4, "Q": 0.3}, True), ("0.1", {"P": 0.6}, False), ("0.1", {"expected": "x"}, False),
        ("0.1", {"title": "x"}, True), ("0.2", {"title": "x"}, False), ("0.1", {"status": "done"}, False),
        ("0.2", {"status": "open"}, False), ("0.3", {"status": "running"}, True),
        ("0.3", {"status": "failed"}, False),
    ):  # fmt: skip
        changed: Any = {**ideas[idea_id], **change}
        assert bool(frame.holds(idea_id, changed)) is holds, (idea_id, change)
    new = child(ideas["0"], 9, "n", expected="", prior=1.0, step=1, needs=[])
    assert not frame.holds("0.9", new) and frame.holds("0.9", {**new, "status": "failed"})
    late = merge_idea(ideas["0"], 8, needs=[], step=1)
    assert not frame.holds("0.8", late) and frame.holds("0.8", {**late, "status": "done"})


def test_origins_are_named_as_far_as_they_fit_without_the_evidence() -> None:
    named = [f"web:{'h' * 40}{n}.example" for n in range(12)]
    evidence = [f"{n:064x}" for n in range(30)]
    room = next(r for r in range(20_000) if not dag._fits({"origins": named, "evidence": []}, r)) - 1
    assert dag.held(Idea(origins=named, evidence=evidence), room) == {"origins": named, "evidence": []}
    less = dag.held(Idea(origins=named, evidence=evidence), room + 1)
    assert less["origins"] != named and len(less["evidence"]) > 0, "narrowed, there is room for evidence"
