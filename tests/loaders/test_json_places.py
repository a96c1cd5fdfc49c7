"""Each part of a JSON text is found where it stands, in a time that grows with the text alone."""

import json
from time import perf_counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.loaders.json_places import flaws_of, places_of
from evalkit.loaders.records import Steps, offset_of, parts_of

TEXTS = st.text(st.sampled_from('a:"\\{}[],\né 0'), max_size=4)
VALUES = st.recursive(
    st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
TEXT = '{"a": [10, {"b:": "}"}],\n "c\\"": {}, "d": [[]]}'


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        ((), '{"a"'),
        (("a",), '"a": ['),
        (("a", 0), "10"),
        (("a", 1), '{"b:"'),
        (("a", 1, "b:"), '"b:": "}"'),
        (('c"',), '"c\\""'),
        (("d", 0), "[]"),
        (("a", 7, "x"), '"a": ['),
        (("no such",), '{"a"'),
        (("a", 0, "deeper"), "10"),
    ],
)
def test_steps_lead_to_the_key_or_the_item(steps: Steps, found: str) -> None:
    """In an object the key is meant, in a list the item; what is not there is sought no further."""
    assert TEXT[offset_of(places_of(TEXT), steps) :].startswith(found)


@settings(max_examples=100, deadline=None)
@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_every_part_of_every_text_is_found(
    value: Any, indent: int | None, ascii_only: bool
) -> None:
    """What stands at the place of any item, or behind its key, is the JSON of that part."""
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    places, decoder = places_of(text), json.JSONDecoder()
    for steps, part in parts_of(value):
        at = offset_of(places, steps)
        if steps and isinstance(steps[-1], str):
            key, end = decoder.raw_decode(text, at)
            assert key == steps[-1]
            at = text.index(":", end) + 1
            at += len(text[at:]) - len(text[at:].lstrip())
        assert repr(decoder.raw_decode(text, at)[0]) == repr(part)


@settings(max_examples=100, deadline=None)
@given(VALUES)
def test_a_good_text_has_no_flaw(value: Any) -> None:
    """Nothing is found wrong where nothing is."""
    assert flaws_of(json.dumps(value)) == ()


@settings(max_examples=150, deadline=None)
@given(st.text(st.sampled_from('{}[],:"\\ a1\nNu-é'), max_size=25))
def test_any_text_is_either_read_or_has_a_flaw(text: str) -> None:
    """Whatever the text, nothing but flaws comes out; none where the standard library reads it."""
    flaws = flaws_of(text)
    try:
        json.loads(text, parse_constant=int, object_pairs_hook=len)
    except ValueError:
        assert flaws
    assert all(0 <= flaw.at <= len(text) for flaw in flaws)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        '{"a":' * 100_000 + "1" + "}" * 100_000,
        '"' + "\\\\" * 500_000,
        '["' + 'x\\"' * 300_000,
        '{"a": 1,' * 3 + '"b": 2,' * 50_000 + '"c": 1}}}',
        "[" + "1," * 200_000 + "NaN]",
    ],
)
def test_hostile_texts_are_walked_over_in_linear_time(text: str) -> None:
    """Depth, escapes and repetitions by the hundred thousand take seconds at most, no recursion."""
    began = perf_counter()
    assert flaws_of(text)
    places_of(text)
    assert perf_counter() - began < 20


def test_every_repetition_is_found_with_the_first() -> None:
    """Of a key that is there three times, the second and the third are named."""
    flaws = flaws_of('[{"a": 1, "a": 2, "b": {"a": 3}, "a": 4}]')
    assert [(flaw.at, flaw.first, flaw.steps) for flaw in flaws] == [(10, 2, (0,)), (33, 2, (0,))]


@pytest.mark.parametrize(
    ("text", "is_cut"),
    [
        ('{"a": [1, 2', True),
        ('{"a": "b', True),
        ('{"a": tru', True),
        ('{"a', True),
        ("[1,", True),
        ("[1}", False),
        ('{"a": 1 "b": 2}', False),
        ("nope", False),
        ("[1]]", False),
    ],
)
def test_a_text_that_was_cut_off_is_told_from_one_that_is_wrong(text: str, is_cut: bool) -> None:
    """Where all that is open could still be closed, the text looks cut off."""
    assert any("cut off" in (flaw.hint or "") for flaw in flaws_of(text)) is is_cut
