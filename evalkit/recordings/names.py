"""Which file a scenario's recordings are in: its name, where that is safe on every system."""

import re
from hashlib import sha256
from typing import Final

LONGEST: Final = 100
SHOWN: Final = 60
SUFFIX: Final = ".json"

_SAFE = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_-])?")
"""No capital: some systems take "A" and "a" for one name. No dot at either end."""
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")
"""Names that are devices on Windows, whatever their suffix."""


def file_of(name: str) -> str:
    """Give the name of a scenario's file: no two scenarios share one, on no system.

    A name that is not safe is told by its digest, after a sign that a safe one does not have.

    >>> file_of("refund_in_window")
    'refund_in_window.json'
    >>> file_of("a/b")
    'a_b~c14cddc033f64b9d.json'
    """
    if len(name) <= LONGEST and _SAFE.fullmatch(name) and not _RESERVED.fullmatch(name):
        return f"{name}{SUFFIX}"
    shown = re.sub(r"[^a-z0-9_-]+", "_", name.casefold())[:SHOWN].strip("_-")
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{shown or 'scenario'}~{digest}{SUFFIX}"
