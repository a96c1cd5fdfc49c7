"""`python -m evalkit`: arguments in, exit code out."""

import gc
import sys
from importlib import import_module

from evalkit.version import VERSION


def main() -> None:
    """Run the command line; `--version` alone is answered before anything else is imported."""
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"evalkit {VERSION}\n")
        return
    gc.disable()  # what is imported stays: to look through it again and again costs 10 ms
    cli = import_module("evalkit.cli")
    gc.freeze()
    gc.enable()
    sys.exit(cli.main(sys.argv[1:], last=True))


if __name__ == "__main__":
    main()
