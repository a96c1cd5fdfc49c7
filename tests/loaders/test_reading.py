"""What is said of how files of data are read, and what of it is refused."""

from typing import Any

import pytest

from evalkit import CatalogueError
from evalkit.datasets import DATASETS
from evalkit.loaders.reading import EVALKIT, FORMATS, Reading


def refused(**fields: Any) -> str:
    """What is said of these options."""
    with pytest.raises(CatalogueError) as caught:
        Reading(**fields)
    return str(caught.value)


def test_the_formats_are_evalkit_s_own_and_the_datasets() -> None:
    """The list that is known without importing the datasets is that of the datasets."""
    assert (EVALKIT, *DATASETS) == FORMATS


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"format": "gaai"}, "format: unknown format 'gaai'; did you mean 'gaia'?"),
        ({"match": "f2"}, "match: unknown value 'f2'"),
        ({"normalize": "squda"}, "normalize: unknown normaliser 'squda'; did you mean 'squad'?"),
        ({"extract": "first"}, "extract: nothing called 'first' can be taken out"),
        ({"format": "squad", "columns": {"answers": ("a",)}}, "'squad' has no columns to map"),
    ],
)
def test_what_is_none_is_refused(fields: dict[str, Any], told: str) -> None:
    """A format, match, normaliser or extract that there is not is told with the nearest."""
    assert told in refused(**fields)


def test_the_rule_is_what_is_said_of_it() -> None:
    """Only what is given takes the place of a question set's own rule."""
    assert Reading().rule == {}
    assert Reading(match="f1", normalize="squad").rule == {"match": "f1", "normalize": "squad"}


def test_what_is_said_is_for_a_log() -> None:
    """A run log has what was said, and nothing where nothing was."""
    assert Reading().said == {}
    assert Reading(True, "squad", match="f1").said == {
        "allow_import": True,
        "format": "squad",
        "match": "f1",
    }
