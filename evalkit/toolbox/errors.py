"""What a handler raised, told as the error of its call: its kind, its type, its message."""

from evalkit.errors import StopRun, TransportError
from evalkit.jsonvalue import NotJsonError
from evalkit.trace import CallError

TRANSPORT = (TransportError, ConnectionError, TimeoutError)
TRANSPORT_NAMES = frozenset(
    {
        "httpx.TransportError",
        "httpcore.NetworkError",
        "requests.exceptions.ConnectionError",
        "requests.exceptions.Timeout",
        "urllib3.exceptions.HTTPError",
        "aiohttp.client_exceptions.ClientConnectionError",
    }
)
"""Exceptions of clients that are not imported here, known by the names in their ancestry."""
TOO_MANY_REQUESTS = 429
SERVER_ERROR = 500
MESSAGE_LIMIT = 2_000


class SubjectError(Exception):
    """A result by which a tool reports an error, as MCP's `isError` does."""


class ErrorIfError(Exception):
    """A tool's `error_if` that failed itself, so that nobody knows whether the call did."""


class ArgumentsError(TypeError):
    """Arguments that a tool refuses before it does anything."""


class UnknownToolError(LookupError):
    """A tool that is not in the open table."""


_KINDS: tuple[tuple[type[BaseException], str], ...] = (
    (NotJsonError, "unserialisable"),
    (ArgumentsError, "invalid_arguments"),
    (ErrorIfError, "error_if"),
    (UnknownToolError, "unknown_tool"),
)
_NAMES: dict[type[BaseException], str] = {
    SubjectError: "ToolError",
    ArgumentsError: "TypeError",
    UnknownToolError: "LookupError",
}


def outcome_of(raised: BaseException) -> BaseException:
    """Give back what counts as the outcome of an author's code; raise again what ends the run.

    That is a Ctrl-C, and what evalkit unwinds its own threads by. All else is an outcome: any
    exception, SystemExit, a cancellation that nobody asked for.
    """
    if isinstance(raised, KeyboardInterrupt | StopRun):
        raise raised
    return raised


def error_of(raised: BaseException) -> CallError:
    """Describe what a handler raised."""
    kind = next((name for each, name in _KINDS if isinstance(raised, each)), None)
    if kind is None:
        kind = "transport" if is_transport(raised) else "raised"
    name = _NAMES.get(type(raised), type(raised).__name__)
    return {"kind": kind, "type": name, "message": message_of(raised)}


def message_of(raised: BaseException) -> str:
    """Give an exception's message, or say why it has none to give."""
    try:
        return whole(str(raised)[:MESSAGE_LIMIT])
    except (Exception, SystemExit) as error:  # noqa: BLE001  - the subject's own `__str__`
        return f"<{type(raised).__name__} whose message raised {type(error).__name__}>"


def whole(text: str) -> str:
    """Write half a surrogate pair as an escape: JSON would join it with its neighbour."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def is_transport(raised: BaseException) -> bool:
    """Say whether an exception means that the far end was out of reach: connection, 429, 5xx."""
    if isinstance(raised, TRANSPORT):
        return True
    status = getattr(
        getattr(raised, "response", None), "status_code", getattr(raised, "status_code", None)
    )
    if type(status) is int:
        return status == TOO_MANY_REQUESTS or status >= SERVER_ERROR
    ancestry = {
        f"{kind.__module__.split('.')[0]}.{kind.__qualname__}" for kind in type(raised).__mro__
    }
    ancestry |= {f"{kind.__module__}.{kind.__qualname__}" for kind in type(raised).__mro__}
    return not ancestry.isdisjoint(TRANSPORT_NAMES)
