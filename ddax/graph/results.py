"""The result of a run as plain JSON, and the exit code it stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from ddax.actions.sources.skipping import SkippedRow
from ddax.errors import UsageError
from ddax.graph.schemas import own_values
from ddax.graph.threads.manifests import CANCELLED
from ddax.ideas.idea import Ideas
from ddax.types import MODEL_KEY, NOT_FOUND, JsonDict, Usage
from ddax.wording import NOT_DONE

NEEDS = {"choose": 'an "idea"', "edit": '"arguments"', "teach": 'a "lesson"'}
"""What belongs to a choice, by its name."""

CITED = ("source", "title", "quote", "remembered", "metadata")
"""What a result tells of a citation."""


class RunResult(TypedDict):
    """What a run came to; the one object `--json` prints."""

    thread_id: str
    status: str
    stop_reason: str
    answer: str
    short: str
    short_unsupported: bool
    support: float
    citations: list[JsonDict]
    carried: list[int]
    spans: list[JsonDict]
    places: list[JsonDict]
    notes: list[str]
    output: Any
    doubts: list[JsonDict]
    ideas: int
    steps: int
    usage: JsonDict
    rigidity: float
    protect: JsonDict
    mood: str
    failures: list[JsonDict]
    metrics: JsonDict
    question: JsonDict | None
    skipped: list[SkippedRow]
    state: JsonDict


def result_of(thread: str, state: dict[str, Any], interrupts: tuple[Any, ...] = ()) -> RunResult:
    """Put the state of a thread into a result; a pending question makes it waiting."""
    answer, usage = state.get("answer", {}), state.get("usage", {})
    root = state.get("work", {}).get("root", "")
    ideas: Ideas = state.get("ideas", {})
    return RunResult(
        thread_id=thread,
        status="waiting" if interrupts else state.get("status", "failed"),
        stop_reason="waiting for a human" if interrupts else state.get("stop_reason", ""),
        answer=answer.get("text", ""),
        short=answer.get("short", ""),
        short_unsupported=answer.get("short_unsupported", False),
        support=round(float(answer.get("support", 0.0)), 4),
        citations=[{k: c[k] for k in CITED if k in c} for c in answer.get("citations", [])],
        carried=list(answer.get("carried", [])),
        spans=[dict(span) for span in answer.get("spans", [])],
        places=[{k: c[k] for k in ("start", "end") if k in c} for c in answer.get("citations", [])],
        notes=[*answer.get("notes", []), *_unshown(usage)],
        output=answer.get("data"),
        doubts=list(answer.get("doubts", [])),
        ideas=sum(1 for i in ideas if i.split(".", 1)[0] == root),
        steps=state.get("step", 0),
        usage={
            "model_calls": usage.get("model_calls", 0),
            "tokens": usage.get("tokens", 0),
            "usd": usage.get("usd", 0.0),
            "seconds": round(usage.get("seconds", 0.0), 3),
            **_details(usage),
        },
        rigidity=round(float(state.get("mind", {}).get("rho", 0.0)), 4),
        protect=_protect_row(state.get("mind", {})),
        mood=str(state.get("mood", {}).get("action", "")),
        failures=_failures(state, answer.get("text", "")),
        metrics=dict(state.get("metrics", {})),
        question=_asked(interrupts[0].value) if interrupts else None,
        skipped=list(state.get("work", {}).get("skipped", [])),
        state=own_values(state),
    )


def _asked(value: Any) -> JsonDict:
    """Return a question as it is shown; that of an own node may be anything, which is then its text."""
    return dict(value) if isinstance(value, Mapping) else {"text": str(value)}


def _failures(state: dict[str, Any], answer: str) -> list[JsonDict]:
    """Return what failed, but for the order that the answer says was not carried out, and why."""
    rows = [state["failures"][key] for key in sorted(state.get("failures", {}))]
    return [row for row in rows if not (answer.startswith(NOT_DONE) and row.get("cause", "") in answer)]


def _details(usage: JsonDict) -> JsonDict:
    """Return what is known beyond the sums: cached tokens, replies given again, cost by node and model."""
    cost = Usage.of_row(usage)
    nodes: dict[str, JsonDict] = {}
    for key, value in usage.items():
        node, dot, field = key.partition(".")
        if dot and not key.startswith(MODEL_KEY):
            nodes.setdefault(node, {})[field] = value
    return {
        "prompt_tokens": cost.prompt_tokens,
        "cached_tokens": cost.cached_tokens,
        "cached_share": round(cost.cached_tokens / cost.prompt_tokens, 4) if cost.prompt_tokens else 0.0,
        "hits": cost.hits,
        "saved_usd": round(cost.saved_usd, 6),
        "repaired": cost.repaired,
        "by_node": nodes,
        "by_part": dict(cost.parts),
        "models": dict(cost.models),
    }


def _unshown(usage: JsonDict) -> list[str]:
    """Say how much of what was read did not fit the window of a model; nothing where all of it did."""
    count = int(usage.get("unshown") or 0)
    said = (
        f"{count:,} characters of what was read were not shown to the model: its context window has no room"
        " for them. What bears most on the task was kept, wherever it stood."
    )
    return [said] if count else []


def _protect_row(mind: JsonDict) -> JsonDict:
    """Return how often protect was entered, how often nobody was there to be asked, and both m_crit."""
    stable, identity = mind.get("m_crit", [None, None])
    return {
        "entries": mind.get("entries", 0),
        "conservative": mind.get("conservative", 0),
        "m": mind.get("m"),
        "m_crit_stable": stable,
        "m_crit_identity": identity,
    }


def exit_code_of(result: RunResult) -> int:
    """Return the documented exit code of a result."""
    if result["status"] == "waiting":
        return 8
    if result["status"] == "stopped":
        return 130 if result["stop_reason"].startswith(CANCELLED) else 6
    if result["status"] == "done":
        return 0
    if result["status"] == NOT_FOUND:
        return 1
    if result["status"] in ("running", "interrupted"):
        return 130
    return 9 if result["stop_reason"].startswith("model:") else 1


def fitting_answer(answer: Any, question: JsonDict) -> JsonDict:
    """Check an answer against the question, before it is written into the thread, where it would stay."""
    from pydantic import ValidationError

    from ddax.steps.leaves.human_answers import HumanAnswer, misread, options_of, unfit

    try:
        given = HumanAnswer.model_validate(answer)
    except ValidationError as error:
        raise _unfit(misread(error, question), options_of(question)) from error
    if wrong := unfit(given, question):
        raise _unfit(wrong, options_of(question))
    return given.model_dump()


def _unfit(wrong: str, options: tuple[str, ...]) -> UsageError:
    """Return the error of an answer that does not fit, with what its question takes."""
    choices = " | ".join(f'"{option}"' for option in options)
    needs = " or ".join(NEEDS[option] for option in options if option in NEEDS)
    return UsageError(
        f"the answer does not fit: {wrong}.",
        why="A question takes its own choices, with what they ask for.",
        mend=f'Give {{"choice": {choices}}}{f", with {needs} as it needs" if needs else ""}.',
    )
