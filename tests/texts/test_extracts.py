"""What is taken out of an answer before it is scored."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.model.fields import EXTRACTS as NAMED
from evalkit.texts import EXTRACTS, extract


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("first_line", "\r\n \n  Paris \r\nBecause", "Paris"),
        ("first_line", "Paris\u2028France", "Paris\u2028France"),
        ("first_line", " \n\t\n", None),
        ("first_line", "", None),
        ("after_answer", "I think.\nANSWER: Paris \nDone", "Paris"),
        ("after_answer", "Answer: no\nfinal answer:\tyes", "yes"),
        ("after_answer", "answer: Rome, or ANSWER: Paris", "Paris"),
        ("after_answer", "ANSWER: Paris\nANSWER:\nRome", None),
        ("after_answer", "The answer is Paris", None),
        ("after_answer", "An\u017fWER: the long s is another letter", None),
        ("after_answer", "", None),
        ("terse", "\n\n**Paris**\nBecause it is", "Paris"),
        ("terse", "  _`Paris` is **the** city_ ", "Paris is the city"),
        ("terse", "* a_b * c", "a_b * c"),
        ("terse", "a `*`* b", "a ** b"),
        ("terse", "****\nParis", None),
        ("terse", "", None),
    ],
)
def test_examples(name: str, text: str, expected: str | None) -> None:
    """Each takes what its rule says, and None where nothing is left."""
    assert extract(name, text) == expected


@pytest.mark.parametrize("name", EXTRACTS)
@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=30) | st.text(alphabet="aA:* \n`_answerANSWER:", max_size=30))
def test_never_an_empty_or_padded_text(name: str, text: str) -> None:
    """What is left is stripped and not empty, of one line, or None."""
    left = extract(name, text)
    assert left is None or (left and left == left.strip() and "\n" not in left)


def test_an_unknown_name_is_a_key_error() -> None:
    """No stage stands in for another."""
    with pytest.raises(KeyError, match="last_line"):
        extract("last_line", "Paris")


def test_the_names_are_those_of_the_model() -> None:
    """What an assertion may name is what there is."""
    assert set(EXTRACTS) == NAMED
