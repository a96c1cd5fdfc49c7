"""`python -m benchmarks [TABLE]`, without a name all of them: prints ratios measured in one run."""

import platform
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable

from benchmarks import files, peers, runs, scale, texts
from benchmarks.blocks import blocks
from benchmarks.startup import startup
from benchmarks.table import Table, as_markdown, as_text

# a process that does nothing is soon measured, and noisy
STARTUP_ROUNDS = 4


def main() -> None:
    """Measure what was asked for, and print each table as soon as it is known."""
    options = _options()
    render = as_markdown if options.markdown else as_text
    print(
        f"Python {platform.python_version()}, medians of {options.repeat} interleaved rounds, "
        "CPU seconds (user and system) of whole processes.\n"
    )
    for name, tables in TABLES.items():
        if options.table in (None, name):
            for table in tables(options):
                print(render(table), flush=True)


def _options() -> Namespace:
    """The command line."""
    parser = ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("table", nargs="?", choices=TABLES, help="one of them; all if not given")
    parser.add_argument("--repeat", type=int, default=5, help="rounds to take the median of")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it works")
    parser.add_argument("--markdown", action="store_true", help="print Markdown")
    return parser.parse_args()


def _startup(options: Namespace) -> Iterable[Table]:
    """The start-up table."""
    yield startup(options.repeat * (1 if options.quick else STARTUP_ROUNDS))


def _scale(options: Namespace) -> Iterable[Table]:
    """The tables of evalkit against the plain loop."""
    yield from scale.scale(options.repeat, scale.QUICK_SIZES if options.quick else scale.SIZES)


def _peers(options: Namespace) -> Iterable[Table]:
    """The tables of the peers, each printed before the next is measured."""
    yield from peers.peers(options.repeat, peers.QUICK_SIZES if options.quick else peers.SIZES)


def _runs(options: Namespace) -> Iterable[Table]:
    """The tables of the run log, and of runs side by side."""
    yield runs.log(options.repeat, runs.QUICK_SIZE if options.quick else runs.SIZE)
    yield runs.agent(options.repeat, runs.QUICK_SIZE if options.quick else runs.SIZE)
    yield runs.side_by_side(options.repeat)


def _texts(options: Namespace) -> Iterable[Table]:
    """The table of text scoring."""
    yield texts.texts(options.repeat, texts.QUICK_SIZE if options.quick else texts.SIZE)


def _files(options: Namespace) -> Iterable[Table]:
    """The tables of reading files strictly, and of what is held of them."""
    yield files.structuring(options.repeat, files.QUICK_SIZE if options.quick else files.SIZE)
    yield files.held(files.QUICK_SIZES if options.quick else files.SIZES)


def _blocks(options: Namespace) -> Iterable[Table]:
    """The table of building blocks."""
    yield blocks(options.repeat)


TABLES: dict[str, Callable[[Namespace], Iterable[Table]]] = {
    "startup": _startup,
    "scale": _scale,
    "peers": _peers,
    "runs": _runs,
    "texts": _texts,
    "files": _files,
    "blocks": _blocks,
}

if __name__ == "__main__":
    main()
