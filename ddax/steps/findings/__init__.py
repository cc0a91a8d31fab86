"""What was found and what is made of it: passages, reading, quotes, claims, the answer."""
