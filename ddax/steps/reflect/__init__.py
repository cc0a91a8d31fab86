"""What only `reflect` uses: the work on the memory at the end of a task."""
