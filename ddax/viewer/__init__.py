"""Look at runs: a local page that follows them live, one-file exports, pictures and comparisons.

Reads what is stored and writes nothing; what a human decides in the page goes through the same functions
as on the command line.
"""
