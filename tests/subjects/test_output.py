"""What tools print is kept with the call that printed it, capped, and never shown as it comes."""

import io
import sys
import threading

import pytest

from evalkit.subjects.output import LIMIT, Output, captured


def elsewhere(write: str, output: Output) -> None:
    """Write from another thread, and wait for it."""
    thread = threading.Thread(target=output.write, args=(write,))
    thread.start()
    thread.join()


def test_what_the_owner_prints_is_taken_once() -> None:
    """Text of the thread that owns the output is given once, and is nowhere else."""
    stream = io.StringIO()
    output = Output(stream)
    output.own()
    print("one", "two", file=output)
    assert output.take() == "one two\n"
    assert output.take() == ""
    assert stream.getvalue() == ""


def test_what_others_print_goes_elsewhere() -> None:
    """Text of any other thread goes to the stream that was there before."""
    stream = io.StringIO()
    output = Output(stream)
    output.own()
    elsewhere("other\n", output)
    assert output.take() == ""
    assert stream.getvalue() == "other\n"


def test_a_new_owner_begins_with_nothing() -> None:
    """What the thread before has left is not the new owner's."""
    output = Output(io.StringIO())
    output.own()
    output.write("old")
    output.own()
    output.write("new")
    assert output.take() == "new"


@pytest.mark.parametrize("chunk", [1_000, LIMIT, LIMIT * 3])
def test_text_is_capped_and_the_rest_counted(chunk: int) -> None:
    """Of what a call prints a head is kept, and how much more there was is said."""
    output = Output(io.StringIO())
    output.own()
    for _ in range(2 * LIMIT // chunk + 1):
        output.write("x" * chunk)
    total = (2 * LIMIT // chunk + 1) * chunk
    taken = output.take()
    assert taken.startswith("x" * LIMIT)
    assert len(taken) < LIMIT + 100
    assert str(total - LIMIT) in taken


def test_the_cap_is_for_each_call() -> None:
    """A call that printed too much takes nothing from the next."""
    output = Output(io.StringIO())
    output.own()
    output.write("x" * (LIMIT + 1))
    output.take()
    output.write("short")
    assert output.take() == "short"


def test_it_stands_in_for_a_stream() -> None:
    """A tool can do with it what it does with a stdout that is no terminal."""
    output = Output(io.StringIO())
    output.own()
    assert output.writable()
    assert not output.isatty()
    assert output.encoding == "utf-8"
    assert output.write("text") == 4
    output.writelines(["a", "b"])
    output.flush()
    assert output.take() == "textab"


def test_bytes_may_be_written_to_the_buffer() -> None:
    """A tool that writes bytes to `sys.stdout.buffer` works as it does outside, and is captured."""
    with captured(io.StringIO()) as output:
        output.own()
        sys.stdout.buffer.write("Grüße".encode())
        sys.stdout.buffer.flush()
        assert output.take() == "Grüße"


def test_streams_are_put_back() -> None:
    """Stdout and stderr are what they were once the capturing is over, also after a failure."""
    before = (sys.stdout, sys.stderr)
    with pytest.raises(ValueError, match="no number"), captured():
        int("no number")
    assert (sys.stdout, sys.stderr) == before
