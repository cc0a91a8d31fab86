"""What only `protect` uses: which question is put, and what humans decided."""
