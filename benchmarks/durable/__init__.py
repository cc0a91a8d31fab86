"""The world of battery D: a paid model, a shop, points at which a process is killed, and what they log."""
