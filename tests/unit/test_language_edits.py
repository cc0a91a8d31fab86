"""A repair is read as a person would read it: whole, by functions, as an edit, a diff, or in words."""

import sys

import pytest

from ddax.reasoning.language.replies.edits import program_of, spoken
from ddax.reasoning.language.replies.grounding import patches
from ddax.reasoning.language.replies.parsing import read_reply
from ddax.reasoning.language.replies.schemas import PatchesWire, Unfit
from tests.cases import cases

FED = "def first(a):\n    return a\n\f\ndef second(b):\n    return b - 1\n"
SHOP = '''"""A shop."""
import math

RATE = 0.1


class Basket:
    def __init__(self, prices):
        self.prices = prices

    def total(self):
        """Sum up."""
        return sum(self.prices)

    def count(self):
        return len(self.prices) + 1


def taxed(price):
    # with tax
    return price * RATE
'''
RIGHT = SHOP.replace("return price * RATE", "return price * (1 + RATE)")
COUNTED = SHOP.replace("len(self.prices) + 1", "len(self.prices)")
METHOD = "    def count(self):\n        return len(self.prices)\n"

FORMS = {
    "the whole program": (RIGHT, RIGHT),
    "a fenced program": (f"```python\n{RIGHT}```", RIGHT),
    "a function": ("def taxed(price):\n    # with tax\n    return price * (1 + RATE)\n", RIGHT),
    "a fenced function among words": (
        "Here:\n```python\ndef taxed(price):\n    # with tax\n    return price * (1 + RATE)\n```\nDone.",
        RIGHT,
    ),
    "a method in its class": (f"class Basket:\n{METHOD}", COUNTED),
    "a method alone": ("def count(self):\n    return len(self.prices)\n", COUNTED),
    "a method as it is indented": (METHOD, COUNTED),
    "heads without bodies": (f"class Basket:\n    def total(self):\n        ...\n\n{METHOD}", COUNTED),
    "an edit": (
        "<<<<<<< SEARCH\n    return price * RATE\n=======\n    return price * (1 + RATE)\n>>>>>>> REPLACE",
        RIGHT,
    ),
    "an edit without its indent": (
        "<<<<<<< SEARCH\nreturn price * RATE\n=======\nreturn price * (1 + RATE)\n>>>>>>> REPLACE",
        RIGHT,
    ),
    "a diff": (
        "--- a/shop.py\n+++ b/shop.py\n@@ -20,3 +20,3 @@\n def taxed(price):\n     # with tax\n"
        "-    return price * RATE\n+    return price * (1 + RATE)\n",
        RIGHT,
    ),
    "line breaks that were written out": (
        "def taxed(price):\\n    # with tax\\n    return price * (1 + RATE)",
        RIGHT,
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_repair_is_put_where_it_belongs(form):
    said, wanted = FORMS[form]
    assert program_of(said, SHOP) == wanted


def test_a_new_helper_and_its_import_stand_before_what_uses_them():
    said = "import re\n\ndef half(x):\n    return x / 2\n\ndef taxed(price):\n    return half(price)\n"
    program = program_of(said, SHOP)
    compile(program, "shop.py", "exec")
    assert program.index("import re") < program.index("class Basket")
    assert program.index("def half") < program.index("def taxed")
    assert "# with tax" not in program
    assert "return len(self.prices) + 1" in program


def test_a_body_is_taken_for_the_only_function():
    original = 'def f(x):\n    """Say one more."""\n    y = x\n    return y\n'
    wanted = 'def f(x):\n    """Say one more."""\n    y = x + 1\n    return y\n'
    assert program_of("    y = x + 1\n    return y\n", original) == wanted
    assert program_of("y = x + 1\nreturn y", original) == wanted


@cases("said")
def test_what_fits_nowhere_is_no_repair(said):
    assert program_of(said, SHOP) is None


def test_an_edit_that_fits_twice_is_none():
    original = "def f(x):\n    return x\n\n\ndef g(x):\n    return x\n"
    edit = "<<<<<<< SEARCH\n    return x\n=======\n    return 2\n>>>>>>> REPLACE"
    assert program_of(edit, original) is None


REPLIES = {
    "a pair": '{"candidates": [{"old": "return price * RATE", "new": "return price * (1 + RATE)"}]}',
    "pairs in a list": '{"candidates": [{"hypothesis": "tax", "edits": [{"search": "return price * RATE",'
    ' "replace": "return price * (1 + RATE)"}]}]}',
    "words and a fence": "The rate is wrong.\n```python\ndef taxed(price):\n    # with tax\n"
    "    return price * (1 + RATE)\n```\n",
    "code alone": "def taxed(price):\n    # with tax\n    return price * (1 + RATE)\n",
    "one candidate without a list": '{"bug": "tax", "fixed_code": "def taxed(price):\\n    # with tax\\n'
    '    return price * (1 + RATE)"}',
}


@pytest.mark.parametrize("form", REPLIES)
def test_a_reply_is_read_in_the_form_it_comes_in(form):
    reading = read_reply(REPLIES[form], PatchesWire)
    found = patches(reading.found, SHOP, 4)
    assert [one.code for one in found.candidates] == [RIGHT]
    assert reading.mended >= 1


def test_what_fits_is_taken_beside_what_does_not():
    reply = read_reply(
        '{"candidates": [{"code": "def lost():\\n    pass"},'
        ' {"code": "def taxed(price):\\n    # with tax\\n    return price * (1 + RATE)"}]}',
        PatchesWire,
    ).found
    found = patches(reply, SHOP, 4)
    assert [one.code for one in found.candidates] == [RIGHT]
    assert found.usage.repaired == 1


def test_a_reply_of_which_nothing_fits_is_asked_for_again():
    reply = read_reply('{"candidates": [{"code": "def lost():\\n    pass"}]}', PatchesWire).found
    with pytest.raises(Unfit, match="neither a function"):
        patches(reply, SHOP, 4)


def test_lines_are_counted_as_python_does():
    assert program_of("def second(b):\n    return b + 1\n", FED) == FED.replace("b - 1", "b + 1")


def test_blocks_that_never_end_are_no_repair_and_take_no_longer_than_their_length():
    def calls(lines):
        seen = 0

        def count(frame, event, arg):
            nonlocal seen
            seen += event == "line"
            return count

        sys.settrace(count)
        try:
            assert spoken("<<<<<<< SEARCH\nx\n" * lines) == []
        finally:
            sys.settrace(None)
        return seen

    assert calls(400) < 2.5 * calls(200)
