"""A chat model that stands in for yours, so that examples which show what a model does run without a key.

Where one says `model=StandIn(...)`, give a chat model of your own, or a name: `model="openai:gpt-4.1-mini"`.
"""

import json
import re
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult

RESULT = re.compile(r"^\[BEGIN DATA \w+ result\]\n(.+)$", re.M)
PASSAGE = re.compile(r"^\[BEGIN DATA \w+ P1\]\n\{.*\}\n(.+)$", re.M)


class StandIn(BaseChatModel):
    """Call one tool, or plan its call, then answer with what it said; `data` fills a form instead."""

    tool: str = ""
    arguments: dict[str, str] = {}
    data: dict[str, Any] = {}

    @property
    def _llm_type(self):
        return "stand-in"

    def _generate(self, messages, stop=None, run_manager=None, **more):
        if any(self.tool == one["function"]["name"] for one in more.get("tools", ())):
            return ChatResult(generations=[ChatGeneration(message=self.act(messages[-1]))])
        rules, request = str(messages[0].content), str(messages[-1].content)
        reply = self.plan() if '"title": "expand"' in rules else self.answer(request)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(json.dumps(reply)))])

    def bind_tools(self, tools, **more):
        return self.bind(tools=tools, **more)

    def act(self, last):
        """Call the tool, or say what it said."""
        if last.type == "tool":
            return AIMessage(RESULT.search(str(last.content))[1])
        call = {"name": self.tool, "args": self.arguments, "id": "call-1"}
        return AIMessage("", tool_calls=[call])

    def plan(self):
        """Return a plan of one step."""
        given = [{"name": name, "value": value} for name, value in self.arguments.items()]
        call = {"name": self.tool, "args": given, "intent": "the answer"}
        step = {"title": f"ask {self.tool}", "expected": "It says so.", "prior": 0.9, "needs": []}
        return {"children": [{**step, "action": call}], "requirements": []}

    def answer(self, request):
        """Return what the first passage says, quoted."""
        said = PASSAGE.search(request)[1]
        quoted = {"quotes": [{"passage": "P1", "quote": said}], "found": True}
        return (
            {**quoted, "data": self.data} if self.data else {**quoted, "answer": f"{said} [1]", "short": ""}
        )
