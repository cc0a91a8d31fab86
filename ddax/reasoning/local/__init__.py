"""A language model from a GGUF file on this machine, served to us alone."""
