"""The commands by name, each imported when it is first asked for."""

from collections.abc import Iterator, MutableMapping
from importlib import import_module

import click

PLACES = {
    "run": "evalkit.cli.run:run_command",
    "list": "evalkit.cli.looking:list_command",
    "validate": "evalkit.cli.looking:validate_command",
    "show": "evalkit.cli.logged:show_command",
    "report": "evalkit.cli.logged:report_command",
    "grade": "evalkit.cli.grade:grade_command",
    "convert": "evalkit.cli.convert:convert_command",
    "schema": "evalkit.cli.convert:schema_command",
}


class Commands(MutableMapping[str, click.Command]):
    """Name to command, as click wants it; only `run` is needed where only that is asked for."""

    def __init__(self) -> None:
        """Import nothing yet."""
        self._loaded: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        """Import a command; KeyError where there is none of that name."""
        if name not in self._loaded:
            module, _, attribute = PLACES[name].partition(":")
            self._loaded[name] = getattr(import_module(module), attribute)
        return self._loaded[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        """Put in a command."""
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        """Take out a command."""
        del self._loaded[name]

    def __contains__(self, name: object) -> bool:
        """Say whether there is one of that name, without importing it."""
        return name in PLACES

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(PLACES)

    def __len__(self) -> int:
        """Count the commands."""
        return len(PLACES)


COMMANDS = Commands()
