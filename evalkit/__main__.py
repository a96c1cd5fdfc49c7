"""`python -m evalkit`: arguments in, exit code out."""

import sys
from importlib import import_module

from evalkit.version import VERSION


def main() -> None:
    """Run the command line; `--version` alone is answered before anything else is imported."""
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"evalkit {VERSION}\n")
        return
    sys.exit(import_module("evalkit.cli").main(sys.argv[1:], last=True))


if __name__ == "__main__":
    main()
