"""How the tests of datasets put a record to one of them."""

from typing import Any

import pytest

from evalkit.datasets import Dataset, DatasetError


def asked(dataset: Dataset, record: Any, number: int = 0) -> list[dict[str, Any]]:
    """The scenarios of a record."""
    return list(dataset.scenarios(record, number))


def one(dataset: Dataset, record: Any, number: int = 0) -> dict[str, Any]:
    """The only scenario of a record."""
    (found,) = asked(dataset, record, number)
    return found


def flaws(dataset: Dataset, record: Any) -> list[str]:
    """What is wrong with a record, each in one line."""
    with pytest.raises(DatasetError) as caught:
        asked(dataset, record)
    return list(map(str, caught.value.flaws))
