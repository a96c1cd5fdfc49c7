"""What evalkit raises when the author or the instrument erred.

    EvalkitError
    ├── CatalogueError   (also a ValueError)       the author erred; carries every problem found
    ├── ChangedError                               a file is not what it was when it was checked
    ├── TransportError   (also a ConnectionError)  raised by a handler whose far end is out of reach
    └── RunLogError                                a run log can't be read, found or gone on with
        └── RunLogWriteError (also an OSError)     a run log can't be written any more

What a *subject* does wrong is no exception: it is a value in the trace, and a failed check.
"""

from collections.abc import Iterable

import attrs


@attrs.frozen
class Problem:
    """One thing wrong with a catalogue: where it is, what it is, and what would be right."""

    where: str
    problem: str
    hint: str | None = None
    source: str | None = None
    warning: bool = False

    def __str__(self) -> str:
        """Give the problem in one line, as the command line prints it."""
        line = ": ".join(part for part in (self.source, self.where, self.problem) if part)
        return f"{line}; {self.hint}" if self.hint else line


class EvalkitError(Exception):
    """The root of everything that evalkit raises by itself."""


class StopRun(BaseException):
    """What unwinds a thread of evalkit's own; nothing of an author's is to stop it."""


class CatalogueError(EvalkitError, ValueError):
    """The author erred: one or more problems, all that were found, in `problems`."""

    def __init__(
        self,
        where: str = "",
        problem: str = "",
        hint: str | None = None,
        *,
        source: str | None = None,
        problems: Iterable[Problem] = (),
    ) -> None:
        """Take one problem by its parts, or several as `problems`."""
        self.problems = tuple(problems) or (Problem(where, problem, hint, source),)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by the problems, not by the joined message."""
        return _rebuild, (self.problems,)


class TransportError(EvalkitError, ConnectionError):
    """The far end of a tool is out of reach: retried where `retry` says so, and an ERROR after.

    A handler raises it to say that nothing was measured, which no assertion can then turn into a
    verdict on the tool.
    """


class ChangedError(EvalkitError):
    """A catalogue that is read line by line is not what it was when it was checked."""


class RunLogError(EvalkitError):
    """A run log can't be read, found, or gone on with; the message names file, line and byte."""


class RunLogWriteError(RunLogError, OSError):
    """A record could not be written in full: the disk is full, or failed. What is there is good."""


def _rebuild(problems: tuple[Problem, ...]) -> CatalogueError:
    return CatalogueError(problems=problems)
