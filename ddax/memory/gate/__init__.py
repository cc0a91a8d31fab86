"""The write gate: what is a duplicate, an echo, a contradiction or an order is not stored as true."""
