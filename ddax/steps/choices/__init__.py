"""What is worth doing next: the frontier, width, weak branches, a new plan, learned rules."""
