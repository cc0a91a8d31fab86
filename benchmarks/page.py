"""Write docs/benchmarks.md and the tables of other pages from benchmarks/results: no number is typed by hand.

Each result is what `python -m benchmarks NAME --json` printed. Figures that miss their target stand first.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import mood_tables
from benchmarks.peers import table

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "benchmarks.md"
README = ROOT / "README.md"
MIND = ROOT / "docs" / "metacognition.md"
FROM, TO = "<!-- from benchmarks/results/peers.json -->", "<!-- end of it -->"
FROM_MOOD = "<!-- from benchmarks/results/metacognition.json -->"

HEAD = """# Benchmarks

Written by `python -m benchmarks.page` from the results in `benchmarks/results/`; each section names the
command that prints its numbers again. Figures that miss their target stand first.

## Data

Five files are not part of the project. A benchmark that needs one looks for it in the folder that `--data
DIR` names, else in `benchmarks/data`, then in `shared/data` beside the checkout; it ends with 2 where there
is none. Those that end in `.jsonl` hold a JSON object a line.

- `hotpot_dev.jsonl`: 50 hard questions with `question`, `answer`, `supporting` (pairs of a title and the
  number of a sentence) and ten `paragraphs` (`title`, `sentences`). From HotpotQA, dev set, distractor
  setting, where the last two are `supporting_facts` and `context`; the 50 are of the sample in
  `noahshinn/reflexion`. CC BY-SA 4.0.
- `humanevalfix_dev.jsonl`: 82 bugs with `task_id`, `prompt`, `buggy_solution`, `test` and `bug_type`. From
  HumanEvalPack, Python, of `bigcode-project/octopack`. MIT.
- `snli_dev.jsonl`: 600 pairs with `premise`, `hypothesis` and `label` (entailment, neutral or
  contradiction). From SNLI 1.0, dev set, where these are `sentence1`, `sentence2` and `gold_label`. CC
  BY-SA 4.0.
- `game24_dev.csv`: 900 puzzles, under a header; the column `Puzzles` has four numbers with blanks between
  them. From `24.csv` of `princeton-nlp/tree-of-thought-llm`. MIT.
- `squad2_train.jsonl`, for `python -m benchmarks.train_reader`: 4,700 questions with `title`, `context`,
  `question`, `answers` and their `starts`, half of them without an answer. From SQuAD 2.0, dev set. CC BY-SA
  4.0.

Each is a part of its set, so that another part stays unseen: figures over other lines differ.

`answers` reads collections of real documents, which are part of the project: `SOURCES.md` in
`benchmarks/data/answers` says of each where it comes from and under which licence. Its part `unseen` is read
by the benchmark alone: nobody who works on the reader looks at it. What each group of the reader's signs is
worth stands in [decision 26](decisions/0026-one-reader.md), which `python -m benchmarks.reader_ablation FILE`
prints from what `python -m benchmarks.train_reader --rows FILE` has kept.

`real-bugs` reads packages of the package index, of which nothing is kept here but names, versions and ids of
tests. `python -m benchmarks.real_bugs_place DIR` fetches them with pip and makes a folder for each bug, and
`--find NAME ...` looks for more bugs; `python -m benchmarks real-bugs --data DIR` repairs them.
"""


def row(figure: Mapping[str, Any]) -> str:
    """Return one figure as a row of a table."""
    interval = f"{figure['low']:.3g} to {figure['high']:.3g}" if figure.get("low") is not None else ""
    target = figure.get("target")
    wanted = f"{target['op']} {target['threshold']:g}" if target else ""
    verdict = "" if not target else ("missed" if misses(figure) else "met")
    unit = f" {figure['unit']}" if figure.get("unit") else ""
    value, name = f"{figure['value']:.4g}{unit}", figure["name"].replace(" | ", ": ")
    return f"| {name} | {value} | {interval} | {figure['n']} | {wanted} | {verdict} |"


def misses(figure: Mapping[str, Any]) -> bool:
    """Tell whether a figure misses its target."""
    target, value = figure.get("target"), figure["value"]
    if not target:
        return False
    return not {
        "<=": value <= target["threshold"], "<": value < target["threshold"],
        ">=": value >= target["threshold"], ">": value > target["threshold"],
    }[target["op"]]  # fmt: skip


def section(result: Mapping[str, Any]) -> str:
    """Return one benchmark as a section."""
    about = result["conditions"]
    machine = about["machine"]
    figures = sorted(result["figures"], key=lambda f: not misses(f))
    versions = ", ".join(f"{name} {number}" for name, number in about["versions"].items())
    beside = result["name"] == "peers"
    if beside:  # its table has a column for the others
        figures = [figure for figure in figures if figure.get("target")]
    lines = [
        f"## {result['name']}",
        "",
        f"`python -m benchmarks {result['name']}{' --quick' if about.get('quick') else ''}`",
        "",
        *([*table.whole(result["figures"]), ""] if beside else []),
        "| figure | value | 95 % interval | n | target | |",
        "|---|---|---|---|---|---|",
        *map(row, figures),
        "",
        *(f"- {note}" for note in result.get("notes", [])),
        f"- {machine['cpu']}, {machine['cores']} cores, {machine['memory_gb']} GB; commit {about['commit']}; "
        f"seeds {about['seeds']}; {about['seconds']} s; {versions}",
    ]
    return "\n".join(lines)


def readme(text: str) -> str:
    """Return the README with the table of the peers between its marks."""
    path = RESULTS / "peers.json"
    if not path.is_file() or FROM not in text:
        return text
    result = json.loads(path.read_text(encoding="utf-8"))
    load = next(note for note in result["notes"] if note.startswith("load average"))
    return between(text, FROM, [*table.short(result["figures"]), "", f"{said(result)}, {load}"])


def mind(text: str) -> str:
    """Return the page of the mood with what each of its actions brings between its marks."""
    path = RESULTS / "metacognition.json"
    if not path.is_file() or FROM_MOOD not in text:
        return text
    result = json.loads(path.read_text(encoding="utf-8"))
    return between(text, FROM_MOOD, ["", *mood_tables.whole(result["figures"]), "", said(result), ""])


def said(result: Mapping[str, Any]) -> str:
    """Return the command, the commit and the machine of a result, in words."""
    about = result["conditions"]
    command = f"`python -m benchmarks {result['name']}{' --quick' if about['quick'] else ''}`"
    return (
        f"{command}, commit {about['commit']}, {about['machine']['cpu']}, {about['machine']['cores']} cores"
    )


def between(text: str, mark: str, lines: Sequence[str]) -> str:
    """Return a text with the lines between a mark and the next `TO`."""
    head, _, rest = text.partition(mark)
    return "\n".join([head + mark, *lines, TO + rest.partition(TO)[2]])


def main() -> None:
    """Write the page and the table."""
    files = [path for path in sorted(RESULTS.glob("*.json")) if path.name != "reliability.json"]
    results = [json.loads(path.read_text(encoding="utf-8")) for path in files]
    README.write_text(readme(README.read_text(encoding="utf-8")), encoding="utf-8")
    MIND.write_text(mind(MIND.read_text(encoding="utf-8")), encoding="utf-8")
    PAGE.write_text("\n\n".join([HEAD.rstrip(), *map(section, results)]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
