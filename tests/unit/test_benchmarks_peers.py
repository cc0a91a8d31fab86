"""The comparison with other frameworks: what it counts, how it tells an error, its tables."""

import importlib.util
import json
from pathlib import Path

import pytest

from benchmarks import page, peers
from benchmarks.core import MissingData, Options
from benchmarks.model_server import Served
from benchmarks.peers import crash, dag, reasons, research, script, table, twentyfour
from benchmarks.peers.driving import OURS, PEERS, Failed, Found, read
from benchmarks.peers.pictures import pictures
from benchmarks.peers.rows import Measure, Row, of_the_best
from tests.cases import cases

CAPITAL = research.Question(
    "Which river is the home of Ada on?",
    "the Ouse",
    (("Ada (poet)", "Ada lived in Wexley all her life."), ("Wexley", "Wexley lies on the Ouse.")),
)


def call(key: str, start: float, end: float, kind: str = "leaf") -> dict[str, object]:
    return {"key": key, "kind": kind, "start": start, "end": end, "tokens_in": 1, "tokens_out": 1}


class Books(Served):
    """A server whose books are given."""

    def __init__(self, given: dict[str, object]) -> None:
        super().__init__("http://127.0.0.1:1/v1")
        object.__setattr__(self, "given", given)

    def books(self) -> dict[str, object]:
        return self.given  # type: ignore[attr-defined, no-any-return]


def test_a_run_whose_requests_had_no_reply_is_an_error_and_no_number(tmp_path: Path) -> None:
    books = {"failed": 2, "error": "KeyError('what?')", "calls": []}
    with pytest.raises(Failed, match=r"no reply to 2 requests: KeyError\('what\?'\)"):
        read(PEERS[1], '\n@@{"answer": ""}', "", Books(books), tmp_path)


def test_a_run_that_printed_nothing_is_an_error_with_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(Failed, match="smolagents: ImportError: no such thing"):
        read(PEERS[3], "", "ImportError:\n no such thing", Books({"failed": 0}), tmp_path)


def test_a_leaf_in_flight_at_the_kill_is_nobodys_loss() -> None:
    leaves = [call(f"k{n}", 0.0, 1.0) for n in range(8)]
    after = [call(f"k{n}", 3.0, 4.0) for n in range(6, crash.LEAVES)]
    flying = call("k9", 1.5, 2.5)
    found = Found({"answer": "blue"}, {}, calls=[*leaves, flying, *after])
    assert crash.repeated(found, 2.0) == (8, 2, True)


def test_an_answer_from_some_of_the_leaves_is_no_end() -> None:
    found = Found({"answer": "blue"}, {}, calls=[call("k0", 0.0, 1.0)])
    assert crash.repeated(found, 2.0) == (1, 0, False)


def test_overlap_is_the_mean_of_leaves_in_flight_and_beyond_is_what_no_call_covers() -> None:
    found = Found({"seconds": 5.0}, {}, calls=[call("a", 0.0, 2.0), call("b", 1.0, 3.0), call("c", 3.5, 4.0)])
    assert dag.overlap(found) == pytest.approx(4.5 / 4.0)
    assert dag.beyond(found) == pytest.approx(1.5)


def test_a_leaf_more_and_the_fixed_cost_of_a_run_are_told_apart() -> None:
    def took(leaves: int, seconds: float, embedding: float) -> Found:
        row = {"cpu": seconds + embedding, "embedding_cpu": embedding, "seconds": 1.0}
        return Found(row, {}, calls=[call(f"k{n}", 0.0, 1.0) for n in range(leaves + 2)])

    many, few = took(64, 0.090 + 64 * 0.003, 0.5), took(dag.FEW, 0.090 + dag.FEW * 0.003, 0.1)
    assert dag.slope(many, few, 64) == pytest.approx(3.0)
    assert dag.fixed(many, few, 64) == pytest.approx(90.0)


def test_the_scripted_reader_answers_only_from_what_it_was_shown() -> None:
    first, second = (text for _, text in CAPITAL.pages)
    assert research.answer_of(CAPITAL, first) == research.NOTHING
    assert research.answer_of(CAPITAL, f"{first}\n{second}") == "the Ouse"


def test_the_scripted_reader_searches_for_what_is_named_else_for_what_it_knows() -> None:
    assert research._queries(CAPITAL, "nothing") == [CAPITAL.text]
    assert research._queries(CAPITAL, CAPITAL.pages[0][1]) == ["Wexley"]
    hidden = CAPITAL._replace(pages=(CAPITAL.pages[0], ("The town", "The town lies on the Ouse.")))
    assert research._queries(hidden, hidden.pages[0][1]) == [
        f"{CAPITAL.text} Ada lived in Wexley all her life."
    ]


def test_the_search_given_to_readers_ranks_rare_words_first() -> None:
    path = Path(table.__file__).with_name("lookup.py")
    spec = importlib.util.spec_from_file_location("lookup", path)
    assert spec is not None and spec.loader is not None
    lookup = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(lookup)
    pages = lookup.Pages(
        {"Elm": "a tree of the park", "Oak": "a tree of the wood", "Ash": "a tree in a wood"}
    )
    assert pages.titles("the tree of the park")[0] == "Elm"
    assert pages.listed("elm").splitlines()[:2] == ["FOUND for elm", "- Elm"]


@cases("told", "right")
def test_steps_to_24_are_checked_by_arithmetic(told: str, right: bool) -> None:
    assert twentyfour.solves("1 1 4 6", told) is right


def figure(name: str, value: float, low: float | None = None, high: float | None = None) -> dict[str, object]:
    unit = table.measures()[name.partition(" | ")[0]].unit
    return {"name": name, "value": value, "unit": unit, "low": low, "high": high}


@pytest.mark.parametrize(
    ("name", "ours", "theirs", "stands"),
    [
        (dag.CALLS.name, (2.0, None, None), (1.0, None, None), "behind"),
        (dag.CALLS.name, (1.0, None, None), (2.0, None, None), "ahead"),
        (dag.OVERLAP.name, (1.0, None, None), (2.0, None, None), "behind"),
        (dag.CALLS.name, (2.0, 1.0, 3.0), (1.5, 1.0, 2.0), "level"),
        (dag.PEAK.name, (2.0, None, None), (1.9, None, None), "level"),
        (dag.PEAK.name, (2.0, None, None), (1.5, None, None), "behind"),
        (dag.EMBEDDING.name, (2.0, None, None), (1.0, None, None), ""),
    ],
)
def test_how_ours_stands_goes_by_the_direction_and_the_spread(
    name: str, ours: tuple[float, float, float], theirs: tuple[float, float, float], stands: str
) -> None:
    found = table.lines([figure(f"{name} | {OURS}", *ours), figure(f"{name} | smolagents", *theirs)])
    assert [line.stands for line in found] == [stands]


def test_losses_stand_first_and_an_error_of_ours_is_shown() -> None:
    rows = [figure(f"{dag.CALLS.name} | {OURS}", 1.0), figure(f"{dag.CALLS.name} | smolagents", 2.0)]
    rows += [figure(f"{dag.TOKENS.name} | {OURS}", 9.0), figure(f"{dag.TOKENS.name} | smolagents", 2.0)]
    rows += [figure(f"{dag.PEAK.name} | smolagents", 1.0), figure(f"{dag.PEAK.name} | TreeQuest", 2.0)]
    assert [line.stands for line in table.lines(rows)] == ["behind", "ahead", ""]
    assert f"| {dag.PEAK.name} | error |" in table.whole(rows)[-1]


@pytest.mark.parametrize(
    ("measure", "values"), [(crash.LOST, [0.0, 0.0, 3.0]), (crash.ENDED, [1.0, 1.0, 0.0])]
)
def test_what_must_hold_each_time_is_stated_by_its_worst_repetition(
    measure: Measure, values: list[float]
) -> None:
    figure = Row(measure, OURS, values).figure()
    assert (figure.value, figure.misses) == (values[-1], True)
    assert Row(crash.SHARE, OURS, [1.0, 1.0, 0.0]).figure().value == 1.0


def test_calls_are_compared_with_those_who_solve_as_many() -> None:
    measure = Measure("x")
    each = {OURS: 14.0, "few": 2.0, "all": 7.0}
    as_many = of_the_best(measure, each, {OURS: 1.0, "few": 0.5, "all": 1.0})
    assert [row.values for row in as_many] == [[2.0]]
    nobody = of_the_best(measure, each, {OURS: 1.0, "few": 0.5, "all": 0.9})
    assert [row.values for row in nobody] == [[7.0]]


def test_peers_with_one_reason_share_a_line() -> None:
    assert reasons({"a": "no tools", "b": "no tools", "c": "error: x"}) == ["a, b: no tools", "c: error: x"]


def test_the_table_is_drawn_ours_first_and_losses_before_gains() -> None:
    figures = json.loads((page.RESULTS / "peers.json").read_text(encoding="utf-8"))["figures"]
    drawn = pictures(figures)
    stands = [picture.series[0].name for picture in drawn]
    assert {picture.title for picture in drawn} == set(table.SHORT)
    assert stands == sorted(stands, key=[f"{OURS} is {stands}" for stands in table.ORDER].index)
    for picture in drawn:
        (bars,) = picture.series
        assert bars.x[0] == OURS and len(bars.x) > 1
        assert all(low <= y <= high for low, y, high in zip(bars.low, bars.y, bars.high, strict=True))


def test_every_measure_of_the_readme_exists() -> None:
    assert set(table.SHORT) <= set(table.measures())


def test_the_readme_shows_what_was_measured() -> None:
    text = page.README.read_text(encoding="utf-8")
    assert page.readme(text) == text
    figures = json.loads((page.RESULTS / "peers.json").read_text(encoding="utf-8"))["figures"]
    assert "\n".join(table.short(figures)) in text


def _asked_of_ours(form: str, user: str) -> dict[str, object]:
    named = {"type": "json_schema", "json_schema": {"name": form}}
    messages = [{"role": "system", "content": "rules"}, {"role": "user", "content": user}]
    return {"messages": messages, "response_format": named}


def test_the_scripted_player_plans_the_task_where_no_idea_is_given() -> None:
    body = _asked_of_ours("expand", f"TASK\n{twentyfour.TASK.format(numbers='1 1 4 6')}")
    reply = twentyfour.reply(body, script.all_text(body))
    assert reply is not None
    assert json.loads(reply.text)["children"]


@pytest.mark.parametrize(("kind", "found"), [("", True), ("\n\nKIND\nan intermediate result", False)])
def test_the_scripted_reader_gives_its_answer_at_the_end_alone(
    kind: str, found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(research, "questions", lambda: (CAPITAL,))
    pages = "\n".join(
        f"[BEGIN DATA 1 P{n}]\n{{}}\n{text}\n[END DATA 1]" for n, (_, text) in enumerate(CAPITAL.pages, 1)
    )
    body = _asked_of_ours("merge", f"TASK\n{CAPITAL.text}\n\nPASSAGES\n{pages}{kind}")
    reply = research.reply(body, script.all_text(body))
    assert reply is not None
    assert (json.loads(reply.text)["short"] == CAPITAL.answer) is found


def test_a_missing_file_is_told_before_the_first_part(tmp_path, monkeypatch):
    monkeypatch.setattr(peers, "parts", lambda _: pytest.fail("a part was begun"))
    with pytest.raises(MissingData, match=r"game24_dev\.csv"):
        peers.run(Options(data=tmp_path))
