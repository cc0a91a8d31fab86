"""What only `evaluate` uses: the results and the pages of one step, judged by one call."""
