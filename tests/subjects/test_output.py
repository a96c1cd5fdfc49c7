"""What tools print is kept with the call that printed it, capped, and never shown as it comes."""

import io
import sys
import threading
from collections.abc import Callable, Iterator
from contextvars import Context, copy_context

import pytest

from evalkit.subjects.output import LIMIT, OUTPUT, Output, Router, captured


@pytest.fixture(autouse=True)
def _own_context() -> Iterator[None]:
    """What a test owns, it owns alone."""
    token = OUTPUT.set(None)
    yield
    OUTPUT.reset(token)


@pytest.fixture
def stream() -> io.StringIO:
    """Where goes what no call prints."""
    return io.StringIO()


@pytest.fixture
def router(stream: io.StringIO) -> Router:
    """A router in front of it."""
    return Router(stream)


def listening() -> Output:
    """An output that owns this context, and listens."""
    output = Output()
    output.own()
    output.listening = True
    return output


def in_thread(act: Callable[[], object], context: Context | None = None) -> None:
    """Do something on another thread, in a context or in none of ours, and wait for it."""
    target = act if context is None else lambda: context.run(act)
    thread = threading.Thread(target=target)
    thread.start()
    thread.join()


def test_what_is_kept_is_taken_once() -> None:
    """What was kept is given once, in one piece."""
    output = Output()
    output.keep("one ")
    output.keep("two")
    assert output.take() == "one two"
    assert output.take() == ""


@pytest.mark.parametrize("chunk", [1_000, LIMIT - 1, LIMIT, LIMIT + 1, LIMIT * 3])
def test_text_is_capped_and_the_rest_counted(chunk: int) -> None:
    """Of what a call prints a head is kept, and how much more there was is said."""
    output = Output()
    times = 2 * LIMIT // chunk + 1
    for _ in range(times):
        output.keep("x" * chunk)
    assert output.take() == f"{'x' * LIMIT}… {times * chunk - LIMIT} more characters"


def test_the_most_that_fits_is_kept_whole() -> None:
    """A text of just the limit has nothing left out."""
    output = Output()
    output.keep("x" * LIMIT)
    output.keep("")
    assert output.take() == "x" * LIMIT


def test_the_cap_is_for_each_call() -> None:
    """A call that printed too much takes nothing from the next."""
    output = Output()
    output.keep("x" * (LIMIT + 1))
    output.take()
    output.keep("short")
    assert output.take() == "short"


def test_what_a_call_prints_is_kept(router: Router, stream: io.StringIO) -> None:
    """A router gives a text to the output that owns the context, and to nobody else."""
    output = listening()
    print("one", "two", file=router)
    assert output.take() == "one two\n"
    assert stream.getvalue() == ""


def test_what_nobody_owns_goes_elsewhere(router: Router, stream: io.StringIO) -> None:
    """Without an output a router is the stream behind it."""
    print("other", file=router)
    assert stream.getvalue() == "other\n"


def test_between_calls_prints_go_elsewhere(router: Router, stream: io.StringIO) -> None:
    """An output that does not listen keeps nothing: between two calls nothing is a tool's."""
    output = listening()
    output.listening = False
    print("between", file=router)
    assert (output.take(), stream.getvalue()) == ("", "between\n")


def test_another_thread_s_prints_go_elsewhere(router: Router, stream: io.StringIO) -> None:
    """A thread that was not started with the call's context is none of the call's."""
    output = listening()
    in_thread(lambda: print("other", file=router), Context())
    assert (output.take(), stream.getvalue()) == ("", "other\n")


def test_what_the_call_starts_in_its_context_is_the_call_s(router: Router) -> None:
    """A worker that runs in the call's context, as `asyncio.to_thread` does, is captured."""
    output = listening()
    in_thread(lambda: print("mine", file=router), copy_context())
    assert output.take() == "mine\n"


def test_lanes_are_kept_apart(router: Router) -> None:
    """Two outputs, each owning its context, get what is printed there, however it alternates."""
    outputs = [Output(), Output()]
    contexts = [copy_context(), copy_context()]
    for output, context in zip(outputs, contexts, strict=True):
        context.run(output.own)
        output.listening = True
    for word in ("one", "two"):
        for number, context in enumerate(contexts):
            context.run(print, number, word, file=router)
    assert [output.take() for output in outputs] == ["0 one\n0 two\n", "1 one\n1 two\n"]


def test_a_new_owner_takes_over(router: Router) -> None:
    """What is printed belongs to the output that owned the context last."""
    first = listening()
    print("old", file=router)
    second = listening()
    print("new", file=router)
    assert (first.take(), second.take()) == ("old\n", "new\n")


def test_it_stands_in_for_a_stream(router: Router) -> None:
    """A tool can do with a router what it does with a stdout that is no terminal."""
    output = listening()
    assert router.writable()
    assert not router.isatty()
    assert router.encoding == "utf-8"
    assert router.write("text") == 4
    router.writelines(["a", "b"])
    router.flush()
    assert output.take() == "textab"


def test_bytes_may_be_written(router: Router, stream: io.StringIO) -> None:
    """A tool that writes bytes to the buffer is captured as one that prints text."""
    assert router.buffer.write("Grüße ".encode()) == 8
    output = listening()
    router.buffer.write(b"\xff")
    router.buffer.flush()
    assert output.take() == "\N{REPLACEMENT CHARACTER}"
    assert stream.getvalue() == "Grüße "


def test_a_closed_stream_behind_does_no_harm(router: Router, stream: io.StringIO) -> None:
    """What a call prints is kept, and flushed, though the terminal is gone."""
    output = listening()
    stream.close()
    print("kept", file=router, flush=True)
    assert output.take() == "kept\n"


def test_both_streams_are_routed() -> None:
    """While a run lasts stdout and stderr lead to the call's output, in the order of printing."""
    output = listening()
    with captured(io.StringIO()):
        print("out")  # noqa: T201  - printing is under test
        print("err", file=sys.stderr)  # noqa: T201  - printing is under test
    assert output.take() == "out\nerr\n"


def test_what_no_call_prints_goes_where_the_run_says() -> None:
    """`elsewhere` takes what is printed outside of calls, from both streams."""
    stream = io.StringIO()
    with captured(stream):
        print("out")  # noqa: T201  - printing is under test
        print("err", file=sys.stderr)  # noqa: T201  - printing is under test
    assert stream.getvalue() == "out\nerr\n"


def test_without_elsewhere_prints_arrive_where_they_did(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What is printed outside of calls is shown as ever, each on its own stream."""
    with captured():
        print("out")  # noqa: T201  - printing is under test
        print("err", file=sys.stderr)  # noqa: T201  - printing is under test
    assert capsys.readouterr() == ("out\n", "err\n")


def test_streams_are_put_back() -> None:
    """Stdout and stderr are what they were once the run is over, also after a failure."""
    before = (sys.stdout, sys.stderr)
    with pytest.raises(ValueError, match="no number"), captured():
        int("no number")
    assert (sys.stdout, sys.stderr) == before


def test_overlapping_runs_share_the_routing() -> None:
    """A second run finds the first one's router, and whichever ends last puts the streams back."""
    before = (sys.stdout, sys.stderr)
    first, second = captured(), captured()
    first.__enter__()
    shared = (sys.stdout, sys.stderr)
    second.__enter__()
    assert (sys.stdout, sys.stderr) == shared
    first.__exit__(None, None, None)
    assert (sys.stdout, sys.stderr) == shared
    second.__exit__(None, None, None)
    assert (sys.stdout, sys.stderr) == before


def test_a_stream_that_was_put_in_meanwhile_stays() -> None:
    """A tool that replaced stdout and did not put it back keeps what it has put there."""
    before, own = sys.stdout, io.StringIO()
    try:
        with captured():
            sys.stdout = own
        assert sys.stdout is own
    finally:
        sys.stdout = before
