"""Questions to a human are in plain words: what may be done, and why it is asked."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from ddax.actions.policy import permit
from ddax.reasoning.embedded import EmbeddedReasoner
from ddax.reasoning.protocol import Question
from ddax.steps.leaves.plain_questions import approval, leave, surprised, why
from ddax.steps.protect.best_question import _asked
from ddax.types import ActionCall, Idea
from ddax.wording import counted, listed

JARGON = re.compile(r"rigidity|mood|lookahead|protect|outcome|\bidea\b|approval|[ρε]|\d\.\d", re.IGNORECASE)


def leaf(name: str, called: str = "", /, **args: Any) -> Idea:
    return Idea(kind="leaf", title=called or name, action=ActionCall(name=name, args=args, intent=""))


@pytest.mark.parametrize(
    ("times", "ahead", "said"),
    [
        (
            1, [leaf("visit", source=name) for name in ("a.md", "b.md", "c.md")],
            "One result came out otherwise than I expected. "
            "May I read these three documents: “a.md”, “b.md” and “c.md”?",
        ),
        (
            2, [leaf("search", query="tower height")],
            "Two results came out otherwise than I expected. May I search for “tower height”?",
        ),
        (
            0, [leaf("visit", source="a.md"), leaf("save", title="out.md")],
            "Things come out otherwise than I expected."
            " May I go on with these two steps: “a.md” and “out.md”?",
        ),
        (
            3, [leaf("visit", source=f"{k}.md") for k in range(12)],
            "Three results came out otherwise than I expected. May I read these 12 documents, “0.md” first?",
        ),
        (
            2, [Idea(kind="inner", title="compare the towers")],
            "Two results came out otherwise than I expected. May I go on with “compare the towers”?",
        ),
        (2, [], "Two results came out otherwise than I expected. How shall I go on?"),
    ],
)  # fmt: skip
def test_what_is_next_is_asked_for_in_words(times: int, ahead: list[Idea], said: str) -> None:
    assert surprised(times, ahead) == said and not JARGON.search(said)


@pytest.mark.parametrize(
    ("idea", "reason", "said"),
    [
        (
            leaf("send_mail", "tell Ann", to="ann"),
            permit("writes", ["file:x"]).reason,
            "May I run send_mail (“tell Ann”)? It changes something that others see, with data from a file.",
        ),
        (
            leaf("pay", "pay the bill", sum=3),
            permit("spends", ["user"]).reason,
            "May I run pay (“pay the bill”)? It spends money, with data from the user.",
        ),
        (
            leaf("search", query="x"),
            permit("reads", ["user"], protect=True).reason,
            "May I search for “x”? After what came out otherwise than expected I ask before others could see"
            " what I do.",
        ),
        (
            leaf("pay", "pay the bill", sum=3),
            "it was started before and its result is not known",
            "May I run pay (“pay the bill”)? It was begun before, and how it ended is not known: it may be"
            " done twice.",
        ),
        (
            leaf("save", title="note.md"),
            permit("writes", ["user"], standing="ask").reason,
            "May I save “note.md”? The settings want to be asked about this action.",
        ),
    ],
)
def test_what_waits_for_leave_says_what_it_does(idea: Idea, reason: str, said: str) -> None:
    assert approval(idea["action"], idea["title"], reason) == said and not JARGON.search(said)


@pytest.mark.parametrize("reach", ["reads", "writes", "spends"])
@pytest.mark.parametrize("origin", ["user", "model", "web:x", "file:x", "memory", "tool:x", "code"])
def test_every_ruling_has_plain_words(reach: Any, origin: str) -> None:
    for protect in (False, True):
        said = why(permit(reach, [origin], [origin], protect=protect).reason)
        assert said.endswith(".") and not JARGON.search(said) and "action that" not in said


def test_a_name_that_is_long_or_has_breaks_stays_one_line() -> None:
    said = leave([leaf("visit", source="a\nb" * 400)])
    assert "\n" not in said and len(said) < 200


@pytest.mark.parametrize(
    ("reasoner", "situation", "said"),
    [
        ("embedded", "May I read this document?", "May I read this document?"),
        ("embedded", "Nothing was found", "Nothing was found. Shall I go on or stop?"),
        ("scripted", "May I read this document?", "And?"),
    ],
)
async def test_without_a_model_the_question_is_put_as_it_is_worded(
    kit: Any, reasoner: str, situation: str, said: str
) -> None:
    session = kit.session({"ask": [Question("And?")]})
    if reasoner == "embedded":
        session = replace(session, reasoner=EmbeddedReasoner(session.embedder))
    state = await kit.opened(session, "Who?")
    row = await _asked(state, session, situation, ("go on", "stop"), frozenset())
    assert row["text"] == said
    assert (await _asked(state, session, "Another?", (), frozenset()))["text"] == said, "asked once a step"


@pytest.mark.parametrize(("count", "said"), [(1, "one page"), (3, "three pages"), (11, "11 pages")])
def test_small_counts_are_words(count: int, said: str) -> None:
    assert counted(count, "page") == said


@pytest.mark.parametrize(
    ("names", "said"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (list("abc"), "a, b and c")]
)
def test_names_make_a_list(names: list[str], said: str) -> None:
    assert listed(names) == said
