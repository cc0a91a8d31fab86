"""What the benchmark of two-hop questions counts as seen first."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.citations import Checked
from benchmarks.hotpot import Run, shown

RUN = Run((), 0, "", "", False, True, 0, 0.0, 0.0, Checked(0, 0, 0))
REFUSED = """Not found in the sources. These sentences come nearest, and the passages they stand in:
- The hall stands opposite. [2]
- It was built in 1931. [1]

> The palace was built
> in 1536.
> — [1] palace.md (Palace)"""


def test_of_a_refusal_the_first_words_without_marks_are_seen() -> None:
    seen = shown(replace(RUN, text=REFUSED))
    assert seen.startswith(
        "The hall stands opposite. It was built in 1931. The palace was built in 1536. — [1]"
    )
    long = REFUSED + "\n\n> " + "word " * 100
    assert len(shown(replace(RUN, text=long)).split()) == 60


def test_a_claim_is_seen_whole() -> None:
    assert shown(replace(RUN, text="It is the hall.", found=True)) == "It is the hall."
