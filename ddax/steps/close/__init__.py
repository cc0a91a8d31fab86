"""What only `close` uses: where citations stand, which are remembered, and what was not read."""
