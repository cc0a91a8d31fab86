"""What any layer may ask of a text: its words, what a question asks, units, and what passages name."""
