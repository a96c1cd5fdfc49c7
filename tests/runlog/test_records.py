"""A result is written as one record, and read again as the very same result."""

import json
from pprint import pformat
from typing import Any

import attrs
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from evalkit import (
    CATALOGUE,
    MISSING,
    Assertion,
    Catalogue,
    Check,
    Op,
    Ref,
    Scenario,
    ScenarioResult,
    Status,
    ToolCall,
    TransportError,
    Verdict,
    grade,
    operator,
    run,
)
from evalkit.jsontext import loaded
from evalkit.result import CODES
from evalkit.runlog.records import check_to_dict, record_text, result_of

NAMES = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=6)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NUMBERS = st.integers(-(10**22), 10**22) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
EXPECTED = JSON | st.just(MISSING) | st.builds(Ref, NAMES) | st.lists(st.builds(Ref, NAMES))
SIZES = st.none() | st.floats(0.01, 10)
ASSERTIONS = st.builds(
    Assertion,
    TEXTS,
    st.sampled_from(list(Op)) | NAMES,
    EXPECTED,
    TEXTS,
    each=st.sampled_from([None, "all", "any"]),
    tolerance=SIZES,
    rel=SIZES,
    weight=st.just(1.0) | st.floats(0.1, 5),
    severity=st.sampled_from(["fail", "warn"]),
)
CHECKS = st.builds(
    Check,
    ASSERTIONS,
    st.none() | st.integers(0, 9),
    st.sampled_from(list(Status)),
    st.none() | st.sampled_from(sorted(CODES)),
    st.floats(0, 1),
    JSON,
    TEXTS,
    st.floats(0, 9),
)
RESULTS = st.builds(
    ScenarioResult,
    NAMES,
    st.sampled_from(list(Status)),
    st.lists(CHECKS, max_size=3),
    st.none(),
    st.lists(st.none() | st.integers(0, 9), max_size=3),
    st.floats(0, 9),
    st.lists(NAMES, max_size=2).map(tuple),
    st.sampled_from(["basic", "standard", "advanced"]),
    TEXTS,
    st.none() | NAMES,
    epoch=st.integers(1, 3),
    epochs=st.integers(1, 3),
    needed=st.integers(1, 3),
    fingerprint=st.none() | NAMES,
)
QUICK = settings(max_examples=40, deadline=None, phases=[Phase.explicit, Phase.generate])


def exactly(result: ScenarioResult) -> str:
    """A result in full, to the type of each number; the order of a dict's keys does not count."""

    def kept(_owner: Any, _field: Any, value: Any) -> Any:
        return repr(value) if value is MISSING or isinstance(value, Ref) else value

    return pformat(attrs.asdict(result, value_serializer=kept))


def again(result: ScenarioResult) -> ScenarioResult:
    """A result as it comes out of its record."""
    text = record_text({"kind": "result"}, result)
    assert b"\n" not in text
    json.loads(text)
    return result_of(loaded(text))


@QUICK
@given(RESULTS)
def test_any_result_is_read_as_it_was_written(result: ScenarioResult) -> None:
    """Every field of a result and of its checks comes back: to the type of each number."""
    assert again(result) == result
    assert exactly(again(result)) == exactly(result)


@pytest.mark.parametrize(
    "expected",
    [
        {"$ref": "#/$defs/size"},
        {"properties": {"a": {"$ref": "#/$defs/size"}}},
        [{"$ref": "x"}],
        Ref("x"),
        [Ref("x"), {"a": Ref("y")}],
        MISSING,
        None,
        [],
        [None],
        2**70,
        {"a": -(2**70)},
        {"$ref": 1},
        {"$ref": "x", "more": 1},
        "MISSING",
    ],
    ids=repr,
)
def test_what_is_expected_comes_back_as_what_it_was(expected: Any) -> None:
    """A `Ref`, a dict that looks like one, nothing and null are four things."""
    check = Check(Assertion("a", Op.EQ, expected), 0, Status.FAILED, "wrong_value", 0.0, 1, "", 0.5)
    result = ScenarioResult("s", Status.FAILED, [check], None, [], 0.5)
    found = again(result).checks[0].expected
    assert (found, type(found)) == (expected, type(expected))
    assert repr(found) == repr(expected)


def raises(kind: type[Exception]) -> Any:
    """A tool that raises."""

    def tool() -> None:
        raise kind("nö\x1b[31m\u202e")

    return tool


def prints() -> dict[str, Any]:
    """A tool that prints."""
    print("adding", "\u2028", "é")  # noqa: T201  - printing is under test
    return {"ok": True, "rows": [{"price": 1.5}, {"price": 2**70}]}


TOOLS = {
    "prints": prints,
    "raises": raises(ValueError),
    "lost": raises(TransportError),
    "set": lambda: {1},
    "echo": lambda value: {"value": value},
}


@operator("record_test_half")
def half(actual: Any, assertion: Assertion, context: Any) -> Verdict:
    """An operator of one's own, with a score."""
    return Verdict(passed=False, score=0.5, reason=f"half of {actual!r}")


@operator("record_test_broken")
def broken(actual: Any, assertion: Assertion, context: Any) -> Verdict:
    """An operator that fails itself."""
    raise RuntimeError("broken")


def one(name: str, tool: str, *assertions: Assertion, **fields: Any) -> Scenario:
    """A scenario of one call."""
    call = {key: fields.pop(key) for key in ("args", "expect_error", "save_as") if key in fields}
    return Scenario(name, tool_calls=[ToolCall(tool, assertions=assertions, **call)], **fields)


SCHEMA = {"type": "object", "$defs": {"ok": {"type": "boolean"}}}
LATER = [
    ToolCall("prints", save_as={"ok": "ok", "gone": "nope"}),
    ToolCall("echo", {"value": Ref("ok")}, [Assertion("value", Op.EQ, Ref("ok"))]),
    ToolCall("echo", {"value": 1}, [Assertion("value", Op.EQ, Ref("gone"))]),
    ToolCall("echo", context_args={"value": "gone"}),
]
SCENARIOS = [
    one("passes", "prints", Assertion("ok", Op.EQ, True)),
    one(
        "fails", "prints", Assertion("ok", Op.EQ, False, "should not"), Assertion("nope", "exists")
    ),
    one("wide", "prints", Assertion("rows[1].price", Op.EQ, 2**70)),
    one("each", "prints", Assertion("rows[*].price", Op.LT, 2, each="any", weight=2.5)),
    one("approx", "prints", Assertion("rows[0].price", Op.APPROX, 1.6, tolerance=0.2, rel=0.1)),
    one("warns", "prints", Assertion("ok", Op.IS_FALSE, severity="warn")),
    one("own", "prints", Assertion("ok", "record_test_half", {"any": ["thing"]})),
    one("broken", "prints", Assertion("ok", "record_test_broken")),
    one("schema", "prints", Assertion("", Op.SCHEMA, {**SCHEMA, "properties": {}})),
    one(
        "schema_with_ref",
        "prints",
        Assertion("", Op.SCHEMA, {**SCHEMA, "properties": {"ok": {"$ref": "#/$defs/ok"}}}),
    ),
    one("raises", "raises", Assertion("ok", Op.EQ, True)),
    one("refuses", "raises", expect_error="nö"),
    one("lost", "lost"),
    one("no_json", "set"),
    Scenario("later", tool_calls=LATER),
    Scenario("talk", "Hello?", assertions=[Assertion("response", Op.EXISTS)]),
    Scenario(
        "traced",
        "Hello?",
        [ToolCall("prints")],
        ["b", "a"],
        assertions=[Assertion("calls", Op.LEN_EQ, 1), Assertion("response", Op.EXISTS)],
        metadata={"a": 1},
    ),
    one("known", "raises", xfail="does not work yet"),
    one("better", "prints", xfail="does not work yet"),
    one("thrice", "prints", epochs=3, pass_epochs=2, difficulty="basic", tags=["x"]),
]


class Live:
    """A sink that keeps what it is told, beside the log."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.results: list[ScenarioResult] = []

    def start(self, outline: Any) -> None:
        """Need nothing beforehand."""

    def add(self, result: ScenarioResult) -> None:
        """Keep a result."""
        self.results.append(result)

    def finish(self, report: Any) -> None:
        """Need nothing at the end."""


@pytest.fixture(scope="module")
def both(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[dict[str, ScenarioResult], dict[str, ScenarioResult]]:
    """The results of a run as they came, and as its log gives them, by name."""
    catalogue = Catalogue("records")
    for each in SCENARIOS:
        catalogue.add(each)
    names = ("record_test_half", "record_test_broken")
    catalogue.operators.update({name: CATALOGUE.operators[name] for name in names})
    live = Live()
    report = run(catalogue, tools=TOOLS, log_dir=tmp_path_factory.mktemp("runs"), sinks=[live])
    assert len(report.results) == len(live.results) == len(SCENARIOS) + 2
    return (
        {f"{each.name} {each.epoch}": each for each in live.results},
        {f"{each.name} {each.epoch}": each for each in report.results},
    )


NAMED = [f"{each.name} {epoch}" for each in SCENARIOS for epoch in range(1, (each.epochs or 1) + 1)]


@pytest.mark.parametrize("name", NAMED)
def test_every_result_of_a_run_comes_back(name: str, both: Any) -> None:
    """What the log gives equals what came: trace, pairing, checks, times and all."""
    live, logged = (each[name] for each in both)
    assert logged == live
    assert exactly(logged) == exactly(live)


@pytest.mark.parametrize("scenario", SCENARIOS[:6], ids=lambda scenario: str(scenario.name))
def test_a_logged_trace_can_be_graded_again(scenario: Scenario, both: Any) -> None:
    """Grading the logged trace gives the logged verdict."""
    logged = both[1][f"{scenario.name} 1"]
    graded = grade(scenario, logged.trace)
    assert [check.status for check in graded.checks] == [check.status for check in logged.checks]
    assert graded.status == logged.status


def test_a_check_s_record_has_the_fields_of_the_check() -> None:
    """The record that `--json` shows has every field, nothing expected as null, a Ref by name."""
    check = Check(
        Assertion("a", Op.EQ, Ref("x")), 2, Status.FAILED, "wrong_value", 0.0, 1, "r", 0.5
    )
    assert check_to_dict(check) == {
        "step": 2,
        "status": "failed",
        "passed": False,
        "code": "wrong_value",
        "score": 0.0,
        "path": "a",
        "op": "eq",
        "expected": {"$ref": "x"},
        "actual": 1,
        "reason": "r",
        "description": "",
        "seconds": 0.5,
    }
