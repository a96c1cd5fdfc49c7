"""How plain data becomes scenarios: strictly, and all that is wrong at once.

The nouns check their own fields. What only data can get wrong is checked here: unknown keys, a
mapping where a list is meant, functions by name. Nothing is coerced.
"""

from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import Any

import attrs
from cattrs import ClassValidationError, Converter, ForbiddenExtraKeysError
from cattrs.gen import make_dict_structure_fn, override

from evalkit.codec.misfits import OURS, Misfit, MisfitError, Noun, misfits_of
from evalkit.errors import CatalogueError
from evalkit.jsonvalue import Json, brief
from evalkit.model import (
    Answers,
    Assertion,
    Attachment,
    Budget,
    FewShot,
    Limits,
    Op,
    Ref,
    Scenario,
    State,
    ToolCall,
    Turn,
)
from evalkit.registry import hint_for

Named = Callable[[str], Callable[[Any], Any]]
Hook = Callable[..., Any]
"""What makes a value of data; the converter gives it the type as well, which says nothing."""
Hooks = dict[str, Hook]
Make = Callable[[Any, Any], Any]

REF = "$ref"
POSITIONAL = ("path", "op", "expected", "description")
FEWEST = 2
WHOLE = ""
"""The path of an assertion that names none: that of the whole document."""
SINGLE: dict[str, Noun] = {"budget": Budget, "limits": Limits, "state": State}
"""The fields of a scenario that hold one noun, or none."""
_HOLDERS = frozenset({dict, list})


class Codec:
    """Makes scenarios of data.

    `named` gives the function of a name, where a file may name some; `operators` are those that
    there are, by name. Data is tried quickly first; only what is wrong is gone through again, to
    find all that is.
    """

    def __init__(self, named: Named | None = None, operators: Collection[str] = tuple(Op)) -> None:
        """Make the two converters: the quick one, and the thorough one."""
        self._quick = _Nouns(named, operators, thorough=False)
        self._thorough = _Nouns(named, operators, thorough=True)

    def scenario(self, data: Json) -> Scenario:
        """Make a scenario of a mapping; `MisfitError` carries everything that is wrong with it."""
        try:
            return self._quick.scenario(data)
        except (CatalogueError, MisfitError, ForbiddenExtraKeysError, KeyError):
            return self._thorough.scenario(data)


class _Nouns:
    """One converter that knows the nouns; a thorough one goes on after what is wrong."""

    def __init__(self, named: Named | None, operators: Collection[str], *, thorough: bool) -> None:
        self._named = named
        self._operators = operators
        self._gather = thorough
        self._converter = Converter(
            forbid_extra_keys=True, detailed_validation=thorough, prefer_attrib_converters=True
        )
        self._structure: dict[Noun, Callable[[Any, Any], Any]] = {}
        for noun in (Turn, Answers, Budget, Limits, Attachment, FewShot):
            self._teach(noun, {})
        self._teach(State, {"capture": self._capture})
        self._teach(Assertion, {"op": self._operator})
        self._about_schemas = self._structure[Assertion]
        self._teach(Assertion, {"op": self._operator, "expected": _with_refs})
        assertions: Hook = partial(self._list_of, self._assertion)
        calls: Hooks = {
            "args": _object,
            "assertions": assertions,
            "arg_assertions": assertions,
            "arg_transforms": self._functions,
        }
        self._teach(ToolCall, calls)
        scenario: Hooks = {
            "prompt": self._prompt,
            "tool_calls": partial(self._list_of, partial(self._noun, ToolCall)),
            "assertions": assertions,
            "answers": self._answers,
            "few_shot": partial(self._list_of, partial(self._noun, FewShot)),
            "attachments": partial(self._list_of, partial(self._noun, Attachment)),
            **{name: partial(self._or_none, noun) for name, noun in SINGLE.items()},
        }
        self._teach(Scenario, scenario)

    def scenario(self, data: Json) -> Scenario:
        made: Scenario = self._noun(Scenario, data)
        return made

    def _teach(self, noun: Noun, hooks: Hooks) -> None:
        """Have the converter make a noun: each field by its hook, else as it is."""
        overrides = {each.name: _override(each, hooks) for each in attrs.fields(noun)}
        self._structure[noun] = make_dict_structure_fn(
            noun,
            self._converter,
            _cattrs_detailed_validation=self._gather,
            **overrides,
        )

    def _noun(self, noun: Noun, data: Json, _: object = None) -> Any:  # noqa: ANN401
        if type(data) is not dict:
            raise MisfitError(Misfit((), f"expected a mapping, got {brief(data)}"))
        make = self._structure[noun]
        return self._made(noun, data, make) if self._gather else make(data, noun)

    def _assertion(self, data: Json, _: object = None) -> Any:  # noqa: ANN401
        """Take an assertion: a mapping, or the list of its positional fields."""
        if type(data) is list:
            try:
                return self._asserted(_positional(data))
            except MisfitError as error:
                raise MisfitError(*map(_in_list, error.misfits)) from error
        if type(data) is not dict:
            raise MisfitError(Misfit((), f"expected a mapping or a list, got {brief(data)}"))
        return self._asserted(data)

    def _asserted(self, data: dict[str, Json]) -> Any:  # noqa: ANN401
        """Make an assertion, whose path may be left out; in a JSON Schema `$ref` is no `Ref`."""
        if "path" not in data:
            data = {"path": WHOLE, **data}
        make = self._structure[Assertion]
        if type(data.get("expected")) in _HOLDERS and str(data.get("op")).lower() == Op.SCHEMA:
            make = self._about_schemas
        return self._made(Assertion, data, make) if self._gather else make(data, Assertion)

    def _made(self, noun: Noun, data: dict[str, Json], make: Make) -> Any:  # noqa: ANN401
        try:
            return make(data, noun)
        except ClassValidationError as error:
            raise MisfitError(*misfits_of(error, noun, data)) from error

    def _list_of(self, make: Hook, value: Json, _: object = None) -> list[Any]:
        if type(value) is not list:
            problem = f"expected a list, got {brief(value)}"
            raise MisfitError(Misfit((), problem, "put it in [ ]"))
        if not self._gather:
            return [make(item) for item in value]
        return _gathered(make, enumerate(value))

    def _operator(self, value: Json, _: object = None) -> Any:  # noqa: ANN401
        """Take an operator that there is, in either case."""
        if type(value) is str and value.lower() not in self._operators and value.strip():
            hint = hint_for(value.lower(), self._operators)
            raise MisfitError(Misfit((), f"unknown operator {value!r}", hint))
        return value

    def _prompt(self, value: Json, _: object = None) -> Any:  # noqa: ANN401
        """Take a prompt: text, texts, or turns."""
        turns = type(value) is list and any(type(item) is dict for item in value)
        return self._list_of(partial(self._noun, Turn), value) if turns else value

    def _answers(self, value: Json, _: object = None) -> Any:  # noqa: ANN401
        """Take gold answers: a list of them, or a mapping that says how they match."""
        return self._noun(Answers, value) if type(value) is dict else value

    def _or_none(self, noun: Noun, value: Json, _: object = None) -> Any:  # noqa: ANN401
        return None if value is None else self._noun(noun, value)

    def _capture(self, value: Json, _: object = None) -> Any:  # noqa: ANN401
        """Take what captures state: a tool, a function by its name, or a call for each name."""
        if type(value) is str and ":" in value:
            return self._function(value)
        if type(value) is not dict:
            return value
        return dict(zip(value, _gathered(self._captures, value.items()), strict=True))

    def _captures(self, value: Json) -> Any:  # noqa: ANN401
        return self._noun(ToolCall, value) if type(value) is dict else value

    def _functions(self, value: Json, _: object = None) -> Any:  # noqa: ANN401
        """Take functions by their names, where a file may name some."""
        if type(value) is not dict:
            return value
        return dict(zip(value, _gathered(self._function, value.items()), strict=True))

    def _function(self, item: Json) -> Callable[[Any], Any]:
        if type(item) is not str:
            raise MisfitError(Misfit((), f"expected package.module:name, got {brief(item)}"))
        if self._named is None:
            hint = "--allow-import lets it"
            raise MisfitError(Misfit((), f"a file may not name the function {item!r}", hint))
        try:
            return self._named(item)
        except CatalogueError as error:
            raise MisfitError(
                *[Misfit((), each.problem, each.hint) for each in error.problems]
            ) from error


def _override(field: "attrs.Attribute[Any]", hooks: Hooks) -> Any:  # noqa: ANN401
    """Say how a field is made: by a hook of ours, by the noun's own converter, or as it is."""
    if field.name in OURS:
        return override(omit=True)
    if field.name in hooks:
        return override(struct_hook=hooks[field.name])
    return override() if field.converter is not None else override(struct_hook=_as_it_is)


def _as_it_is(value: Json, _: object) -> Json:
    return value


def _with_refs(value: Json, _: object = None) -> Any:  # noqa: ANN401
    """Put a `Ref` wherever data says `{"$ref": name}`."""
    if type(value) is dict:
        if REF in value and len(value) == 1:
            return _ref(value[REF])
        return dict(zip(value, _gathered(_with_refs, value.items()), strict=True))
    if type(value) is list:
        return _gathered(_with_refs, enumerate(value))
    return value


def _gathered(act: Hook, items: Iterable[tuple[str | int, Json]]) -> list[Any]:
    """Do one thing to each of several values, and gather what is wrong with any of them."""
    found, misfits = [], []
    for step, item in items:
        try:
            found.append(act(item))
        except MisfitError as error:
            misfits += [each.below(step) for each in error.misfits]
    if misfits:
        raise MisfitError(*misfits)
    return found


def _ref(name: Json) -> Ref:
    try:
        return Ref(name)
    except CatalogueError as error:
        raise MisfitError(Misfit((REF,), error.problems[0].problem)) from error


def _object(value: Json, _: object = None) -> Any:  # noqa: ANN401
    """Take arguments, which are a mapping themselves and no `Ref`."""
    if type(value) is not dict or _HOLDERS.isdisjoint(map(type, value.values())):
        return value
    return dict(zip(value, _gathered(_with_refs, value.items()), strict=True))


def _positional(data: list[Json]) -> dict[str, Json]:
    """Read an assertion that is written as a list: path, operator, and what is expected."""
    if not FEWEST <= len(data) <= len(POSITIONAL):
        problem = f"expected a list of {', '.join(POSITIONAL)}, got {brief(data)}"
        raise MisfitError(Misfit((), problem, "path and op at least"))
    return dict(zip(POSITIONAL, data, strict=False))


def _in_list(misfit: Misfit) -> Misfit:
    """Say where something is wrong in an assertion that is written as a list."""
    field, *below = misfit.steps or ("",)
    at = (POSITIONAL.index(field), *below) if field in POSITIONAL else ()
    named = f"{field}: {misfit.problem}" if field in POSITIONAL else misfit.problem
    return Misfit(at, named, misfit.hint)
