"""The commands below “Maintain” in the help."""
