"""What runs inside the sandbox: standard library only, no import of the rest of ddax.

These files are handed to the sandbox as data and imported there as the package ``inside``.
"""
