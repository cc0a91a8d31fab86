"""The line between an answer and a refusal, and how it was drawn."""

THRESHOLD = 0.3
