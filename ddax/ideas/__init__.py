"""The DAG of ideas: its records, invariants and growth."""
