"""How scenarios are written to a file: as YAML, JSON, TOML or NDJSON, by its suffix."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from evalkit.codec import plain_scenario
from evalkit.errors import CatalogueError, Problem
from evalkit.jsontext import dumped
from evalkit.jsonvalue import Json, dotted
from evalkit.model import Scenario
from evalkit.registry import hint_for

Data = dict[str, Json]
TOOLS, SCENARIOS = "tools", "scenarios"
WIDTH = 100
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./ -]*(?<! )")
"""Texts that mean themselves in YAML without quotes, but for a few words."""
_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})


def written(scenarios: Iterable[Scenario], suffix: str, tools: str | None = None) -> bytes:
    """Write scenarios as a file of that suffix, which loads as equal ones, for the tools named.

    `CatalogueError` names all that can't be written: a function without a name of its own, a
    `Ref` look-alike, null in TOML, which has none.
    """
    writer = WRITERS.get(suffix)
    if writer is None:
        raise CatalogueError("convert", f"can't write {suffix!r}", hint_for(suffix, WRITERS))
    found: list[Data] = []
    problems: list[Problem] = []
    for scenario in scenarios:
        try:
            found.append(plain_scenario(scenario))
        except CatalogueError as error:
            problems += error.problems
    if problems:
        raise CatalogueError(problems=problems)
    return writer(found, {} if tools is None else {TOOLS: tools})


def _ndjson(scenarios: list[Data], head: Data) -> bytes:
    records = [head, *scenarios] if head else scenarios
    return b"".join(dumped(each) + b"\n" for each in records)


def _json(scenarios: list[Data], head: Data) -> bytes:
    whole = {**head, SCENARIOS: scenarios} if head else scenarios
    return (json.dumps(whole, ensure_ascii=False, indent=2) + "\n").encode()


def _toml(scenarios: list[Data], head: Data) -> bytes:
    import tomli_w  # noqa: PLC0415  - where TOML is written

    nulls = [
        Problem(f"{each['name']}.{dotted(steps)}", "TOML has no null", "write another kind of file")
        for each in scenarios
        for steps in _nulls(each)
    ]
    if nulls:
        raise CatalogueError(problems=nulls)
    return tomli_w.dumps({**head, SCENARIOS: scenarios}).encode()


def _nulls(value: Json, steps: tuple[str | int, ...] = ()) -> Iterable[tuple[str | int, ...]]:
    """Yield the steps to every null in a value."""
    if value is None:
        yield steps
    elif type(value) is dict:
        for key, item in value.items():
            yield from _nulls(item, (*steps, key))
    elif type(value) is list:
        for index, item in enumerate(value):
            yield from _nulls(item, (*steps, index))


def _yaml(scenarios: list[Data], head: Data) -> bytes:
    import yaml  # noqa: PLC0415  - 40 ms, where YAML is written

    class Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
        """Writes texts so that they are texts to YAML 1.1 and 1.2 alike, and no aliases."""

        def ignore_aliases(self, data: Any) -> bool:  # noqa: ANN401
            """Write what stands twice twice."""
            del data
            return True

        def represent_mapping(self, *given: Any, **named: Any) -> Any:  # noqa: ANN401
            """Write a mapping in one line where it holds nothing that has several."""
            node = super().represent_mapping(*given, **named)
            node.flow_style = all(_is_in_line(value) for _, value in node.value)
            return node

        def represent_sequence(self, *given: Any, **named: Any) -> Any:  # noqa: ANN401
            """Write a list in one line, as a mapping."""
            node = super().represent_sequence(*given, **named)
            node.flow_style = all(map(_is_in_line, node.value))
            return node

    Dumper.add_representer(str, _represented)
    options: dict[str, Any] = {"sort_keys": False, "allow_unicode": True, "width": WIDTH}
    whole = {**head, SCENARIOS: scenarios} if head else scenarios
    return yaml.dump(whole, Dumper=Dumper, encoding="utf-8", **options)  # type: ignore[no-any-return]


def _represented(dumper: Any, text: str) -> Any:  # noqa: ANN401
    """Write a text plainly where it means itself, in lines where it has several, else in quotes."""
    style = '"'
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        style = ""
    elif "\n" in text and all(
        line == line.rstrip() and line.isprintable() for line in text.split("\n")
    ):
        style = "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _is_in_line(node: Any) -> bool:  # noqa: ANN401
    """Say whether a node is a scalar that stands in one line."""
    return isinstance(node.value, str) and node.style != "|"


def _is_a_line(text: str) -> bool:
    """Say whether a text may stand as a line of a block."""
    return text == text.rstrip() and text.isprintable()


WRITERS: Mapping[str, Callable[[list[Data], Data], bytes]] = {
    ".yaml": _yaml,
    ".yml": _yaml,
    ".json": _json,
    ".toml": _toml,
    ".ndjson": _ndjson,
    ".jsonl": _ndjson,
}
