"""The living rubric: proposed by standing, applied on approval, every version kept, undone."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ddax.debate.living import MAX_CRITERIA, Change, LivingRubrics, change_of, changed
from ddax.errors import StateError, UsageError
from tests.cases import tables

BOUNDS = {"propose_from": 0.7, "apply_above": 0.9}
YEAR = Change("add", "name-the-year", "Name the year.")
SHIPPED = ("coverage", "support", "progress")


@pytest.fixture
def rubrics(tmp_path: Path) -> LivingRubrics:
    return LivingRubrics(tmp_path / "rubrics", clock=lambda: 1.7e9)


def propose(rubrics: LivingRubrics, standing: float, change: Change = YEAR) -> dict[str, object] | None:
    return rubrics.propose("default", change, by="human:Ann", standing=standing, why="override 1", **BOUNDS)


def names(rubrics: LivingRubrics) -> tuple[str, ...]:
    return rubrics.current("default")[0].names


def test_nothing_is_written_until_something_changes(rubrics: LivingRubrics, tmp_path: Path) -> None:
    assert (names(rubrics), rubrics.current("default")[1]) == (SHIPPED, 1)
    assert propose(rubrics, 0.69) is None
    assert not (tmp_path / "rubrics").exists()


def test_a_change_waits_for_approval_and_can_be_undone(rubrics: LivingRubrics, tmp_path: Path) -> None:
    proposal = propose(rubrics, 0.8)
    assert proposal is not None and proposal["status"] == "open"
    assert propose(rubrics, 0.8) == proposal, "the same proposal is made once"
    assert names(rubrics) == SHIPPED
    assert rubrics.approve("default", str(proposal["id"])[:6], by="human") == 2
    assert names(rubrics) == (*SHIPPED, "name-the-year")
    with pytest.raises(UsageError):
        rubrics.approve("default", str(proposal["id"]), by="human")
    assert rubrics.undo("default", by="human") == 3
    assert names(rubrics) == SHIPPED
    with pytest.raises(UsageError):
        rubrics.undo("default", by="human")
    kept = yaml.safe_load((tmp_path / "rubrics" / "default.yaml").read_text())
    assert [len(row["criteria"]) for row in kept["history"]] == [3, 4, 3]


def test_a_high_standing_applies_at_once_and_undo_goes_past_what_is_undone(rubrics: LivingRubrics) -> None:
    proposal = propose(rubrics, 0.95)
    assert proposal is not None and proposal["status"] == "applied"
    rubrics.undo("default", by="human")
    propose(rubrics, 0.95, Change("add", "b", "B"))
    propose(rubrics, 0.95, Change("remove", "progress"))
    assert names(rubrics) == ("coverage", "support", "b")
    for expected in ((*SHIPPED, "b"), SHIPPED):
        rubrics.undo("default", by="human")
        assert names(rubrics) == expected
    with pytest.raises(UsageError):
        rubrics.undo("default", by="human")


def test_what_a_full_rubric_has_no_place_for_waits(rubrics: LivingRubrics) -> None:
    for number in range(MAX_CRITERIA - len(SHIPPED)):
        propose(rubrics, 0.95, Change("add", f"c{number}", "C"))
    assert len(names(rubrics)) == MAX_CRITERIA
    waiting = propose(rubrics, 0.95)
    assert waiting is not None and waiting["status"] == "open"
    with pytest.raises(UsageError, match="at most 12"):
        rubrics.approve("default", str(waiting["id"]), by="human")
    renamed = propose(rubrics, 0.95, Change("add", "c0", "Another meaning"))
    assert renamed is not None and renamed["status"] == "applied"
    propose(rubrics, 0.95, Change("remove", "c1"))
    rubrics.approve("default", str(waiting["id"]), by="human")
    assert "name-the-year" in names(rubrics)


def test_a_refused_proposal_stays_on_record(rubrics: LivingRubrics) -> None:
    proposal = propose(rubrics, 0.8)
    assert proposal is not None
    rubrics.refuse("default", str(proposal["id"]), by="human")
    assert rubrics.load("default")["proposals"][0]["status"] == "refused"
    with pytest.raises(UsageError):
        rubrics.approve("default", "", by="human")


def test_a_lesson_becomes_a_criterion_by_its_words() -> None:
    change = change_of("Please name the year of it, and cite the page!")
    assert (change.name, change.meaning) == (
        "name-year-cite-page",
        "Please name the year of it, and cite the page!",
    )
    with pytest.raises(UsageError):
        change_of(" ... ")


def test_lessons_that_begin_alike_are_criteria_of_their_own(rubrics: LivingRubrics) -> None:
    begin = "The answer must cite primary sources"
    lessons = (
        f"{begin} for every number", f"{begin} and give their dates",
        f"{begin} that are kept in archives of the country where it happened, in their own language",
        f"{begin} that are kept in archives of the country where it happened, as facsimiles",
    )  # fmt: skip
    shipped = len(rubrics.current("default")[0].criteria)
    for lesson in lessons:
        propose(rubrics, 0.95, change_of(lesson))
    criteria = rubrics.current("default")[0].criteria[shipped:]
    assert [criterion.meaning for criterion in criteria] == [*lessons]
    assert all(len(criterion.name) <= 60 for criterion in criteria)


def test_a_damaged_or_unknown_rubric_is_refused(rubrics: LivingRubrics, tmp_path: Path) -> None:
    propose(rubrics, 0.8)
    file = tmp_path / "rubrics" / "default.yaml"
    for text in ("schema: [", "schema: 2\nhistory: [1]", "- a"):
        file.write_text(text)
        with pytest.raises(StateError):
            rubrics.current("default")
    with pytest.raises(UsageError):
        rubrics.current("../x")


def test_all_that_happened_to_a_rubric_stands_in_its_file(rubrics: LivingRubrics, tmp_path: Path) -> None:
    asked = ((0.8, YEAR), (0.7123456789, Change("remove", "progress")), (0.95, Change("add", "b", "B")))
    made = [propose(rubrics, standing, change) or {} for standing, change in asked]
    ids = [str(proposal["id"]) for proposal in made]
    rubrics.approve("default", ids[0], by="human:Bo")
    rubrics.refuse("default", ids[1], by="human:Cy")
    rubrics.undo("default", by="human:Di")
    text = (tmp_path / "rubrics" / "default.yaml").read_text()
    for number, proposal_id in enumerate(ids):
        text = text.replace(proposal_id, f"id-{number}")
    assert yaml.safe_load(text) == tables(__file__)["kept"]


@pytest.mark.parametrize("told", tables(__file__)["refused"], ids=lambda told: told["what"][:40])
def test_what_cannot_be_done_with_a_rubric_is_told_whole(
    rubrics: LivingRubrics, told: dict[str, str]
) -> None:
    first = str((propose(rubrics, 0.8) or {})["id"])
    propose(rubrics, 0.8, Change("remove", "progress"))
    rubrics.refuse("default", first, by="human")
    tries = {
        "undo": lambda: rubrics.undo("default", by="human"),
        "unknown": lambda: rubrics.approve("default", "none", by="human"),
        "unnamed": lambda: rubrics.approve("default", "", by="human"),
        "decided": lambda: rubrics.approve("default", first, by="human"),
        "absent": lambda: changed({"a": "A", "b": "B"}, Change("remove", "c")),
        "last": lambda: changed({"a": "A"}, Change("remove", "a")),
        "full": lambda: changed(dict.fromkeys("abcdefghijkl", ""), YEAR),
        "empty": lambda: change_of("of the"),
    }
    with pytest.raises(UsageError) as refused:
        tries[told["tried"]]()
    error = refused.value
    assert error.what == told["what"].replace("FIRST", first)
    assert (error.why, error.mend) == (told["why"], told["mend"])
