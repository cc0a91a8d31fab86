"""How a session is opened: the settings, what a caller hands over, and what a server's caller may."""
