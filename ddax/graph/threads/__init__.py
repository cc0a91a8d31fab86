"""What is known of a thread: its manifest, how it stands and ends, and what is let go of."""
