"""What only `select` uses: its rules, what the mood forces, the impasse, and the look ahead."""
