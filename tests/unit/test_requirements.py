"""Requirements: read from words, checked against what a run did, enforced by `expand` and `close`."""

from __future__ import annotations

import time
from typing import Any

import pytest

from ddax.errors import UsageError
from ddax.ideas.idea import apply_patches
from ddax.ideas.requirements import (
    Facts,
    breaks_answer,
    broken,
    merged,
    parse,
    same_place,
    told_by,
    without_wording,
)
from ddax.nodes.close import close
from ddax.nodes.expand import expand
from ddax.reasoning import protocol as p
from ddax.types import Idea


def found(text: str) -> list[tuple[str, str]]:
    return [(r["kind"], r["value"]) for r in parse(text, origin="task")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Visit https://example.org/a/b.html and say why. Answer in one word.",
            [("visit", "https://example.org/a/b.html"), ("max_words", "1")],
        ),
        ("Use these two sources; answer in at most 12 words.", [("sources", "2"), ("max_words", "12")]),
        ("Do not touch file src/app.py and don't edit 'b.py'.", [("avoid", "src/app.py"), ("avoid", "b.py")]),
        ("Is it? Answer yes or no.", [("format", "yes_no")]),
        ('Read "The Tower", reply with a number.', [("visit", "The Tower"), ("format", "number")]),
        ("Exactly three words. Reply as JSON.", [("exact_words", "3"), ("format", "json")]),
        ('Mention "blue whale" and cite notes/a.md.', [("contain", "blue whale"), ("cite", "notes/a.md")]),
        ("Answer in one word. Answer in one word!", [("max_words", "1")]),
    ],
)  # fmt: skip
def test_plain_demands_are_read(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "In which city was the architect born? Which one word describes it?",
        "Which open source 3.x version came first?",
        "Who read 'War and Peace' aloud? How many words are in it?",
        "What did visitors see at the site of the 1931 fire?",
    ],
)
def test_a_question_about_such_words_demands_nothing(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "facts", "why"),
    [
        ("Answer in one word.", Facts("Trondby"), ""),
        ("Answer in one word.", Facts("In Trondby."), "the answer has 2 words, 1 is allowed"),
        ("Answer in one word.", Facts(""), "the answer has 0 words, 1 is allowed"),
        ("Exactly 2 words.", Facts("one two"), ""),
        ("Exactly 2 words.", Facts("one"), "the answer has 1 word, not 2"),
        ("Answer yes or no.", Facts("Yes."), ""),
        ("Answer yes or no.", Facts("Yes, it is"), "the answer is neither yes nor no"),
        ("Answer with a number.", Facts("1,931"), ""),
        ("Answer with a number.", Facts("about 1931"), "the answer is not a number"),
        ("Answer as JSON.", Facts('{"a": 1}'), ""),
        ("Answer as JSON.", Facts("{a}"), "the answer is not JSON"),
        ("Use 2 sources.", Facts("x", cited=("a", "b")), ""),
        ("Use 2 sources.", Facts("x", cited=("a",)), "1 of 2 sources are cited"),
        ("Visit https://a.org/b.", Facts("x", visited=("https://www.a.org/b/",)), ""),
        (
            "Visit https://a.org/b.",
            Facts("x", visited=("https://a.org/c",)),
            "https://a.org/b was not visited",
        ),
        ("Cite notes/a.md.", Facts("x", cited=("/home/me/notes/a.md",)), ""),
        ("Cite notes/a.md.", Facts("x", cited=("/home/me/other.md",)), "notes/a.md is not cited"),
        ("Do not touch src/app.py.", Facts("x", touched=("lib/src/app.py",)), "lib/src/app.py was used"),
        ("Do not touch src/app.py.", Facts("x", touched=("src/application.py",)), ""),
        ('Mention "blue whale".', Facts("A Blue Whale swims."), ""),
        ('Mention "blue whale".', Facts("A whale."), "the answer does not say 'blue whale'"),
    ],
)
def test_each_kind_is_checked(text: str, facts: Facts, why: str) -> None:
    (requirement,) = parse(text, origin="task")
    assert broken([requirement], facts) == ([f"{requirement['words']!r}: {why}"] if why else [])


@pytest.mark.parametrize(
    ("wanted", "given", "same"),
    [
        ("example.com", "https://example.com/page", True),
        ("https://example.com/a", "https://example.com/ab", False),
        ("Corvane Tower", "corvane tower", True),
        ("app.py", "my_app.py", False),
        ("./src/app.py", "x/src/app.py", True),
        ("", "anything", False),
        ("secret.html", "https://example.com/a/secret.html", True),
        ("secret.html", "https://example.com/a/secret.html?page=2#top", True),
        ("page.php?id=3", "https://example.com/page.php?id=3", True),
        ("a/secret.html", "https://example.com/a/secret.html", True),
        ("b/secret.html", "https://example.com/a/secret.html", False),
        ("http://localhost/a", "http://localhost/a/b", True),
        ("https://example.com/a.txt", "/home/a.txt", False),
        ("example.org", "http://[x", False),
        ("http://[x", "http://[y", False),
        ("[x", "http://[y", False),
        ("docs.python.org", "https://evil.net/docs.python.org.html", False),
        ("docs.python.org", "https://evil.net/docs.python.org", False),
        ("docs.python.org/3", "https://evil.net/docs.python.org/3", False),
        ("docs.python.org/a.html", "https://evil.net/docs.python.org/a.html", False),
        ("docs.python.org", "https://docs.python.org/3", True),
        ("app.v2.json", "https://example.com/app.v2.json", True),
        ("./a/secret.html", "https://example.com/a/secret.html", True),
        ("app.py", "https://example.com/src/app.py", True),
    ],
)
def test_places_are_compared_by_their_parts(wanted: str, given: str, same: bool) -> None:
    assert same_place(wanted, given) is same


@pytest.mark.parametrize("verb", ["read", "do not read", "cite", "use", "answer in", "mention", "go to"])
def test_white_space_costs_no_more_than_its_length(verb: str) -> None:
    begun = time.perf_counter()
    assert parse(verb + " " * 5000 + "!", origin="task") == []
    assert time.perf_counter() - begun < 20, "its cube would take an hour"


def test_of_equal_demands_the_first_origin_stays() -> None:
    both = merged(parse("At most 5 words.", origin="settings"), parse("At most 5 words.", origin="task"))
    assert [r["origin"] for r in both] == ["settings"]
    assert breaks_answer(both, "one two three four five six") and not breaks_answer(both, "one")


async def closed(kit: Any, text: str, answer: dict[str, Any], **settings: Any) -> Any:
    session = kit.session(**settings)
    state = await kit.opened(session, text, step=3)
    ideas = apply_patches(state["ideas"], [{"0": Idea(status="done")}])
    whole = {"found": True, "support": 1.0, "short": "", "citations": [], **answer}
    return await kit.update(close, {**state, "ideas": ideas, "answer": whole}, session)


async def test_an_answer_that_breaks_a_demand_is_refused_and_named(kit: Any) -> None:
    update = await closed(kit, "Where? Answer in one word.", {"text": "In the city of Trondby."})
    assert update["status"] == "failed"
    assert update["stop_reason"].startswith("requirement broken: 'in one word': the answer has 5 words")
    assert update["failures"]["requirement:0"]["title"] == "requirement"
    assert update["answer"]["text"] == "In the city of Trondby.", "what was found is still shown"


async def test_the_short_answer_stands_in_where_it_keeps_the_demand(kit: Any) -> None:
    update = await closed(
        kit, "Where? Answer in one word.", {"text": "In the city of Trondby.", "short": "Trondby"}
    )
    assert (update["status"], update["answer"]["text"]) == ("done", "Trondby")


async def test_settings_demand_too_and_an_unknown_form_is_refused(kit: Any) -> None:
    update = await closed(kit, "Where?", {"text": "In Trondby."}, requirements=("at most 1 words",))
    assert update["status"] == "failed"
    with pytest.raises(UsageError, match="visit SOURCE"):
        await kit.opened(kit.session(requirements=("be brilliant",)))


async def test_a_demanded_page_is_planned_and_a_forbidden_one_is_dropped(kit: Any) -> None:
    text = 'Read "Trondby", and do not open "Belmark".'
    forbidden = kit.leaf("read B", "visit", source="Belmark")
    session = kit.session({"expand": [p.Expansion((forbidden, kit.leaf("x")))]})
    state = await kit.after(expand, await kit.opened(session, text, focus=["0"], step=1), session)
    sources = [i["action"]["args"].get("source") for i in state["ideas"].values() if i["kind"] == "leaf"]
    assert sources == [None, "Trondby"]
    (row,) = await session.memory.rows("cuts")
    assert (row["kind"], row["idea"]) == ("forbidden", "read B") and "do not open" in row["reason"]


async def test_the_reasoner_may_hand_in_demands_it_read(kit: Any) -> None:
    made_up = "at most 9 words"
    reply = p.Expansion((kit.leaf("x"),), requirements=("at most 3 words", "not a form", made_up))
    session = kit.session({"expand": [reply]})
    task = "Where was the architect born? Three words will do."
    state = await kit.after(expand, await kit.opened(session, task, focus=["0"], step=1), session)
    assert [(r["kind"], r["value"], r["origin"]) for r in state["work"]["requirements"]] == [
        ("max_words", "3", "model")
    ]


@pytest.mark.parametrize(
    ("task", "demand", "told"),
    [
        ("Three words will do.", "at most 3 words", True),
        ("A single word, please.", "answer in one word", True),
        ("Where is it?", "answer in one word", False),
        ("Someone knows.", "answer in one word", False),
        ("Is it so, yes or no?", "answer yes or no", True),
        ("Is it so?", "answer yes or no", False),
        ("Do you know why yesterday was so?", "answer yes or no", False),
        ("I want JSON.", "answer as JSON", True),
        ("Look into notes.md for it.", "visit notes.md", True),
        ("Look into it.", "visit notes.md", False),
        ("Keep off config.py.", "do not touch config.py", True),
    ],
)
def test_a_demand_that_a_model_made_up_is_not_borne_out(task: str, demand: str, told: bool) -> None:
    (requirement,) = parse(demand, origin="model")
    assert told_by(task, requirement) is told


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Where is it? Answer in at most 30 words.", "Where is it?"),
        ("In one word: who built the tower?", "In one word: who built the tower?"),
        ("Answer in one word.", "Answer in one word."),
        ("Who? Please reply as JSON and mention \"Maran\".", "Who?"),
    ],
)  # fmt: skip
def test_sentences_about_the_wording_alone_are_set_apart(text: str, left: str) -> None:
    assert without_wording(text) == left
