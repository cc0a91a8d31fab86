"""What the benchmark of the page says of samples: a saw-tooth is no growth, a leak is."""

from __future__ import annotations

from benchmarks.view import growth
from benchmarks.view_page import Sample


def samples(*heaps: float, elements: int = 900) -> tuple[Sample, ...]:
    return tuple(Sample(heap, 300.0, 100.0, elements, 2000) for heap in heaps)


def test_a_page_that_drops_what_is_old_does_not_grow() -> None:
    found = growth(samples(5.0, 5.4, 5.8, 5.0, 5.4, 5.8, 5.0, 5.3))
    assert [figure.name for figure in found if figure.misses] == []
    assert found[0].value == 1


def test_a_leak_is_seen() -> None:
    (leak,) = [figure for figure in growth(samples(*range(10, 22))) if figure.misses]
    assert leak.name.startswith("heap of the page")
    kept = samples(5, 5, 5, 5) + samples(5, 5, 5, 5, elements=901)
    (more,) = [figure for figure in growth(kept) if figure.misses]
    assert more.name == "elements more in the page"
