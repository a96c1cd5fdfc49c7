"""Which scenarios are meant: tags, difficulties, names, expressions, shards and samples."""

from itertools import chain, pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit import Catalogue, CatalogueError, Scenario, ToolCall
from evalkit.select import Selection


def scenario(name: str, tags: str, difficulty: str = "standard") -> Scenario:
    """A scenario by its name and its tags, written with blanks between them."""
    return Scenario(name, None, [ToolCall("ping")], tags.split(), "", difficulty)  # type: ignore[arg-type]


ALL = [
    scenario("refund_in_window", "refund money", "basic"),
    scenario("refund_too_late", "refund"),
    scenario("stock_count", "stock", "advanced"),
    scenario("Order_Status", "status"),
    scenario("untagged", ""),
]
MANY = [scenario(f"case_{number:03}", "") for number in range(103)]


def chosen(selection: Selection, of: list[Scenario] | None = None) -> list[str]:
    """The names that a selection gives."""
    return [each.name for each in selection.of_all(ALL if of is None else of)]


def catalogue() -> Catalogue:
    """The scenarios as a catalogue."""
    made = Catalogue("shop")
    for each in ALL:
        made.add(each)
    return made


@pytest.mark.parametrize(
    ("tags", "names"),
    [
        (["refund"], ["refund_in_window", "refund_too_late"]),
        (["money", "stock"], ["refund_in_window", "stock_count"]),
        (["not:refund"], ["stock_count", "Order_Status", "untagged"]),
        (["refund", "not:money"], ["refund_too_late"]),
        (["not:refund", "not:stock"], ["Order_Status", "untagged"]),
        (["refund", "refund"], ["refund_in_window", "refund_too_late"]),
        ([], [each.name for each in ALL]),
    ],
)
def test_tags(tags: list[str], names: list[str]) -> None:
    """Any of the tags is enough, none of those with `not:` may be there, and the order stays."""
    assert chosen(Selection(tags=tags)) == names


@pytest.mark.parametrize(
    ("difficulty", "names"),
    [
        ("basic", ["refund_in_window"]),
        (["basic", "advanced"], ["refund_in_window", "stock_count"]),
    ],
)
def test_difficulty(difficulty: str | list[str], names: list[str]) -> None:
    """One difficulty or several, a bare string for the one."""
    assert chosen(Selection(difficulty=difficulty)) == names


@pytest.mark.parametrize(
    ("expr", "names"),
    [
        ("refund", ["refund_in_window", "refund_too_late"]),
        ("REFUND", ["refund_in_window", "refund_too_late"]),
        ("order", ["Order_Status"]),
        ("money", ["refund_in_window"]),
        ("refund and not money", ["refund_too_late"]),
        ("not refund", ["stock_count", "Order_Status", "untagged"]),
        ("stock or money", ["refund_in_window", "stock_count"]),
        ("stock or refund and late", ["refund_too_late", "stock_count"]),
        ("(stock or refund) and (late or count)", ["refund_too_late", "stock_count"]),
        ("not (refund or stock)", ["Order_Status", "untagged"]),
        ("not not money", ["refund_in_window"]),
        ("((money))", ["refund_in_window"]),
        ("refund_in", ["refund_in_window"]),
        ("zebra", []),
    ],
)
def test_expressions(expr: str, names: list[str]) -> None:
    """Words are contained in name or tags in any case; `and` binds more than `or`, `not` most."""
    assert chosen(Selection(expr=expr)) == names


@pytest.mark.parametrize(
    "expr",
    [
        "",
        "  ",
        "and",
        "a and",
        "or a",
        "a b",
        "(a",
        "a)",
        "()",
        "not",
        "a and or b",
        "(a b)",
        "((a)",
    ],
)
def test_an_expression_that_is_none(expr: str) -> None:
    """A broken expression is an error that shows it, never a selection."""
    with pytest.raises(CatalogueError) as caught:
        chosen(Selection(expr=expr))
    assert repr(expr) in str(caught.value)


def test_a_deep_expression_is_refused_or_understood() -> None:
    """An expression of ten thousand parentheses ends in an answer, not in a traceback of ours."""
    deep = "(" * 10_000 + "money" + ")" * 10_000
    try:
        assert chosen(Selection(expr=deep)) == ["refund_in_window"]
    except CatalogueError as error:
        assert "-k" in str(error)  # noqa: PT017


@pytest.mark.parametrize("word", ["android", "norm", "nothing", "ordinary", "orchid"])
def test_words_that_begin_as_the_little_ones(word: str) -> None:
    """A word that only begins with and, or, not is a word."""
    assert chosen(Selection(expr=word), [scenario(f"an_{word}_case", "")]) == [f"an_{word}_case"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"tags": ["refnud"]}, "unknown tag 'refnud'; did you mean 'refund'?"),
        ({"tags": ["not:refnud"]}, "unknown tag 'refnud'; did you mean 'refund'?"),
        ({"tags": ["Refund"]}, "unknown tag 'Refund'; did you mean 'refund'?"),
        ({"names": ["stock_cuont"]}, "unknown name 'stock_cuont'; did you mean 'stock_count'?"),
        ({"names": ["stock"]}, "unknown name 'stock'; did you mean 'stock_count'?"),
        ({"difficulty": ["bsaic"]}, "unknown difficulty 'bsaic'; did you mean 'basic'?"),
        ({"tags": [""]}, "unknown tag ''"),
    ],
)
def test_what_is_nobodys_is_answered_with_the_nearest(asked: Any, told: str) -> None:
    """A tag, name or difficulty that no scenario has selects nothing in silence never."""
    with pytest.raises(CatalogueError) as caught:
        chosen(Selection(**asked))
    assert told in str(caught.value)


def test_all_that_is_nobodys_is_told_at_once() -> None:
    """Three mistakes are three problems of one error."""
    asked = Selection(tags=["refnud", "stokc"], names=["untaged"])
    with pytest.raises(CatalogueError) as caught:
        chosen(asked)
    assert len(caught.value.problems) == 3


def test_all_that_is_asked_must_fit() -> None:
    """Kinds of selection narrow each other down."""
    asked = Selection(tags=["refund"], difficulty="standard", expr="refund")
    assert chosen(asked) == ["refund_too_late"]


@given(st.integers(0, 60), st.integers(1, 70))
@settings(max_examples=50, deadline=None)
def test_shards_partition(size: int, count: int) -> None:
    """Each scenario is in exactly one share, and the shares differ by one at most."""
    scenarios = MANY[:size]
    shares = [chosen(Selection(shard=(each, count)), scenarios) for each in range(1, count + 1)]
    assert sorted(chain(*shares)) == [each.name for each in scenarios]
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_a_sample_is_the_same_every_time() -> None:
    """The same seed draws the same scenarios, in the catalogue's order."""
    first = chosen(Selection(sample=20, seed=7), MANY)
    assert first == chosen(Selection(sample=20, seed=7), MANY)
    assert len(first) == 20
    assert all(left < right for left, right in pairwise(first))


def test_another_seed_draws_another_sample() -> None:
    """The seed is what a sample depends on."""
    assert chosen(Selection(sample=20, seed=1), MANY) != chosen(Selection(sample=20, seed=2), MANY)


def test_a_sample_larger_than_all_is_all() -> None:
    """Asking for more than there is gives what there is."""
    assert len(chosen(Selection(sample=1_000), MANY)) == len(MANY)


def test_shards_of_a_sample_partition_the_sample() -> None:
    """Machines that draw by one seed share out one sample between them."""
    whole = chosen(Selection(sample=20, seed=3), MANY)
    shares = [chosen(Selection(sample=20, seed=3, shard=(each, 3)), MANY) for each in (1, 2, 3)]
    assert sorted(chain(*shares)) == whole


def test_select_takes_a_bare_string() -> None:
    """A single tag, difficulty or name may stand by itself: it is not taken letter by letter."""
    shop = catalogue()
    assert len(shop.select(tags="refund")) == 2
    assert len(shop.select(names="untagged")) == 1
    assert len(shop.select(difficulty="advanced")) == 1


def test_select_takes_all_four() -> None:
    """`catalogue.select` knows tags, difficulty, names and an expression, also by position."""
    shop = catalogue()
    kept = shop.select(["refund"], "standard", ["refund_too_late"], "late")
    assert [each.name for each in kept] == ["refund_too_late"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"tags": ["refnud"]}, "'refund'"),
        ({"names": ["untaged"]}, "'untagged'"),
        ({"expr": "("}, "-k"),
    ],
)
def test_select_answers_with_the_nearest(asked: dict[str, list[str]], told: str) -> None:
    """The Python door refuses what the command line refuses."""
    with pytest.raises(CatalogueError, match=told):
        catalogue().select(**asked)  # type: ignore[arg-type]


def test_a_selection_is_written_as_its_options() -> None:
    """Messages name a selection by what was asked."""
    asked = Selection(tags=["refund"], difficulty="basic", names=["a"], expr="x", shard=(1, 2))
    assert str(asked) == "-t refund --difficulty basic --name a -k 'x' --shard 1/2"


FAILED = frozenset({"stock_count", "refund_too_late", "gone"})


def test_what_failed_before_is_meant_alone() -> None:
    """In the catalogue's order; a name that is no longer there is passed over."""
    assert chosen(Selection(failed=FAILED)) == ["refund_too_late", "stock_count"]


def test_what_failed_before_comes_first() -> None:
    """All are meant, those that failed before the others, each part in the catalogue's order."""
    assert chosen(Selection(failed=FAILED, failed_first=True)) == [
        "refund_too_late",
        "stock_count",
        "refund_in_window",
        "Order_Status",
        "untagged",
    ]


@pytest.mark.parametrize("failed", [frozenset[str](), frozenset({"gone"})], ids=["none", "gone"])
@pytest.mark.parametrize("first", [False, True])
def test_where_nothing_failed_all_are_meant(failed: frozenset[str], first: bool) -> None:
    """Without a failure to go back to, the selection is what it would be without."""
    assert chosen(Selection(failed=failed, failed_first=first)) == [each.name for each in ALL]


def test_what_failed_is_looked_for_among_what_fits() -> None:
    """Other kinds of selection narrow down first."""
    assert chosen(Selection(tags="refund", failed=FAILED)) == ["refund_too_late"]
    assert chosen(Selection(tags="status", failed=FAILED)) == ["Order_Status"]


@given(st.sets(st.sampled_from([each.name for each in MANY])), st.booleans())
@settings(max_examples=50, deadline=None)
def test_failed_first_leaves_nobody_out(failed: set[str], first: bool) -> None:
    """With `failed_first` everybody is there once; without, exactly those that failed, if any."""
    found = chosen(Selection(failed=frozenset(failed), failed_first=first), MANY)
    everybody = {each.name for each in MANY}
    assert len(found) == len(set(found))
    assert set(found) == (everybody if first or not failed else failed)


@pytest.mark.parametrize(
    ("first", "written"), [(False, "-t refund --lf"), (True, "-t refund --ff")]
)
def test_what_failed_is_written_as_its_option(first: bool, written: str) -> None:
    """Messages and the log name it by the option that asks for it."""
    assert str(Selection(tags="refund", failed=FAILED, failed_first=first)) == written
