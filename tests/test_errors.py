"""What evalkit raises, and how a problem reads."""

import pickle

import pytest

from evalkit.errors import CatalogueError, EvalkitError, Problem, TransportError


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        (Problem("a.op", "unknown operator 'qe'"), "a.op: unknown operator 'qe'"),
        (Problem("a", "is bad", "do that"), "a: is bad; do that"),
        (Problem("a", "is bad", source="s.py:3"), "s.py:3: a: is bad"),
        (Problem("", "is bad"), "is bad"),
        (Problem("", "is bad", "do that"), "is bad; do that"),
    ],
)
def test_problem_is_one_line(problem: Problem, line: str) -> None:
    """A problem reads: where, what, and what would be right; an absent part leaves no gap."""
    assert str(problem) == line


def test_catalogue_error_of_one() -> None:
    """A catalogue error may be made of the parts of one problem."""
    error = CatalogueError("a.op", "unknown", "did you mean 'eq'?", source="s.py:1")
    assert error.problems == (Problem("a.op", "unknown", "did you mean 'eq'?", "s.py:1"),)
    assert str(error) == "s.py:1: a.op: unknown; did you mean 'eq'?"


def test_catalogue_error_of_many() -> None:
    """Every problem is told, one a line, in order."""
    error = CatalogueError(problems=[Problem("b", "one"), Problem("a", "two")])
    assert str(error).splitlines() == ["b: one", "a: two"]
    assert [problem.where for problem in error.problems] == ["b", "a"]


def test_catalogue_error_pickles() -> None:
    """An error that crosses to another process keeps all its problems."""
    error = CatalogueError(problems=[Problem("b", "one", "h", "s.py:2"), Problem("a", "two")])
    again = pickle.loads(pickle.dumps(error))  # noqa: S301  - our own bytes
    assert type(again) is CatalogueError
    assert (again.problems, str(again)) == (error.problems, str(error))


@pytest.mark.parametrize(
    ("kind", "builtin"), [(CatalogueError, ValueError), (TransportError, ConnectionError)]
)
def test_kinds(kind: type[Exception], builtin: type[Exception]) -> None:
    """Each is an `EvalkitError` and the builtin that one would expect."""
    assert issubclass(kind, EvalkitError)
    assert issubclass(kind, builtin)


def test_transport_error_takes_a_message() -> None:
    """A handler raises it with a message, as any exception."""
    assert str(TransportError("the far end hung up")) == "the far end hung up"
