"""What a function is, as far as it can be told from outside: its name, its code, what it holds."""

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from hashlib import sha256
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType
from typing import Any

from evalkit.jsontext import canonical
from evalkit.jsonvalue import NotJsonError, plain


class Callables:
    """Describes functions; in `opaque` are the names of those that can't be told apart in full."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self.opaque: list[str] = []
        self._within: list[int] = []

    def description(self, function: Any) -> list[Any]:  # noqa: ANN401
        """Give a function as JSON: equal for the same function, in another process too.

        Its code is taken as compiled, for of two lambdas in one line the source can't be told
        apart; so it is the same only under one version of Python. What it holds counts, and what it
        names in its module: functions, classes and JSON values.
        """
        if isinstance(function, partial):
            held = [self._held(function.args), self._held(function.keywords)]
            return ["partial", self.description(function.func), *held]
        if isinstance(function, MethodType):
            return ["method", self.description(function.__func__), self._held(function.__self__)]
        name = f"{_module(function)}:{getattr(function, '__qualname__', type(function).__name__)}"
        if isinstance(function, FunctionType):
            return [name] if id(function) in self._within else self._function(name, function)
        if not isinstance(function, BuiltinFunctionType | type) or not _is_pythons(function):
            self.opaque.append(name)
        return [name]

    def _function(self, name: str, function: FunctionType) -> list[Any]:
        self._within.append(id(function))
        cells = [_content(cell) for cell in function.__closure__ or ()]
        given = [function.__defaults__ or (), function.__kwdefaults__ or {}, cells]
        named = {each: function.__globals__.get(each) for each in sorted(_names(function.__code__))}
        named = self._named(named, _module(function))
        told = [name, code_digest(function.__code__), *map(self._held, given), named]
        self._within.pop()
        return told

    def _named(self, values: dict[str, Any], module: str) -> dict[str, Any]:
        """Describe what a function names in its module; what is from elsewhere is left out."""
        found: dict[str, Any] = {}
        for name, value in values.items():
            if isinstance(value, FunctionType) and _module(value) == module:
                found[name] = self.description(value)
            elif isinstance(value, type) and _module(value) == module:
                members = vars(value).values()
                methods = [each for each in members if isinstance(each, FunctionType)]
                found[name] = [code_digest(each.__code__) for each in methods]
            elif value is not None and not isinstance(value, FunctionType | type):
                with suppress(NotJsonError):
                    found[name] = plain(value)
        return found

    def _held(self, value: Any) -> Any:  # noqa: ANN401
        """Give what a function holds: JSON as it is, functions in turn, else its type alone."""
        if isinstance(value, FunctionType | MethodType | partial):
            return self.description(value)
        if isinstance(value, list | tuple):
            return [self._held(item) for item in value]
        try:
            return plain(value)
        except NotJsonError:
            name = f"{type(value).__module__}:{type(value).__qualname__}"
            self.opaque.append(name)
            return {"type": name}


def _names(code: CodeType) -> set[str]:
    """Give every name that a function's code looks up, in the functions inside it too."""
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    return set(code.co_names).union(*map(_names, inner))


def code_digest(code: CodeType) -> str:
    """Give SHA-256 of what a function's code does: no file name, no line numbers."""
    digest = sha256(code.co_code)
    digest.update(repr((code.co_names, code.co_varnames, code.co_freevars, code.co_flags)).encode())
    for constant in code.co_consts:
        inner = isinstance(constant, CodeType)
        digest.update((code_digest(constant) if inner else _written(constant)).encode())
    return digest.hexdigest()


def digest_of(value: Any, other: Callable[[Any], Any] | None = None) -> str:  # noqa: ANN401
    """Give SHA-256 of a value's canonical JSON, in hexadecimal digits."""
    return sha256(canonical(value, other)).hexdigest()


def _written(constant: Any) -> str:  # noqa: ANN401
    """Write a constant the same way in every process: the order of a set depends on the process."""
    if isinstance(constant, frozenset):
        return f"frozenset({sorted(map(repr, constant))})"
    return repr(constant)


def _content(cell: Any) -> Any:  # noqa: ANN401
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _module(function: Any) -> str:  # noqa: ANN401
    return str(getattr(function, "__module__", None) or type(function).__module__)


def _is_pythons(function: Any) -> bool:  # noqa: ANN401
    return _module(function).partition(".")[0] in sys.stdlib_module_names
