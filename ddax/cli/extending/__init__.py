"""The commands below “Extend” in the help."""
