"""Leaf actions: what the agent can do, and the sources it reads."""
