"""A browser policy without a model: it reads an order, finds what it names on the page, does it and looks."""
