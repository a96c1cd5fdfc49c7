"""A function is told apart from an edited one, and known again in another process."""

import os
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from operator import itemgetter
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from evalkit.callables import Callables, code_digest, digest_of

ROOT = Path(__file__).parents[1]


def told(function: Any) -> tuple[Any, bool]:
    """The description of a function, and whether it can't be told in full."""
    callables = Callables()
    return callables.description(function), bool(callables.opaque)


def defined(source: str, name: str = "tool") -> Any:
    """What a module of that source calls `tool`."""
    module: dict[str, Any] = {"__name__": "module_under_test"}
    exec(compile(dedent(source), "module.py", "exec"), module)  # noqa: S102  - a module under test
    return module[name]


REACHED = {
    "its own code": "def tool(): return NEW",
    "a default": "def tool(x=NEW): return x",
    "a default by keyword": "def tool(*, x=NEW): return x",
    "a function inside it": "def tool():\n    def inner(): return NEW\n    return inner()",
    "a lambda inside it": "def tool(): return (lambda: NEW)()",
    "a coroutine": "async def tool(): return NEW",
    "a generator": "def tool():\n    yield NEW",
    "a closure": "def make(x):\n    def tool(): return x\n    return tool\ntool = make(NEW)",
    "a partial": "from functools import partial\ndef f(x): return x\ntool = partial(f, NEW)",
    "a partial by keyword": "import functools\ntool = functools.partial(dict, x=NEW)",
    "a decorator": """
        import functools
        def twice(f):
            @functools.wraps(f)
            def wrapper(): return f() * NEW
            return wrapper
        @twice
        def tool(): return 1
        """,
    "what is decorated": """
        import functools
        def twice(f):
            @functools.wraps(f)
            def wrapper(): return f() * 2
            return wrapper
        @twice
        def tool(): return NEW
        """,
    "a constant": "RATE = NEW\ndef tool(): return RATE",
    "a constant that was null": "RATE = None if NEW == 1 else 2\ndef tool(): return RATE",
    "a table": "RATES = {'a': [NEW]}\ndef tool(): return RATES['a']",
    "a tuple": "RATES = (NEW,)\ndef tool(): return RATES",
    "a set": "RATES = {NEW}\ndef tool(): return RATES",
    "a decimal": "from decimal import Decimal\nR = Decimal(NEW)\ndef tool(): return int(R)",
    "a pattern": "import re\nR = re.compile('NEW')\ndef tool(): return R.pattern",
    "a function it calls": "def rate(): return NEW\ndef tool(): return rate()",
    "one that calls another": "def a(): return NEW\ndef b(): return a()\ndef tool(): return b()",
    "a lambda it calls": "rate = lambda: NEW\ndef tool(): return rate()",
    "a cached function": "import functools\n@functools.cache\ndef r(): return NEW\n"
    "def tool(): return r()",
    "a partial it calls": "from functools import partial\nrate = partial(max, NEW)\n"
    "def tool(): return rate(0)",
    "a table of functions": "def rate(): return NEW\nT = {'r': rate}\ndef tool(): return T['r']()",
    "a method": "class S:\n    def r(self): return NEW\ndef tool(): return S().r()",
    "a static method": "class S:\n    @staticmethod\n    def r(): return NEW\n"
    "def tool(): return S.r()",
    "a class method": "class S:\n    @classmethod\n    def r(cls): return NEW\n"
    "def tool(): return S.r()",
    "a property": "class S:\n    @property\n    def r(self): return NEW\ndef tool(): return S().r",
    "a class's constant": "class S:\n    RATE = NEW\ndef tool(): return S.RATE",
    "a base class": "class B:\n    def r(self): return NEW\nclass S(B): pass\n"
    "def tool(): return S().r()",
    "a function that a method calls": "def rate(): return NEW\nclass S:\n"
    "    def r(self): return rate()\ndef tool(): return S().r()",
    "a default of a dataclass": "import dataclasses\n@dataclasses.dataclass\nclass S:\n"
    "    r: int = NEW\ndef tool(): return S().r",
    "an enumeration": "from enum import Enum\nclass S(Enum):\n    R = NEW\n"
    "def tool(): return S.R.value",
    "an object's method": "class S:\n    def r(self): return NEW\nSHOP = S()\n"
    "def tool(): return SHOP.r()",
    "an object's attribute": "class S: pass\nSHOP = S()\nSHOP.r = NEW\ndef tool(): return SHOP.r",
    "a bound method": "class S:\n    def r(self): return NEW\ntool = S().r",
    "a method beside a bound one": "class S:\n    def r(self): return NEW\n"
    "    def tool(self): return self.r()\ntool = S().tool",
    "a bound method it calls": "class S:\n    def r(self): return NEW\nrate = S().r\n"
    "def tool(): return rate()",
    "an object that is called": "class S:\n    def __call__(self): return NEW\ntool = S()",
    "a class that is called": "class S:\n    def __init__(self): self.r = NEW\ntool = S",
    "an object that holds a number": "class S:\n    def __init__(self, r): self.r = r\n"
    "    def __call__(self): return self.r\ntool = S(NEW)",
    "a dict's method": "tool = {'a': NEW}.get",
    "a list's method": "tool = [NEW].index",
    "an itemgetter": "import operator\ntool = operator.itemgetter(NEW)",
}


@pytest.mark.parametrize("where", REACHED)
def test_an_edit_is_seen_wherever_the_function_reaches(where: str) -> None:
    """What an edit changes in a function's own module is seen, or the function is opaque."""
    source = REACHED[where]
    (old, _), (new, opaque) = (told(defined(source.replace("NEW", each))) for each in "12")
    assert opaque or old != new


SHAPES = {
    "what a try covers": (
        "def tool(a, b):\n try:\n  a()\n  b()\n except OSError:\n  pass",
        "def tool(a, b):\n try:\n  a()\n except OSError:\n  pass\n else:\n  b()",
    ),
    "by keyword only": ("def tool(a, b): return a", "def tool(a, *, b): return a"),
    "by position only": ("def tool(a, b): return a", "def tool(a, b, /): return a"),
    "the type of a constant": ("def tool(): return 1", "def tool(): return 1.0"),
    "true for one": ("def tool(): return 1", "def tool(): return True"),
    "an operator": ("def tool(a): return a + 1", "def tool(a): return a - 1"),
    "the name of an argument": ("def tool(a): return a", "def tool(b): return b"),
    "a name that is looked up": ("def tool(a): return a.x", "def tool(a): return a.y"),
}


@pytest.mark.parametrize("kind", SHAPES)
def test_every_edit_of_the_code_is_seen(kind: str) -> None:
    """Two functions that can behave differently have different descriptions."""
    one, other = map(defined, SHAPES[kind])
    assert told(one) != told(other)
    assert code_digest(one.__code__) != code_digest(other.__code__)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def tool(a): return a", "\n\n\ndef tool(a): return a"),
        ("def tool(a): return a", "def tool(a):\n    # a comment\n    return a"),
        ("def tool(a): return a", "def other(): return 1\ndef tool(a): return a"),
        ("X = 1\ndef tool(a): return a", "X = 2\ndef tool(a): return a"),
        ("def tool(a): return (a)", "def tool(a): return a"),
    ],
)
def test_what_changes_nothing_is_no_edit(old: str, new: str) -> None:
    """Lines, comments, blanks, and what the function does not name, do not count."""
    assert told(defined(old)) == told(defined(new))


def test_two_lambdas_in_one_line_are_told_apart() -> None:
    """The code counts, not the line that it stands in."""
    one, other = (lambda x: x + 1), (lambda x: x + 2)
    assert told(one) != told(other)


@pytest.mark.parametrize(
    "function",
    [len, sorted, int, str, max, Decimal, partial(round, ndigits=2), lambda x: x, dedent],
    ids=repr,
)
def test_what_python_has_is_told_in_full(function: Callable[..., Any]) -> None:
    """Functions and types of Python's own, and plain functions, are not opaque."""
    assert not told(function)[1]


class Caller:
    """An object that is called, and holds another."""

    def __init__(self, held: object) -> None:
        """Hold it."""
        self.held = held

    def __call__(self) -> int:
        """Be callable."""
        return 1


HELD = object()


def closing_over(value: Any) -> Callable[[], Any]:
    """A function that holds a value in its closure."""
    return lambda: value


USUAL = {
    "a module of Python's": "import json\ndef tool(x): return json.loads(x)",
    "a function of Python's": "from math import sqrt\ndef tool(x): return sqrt(x)",
    "a class of Python's": "from datetime import date\ndef tool(x): return date(x, 1, 1).year",
    "a table of its own": "RATES = {'a': 1}\ndef tool(x): return RATES[x]",
    "a function of its own": "def half(x): return x / 2\ndef tool(x): return half(x)",
    "a class of its own": "class S:\n    def r(self): return 1\ndef tool(): return S().r()",
    "an exception of its own": "class E(Exception): pass\ndef tool(): raise E('no')",
    "nothing": "def tool(): return None",
}


@pytest.mark.parametrize("names", USUAL)
def test_a_usual_tool_is_told_in_full(names: str) -> None:
    """A function that names modules, functions, classes and tables is not opaque."""
    assert not told(defined(USUAL[names]))[1]


@pytest.mark.parametrize(
    "function",
    [Caller(HELD), partial(max, HELD), lambda x=HELD: x, closing_over(HELD), itemgetter(1)],
    ids=["object", "partial", "default", "closure", "itemgetter"],
)
def test_what_holds_an_object_is_opaque(function: Callable[..., Any]) -> None:
    """A function that holds what is no JSON can't be told apart from its like, and says so."""
    assert told(function)[1]


def test_the_names_of_what_is_opaque_are_given() -> None:
    """A reader learns what can't be told apart."""
    callables = Callables()
    callables.description(itemgetter(1))
    assert callables.opaque == ["operator:itemgetter"]


def cyclic() -> list[Any]:
    """A list that holds itself."""
    made: list[Any] = []
    made.append(made)
    return made


def deep() -> list[Any]:
    """A list in a list, ten thousand times."""
    made: list[Any] = []
    for _ in range(10_000):
        made = [made]
    return made


@pytest.mark.parametrize("make", [cyclic, deep])
def test_a_function_may_hold_anything(make: Callable[[], list[Any]]) -> None:
    """A default that is cyclic or very deep is no JSON: opaque, and no crash."""
    value = make()
    assert told(lambda x=value: x)[1]


def test_functions_may_call_each_other_in_a_circle() -> None:
    """A function that reaches itself is described, and its edits are seen."""
    source = "def tool(n): return other(n)\ndef other(n): return tool(n - NEW) if n else 0"
    one, other = (told(defined(source.replace("NEW", each)))[0] for each in "12")
    assert one != other


CHILD = """
from evalkit.callables import Callables, digest_of
RATES = {"a": 1, "b": [2.5, None, "x"]}
def helper(x): return x in {"red", "green", "blue", "white"}
def tool(x, y={"b": 1, "a": 2}, *, z=("p", "q")):
    inner = lambda each: each in {"one", "two", "three"}
    return helper(x), inner(y), RATES, z
print(digest_of(Callables().description(tool)))
"""


def test_a_function_is_the_same_in_another_process() -> None:
    """Hash seeds, and so the order of sets, change nothing."""
    found = set()
    for seed in "123":
        env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed}
        argv = [sys.executable, "-c", CHILD]
        found.add(subprocess.run(argv, env=env, capture_output=True, check=True).stdout)
    assert len(found) == 1


def test_a_digest_is_sha_256_of_the_canonical_json() -> None:
    """The digest can be had by anybody: it is that of sorted, compact JSON."""
    known = "d3626ac30a87e6f7a6428233b3c68299976865fa5508e4267c5415c76af7a772"
    assert digest_of({"b": 1, "a": 2}) == digest_of({"a": 2, "b": 1}) == known
