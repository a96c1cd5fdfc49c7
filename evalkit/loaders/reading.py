"""How files of data are to be read, where they do not say it themselves."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
from attrs import field

from evalkit.errors import CatalogueError
from evalkit.jsonvalue import brief
from evalkit.model import MATCHES, fields
from evalkit.registry import hint_for

EVALKIT = "evalkit"
"""The format that is evalkit's own."""
FORMATS = (
    *(EVALKIT, "longmemeval", "locomo", "frames", "gaia", "squad", "lean_ctx", "inspect"),
    *("swink", "mecha", "adk", "bfcl", "tau2"),
)
"""The formats by name; all but the first are in `datasets`, which is imported for them alone."""


def _format(value: str | None) -> str | None:
    if value is not None and value not in FORMATS:
        raise CatalogueError("format", f"unknown format {brief(value)}", hint_for(value, FORMATS))
    return value


def _match(value: str | None) -> str | None:
    return value if value is None else fields.one_of("match", value, MATCHES)


def _normalize(value: str | None) -> str | None:
    return value if value is None else fields.normaliser("normalize", value)


def _extract(value: str | None) -> str | None:
    return value if value is None else fields.extract("extract", value)


@attrs.frozen
class Reading:
    """How files of data are read.

    `allow_import` lets them name functions and tools, `package.module:name`. `format` is one of
    `FORMATS`; without it, it is seen from the first record. `columns` maps fields of a scenario to
    the columns of a table. `match`, `normalize` and `extract` take the place of a question set's
    own rule.
    """

    allow_import: bool = False
    format: str | None = field(default=None, converter=_format)
    columns: Mapping[str, Sequence[str]] | None = None
    match: str | None = field(default=None, converter=_match)
    normalize: str | None = field(default=None, converter=_normalize)
    extract: str | None = field(default=None, converter=_extract)

    def __attrs_post_init__(self) -> None:
        """Refuse what says two things at once."""
        if self.columns is not None and self.format is not None:
            hint = "a map is for a table of one's own"
            raise CatalogueError("format", f"{self.format!r} has no columns to map", hint)

    @property
    def rule(self) -> dict[str, str]:
        """Give what takes the place of a question set's own rule."""
        rule = {"match": self.match, "normalize": self.normalize, "extract": self.extract}
        return {name: value for name, value in rule.items() if value is not None}

    @property
    def said(self) -> dict[str, Any]:
        """Give what is said, for a run log."""
        return attrs.asdict(self, filter=lambda _, value: bool(value), recurse=False)
