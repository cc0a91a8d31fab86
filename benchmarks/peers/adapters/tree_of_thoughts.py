"""tree-of-thoughts-llm: its breadth-first search; a leaf is the valuing of one proposal."""

import contextlib
import io
from types import SimpleNamespace


def load():
    """Import the peer, which reads the address of its model from the environment."""
    global bfs, Task
    with contextlib.redirect_stdout(io.StringIO()):
        from tot.methods import bfs
        from tot.tasks.base import Task


def _arguments(**more):
    return SimpleNamespace(backend="gpt-4", temperature=0.0, n_generate_sample=1, n_evaluate_sample=1,
                           method_generate="propose", method_evaluate="value", method_select="greedy",
                           prompt_sample="standard", **more)  # fmt: skip


def _solve(arguments, task, index=0):
    with contextlib.redirect_stdout(io.StringIO()):
        return bfs.solve(arguments, task, index, to_print=False)


def leaves(given):
    """Propose so many things and value each."""

    class Things(Task):
        steps, value_cache = 1, {}

        def get_input(self, index):
            return f"Look at {given['leaves']} things."

        def propose_prompt_wrap(self, x, y):
            return x

        def value_prompt_wrap(self, x, y):
            return f"Look at thing {y.split()[-1]}."

        def value_outputs_unwrap(self, x, y, outputs):
            return float("blue" in outputs[0])

    found, _ = _solve(_arguments(n_select_sample=given["leaves"]), Things())
    return {"answer": f"{len(found)} are blue", "levels": 2}


saved = leaves  # it keeps nothing that a new process could go on from


def game24(given):
    """Play each puzzle as its own script for the paper does: 3 votes a value, the best 5 go on."""
    from tot.tasks.game24 import Game24Task

    task, answers = Game24Task(), []
    arguments = _arguments(n_select_sample=5)
    arguments.n_evaluate_sample = 3
    for puzzle in given["puzzles"]:
        task.data, task.value_cache = [puzzle], {}
        answers.append(_solve(arguments, task)[0][0])
    return {"answers": answers}
