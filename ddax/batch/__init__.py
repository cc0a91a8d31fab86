"""Run many tasks: each on its own, in processes that may die, with exactly one result for each."""
