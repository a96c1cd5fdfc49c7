"""evalkit: declarative scenarios for evaluating tools, and the agents that use them.

The public names, each imported from its module when it is first used, so that `import evalkit`
costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from evalkit.version import VERSION as __version__  # noqa: N811  - the dunder is the convention

if TYPE_CHECKING:
    from evalkit.api import arun as arun
    from evalkit.api import check as check
    from evalkit.api import grade as grade
    from evalkit.api import run as run
    from evalkit.api import validate as validate
    from evalkit.catalogue import ALL_TAGS as ALL_TAGS
    from evalkit.catalogue import CATALOGUE as CATALOGUE
    from evalkit.catalogue import Catalogue as Catalogue
    from evalkit.catalogue import _s as _s
    from evalkit.catalogue import operator as operator
    from evalkit.errors import CatalogueError as CatalogueError
    from evalkit.errors import EvalkitError as EvalkitError
    from evalkit.errors import Problem as Problem
    from evalkit.errors import RunLogError as RunLogError
    from evalkit.errors import TransportError as TransportError
    from evalkit.fingerprints import default_session_id as default_session_id
    from evalkit.fingerprints import fingerprint as fingerprint
    from evalkit.jsonvalue import MISSING as MISSING
    from evalkit.loaders import load as load
    from evalkit.model import Answers as Answers
    from evalkit.model import Assertion as Assertion
    from evalkit.model import Attachment as Attachment
    from evalkit.model import Budget as Budget
    from evalkit.model import Env as Env
    from evalkit.model import FewShot as FewShot
    from evalkit.model import Limits as Limits
    from evalkit.model import Op as Op
    from evalkit.model import Ref as Ref
    from evalkit.model import Reply as Reply
    from evalkit.model import Scenario as Scenario
    from evalkit.model import State as State
    from evalkit.model import Tool as Tool
    from evalkit.model import ToolCall as ToolCall
    from evalkit.model import Turn as Turn
    from evalkit.protocols import Services as Services
    from evalkit.reports.run_report import RunReport as RunReport
    from evalkit.result import Check as Check
    from evalkit.result import ScenarioResult as ScenarioResult
    from evalkit.result import Status as Status
    from evalkit.result import Verdict as Verdict

PUBLIC = {
    "ALL_TAGS": "evalkit.catalogue",
    "Answers": "evalkit.model",
    "Assertion": "evalkit.model",
    "Attachment": "evalkit.model",
    "Budget": "evalkit.model",
    "CATALOGUE": "evalkit.catalogue",
    "Catalogue": "evalkit.catalogue",
    "CatalogueError": "evalkit.errors",
    "Check": "evalkit.result",
    "Env": "evalkit.model",
    "EvalkitError": "evalkit.errors",
    "FewShot": "evalkit.model",
    "Limits": "evalkit.model",
    "MISSING": "evalkit.jsonvalue",
    "Op": "evalkit.model",
    "Problem": "evalkit.errors",
    "Ref": "evalkit.model",
    "Reply": "evalkit.model",
    "RunLogError": "evalkit.errors",
    "RunReport": "evalkit.reports.run_report",
    "Scenario": "evalkit.model",
    "ScenarioResult": "evalkit.result",
    "Services": "evalkit.protocols",
    "State": "evalkit.model",
    "Status": "evalkit.result",
    "Tool": "evalkit.model",
    "ToolCall": "evalkit.model",
    "TransportError": "evalkit.errors",
    "Turn": "evalkit.model",
    "Verdict": "evalkit.result",
    "_s": "evalkit.catalogue",
    "arun": "evalkit.api",
    "check": "evalkit.api",
    "default_session_id": "evalkit.fingerprints",
    "fingerprint": "evalkit.fingerprints",
    "grade": "evalkit.api",
    "load": "evalkit.loaders",
    "operator": "evalkit.catalogue",
    "run": "evalkit.api",
    "validate": "evalkit.api",
}

__all__ = ["__version__", *PUBLIC]  # noqa: PLE0604  - the table is the list


if not TYPE_CHECKING:  # a type checker is to refuse a name that is not there

    def __getattr__(name: str) -> Any:  # noqa: ANN401
        """Import a public name from its module, once."""
        module = PUBLIC.get(name)
        if module is None:
            raise AttributeError(f"module 'evalkit' has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(module), name)
        return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
