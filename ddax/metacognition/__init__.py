"""The state of mind: a 4×4 active-inference controller, its signals and effects (metacognitive-bridge)."""
