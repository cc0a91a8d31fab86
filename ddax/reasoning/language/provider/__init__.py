"""The way to a provider: channels, lanes, retries, failures, and what a model takes."""
