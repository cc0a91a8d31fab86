"""The Reasoner protocol and the reasoners behind it."""
