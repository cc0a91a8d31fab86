"""What is kept account of: decisions, ceremonies, participants, judges, leaves, arguments."""
