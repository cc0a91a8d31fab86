"""The benchmark of the mood: what its ablation says of an action."""

from benchmarks.metacognition import VARIANTS, Ran, _ablation


def test_the_ablation_says_what_each_action_brings_in_accuracy_calls_and_loops():
    whole = [Ran(1.0, 10, 5, 0, 0), Ran(1.0, 12, 5, 1, 2)]
    without = [Ran(0.0, 8, 5, 3, 0), Ran(1.0, 8, 5, 2, 0)]
    found = dict.fromkeys(VARIANTS, whole) | {"without VERIFY": without}
    figures = {f.name: f.value for f in _ablation("questions", found)}
    assert figures["questions: right, gained over without VERIFY"] == 0.5
    assert figures["questions: calls, more than without VERIFY"] == 3
    assert figures["questions: repeats, fewer than without VERIFY"] == 2
    assert figures["questions: repeats, fewer than without REST"] == 0
    assert figures["questions, all on: answers with a doubt marked"] == 0.5
