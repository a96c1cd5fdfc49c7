"""How tools are opened, described, called, and their results made into JSON."""

from evalkit.toolbox.documents import SubjectError, document_of, error_of
from evalkit.toolbox.opening import FactoryToolbox, OpenTable, TableToolbox, toolbox_of
from evalkit.toolbox.specs import ToolSpec, argument_problems, spec_of

__all__ = [
    "FactoryToolbox",
    "OpenTable",
    "SubjectError",
    "TableToolbox",
    "ToolSpec",
    "argument_problems",
    "document_of",
    "error_of",
    "spec_of",
    "toolbox_of",
]
