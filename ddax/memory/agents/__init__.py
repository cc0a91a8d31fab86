"""Who took part: a file for each agent, its dissents and overrides, and the trust in it."""
