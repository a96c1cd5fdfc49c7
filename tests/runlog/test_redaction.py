"""Secrets are taken out of texts: values that were named, and what stands under telling keys."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.jsontext import dumped, dumped_object, loaded
from evalkit.runlog.redaction import Redaction

CANARY = "canary-0815"
SECRET_KEYS = [
    "api_key",
    "API_KEY",
    "apiKey",
    "x-api-key",
    "OPENAI_API_KEY",
    "private_key",
    "secret_key",
    "aws_secret_access_key",
    "Authorization",
    "authorization",
    "Proxy-Authorization",
    "auth",
    "password",
    "Password",
    "db_password",
    "passwd",
    "passphrase",
    "pwd",
    "db_pwd",
    "token",
    "access_token",
    "refreshToken",
    "id-token",
    "secret",
    "client_secret",
    "cookie",
    "Set-Cookie",
    "credentials",
    "credential",
]
HARMLESS_KEYS = [
    "tokens",
    "token_count",
    "max_tokens",
    "total_tokens",
    "author",
    "authors",
    "authored",
    "monkey",
    "keyboard",
    "primary_key",
    "foreign_key",
    "key",
    "keys",
    "passes",
    "passed",
    "pass_rate",
    "compass",
    "cookies_allowed",
    "tokenizer",
    "secretary",
    "name",
]


def clean(value: dict[str, Any], **named: str) -> Any:
    """An object as it is after redaction."""
    return loaded(Redaction(named).text_of(dumped_object(value)))


@pytest.mark.parametrize("key", SECRET_KEYS)
def test_what_stands_under_a_telling_key_is_taken_out(key: str) -> None:
    """The value of a key that looks like a credential goes, at any depth, whatever it is."""
    values = [CANARY, [CANARY], {"a": CANARY}, {"a": [CANARY]}]
    for value in values:
        for whole in ({key: value}, {"a": [{"b": {key: value}}]}):
            assert CANARY not in json.dumps(clean(whole))


@pytest.mark.parametrize("key", HARMLESS_KEYS)
def test_what_only_looks_alike_is_left_alone(key: str) -> None:
    """Keys that merely sound like a credential keep their values."""
    whole = {key: CANARY, "deep": [{key: {"a": 1}}]}
    assert clean(whole) == whole


@pytest.mark.parametrize("value", [None, True, False])
def test_what_can_be_no_secret_stays(value: Any) -> None:
    """Whether there is a password is no secret."""
    assert clean({"password": value}) == {"password": value}


def test_a_number_under_a_telling_key_goes() -> None:
    """A PIN is a secret, too."""
    assert clean({"password": 4711}) != {"password": 4711}


@pytest.mark.parametrize(
    "place",
    [
        lambda s: {"a": s},
        lambda s: {"a": f"before {s} after {s}"},
        lambda s: {s: 1},
        lambda s: {f"x{s}y": [1]},
        lambda s: {"a": [[{"b": s}]]},
        lambda s: {"a": s, "wide": 2**70},
    ],
)
@pytest.mark.parametrize(
    "secret",
    [
        CANARY,
        "schlüssel-ß",
        'quo"te\\d',
        "two\nlines\tand a tab",
        "\U0001f511\U0001f511key",
        "    ",
    ],
)
def test_a_named_value_is_taken_out_wherever_it_stands(place: Any, secret: str) -> None:
    """In texts and keys, beside wide integers, with quotes, line breaks and any script in it."""
    found = clean(place(secret), MY_KEY=secret)
    assert secret not in json.dumps(found, ensure_ascii=False)
    assert json.dumps(secret)[1:-1] not in json.dumps(found)
    assert "[redacted: MY_KEY]" in json.dumps(found)


def test_the_longer_of_two_secrets_goes_first() -> None:
    """A secret that begins as another does leaves no rest of itself."""
    redaction = Redaction({"SHORT": "canary", "LONG": "canary-and-more"})
    assert redaction.message_of("canary-and-more, canary") == "[redacted: LONG], [redacted: SHORT]"


def test_what_holds_no_secret_is_left_as_it_is() -> None:
    """A text without a secret comes out byte by byte as it went in."""
    text = dumped({"a": [1.5, None, "x", {"b": "é"}], "tokens": 5})
    assert Redaction({"MY_KEY": CANARY}).text_of(text) == text
    assert Redaction().message_of(CANARY) == CANARY


JSON = st.recursive(
    st.none() | st.integers(-(2**70), 2**70) | st.sampled_from(["", "x", CANARY, f"a{CANARY}b"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", CANARY, "token"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(["a", "b"]), JSON, min_size=1))
def test_no_shape_hides_a_named_value(value: dict[str, Any]) -> None:
    """However values are nested, no named value is left, and the rest is still JSON."""
    text = Redaction({"MY_KEY": CANARY}).text_of(dumped_object(value))
    assert CANARY.encode() not in text
    json.loads(text)


def test_redacting_twice_changes_nothing_more() -> None:
    """What was redacted once is as it will be."""
    once = clean({"token": CANARY, "a": CANARY}, MY_KEY=CANARY)
    assert clean(once, MY_KEY=CANARY) == once
