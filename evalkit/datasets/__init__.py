"""The question sets of other systems, each read into scenarios by one small file, in one table."""

from collections.abc import Mapping

from evalkit.datasets.adk import ADK
from evalkit.datasets.bfcl import BFCL
from evalkit.datasets.dataset import Dataset, DatasetError, Flaw
from evalkit.datasets.frames import FRAMES
from evalkit.datasets.gaia import GAIA
from evalkit.datasets.inspect import INSPECT
from evalkit.datasets.lean_ctx import LEAN_CTX
from evalkit.datasets.locomo import LOCOMO
from evalkit.datasets.longmemeval import LONGMEMEVAL
from evalkit.datasets.mecha import MECHA
from evalkit.datasets.rules import with_rule
from evalkit.datasets.squad import SQUAD
from evalkit.datasets.swink import SWINK
from evalkit.datasets.table import parse_map, table
from evalkit.datasets.tau2 import TAU2
from evalkit.jsonvalue import Json

__all__ = [
    "DATASETS",
    "Dataset",
    "DatasetError",
    "Flaw",
    "parse_map",
    "recognised",
    "table",
    "with_rule",
]

DATASETS: Mapping[str, Dataset] = {
    "longmemeval": LONGMEMEVAL,
    "locomo": LOCOMO,
    "frames": FRAMES,
    "gaia": GAIA,
    "squad": SQUAD,
    "lean_ctx": LEAN_CTX,
    "inspect": INSPECT,
    "swink": SWINK,
    "mecha": MECHA,
    "adk": ADK,
    "bfcl": BFCL,
    "tau2": TAU2,
}


def recognised(record: Json) -> list[Dataset]:
    """Give the datasets that a first record can be of; none or several is for the caller to refuse.

    >>> [dataset.name for dataset in recognised({"Prompt": "Why?", "Answer": "Because"})]
    ['frames']
    """
    if type(record) is not dict:
        return []
    return [
        dataset
        for dataset in DATASETS.values()
        if any(needed <= record.keys() for needed in dataset.needs)
    ]
