"""What is read of a program before it is repaired: its project, its tests and their command."""
