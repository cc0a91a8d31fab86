"""Between a text and its vector: the cache, texts embedded in company or ahead, and checks."""
