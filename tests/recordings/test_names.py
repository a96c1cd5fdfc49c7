"""Names become file names that are safe, short, and never those of another scenario."""

import re
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.recordings.names import file_of

AS_THEY_ARE = ["refund", "refund_in_window", "v1.2", "a-b", "0", "_x", "x" * 100]
HOSTILE = [
    *("a/b", "..", ".", "../../etc/passwd", "/", "\\", "C:\\x", "a:b", "con", "nul.txt", "lpt1"),
    *(
        "Refund",
        "REFUND",
        "refund ",
        "refund.",
        ".refund",
        "x" * 300,
        "x" * 101,
        "straße",
        "\u00e9",
    ),
    *(
        "e\u0301",
        "发票",
        "\N{SNOWMAN}",
        "a\u202eb",
        "a*b",
        "a?b",
        "<script>",
        "~",
        "x~0",
        "a_b",
        "-x",
    ),
]
PORTABLE = re.compile(r"[a-z0-9_][a-z0-9_.~-]{0,110}\.json")
RESERVED = {"con", "prn", "aux", "nul", *(f"{each}{n}" for each in ("com", "lpt") for n in "0189")}


@pytest.mark.parametrize("name", AS_THEY_ARE)
def test_a_plain_name_is_its_file_s(name: str) -> None:
    """Lower case, digits, and signs in the middle: such a name is read off the folder."""
    assert file_of(name) == f"{name}.json"


@pytest.mark.parametrize("name", [*AS_THEY_ARE, *HOSTILE, *sorted(RESERVED)])
def test_a_file_name_is_safe_everywhere(name: str) -> None:
    """No separator, device, hidden file, capital or letter outside of ASCII; and not too long."""
    file = file_of(name)
    assert PORTABLE.fullmatch(file)
    assert file.split(".")[0] not in RESERVED


def test_no_two_names_share_a_file() -> None:
    """Names that differ in case, form or a character that is replaced have files of their own."""
    names = {*AS_THEY_ARE, *HOSTILE, *RESERVED}
    assert len({file_of(name).casefold() for name in names}) == len(names)


NAMES = st.text(st.sampled_from(string.ascii_letters[:4] + "AÀ/.~_ -"), min_size=1, max_size=4)


@settings(max_examples=200, deadline=None)
@given(one=NAMES, other=NAMES)
def test_another_name_has_another_file(one: str, other: str) -> None:
    """Two names have one file just where they are one name, on a system without case too."""
    assert (file_of(one).casefold() == file_of(other).casefold()) is (one == other)


def test_a_safe_name_can_t_be_made_that_of_an_unsafe_one() -> None:
    """A name that is written like the escaped form of another is escaped itself."""
    escaped = file_of("a/b").removesuffix(".json")
    assert file_of(escaped) != file_of("a/b")
