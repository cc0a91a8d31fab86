"""Find on a page what an order means: by names, looks, rank and what stands with it."""
