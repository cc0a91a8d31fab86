"""Worlds an agent can act in and walk back in: one protocol, ready worlds, and the actions over them.

Leaves out who decides what to do there; that is the engine's.
"""
