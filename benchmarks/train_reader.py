"""Trains the scorer of the answers without a model (`ddax/reasoning/embedded/scorer.json`).

`python -m benchmarks.train_reader` reads questions over encyclopaedia paragraphs, two-hop questions with and
without the paragraphs that answer them, and the cases of `benchmarks/data/reader_cases.jsonl` over small
documents of our own. A logistic regression is fitted to every candidate; what its log-odds are worth is
measured on folds that it did not see. The same material gives the same bytes.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.core import FOLDERS, Options
from benchmarks.hotpot import normal

if TYPE_CHECKING:
    from ddax.memory.embed.likeness import Vectors
    from ddax.reasoning.embedded.candidates import Candidate
    from ddax.types import Passage

TARGET = Path(__file__).parent.parent / "ddax" / "reasoning" / "embedded" / "scorer.json"
SQUAD, HOTPOT, CASES = "squad2_train.jsonl", "hotpot_dev.jsonl", "reader_cases.jsonl"
USUAL = ("cases", "chains", "hotpot")
"""Sets on which it is measured what log-odds are worth; the other one asks to mislead."""
KINDS = {SQUAD: "squad", HOTPOT: "hotpot", CASES: "cases"}
EVERY = 16
"""Of the questions over paragraphs every so many are asked: a paragraph has nine."""
READ = 5
"""Documents that are read for a question."""
FOLDS, STRENGTH, TRUST, STEPS, LEAST = 5, 3.0, 20.0, 40, 15.0
"""Folds, how far weights are held back (of the ranking, of the judgment), steps, questions of a point."""
WEIGHTS = {"squad": 0.7, "hotpot": 1.0, "cases": 1.0, "chains": 0.5}
"""What a question counts when the scorer is fitted and measured."""
DOUBTED = {"squad": 0.2, "hotpot": 0.4, "cases": 0.4, "chains": 0.3}
"""What a question without an answer counts: these sets have more of them than users ask."""
DIGITS, CLAIMED = 5, 0.94
"""Digits of a weight, and the share of claims that is to be right on folds that were not seen."""


@dataclass(frozen=True)
class Asked:
    """A question with what was read for it; `right` says 1, 0 or -1 (unsure) of a candidate."""

    kind: str
    group: str
    question: str
    passages: tuple[Passage, ...]
    answerable: bool
    right: Callable[[Candidate], int]


@dataclass(frozen=True)
class Rows:
    """The candidates of one question: their signs `[n, signs]` and labels `[n]`."""

    kind: str
    group: str
    question: str
    answerable: bool
    signs: NDArray[np.float64]
    labels: NDArray[np.int64]


def said(candidate: Candidate) -> str:
    """Return what a claim of a candidate says."""
    told = " ".join(f"{i.sentence.passage.title} {i.sentence.told}" for i in candidate.lines)
    return f" {normal(f'{candidate.short} {told}')} "


def passages_of(source: str, title: str, text: str, question: str, *, most: int = 6) -> list[Passage]:
    """Return the parts of a document that bear most on a question, as a visit keeps them."""
    from ddax.actions.pages import relevant
    from ddax.text.chunks import chunks
    from ddax.types import Passage

    pieces = relevant(chunks(text), question, most)
    return [Passage(f"{source}:{p.start}", source, title, p.text, p.start, p.end) for p in pieces]


class Shelf:
    """Documents that are searched by words, and followed by the titles they name."""

    def __init__(self, documents: Sequence[tuple[str, str]]) -> None:
        from ddax.actions.sources.bm25 import Bm25, weighted_counts
        from ddax.actions.sources.titles import TitleIndex
        from ddax.actions.sources.tokens import tokens

        self.documents = list(documents)
        rows = (weighted_counts(tokens(text), tokens(title), title_weight=2) for title, text in documents)
        self._index, self._titles = Bm25.build(rows), TitleIndex([title for title, _ in documents])

    def read(
        self, question: str, *, hidden: frozenset[int] = frozenset(), follow: bool
    ) -> tuple[Passage, ...]:
        """Return what would be read for a question: the best two documents, what they name, the next."""
        from ddax.actions.sources.tokens import query_tokens

        scores = self._index.scores(dict.fromkeys(query_tokens(question), 1.0))
        order = [int(k) for k in np.argsort(-scores, kind="stable") if int(k) not in hidden]
        named = (
            [m.document for k in order[:2] for m in self._titles.mentions(self.documents[k][1])]
            if follow
            else []
        )
        kept = [k for k in named if k not in hidden and k not in order[:2]][:2]
        chosen = list(dict.fromkeys([*order[:2], *kept, *order[2:]]))[:READ]
        return tuple(p for k in chosen for p in passages_of(f"{k}.md", *self.documents[k], question))


def squad(path: Path) -> Iterator[Asked]:
    """Yield questions over paragraphs, half of them with no answer there."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    documents = list(dict.fromkeys((row["title"], row["context"]) for row in rows))
    shelf = Shelf(documents)
    for row in rows[::EVERY]:
        gold = f"{documents.index((row['title'], row['context']))}.md"
        yield Asked(
            "squad", row["title"], row["question"], shelf.read(row["question"], follow=False),
            bool(row["answers"]), _in_span(gold, row["starts"], row["answers"]),
        )  # fmt: skip


def _in_span(gold: str, starts: Sequence[int], answers: Sequence[str]) -> Callable[[Candidate], int]:
    def right(candidate: Candidate) -> int:
        line = candidate.lines[0].sentence
        if line.passage.source == gold:
            return int(any(line.start <= start < line.end for start in starts))
        return -int(any(f" {normal(answer)} " in said(candidate) for answer in answers))

    return right


def hotpot(path: Path) -> Iterator[Asked]:
    """Yield two-hop questions with the paragraphs that answer them, and without."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    pool = {p["title"]: "".join(p["sentences"]) for row in rows for p in row["paragraphs"]}
    documents = list(pool.items())
    shelf = Shelf(documents)
    for number, row in enumerate(rows):
        titles = {title for title, _ in row["supporting"]}
        hidden = frozenset(k for k, (title, _) in enumerate(documents) if title in titles)
        for away in (False, True):
            read = shelf.read(row["question"], hidden=hidden if away else frozenset(), follow=True)
            yield Asked(
                "hotpot", f"{number}", row["question"], read, not away, _in_titles(row["answer"], titles)
            )


def _in_titles(answer: str, titles: set[str]) -> Callable[[Candidate], int]:
    def right(candidate: Candidate) -> int:
        holds = f" {normal(answer)} " in said(candidate)
        return int(holds) if candidate.lines[0].sentence.passage.title in titles else -int(holds)

    return right


def cases(path: Path) -> Iterator[Asked]:
    """Yield questions over small documents, with the quote that answers or none."""
    from ddax.types import Passage

    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        read = tuple(
            Passage(f"{source}:{start}", source, title, text, start, start + len(text))
            for source, title, text, start in row["documents"]
        )
        group = sha256("".join(text for *_, text, _ in row["documents"]).encode()).hexdigest()[:8]
        yield Asked("cases", group, row["question"], read, bool(row["quotes"]), _of_case(row))


def _of_case(row: dict[str, Any]) -> Callable[[Candidate], int]:
    quotes, short = [tuple(quote) for quote in row["quotes"]], row["short"]

    def right(candidate: Candidate) -> int:
        places = {(i.sentence.passage.source, i.sentence.text) for i in candidate.lines}
        if not quotes:
            return 0
        if candidate.op and candidate.short and short:
            return int(normal(candidate.short) == normal(short))
        if places & set(quotes[:1]):
            return 1
        if not places & set(quotes):
            return 0
        plain = not short or short in ("yes", "no") or short == candidate.lines[0].sentence.passage.title
        return 1 if plain or f" {normal(short)} " in said(candidate) else -1

    return right


CHAINS = (
    ("In which city was the {role} of {thing} born?",
     "{thing} is a tower in {town}. {person} {deed} it in {year}.",
     "{person} lived from 1881 to 1944. {They} was born in {city}.", ("architect", "designed"), "born in"),
    ("When was the {role} of {thing} born?", "{thing} is a film of {year}. It was {deed} by {person}.",
     "{person} was born in {year2} in {city}. {They} taught in {town}.", ("director", "directed"), "born in"),
    ("Where is the {role} of {thing} based?", "{thing} is a lamp sold since {year}. Its {role} is {person}.",
     "{person} is a company with 40 people. {They} is based in {city}.", ("maker", "made"), "based in"),
    ("Which river flows past the {role} of {thing}?", "{thing} is a province. Its {role} is {person}.",
     "{person} has 4,000 inhabitants. The river {city} flows past it.", ("capital", "ruled"), "river"),
    ("Who owns the {role} that published {thing}?", "{thing} is a novel of {year}. {person} {deed} it.",
     "{person} is a publisher in {town}. {They} is owned by {city} {city2}.",
     ("publisher", "published"), "owned"),
)  # fmt: skip
"""Questions with two steps, the documents of both, and what the sentence that answers says."""
SYLLABLES = ("bel", "tor", "ven", "mar", "sol", "kin", "dra", "fel", "os", "ril", "tam", "gor", "lin", "pas")
MADE = 24


def chains() -> Iterator[Asked]:
    """Yield made questions with two steps, each with both documents, and without the first or the second."""
    from ddax.types import Passage

    rng = np.random.default_rng(7)

    def name(parts: int = 1) -> str:
        return " ".join("".join(rng.choice(SYLLABLES, 2)).capitalize() for _ in range(parts))

    for number in range(MADE):
        text, first, second, (role, deed), mark = CHAINS[number % len(CHAINS)]
        told = []
        for _ in range(4):
            words: dict[str, Any] = {"role": role, "deed": deed, "thing": f"{name()} {name()}",
                     "person": name(2),
                     "town": name(),
                     "city": name(), "city2": name(), "year": rng.integers(1900, 1990),
                     "year2": rng.integers(1850, 1900),
                     "They": "It" if deed in ("made", "ruled") else "She"}  # fmt: skip
            told.append(
                (
                    words,
                    {
                        words[key]: form.format(**words)
                        for key, form in (("thing", first), ("person", second))
                    },
                )
            )
        words, own = told[0]
        rest = {title: line for _, pages in told[1:] for title, line in pages.items()}
        for away in ("", words["thing"], words["person"]):
            pages = [(title, line) for title, line in {**own, **rest}.items() if title != away][: READ + 1]
            read = tuple(
                Passage(f"{t}:0", f"{t}.md", t, f"# {t}\n\n{x}", 0, len(f"# {t}\n\n{x}")) for t, x in pages
            )
            gold = "" if away else f"{words['person']}.md"
            yield Asked("chains", f"{number}", text.format(**words), read, not away, _marked(gold, mark))


def _marked(gold: str, mark: str) -> Callable[[Candidate], int]:
    return lambda one: int(
        one.lines[0].sentence.passage.source == gold and mark in one.lines[0].sentence.text
    )


def rows_of(asked: Asked, vectors: Vectors) -> Rows:
    """Return the candidates of a question with their labels."""
    from ddax.reasoning.embedded import features
    from ddax.reasoning.embedded.candidates import candidates
    from ddax.text.question import analyse

    found = candidates(analyse(asked.question), asked.passages, vectors)
    signs = np.array([one.signs for one in found]).reshape(len(found), len(features.NAMES))
    labels = np.array([asked.right(one) for one in found], dtype=np.int64)
    return Rows(asked.kind, asked.group, asked.question, asked.answerable, signs, labels)


@dataclass(frozen=True)
class Head:
    """A logistic regression over signs of one size."""

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    weights: NDArray[np.float64]
    bias: float

    def raw(self, signs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log-odds of each row: `[n]`."""
        value: NDArray[np.float64] = (signs - self.mean) / self.scale @ self.weights + self.bias
        return value


@dataclass(frozen=True)
class Fit:
    """One regression for each way in which a candidate can answer."""

    heads: tuple[Head, ...]

    def raw(self, signs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log-odds of each row by the regression of its way: `[n]`."""
        from ddax.reasoning.embedded.features import ways

        value: NDArray[np.float64] = np.choose(ways(signs), [head.raw(signs) for head in self.heads])
        return value


def weight_of(rows: Rows) -> float:
    """Return what a question counts."""
    return WEIGHTS[rows.kind] * (1.0 if rows.answerable else DOUBTED[rows.kind])


def fit(found: Sequence[Rows]) -> Fit:
    """Fit the scorer to every candidate that is surely right or wrong."""
    from ddax.reasoning.embedded.features import WAYS, ways

    signs = np.concatenate([rows.signs for rows in found])
    labels = np.concatenate([rows.labels for rows in found])
    weights = np.concatenate([np.full(len(rows.labels), weight_of(rows)) for rows in found])
    known = labels >= 0
    way = ways(signs)
    chosen = [known & (way == k) for k in range(len(WAYS))]
    return Fit(tuple(regression(signs[own], labels[own], weights[own]) for own in chosen))


def regression(
    signs: NDArray[np.float64],
    labels: NDArray[np.int64],
    weights: NDArray[np.float64],
    strength: float = STRENGTH,
) -> Head:
    """Fit a logistic regression by Newton's method."""
    mean = np.average(signs, axis=0, weights=weights)
    scale = np.sqrt(np.average((signs - mean) ** 2, axis=0, weights=weights))
    scale[scale < 1e-6] = 1.0
    inputs = np.c_[(signs - mean) / scale, np.ones(len(signs))]
    held = np.full(inputs.shape[1], strength)
    held[-1] = 1e-6
    beta = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        odds = 1 / (1 + np.exp(-inputs @ beta))
        slope = inputs.T @ (weights * (odds - labels)) + held * beta
        bend = (inputs * (weights * odds * (1 - odds))[:, None]).T @ inputs + np.diag(held)
        step = np.linalg.solve(bend, slope)
        beta -= step
        if np.abs(step).max() < 1e-8:
            break
    return Head(mean, scale, beta[:-1], float(beta[-1]))


def folded(found: Sequence[Rows]) -> list[NDArray[np.float64]]:
    """Return the log-odds of every candidate by a scorer that saw nothing of its group."""
    fold = folds(found)
    models = [fit([r for r, own in zip(found, fold, strict=True) if own != k]) for k in range(FOLDS)]
    return [models[own].raw(r.signs) for r, own in zip(found, fold, strict=True)]


def folds(found: Sequence[Rows]) -> NDArray[np.int64]:
    """Return the fold of each question: those of one group stand in one."""
    groups = sorted({(rows.kind, rows.group) for rows in found})
    place = {group: number % FOLDS for number, group in enumerate(groups)}
    return np.array([place[rows.kind, rows.group] for rows in found])


def judged(found: Sequence[Rows], raws: Sequence[NDArray[np.float64]]) -> tuple[Head, NDArray[np.float64]]:
    """Return the regression that judges the best candidate, and its log-odds on folds it did not see."""
    from ddax.reasoning.embedded.scorer import standing

    inputs = np.stack([standing(rows.signs, raw) for rows, raw in zip(found, raws, strict=True)])
    labels = np.array([rights(rows, raw) for rows, raw in zip(found, raws, strict=True)])
    weights = np.array([weight_of(rows) for rows in found])
    fold, told = folds(found), np.zeros(len(found))
    for k in range(FOLDS):
        own = fold == k
        told[own] = regression(inputs[~own], labels[~own], weights[~own], TRUST).raw(inputs[own])
    return regression(inputs, labels, weights, TRUST), told


def rights(rows: Rows, raw: NDArray[np.float64]) -> int:
    """Tell whether the best candidate is right."""
    return int(rows.labels[int(raw.argmax())] == 1)


def curve(
    found: Sequence[Rows], raws: Sequence[NDArray[np.float64]], told: NDArray[np.float64]
) -> list[tuple[float, float]]:
    """Return what the log-odds of the best candidate are worth: the share that is right, never falling."""
    pairs = zip(found, raws, told, strict=True)
    best = [
        (float(value), rights(rows, raw), weight_of(rows)) for rows, raw, value in pairs if rows.kind in USUAL
    ]
    bins, blocks = [[0.0, 0.0, 0.0]], list[list[float]]()
    for value, right, weight in sorted(best):
        if bins[-1][2] >= LEAST:
            bins.append([0.0, 0.0, 0.0])
        bins[-1] = [bins[-1][0] + value * weight, bins[-1][1] + right * weight, bins[-1][2] + weight]
    for one in bins:
        blocks.append(one)
        while len(blocks) > 1 and blocks[-2][1] / blocks[-2][2] >= blocks[-1][1] / blocks[-1][2]:
            last = blocks.pop()
            blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
    return [(round(v / w, DIGITS), round(r / w, DIGITS)) for v, r, w in blocks]


def claims_from(
    found: Sequence[Rows],
    raws: Sequence[NDArray[np.float64]],
    told: NDArray[np.float64],
    points: Sequence[tuple[float, float]],
) -> float:
    """Return the least probability from which on, taken together, enough of the claims are right."""
    likely = np.interp(told, [x for x, _ in points], [y for _, y in points])
    best = [
        (float(p), rights(rows, raw), weight_of(rows))
        for p, rows, raw in zip(likely, found, raws, strict=True)
        if rows.kind in USUAL
    ]
    least, right, whole = 1.0, 0.0, 0.0
    for p, one, weight in sorted(best, reverse=True):
        right, whole = right + one * weight, whole + weight
        least = p if right / whole >= CLAIMED else least
    return round(least, DIGITS)


def main() -> None:
    """Make the rows, fit the scorer, and write its weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="the folder of the data files")
    parser.add_argument(
        "--rows", type=Path, help="keep the rows here, and take them from here where it exists"
    )
    parser.add_argument("--target", type=Path, default=TARGET)
    options = parser.parse_args()
    files = {name: Options(data=options.data).file(name) for name in (SQUAD, HOTPOT)}
    files[CASES] = FOLDERS[0] / CASES
    found = _rows(files, options.rows)
    raws = folded(found)
    trust, told = judged(found, raws)
    points = curve(found, raws, told)
    claim = claims_from(found, raws, told, points)
    for line in report(found, raws, told, points, claim):
        print(line)
    options.target.write_text(data_of(fit(found), trust, points, claim, found, files), encoding="utf-8")


def _rows(files: dict[str, Path], kept: Path | None) -> list[Rows]:
    if kept is not None and kept.exists():
        rows: list[Rows] = pickle.loads(kept.read_bytes())
        return rows
    from ddax.memory.embed.cache import CachedEmbedder
    from ddax.memory.embed.likeness import Vectors
    from ddax.memory.embeddings import open_embedder

    place = Path(tempfile.gettempdir()) / "ddax-train-reader.sqlite"
    vectors = Vectors(CachedEmbedder(open_embedder(threads=1), place), size=65_536)
    made = [*cases(files[CASES]), *chains(), *hotpot(files[HOTPOT]), *squad(files[SQUAD])]
    found = []
    for number, asked in enumerate(made):
        found.append(rows_of(asked, vectors))
        if number % 100 == 0:
            print(number, file=sys.stderr, flush=True)
    found = [rows for rows in found if len(rows.labels)]
    if kept is not None:
        kept.write_bytes(pickle.dumps(found))
    return found


def report(
    found: Sequence[Rows],
    raws: Sequence[NDArray[np.float64]],
    told: NDArray[np.float64],
    points: Sequence[tuple[float, float]],
    claim: float,
) -> Iterator[str]:
    """Yield, set by set, how many claims are right at the probability from which one is made."""
    likely = np.interp(told, [x for x, _ in points], [y for _, y in points])
    for kind in sorted({rows.kind for rows in found}):
        every = zip(found, raws, likely, strict=True)
        own = [(r, rights(r, raw), p >= claim) for r, raw, p in every if r.kind == kind]
        empty = sum(not rows.answerable for rows, *_ in own)
        claimed = [(rows, right) for rows, right, made in own if made]
        yield (
            f"{kind}: {len(own)} questions, claimed {len(claimed) / len(own):.3f}, right "
            f"{sum(right for _, right in claimed) / max(1, len(claimed)):.3f}, without an answer claimed "
            f"{sum(not rows.answerable for rows, _ in claimed)} of {empty}"
        )


def data_of(
    model: Fit,
    trust: Head,
    points: Sequence[tuple[float, float]],
    claim: float,
    found: Sequence[Rows],
    files: dict[str, Path],
) -> str:
    """Return the data file: what it was made of, the weights and the curve."""
    from ddax.reasoning.embedded import features

    made = {
        name: {"sha256": sha256(path.read_bytes()).hexdigest(),
               "questions": Counter(r.kind for r in found)[KINDS[name]]}
        for name, path in files.items()
    }  # fmt: skip
    ways = {way: _written(head) for way, head in zip(features.WAYS, model.heads, strict=True)}
    data = {"by": "benchmarks/train_reader.py", "made_of": made, "signs": list(features.NAMES), "ways": ways,
            "trust": _written(trust), "claim": claim, "curve": [list(point) for point in points]}  # fmt: skip
    return json.dumps(data, indent=1) + "\n"


def _written(head: Head) -> dict[str, Any]:
    values = {"mean": head.mean, "scale": head.scale, "weights": head.weights}
    parts = {part: [round(float(v), DIGITS) for v in own] for part, own in values.items()}
    return {"bias": round(head.bias, DIGITS), **parts}


if __name__ == "__main__":
    main()
