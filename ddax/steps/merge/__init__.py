"""What only `merge` uses: whether what one call cites carries its answer."""
