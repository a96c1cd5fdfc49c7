"""BFCL's files, and its own checker: what it accepts is accepted, what it refuses is refused."""

import copy
import json
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from evalkit import Assertion, check
from evalkit.datasets.bfcl import BFCL, answers_of
from evalkit.loaders.joined import whole_records
from evalkit.loaders.json_lines import read_json_or_lines
from evalkit.loaders.records import Record
from tests.datasets.records import one

Args = dict[str, Any]
Calls = list[dict[str, Args]]
"""The calls of an answer, as BFCL writes them: the arguments below the function's name."""
Checker = Callable[[Record, Calls], bool]

COUNTS = {
    "simple_python": 400,
    "multiple": 200,
    "parallel": 200,
    "parallel_multiple": 200,
    "irrelevance": 240,
    "live_simple": 258,
    "live_multiple": 1053,
    "live_parallel": 16,
    "live_parallel_multiple": 24,
    "live_irrelevance": 884,
    "live_relevance": 16,
}
JUDGED = ("simple_python", "multiple", "parallel", "parallel_multiple")
LIVE = ("live_simple", "live_multiple", "live_parallel", "live_parallel_multiple")
IMPOSSIBLE = {
    "live_simple_106-63-0",
    "live_simple_112-68-0",
    "live_multiple_862-181-3",
    "live_multiple_964-207-0",
}
"""The questions whose published answer no call can be, by BFCL's checker too."""


def records(category: str) -> list[Record]:
    """The questions of a category, with their answers."""
    pytest.importorskip("bfcl_eval", reason="the package bfcl-eval is not installed")
    folder = Path(next(iter(import_module("bfcl_eval").__path__)), "data")
    path = folder / f"BFCL_v4_{category}.json"
    document = read_json_or_lines(path, path.name)
    return list(whole_records(document, answers_of(path), read_json_or_lines)())


@pytest.fixture(scope="module")
def theirs() -> Iterator[Checker]:
    """BFCL's own checker, without its table of models, which imports the clients of all vendors."""
    pytest.importorskip("bfcl_eval", reason="the package bfcl-eval is not installed")
    models = ModuleType("bfcl_eval.constants.model_config")
    plain = {"any": SimpleNamespace(underscore_to_dot=False)}
    models.__dict__["MODEL_CONFIG_MAPPING"] = plain
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, models.__name__, models)
        checker = import_module("bfcl_eval.eval_checker.ast_eval.ast_checker").ast_checker
        python = import_module("bfcl_eval.constants.enums").Language.PYTHON

        def is_valid(record: Record, calls: Calls) -> bool:
            data = copy.deepcopy(record.data)
            category = data["id"].rpartition("_")[0]
            answer = data["ground_truth"]
            found = checker(data["function"], calls, answer, python, category, "any")
            return bool(found["valid"])

        yield is_valid


def ours(record: Record) -> Callable[[Calls], bool]:
    """What evalkit says of calls: whether all that a question asserts holds."""
    scenario = one(BFCL, record.data)
    assertions = [Assertion(**each) for each in scenario["assertions"]]

    def holds(calls: Calls) -> bool:
        noted = [{"tool": tool, "args": args} for call in calls for tool, args in call.items()]
        document = {"calls": noted}
        return all(check(assertion, document).passed for assertion in assertions)

    return holds


def answered(record: Record, *, optional: bool) -> Calls:
    """The first accepted value of each argument; what may be left out, given or not."""
    calls = []
    for answer in record.data["ground_truth"]:
        ((tool, accepted),) = answer.items()
        said = next(each for each in record.data["function"] if each["name"] == tool)
        known, needed = said["parameters"]["properties"], said["parameters"]["required"]
        args = {
            name: first(values)
            for name, values in accepted.items()
            if name in known
            and (optional or name in needed or "" not in values)
            and any(value != "" for value in values)
        }
        calls.append({tool: args})
    return calls


def first(values: list[Any]) -> Any:
    """The first accepted value; of an object, the first of each of its keys."""
    value = next(each for each in values if each != "")
    if isinstance(value, list):
        return [keys_of(each) if isinstance(each, dict) else each for each in value]
    return keys_of(value) if isinstance(value, dict) else value


def keys_of(accepted: Args) -> Args:
    """An object of the first accepted value of each key that must be there."""
    return {
        key: next(each for each in values if each != "")
        for key, values in accepted.items()
        if any(value != "" for value in values)
    }


def changed(value: Any) -> Iterator[Any]:
    """Other values in an argument's place: some of them accepted as well, most not."""
    yield from (None, True, False, 987654, 0.5, "", "another value", [], {})
    if isinstance(value, str):
        yield from (value.upper(), value.replace("e", " e-"), f"{value}x", f"{value}\n")
    elif isinstance(value, list):
        yield from (value[::-1], value[:-1], [*value, *value[:1]])
    elif isinstance(value, dict):
        yield from (value | {"more": 1}, dict(list(value.items())[1:]))
    elif type(value) in (int, float):
        yield from (value + 1, str(value))


def mutated(calls: Calls) -> Iterator[Calls]:
    """The calls with something wrong: the function, an argument, their number, their order."""
    yield []
    yield [*calls, calls[0]]
    yield calls[1:]
    yield calls[::-1]
    ((tool, args),) = calls[0].items()
    yield [{f"another_{tool}": args}, *calls[1:]]
    yield [{tool: args | {"more": 1}}, *calls[1:]]
    for name in list(args)[:2]:
        yield [{tool: {key: args[key] for key in args if key != name}}, *calls[1:]]
        for value in changed(args[name]):
            yield [{tool: args | {name: value}}, *calls[1:]]


@pytest.mark.parametrize("category", COUNTS)
def test_files(category: str) -> None:
    """Every question of every file is read; four have an answer that can't be given."""
    found = [one(BFCL, record.data) for record in records(category)]
    assert len(found) == COUNTS[category]
    assert {each["name"] for each in found if "skip" in each} == {
        each["name"] for each in found if each["name"] in IMPOSSIBLE
    }
    assert all(each["prompt"] and each["assertions"] for each in found)


@pytest.mark.parametrize("category", JUDGED)
def test_accepted_answers_pass(category: str, theirs: Checker) -> None:
    """The first accepted value of each argument passes, with what may be left out and without."""
    for record in records(category):
        holds = ours(record)
        for optional in (True, False):
            calls = answered(record, optional=optional)
            assert theirs(record, calls)
            assert holds(calls), record.data["id"]


@pytest.mark.parametrize("category", [*JUDGED, *LIVE])
def test_verdicts_are_those_of_their_checker(category: str, theirs: Checker) -> None:
    """Whatever is changed in an answer, it passes where BFCL's checker passes it, only there."""
    compared = failed = 0
    for record in records(category)[:: 12 if category in LIVE else 4]:
        holds = ours(record)
        for calls in mutated(answered(record, optional=True)):
            said = theirs(record, calls)
            assert holds(calls) is said, (record.data["id"], json.dumps(calls))
            compared, failed = compared + 1, failed + (not said)
    assert failed > compared // 2


def test_a_whole_number_is_a_number(theirs: Checker) -> None:
    """The one difference: 5.0 is as good as 5, as everywhere in evalkit; BFCL refuses it."""
    record = records("simple_python")[0]
    (call,) = answered(record, optional=True)
    ((tool, args),) = call.items()
    floats = {key: float(value) if type(value) is int else value for key, value in args.items()}
    assert floats == args
    assert ours(record)([{tool: floats}])
    assert not theirs(record, [{tool: floats}])


@pytest.mark.parametrize(
    ("category", "calls", "holds"),
    [
        ("irrelevance", [], True),
        ("irrelevance", [{"determine_body_mass_index": {}}], False),
        ("live_irrelevance", [], True),
        ("live_relevance", [], False),
        ("live_relevance", [{"search": {}}], True),
    ],
)
def test_without_an_answer(category: str, calls: Calls, holds: bool) -> None:
    """Where no function is of use none is called, and where one is, any call will do."""
    assert all(ours(record)(calls) is holds for record in records(category)[:50])
