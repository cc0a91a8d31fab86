"""Demands at their boundaries: each form as one whole row, names at the ends of paths, counts and lengths."""

from __future__ import annotations

import pytest

from ddax.ideas.requirements import (
    FORMS,
    MAX_REQUIREMENTS,
    Facts,
    Kind,
    Requirement,
    breaks_answer,
    broken,
    demanded_visits,
    forbids,
    merged,
    parse,
    same_place,
    told_by,
    without_wording,
    word_count,
)

READ: list[tuple[Kind, str]] = [
    ("visit", "a/b.md"), ("sources", "3"), ("cite", "a/b.md"), ("max_words", "1"), ("max_words", "3"),
    ("exact_words", "3"), ("format", "yes_no"), ("format", "number"), ("format", "json"), ("contain", "blue"),
    ("avoid", "a/b.md"), ("avoid", "a/b.md"),
]  # fmt: skip


def demand(kind: Kind, value: str, words: str = "said", origin: str = "task") -> Requirement:
    return Requirement(kind=kind, value=value, words=words, origin=origin)


@pytest.mark.parametrize("number", range(len(FORMS)))
@pytest.mark.parametrize("small", [True, False])
def test_each_form_is_one_whole_row(number: int, small: bool) -> None:
    said = FORMS[number]
    for name, value in (("SOURCE", "a/b.md"), ("FILE", "a/b.md"), ("TEXT", "blue"), (" N ", " three ")):
        said = said.replace(name, value)
    text = said if small else said.upper().replace("A/B.MD", "a/b.md").replace("BLUE", "blue")
    kind, value = READ[number]
    assert parse(f"Why? {text}.", origin="me") == [
        demand(kind, value, text[7:] if number == 3 else text, "me")
    ]


def test_at_most_twelve_are_held_in_the_order_they_stand_and_their_words_are_cut() -> None:
    assert MAX_REQUIREMENTS == 12
    text = " ".join(f"Visit f{k}.md." for k in range(14))
    many = parse(text, origin="task")
    assert [r["value"] for r in many] == [f"f{k}.md" for k in range(12)]
    assert demanded_visits([*many[:2], demand("cite", "c"), many[2]]) == ["f0.md", "f1.md", "f2.md"]
    both = merged(many[:7], [demand("visit", "F0.md", "again"), demand("cite", "f0.md")], many[7:])
    assert [(r["kind"], r["value"], r["words"]) for r in both[6:9]] == [
        ("visit", "f6.md", "Visit f6.md"), ("cite", "f0.md", "said"), ("visit", "f7.md", "Visit f7.md"),
    ]  # fmt: skip
    assert len(both) == 12 and both[0]["words"] == "Visit f0.md"
    (long,) = parse(f'Visit "{"t" * 200}".', origin="task")
    assert (long["value"], long["words"]) == ("t" * 200, f'Visit "{"t" * 113}')


@pytest.mark.parametrize(
    ("wanted", "given", "same"),
    [
        ("my notes", "docs/my notes.txt", True),
        ("notes", "docs/my notes.txt", False),
        ("secret.v2", "docs/secret.v2.html", True),
        ("secret", "docs/secret.v2.html", False),
        ("secret", "https://example.com/a/secret.html?x=1.2", True),
        ("secret", "docs\\secret.html", True),
        ("a/secret", "docs/a/secret.html", False),
        ("docs", "docs/secret.html", False),
        ("html", "docs/secret.html", False),
        ("secret.html", "docs/secret.html#part", True),
        ("secret.html", "docs/secret.html?x=1", False),
        ("https://example.com", "https://example.com/any/page", True),
        ("https://example.com/a/", "https://www.example.com/a/b", True),
        ("https://www.example.com/a", "https://example.com/a", True),
        ("https://example.com/a/b", "https://example.com/a", False),
        ("https://example.com", "https://sub.example.com", False),
        ("HTTPS://Example.com/A", " https://example.com/a/ ", True),
        ("//", "//", False),
        (" / ", " / ", False),
    ],
)
def test_a_place_is_known_by_its_host_path_or_last_name(wanted: str, given: str, same: bool) -> None:
    assert same_place(wanted, given) is same


@pytest.mark.parametrize(
    ("kind", "value", "facts", "why"),
    [
        ("max_words", "2", Facts("one two"), ""),
        ("max_words", "2", Facts("one two three"), "the answer has 3 words, 2 are allowed"),
        ("max_words", "2", Facts("– …"), "the answer has 0 words, 2 are allowed"),
        ("exact_words", "2", Facts("one two three"), "the answer has 3 words, not 2"),
        ("sources", "2", Facts("", cited=("a", "a", "b")), ""),
        ("sources", "2", Facts("", cited=("a", "a")), "1 of 2 sources are cited"),
        ("sources", "1", Facts("", cited=("a", "b")), ""),
        ("format", "number", Facts(" -3.5 %"), ""),
        ("format", "number", Facts("+12!"), ""),
        ("format", "number", Facts("3 m"), "the answer is not a number"),
        ("format", "number", Facts(""), "the answer is not a number"),
        ("format", "yes_no", Facts(" NO! "), ""),
        ("format", "yes_no", Facts(""), "the answer is neither yes nor no"),
        ("format", "json", Facts(" [] "), ""),
        ("format", "json", Facts(""), "the answer is not JSON"),
        ("avoid", "b.py", Facts("", touched=("a.py", "x/b.py"), visited=("b.py",)), "x/b.py was used"),
        ("avoid", "b.py", Facts("", visited=("y/b.py",)), "y/b.py was used"),
        ("avoid", "b.py", Facts("b.py", cited=("b.py",)), ""),
        ("visit", "b.md", Facts("", visited=("a.md", "b.md")), ""),
        ("visit", "b.md", Facts("", cited=("b.md",)), "b.md was not visited"),
        ("cite", "b.md", Facts("", visited=("b.md",)), "b.md is not cited"),
    ],
)
def test_a_demand_is_held_at_its_boundary(kind: Kind, value: str, facts: Facts, why: str) -> None:
    assert broken([demand(kind, value)], facts) == ([f"'said': {why}"] if why else [])


def test_only_the_wording_of_an_answer_is_asked_of_the_answer() -> None:
    apart = [demand("visit", "a.md"), demand("cite", "a.md"), demand("sources", "2")]
    assert not breaks_answer(apart, "x")
    for one in (
        demand("max_words", "1"),
        demand("exact_words", "1"),
        demand("format", "json"),
        demand("contain", "y"),
    ):
        assert breaks_answer([*apart, one], "x x")


def test_an_address_that_is_forbidden_is_told_in_the_words_of_the_first_demand() -> None:
    rules = [
        demand("visit", "a.md", "go"),
        demand("avoid", "b.md", "not b"),
        demand("avoid", "a.md", "not a"),
    ]
    assert forbids(rules, iter(["x/a.md", "b.md"])) == "not b"
    assert forbids(rules, ["x/a.md"]) == "not a"
    assert forbids(rules, ["c.md"]) == forbids(rules, []) == forbids([], ["a.md"]) == ""


@pytest.mark.parametrize(
    ("text", "kind", "value", "told"),
    [
        ("In one word!", "max_words", "1", True),
        ("A single word.", "max_words", "1", True),
        ("A single word.", "max_words", "2", False),
        ("No stone unturned.", "max_words", "1", False),
        ("At most 12 words", "max_words", "12", True),
        ("At most 120 words", "max_words", "12", False),
        ("At most Twelve words", "max_words", "12", True),
        ("Say YES or no.", "format", "yes_no", True),
        ("Say yes or nothing.", "format", "yes_no", False),
        ("See A/B.md", "visit", "a/b.MD", True),
        ("See a.md", "visit", "b.md", False),
    ],
)
def test_a_demand_is_told_where_what_it_names_or_counts_stands(
    text: str, kind: Kind, value: str, told: bool
) -> None:
    assert told_by(text, demand(kind, value)) is told


def test_what_is_counted_as_a_word() -> None:
    assert [word_count(t) for t in ("", " – ", "a", "a-b c", "a – b", "1,000 €")] == [0, 0, 1, 2, 2, 1]


def test_a_sentence_that_says_more_than_the_wording_stays() -> None:
    assert without_wording("Who built it? Answer in one word.") == "Who built it?"
    assert without_wording("Answer in one word.") == "Answer in one word."
    long = "Answer in one word who built this pier."
    assert without_wording(f"Why? {long}") == f"Why? {long}"
    assert without_wording("Why? Answer in one word about piers; thanks.") == "Why? thanks."
