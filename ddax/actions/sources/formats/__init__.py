"""Formats of files: from their bytes to plain text and a title."""
