"""No secret gets out by any door: log, terminal, stderr, JSON, files, whatever holds it."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalkit import CatalogueError, Scenario, ToolCall, run
from evalkit.runlog.reader import RunLog
from evalkit.runlog.runs import FILE, runs_in

CANARY = "canary-4711-äß"
LONG = "canary-" + "0815" * 200
LINES = "-----BEGIN-----\ncanary\n-----END-----"
HEAD = """
import os
from evalkit import Assertion, Op, Ref, Scenario, ToolCall, TransportError, Verdict, _s, operator
KEY = os.environ["MY_KEY"]
def give(value=None): return {"value": value, "other": 1}
def fail(kind, text):
    raise kind(text)
def case(*calls, **fields): _s(Scenario("one", "What?", calls, **fields))
def eq(path, expected): return [Assertion(path, Op.EQ, expected)]
TOOL_DISPATCH = {"give": give, "echo": lambda **args: args}
"""
NAMED = {
    "an argument": "case(ToolCall('give', {'value': KEY}))",
    "inside an argument": "case(ToolCall('give', {'value': [{'a': 'Bearer ' + KEY + '!'}]}))",
    "a key of an argument": "case(ToolCall('give', {'value': {KEY: 1}}, eq('other', 2)))",
    "a result": "TOOL_DISPATCH['t'] = lambda: {'who': KEY}\ncase(ToolCall('t', {}, eq('who', 1)))",
    "beside a wide integer": "TOOL_DISPATCH['t'] = lambda: {'who': KEY, 'n': 2**70}\n"
    "case(ToolCall('t', {}, eq('who', 1)))",
    "an exception": "TOOL_DISPATCH['t'] = lambda: fail(ValueError, 'no ' + KEY)\n"
    "case(ToolCall('t'))",
    "a lost transport": "TOOL_DISPATCH['t'] = lambda: fail(TransportError, 'at ' + KEY)\n"
    "case(ToolCall('t'))",
    "an expected error": "TOOL_DISPATCH['t'] = lambda: fail(ValueError, 'no ' + KEY)\n"
    "case(ToolCall('t', expect_error='yes'))",
    "what a tool prints": "TOOL_DISPATCH['t'] = lambda: print('using', KEY)\n"
    "case(ToolCall('t', {}, eq('', 1)))",
    "what is expected": "case(ToolCall('give', {}, eq('value', KEY)))",
    "what is expected of the trace": "case(ToolCall('give'), assertions=eq('calls[0].tool', KEY))",
    "a description": "case(ToolCall('give', {}, [Assertion('value', 'eq', 1, 'not ' + KEY)]))",
    "a difference": "case(ToolCall('give', {'value': {'a': KEY}}, eq('value', {'a': 'b'})))",
    "a path": "case(ToolCall('give', {}, eq(KEY + '.a', 1)))",
    "a saved value": "case(ToolCall('give', {'value': KEY}, save_as={'it': 'value'}),"
    " ToolCall('give', {'value': Ref('it')}, eq('value', 1)))",
    "a reason": "case(ToolCall('give', {}, eq('value', 1)), xfail='because of ' + KEY)",
    "a tag": "case(ToolCall('give', {}, eq('value', 1)), tags=[KEY])",
    "a name": "_s(Scenario('it ' + KEY, tool_calls=[ToolCall('give', {}, eq('value', 1))]))",
    "an operator's reason": "@operator('mine')\ndef mine(actual, assertion, context):\n"
    "    return Verdict(False, 0.0, 'not ' + KEY)\n"
    "case(ToolCall('give', {}, [Assertion('value', 'mine')]))",
    "an operator's error": "@operator('mine')\ndef mine(actual, assertion, context):\n"
    "    return fail(ValueError, KEY)\ncase(ToolCall('give', {}, [Assertion('value', 'mine')]))",
    "no JSON": "TOOL_DISPATCH['t'] = lambda: {KEY: {1}}\ncase(ToolCall('t'))",
}


def everything(done: list[Any], folder: Path) -> str:
    """All that was shown or written, files of the catalogue left out."""
    files = [path for path in folder.rglob("*") if path.suffix in (".ndjson", ".json")]
    shown = [each.out + each.err for each in done]
    return "\n".join([*shown, *(path.read_text(encoding="utf-8") for path in files)])


def leaks(text: str, *pieces: str) -> list[str]:
    """Where a piece of a secret stands in a text, written as it is or as JSON would."""
    spelled = {form for each in pieces for form in (each, each.encode("unicode_escape").decode())}
    found = [(text.find(each), each) for each in spelled]
    return [text[max(0, at - 60) : at + 60] for at, _ in found if at >= 0]


@pytest.fixture
def every_door(
    write: Callable[[str, str], str], cli: Callable[..., Any], folder: Path
) -> Callable[..., str]:
    """Run a catalogue; give all that is shown and written, by its run and of its log."""

    def run_all(source: str, *options: str) -> str:
        write("suite.py", HEAD + source)
        done = [cli("suite.py", "-vv", "-o", "out.json", *options)]
        assert done[0].code in (0, 1, 4), done[0]
        done += [cli("show", "latest", "one"), cli("report", "latest", "--json")]
        return everything(done, folder)

    return run_all


@pytest.mark.parametrize("where", NAMED)
def test_a_named_secret_is_never_shown(
    where: str, every_door: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The value of a variable that is named with `--redact` is nowhere in what comes out."""
    monkeypatch.setenv("MY_KEY", CANARY)
    text = every_door(NAMED[where], "--redact", "MY_KEY")
    assert leaks(text, CANARY) == []
    refused = "the name of a scenario holds a value that is to be kept out" in text
    assert refused if where == "a name" else "[redacted: MY_KEY]" in text


@pytest.mark.parametrize(
    "argv",
    [
        ("suite.py", "--json", "--redact", "MY_KEY"),
        ("suite.py", "-q", "--redact", "MY_KEY"),
        ("suite.py", "--no-log", "--redact", "MY_KEY", "-o", "out.json"),
        ("suite.py", "--concurrency", "2", "-vv", "--redact", "MY_KEY"),
        ("report", "latest", "-vv"),
        ("report", "latest", "-o", "out.json"),
        ("show",),
        ("show", "latest"),
        ("grade", "latest", "-vv"),
        ("grade", "latest", "--json"),
    ],
    ids=" ".join,
)
def test_no_door_lets_it_out(
    argv: tuple[str, ...],
    write: Callable[[str, str], str],
    cli: Callable[..., Any],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each command on a run that kept a secret out keeps it out, too, without being told again."""
    monkeypatch.setenv("MY_KEY", CANARY)
    write("suite.py", HEAD + NAMED["what is expected"])
    cli("suite.py", "--redact", "MY_KEY")
    done = cli(*argv)
    assert done.code in (0, 1), done
    assert leaks(everything([done], folder), CANARY) == []


@pytest.mark.parametrize("where", ["an argument", "a result", "a difference", "an exception"])
@pytest.mark.parametrize(
    ("secret", "pieces"), [(LONG, ["canary-0815"]), (LINES, ["canary", "-----BEGIN"])]
)
def test_no_piece_of_a_secret_is_shown(
    where: str,
    secret: str,
    pieces: list[str],
    every_door: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A message that shortens or quotes a value does not let the beginning of a secret out."""
    monkeypatch.setenv("MY_KEY", secret)
    assert leaks(every_door(NAMED[where], "--redact", "MY_KEY"), *pieces) == []


KEYED = {
    "an argument": "case(ToolCall('echo', {'api_key': KEY, 'n': 1}, eq('n', 2)))",
    "deep in an argument": "case(ToolCall('echo', {'a': [{'headers': {'Authorization': KEY}}]}))",
    "a result": "TOOL_DISPATCH['t'] = lambda: {'n': 1, 'password': KEY}\n"
    "case(ToolCall('t', {}, eq('n', 2)))",
    "the whole result": "TOOL_DISPATCH['t'] = lambda: {'passphrase': KEY}\n"
    "case(ToolCall('t', {}, eq('', 2)))",
    "what is expected": "case(ToolCall('give', {}, eq('', {'access_token': KEY})))",
    "a difference": "case(ToolCall('echo', {'cookie': KEY}, eq('', {'cookie': 'other'})))",
    "what is at a path": "case(ToolCall('echo', {'api_key': KEY}, eq('api_key', 'other')))",
    "what is expected at a path": "case(ToolCall('echo', {'token': 'x'}, eq('token', KEY)))",
    "a wildcard": "case(ToolCall('echo', {'a': [{'token': KEY}]}, "
    "[Assertion('a[*].token', Op.EQ, 'x', each='all')]))",
    "a saved value": "case(ToolCall('echo', {'token': KEY}, save_as={'it': 'token'}),"
    " ToolCall('give', {'value': Ref('it')}, eq('value', 'x')))",
    "an exception that repeats it": "TOOL_DISPATCH['t'] = lambda api_key: fail(ValueError, api_key)"
    "\ncase(ToolCall('t', {'api_key': KEY}))",
    "a print that repeats it": "TOOL_DISPATCH['t'] = lambda api_key: print('with', api_key)\n"
    "case(ToolCall('t', {'api_key': KEY}, eq('', 1)))",
}


@pytest.mark.parametrize("where", KEYED)
def test_what_a_telling_key_holds_is_never_shown(
    where: str, every_door: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stands under a key that looks like a credential is shown nowhere, unasked."""
    monkeypatch.setenv("MY_KEY", CANARY)
    assert leaks(every_door(KEYED[where]), CANARY) == []


REFUSED = {
    "an error of the file": "raise RuntimeError('no ' + KEY)",
    "a factory that fails": "def TOOL_DISPATCH(): raise RuntimeError('no ' + KEY)\n"
    "case(ToolCall('give'))",
    "an unknown tool": "case(ToolCall(KEY))",
    "a wrong argument": "case(ToolCall('give', {KEY: 1}))",
    "a wrong field": "case(ToolCall('give'), difficulty=KEY)",
    "a print of the file": "print('loading with', KEY)\ncase(ToolCall('give'))",
    "a warning": "case(ToolCall('give', {}, [Assertion(KEY, Op.APPROX, 0.5)]))",
}


@pytest.mark.parametrize("where", REFUSED)
def test_a_secret_is_not_shown_before_the_run_either(
    where: str, write: Callable[..., str], cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is wrong with a catalogue, and what its file prints, is told without the secret."""
    monkeypatch.setenv("MY_KEY", CANARY)
    done = cli(write("suite.py", HEAD + REFUSED[where]), "--redact", "MY_KEY")
    assert leaks(done.out + done.err, CANARY) == []


def test_options_that_hold_a_secret_are_not_logged(
    every_door: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the label nor the command line carries a secret into the log."""
    monkeypatch.setenv("MY_KEY", CANARY)
    monkeypatch.setattr("sys.argv", ["evalkit", "suite.py", "--label", CANARY])
    text = every_door("case(ToolCall('give'))", "--redact", "MY_KEY", "--label", CANARY)
    assert leaks(text, CANARY) == []


def logged(folder: Path, value: str, monkeypatch: pytest.MonkeyPatch) -> RunLog:
    """The log of a run that redacts a value."""
    monkeypatch.setenv("MY_KEY", value)
    scenario = Scenario("one", tool_calls=[ToolCall("t")])
    report = run(scenario, tools={"t": bool}, log_dir=folder, redact=["MY_KEY"])
    assert report.run is not None
    return RunLog(report.run)


@pytest.mark.parametrize("value", ["seconds", "kind", "name", "passed", "false", "null"])
def test_a_secret_that_is_a_word_of_the_log_does_not_break_it(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However badly a secret is chosen, the log can be read, and its run gone on with."""
    try:
        log = logged(tmp_path, value, monkeypatch)
    except CatalogueError:  # it may be refused, too: before anything is run
        assert runs_in(tmp_path) == []
        return
    assert log.finished
    assert [log.result(key).status.value for key in log.in_order()] == ["passed"]


def test_a_secret_that_stands_in_a_digest_leaves_it_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A short secret is found in digests by chance: these stay what they are."""
    plain = logged(tmp_path, "not there", monkeypatch)
    piece = plain.entries["one", 1].digest[:6]
    assert logged(tmp_path, piece, monkeypatch).digest == plain.digest


@pytest.mark.parametrize("value", [None, "", "abc"])
def test_a_secret_that_is_none_is_refused(
    value: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A variable that is not set, or too short to be looked for, is refused before the run."""
    monkeypatch.delenv("MY_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("MY_KEY", value)
    with pytest.raises(CatalogueError, match="MY_KEY") as caught:
        run(Scenario("one", tool_calls=[ToolCall("t")]), log_dir=tmp_path, redact=["MY_KEY"])
    assert os.environ.get("MY_KEY") is None or value != "abc" or "abc" not in str(caught.value)


def test_a_mended_log_holds_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Going on with a run keeps its secrets out as well."""
    monkeypatch.setenv("MY_KEY", CANARY)
    scenario = Scenario("one", tool_calls=[ToolCall("t", {"x": CANARY})])
    tools = {"t": lambda x: {"x": x}}
    options: dict[str, Any] = {"tools": tools, "log_dir": tmp_path, "redact": ["MY_KEY"]}
    first = run(scenario, **options)
    second = run(scenario, resume=first.run_id, **options)
    assert second.digest == first.digest
    for path in tmp_path.rglob(f"*/{FILE}"):
        assert CANARY not in path.read_text(encoding="utf-8")
