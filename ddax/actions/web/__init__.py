"""The way to the web: the guard as transport and proxy, manners, reading, search providers."""
