"""What a follow-up is read as: completed where it says too little, and left alone where it does not."""

from __future__ import annotations

import pytest

from ddax.reasoning.background import Turn
from ddax.reasoning.followup import meant

SHIP = Turn("Who designed the Vasa?", "Henrik Hybertsson did.", ("Vasa (ship)",), "Henrik Hybertsson")
PERMIT = Turn("How long does a parking permit last?", "Two years.", ("Parking permits",), "two years")
TOWN = Turn("Which city has the oldest university of Norway?", "Oslo.", ("Oslo",), "Oslo")
BRIDGE = Turn("How long is the Humber Bridge?", "2,220 metres.", ("Humber Bridge",), "2,220 metres")
DESK = Turn("What is the warranty on the Aldra desk?", "Five years.", ("Aldra desk",))
PASS = Turn("Wie lange gilt der Parkausweis?", "Zwei Jahre.", ("Parkausweis",))


@pytest.mark.parametrize(
    ("before", "asked", "read_as"),
    [
        (SHIP, "When did it sink?", "When did Vasa sink?"),
        (SHIP, "When did he die?", "When did Henrik Hybertsson die?"),
        (SHIP, "Who paid for its construction?", "Who paid for Vasa’s construction?"),
        (SHIP, "And the mast?", "The mast (Vasa)?"),
        (PERMIT, "And what does it cost?", "What does the parking permit cost?"),
        (PERMIT, "And the fee for groups?", "The fee for groups (parking permit)?"),
        (TOWN, "How many people live there?", "How many people live there (Oslo)?"),
        (TOWN, "And in Sweden?", "Which city has the oldest university of Sweden?"),
        (BRIDGE, "When was the bridge opened?", "When was the bridge opened (Humber Bridge)?"),
        (BRIDGE, "What about the Severn Bridge?", "How long is the Severn Bridge?"),
        (DESK, "And the Brim chair?", "What is the warranty on the Brim chair?"),
        (PASS, "Und was kostet er?", "Was kostet er (Parkausweis)?"),
        (PASS, "Wer stellt ihn aus?", "Wer stellt ihn aus (Parkausweis)?"),
    ],
)
def test_what_a_follow_up_leaves_out_is_taken_from_the_turn_before(
    before: Turn, asked: str, read_as: str
) -> None:
    assert meant(asked, [before]) == read_as


@pytest.mark.parametrize(
    "asked",
    [
        "Who built the Albert Bridge?", "What is photosynthesis?", "Who is Ada Lovelace?",
        "Who was Ada Lovelace and when was she born?", "What is the refund period for orders?",
        "Is there a discount for children?", "How much does a group ticket cost?", "And who founded Rome?",
        "How much is parking?", "Wie hoch ist die Hundesteuer?", "When did Vasa sink?",
    ],
)  # fmt: skip
@pytest.mark.parametrize("before", [SHIP, PERMIT, BRIDGE, DESK])
def test_a_question_that_names_its_own_subject_stays_as_it_is(before: Turn, asked: str) -> None:
    assert meant(asked, [before]) == asked


def test_a_reading_carries_on_over_several_turns() -> None:
    second = Turn(
        "When did it sink?", "In 1628.", ("Vasa (ship)",), "1628", meant("When did it sink?", [SHIP])
    )
    assert meant("And how deep does it lie?", [SHIP, second]) == "How deep does Vasa lie?"
    assert meant("When did it sink?", []) == "When did it sink?"


def test_a_completed_question_is_not_completed_again() -> None:
    once = meant("And the fee for groups?", [PERMIT])
    assert meant(once, [PERMIT]) == once
