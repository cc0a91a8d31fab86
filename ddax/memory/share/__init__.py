"""One memory for several processes: who owns the folder, and how the others reach it."""
