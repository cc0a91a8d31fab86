"""What only `expand` uses: the first search, the curiosity question, and joining what is there."""
