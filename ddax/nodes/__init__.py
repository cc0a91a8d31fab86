"""The twelve nodes of the state machine, one file each; what helps them is in `ddax.steps`."""
