"""What a bracket that selects many means: `jsonpath_ng` parses it, an allow-list vets it.

Only what stands in one pair of brackets is given to the parser, and only its syntax tree is used:
the walk is ours, so that comparison is JSON's (`equal`), nothing is dropped in silence, and no
extension of the parser (arithmetic, sorting, `=~`, `sub()`, bare words) can turn text into data.
"""

import operator
import re
import threading
import warnings
from collections.abc import Callable
from typing import Any

from evalkit.jsonvalue import MISSING, Json, equal, is_number
from evalkit.paths.scan import PathError
from evalkit.paths.select import Select, children

Node = Any
"""A node of jsonpath_ng's syntax tree, which is untyped; told apart by the name of its class."""

Test = Callable[[Json], bool]
Value = Callable[[Json], Json]

_LOCK = threading.Lock()
_ORDERED: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_HINTS = {
    "=~": "=~ is refused, for a pattern can hang; assert MATCHES with each=",
    "=": "a comparison is written ==",
}


def bracket(inner: str, text: str, position: int) -> Select:
    """Compile what stands in brackets: a slice, a union or a filter, or raise `PathError`."""
    refuse = _Refusal(inner, text, position)
    return _select(_parsed(inner, refuse), refuse)


class _Refusal:
    """Makes the error for one bracket, naming the path and the place."""

    def __init__(self, inner: str, text: str, position: int) -> None:
        self.inner = inner
        self.text = text
        self.position = position

    def __call__(self, problem: str) -> PathError:
        return PathError(self.text, self.position, f"[{self.inner}]: {problem}")


def _parsed(inner: str, refuse: _Refusal) -> Node:
    """Parse under a lock: the parser may not be thread-safe, the warning filter is global."""
    from jsonpath_ng.exceptions import JSONPathError  # noqa: PLC0415  - 50 ms, few paths need it
    from jsonpath_ng.ext.parser import ExtendedJsonPathParser  # noqa: PLC0415

    if "\\" in inner:
        raise refuse("a backslash is only known in a plain quoted name")
    try:
        with _LOCK, warnings.catch_warnings():
            warnings.simplefilter("error")
            tree: Node = ExtendedJsonPathParser().parse(f"$[{inner}]")
            return tree.right
    except DeprecationWarning:
        raise refuse("a text is quoted, and conditions are joined by &&: @.a == 'foo'") from None
    except (JSONPathError, AttributeError, RecursionError) as error:
        words = " and " in inner or " or " in inner
        told = "conditions are joined by && and ||" if words else error
        raise refuse(f"is no slice, union or filter ({told})") from None


def _kind(node: Node) -> str:
    return type(node).__name__


def _select(node: Node, refuse: _Refusal) -> Select:
    kind = _kind(node)
    if kind == "Slice":
        return _slice(node)
    if kind == "Index":
        return _union(list, node.indices)
    if kind == "Fields":
        return _union(dict, _quoted(node.fields, refuse))
    if kind == "Wildcard":
        return children
    if kind == "Filter":
        return _filter(_all_of(node.expressions, refuse))
    raise refuse(f"{kind.lower()} is not allowed; a slice, a union or a filter is")


_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"").findall


def _quoted(names: tuple[str, ...], refuse: _Refusal) -> tuple[str, ...]:
    """Refuse bare words in a union: in brackets, a name is quoted."""
    if len(names) > 1 and not all(
        f"'{name}'" in refuse.inner or f'"{name}"' in refuse.inner for name in names
    ):
        raise refuse("a name in brackets is quoted: ['a','b']")
    return names


def _slice(node: Node) -> Select:
    taken = slice(node.start, node.end, node.step)

    def select(value: Json) -> list[Json] | None:
        if type(value) is not list:
            return None
        return value[taken] if taken.step != 0 else []

    return select


def _union(container: type[Any], members: tuple[Any, ...]) -> Select:
    """Select several members by name or index, each of which must be there."""

    def select(value: Any) -> list[Json] | None:  # noqa: ANN401
        if type(value) is not container:
            return None
        try:
            return [value[member] for member in members]
        except (KeyError, IndexError):
            return None

    return select


def _filter(test: Test) -> Select:
    def select(value: Json) -> list[Json] | None:
        candidates = children(value)
        return None if candidates is None else [item for item in candidates if test(item)]

    return select


def _all_of(expressions: list[Node], refuse: _Refusal) -> Test:
    tests = [_test(expression, refuse) for expression in expressions]
    return lambda value: all(test(value) for test in tests)


def _test(node: Node, refuse: _Refusal) -> Test:
    kind = _kind(node)
    if kind == "And":
        return _all_of(node.operands, refuse)
    if kind == "Or":
        tests = [_test(operand, refuse) for operand in node.operands]
        return lambda value: any(test(value) for test in tests)
    if kind != "Expression":
        raise refuse(f"{kind.lower()} is not allowed in a filter")
    if node.op is None:
        return _exists(node.target, refuse)
    if node.op == "!":
        exists = _exists(node.target, refuse)
        return lambda value: not exists(value)
    return _comparison(node, refuse)


def _comparison(node: Node, refuse: _Refusal) -> Test:
    if node.op in _HINTS:
        raise refuse(_HINTS[node.op])
    left = _single(node.target, refuse)
    literal = node.value
    right = (
        _single(literal, refuse)
        if type(literal).__module__.startswith("jsonpath_ng")
        else lambda _: literal
    )
    compare = _COMPARE[node.op]
    return lambda value: compare(left(value), right(value))


def _same(left: Json, right: Json) -> bool:
    """Two absent values are the same, one is not the other's equal: RFC 9535, 2.3.5.2.2."""
    return left is right if MISSING in (left, right) else equal(left, right)


def _in_order(op: str) -> Callable[[Json, Json], bool]:
    """Order numbers and texts; of all other values `<=` and `>=` hold where they are the same."""

    def compare(left: Json, right: Json) -> bool:
        both_text = type(left) is str and type(right) is str
        if both_text or (is_number(left) and is_number(right)):
            return _ORDERED[op](left, right)
        return op in ("<=", ">=") and _same(left, right)

    return compare


_COMPARE: dict[str, Callable[[Json, Json], bool]] = {
    "==": _same,
    "!=": lambda left, right: not _same(left, right),
    **{op: _in_order(op) for op in _ORDERED},
}


def _exists(node: Node, refuse: _Refusal) -> Test:
    selects = _relative(node, refuse)

    def exists(value: Json) -> bool:
        values = [value]
        for select in selects:
            values = [found for each in values for found in select(each) or ()]
        return bool(values)

    return exists


def _single(node: Node, refuse: _Refusal) -> Value:
    selects = _relative(node, refuse)
    if not _singular(node):
        raise refuse("a comparison takes a path to one value")

    def value_of(value: Json) -> Json:
        for select in selects:
            selected = select(value)
            if not selected:
                return MISSING
            value = selected[0]
        return value

    return value_of


def _singular(node: Node) -> bool:
    kind = _kind(node)
    if kind == "Child":
        return _singular(node.left) and _singular(node.right)
    if kind == "Index":
        return len(node.indices) == 1
    return kind == "This" or (kind == "Fields" and len(node.fields) == 1)


def _relative(node: Node, refuse: _Refusal) -> list[Select]:
    """Give the selectors of a path inside a filter, in order."""
    if _kind(node) == "Fields":
        _refuse_literal(node, refuse)
    return _flat(node, refuse)


def _flat(node: Node, refuse: _Refusal) -> list[Select]:
    kind = _kind(node)
    if kind == "This":
        return []
    if kind == "Root":
        raise refuse("a path in a filter begins with @")
    if kind == "Child":
        return _flat(node.left, refuse) + _flat(node.right, refuse)
    if kind == "Descendants":
        raise refuse(".. is not allowed in a filter, which would look below every value anew")
    return [_select(node, refuse)]


def _refuse_literal(node: Node, refuse: _Refusal) -> None:
    """Refuse a literal on the left: the parser takes `'a' == @.b` for the field a."""
    name = node.fields[0]
    bare = re.fullmatch(r"[A-Za-z_][\w-]*", name) and name not in ("true", "false", "null")
    if not bare or f"'{name}'" in refuse.inner or f'"{name}"' in refuse.inner:
        raise refuse("a literal stands on the right: @.a == 'foo'; a field on the left is @.name")
