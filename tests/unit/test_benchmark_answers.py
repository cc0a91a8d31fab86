"""What `answers` counts as right, as shown, and that each answer stands in the document that it names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import answers, plots
from benchmarks.answers import FOLDER, Asked, calibration, coverage, error, figures_of, wrong
from benchmarks.answers_scoring import (
    CLAIM,
    COMPUTED,
    PARAGRAPH,
    PARTS,
    QUESTIONS,
    Case,
    Told,
    Variant,
    laid_name,
    lay,
    load,
    paragraphs,
    right,
    shown,
    told,
)
from benchmarks.core import Options
from benchmarks.hotpot import normal

WORDS = st.text(alphabet="abcdefghij", min_size=4, max_size=8)


def case(*golds: Variant, kind: str = "fact", answerable: bool = True) -> Case:
    return Case("shop", "What is it?", golds, "a.md", kind, answerable)


def claim(statement: str, short: str = "") -> Told:
    return Told(True, short, statement, ())


@pytest.mark.parametrize(
    ("golds", "kind", "short", "statement", "is_right"),
    [
        (("Igor Pavlov",), "who", "", "It was made by Igor Pavlov.", True),
        (("Igor Pavlov",), "who", "Lasse Collin", "It was made by Igor Pavlov, says Lasse Collin.", False),
        (("Igor Pavlov",), "who", "Pavlov", "It was made by Igor Pavlov.", True),
        (("about 2.3%",), "fact", "2.3%", "This cuts CPU cycles by about 2.3%.", True),
        (("art",), "fact", "", "It is smart.", False),
        ((("Bromine", "Mercury"),), "filter", "", "Bromine, Mercury", True),
        ((("Bromine", "Mercury"),), "filter", "", "Mercury", False),
        (("7", "seven"), "count", "", "There are seven.", True),
        (("7",), "count", "", "7 " + "word " * 30, False),
        (("Igor Pavlov",), "who", "", "Igor Pavlov " + "word " * CLAIM, False),
        (("No",), "yesno", "", "No. Use another.", True),
        (("No",), "yesno", "", "GPL compatible?: no", True),
        (("No",), "yesno", "", "There is no reason to think so.", False),
        (("[...]",), "code", "", "placeholder=' [...]'", True),
        (("[...]",), "code", "", "placeholder=''", False),
    ],
)
def test_a_claim_is_right_where_it_says_the_answer(
    golds: tuple[Variant, ...], kind: str, short: str, statement: str, is_right: bool
) -> None:
    assert right(case(*golds, kind=kind), claim(statement, short)) is is_right


def test_what_is_no_claim_or_has_no_answer_is_never_right() -> None:
    assert not right(case("Igor Pavlov"), replace(claim("Igor Pavlov"), claimed=False))
    assert not right(case("Igor Pavlov", answerable=False), claim("Igor Pavlov"))


@given(st.lists(WORDS, min_size=1, max_size=3), st.lists(WORDS, max_size=200))
def test_a_long_dump_is_never_right(gold: list[str], rest: list[str]) -> None:
    text = " ".join([*gold, *rest])
    assert right(case(" ".join(gold)), claim(text)) is (len(text.split()) <= CLAIM)


@given(st.lists(WORDS, min_size=1, max_size=3), st.lists(WORDS, max_size=60))
def test_whoever_claims_the_answer_alone_is_right(gold: list[str], rest: list[str]) -> None:
    answer = " ".join(gold)
    assert right(case(answer), claim(" ".join([*rest, *gold]), answer))


def test_the_first_three_passages_count_as_shown_and_of_each_the_first_words() -> None:
    assert shown(case("Igor Pavlov"), ["one", "two", "by Igor Pavlov"])
    assert not shown(case("Igor Pavlov"), ["one", "two", "three", "by Igor Pavlov"])
    assert not shown(case("Igor Pavlov"), ["word " * 120 + "Igor Pavlov"])
    assert not shown(case("7", kind="count"), ["7 of them"])
    assert not shown(case("No"), ["No."])
    assert not shown(case("7", answerable=False), ["7"])


def test_a_result_is_read_as_a_claim_with_what_stands_beside_it() -> None:
    quotes = [{"quote": f"quote {n}"} for n in range(4)]
    result = {"status": "done", "answer": "It is 7. More of it.", "short": "7", "support": 0.9,
              "spans": [{"start": 0, "end": 8}], "citations": quotes}  # fmt: skip
    assert told(result) == Told(True, "7", "It is 7.", ("quote 0", "quote 1", "quote 2"), 0.9)
    refused = {
        **result,
        "status": "not_found",
        "answer": "Not found.\n\none\n\ntwo",
        "short": "",
        "spans": [],
    }
    assert told({**refused, "citations": []}).passages == ("one", "two")
    assert not told(refused).claimed and told(refused).passages[0] == "quote 0"


@given(st.lists(WORDS, max_size=400), st.integers(1, 50))
def test_the_paragraphs_of_the_baseline_are_short_and_lose_nothing(words: list[str], line: int) -> None:
    text = "\n".join(" ".join(words[k : k + line]) for k in range(0, len(words), line))
    cut = [*paragraphs("a.md", text)]
    assert " ".join(cut).split() == words
    assert all(len(each.split()) <= PARAGRAPH for each in cut)


def test_each_row_of_a_table_is_a_paragraph_under_its_header() -> None:
    assert [*paragraphs("a.csv", "name,age\nAda,36\nBob,40")] == ["name,age\nAda,36", "name,age\nBob,40"]


def asked(*rows: tuple[float, bool]) -> list[Asked]:
    return [
        Asked(case("yea"), replace(claim("yea" if good else "nay"), score=score), False)
        for score, good in rows
    ]


def test_the_curves_go_from_the_highest_score_down() -> None:
    found = [*asked((0.97, True), (0.92, False)), Asked(case("yea"), Told(False, "", "", ()), True)]
    assert coverage(found) == [[0.97, 0.3333, 1.0], [0.92, 0.6667, 0.5]]
    assert calibration(found) == [[0.92, 0.0, 1], [0.97, 1.0, 1]]
    assert error(found) == pytest.approx((0.92 + 0.03) / 2)


def test_only_the_unseen_part_has_targets_and_a_wrong_claim_is_told_in_words() -> None:
    found = asked((0.9, True), (0.8, False))
    figures = {figure.name: figure for figure in figures_of("unseen", found, 0)}
    assert figures["unseen: claims right"].value == 0.5 and figures["unseen: claims right"].misses
    assert not any(figure.target for figure in figures_of("looked_at", found, 0))
    assert [line for line in wrong(found) if "nay" in line] == wrong(found) and len(wrong(found)) == 1


def document(part: str, one: Case) -> Path:
    folder = FOLDER / part / one.collection
    return next(path for path in sorted(folder.iterdir()) if laid_name(path.name) == one.file)


@pytest.mark.parametrize("part", PARTS)
def test_every_answer_stands_in_the_file_that_is_named(part: str) -> None:
    for one in (one for one in load(FOLDER / part) if one.answerable and one.kind not in COMPUTED):
        text = document(part, one).read_text(encoding="utf-8")
        golds = [(gold,) if isinstance(gold, str) else gold for gold in one.answers]
        said = [all(f" {normal(each)} " in f" {normal(text)} " if normal(each) else each in text
                    for each in gold) for gold in golds]  # fmt: skip
        assert any(said) or one.kind == "yesno", (part, one.collection, one.file)


def test_the_parts_are_apart_and_say_what_they_are_made_of() -> None:
    sources = (FOLDER / "SOURCES.md").read_text(encoding="utf-8")
    seen: set[str] = set()
    for part in PARTS:
        cases = load(FOLDER / part)
        folders = {path.name for path in (FOLDER / part).iterdir() if path.name != QUESTIONS}
        assert {one.collection for one in cases} == folders
        assert not seen & folders and all(f"| {name} |" in sources for name in folders)
        assert len({one.question for one in cases}) == len(cases)
        assert all(bool(one.answers) is one.answerable for one in cases)
        seen |= folders


def test_documents_are_laid_out_under_their_own_names(tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    for name in ("a.py.txt", "pyproject.toml.txt", "b.txt"):
        (shop / name).write_text("text", encoding="utf-8")
    laid = lay(shop, tmp_path / "place")
    assert sorted(path.name for path in laid.iterdir()) == ["a.py", "b.txt", "pyproject.toml"]


def test_the_short_form_asks_one_question_in_four_of_both_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    many: dict[str, int] = {}

    def ask(part: str, cases: list[Case], seed: int) -> list[Asked]:
        many[part] = len(cases)
        return [Asked(one, Told(not one.answerable, "", "x", ()), False) for one in cases]

    monkeypatch.setattr(answers, "ask", ask)
    monkeypatch.setattr(plots, "write", lambda *_: "no plots")
    result = answers.run(Options(quick=True))
    assert many == {part: -(-len(load(FOLDER / part)) // answers.QUICK) for part in PARTS}
    assert set(result.conditions) == {"curves", "kinds"}
