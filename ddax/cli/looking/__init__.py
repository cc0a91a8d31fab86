"""The commands below “Look” in the help, and what only they use."""
