"""How tools are opened, described, called, and their results made into JSON."""

from evalkit.toolbox.documents import document_of
from evalkit.toolbox.errors import ArgumentsError, SubjectError, UnknownToolError, error_of
from evalkit.toolbox.opening import FactoryToolbox, OpenTable, TableToolbox, toolbox_of
from evalkit.toolbox.specs import ToolSpec, argument_problems, spec_of

__all__ = [
    "ArgumentsError",
    "FactoryToolbox",
    "OpenTable",
    "SubjectError",
    "TableToolbox",
    "ToolSpec",
    "UnknownToolError",
    "argument_problems",
    "document_of",
    "error_of",
    "spec_of",
    "toolbox_of",
]
