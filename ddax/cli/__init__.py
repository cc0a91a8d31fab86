"""The command line: commands, the live view and exit codes; no logic of the engine."""
