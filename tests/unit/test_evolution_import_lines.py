# ruff: noqa: E501 - programs under test are kept on one line
"""Imports that a repair puts in stand where a careful author would have put them."""

import pytest

from ddax.evolution.operators import Edit, Seen, Source
from ddax.evolution.operators.import_lines import import_line

SEEN = Seen(exports={"shop.cart": ("Cart",)})
DEF = "def f():\n    return 1\n"


def put(text, line):
    change = import_line(Source("m.py", text.encode(), SEEN), line)
    return Edit("m.py", *change, "import", 0.0, 1).apply(text.encode()).decode()


@pytest.mark.parametrize(
    ("text", "line", "wanted"),
    [
        (DEF, "import re", f"import re\n\n\n{DEF}"),
        ("x = 1\n", "import re", "import re\n\nx = 1\n"),
        (f'"""Doc."""\n\n\n{DEF}', "import re", f'"""Doc."""\n\nimport re\n\n\n{DEF}'),
        (f'"""Doc."""\n{DEF}', "import re", f'"""Doc."""\n\nimport re\n\n\n{DEF}'),
        ('"""Doc."""', "import re", '"""Doc."""\n\nimport re\n'),
        (f"from __future__ import annotations\n\n\n{DEF}", "import re", f"from __future__ import annotations\n\nimport re\n\n\n{DEF}"),
        ("import abc\nimport re\n\nx = 1\n", "import json", "import abc\nimport json\nimport re\n\nx = 1\n"),
        ("import abc\nimport re\n\nx = 1\n", "import a", "import abc\nimport re\n\nimport a\n\nx = 1\n"),
        ("import os\nfrom abc import ABC\n", "import re", "import os\nimport re\nfrom abc import ABC\n"),
        ("import os\nfrom abc import ABC\n", "from math import pi", "import os\nfrom abc import ABC\nfrom math import pi\n"),
        ("from abc import ABC\nimport os\n", "from math import pi", "from abc import ABC\nfrom math import pi\nimport os\n"),
        ("from abc import ABC\nfrom os import sep\n", "import math", "import math\nfrom abc import ABC\nfrom os import sep\n"),
        ("import numpy\n\nfrom shop.cart import Cart\n", "import re", "import re\n\nimport numpy\n\nfrom shop.cart import Cart\n"),
        ("import re\n\nimport numpy\n", "from shop.cart import Cart", "import re\n\nimport numpy\n\nfrom shop.cart import Cart\n"),
        ("import re\n\nfrom shop import x\n", "import numpy", "import re\n\nimport numpy\n\nfrom shop import x\n"),
        ("from math import pi  # ratio\n", "from math import e", "from math import e, pi  # ratio\n"),
        ("from math import pi, e\n", "from math import tau", "from math import pi, e, tau\n"),
        ("from math import (\n    e,\n)\n", "from math import pi", "from math import (\n    e,\n)\nfrom math import pi\n"),
        (f"#!/usr/bin/python\n\n# what it is\n{DEF}", "import re", f"#!/usr/bin/python\n\nimport re\n\n\n# what it is\n{DEF}"),
        ("#!/usr/bin/python\nx = 1\n", "import re", "#!/usr/bin/python\nimport re\n\nx = 1\n"),
        ("x = 1\r\ny = 2\r\n", "import re", "import re\r\n\r\nx = 1\r\ny = 2\r\n"),
        ("import re", "import os", "import os\nimport re"),
        ("import re", "import sys", "import re\nimport sys\n"),
        ("@d\nclass A:\n    x = 1\n", "from m import d", "from m import d\n\n\n@d\nclass A:\n    x = 1\n"),
    ],
)  # fmt: skip
def test_an_import_stands_in_its_place_and_all_else_stays(text, line, wanted):
    assert put(text, line) == wanted
