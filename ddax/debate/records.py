"""What a debate leaves behind: speeches, dissents and the verdict, as small frozen records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ddax.reasoning.protocol import Argument
from ddax.types import Citation, JsonDict, Usage

TRANSCRIPT_CHARS = 240


@dataclass(frozen=True)
class Speech:
    """An argument as it was made; `kept` is None where no quote of it held.

    `weight` in [0, 1] is how far its speaker's trust lets it count.
    """

    role: str
    speaker: str
    argument: Argument
    kept: Argument | None
    weight: float = 1.0


@dataclass(frozen=True)
class Dissent:
    """Who spoke or voted against the verdict, with what and on which quotes.

    `supported` says whether a citation passed the support check; `impact` whether the value came to
    stand on the dissenter's side of the cheap one.
    """

    name: str
    role: str
    text: str
    citations: tuple[Citation, ...]
    supported: bool
    impact: bool


@dataclass(frozen=True)
class Verdict:
    """The value V in [0, 1] of a result and how it came about.

    `cheap` is the value before any argument, `vote` what an equal-budget majority says, `confidence`
    in [0, 1] the judge's. `debated` says whether arguments were asked for, `why` for what reason;
    `reasons` are (criterion, score, text). `raw` are the judges' own last values by name, before
    calibration; `first` the first votes by name; `models` says which model is behind each voter;
    `estimated` that no judge was asked.
    """

    value: float
    cheap: float
    vote: float
    confidence: float
    debated: bool = False
    why: str = ""
    reasons: tuple[tuple[str, float, str], ...] = ()
    transcript: tuple[Speech, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    raw: Mapping[str, float] = field(default_factory=dict)
    first: Mapping[str, float] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)
    calls: int = 1
    estimated: bool = False

    @classmethod
    def failure(cls, text: str) -> Verdict:
        """Return the verdict on a failed leaf: worth nothing, for sure, at no cost."""
        return cls(0.0, 0.0, 0.0, 1.0, why=f"it failed: {text[:TRANSCRIPT_CHARS]}", calls=0)

    @classmethod
    def settled(cls, text: str) -> Verdict:
        """Return the verdict on what an action has checked: it solves the task, at no cost."""
        return cls(1.0, 1.0, 1.0, 1.0, why=f"it was checked: {text[:TRANSCRIPT_CHARS]}", calls=0)

    @property
    def dissents(self) -> tuple[Dissent, ...]:
        """Return who stood against the verdict: speakers of the side that lost, and outvoted judges."""
        won, rose = self.value >= 0.5, self.value > self.cheap
        lost = "opponent" if won else "proponent"
        found = [
            Dissent(
                s.speaker, s.role, s.argument.text, s.kept.citations if s.kept else (), s.kept is not None,
                rose if lost == "proponent" else self.value < self.cheap,
            )
            for s in self.transcript
            if s.role == lost and s.argument.strength > 0
        ]  # fmt: skip
        for name, value in self.first.items():
            if (value >= 0.5) != won:
                text = f"{name} valued it at {value:.2f} before the debate"
                found.append(Dissent(name, "judge", text, (), False, False))
        return tuple(found)

    def row(self) -> JsonDict:
        """Return the verdict as plain JSON, with the texts cut short."""
        return {
            "value": round(self.value, 6),
            "cheap": round(self.cheap, 6),
            "vote": round(self.vote, 6),
            "confidence": round(self.confidence, 6),
            "debated": self.debated,
            "why": self.why,
            "calls": self.calls,
            "roles": dict(self.roles),
            "raw": {name: round(value, 6) for name, value in self.raw.items()},
            "models": dict(self.models),
            "reasons": [
                [name, round(score, 6), text[:TRANSCRIPT_CHARS]] for name, score, text in self.reasons
            ],
            "transcript": [_speech_row(speech) for speech in self.transcript],
            "dissents": [
                {"name": d.name, "role": d.role, "supported": d.supported, "impact": d.impact,
                 "text": d.text[:TRANSCRIPT_CHARS], "citations": [c.passage_id for c in d.citations]}
                for d in self.dissents
            ],
        }  # fmt: skip


def _speech_row(speech: Speech) -> JsonDict:
    return {
        "role": speech.role,
        "speaker": speech.speaker,
        "weight": round(speech.weight, 6),
        "text": speech.argument.text[:TRANSCRIPT_CHARS],
        "strength": round(speech.argument.strength, 6),
        "citations": [c.passage_id for c in speech.argument.citations],
        "held": [c.passage_id for c in speech.kept.citations] if speech.kept else [],
    }
