"""How a failure explains itself: what was asserted, what came, where they part, what is near."""

from typing import Any

import pytest

from evalkit import Assertion, Check, Op, Scenario, ToolCall, check, run
from evalkit.reports.failures import call_line, details, headline

ORDER = {
    "id": 1007,
    "status": "delivered",
    "payment": {"amount": 12.5, "currency": "EUR"},
    "items": [{"sku": "oak", "price": 3}, {"sku": "birch", "price": 4}],
}


def told(assertion: Assertion, document: Any = ORDER) -> str:
    """All that is said of a check that fails."""
    found = check(assertion, document)
    assert not found.passed
    return "\n".join([headline(found), *details(found)])


@pytest.mark.parametrize(
    ("assertion", "line"),
    [
        (Assertion("status", Op.EQ, "lost"), "'status' equals 'lost'"),
        (Assertion("", Op.HAS_KEY, "x"), "the document has the key 'x'"),
        (
            Assertion("items[*].price", Op.GT, 9, each="all"),
            "'items[*].price' is above 9 (each: all)",
        ),
        (Assertion("id", Op.IS_NULL), "'id' is null"),
        (Assertion("id", Op.EQ, None), "'id' equals None"),
        (Assertion("id", Op.IN, [1, 2]), "'id' is one of [1, 2]"),
    ],
)
def test_a_headline_is_path_operator_and_expected(assertion: Assertion, line: str) -> None:
    """One line says what was asserted."""
    assert headline(check(assertion, ORDER)) == line


def test_a_wrong_value_tells_expected_and_got() -> None:
    """Both sides are there, as they would be written in Python."""
    text = told(Assertion("status", Op.EQ, "lost"))
    assert "'lost'" in text
    assert "'delivered'" in text


@pytest.mark.parametrize(
    ("assertion", "got"),
    [
        (Assertion("payment.amount", Op.GT, 20), "12.5"),
        (Assertion("payment.amount", Op.APPROX, 20.0), "12.5"),
        (Assertion("status", Op.CONTAINS, "lost"), "'delivered'"),
        (Assertion("status", Op.MATCHES, "lost"), "'delivered'"),
        (Assertion("status", Op.IN, ["lost"]), "'delivered'"),
        (Assertion("items", Op.LEN_EQ, 3), "2"),
        (Assertion("status", Op.TYPE_IS, "integer"), "string"),
        (Assertion("id", Op.BETWEEN, [1, 2]), "1007"),
        (Assertion("id", Op.GT, "a"), "1007"),
        (Assertion("items[*].price", Op.GT, 3, each="all"), "1 of 2"),
    ],
    ids=lambda value: str(value.op) if isinstance(value, Assertion) else None,
)
def test_every_operator_tells_what_it_got(assertion: Assertion, got: str) -> None:
    """A reader never has to run it again to see the value."""
    assert got in told(assertion)


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("payment.amuont", ["'payment'", "'amount', 'currency'", "did you mean 'payment.amount'?"]),
        ("paymnt.amount", ["the document", "'payment'", "did you mean 'payment'"]),
        ("items[2].sku", ["'items'", "array of 2", "'items[1]'"]),
        ("items[0].prize", ["'items[0]'", "'sku', 'price'", "'items[0].price'"]),
        ("status.code", ["'status'", "string"]),
        ("items[*].prize", ["items", "price"]),
        ("payments[*].x", ["the document", "'payment'"]),
    ],
)
def test_a_path_that_does_not_resolve_tells_how_far_it_got(path: str, parts: list[str]) -> None:
    """The deepest part that resolves, what stands there, and the nearest path."""
    text = told(Assertion(path, Op.EQ, [1] if "*" in path else 1))
    for part in parts:
        assert part in text


def test_a_difference_is_limited_to_what_changed() -> None:
    """Of two large objects only the leaves that differ are shown, each by its path."""
    document = {f"key_{number}": {"value": number} for number in range(500)}
    expected = {**document, "key_7": {"value": 8}, "key_300": {}}
    lines = told(Assertion("", Op.EQ, expected), document).splitlines()[1:]
    assert lines == [
        "at key_7.value: expected 8, got 7",
        "at key_300.value: 300 was not expected",
    ]


def test_a_difference_tells_what_is_missing_and_what_is_too_much() -> None:
    """Keys and items of either side alone are told as that."""
    text = told(Assertion("items", Op.EQ, [{"sku": "oak", "price": 3, "mm": 18}]))
    assert "at [0].mm: 18 is missing" in text
    assert "at [1]" in text
    assert "was not expected" in text


def test_a_large_difference_is_cut_and_counted() -> None:
    """Ten leaves are shown, and how many more there are: the whole number."""
    expected, document = list(range(250)), list(range(1, 251))
    lines = told(Assertion("", Op.EQ, expected), document).splitlines()[1:]
    assert len(lines) == 11
    assert "240 more" in lines[-1]


def test_a_subset_shows_only_what_it_asks() -> None:
    """Keys that the expected part does not name are none of the difference."""
    text = told(Assertion("payment", Op.SUBSET, {"amount": 13}))
    assert "at amount: expected 13, got 12.5" in text
    assert "currency" not in text


def test_texts_that_look_alike_show_their_code_points() -> None:
    """Where two texts differ in what can't be seen, that is said."""
    text = told(Assertion("", Op.EQ, "caf\u00e9"), "cafe\u0301")
    assert "U+00E9" in text
    assert "U+0301" in text


def test_a_long_text_shows_where_it_differs() -> None:
    """Of two long texts that differ near their ends, the place is shown, not the common head."""
    head = "the same words again and again " * 20
    text = told(Assertion("", Op.EQ, head + "left"), head + "right")
    assert "left" in text.splitlines()[-1]
    assert "right" in text.splitlines()[-1]


def test_a_long_value_is_cut() -> None:
    """A value of a megabyte does not fill the page."""
    assert len(told(Assertion("", Op.CONTAINS, "x"), "a" * 1_000_000)) < 1_000
    assert len(told(Assertion("", Op.EQ, "x"), ["a" * 1_000] * 1_000)) < 1_000


def test_one_and_true_are_told_apart() -> None:
    """Values that Python takes for equal are shown as what they are."""
    text = told(Assertion("", Op.EQ, {"a": True}), {"a": 1})
    assert "expected True, got 1" in text


def failing(**fields: Any) -> list[Check]:
    """The checks of a call of a tool that raises."""

    def ping(text: str) -> None:
        raise ValueError(f"no {text}")

    scenario = Scenario("a", tool_calls=[ToolCall("ping", {"text": "order"}, **fields)])
    return run(scenario, tools={"ping": ping})["a"].checks


def test_a_tool_that_raised_is_told_by_type_and_message() -> None:
    """The exception's type and message explain all the checks of its call."""
    for each in failing(assertions=[Assertion("a", Op.EQ, 1), Assertion("b", Op.EQ, 1)]):
        assert each.code == "tool_raised"
        assert "ValueError: no order" in "\n".join(details(each))


def test_a_call_is_told_with_the_arguments_it_received() -> None:
    """A reader sees which call it was, with its arguments, long ones cut."""
    call = ToolCall("ping", {"a": 1, "text": "x" * 1_000})
    result = run(Scenario("s", tool_calls=[call]), tools={"ping": lambda **args: args})["s"]
    line = call_line(result, 0)
    assert line.startswith("step 0: ping(a=1, text='xxx")
    assert len(line) < 200
