"""Forecasts, lessons and questions in plain words, made from what the request says."""

from __future__ import annotations

from ddax.reasoning.protocol import (
    LESSON_WORDS,
    AskRequest,
    Lesson,
    Prediction,
    PredictRequest,
    Question,
    ReflectRequest,
)  # fmt: skip

_CONFIDENCE = {"search": 0.7, "visit": 0.6, "save": 0.9, "think": 0.7}
"""How often such an action brings what is asked of it, as a rough prior."""
DEFAULT_CONFIDENCE = 0.5


def predict(request: PredictRequest) -> Prediction:
    """Forecast an action from its kind, its arguments and what is already known of its target."""
    call = request.action
    intent = _short(call.get("intent") or request.task, 160)
    target = _short(str(next(iter(call["args"].values()), "")), 160) if call["args"] else ""
    known = next((p for p in request.evidence if target and target in (p.source, p.title)), None)
    if call["name"] == "search":
        text = f"Documents about {target}"
    elif call["name"] == "visit":
        text = (
            f"{known.title}: {_short(known.text, 200)}" if known else f"The page {target} bears on: {intent}"
        )
    else:
        text = f"{call['name']} of {target or 'its target'} succeeds and serves: {intent}"
    return Prediction(text, _CONFIDENCE.get(call["name"], DEFAULT_CONFIDENCE))


def reflect(request: ReflectRequest) -> Lesson:
    """Contrast the expected outcome with the actual one in two sentences, at most `LESSON_WORDS` words."""
    action, expected, actual = (
        _short(request.action, 120),
        _short(request.expected, 160),
        _short(request.actual, 200),
    )
    if request.kind == "policy":
        degree = "far from" if request.epsilon > 0.5 else "a little off"
        advice = (
            f"For “{action}”, the outcome was {degree} what was expected (surprise {request.epsilon:.2f}). "
            f"Expected: {expected}. Came: {actual}."
        )
    else:
        direction = "Doubt" if request.epsilon > 0.5 else "Check"
        advice = (
            f"{direction} the first value of results of “{action}”: it promised {expected}, "
            f"and what came was {actual} (error {request.epsilon:.2f})."
        )
    return Lesson(" ".join(advice.split()[:LESSON_WORDS]))


def ask(request: AskRequest) -> Question:
    """Ask a human what to do, with the options in the open."""
    situation = _short(request.situation or request.task, 240).rstrip(".?!")
    options = [option for option in request.options if option.strip()]
    if not options:
        return Question(f"{situation}. How should I go on with “{_short(request.task, 160)}”?")
    if len(options) == 1:
        return Question(f"{situation}. Shall I {_lower(options[0])}?")
    named = ", ".join(_lower(option) for option in options[:-1]) + f" or {_lower(options[-1])}"
    return Question(f"{situation}. Shall I {named}?")


def _short(text: str, size: int) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= size else plain[: size - 1].rstrip() + "…"


def _lower(option: str) -> str:
    plain = _short(option, 120).rstrip(".?!")
    return plain[:1].lower() + plain[1:] if plain[1:2].islower() else plain
