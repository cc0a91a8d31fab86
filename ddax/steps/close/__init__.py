"""What only `close` uses: where citations stand, which are remembered, what was not read or not done."""
