"""What only `act` uses: sources that refused us, and how long a leaf may take."""
