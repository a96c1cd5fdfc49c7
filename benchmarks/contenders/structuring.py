"""Reads NDJSON as scenarios and counts their checks: `plain` by hand, or `evalkit` strictly.

`plain` is what a trusting author would write: the fast JSON reader, and the constructors.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

import orjson

import evalkit.loaders.declared  # both are measured with all that they need imported
import evalkit.loaders.ndjson_file  # noqa: F401
from evalkit import Assertion, Scenario, ToolCall
from evalkit.loaders import opened


def plain(path: Path) -> int:
    """No check of keys, types, duplicates or places: whatever a line holds is believed."""
    checks = 0
    with path.open("rb") as file:
        for line in file:
            data = orjson.loads(line)
            calls = [
                ToolCall(
                    call["tool"],
                    call["args"],
                    [Assertion(a["path"], a["op"], a["expected"]) for a in call["assertions"]],
                )
                for call in data["tool_calls"]
            ]
            scenario = Scenario(data["name"], data["prompt"], calls, data["tags"])
            checks += sum(len(call.assertions) for call in scenario.tool_calls)
    return checks


def strict(path: Path) -> int:
    """As a run reads it: every key and type checked, duplicates and long integers noticed."""
    scenarios = opened(path).scenarios()
    return sum(len(call.assertions) for each in scenarios for call in each.tool_calls)


WAYS: dict[str, Callable[[Path], int]] = {"plain": plain, "evalkit": strict}


if __name__ == "__main__":
    way, file = sys.argv[1:]
    began = process_time()
    total = WAYS[way](Path(file))
    print(f"{total} checks read in {process_time() - began:.4f} s")
