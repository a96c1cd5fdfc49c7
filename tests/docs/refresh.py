"""Writes what the commands of README.md and docs/ print into them: python -m tests.docs.refresh.

Blocks that show no output, or that leave some out by `...`, stay as they are, and so does output
that differs in durations only. Read the difference before you commit it.
"""

import os
import re
import sys
import tempfile
from pathlib import Path

from sybil import Document

from tests.docs.test_examples import FENCES, NOT_RUN, PAGES, commands, normal, shell


def refreshed(block: str) -> str:
    """A console block with what its commands print now."""
    shown, code = "", 0
    for command, want in commands(block):
        got = ""
        if not command.startswith(NOT_RUN):
            code, got = shell(command, code)
        keep = not want.strip() or "..." in want or normal(want) == normal(got)
        printed = (
            want if keep else re.sub(r"[ \t]+$", "", got, flags=re.MULTILINE).strip("\n") + "\n"
        )
        shown += f"$ {command}\n{printed}"
    return shown


def refresh(page: Path) -> None:
    """Bring one page up to date."""
    document = Document(page.read_text(encoding="utf-8"), str(page))
    text, done = "", 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        regions = list(FENCES(document))
        for region in regions:
            if region.lexemes["title"]:
                Path(region.lexemes["title"]).write_text(region.lexemes["source"], encoding="utf-8")
        for region in regions:
            if region.lexemes["language"] == "console":
                source = region.lexemes["source"]
                start = document.text.index(source, region.start)
                text += document.text[done:start] + refreshed(source)
                done = start + len(source)
    page.write_text(text + document.text[done:], encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or PAGES:
        refresh(Path(name).resolve())
