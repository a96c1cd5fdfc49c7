"""What observes: each subject runs a plan and gives a trace, and has no opinion."""

from evalkit.subjects.progress import Progress
from evalkit.subjects.tools import ToolSubject

__all__ = ["Progress", "ToolSubject"]
