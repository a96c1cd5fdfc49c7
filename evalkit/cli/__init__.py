"""The command line: arguments in, exit code out."""

from evalkit.cli.main import main

__all__ = ["main"]
