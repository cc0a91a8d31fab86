"""Questions that are answered together get what each would get alone."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

from ddax.memory.records import matches
from ddax.memory.store.sqlite import Asked, Logged, RecordStore

VALUES: tuple[Any, ...] = ("a", "b", "ä'\"\\", "a\0b", "", "1", 1, True, 1.0, None, ["a"], '["a"]')
TASKS = ("t", "other")


def rows_of(rng: random.Random, count: int) -> list[dict[str, Any]]:
    return [
        {"task": rng.choice(TASKS), "n": n, "leaf": rng.choice(VALUES), "content": rng.choice(VALUES)}
        for n in range(count)
    ]


def test_each_question_of_many_gets_the_rows_it_would_get_alone(tmp_path: Path) -> None:
    rng = random.Random(7)
    rows = rows_of(rng, 300)
    store = RecordStore(tmp_path / "record.sqlite")
    for n, row in enumerate(rows):
        store.log("ns", [Logged("log", str(n), json.dumps(row), row["task"], None)], committed=float(n))
    asked = [
        Asked("log", dict(rng.sample(sorted(row.items()), rng.randint(0, 3))), limit, before)
        for row in rows_of(rng, 400)
        for limit, before in [rng.choice([(0, math.inf), (2, math.inf), (1000, math.inf), (1000, 150.0)])]
    ]
    found = store.answers("ns", asked)
    store.close()
    for question, answer in zip(asked, found, strict=True):
        all_of_it = [
            row for n, row in enumerate(rows) if n < question.before and matches(row, question.equals)
        ]
        assert answer == all_of_it[: question.limit]
    assert sum(map(bool, found)) > 100


def test_who_asks_the_same_has_rows_of_its_own(tmp_path: Path) -> None:
    store = RecordStore(tmp_path / "record.sqlite")
    store.log("ns", [Logged("log", "k", '{"task": "t", "leaf": "a"}', "t", None)], committed=1.0)
    (first,), (second,) = store.answers("ns", [Asked("log", {"leaf": "a"}, 9, math.inf)] * 2)
    store.close()
    assert first == second and first is not second


def test_questions_of_one_form_take_one_statement(tmp_path: Path) -> None:
    store = RecordStore(tmp_path / "record.sqlite")
    statements: list[str] = []
    store._db.set_trace_callback(statements.append)
    store.answers("ns", [Asked("log", {"task": "t", "leaf": str(n)}, 9, math.inf) for n in range(50)])
    assert len(statements) == 1
    store.close()
