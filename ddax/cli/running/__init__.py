"""The commands below “Run” in the help, and what only they use."""
