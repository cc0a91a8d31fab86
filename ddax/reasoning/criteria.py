"""What criteria of a task are called: its rubric names them so, and a judge without a model reads them."""

BEARS, GIVES, MEETS = "bears on ", "gives a ", "meets: "
"""How they begin."""
YES_OR_NO, ONE_OF_TWO = "answers yes or no", "chooses one of the two"
