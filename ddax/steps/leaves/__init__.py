"""What a leaf may do and how it is done: permission, questions to a human, turns, failures."""
