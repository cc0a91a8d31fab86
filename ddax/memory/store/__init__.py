"""The record on disk and its index: SQLite, Chroma, the manifest, and mending what is damaged."""
