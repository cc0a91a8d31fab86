"""Read an order: its clauses, values and days, as frames, one for each thing to do."""
