"""Evaluation by debate: a cheap value first, arguments where they can change it, quotes or nothing."""
