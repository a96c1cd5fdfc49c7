"""What an agent is given beside the prompt: examples, and pictures or files."""

import unicodedata
from typing import Any

import attrs
from attrs import field

from evalkit.jsonvalue import brief
from evalkit.model import fields

MOST_BYTES = 20_000_000
IPV4 = 4
NAT64 = bytes.fromhex("0064ff9b0000000000000000")
_STOPS = str.maketrans(dict.fromkeys("\u3002\uff0e\uff61", "."))
_NAMED = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-._:%")
LOCAL = ("localhost", "local", "internal", "localdomain", "home.arpa")
"""The last parts of host names that never lead outside."""


def _said(where: str, value: str) -> str:
    if not fields.prose(where, value).strip():
        fields.fail(where, "is blank")
    return value


def _input(value: str) -> str:
    return _said("FewShot.input", value)


def _expected(value: str) -> str:
    return _said("FewShot.expected", value)


def _reasoning(value: str | None) -> str | None:
    return value if value is None else _said("FewShot.reasoning", value)


@attrs.frozen
class FewShot:
    """An example that an agent is shown: an input, and what is right for it.

    >>> FewShot("2 + 2", "4").reasoning is None
    True
    """

    input: str = field(converter=_input)
    expected: str = field(converter=_expected)
    reasoning: str | None = field(default=None, converter=_reasoning, kw_only=True)


@attrs.frozen(kw_only=True)
class Attachment:
    """A file that goes with the prompt: exactly one of a path, base64 data, or an address.

    `path` is relative to the catalogue's file and stays below its folder; `base64` comes with its
    `mime` type; `url` is https, and leads to no private address as it is written. Nothing is
    fetched: the address is handed to the agent.

    >>> Attachment(url="https://example.com/receipt.png").path is None
    True
    """

    path: str | None = field(default=None)
    base64: str | None = field(default=None)
    mime: str | None = field(default=None)
    url: str | None = field(default=None)

    def __attrs_post_init__(self) -> None:
        """Check that there is one source, and that it is one."""
        given = [name for name in ("path", "base64", "url") if getattr(self, name) is not None]
        if len(given) != 1:
            told = f"has {' and '.join(given)}" if given else "has none of path, base64 and url"
            fields.fail("Attachment", told, "give exactly one")
        if (self.base64 is None) != (self.mime is None):
            fields.fail("Attachment.mime", "goes with base64, and base64 with it")
        if self.path is not None:
            _check_path(self.path)
        elif self.url is not None:
            _check_url(self.url)
        else:
            _check_data(self.base64, self.mime)


def _check_path(path: object) -> None:
    where = "Attachment.path"
    text = fields.text(where, path)
    steps = text.replace("\\", "/").split("/")
    if not steps[0] or ":" in steps[0]:
        fields.fail(where, f"{text!r} is absolute", "relative to the catalogue's file")
    if ".." in steps:
        fields.fail(where, f"{text!r} leads out of the catalogue's folder", "no ..")


def _check_data(data: object, mime: object) -> None:
    from base64 import b64decode  # noqa: PLC0415  - most catalogues attach nothing

    kind, _, subtype = fields.text("Attachment.mime", mime).partition("/")
    if not kind.isalpha() or not subtype or " " in subtype:
        fields.fail("Attachment.mime", f"{mime!r} is no type of a file", "such as image/png")
    text = fields.prose("Attachment.base64", data)
    try:
        decoded = b64decode(text, validate=True)
    except ValueError as error:
        fields.fail("Attachment.base64", f"{brief(text)} is no base64: {error}")
    if not decoded:
        fields.fail("Attachment.base64", "is empty")
    if len(decoded) > MOST_BYTES:
        fields.fail("Attachment.base64", f"is larger than {MOST_BYTES:,} bytes")


def _check_url(url: object) -> None:
    from urllib.parse import urlsplit  # noqa: PLC0415  - most catalogues attach nothing

    where = "Attachment.url"
    text = fields.text(where, url)
    try:
        parts = urlsplit(text)
        host, _ = _folded(parts.hostname or ""), parts.port
    except ValueError as error:
        fields.fail(where, f"{text!r} is no address: {error}")
    if parts.scheme != "https" or not host:
        fields.fail(where, f"{text!r} is no https address", "https://host/path")
    if not _NAMED.issuperset(host):
        fields.fail(where, f"{text!r} is no address: its host is {host!r}")
    if parts.username is not None:
        fields.fail(where, "holds a name or password", "it would stand in every log")
    if _is_private(host):
        fields.fail(
            where, f"{host!r} is a private address", "what it holds is nobody else's to see"
        )


def _folded(host: str) -> str:
    """Write a host as a resolver reads it: letters of other widths, and other full stops."""
    text = unicodedata.normalize("NFKC", host).translate(_STOPS)
    return (
        text.encode("idna").decode("ascii").rstrip(".") if not text.isascii() else text.rstrip(".")
    )


def _is_private(host: str) -> bool:
    """Say whether a host, as it is written, is this machine or one beside it; odd forms are."""
    from ipaddress import ip_address  # noqa: PLC0415  - most catalogues attach nothing

    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        name = host.lower()
        last = name.rpartition(".")[2]
        local = any(name == each or name.endswith(f".{each}") for each in LOCAL)
        return local or "." not in name or last[:1].isdigit() or "%" in name
    inner = _inner(address)
    return not inner.is_global or inner.is_multicast


def _inner(address: Any) -> Any:  # noqa: ANN401
    """Give the IPv4 address that one of IPv6 stands for: mapped, 6to4, NAT64 or compatible."""
    from ipaddress import IPv4Address  # noqa: PLC0415

    if address.version == IPV4:
        return address
    mapped = address.ipv4_mapped or address.sixtofour
    high, low = address.packed[:12], address.packed[12:]
    if mapped is None and high in (NAT64, bytes(12)):
        return IPv4Address(low)
    return mapped or address
