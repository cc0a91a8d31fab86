"""The benchmark of the guard can fail: its trap tells, and its measures count what they say."""

from __future__ import annotations

from benchmarks.guard_cases import START, by_httpx, hosts, names, trapped, tried
from benchmarks.guard_crawl import PAGES, Crawl, Planted, at_once, gaps, judge, plant
from ddax.actions.egress import policy_of


async def test_what_reaches_the_trap_is_counted_against_the_case() -> None:
    open_to_all = policy_of(allow_hosts=[START, "127.0.0.1"], resolver=names)
    guarded = policy_of(allow_hosts=[START], resolver=names)
    async with trapped() as trap:
        url = f"http://127.0.0.1:{trap.port}/"
        through = await tried("W1", url, "client", trap, lambda u: by_httpx(u, open_to_all), url)
        refused = await tried("W1", url, "client", trap, lambda u: by_httpx(u, guarded), url)
    assert (through.ok, through.hits) == (False, 1)
    assert refused.ok and refused.hits == 0 and "not public" in refused.reason


def test_requests_that_overlap_are_counted_and_pauses_are_measured() -> None:
    times = [(0.0, 1.0), (0.5, 2.0), (1.5, 1.6), (3.0, 4.0)]
    assert at_once(times) == 2 and at_once([(0.0, 1.0), (1.0, 2.0)]) == 1
    assert list(gaps(times)) == [0.5, 1.0, 1.5]


def test_a_page_that_ends_otherwise_is_named() -> None:
    made = Crawl()
    judge(made, Planted("a.test", "/1", "read"), "read")
    judge(made, Planted("a.test", "/2", "read"), "timeout")
    judge(made, Planted("b.test", "/1", "refused"), "cooling_down")
    assert (made.right, made.readable, made.read) == (2, 2, 1)
    assert made.wrong == ["a.test/2: timeout, not read"]


def test_the_site_is_as_large_as_stated() -> None:
    answers, planted = plant()
    assert len(planted) == PAGES and len(answers) > PAGES and len(hosts()) >= 55
