"""Several sandboxes at once: the reports of candidates keep their order, and the time is shared."""

import json
import shutil

import pytest

from ddax.evolution.program.suites import build_suite
from ddax.evolution.sandbox import Limits, choose
from ddax.evolution.sandbox.crew import Crew, at_once

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap"),
]

SUITE = build_suite(
    {"f.py": "def f(x):\n    return x\n"},
    ("f.py",),
    {"test_f.py": "from f import f\ndef test_f():\n    assert f(1) == 7\n"},
)


def job(crew, body):
    return crew.workers[0].job([0], sources={"f.py": f"def f(x):\n    {body}\n"})


def read(bodies):
    rows = [json.loads(body) for body in bodies]
    return [row and (row["rows"][0][3] if row["rows"] else row["stage"]) for row in rows]


@pytest.fixture(params=[1, 3])
def crew(request):
    made = Crew(choose(), SUITE.message(), limits=Limits(cpu=2.0, wall=4.0), size=request.param)
    yield made
    made.close()


def test_reports_come_in_the_order_of_the_jobs(crew):
    bodies = [f"raise ValueError({i})" for i in range(14)]
    assert read(crew.run([job(crew, body) for body in bodies])) == [str(i) for i in range(14)]


def test_a_candidate_that_dies_takes_no_other_with_it(crew):
    bodies = ["import os; os._exit(3)" if i in (1, 6) else f"raise ValueError({i})" for i in range(9)]
    found = read(crew.run([job(crew, body) for body in bodies], share=2))
    assert found == ["killed" if i in (1, 6) else str(i) for i in range(9)]


def test_nothing_is_begun_when_the_time_is_over(crew):
    jobs = [job(crew, "return 7")] * 6
    assert crew.run(jobs, seconds=0.0) == [b"null"] * 6
    assert all(json.loads(body)["rows"][0][1] == "pass" for body in crew.run(jobs))
    assert [worker.restarts for worker in crew.workers] == [0] * len(crew.workers)
    assert crew.run([]) == []


def test_a_crew_has_a_worker_for_each_core_and_few_of_them():
    crew = Crew(choose(), SUITE.message(), limits=Limits())
    assert len(crew.workers) == at_once() <= 4
