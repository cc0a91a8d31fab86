"""The helpers of the nodes: a folder for each node that has its own, and four for what several share."""
