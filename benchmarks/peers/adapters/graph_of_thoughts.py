"""graph-of-thoughts: a graph of operations; a leaf is the improving of one thought.

It imports torch and transformers for its local model, which nothing here uses: empty modules stand in.
"""

import json
import os
import sys
import types


def load():
    """Import the peer, which reads the address of its model from the environment."""
    for name in ("torch", "transformers"):
        sys.modules[name] = types.ModuleType(name)
    global controller, operations, Prompter, Parser
    from graph_of_thoughts import controller, operations
    from graph_of_thoughts.parser import Parser
    from graph_of_thoughts.prompter import Prompter


def _model(given):
    os.makedirs(given["place"], exist_ok=True)
    path = os.path.join(given["place"], "config.json")
    model = {"model_id": "script", "prompt_token_cost": 0.0, "response_token_cost": 0.0, "temperature": 0.0,
             "max_tokens": 1000, "stop": None, "organization": "none", "api_key": "none"}  # fmt: skip
    with open(path, "w") as file:
        json.dump({"script": model}, file)
    return controller.ChatGPT(path, model_name="script")


def _filled(base, **methods):
    """Return an instance of an abstract class with these methods; the others say that they are not used."""

    def unused(self, *args, **kwargs):
        raise NotImplementedError

    rest = {name: unused for name in base.__abstractmethods__ if name not in methods}
    return type("Mine", (base,), {**methods, **rest})()


def _run(given, steps, prompter, parser, state):
    graph = operations.GraphOfOperations()
    for step in steps:
        graph.append_operation(step)
    runner = controller.Controller(_model(given), graph, prompter, parser, state)
    runner.run()
    return runner.get_final_thoughts()[0]


def leaves(given):
    """Plan so many thoughts, improve each, put them together."""
    task = f"Look at {given['leaves']} things."
    prompter = _filled(
        Prompter,
        generate_prompt=lambda self, num_branches, **state: task,
        improve_prompt=lambda self, **state: f"Look at thing {state['number']}.",
        aggregation_prompt=lambda self, states, **kwargs: "\n".join(
            [task, *(s["seen"] for s in states), "Say what they have in common"]
        ),
    )
    parser = _filled(
        Parser,
        parse_generate_answer=lambda self, state, texts: [
            {"number": n} for n, _ in enumerate(texts[0].splitlines())
        ],
        parse_improve_answer=lambda self, state, texts: {"seen": texts[0]},
        parse_aggregation_answer=lambda self, states, texts: [{"answer": texts[0]}],
    )
    steps = [operations.Generate(1, 1), operations.Improve(), operations.Aggregate(1)]
    return {"answer": _run(given, steps, prompter, parser, {"number": -1})[0].state["answer"]}


saved = leaves  # it keeps nothing that a new process could go on from


def game24(given):
    """Play each puzzle: three times generate, score, keep the best five."""
    prompter = _filled(
        Prompter,
        generate_prompt=lambda self, num_branches, **s: f"Input: {s['left']}\nPossible next steps:\n",
        score_prompt=lambda self, states, **k: given["value"].format(numbers=states[0]["left"]),
    )
    parser = _filled(
        Parser,
        parse_generate_answer=lambda self, state, texts: [
            {"left": line.split("left: ")[1].rstrip(")"), "steps": state["steps"] + line + "\n"}
            for line in texts[0].splitlines()
        ],
        parse_score_answer=lambda self, states, texts: [
            float(given["words"][text.strip()]) for text in texts
        ],
    )
    answers = []
    for puzzle in given["puzzles"]:
        steps = [
            step for best in (5, 5, 1)
            for step in (operations.Generate(1, 1), operations.Score(1), operations.KeepBestN(best))
        ]  # fmt: skip
        found = _run(given, steps, prompter, parser, {"left": puzzle, "steps": ""})
        answers.append(found[0].state["steps"] if found else "")
    return {"answers": answers}
