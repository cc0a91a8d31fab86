"""What is told of a run: its events, costs and traces, and its answer in the form asked for."""
