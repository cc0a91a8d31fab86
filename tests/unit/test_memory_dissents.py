"""What a dissent is worth: the part that holds, its depth, and the diversity of what it cites."""

from __future__ import annotations

import numpy as np
import pytest

from ddax.memory.agents.dissents import (
    citation_entropy,
    cited_criteria,
    dissent_depth,
    diversity_flag,
    held_part,
    novelty_of,
)
from ddax.reasoning.entailment import open_check

CHECK = open_check()
QUOTE = "The harbour of Trondby was built in 1712."
ELSEWHERE = "Cheese is sold in Belmark on every Tuesday morning."
RESULT = "The harbour of Trondby was built in 1812. The town hall of Trondby was designed by Ilse Maran."


def test_depth_counts_length_citations_and_novelty() -> None:
    words = " ".join(["word"] * 25)

    def depth(
        text: str, cited: list[str], upheld: list[str], novelty: float | None, ok: bool = True
    ) -> float:
        return dissent_depth(text, cited, upheld=upheld, novelty=novelty, supported=ok)

    assert depth(words, ["a", "b"], ["a", "b"], 0.25) == pytest.approx(0.5 + 0.4 + 0.25)
    assert depth(words, [], [], None) == pytest.approx(0.5 + 0.5)
    assert depth(words * 9, ["a"] * 99, ["a"], 0.0) == pytest.approx(1.0 + 0.2)
    assert depth(words * 9, list("abcdefg"), list("abcdefg"), 1.0) == 2.0
    assert depth(words, ["a"], ["a"], 1.0, ok=False) == 0.0
    assert depth("", ["a"], ["a"], 1.0) == 0.0


def test_citing_everything_is_worth_less_than_citing_what_is_wanting() -> None:
    exact = dissent_depth("it is so", ["a", "b"], upheld=["a", "b"], novelty=0.5, supported=True)
    every = dissent_depth("it is so", list("abcde"), upheld=["a", "b"], novelty=0.5, supported=True)
    assert every < exact


def test_filler_repetition_and_quotes_from_elsewhere_do_not_hold() -> None:
    def held(text: str, *quotes: str) -> str:
        return held_part(text, quotes, result=RESULT, about="When was the harbour built?", check=CHECK)

    honest = "The harbour of Trondby was built in 1712."
    assert held(honest, QUOTE) == honest
    filler = "One must always consider many things with the greatest of care."
    agreed = "The town hall of Trondby was designed by Ilse Maran."
    padded = " ".join([honest, filler, honest, ELSEWHERE, agreed, filler])
    assert held(padded, QUOTE, ELSEWHERE, agreed) == honest
    assert held(filler, QUOTE) == held(honest) == held("", QUOTE) == ""


def test_novelty_is_against_the_nearest_earlier_dissent() -> None:
    x, y = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    assert novelty_of(x, []) is None
    assert novelty_of(x, [y]) == 1.0
    assert novelty_of(x, [y, x]) == 0.0
    assert novelty_of(x, [-x]) == 1.0


def test_criteria_are_cited_by_name() -> None:
    rubric = ["coverage", "support", "name-the-year"]
    assert cited_criteria("Its Support is weak; name the year!", rubric) == ["support", "name-the-year"]
    assert cited_criteria("nothing", rubric) == []


def test_always_citing_the_same_is_flagged_where_trust_is_high() -> None:
    same = [{"rubric_citations": ["support"]}] * 12
    varied = [{"rubric_citations": [name]} for name in ("coverage", "support", "progress") * 4]
    assert citation_entropy(same) == 0.0
    assert citation_entropy(varied) == pytest.approx(1.0)
    assert citation_entropy(same[:5]) is None
    assert "same criteria" in diversity_flag(same, 0.8)
    assert diversity_flag(same, 0.3) == diversity_flag(varied, 0.9) == diversity_flag([], 0.9) == ""
