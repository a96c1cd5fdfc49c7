"""The shape of the code is measured, not remembered: lengths, imports, docstrings."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "evalkit"
FILES = sorted(PACKAGE.rglob("*.py"))

BODY_LINES, BODY_SHARE, BODY_LIMIT = 25, 0.95, 50
FILE_LINES, FILE_LIMIT = 250, 400

# Files over 250 lines that were discussed and stay in one piece: path -> why.
LONG_FILES: dict[str, str] = {
    "evalkit/catalogue.py": "how scenarios are registered, in one's own or the ambient one",
    "evalkit/cli/run.py": "the options of `run`, and what each comes to, in one order",
    "evalkit/codec/structuring.py": "how data becomes nouns, a rule for each field that needs one",
    "evalkit/jsonvalue.py": "what a JSON value is: copied, compared and written by one rule",
    "evalkit/model/scenario.py": "the one noun with all its fields; a half would be none",
    "evalkit/operators/operands.py": "the rules of the operands, in the table's order",
    "evalkit/operators/values.py": "the operators on values, in the table's order",
    "evalkit/runlog/records.py": "how a result is written, and read again as the very same one",
    "evalkit/paths/jsonpath.py": "one allow-list over one syntax tree, read in one go",
}

# The only files that may know a third-party package: package -> path prefixes.
# attrs is at home everywhere.
HOMES: dict[str, tuple[str, ...]] = {
    "attrs": ("",),
    "cattrs": ("evalkit/codec/",),
    "click": ("evalkit/cli/", "evalkit/reports/text.py"),
    "jsonpath_ng": ("evalkit/paths/jsonpath.py",),
    "jsonschema": ("evalkit/operators/schema.py",),
    "jsonschema_specifications": ("evalkit/operators/schema.py",),
    "orjson": (
        "evalkit/jsonvalue.py",
        "evalkit/jsontext.py",
        "evalkit/loaders/json_file.py",
        "evalkit/runlog/records.py",
    ),
    "rapidfuzz": ("evalkit/operators/text.py",),
    "regex": ("evalkit/operators/values.py",),
    "tenacity": ("evalkit/subjects/retries.py",),
    "tomli_w": ("evalkit/writers.py",),
    "yaml": ("evalkit/loaders/yaml_file.py", "evalkit/writers.py"),
}

# The only files that may catch everything: path -> around what.
CATCHES_ALL = {
    "evalkit/preparing.py": "the author's factory, opened while planning",
    "evalkit/api/session.py": "what ends a run; the sinks are told, and it goes on",
    "evalkit/cli/main.py": "the last door: what is left is a fault of ours, and said so",
    "evalkit/engine.py": "the author's factory, opened and closed",
    "evalkit/executors/cluster.py": "the first word with a cluster; the error goes on",
    "evalkit/grading/pairing.py": "an operator, on what an agent has sent",
    "evalkit/grading/putting.py": "an operator",
    "evalkit/jsonvalue.py": "the repr of a subject's object",
    "evalkit/loaders/python.py": "the author's files",
    "evalkit/loops.py": "the subject's coroutine, whose error is handed out of its loop",
    "evalkit/operators/operands.py": "errors of packages that are imported only when needed",
    "evalkit/reports/files.py": "a half-written file, which is removed; the error goes on",
    "evalkit/subjects/agents.py": "the subject, and the author's factory of it",
    "evalkit/subjects/arguments.py": "the author's transforms",
    "evalkit/subjects/noted.py": "a tool that an agent calls; the error goes on to it",
    "evalkit/subjects/retries.py": "the subject, once more; the error goes on",
    "evalkit/subjects/tools.py": "the subject",
    "evalkit/toolbox/documents.py": "a result object of the subject's, and its error_if",
    "evalkit/toolbox/offered.py": "annotations of the author's, which may name anything",
    "evalkit/toolbox/errors.py": "the message of a subject's exception",
    "evalkit/watch.py": "the work of a lane, handed to the thread that waits",
}

TYPE_CHECKS = ("TYPE_CHECKING", "typing.TYPE_CHECKING")
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Import(NamedTuple):
    """One imported module, as seen from the file that imports it."""

    path: str
    line: int
    target: str
    in_function: bool
    runtime: bool


def parse(path: Path) -> ast.Module:
    """The tree of one file."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def relative(path: Path) -> str:
    """The path as it is written in this file's tables."""
    return path.relative_to(ROOT).as_posix()


def module_name(path: Path) -> str:
    """evalkit/reports/__init__.py is evalkit.reports."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in FILES}


def bodies() -> Iterator[tuple[int, str]]:
    """The lines of each function's body, its docstring left out."""
    for path in FILES:
        for node in ast.walk(parse(path)):
            if isinstance(node, Function):
                body = node.body[1:] if ast.get_docstring(node) is not None else node.body
                if body:
                    lines = (body[-1].end_lineno or 0) - body[0].lineno + 1
                    yield lines, f"{relative(path)}:{node.lineno} {node.name}"


def targets(node: ast.Import | ast.ImportFrom, path: Path) -> list[str]:
    """The modules that one import statement names, in full."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    base = node.module or ""
    if node.level:
        package = module_name(path).split(".")
        drop = node.level - (path.name == "__init__.py")
        base = ".".join([*package[: len(package) - drop], *([base] if base else [])])
    full = [f"{base}.{alias.name}" for alias in node.names]
    return [name if name in MODULES else base for name in full]


def walk_imports(node: ast.AST, path: Path, *, inside: bool, runtime: bool) -> Iterator[Import]:
    """Every import under a node, with whether a function or a type-checking block holds it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            for target in targets(child, path):
                yield Import(relative(path), child.lineno, target, inside, runtime)
            continue
        if isinstance(child, ast.If) and ast.unparse(child.test) in TYPE_CHECKS:
            for statement in child.body:
                wrapped = ast.Module([statement], [])
                yield from walk_imports(wrapped, path, inside=inside, runtime=False)
            continue
        deeper = inside or isinstance(child, Function)
        yield from walk_imports(child, path, inside=deeper, runtime=runtime)


def imports() -> list[Import]:
    """Every import of the package."""
    return [
        found
        for path in FILES
        for found in walk_imports(parse(path), path, inside=False, runtime=True)
    ]


def is_own(target: str) -> bool:
    """Whether a module is one of ours."""
    return target.split(".", maxsplit=1)[0] == "evalkit"


def cycle(graph: dict[str, set[str]]) -> list[str] | None:
    """One import cycle, as the modules on the way round, or None."""
    state: dict[str, int] = {}

    def visit(module: str, way: list[str]) -> list[str] | None:
        state[module] = 1
        for target in sorted(graph.get(module, ())):
            if state.get(target) == 1:
                return [*way[way.index(target) :], target]
            if target not in state and (found := visit(target, [*way, target])):
                return found
        state[module] = 2
        return None

    for module in sorted(graph):
        if module not in state and (found := visit(module, [module])):
            return found
    return None


def catches_all(handler: ast.ExceptHandler) -> bool:
    """Whether an except clause takes whatever comes."""
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(ast.unparse(kind) in {"Exception", "BaseException"} for kind in kinds)


def test_bodies_are_short() -> None:
    """95% of bodies are within 25 lines, none is over 50."""
    measured = sorted(bodies(), reverse=True)
    over = [found for found in measured if found[0] > BODY_LINES]
    assert [found for found in measured if found[0] > BODY_LIMIT] == []
    assert len(over) <= (1 - BODY_SHARE) * len(measured), over


def test_files_are_short() -> None:
    """A file over 250 lines has its reason in the table, one over 400 is split."""
    lines = {relative(path): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {path: n for path, n in lines.items() if n > FILE_LIMIT} == {}
    assert {path for path, n in lines.items() if n > FILE_LINES} == set(LONG_FILES)


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_module_says_what_it_answers(path: Path) -> None:
    """Every module has a docstring, and its first line is one sentence."""
    docstring = ast.get_docstring(parse(path))
    assert docstring
    assert docstring.splitlines()[0].endswith((".", "?", ":"))


def test_no_own_imports_in_functions() -> None:
    """Our own package is imported at the top of a file or not at all."""
    assert [found for found in imports() if found.in_function and is_own(found.target)] == []


def test_no_import_cycles() -> None:
    """No module imports itself by way of others."""
    graph: dict[str, set[str]] = {name: set() for name in MODULES}
    for found in imports():
        if found.runtime and is_own(found.target):
            graph[module_name(ROOT / found.path)].add(found.target)
    assert cycle(graph) is None


def test_nothing_below_imports_the_roof() -> None:
    """`from evalkit import Scenario` is for users: inside, a name comes from its own module."""
    assert [found for found in imports() if found.target == "evalkit"] == []


def test_packages_stay_in_their_files() -> None:
    """A third-party package is known only to the files that the table names."""
    strangers = [
        found
        for found in imports()
        if not is_own(found.target)
        and (package := found.target.split(".", maxsplit=1)[0]) not in sys.stdlib_module_names
        and not found.path.startswith(HOMES.get(package, ()))
    ]
    assert strangers == []


def test_catching_everything_has_its_reason() -> None:
    """`except Exception` stands around a subject, an operator, an author's code: nowhere else."""
    found = {
        relative(path)
        for path in FILES
        for node in ast.walk(parse(path))
        if isinstance(node, ast.ExceptHandler) and catches_all(node)
    }
    assert found == set(CATCHES_ALL)


def test_the_cycle_finder_finds_cycles() -> None:
    """The measure itself is measured: a cycle of three is found, a diamond is none."""
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) == ["a", "b", "c", "a"]
    assert cycle({"a": {"b", "c"}, "b": {"d"}, "c": {"d"}, "d": set()}) is None
