"""Half-open intervals of integers: merge them, measure them, find the gaps. One line is wrong."""

from __future__ import annotations

from itertools import pairwise

Interval = tuple[int, int]


def merge(intervals: list[Interval]) -> list[Interval]:
    """Join intervals that touch or overlap, in order."""
    merged: list[Interval] = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            last_start, last_end = merged[-1]
            merged[-1] = (last_start, end)
        else:
            merged.append((start, end))
    return merged


def covered(intervals: list[Interval]) -> int:
    """Count the integers that lie in at least one interval."""
    return sum(end - start for start, end in merge(intervals))


def gaps(intervals: list[Interval]) -> list[Interval]:
    """List the intervals between the merged ones."""
    joined = merge(intervals)
    return [(left[1], right[0]) for left, right in pairwise(joined)]
