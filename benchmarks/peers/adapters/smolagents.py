"""smolagents: the agent that calls tools, several of them in threads beside each other."""


def load():
    """Import the peer."""
    global OpenAIServerModel, ToolCallingAgent, tool
    from smolagents import OpenAIServerModel, ToolCallingAgent, tool


def _model(given):
    return OpenAIServerModel("script", api_base=given["base"], api_key="none")


def leaves(given):
    """Look at so many things."""
    model = _model(given)

    @tool
    def look(number: int) -> str:
        """Look at one thing.

        Args:
            number: Which one.
        """
        return model.generate([{"role": "user", "content": f"Look at thing {number}."}]).content

    agent = ToolCallingAgent([look], model, max_tool_threads=given.get("parallel", 64), verbosity_level=0)
    return {"answer": agent.run(f"Look at {given['leaves']} things. Say what they have in common.")}


saved = leaves  # it keeps nothing that a new process could go on from
