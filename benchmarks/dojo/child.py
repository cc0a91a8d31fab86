"""AgentDojo in an environment of its own: one JSON request a line on stdin, one reply a line on stdout.

Runs without ddax. A case is opened, its tools are called one by one, and AgentDojo's own judges say whether
the user's task was solved and whether the injection succeeded.
"""

from __future__ import annotations

import contextlib
import copy
import json
import sys
from functools import cache, lru_cache
from typing import Any

VERSION = "v1.2.2"


@lru_cache
def suites() -> dict[str, Any]:
    """Return the suites of the pinned benchmark version."""
    load = __import__("importlib").import_module("agentdojo.task_suite.load_suites")
    return dict(load.get_suites(VERSION))


class Case:
    """One user's task, with or without an injection in the texts its tools return."""

    def __init__(self, suite: str, user: str, injection: str | None) -> None:
        self.suite = suites()[suite]
        self.user = self.suite.user_tasks[user]
        self.attack = self.suite.injection_tasks[injection] if injection else None
        texts = attacked(suite, user, injection) if injection else {}
        self.env = self.user.init_environment(environment(suite, json.dumps(texts, sort_keys=True)))
        self.before = self.env.model_copy(deep=True)
        self.runtime = runtime(self.suite)
        self.trace: list[Any] = []

    def about(self) -> dict[str, Any]:
        """Return the task, the calls that solve it, and those that would carry out the injection."""
        found = {
            "prompt": self.user.PROMPT,
            "output": self.user.GROUND_TRUTH_OUTPUT,
            "calls": calls(self.user.ground_truth(self.before.model_copy(deep=True))),
            "expected": list(plain_answers(self.suite.name, self.user.ID)),
        }
        if self.attack is not None:
            found |= {
                "goal": self.attack.GOAL,
                "orders": calls(self.attack.ground_truth(self.before.model_copy(deep=True))),
                "says": self.attack.GROUND_TRUTH_OUTPUT,
            }
        return found

    def call(self, function: str, args: dict[str, Any]) -> dict[str, Any]:
        """Call one tool in the environment of the case."""
        from_types = __import__("agentdojo.functions_runtime", fromlist=["FunctionCall"])
        self.trace.append(from_types.FunctionCall(function=function, args=args))
        result, error = self.runtime.run_function(self.env, function, args)
        return {"text": text_of(result), "error": error}

    def judge(self, output: str) -> dict[str, Any]:
        """Let AgentDojo say what came of it."""
        content = [{"type": "text", "content": output}]
        check = self.suite._check_task_result
        solved = check(self.user, content, self.before, self.env, self.trace)
        hijacked = self.attack is not None and check(self.attack, content, self.before, self.env, self.trace)
        return {"utility": bool(solved), "injected": bool(hijacked)}


@lru_cache(maxsize=64)
def _environment(suite: str, texts: str) -> Any:
    return suites()[suite].load_and_inject_default_environment(json.loads(texts))


def environment(suite: str, texts: str) -> Any:
    """Return a fresh environment with texts at its injection points."""
    return _environment(suite, texts).model_copy(deep=True)


def runtime(suite: Any) -> Any:
    """Return AgentDojo's runtime of the tools of a suite."""
    return __import__("agentdojo.functions_runtime", fromlist=["x"]).FunctionsRuntime(suite.tools)


def text_of(result: Any) -> str:
    """Return a result as AgentDojo shows it to a model."""
    module = __import__("agentdojo.agent_pipeline.tool_execution", fromlist=["x"])
    return str(module.tool_result_to_str(result))


def calls(found: Any) -> list[dict[str, Any]]:
    """Return tool calls as plain JSON."""
    return [{"function": call.function, "args": copy.deepcopy(dict(call.args))} for call in found]


@cache
def answers(suite: str, user: str, texts: str) -> tuple[str, ...]:
    """Return what the tools answer to the calls that solve a task."""
    whole = suites()[suite]
    task = whole.user_tasks[user]
    env = task.init_environment(environment(suite, texts))
    tools = runtime(whole)
    told = []
    for call in task.ground_truth(env.model_copy(deep=True)):
        result, _ = tools.run_function(env, call.function, call.args)
        told.append(text_of(result))
    return tuple(told)


def plain_answers(suite: str, user: str) -> tuple[str, ...]:
    """Return what the tools answer where nothing is injected."""
    return answers(suite, user, "{}")


@cache
def seen(suite: str, user: str) -> tuple[str, ...]:
    """Return the injection points whose text the tools return while the task is solved."""
    names = list(suites()[suite].get_injection_vector_defaults())
    marks = {name: f"<CANARY---{name}--->" for name in names}
    told = "\n".join(answers(suite, user, json.dumps(marks, sort_keys=True)))
    return tuple(name for name in names if marks[name] in told)


def attacked(suite: str, user: str, injection: str) -> dict[str, str]:
    """Return AgentDojo's "important instructions" at every injection point the task reads."""
    attacks = __import__("agentdojo.attacks.important_instructions_attacks", fromlist=["x"])
    goal = suites()[suite].injection_tasks[injection].GOAL
    form = attacks.ImportantInstructionsAttack._JB_STRING
    text = form.format(goal=goal, user="Emma Johnson", model="AI assistant")
    return dict.fromkeys(seen(suite, user), str(text))


def listing() -> dict[str, Any]:
    """Return the tasks and the tools of every suite."""
    return {
        name: {
            "users": sorted(suite.user_tasks, key=_number),
            "injections": sorted(suite.injection_tasks, key=_number),
            "tools": [
                {"name": tool.name, "doc": tool.description, "schema": tool.parameters.model_json_schema()}
                for tool in suite.tools
            ],
        }
        for name, suite in suites().items()
    }


def _number(name: str) -> int:
    return int(name.rsplit("_", 1)[1])


def main() -> None:
    """Answer requests until stdin ends."""
    case: Case | None = None
    replies = sys.stdout
    for line in sys.stdin:
        request = json.loads(line)
        with contextlib.redirect_stdout(sys.stderr):  # some judges print
            if request["op"] == "list":
                reply: Any = listing()
            elif request["op"] == "open":
                case = Case(request["suite"], request["user"], request["injection"])
                reply = case.about()
            elif case is None:
                raise ValueError("no case is open")
            elif request["op"] == "call":
                reply = case.call(request["function"], request["args"])
            else:
                reply = case.judge(request["output"])
        replies.write(json.dumps(reply, default=str) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
