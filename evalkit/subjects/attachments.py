"""How the files that go with a prompt are found and read, below the folder of the catalogue."""

from hashlib import sha256
from pathlib import Path

import attrs

from evalkit.model import Attachment, Scenario
from evalkit.model.material import MOST_BYTES
from evalkit.registry import hint_for

UNKNOWN = "application/octet-stream"


@attrs.frozen
class Attached:
    """A file as an agent gets it: its bytes and type, or the address where it is to be had."""

    name: str
    mime: str
    data: bytes | None = attrs.field(repr=False)
    url: str | None


def attached(scenario: Scenario) -> tuple[Attached, ...]:
    """Read the files that go with a scenario's prompt; OSError where one can't be read."""
    return tuple(_attached(each, scenario) for each in scenario.attachments)


def attachment_problem(attachment: Attachment, scenario: Scenario) -> tuple[str, str | None] | None:
    """Say what is wrong with a file that goes with the prompt, and what would be right."""
    if attachment.path is None:
        return None
    folder = folder_of(scenario)
    file = folder / attachment.path
    if not file.is_file():
        beside = file.parent.iterdir() if file.parent.is_dir() else ()
        return f"there is no file {attachment.path!r} in {folder}", hint_for(
            file.name, [each.name for each in beside]
        )
    if not file.resolve().is_relative_to(folder.resolve()):
        return f"{attachment.path!r} is a link that leads out of the catalogue's folder", None
    if file.stat().st_size > MOST_BYTES:
        return f"{attachment.path!r} is larger than {MOST_BYTES:,} bytes", None
    return None


def digests_of(scenario: Scenario) -> list[str]:
    """Give SHA-256 of what each file that goes with the prompt holds; empty where there is none."""
    found = []
    for each in scenario.attachments:
        file = None if each.path is None else folder_of(scenario) / each.path
        is_there = file is not None and file.is_file()
        found.append(sha256(file.read_bytes()).hexdigest() if file and is_there else "")
    return found


def folder_of(scenario: Scenario) -> Path:
    """Give the folder of the file that a scenario comes from, else the current directory."""
    source = getattr(scenario.home, "source", None)
    place = source or (scenario.source or "").rpartition(":")[0]
    return Path(place).absolute().parent if place else Path.cwd()


def _attached(attachment: Attachment, scenario: Scenario) -> Attached:
    from base64 import b64decode  # noqa: PLC0415  - most catalogues attach nothing
    from mimetypes import guess_type  # noqa: PLC0415
    from urllib.parse import urlsplit  # noqa: PLC0415

    named = attachment.path or urlsplit(attachment.url or "").path
    name = named.rstrip("/").rpartition("/")[2]
    mime = attachment.mime or guess_type(name)[0] or UNKNOWN
    if attachment.base64 is not None:
        return Attached("", mime, b64decode(attachment.base64), None)
    if attachment.path is None:
        return Attached(name, mime, None, attachment.url)
    return Attached(name, mime, (folder_of(scenario) / attachment.path).read_bytes(), None)
