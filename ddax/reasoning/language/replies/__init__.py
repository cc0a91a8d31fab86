"""From a reply to records: its schema, how it is read, and what grounds it."""
