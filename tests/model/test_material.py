"""What goes with a prompt: examples, and files by path, as data, or by address."""

from base64 import b64encode
from typing import Any

import pytest

from evalkit import Attachment, CatalogueError, FewShot
from evalkit.jsonvalue import brief
from evalkit.model.material import MOST_BYTES

SHOTS: list[tuple[dict[str, Any], str]] = [
    ({"input": ""}, "FewShot.input: is blank"),
    ({"input": " \n"}, "FewShot.input: is blank"),
    ({"input": 4}, "FewShot.input: expected a string, got 4"),
    ({"expected": "\t"}, "FewShot.expected: is blank"),
    ({"expected": None}, "FewShot.expected: expected a string, got None"),
    ({"expected": ["4"]}, "FewShot.expected: expected a string, got ['4']"),
    ({"reasoning": ""}, "FewShot.reasoning: is blank"),
    ({"reasoning": 4}, "FewShot.reasoning: expected a string, got 4"),
]


@pytest.mark.parametrize(("given", "told"), SHOTS, ids=str)
def test_an_example_says_something(given: dict[str, Any], told: str) -> None:
    """An example has a text to go in, one that is right, and perhaps one that says why."""
    with pytest.raises(CatalogueError) as caught:
        FewShot(**{"input": "2 + 2", "expected": "4", **given})
    assert str(caught.value) == told


def test_an_example_may_have_lines() -> None:
    """The texts of an example are prose: of several lines, and any script."""
    shot = FewShot("a\nb", "ä\n", reasoning=" because\n")
    assert (shot.input, shot.expected, shot.reasoning) == ("a\nb", "ä\n", " because\n")


def refused(**fields: Any) -> str:
    """How an attachment is refused."""
    with pytest.raises(CatalogueError) as caught:
        Attachment(**fields)
    return str(caught.value)


DATA = {"base64": "AAEC", "mime": "image/png"}
SOURCES: list[tuple[dict[str, Any], str]] = [
    ({}, "Attachment: has none of path, base64 and url; give exactly one"),
    ({"path": "a", **DATA}, "Attachment: has path and base64; give exactly one"),
    ({"path": "a", "url": "https://example.com"}, "Attachment: has path and url; give exactly one"),
    ({"url": "https://example.com", **DATA}, "Attachment: has base64 and url; give exactly one"),
    ({"mime": "image/png"}, "Attachment: has none of path, base64 and url"),
    ({"base64": "AAEC"}, "Attachment.mime: goes with base64, and base64 with it"),
    ({"path": "a", "mime": "image/png"}, "Attachment.mime: goes with base64"),
    ({"url": "https://example.com", "mime": "image/png"}, "Attachment.mime: goes with base64"),
]


@pytest.mark.parametrize(("fields", "told"), SOURCES, ids=str)
def test_there_is_one_source(fields: dict[str, Any], told: str) -> None:
    """A file comes from exactly one place; its type is said where nothing else tells it."""
    assert refused(**fields).startswith(told)


@pytest.mark.parametrize("path", ["a.png", "below/a.png", "größe 1.pdf", "a..b/c", "..."])
def test_a_path_below(path: str) -> None:
    """A path is relative to the catalogue's file, and of any script."""
    assert Attachment(path=path).path == path


PATHS: list[tuple[Any, str]] = [
    ("", "is blank"),
    (" ", "is blank"),
    ("a\x00", "a control character"),
    (7, "expected a string, got 7"),
    *((path, "is absolute") for path in ("/etc/hosts", "//a/b", "\\a", "\\\\server\\a", "C:\\a")),
    *((path, "is absolute") for path in ("C:a", "c:/a", "file:///a", "file:a")),
    *((path, "leads out of the catalogue's folder") for path in ("..", "../a", "a/..", "a/../b")),
    *(
        (path, "leads out of the catalogue's folder")
        for path in ("..\\a", "a\\..\\..\\b", "./../a")
    ),
]


@pytest.mark.parametrize(("path", "told"), PATHS, ids=repr)
def test_a_path_that_leads_elsewhere_is_refused(path: Any, told: str) -> None:
    """A path that is absolute on any system, or climbs, is refused before a file is looked for."""
    said = refused(path=path)
    assert said.startswith("Attachment.path: ")
    assert told in said


def test_data_is_kept_as_it_is_written() -> None:
    """Base64 of a few bytes with its type."""
    made = Attachment(**DATA)
    assert (made.base64, made.mime, made.path, made.url) == ("AAEC", "image/png", None, None)


BASE64: list[tuple[dict[str, Any], str]] = [
    ({"base64": ""}, "Attachment.base64: is empty"),
    ({"base64": "AAE"}, "Attachment.base64: 'AAE' is no base64"),
    ({"base64": "AA EC"}, "Attachment.base64: 'AA EC' is no base64"),
    ({"base64": "AAEC\n"}, "Attachment.base64: 'AAEC\\n' is no base64"),
    ({"base64": "AA-_"}, "Attachment.base64: 'AA-_' is no base64"),
    ({"base64": "data:image/png;base64,AAEC"}, "is no base64"),
    ({"base64": "ÄÄEC"}, "is no base64"),
    ({"base64": b"AAEC"}, "Attachment.base64: expected a string, got b'AAEC'"),
    ({"base64": 7}, "Attachment.base64: expected a string, got 7"),
    *(
        ({"mime": value}, f"Attachment.mime: {value!r} is no type of a file; such as image/png")
        for value in ("png", "image/", "/png", "image/p ng", "im age/png", "1/png")
    ),
    ({"mime": ""}, "Attachment.mime: is blank"),
    ({"mime": 7}, "Attachment.mime: expected a string, got 7"),
]


@pytest.mark.parametrize(("given", "told"), BASE64, ids=lambda value: brief(value, 40))
def test_wrong_data_is_refused(given: dict[str, Any], told: str) -> None:
    """What is no base64, is empty, or has no type is refused."""
    assert told in refused(**{**DATA, **given})


def test_data_has_a_size() -> None:
    """Data of more than 20 MB is refused, of just so much is not."""
    most = b64encode(bytes(MOST_BYTES)).decode()
    assert Attachment(base64=most, mime="image/png").base64 == most
    more = b64encode(bytes(MOST_BYTES + 1)).decode()
    assert refused(base64=more, mime="image/png").endswith("is larger than 20,000,000 bytes")


PUBLIC = [
    "https://example.com",
    "https://example.com/a.png?b=c#d",
    "https://EXAMPLE.com./a",
    "HTTPS://example.com:8443/a",
    "https://8.8.8.8/a",
    "https://[2606:4700:4700::1111]/a",
    "https://localhost.example.com/a",
    "https://local.example/a",
    "https://xn--grsse-kva6d.example/a",
    "https://größe.example/a",
]


@pytest.mark.parametrize("url", PUBLIC)
def test_a_public_address(url: str) -> None:
    """An https address of a host that is somewhere is taken as it is written."""
    assert Attachment(url=url).url == url


ADDRESSES: list[tuple[Any, str]] = [
    ("", "is blank"),
    (7, "expected a string, got 7"),
    ("https://a\n.example", "a control character"),
    *(
        (url, "is no https address; https://host/path")
        for url in (
            *("http://example.com", "ftp://example.com", "file:///etc/hosts", "//example.com"),
            *("example.com", "https://", "https:///a", "https:example.com", "https://./a"),
            *("data:image/png;base64,AAEC", "javascript:alert(1)", "https://?a"),
        )
    ),
    *(
        (url, "is no address")
        for url in (
            *("https://[::1", "https://example.com:99999", "https://example.com:a"),
            *("https://[example.com]/", "https://exa mple.com/"),
        )
    ),
    *(
        (url, "holds a name or password; it would stand in every log")
        for url in (
            "https://me@example.com",
            "https://me:pw@example.com",
            "https://@example.com",
            "https://a\\@b",
        )
    ),
]


@pytest.mark.parametrize(("url", "told"), ADDRESSES, ids=repr)
def test_what_is_no_address_is_refused(url: Any, told: str) -> None:
    """Another scheme, no host, a port that is none, or a password: refused as written."""
    said = refused(url=url)
    assert said.startswith("Attachment.url: ")
    assert told in said


PRIVATE = [
    *(
        "localhost",
        "LOCALHOST",
        "localhost.",
        "localhost..",
        "a.localhost",
        "localhost.localdomain",
    ),
    *("printer.local", "printer.LOCAL.", "db.internal", "router.home.arpa", "intranet", "db"),
    *("127.0.0.1", "127.0.0.1.", "127.1", "127.0.1", "0", "2130706433", "017700000001"),
    "0.0.0.0",  # noqa: S104  - nothing is bound to it
    *("0x7f.1", "0x7f000001", "0x7F.0.0.1", "0177.0.0.1", "127.0.0.0x1", "127.000.000.001"),
    *("10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "169.254.169.254"),
    *("192.0.2.1", "198.18.0.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255"),
    *("[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[fe80::1]", "[fe80::1%25eth0]", "[fc00::1]"),
    *("[fd12:3456::1]", "[ff02::1]", "[2001:db8::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"),
    *("[::ffff:10.0.0.1]", "[2002:7f00:1::]", "[2002:a00:1::1]", "[::127.0.0.1]"),
    *("[64:ff9b::7f00:1]", "[64:ff9b::10.0.0.1]"),
    *(
        "１２７.0.0.1",
        "127。0。0。1",
        "ｌｏｃａｌｈｏｓｔ",
        "a.ｌocal",
        "a.b。local",
        "ⓓⓑ.internal",
    ),
    *("%6cocalhost", "a.%6cocal", "127%2e0%2e0%2e1", "169.254.169.254%00.example.com"),
]


@pytest.mark.parametrize("host", PRIVATE)
def test_a_private_address_is_refused(host: str) -> None:
    """This machine and those beside it are refused in every form in which they can be written."""
    said = refused(url=f"https://{host}/latest/meta-data")
    assert said.startswith("Attachment.url: ")
    assert "is a private address" in said or "is no address" in said


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "10.0.0.1"])
def test_no_port_makes_it_public(host: str) -> None:
    """A private address is one at any port."""
    assert "is a private address" in refused(url=f"https://{host}:8443/")
