"""What observes: each subject runs a plan and gives a trace, and has no opinion."""

from evalkit.subjects.tools import Progress, ToolSubject

__all__ = ["Progress", "ToolSubject"]
