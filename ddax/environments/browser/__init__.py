"""A browser as a world: Chromium behind the environment protocol, the egress proxy its only way out."""
