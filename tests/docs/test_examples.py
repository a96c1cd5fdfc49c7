"""Every example of README.md and docs/ is executed, page by page, as a reader would.

What a fence means:

- any with `title="NAME"`: the file NAME, written to the page's own folder before anything is run.
- `python`: run in the page's namespace; with `>>>` prompts, the answers are compared.
- `console`: each line after `$ ` is run by the shell in the page's folder, and what it prints is
  compared with the lines below it: `...` stands for anything, durations for any duration.
"""

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from sybil import Document, Example, Region
from sybil.evaluators.doctest import DocTestEvaluator
from sybil.evaluators.python import PythonEvaluator
from sybil.parsers.abstract.doctest import DocTestStringParser
from sybil.parsers.markdown.lexers import RawFencedCodeBlockLexer

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])

# Commands that set up a machine, or take minutes.
NOT_RUN = ("python -m pip ", "python -m benchmarks")

OPTIONS = doctest.ELLIPSIS
RUN_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}")
DURATION = re.compile(r"\b\d+(\.\d+)? ?(ns|us|µs|ms|s|min)\b")
SLOWEST = re.compile(r"\nslowest\n(  <duration>  .*\n)+")
FENCES = RawFencedCodeBlockLexer(
    re.compile(
        r'(?P<language>python|console|toml|json|yaml)(?: title="(?P<title>[^"\n]+)")?$\n',
        re.MULTILINE,
    )
)


def relative(path: Path) -> str:
    """The page as it is named in test ids."""
    return path.relative_to(ROOT).as_posix()


def normal(text: str) -> str:
    """A printed text without what differs from run to run."""
    timeless = SLOWEST.sub("", DURATION.sub("<duration>", RUN_ID.sub("<run>", text)))
    return "\n".join(line.rstrip() for line in timeless.strip("\n").splitlines()) + "\n"


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Each command of a console block, with the output that the page shows for it."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        while command.endswith("\\"):
            more, _, output = output.partition("\n")
            command = f"{command[:-1]}{more.removeprefix('> ')}"
        yield command, output


def shell(command: str, last_code: int) -> tuple[int, str]:
    """The exit code and the output of one command, after one that ended with last_code."""
    here = Path(sys.executable).parent
    env = os.environ | {
        "COLUMNS": "88",
        "NO_COLOR": "1",
        "PATH": f"{here}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        ["bash", "-c", f"(exit {last_code}); {command}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env=env,
        timeout=120,
    )
    return done.returncode, done.stdout


def run_console(example: Example) -> str | None:
    """Why a console block does not hold, or None."""
    code = 0
    for command, want in commands(example.parsed):
        if command.startswith(NOT_RUN):
            continue
        code, got = shell(command, code)
        if not want.strip():
            if code:
                return f"$ {command}\nended with {code}:\n{got}"
        elif not doctest.OutputChecker().check_output(normal(want), normal(got), OPTIONS):
            return f"$ {command}\nwas to print:\n{want}\nbut printed:\n{got}"
    return None


def parse(document: Document) -> Iterable[Region]:
    """The examples of one page; files are written at once, so that a page may show them late."""
    doctests = DocTestStringParser(DocTestEvaluator(OPTIONS))
    for region in FENCES(document):
        language, title = region.lexemes["language"], region.lexemes["title"]
        source = region.lexemes["source"]
        if title:
            Path(title).parent.mkdir(parents=True, exist_ok=True)
            Path(title).write_text(source, encoding="utf-8")
        elif language == "console":
            yield Region(region.start, region.end, str(source), run_console)
        elif ">>>" in source:
            for found in doctests(source, document.path):
                found.adjust(region, source)
                yield found
        elif language == "python":
            yield Region(region.start, region.end, source, PythonEvaluator())


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a page shows is what happens."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    loaded = set(sys.modules)
    document = Document.parse(str(page), parse)
    document.namespace["__name__"] = "__main__"
    try:
        for example in document.examples():
            example.evaluate()
    finally:
        for name in set(sys.modules) - loaded:
            source = getattr(sys.modules[name], "__file__", None)
            if source and Path(source).is_relative_to(tmp_path):
                del sys.modules[name]


def test_there_is_something_to_run() -> None:
    """The pages hold examples: a reader of fences that reads none would pass everything."""
    found = [region for page in PAGES for region in FENCES(Document(page.read_text(), str(page)))]
    assert len(found) > len(PAGES)


def test_every_fence_is_known() -> None:
    """A fence is one that is executed, or one that plainly is not code."""
    known = re.compile(r'(python|json|toml|yaml)( title="[^"]+")?|console|text|')
    for page in PAGES:
        fences = re.findall(r"^ *```(.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert [info for info in fences if not known.fullmatch(info)] == [], page
