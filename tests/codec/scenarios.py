"""Valid scenarios for hypothesis, with the texts that files are most likely to get wrong."""

import re
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from evalkit import (
    Answers,
    Assertion,
    Attachment,
    Budget,
    FewShot,
    Limits,
    Op,
    Ref,
    Scenario,
    State,
    ToolCall,
    Turn,
)
from evalkit.model import MATCHES

FIXED = settings(deadline=None, derandomize=True, max_examples=25)
TOKENS = re.findall(
    r"\S+",
    r"""
    no No off y true True null ~ 1 1e3 0o17 0x1F 017 +1 -.inf .nan .5 1_000 12:30:45 2001-12-14
    2001-12-14T21:59:43Z # - --- ... << = !tag &a *a % @ ` `a` | > [a {a } ], , ' '' " "a it's a:
    \ \n \u0041 $ref ${a} [[x]] // /* */ ''' é 日本語 🙂
    """,
)
HOSTILE = (
    *TOKENS,
    *("", " ", " leading", "trailing ", "\tтаб", "tab\t", "a\tb", "a  b", "word " * 60 + "end"),
    *("\n", "a\nb", "a\n", "\n a\n b\n\n", "a \nb", "  a\nb", "a\r\nb", "\r", "| \n a"),
    *("\u2028", "a\u2028b", "\u2029", "a\x85b", "\ufeff", "\x00", "\x1b[31m", "\x7f", "\u00a0"),
    *("e\u0301", "👩\u200d👧", "\u202e", "\ue000", "\uffff", "# no", "a # b", "a #b", ": ", "a: b"),
    *("- ", "- a", "--- a", "? a", "!!str a", "%YAML 1.1", "a, b", "x = 1", "x" * 300),
)
"""Texts that mean something else, or nothing, where they are not written with care."""
NAMES = tuple(text for text in HOSTILE if text.strip() and text.isprintable())


TEXTS = st.sampled_from(HOSTILE) | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
"""Any text that JSON can hold, often a hostile one."""
WORDS = st.sampled_from(NAMES) | st.text(
    st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12
).filter(lambda text: bool(text.strip()))
"""Texts that may name something: none blank, none with a control character."""
SAID = TEXTS.filter(lambda text: bool(text.strip()))
NUMBERS = (
    st.integers()
    | st.sampled_from([0, -1, 2**53 + 1, 2**63, 2**64, -(2**70), 10**30])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([0.0, -0.0, 1.0, 1e16, 1e-7, 1e300, 5e-324])
)
ABOVE_0 = st.floats(0, 1e9, exclude_min=True) | st.integers(1, 10**6)
SHARES = st.floats(0, 1, exclude_min=True) | st.just(1)
NORMALISERS = st.sampled_from(["raw", "squad", "basic+distinct", "nfkc+prose"])
EXTRACTS = st.sampled_from(["first_line", "after_answer", "terse"])
OPERATORS = st.sampled_from([op for op in Op if op is not Op.SCHEMA])
FUNCTIONS = st.sampled_from([len, abs, str])
RARE: dict[str, st.SearchStrategy[Any]] = {
    "each": st.sampled_from(["all", "any"]),
    "tolerance": ABOVE_0,
    "rel": ABOVE_0,
    "threshold": SHARES,
    "normalize": NORMALISERS,
    "extract": EXTRACTS,
    "weight": st.floats(0, 1e9) | st.integers(0, 9),
    "severity": st.sampled_from(["fail", "warn"]),
    "description": TEXTS,
}


@st.composite
def json_values(draw: st.DrawFn, depth: int, *, null: bool, refs: bool) -> Any:
    """JSON values of every kind, with saved values among them; null only where it may be."""
    kind = draw(st.integers(0, 6 if depth else 4))
    if kind == 0:
        return draw(st.none() if null else st.booleans())
    if kind == 1 and refs:
        return Ref(draw(WORDS))
    if kind < 5:
        return draw(TEXTS | NUMBERS | st.booleans())
    inner = json_values(depth - 1, null=null, refs=refs)
    if kind == 5:
        return draw(st.lists(inner, max_size=3))
    return draw(names_to(inner, TEXTS.filter(lambda text: text != "$ref")))


def names_to(
    values: st.SearchStrategy[Any], names: st.SearchStrategy[str] = WORDS
) -> st.SearchStrategy[dict[str, Any]]:
    """Mappings of a name to something."""
    return st.dictionaries(names, values, max_size=2)


@st.composite
def some(draw: st.DrawFn, fields: dict[str, st.SearchStrategy[Any]]) -> dict[str, Any]:
    """A few of these fields."""
    names = draw(st.sets(st.sampled_from(sorted(fields)), max_size=4))
    return {name: draw(fields[name]) for name in sorted(names)}


@st.composite
def assertions(draw: st.DrawFn, *, null: bool) -> Assertion:
    """Assertions with any of their fields; what a schema holds is no saved value."""
    if draw(st.integers(0, 9)) == 0:
        schema = draw(st.dictionaries(st.sampled_from(["$ref", "type"]), TEXTS, max_size=2))
        return Assertion("", Op.SCHEMA, schema)
    fields = {"expected": json_values(2, null=null, refs=True), **RARE}
    return Assertion(draw(TEXTS), draw(OPERATORS), **draw(some(fields)))


@st.composite
def calls(draw: st.DrawFn, *, null: bool, transforms: bool) -> ToolCall:
    """Tool calls with any of their fields."""
    values = json_values(2, null=null, refs=True)
    fields = {
        "args": names_to(values, TEXTS.filter(lambda text: text != "$ref")),
        "assertions": st.lists(assertions(null=null), max_size=2),
        "label": TEXTS,
        "save_as": names_to(TEXTS),
        "context_args": names_to(TEXTS),
        "expect_error": st.just(True) | TEXTS.filter(bool),
        "timeout_s": ABOVE_0,
        "retry": st.integers(0, 9),
        "args_match": st.sampled_from(["exact", "subset", "superset", "ignore"]),
        "arg_assertions": st.lists(assertions(null=null), max_size=2),
    }
    if transforms:
        fields["arg_transforms"] = names_to(FUNCTIONS)
    return ToolCall(draw(WORDS), **draw(some(fields)))


TURNS = st.builds(Turn, st.sampled_from(["user", "assistant", "system"]), SAID)
PROMPTS = SAID | st.lists(SAID, min_size=1, max_size=3) | st.lists(TURNS, min_size=1, max_size=3)


@st.composite
def answers(draw: st.DrawFn) -> Any:
    """Gold answers: a list of them, or with a way to match them."""
    golds: list[Any] = draw(st.lists(TEXTS, min_size=1, max_size=3))
    match: Any = draw(st.sampled_from([None, *MATCHES]))
    if match is None:
        return golds
    scoring: dict[str, st.SearchStrategy[Any]] = {"normalize": NORMALISERS, "extract": EXTRACTS}
    if match in ("f1", "similar", "semantic"):
        scoring["threshold"] = SHARES
    if match == "numeric":
        numbers: st.SearchStrategy[Any] = NUMBERS
        golds += draw(st.lists(numbers, max_size=2))
    return Answers(golds, match, **draw(some(scoring)))


COUNTS = st.integers(0, 10**9)
FROM_0 = st.floats(0, 1e9) | st.integers(0, 9)
SPENT: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(["max_turns", "max_calls", "max_input_tokens", "max_output_tokens"], COUNTS),
    **dict.fromkeys(["max_cost_usd", "max_seconds"], FROM_0),
}
GIVEN: dict[str, st.SearchStrategy[Any]] = dict.fromkeys(
    ["max_turns", "max_calls", "compact_at_tokens"], st.integers(1, 10**9)
)
ATTACHMENTS = (
    Attachment(path="receipt.png"),
    Attachment(path="below/größe 1.pdf"),
    Attachment(base64="AAEC", mime="image/png"),
    Attachment(url="https://example.com/a?b=c#d"),
)
SHOTS = st.builds(FewShot, SAID, SAID, reasoning=st.none() | SAID)


@st.composite
def states(draw: st.DrawFn, *, null: bool, functions: bool) -> State:
    """States with any of their fields; each way to capture captures what is expected."""
    values = json_values(2, null=null, refs=False)
    expected = draw(st.dictionaries(WORDS, values, max_size=2))
    replayed = draw(st.lists(WORDS, max_size=2, unique=True)) if expected else [draw(WORDS)]
    replayed = [name for name in replayed if name not in expected]
    calls = st.builds(ToolCall, WORDS, names_to(values, TEXTS.filter(lambda text: text != "$ref")))
    captured: dict[str, Any] = {name: draw(calls) for name in (*expected, *replayed)}
    captures: list[Any] = [None, captured, draw(WORDS.filter(lambda name: ":" not in name))]
    capture: Any = draw(st.sampled_from(captures) | (FUNCTIONS if functions else st.nothing()))
    return State(expected, capture=capture, replayed=replayed)


@st.composite
def scenarios(draw: st.DrawFn, *, null: bool = True, transforms: bool = False) -> Scenario:
    """Scenarios with any of their fields; without `null`, as TOML can hold them."""
    fields = {
        "prompt": PROMPTS,
        "tool_calls": st.lists(calls(null=null, transforms=transforms), max_size=2),
        "tags": st.lists(WORDS, max_size=3),
        "description": TEXTS,
        "difficulty": st.sampled_from(["basic", "standard", "advanced"]),
        "assertions": st.lists(assertions(null=null), max_size=2),
        "answers": answers(),
        "epochs": st.integers(1, 1000),
        "pass_epochs": st.integers(1, 1000),
        "timeout_s": ABOVE_0,
        "xfail": WORDS,
        "metadata": names_to(json_values(2, null=null, refs=False), TEXTS),
        "skip": WORDS,
        "state": states(null=null, functions=transforms),
        "match": st.sampled_from(["in_order", "exact", "any_order", "off"]),
        "forbid_tools": st.lists(WORDS, max_size=2),
        "hygiene": st.sampled_from([True, False, "strict"]),
        "budget": some(SPENT).filter(bool).map(lambda given: Budget(**given)),
        "limits": some(GIVEN).filter(bool).map(lambda given: Limits(**given)),
        "system_prompt": SAID,
        "few_shot": st.lists(SHOTS, max_size=2),
        "attachments": st.lists(st.sampled_from(ATTACHMENTS), max_size=2),
        "session_id": WORDS,
    }
    return Scenario(draw(WORDS), **draw(some(fields)))
