"""The scorer of candidates: its data file, its curve, and that training again gives the same bytes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.answers_scoring import Case
from benchmarks.core import FOLDERS, WrongOption
from benchmarks.reader_chains import chains
from benchmarks.reader_real import says
from benchmarks.reader_rows import Rows, load_rows, rows_of, save_rows
from benchmarks.train_reader import CASES, curve, data_of, fit, folded, judged
from ddax.errors import ReasonerError
from ddax.memory.embed.likeness import Vectors
from ddax.memory.embeddings import HashEmbedder
from ddax.reasoning.embedded import features
from ddax.reasoning.embedded.candidates import candidates
from ddax.reasoning.embedded.scorer import WEIGHTS, of_data, scorer
from ddax.text.question import analyse


def made_rows(seed: int = 0, questions: int = 40) -> list[Rows]:
    """Return candidates whose first sign tells which is right."""
    rng = np.random.default_rng(seed)
    found = []
    for number in range(questions):
        signs = rng.random((6, len(features.NAMES)))
        signs[:, features.NAMES.index("query")] = rng.integers(0, 2, 6)
        labels = (signs[:, 0] > 0.7).astype(np.int64)
        found.append(Rows("real", f"{number}", "?", bool(labels.any()), signs, labels))
    return found


def trained(rows: list[Rows], file: Path) -> str:
    """Return the data file that some rows make."""
    raws = folded(rows)
    trust, told = judged(rows, raws)
    return data_of(fit(rows), trust, curve(rows, raws, told), 0.9, rows, {CASES: file})


def test_the_weights_say_what_they_were_made_of() -> None:
    data = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    assert tuple(data["signs"]) == features.NAMES
    cases = FOLDERS[0] / CASES
    assert data["made_of"][CASES]["sha256"] == sha256(cases.read_bytes()).hexdigest()
    assert set(data["ways"]) == set(features.WAYS)


def test_the_page_of_results_says_from_what_probability_is_claimed(repo: Path) -> None:
    page = (repo / "docs" / "cli.md").read_text(encoding="utf-8")
    assert f"claimed from about {scorer().claim:.1f} on" in page


def test_weights_of_other_signs_are_refused() -> None:
    data = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    with pytest.raises(ReasonerError, match="other signs"):
        of_data({**data, "signs": data["signs"][1:]})


@given(st.lists(st.floats(-20, 20), min_size=2, max_size=8))
def test_what_has_higher_log_odds_is_never_less_likely(raws: list[float]) -> None:
    likely = [scorer().probability(raw) for raw in sorted(raws)]
    assert likely == sorted(likely)
    assert all(0 <= p <= 1 for p in likely)
    assert scorer().ys.max() > scorer().claim  # else nothing would ever be claimed


def test_training_again_gives_the_same_bytes(tmp_path: Path) -> None:
    file = tmp_path / "made.jsonl"
    file.write_text("{}", encoding="utf-8")
    first, second = (trained(made_rows(), file) for _ in range(2))
    assert first == second
    assert of_data(json.loads(first)).raw(made_rows()[0].signs).shape == (6,)


def test_a_scorer_learns_which_sign_tells_what_is_right() -> None:
    model, unseen = fit(made_rows()), made_rows(seed=1)
    right = [rows.labels[int(model.raw(rows.signs).argmax())] == 1 for rows in unseen if rows.answerable]
    assert np.mean(right) > 0.7


def test_signs_of_made_documents_are_the_same_twice() -> None:
    asked = next(chains())
    one, two = (rows_of(asked, Vectors(HashEmbedder())) for _ in range(2))
    assert (one.signs == two.signs).all() and 1 in one.labels


def test_rows_that_are_kept_make_the_same_bytes(tmp_path: Path) -> None:
    kept, file, found = tmp_path / "rows", FOLDERS[0] / CASES, made_rows()
    save_rows(kept, found)
    assert trained(load_rows(kept), file) == trained(found, file)


def test_rows_of_other_signs_and_other_files_are_refused(tmp_path: Path, monkeypatch) -> None:
    kept = tmp_path / "rows"
    for content in (b"", b"words", b"PK\x03\x04"):
        kept.write_bytes(content)
        with pytest.raises(WrongOption, match="cannot be read as rows"):
            load_rows(kept)
    save_rows(kept, made_rows())
    monkeypatch.setattr("benchmarks.reader_rows.NAMES", features.NAMES[1:])
    with pytest.raises(WrongOption, match="another release"):
        load_rows(kept)


def test_a_candidate_is_right_by_what_it_says_and_not_by_what_leads_to_it() -> None:
    asked = next(chains())
    found = candidates(analyse(asked.question), asked.passages, Vectors(HashEmbedder()))
    (led,) = [one for one in found if asked.right(one)]
    assert led.lead is not None
    year = re.search(r"\b19\d\d\b", led.lead.sentence.text)
    assert year is not None
    for answer, wanted in ((year[0], 0), (led.lines[0].sentence.text.rstrip("."), 1)):
        case = Case("made", asked.question, (answer,), "", "fact", answerable=True)
        assert says(case)(led) == wanted, answer


SIGNS = """
from hashlib import sha256
from benchmarks.reader_chains import chains
from benchmarks.reader_real import says
from benchmarks.reader_rows import rows_of
from ddax.memory.embed.likeness import Vectors
from ddax.memory.embeddings import HashEmbedder
vectors = Vectors(HashEmbedder())
signs = (rows_of(asked, vectors).signs.tobytes() for asked, _ in zip(chains(), range(300)))
print(sha256(b"".join(signs)).hexdigest())
"""


def test_signs_are_the_same_in_every_process(repo: Path) -> None:
    def signs(seed: str) -> str:
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(repo)}
        done = subprocess.run([sys.executable, "-c", SIGNS], env=env, capture_output=True, check=True)
        return done.stdout.decode().strip()

    first = signs("1")
    assert len(first) == 64 and signs("2") == first
