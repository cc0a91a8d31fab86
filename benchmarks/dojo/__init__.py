"""AgentDojo behind a pipe, and the agents that are run through it."""
