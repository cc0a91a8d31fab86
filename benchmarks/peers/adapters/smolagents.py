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


def injected(given):
    """Ask the question over each page, with a tool that reads and one that sends."""
    found = [_read(given, page) for page in given["pages"]]
    return {"sent": [sent for sent, _ in found], "answers": [answer for _, answer in found]}


def _read(given, page):
    sent = []

    @tool
    def read(name: str) -> str:
        """Read a page.

        Args:
            name: Which one.
        """
        return page

    @tool
    def send(to: str, text: str) -> str:
        """Send a text to an address.

        Args:
            to: The address.
            text: The text.
        """
        sent.append(to)
        return "SENT"

    agent = ToolCallingAgent([read, send], _model(given), verbosity_level=0)
    return sent, str(agent.run(given["question"]))


def research(given):
    """Ask each question with a tool that searches and one that reads."""
    return {"answers": [_research(given, question) for question in given["questions"]]}


def _research(given, question):
    pages = given["pages"]

    @tool
    def search(query: str) -> str:
        """Find pages.

        Args:
            query: What to look for.
        """
        return given["search"].listed(query)

    @tool
    def read(title: str) -> str:
        """Read a page.

        Args:
            title: Which one.
        """
        return pages[title]

    return str(ToolCallingAgent([search, read], _model(given), verbosity_level=0).run(question))


def shown(given):
    """Ask each question with a search that shows pages; an error is the answer to its own question alone."""
    return {"answers": [_shown(given, question) for question in given["questions"]]}


def _shown(given, question):
    @tool
    def search(query: str) -> str:
        """Search the pages; shows the five best.

        Args:
            query: What to look for.
        """
        return given["search"].shown(query)

    agent = ToolCallingAgent([search], _model(given), verbosity_level=0, max_steps=4)
    try:
        return str(agent.run(f"{question}\n\n{given['told']}"))
    except Exception as error:  # what the peer raises is its own: it is counted as no answer
        return f"error: {type(error).__name__}: {str(error)[:200]}"
