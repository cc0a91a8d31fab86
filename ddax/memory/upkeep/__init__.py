"""What keeps a memory clean: forgetting, consolidating, auditing, and moving it elsewhere."""
