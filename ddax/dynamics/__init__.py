"""The character of the agent in numbers: state, forces, rigidity, surprise, score, stability (dda-x).

Pure numpy: no I/O, no randomness beyond a fixed seed, no clock. Shapes are written `[n, d]`.
"""
