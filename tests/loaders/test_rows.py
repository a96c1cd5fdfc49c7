"""How one scenario over a table becomes several."""

from typing import Any

import pytest

from evalkit.codec import MisfitError
from evalkit.loaders.rows import expanded

Data = dict[str, Any]


def over(rows: Any, **fields: Any) -> Data:
    """A scenario in a file with this table."""
    return {"name": "${n}", **fields, "parametrize": rows}


def misfits(data: Data) -> list[tuple[tuple[str | int, ...], str, str | None]]:
    """What is wrong with a scenario over its table."""
    with pytest.raises(MisfitError) as caught:
        expanded(data)
    return [(each.steps, each.problem, each.hint) for each in caught.value.misfits]


def test_without_a_table_it_is_itself() -> None:
    """A scenario that has no table is left alone, also where it holds a placeholder."""
    data = {"name": "${n}", "prompt": "${x}"}
    assert expanded(data) == [data]


def test_a_row_each_in_their_order() -> None:
    """Every row is one scenario, and the table is no field of any."""
    assert expanded(over([{"n": "b"}, {"n": "a"}])) == [{"name": "b"}, {"name": "a"}]


@pytest.mark.parametrize(
    "value", [1, 1.5, True, False, None, "x", "", [1, {"a": 2}], {"a": []}, 2**70], ids=repr
)
def test_a_placeholder_alone_is_the_value_itself(value: Any) -> None:
    """A value keeps its type where it stands alone, at any depth."""
    data = over([{"n": "a", "v": value}], deep=[{"x": ["${v}"]}])
    (found,) = expanded(data)
    assert repr(found["deep"]) == repr([{"x": [value]}])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("x", "x"),
        ("", ""),
        (1, "1"),
        (1.5, "1.5"),
        (True, "true"),
        (False, "false"),
        (None, "null"),
    ],
)
def test_a_placeholder_in_a_text_is_the_value_s_text(value: Any, text: str) -> None:
    """Within a text, a value is written as JSON writes it, a text without its quotes."""
    (found,) = expanded(over([{"n": "a", "v": value}], prompt="<${v}> ${v}"))
    assert found["prompt"] == f"<{text}> {text}"


@pytest.mark.parametrize("value", [[1], {"a": 1}, []], ids=repr)
def test_a_list_or_a_mapping_has_no_text(value: Any) -> None:
    """A value that has no plain text can't stand within one, and is told where it would."""
    ((steps, problem, _),) = misfits(over([{"n": "a", "v": value}], tags=["x", "a ${v}"]))
    assert steps == ("tags", 1)
    assert problem == f"{value!r} can't stand within a text"


def test_a_placeholder_stands_in_a_key_too() -> None:
    """Keys are filled as texts are."""
    (found,) = expanded(over([{"n": "a", "v": "width", "w": 1}], args={"${v}_${w}": 1}))
    assert found["args"] == {"width_1": 1}


def test_what_a_value_says_is_not_filled_again() -> None:
    """A value that looks like a placeholder is what it is."""
    (found,) = expanded(over([{"n": "a", "v": "${n}"}], prompt="${v}!", tags=["${v}"]))
    assert (found["prompt"], found["tags"]) == ("${n}!", ["${n}"])


@pytest.mark.parametrize("text", ["$n", "{n}", "$ {n}", "$ref", "{{n}}", "$", "$$n", "n}"])
def test_what_is_no_placeholder_stays(text: str) -> None:
    """Other signs are text."""
    (found,) = expanded(over([{"n": "a"}], prompt=text))
    assert found["prompt"] == text


@pytest.mark.parametrize(
    ("text", "meant"), [("$${n}", "${n}"), ("a $${x} ${n}", "a ${x} a"), ("$$${n}", "$${n}")]
)
def test_two_signs_stand_for_the_text(text: str, meant: str) -> None:
    """What would be a placeholder is written with one sign more, and needs no column."""
    (found,) = expanded(over([{"n": "a"}], prompt=text))
    assert found["prompt"] == meant


@pytest.mark.parametrize("text", ["${n", "a ${", "${n ${n}", "$${"])
def test_a_placeholder_that_is_not_closed_is_told(text: str) -> None:
    """A brace that was forgotten is a mistake, and no text."""
    ((steps, problem, _),) = misfits(over([{"n": "a"}], prompt=text))
    assert steps == ("prompt",)
    assert problem == f"a placeholder in {text!r} is not closed"


def test_two_keys_that_become_one_are_refused() -> None:
    """Where a row makes two keys of a mapping the same, none is lost in silence."""
    rows = [{"n": "a", "v": "x"}, {"n": "b", "v": "y"}]
    ((steps, problem, _),) = misfits(over(rows, args={"${v}": 1, "y": 2}))
    assert steps in (("args", "y"), ("args", "${v}"))
    assert problem == "the key 'y' is there twice"


@pytest.mark.parametrize("value", [1, None, True, [1]], ids=repr)
def test_a_key_is_a_text(value: Any) -> None:
    """A value that is no text is no key, alone or within one that it has no text for."""
    (told, *_) = misfits(over([{"n": "a", "v": value}], args={"${v}": 1}))
    assert told[0] == ("args", "${v}")


def test_the_rows_share_nothing() -> None:
    """What is done to one scenario does not happen to the next, or to the table."""
    value = [1]
    first, second = expanded(
        over([{"n": "a", "v": value}, {"n": "b", "v": value}], m="${v}", x=[1])
    )
    first["x"].append(2)
    assert second["x"] == [1]


def test_an_unknown_column_is_told_with_the_nearest() -> None:
    """A placeholder that the row has no column for is refused where it stands."""
    ((steps, problem, hint),) = misfits(over([{"n": "a", "width": 1}], deep={"x": ["${widht}"]}))
    assert steps == ("deep", "x", 0)
    assert problem == "no column 'widht' in the row 'n', 'width'"
    assert hint == "did you mean 'width'?"


def test_a_column_that_one_row_lacks_is_told() -> None:
    """A row without a column that is used is refused, and not filled with nothing."""
    ((steps, problem, _),) = misfits(over([{"n": "a", "v": 1}, {"n": "b"}], prompt="${v}"))
    assert steps == ("prompt",)
    assert problem.startswith("no column 'v'")


def test_a_column_that_is_not_used_is_told() -> None:
    """A column whose values stand nowhere is a mistake: the rows would differ for nothing."""
    ((steps, problem, hint),) = misfits(over([{"n": "a"}, {"n": "b", "widht": 1}]))
    assert steps == ("parametrize", 1, "widht")
    assert problem == "the column 'widht' is not used"
    assert "${widht}" in str(hint)


def test_all_columns_that_are_not_used_are_told() -> None:
    """Two of them are two mistakes."""
    told = misfits(over([{"n": "a", "x": 1, "y": 2}]))
    assert [steps[-1] for steps, _, _ in told] == ["x", "y"]


def test_all_unknown_columns_are_told() -> None:
    """Two placeholders without a column are two mistakes."""
    told = misfits(over([{"n": "a"}], prompt="${x}", tags=["${y}"]))
    assert [steps for steps, _, _ in told] == [("prompt",), ("tags", 0)]


@pytest.mark.parametrize("rows", [None, [], {}, "abc", 3, {"n": ["a", "b"]}], ids=repr)
def test_a_table_is_a_list_of_rows(rows: Any) -> None:
    """What is no table is refused, and an empty one too: it would make no scenario of one."""
    ((steps, problem, _),) = misfits(over(rows))
    assert steps == ("parametrize",)
    assert problem == f"expected a list of rows, got {rows!r}"


@pytest.mark.parametrize("row", [None, [], "a", 3, {}], ids=repr)
def test_a_row_is_a_mapping(row: Any) -> None:
    """Each row that is none is told by its place."""
    told = misfits(over([{"n": "a"}, row, row]))
    assert [steps for steps, _, _ in told] == [("parametrize", 1), ("parametrize", 2)]
