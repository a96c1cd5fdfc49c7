"""How a call whose transport failed is made again: a few times, with growing waits, in time."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, repeat
from time import perf_counter
from typing import Any, NoReturn

from evalkit.toolbox.documents import error_of, is_transport
from evalkit.trace import Attempt

FIRST_WAIT_S = 0.2
LONGEST_WAIT_S = 5.0


def retried(
    make: Callable[[], Any], failure: Exception, retry: int, left_s: float, attempts: list[Attempt]
) -> Any:  # noqa: ANN401
    """Make a call again up to `retry` times, within `left_s` seconds; raise the last failure.

    The first call has been made already and raised `failure`, so that a call which works at once
    costs nothing here. Every attempt is noted in `attempts`.
    """
    from tenacity import (  # noqa: PLC0415  - 60 ms, only once a transport has failed
        Retrying,
        retry_if_exception,
        stop_after_attempt,
        stop_before_delay,
        wait_exponential_jitter,
    )

    calls: Iterator[Callable[[], Any]] = chain([partial(_again, failure)], repeat(make))

    def attempt() -> Any:  # noqa: ANN401
        started = perf_counter()
        try:
            result = next(calls)()
        except Exception as error:
            attempts.append({"error": error_of(error), "seconds": perf_counter() - started})
            raise
        attempts.append({"error": None, "seconds": perf_counter() - started})
        return result

    retrying = Retrying(
        retry=retry_if_exception(is_transport),
        stop=stop_after_attempt(retry + 1) | stop_before_delay(left_s),
        wait=wait_exponential_jitter(initial=FIRST_WAIT_S, max=LONGEST_WAIT_S),
        reraise=True,
    )
    return retrying(attempt)


def _again(failure: Exception) -> NoReturn:
    """Raise what the first call raised, so that it counts as the first attempt."""
    raise failure
