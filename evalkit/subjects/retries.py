"""How a call whose transport failed is made again: a few times, with growing waits, in time."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

from evalkit.toolbox.errors import error_of, is_transport
from evalkit.trace import Attempt

FIRST_WAIT_S = 0.2
LONGEST_WAIT_S = 5.0
JITTER_S = 0.1


def retried(
    make: Callable[[], Any], failure: Exception, retry: int, left_s: float, attempts: list[Attempt]
) -> Any:  # noqa: ANN401
    """Make a call again up to `retry` times, within `left_s` seconds; raise the last failure.

    The first call has been made already, and raised `failure`, so that a call which works at once
    costs nothing here: tenacity is given that failure as its first attempt. Each further one is
    noted in `attempts`.
    """
    from tenacity import (  # noqa: PLC0415  - 60 ms, only once a transport has failed
        Retrying,
        retry_if_exception,
        stop_after_attempt,
        stop_before_delay,
        wait_exponential,
        wait_random,
    )

    first = [failure]

    def attempt() -> Any:  # noqa: ANN401
        return _raise(first.pop()) if first else _noted(make, attempts)

    retrying = Retrying(
        retry=retry_if_exception(is_transport),
        stop=stop_after_attempt(retry + 1) | stop_before_delay(left_s),
        wait=wait_exponential(FIRST_WAIT_S, LONGEST_WAIT_S) + wait_random(0, JITTER_S),
        reraise=True,
    )
    return retrying(attempt)


def _raise(failure: Exception) -> Any:  # noqa: ANN401
    raise failure


def _noted(make: Callable[[], Any], attempts: list[Attempt]) -> Any:  # noqa: ANN401
    started = perf_counter()
    try:
        result = make()
    except Exception as error:
        attempts.append({"error": error_of(error), "seconds": perf_counter() - started})
        raise
    attempts.append({"error": None, "seconds": perf_counter() - started})
    return result
