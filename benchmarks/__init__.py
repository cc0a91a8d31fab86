"""Every number of the project, in one result format: `python -m benchmarks`."""
