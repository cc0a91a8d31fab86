"""What a patch brings in by which a program acts beyond itself is told to whoever reads it."""

import pytest

from ddax.evolution.judging.side_effects import reaching_out

BEFORE = {"a.py": "import os\n\ndef name(p):\n    return os.path.join(p, 'x')\n", "b.py": "open('f')\n"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("import os\nos.system('x')\n", "os.system"),
        ("import os as o\no.system('x')\n", "os.system"),
        ("from os import system as run\nrun('x')\n", "os.system"),
        ("import subprocess\nsubprocess.run(['x'])\n", "subprocess.run"),
        ("from urllib.request import urlopen\nurlopen('http://x')\n", "urllib.request.urlopen"),
        ("import urllib.request\nurllib.request.urlopen('http://x')\n", "urllib.request.urlopen"),
        ("def f(t):\n    return eval(t)\n", "eval"),
        ("__import__('os').system('x')\n", "__import__"),
        ("import socket\nclass S(socket.socket):\n    pass\n", "socket.socket"),
    ],
)
def test_what_reaches_beyond_the_program_is_told_by_its_name(text, told):
    (said,) = reaching_out(BEFORE, {"a.py": text})
    assert said.startswith(f"the patch brings in {told}")


@pytest.mark.parametrize(
    "text",
    [
        "import os\n\ndef name(p):\n    return os.path.join(p, 'y')\n",
        "import os\n\ndef name(p):\n    return os.path.dirname(p)\n",
        "def read(p):\n    with open(p) as f:\n        return f.read()\n",  # the program opens files already
        "import math\n\ndef root(n):\n    return math.sqrt(n)\n",
        "from urllib.parse import quote\n\ndef q(t):\n    return quote(t)\n",
        "def f(self):\n    return self.open, self.os.system\n",
        "def f(:\n",
    ],
)
def test_what_only_computes_or_was_there_before_is_not_told(text):
    assert reaching_out(BEFORE, {"a.py": text}) == ()


def test_many_names_are_told_in_part():
    text = "import os\nos.system('a')\nos.remove('b')\nos.rmdir('c')\nos.kill(1, 9)\n"
    (said,) = reaching_out(BEFORE, {"a.py": text})
    assert said.startswith("the patch brings in os.kill, os.remove, os.rmdir and more:")
