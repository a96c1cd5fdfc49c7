"""How operands fare that are expected of calls, and how such tables are written."""

from typing import Any, Final, Literal

from evalkit import Assertion, Ref, ToolCall

Kind = Literal["accepted", "warned", "refused"]
Rule = tuple[Any, Kind, str]
MATCHES: Final = ("exact", "subset", "superset", "ignore")


def each(kind: Kind, told: str, *operands: Any) -> list[Rule]:
    """One row for each of several operands that fare alike."""
    return [(operand, kind, told) for operand in operands]


NO_ARGS: list[Any] = [None, [], "{}", 1, Ref("kept")]
NO_SCHEMA: list[Any] = [None, 5, True, []]
NO_LIST: list[Any] = [None, [], {}, "id", Ref("kept"), {"op": "exists"}]
CALLS: list[Rule] = [
    *each("accepted", "", ["find"], ["find", "find"], [ToolCall("find")], [{"tool": "find"}]),
    *each("accepted", "", [{"tool": "find", "args": {"id": Ref("kept")}, "free": ["note"]}]),
    *(([{"tool": "find", "args_match": each}], "accepted", "") for each in MATCHES),
    ([{"tool": "find", "schema": {"required": ["id"]}}], "accepted", ""),
    *each("refused", "expected a list of calls", "find", None, 1, {"tool": "find"}, True),
    *each("refused", "the name of the tool is blank", [""], ["find", " "]),
    *each("refused", "expected a tool", [None], [["find"]], ["find", 1], [Ref("kept")]),
    *each("refused", "expected the name of a tool", [{}], [{"args": {}}], [{"tool": None}]),
    *each("refused", "expected the name of a tool", [{"tool": " "}], [{"tool": Ref("kept")}]),
    *each("refused", "unknown key", [{"tool": "find", "arg": {}}], [{"tool": "find", "id": 1}]),
    *each("refused", "unknown key", [{"tool": "find", "step": 1}], [{"name": "find"}]),
    *(
        ([{"tool": "find", "args": value}], "refused", "expected a mapping of arguments")
        for value in NO_ARGS
    ),
    *(
        ([{"tool": "find", "args_match": value}], "refused", "unknown args_match")
        for value in ("Exact", "part", "", None, 3, True, [], ["exact"])
    ),
    *(
        ([{"tool": "find", "free": value}], "refused", "free is a list of names")
        for value in ("note", None, [1], {"note": 1}, [None])
    ),
    ([{"tool": "find", "schema": {"tpye": "object"}}], "refused", "did you mean 'type'?"),
    *(([{"tool": "find", "schema": value}], "refused", "schema") for value in NO_SCHEMA),
    *(
        ([{"tool": "find", "schema": {"type": "object"}, name: value}], "refused", f"{name!r} says")
        for name, value in (("args", {}), ("args_match", "exact"), ("free", []))
    ),
    *each("refused", "call 1: expected a tool", ["find", 7], [{"tool": "find"}, None]),
]
WHERE: list[Rule] = [
    *(
        ({"tool": "find", "where": [value]}, "accepted", "")
        for value in (
            ["id", "eq", 1],
            ["id", "exists"],
            ["id", "eq", 1, "why"],
            ["id", "eq", Ref("kept")],
            Assertion("id", "EQ", 1),
            {"path": "id", "op": "eq", "expected": 1},
            {"op": "has_key", "expected": "id"},
            {"path": "id", "op": "approx", "expected": 10, "tolerance": 0.5},
        )
    ),
    *each("refused", 'expected {"tool": ..., "where": [...]}', None, "find", [], {}, 1, True),
    *each("refused", "expected {", {"tool": "find"}, {"where": [["id", "exists"]]}, ["find"]),
    ({"tool": "find", "where": [["id", "exists"]], "args": {}}, "refused", "expected {"),
    *(
        ({"tool": value, "where": [["id", "exists"]]}, "refused", "expected the name of a tool")
        for value in (None, "", " ", 1, ["find"], Ref("kept"))
    ),
    *(
        ({"tool": "find", "where": value}, "refused", "where: expected a list of assertions")
        for value in NO_LIST
    ),
    *(
        ({"tool": "find", "where": [value]}, "refused", "where[0]: ")
        for value in (
            *(None, 1, "id", True, Ref("kept"), ToolCall("find"), [], ["id"], {}),
            *({"path": "id"}, {"op": ""}, {"op": "eq", "expect": 1}, {"op": "eq", "each": "every"}),
            *([1, "eq", 1], ["id", 1, 1], ["id", "eq", 1, 1], ["id", "eq", 1, "why", "all"]),
            *({"op": "eq", "weight": -1}, {"op": "eq", "expected": 1, "source": "here"}),
        )
    ),
    ({"tool": "find", "where": [["id", "exists"], ["id"]]}, "refused", "where[1]: "),
]
OF_CALLS: dict[str, list[Rule]] = {
    **{
        op: [*CALLS, ([], "refused", "expects no call, which nothing can fail")]
        for op in ("calls", "calls_in_order", "calls_any_order", "never_calls")
    },
    **{op: [*CALLS, ([], "accepted", "")] for op in ("calls_exactly", "calls_only")},
    "call_args": WHERE,
    "hygiene": [
        *each("accepted", "", None, "strict"),
        *each("refused", "expected nothing or 'strict'", True, False, "", "Strict", [], 1),
        (Ref("kept"), "refused", "expected nothing or 'strict'"),
    ],
}
"""The operators on calls, each with its operands."""
