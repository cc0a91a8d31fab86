"""The memory: records and their index, the write gate, trust, rules, and the home they lie in."""
