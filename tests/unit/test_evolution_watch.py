"""Who looks at a candidate tells one that waits from one that computes on a busy machine."""

from types import SimpleNamespace

import pytest

from ddax.evolution.inside import limits


class Clock(SimpleNamespace):
    """A clock of seconds and of processor time."""

    def pass_by(self, seconds: float, computed: float) -> None:
        self.seconds, self.computed = self.seconds + seconds, self.computed + computed

    def monotonic(self) -> float:
        return float(self.seconds)

    def process_time(self) -> float:
        return float(self.computed)


@pytest.fixture
def clock(monkeypatch):
    made = Clock(seconds=0.0, computed=0.0)
    monkeypatch.setattr(limits, "time", made)
    monkeypatch.setattr(limits, "_has_children", lambda: False)
    return made


def looks(clock, watch, computed):
    """Return at which of many looks a candidate is ended, which computes so long between two; 0 for none."""
    for number in range(1, 101):
        clock.pass_by(0.1, computed)
        try:
            watch.look(0, None)
        except limits.OutOfTime:
            return number
    return 0


@pytest.mark.parametrize(
    ("computed", "ended"),
    [
        (0.0, 40),  # it only waits
        (0.001, 40),  # it looks again and again whether it may go on
        (0.01, 0),  # it computes, of which others get most
        (0.1, 0),
    ],
)
def test_what_computes_is_ended_by_its_processor_time_alone(clock, computed, ended):
    assert abs(looks(clock, limits.Watch(5.0, 0.0), computed) - ended) <= bool(ended)


@pytest.mark.parametrize(("computed", "ended"), [(0.0, 3), (0.01, 0)])
def test_what_waits_without_a_stir_is_ended_sooner(clock, computed, ended):
    assert looks(clock, limits.Watch(5.0, 0.3), computed) == ended
