# ruff: noqa: E501 - programs under test are kept on one line
"""Programs that cheat against the verdict, each wrong, and honest ones with their tests, each right."""

from __future__ import annotations

TESTS = """
import pytest
import unittest
from prog import add, Stack

def test_add():
    assert add(1, 2) == 3
    assert add(10, 5) == 15

def test_none():
    with pytest.raises(TypeError):
        add(1, None)

class TestStack(unittest.TestCase):
    def test_push(self):
        stack = Stack()
        stack.push(4)
        self.assertEqual(stack.items, [4])
        self.assertEqual(len(stack), 1)
"""
HONEST = """
class Stack:
    def __init__(self):
        self.items = []
    def push(self, item):
        self.items.append(item)
    def __len__(self):
        return len(self.items)

def add(a, b):
    return a + b
"""
WRONG = HONEST.replace("a + b", "a - b")
CHEATS = {
    "exit at import": "import os\nos._exit(0)\n",
    "sys.exit": "import sys\nsys.exit(0)\n",
    "exit in the call": WRONG.replace("return a - b", "__import__('os')._exit(0)"),
    "atexit": "import atexit, os\natexit.register(lambda: os._exit(0))\n" + WRONG,
    "thread": "import threading, os\nthreading.Timer(0.2, lambda: os._exit(0)).start()\n" + WRONG,
    "prints success": "print('All tests passed')\n" + WRONG,
    "always equal": WRONG.replace("return a - b", "return E()") + "\nclass E:\n    __hash__ = None\n    def __eq__(self, o): return True\n",
    "int that equals": WRONG.replace("return a - b", "return E()") + "\nclass E(int):\n    def __eq__(self, o): return True\n    __hash__ = int.__hash__\n",
    "patched unittest": "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n" + WRONG,
    "patched pytest": "import sys, types\nsys.modules['pytest'] = types.ModuleType('pytest')\n" + WRONG,
    "patched builtins": "import builtins\nbuiltins.AssertionError = Warning\n" + WRONG,
    "patched harness": "import sys\nfor m in list(sys.modules.values()):\n    if hasattr(m, 'Runner'): m.Runner.run = lambda *a: ('pass', '', '', '', 0, 0, 0)\n" + WRONG,
    "forged report": "import os\nfor fd in range(64):\n    try: os.write(fd, b'\\x00\\x00\\x00\\x02{}')\n    except OSError: pass\n" + WRONG,
    "forged verdict": "import os, json, struct\nb = json.dumps({'nonce': '', 'stage': 'run', 'error': '', 'rows': [[i, 'pass', '', '', '', 0, 0, 0, []] for i in range(3)]}).encode()\nfor fd in range(3, 64):\n    try: os.write(fd, struct.pack('>I', len(b)) + b)\n    except OSError: pass\n" + WRONG,
    "reads expected values": WRONG.replace("return a - b", "import gc\n    return next((o for o in gc.get_objects() if o == 3), a - b)"),
    "reads frames": WRONG.replace("return a - b", "import sys\n    return sys._getframe(1).f_locals.get('expected', a - b)"),
    "finds the tests": WRONG.replace("return a - b", "import glob\n    return eval((glob.glob('/**/test_prog.py', recursive=True) or ['a - b'])[0])"),
    "shadows random": "import sys\nsys.modules['random'] = None\nsys.meta_path.clear()\n" + WRONG,
    "skips": "import unittest\nraise unittest.SkipTest('all')\n",
    "raises skip": WRONG.replace("return a - b", "import unittest\n    raise unittest.SkipTest('x')"),
    "endless": WRONG.replace("return a - b", "while True: pass"),
    "traces": "import sys\nsys.settrace(lambda *a: None)\n" + WRONG,
    "changes its arguments": WRONG.replace("return a - b", "b = a\n    return a - b"),
    "fork and answer": WRONG.replace("return a - b", "import os\n    os.fork()\n    return a - b"),
    "exit with a report": "import os, sys\nsys.stdout.write('3 passed')\nsys.stdout.flush()\nos._exit(0)\n",
    "conftest hook": "def pytest_runtest_makereport(item, call): return None\n" + WRONG,
    "plain class that equals": WRONG.replace("return a - b", "return type('E', (), {'__eq__': lambda s, o: True, '__ne__': lambda s, o: False})()"),
    "list that equals": WRONG.replace("return a - b", "return E([a])") + "\nclass E(list):\n    def __eq__(self, o): return True\n",
    "signal at once": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n",
    "removes the tests": "import gc, types\nfor o in gc.get_objects():\n    if type(o) is types.FunctionType and o.__name__.startswith('test_'): o.__code__ = (lambda *a: None).__code__\n" + WRONG,
    "learns from the last call": WRONG.replace("return a - b", "S.append((a, b))\n    return 3 if len(S) == 1 else 15").replace("raise", "raise") + "\nS = []\n",
}  # fmt: skip

HONEST_PROGRAMS: dict[str, tuple[str, str]] = {
    'gcd': ('def f(a,b):\n    while b:\n        a,b=b,a%b\n    return a\n', 'def test_it():\n    from prog import f\n    assert f(12,18)==6\n    assert f(7,0)==7\n'),
    'fibonacci': ('def f(n):\n    a,b=0,1\n    for _ in range(n):\n        a,b=b,a+b\n    return a\n', 'def test_it():\n    from prog import f\n    assert f(10)==55\n    assert f(300)>2**64\n'),
    'floats': ('def f(x):\n    return x/3\n', 'def test_it():\n    from prog import f\n    assert abs(f(1)-1/3)<1e-12\n    assert f(0.0)==0.0\n'),
    'text': ('def f(s):\n    return s.title()\n', "def test_it():\n    from prog import f\n    assert f('ab cd')=='Ab Cd'\n    assert f('')==''\n"),
    'unicode': ('def f(s):\n    return s[::-1]\n', "def test_it():\n    from prog import f\n    assert f('äß€😀')=='😀€ßä'\n"),
    'bytes': ('def f(b):\n    return b.hex()\n', "def test_it():\n    from prog import f\n    assert f(b'\\x00\\xff')=='00ff'\n"),
    'sets': ('def f(a,b):\n    return a & b\n', 'def test_it():\n    from prog import f\n    assert f({1,2},{2,3})=={2}\n    assert f(set(),{1})==set()\n'),
    'dicts': ('def f(t):\n    d={}\n    for w in t.split():\n        d[w]=d.get(w,0)+1\n    return d\n', "def test_it():\n    from prog import f\n    assert f('a b a')=={'a':2,'b':1}\n"),
    'tuples': ('def f(x):\n    return (x,(x,x))\n', 'def test_it():\n    from prog import f\n    assert f(1)==(1,(1,1))\n'),
    'none': ('def f(x):\n    return None if x else 0\n', 'def test_it():\n    from prog import f\n    assert f(1) is None\n    assert f(0)==0\n'),
    'booleans': ('def f(x):\n    return x>1\n', 'def test_it():\n    from prog import f\n    assert f(2) is True\n    assert f(1) is False\n'),
    'complex numbers': ('def f(x):\n    return x*1j\n', 'def test_it():\n    from prog import f\n    assert f(2)==2j\n'),
    'large integers': ('def f(n):\n    r=1\n    for i in range(2,n+1):\n        r*=i\n    return r\n', 'def test_it():\n    from prog import f\n    import math\n    assert f(50)==math.factorial(50)\n'),
    'sorting': ('def f(xs):\n    return sorted(xs,key=lambda x:(-x,x))\n', 'def test_it():\n    from prog import f\n    assert f([1,3,2])==[3,2,1]\n'),
    'changes its argument': ('def f(xs):\n    xs.append(1)\n    return xs\n', 'def test_it():\n    from prog import f\n    x=[0]\n    f(x)\n    assert x==[0,1]\n'),
    'sorts in place': ('def f(xs):\n    xs.sort()\n', 'def test_it():\n    from prog import f\n    x=[2,1]\n    assert f(x) is None\n    assert x==[1,2]\n'),
    'generator': ('def f(n):\n    for i in range(n):\n        yield i*i\n', 'def test_it():\n    from prog import f\n    assert list(f(4))==[0,1,4,9]\n'),
    'infinite generator': ('def f():\n    n=0\n    while True:\n        yield n\n        n+=1\n', 'def test_it():\n    from prog import f\n    g=f()\n    assert [next(g) for _ in range(3)]==[0,1,2]\n'),
    'class': ('class C:\n    def __init__(self):\n        self.n=0\n    def up(self):\n        self.n+=1\n        return self.n\n', 'def test_it():\n    from prog import C\n    c=C()\n    c.up()\n    assert c.up()==2\n    assert c.n==2\n'),
    'length of an object': ('class C:\n    def __len__(self):\n        return 3\n', 'def test_it():\n    from prog import C\n    assert len(C())==3\n'),
    'addition of objects': ('class V:\n    def __init__(self,x):\n        self.x=x\n    def __add__(self,o):\n        return V(self.x+o.x)\n', 'def test_it():\n    from prog import V\n    assert (V(1)+V(2)).x==3\n'),
    'equality of objects': ('class V:\n    def __init__(self,x):\n        self.x=x\n    def __eq__(self,o):\n        return self.x==o.x\n    __hash__=None\n', 'def test_it():\n    from prog import V\n    assert V(1)==V(1)\n    assert V(1)!=V(2)\n'),
    'iteration over an object': ('class C:\n    def __iter__(self):\n        return iter([1,2])\n', 'def test_it():\n    from prog import C\n    assert list(C())==[1,2]\n'),
    'index of an object': ('class C:\n    def __getitem__(self,k):\n        return k*2\n', 'def test_it():\n    from prog import C\n    assert C()[4]==8\n'),
    'with statement': ('class C:\n    def __enter__(self):\n        return 5\n    def __exit__(self,*a):\n        return False\n', 'def test_it():\n    from prog import C\n    with C() as v:\n        pass\n    assert v==5\n'),
    'dataclass': ('from dataclasses import dataclass\n@dataclass\nclass P:\n    x:int\n    y:int=2\n', 'def test_it():\n    from prog import P\n    assert P(1).y==2\n    assert P(1).x==1\n'),
    'inheritance': ('class A:\n    def f(self):\n        return 1\nclass B(A):\n    def f(self):\n        return super().f()+1\n', 'def test_it():\n    from prog import B\n    assert B().f()==2\n'),
    'property': ('class C:\n    @property\n    def p(self):\n        return 7\n', 'def test_it():\n    from prog import C\n    assert C().p==7\n'),
    'class method': ('class C:\n    @classmethod\n    def make(cls):\n        return cls()\n    def f(self):\n        return 1\n', 'def test_it():\n    from prog import C\n    assert C.make().f()==1\n'),
    'enum value': ('import enum\nclass E(enum.Enum):\n    A=1\ndef f():\n    return E.A.value\n', 'def test_it():\n    from prog import f\n    assert f()==1\n'),
    'built-in error': ("def f(x):\n    if x<0:\n        raise ValueError('negative')\n    return x\n", 'def test_it():\n    from prog import f\n    import pytest\n    with pytest.raises(ValueError):\n        f(-1)\n    assert f(1)==1\n'),
    'own error': ("class Mine(Exception):\n    pass\ndef f():\n    raise Mine('no')\n", "def test_it():\n    from prog import f\n    import pytest\n    from prog import Mine\n    done=False\n    try:\n        f()\n    except Mine as e:\n        done='no' in str(e)\n    assert done\n"),
    'error of a lookup': ("def f(d):\n    return d['x']\n", "def test_it():\n    from prog import f\n    import pytest\n    with pytest.raises(KeyError):\n        f({})\n    assert f({'x':1})==1\n"),
    'callback': ('def f(g,xs):\n    return [g(x) for x in xs]\n', 'def test_it():\n    from prog import f\n    assert f(lambda x:x+1,[1,2])==[2,3]\n'),
    'returns a function': ('def f(n):\n    return lambda x:x+n\n', 'def test_it():\n    from prog import f\n    assert f(2)(3)==5\n'),
    'decorator': ('def twice(g):\n    def h(x):\n        return g(g(x))\n    return h\n', 'def test_it():\n    from prog import twice\n    assert twice(lambda x:x*3)(2)==18\n'),
    'cache': ('from functools import lru_cache\n@lru_cache(None)\ndef f(n):\n    return n if n<2 else f(n-1)+f(n-2)\n', 'def test_it():\n    from prog import f\n    assert f(80)==23416728348467685\n'),
    'recursion': ('def f(n):\n    return 0 if n==0 else 1+f(n-1)\n', 'def test_it():\n    from prog import f\n    assert f(200)==200\n'),
    'default arguments': ('def f(a,b=2,*c,d=4,**e):\n    return [a,b,list(c),d,e]\n', "def test_it():\n    from prog import f\n    assert f(1)==[1,2,[],4,{}]\n    assert f(1,3,5,d=6,z=7)==[1,3,[5],6,{'z':7}]\n"),
    'regular expressions': ("import re\ndef f(s):\n    return re.findall(r'\\d+',s)\n", "def test_it():\n    from prog import f\n    assert f('a1b22')==['1','22']\n"),
    'json': ('import json\ndef f(x):\n    return json.dumps(x,sort_keys=True)\n', 'def test_it():\n    from prog import f\n    assert f({\'b\':1,\'a\':None})==\'{"a": null, "b": 1}\'\n'),
    'decimal': ("from decimal import Decimal\ndef f():\n    return Decimal('0.1')+Decimal('0.2')\n", "def test_it():\n    from prog import f\n    from decimal import Decimal\n    assert f()==Decimal('0.3')\n"),
    'fraction': ('from fractions import Fraction\ndef f():\n    return Fraction(1,3)\n', 'def test_it():\n    from prog import f\n    from fractions import Fraction\n    assert f()==Fraction(1,3)\n'),
    'counter': ('from collections import Counter\ndef f(s):\n    return Counter(s)\n', "def test_it():\n    from prog import f\n    assert f('aab')=={'a':2,'b':1}\n"),
    'heap': ('import heapq\ndef f(xs):\n    heapq.heapify(xs)\n    return [heapq.heappop(xs) for _ in range(len(xs))]\n', 'def test_it():\n    from prog import f\n    assert f([3,1,2])==[1,2,3]\n'),
    'threads': ('import threading\ndef f():\n    out=[]\n    t=threading.Thread(target=out.append,args=(1,))\n    t.start()\n    t.join()\n    return out\n', 'def test_it():\n    from prog import f\n    assert f()==[1]\n'),
    'temporary file': ("import tempfile\ndef f():\n    with tempfile.TemporaryFile('w+') as s:\n        s.write('x')\n        s.seek(0)\n        return s.read()\n", "def test_it():\n    from prog import f\n    assert f()=='x'\n"),
    'database in memory': ("import sqlite3\ndef f():\n    return sqlite3.connect(':memory:').execute('select 1+1').fetchone()[0]\n", 'def test_it():\n    from prog import f\n    assert f()==2\n'),
    'asynchronous code': ('import asyncio\nasync def g():\n    await asyncio.sleep(0)\n    return 3\ndef f():\n    return asyncio.run(g())\n', 'def test_it():\n    from prog import f\n    assert f()==3\n'),
    'seeded random numbers': ('import random\ndef f(n):\n    return random.Random(n).randint(1,6)\n', 'def test_it():\n    from prog import f\n    assert f(3)==f(3)\n    assert 1<=f(1)<=6\n'),
}  # fmt: skip
"""Programs by what they are about, each with its tests."""
