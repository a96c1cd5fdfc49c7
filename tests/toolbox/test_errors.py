"""What a handler raised is told as the error of its call: its kind, its type, its message."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from evalkit import TransportError
from evalkit.errors import StopRun
from evalkit.jsonvalue import NotJsonError
from evalkit.toolbox.errors import (
    MESSAGE_LIMIT,
    ArgumentsError,
    ErrorIfError,
    SubjectError,
    UnknownToolError,
    error_of,
    is_transport,
    message_of,
    outcome_of,
)


class Response(SimpleNamespace):
    """What a client's exception carries."""


class Thrown(BaseException):  # what a library of control flow throws
    """No Exception."""


class StatusError(Exception):
    """An exception with a status code, as HTTP clients raise it."""

    def __init__(self, **fields: Any) -> None:
        """Take the fields."""
        super().__init__("status")
        vars(self).update(fields)


KINDS: dict[str, tuple[BaseException, str]] = {
    "value error": (ValueError("x"), "raised"),
    "system exit": (SystemExit(0), "raised"),
    "no JSON": (NotJsonError("x"), "unserialisable"),
    "an error_if": (ErrorIfError("x"), "error_if"),
    "ours": (TransportError("x"), "transport"),
    "connection": (ConnectionResetError("x"), "transport"),
    "broken pipe": (BrokenPipeError("x"), "transport"),
    "429": (StatusError(status_code=429), "transport"),
    "500": (StatusError(status_code=500), "transport"),
    "503 of the response": (StatusError(response=Response(status_code=503)), "transport"),
    "400": (StatusError(status_code=400), "raised"),
    "404 of the response": (StatusError(response=Response(status_code=404)), "raised"),
    "a status of text": (StatusError(status_code="503"), "raised"),
    "a file": (FileNotFoundError("x"), "raised"),
}


@pytest.mark.parametrize("name", KINDS)
def test_kind_of_an_error(name: str) -> None:
    """Connections, 429 and 5xx are the transport's; whatever else a tool raises is the tool's."""
    raised, kind = KINDS[name]
    assert error_of(raised)["kind"] == kind
    assert error_of(raised)["type"] == type(raised).__name__


def test_a_long_message_is_cut() -> None:
    """An error's message is kept by its head."""
    assert len(error_of(ValueError("x" * 1_000_000))["message"]) < 10_000


@pytest.mark.parametrize(
    ("raised", "kind", "name"),
    [
        (SubjectError("refused"), "raised", "ToolError"),
        (ArgumentsError("takes no 'x'"), "invalid_arguments", "TypeError"),
        (UnknownToolError("no tool 'x'"), "unknown_tool", "LookupError"),
        (TypeError("takes no 'x'"), "raised", "TypeError"),
    ],
)
def test_errors_of_our_own_have_a_name_that_a_reader_knows(
    raised: Exception, kind: str, name: str
) -> None:
    """What evalkit raises in the name of a tool is told by a public name, not by ours."""
    assert error_of(raised) == {"kind": kind, "type": name, "message": str(raised)}


def foreign(module: str, name: str) -> Exception:
    """An exception below a client's own one, which is not installed here."""
    base = type(name, (Exception,), {"__module__": module, "__qualname__": name})
    return type("Below", (base,), {"__module__": "tool"})("x")  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("module", "name", "transport"),
    [
        ("httpx", "TransportError", True),
        ("httpx._exceptions", "TransportError", True),
        ("requests.exceptions", "ConnectionError", True),
        ("aiohttp.client_exceptions", "ClientConnectionError", True),
        ("httpx", "InvalidURL", False),
        ("requests.exceptions", "JSONDecodeError", False),
        ("shop", "TransportError", False),
    ],
)
def test_clients_are_known_by_name(module: str, name: str, transport: bool) -> None:
    """Connection errors of well-known clients are the transport's, without importing a client."""
    assert is_transport(foreign(module, name)) is transport


@pytest.mark.parametrize(
    "raised",
    [
        *[ValueError(), SystemExit(3), RecursionError(), MemoryError(), asyncio.CancelledError()],
        *[GeneratorExit(), Thrown()],
    ],
    ids=repr,
)
def test_an_outcome_is_given_back(raised: BaseException) -> None:
    """Whatever an author's code raises is its outcome, what is no Exception included."""
    assert outcome_of(raised) is raised


@pytest.mark.parametrize("raised", [KeyboardInterrupt(), StopRun()], ids=repr)
def test_what_stops_the_run_is_raised_again(raised: BaseException) -> None:
    """What is no tool's outcome goes on to whoever runs."""
    with pytest.raises(type(raised)) as caught:
        outcome_of(raised)
    assert caught.value is raised


class UnspeakableError(Exception):
    """An error that can't even be told."""

    def __str__(self) -> str:
        """Fail to be told."""
        raise ValueError("no words")


def test_a_message_that_raises_is_told_as_that() -> None:
    """An exception whose own text raises is told by its type and what went wrong."""
    told = error_of(UnspeakableError())
    assert told["kind"] == "raised"
    assert told["message"] == "<UnspeakableError whose message raised ValueError>"


def test_the_head_of_a_message_is_kept() -> None:
    """A message of just the limit is whole, of a longer one the head is kept."""
    text = "".join(str(n % 10) for n in range(MESSAGE_LIMIT))
    assert message_of(ValueError(text)) == message_of(ValueError(text + "more")) == text
