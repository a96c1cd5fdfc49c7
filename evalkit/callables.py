"""What a function is, as far as it can be told from outside: its name, its code, what it holds."""

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from hashlib import sha256
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from evalkit.jsontext import canonical
from evalkit.jsonvalue import NotJsonError, plain

_AT = " at 0x"
"""What stands in the repr of an object that says no more than where it is."""


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
            holder = function.__self__
            kind = holder if isinstance(holder, type) else type(holder)
            return ["method", self.description(function.__func__), self._class(kind)]
        name = f"{_module(function)}:{getattr(function, '__qualname__', type(function).__name__)}"
        if id(function) in self._within:
            return [name]
        self._within.append(id(function))
        try:
            return self._described(name, function)
        except RecursionError:
            return self._unknown(name)
        finally:
            self._within.pop()

    def _described(self, name: str, function: Any) -> list[Any]:  # noqa: ANN401
        if isinstance(function, FunctionType):
            return [name, *self._function(function)]
        wrapped = getattr(function, "__wrapped__", None)
        if wrapped is not None:
            return [name, self.description(wrapped)]
        if isinstance(function, BuiltinFunctionType | type):
            bound = getattr(function, "__self__", None)
            free = bound is None or isinstance(bound, ModuleType | type)
            return [name] if free and _is_pythons(function) else self._unknown(name)
        if _is_pythons(type(function)):  # it may hold what can't be seen
            return self._unknown(name)
        return [name, self._class(type(function)), self._held(getattr(function, "__dict__", None))]

    def _unknown(self, name: str) -> list[Any]:
        self.opaque.append(name)
        return [name]

    def _function(self, function: FunctionType) -> list[Any]:
        cells = [_content(cell) for cell in function.__closure__ or ()]
        given = [function.__defaults__ or (), function.__kwdefaults__ or {}, cells]
        named = {each: function.__globals__.get(each) for each in sorted(_names(function.__code__))}
        local = self._named(named, _module(function))
        return [code_digest(function.__code__), *map(self._held, given), local]

    def _named(self, values: dict[str, Any], module: str) -> dict[str, Any]:
        """Describe what a function names in its module; what is from elsewhere is left out."""
        found: dict[str, Any] = {}
        for name, value in values.items():
            known = isinstance(value, FunctionType | type) or hasattr(value, "__wrapped__")
            if known and _module(value) != module:
                continue
            if isinstance(value, type):
                found[name] = self._class(value)
            elif known or type(value).__module__ == module:
                found[name] = self.description(value)
            elif value is not None and not isinstance(value, ModuleType):
                with suppress(NotJsonError):
                    found[name] = plain(value, self._inside)
        return found

    def _inside(self, value: Any) -> Any:  # noqa: ANN401
        """Describe what is no JSON in a module's value: functions in a dict of them."""
        if isinstance(value, FunctionType | MethodType | partial):
            return self.description(value)
        if isinstance(value, set | frozenset):
            return sorted(map(repr, value))
        told = repr(value) if _is_pythons(type(value)) else ""
        if not told or _AT in told:
            raise NotJsonError("is no code, and no value that says what it is")
        return told

    def _class(self, kind: type) -> list[Any]:
        """Describe a class: its methods and values, and those of its bases."""
        found: list[Any] = []
        for each in kind.__mro__:
            if not _is_pythons(each):
                members = {name: _unbound(value) for name, value in vars(each).items()}
                mine = {name: members[name] for name in sorted(members) if name[:2] != "__"}
                calls = members.get("__call__")
                found.append([each.__qualname__, self._held(mine), self._held(calls)])
        return found

    def _held(self, value: Any) -> Any:  # noqa: ANN401
        """Give what a function holds: JSON as it is, functions in turn, else its type alone."""
        if isinstance(value, FunctionType | MethodType | partial):
            return self.description(value)
        if isinstance(value, list | tuple):
            return [self._held(item) for item in value]
        if isinstance(value, dict):
            return {str(key): self._held(item) for key, item in value.items()}
        try:
            return plain(value)
        except NotJsonError:
            name = f"{type(value).__module__}:{type(value).__qualname__}"
            self.opaque.append(name)
            return {"type": name}


def _unbound(value: Any) -> Any:  # noqa: ANN401
    """Give the function behind a member of a class."""
    if isinstance(value, staticmethod | classmethod):
        return value.__func__
    return value.fget if isinstance(value, property) else value


def _names(code: CodeType) -> set[str]:
    """Give every name that a function's code looks up, in the functions inside it too."""
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    return set(code.co_names).union(*map(_names, inner))


def code_digest(code: CodeType) -> str:
    """Give SHA-256 of what a function's code does: no file name, no line numbers."""
    digest = sha256(code.co_code)
    digest.update(getattr(code, "co_exceptiontable", b""))
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    digest.update(repr((code.co_names, code.co_varnames, code.co_freevars, counts)).encode())
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
