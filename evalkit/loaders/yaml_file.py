"""How YAML is read: as YAML 1.2 means it, where `no` is a string, and nothing is built by a tag."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import attrs
import yaml

from evalkit.errors import CatalogueError
from evalkit.jsonvalue import BIG, Json, brief, copy_json, type_name
from evalkit.loaders import records
from evalkit.loaders.json_places import Flaw, problem_of
from evalkit.loaders.records import MAX_DIGITS, MAX_NESTING, Document, Place, Problems
from evalkit.registry import hint_for

MAX_ALIASED: Final = 10_000
"""Nodes that aliases may stand for, all those of a file together."""
_TAGS: Final = "tag:yaml.org,2002:"
_BREAKS: Final = "\x85\u2028\u2029"
"""Ends of lines in YAML 1.1, of which the parser is; in YAML 1.2 they are characters."""
_NO_PARTS: Final[dict[str | int, Place]] = {}
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_WORDS: Final[Mapping[str, Json]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBERS: Final[Mapping[re.Pattern[str], Callable[[str], Json]]] = {
    re.compile("[-+]?[0-9]+"): int,
    re.compile("0(o[0-7]+|x[0-9a-fA-F]+)"): lambda text: int(text, 0),
    re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"): float,
    re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"): lambda text: float(text.replace(".", "")),
}
_KINDS: Final[Mapping[str, type]] = {"null": type(None), "bool": bool, "int": int, "float": float}


@attrs.define(eq=False)
class _Node:
    """A value: its nodes and their depth counted; of a mapping that is open, the key read last."""

    value: Any
    at: int
    parts: dict[str | int, Place] = _NO_PARTS
    size: int = 1
    height: int = 0
    is_plain: bool = False
    key: str | None = None
    key_at: int = 0


@attrs.define(eq=False)
class _Reading:
    """A file that is being read: what is open (first a list of the documents) and has a name."""

    shown: str
    text: str
    stand_ins: Mapping[int, str]
    problems: Problems
    opened: list[_Node] = attrs.field(factory=lambda: [_Node([], 0, {})])
    named: dict[str | None, _Node] = attrs.field(factory=dict)
    aliased: int = 0


class _StopError(Exception):
    """What ends the reading: at which character, what is wrong, and what would be right."""


def read_yaml(path: Path, shown: str) -> Document:
    """Read a file of one YAML document, which is a list or a mapping.

    `CatalogueError` carries all that is wrong with it, up to the first error of syntax.
    """
    text = records.text_of(records.content_of(path, shown), shown)
    top = _composed(text, shown)
    locate = records.locator(shown, lambda: (text, top.parts[0]))
    return records.document(shown, top.value[0], locate)


def _composed(text: str, shown: str) -> _Node:
    """Build the value of a text from the parser's events, without recursion."""
    kept, stand_ins = _with_stand_ins(text)
    reading = _Reading(shown, text, stand_ins, Problems(shown))
    try:
        for event in yaml.parse(kept, Loader=_LOADER):
            mark = event.start_mark
            if mark is not None and type(event) in _EVENTS:
                _EVENTS[type(event)](reading, event, mark.index)
    except _StopError as error:
        _refuse(reading, Flaw(*error.args))
    except yaml.YAMLError as error:
        _refuse(reading, _told(error))
    reading.problems.refuse()
    if not reading.opened[0].value:
        raise CatalogueError(source=shown, problem="the file is empty")
    return reading.opened[0]


def _with_stand_ins(text: str) -> tuple[str, Mapping[int, str]]:
    """Put characters that the text has not in place of those that would be taken for line ends."""
    breaks = [each for each in _BREAKS if each in text]
    free = (chr(code) for code in range(0xE000, 0xF900) if chr(code) not in text)
    pairs = dict(zip(breaks, free, strict=False))
    for each, other in pairs.items():
        text = text.replace(each, other)
    return text, {ord(other): each for each, other in pairs.items()}


def _document(reading: _Reading, event: yaml.DocumentStartEvent, at: int) -> None:
    if reading.opened[0].value:
        raise _StopError(at, "a second document begins", "a file holds one")
    if event.version not in {None, (1, 2)}:
        _refuse(reading, Flaw(at, "asks for another YAML than 1.2", "leave out the %YAML line"))


def _scalar(reading: _Reading, event: yaml.ScalarEvent, at: int) -> None:
    is_plain = event.implicit[0]
    text = event.value.translate(reading.stand_ins) if reading.stand_ins else event.value
    try:
        value = _resolved(text, event.tag) if is_plain or event.tag else text
    except ValueError as error:
        _refuse(reading, Flaw(at, str(error)))
        value = text
    node = reading.named[event.anchor] = _Node(value, at, is_plain=is_plain)
    _put(reading, node)


def _resolved(text: str, tag: str | None) -> Json:
    """Give the value of a scalar by its tag, or by the core schema of YAML 1.2."""
    if tag in {"!", f"{_TAGS}str"}:
        return text
    value = _plain(text)
    if tag is None:
        return value
    name = tag.replace(_TAGS, "")
    if name == tag or name not in _KINDS:
        raise ValueError(f"unknown tag {tag.replace(_TAGS, '!!')}")
    if name == "float" and type(value) is int and abs(value) < 2**53:
        return float(value)
    if type(value) is not _KINDS[name]:
        raise ValueError(f"{brief(text)} is no {name}")
    return value


def _plain(text: str) -> Json:
    """Give the value of a plain scalar."""
    if text in _WORDS:
        return _WORDS[text]
    read = next((_NUMBERS[each] for each in _NUMBERS if each.fullmatch(text)), None)
    if read is None:
        return text
    number = read(text) if len(text) <= MAX_DIGITS + 2 else BIG
    if number - number != 0:
        raise ValueError(f"{text} is no number of JSON")
    if abs(number) >= BIG:
        raise ValueError(f"a number of more than {MAX_DIGITS:,} digits")
    return number


def _open(reading: _Reading, event: yaml.CollectionStartEvent, at: int) -> None:
    if len(reading.opened) > MAX_NESTING:
        raise _StopError(at, f"nested deeper than {MAX_NESTING} levels")
    is_mapping = isinstance(event, yaml.MappingStartEvent)
    if event.tag not in {None, "!", f"{_TAGS}{'map' if is_mapping else 'seq'}"}:
        _refuse(reading, Flaw(at, f"unknown tag {event.tag.replace(_TAGS, '!!')}"))
    reading.opened.append(_Node({} if is_mapping else [], at, {}, height=1))
    reading.named[event.anchor] = reading.opened[-1]


def _close(reading: _Reading, _: yaml.Event, __: int) -> None:
    _put(reading, reading.opened.pop())


def _alias(reading: _Reading, event: yaml.AliasEvent, at: int) -> None:
    """Put a copy of what an alias names, as long as the copies are few."""
    name = str(event.anchor)
    node = reading.named.get(name)
    if node is None:
        known = filter(None, reading.named)
        raise _StopError(at, f"no &{name} stands before *{name}", hint_for(name, known))
    if any(node is each for each in reading.opened):
        raise _StopError(at, f"*{name} stands inside of what it names")
    reading.aliased += node.size
    if reading.aliased > MAX_ALIASED:
        raise _StopError(at, f"aliases stand for more than {MAX_ALIASED:,} nodes")
    if len(reading.opened) - 1 + node.height > MAX_NESTING:
        raise _StopError(at, f"nested deeper than {MAX_NESTING} levels")
    _put(reading, attrs.evolve(node, value=copy_json(node.value), at=at))


def _put(reading: _Reading, node: _Node) -> None:
    """Put a value where it belongs: into the list, as the mapping's next key, or as its value."""
    top = reading.opened[-1]
    top.size += node.size
    top.height = max(top.height, node.height + 1)
    if type(top.value) is list:
        top.parts[len(top.value)] = Place(node.at, node.parts)
        top.value.append(node.value)
    elif top.key is None:
        top.key, top.key_at = _key(reading, node, top), node.at
    else:
        top.parts[top.key] = Place(top.key_at, node.parts)
        top.value[top.key] = node.value
        top.key = None


def _key(reading: _Reading, node: _Node, top: _Node) -> str:
    """Take a value as a key; one that is no string, or is there already, is refused."""
    key = node.value
    if type(key) is not str:
        problem = f"the key {brief(key)} is no string but {type_name(key)}"
        _refuse(reading, Flaw(node.at, problem, "quote it"))
        return brief(key)
    if key == "<<" and node.is_plain:
        problem = "YAML 1.2 has no merge key '<<'"
        _refuse(reading, Flaw(node.at, problem, "give a whole value by an alias"))
    elif key in top.parts:
        problem = f"the key {brief(key)} is there twice"
        _refuse(reading, Flaw(node.at, problem, first=top.parts[key].at))
    return key


def _refuse(reading: _Reading, flaw: Flaw) -> None:
    """Note a flaw, with the steps to the list or mapping that it is in."""
    around = reading.opened[1:-1]
    steps = [each.key or "" if type(each.value) is dict else len(each.value) for each in around]
    place = partial(records.spot, reading.shown, reading.text)
    reading.problems.add(partial(problem_of, attrs.evolve(flaw, steps=tuple(steps)), place))


def _told(error: yaml.YAMLError) -> Flaw:
    """Give the place and the words of an error of syntax."""
    said = vars(error)
    mark = said.get("problem_mark") or said.get("context_mark")
    at = mark.index if mark else said.get("position", 0)
    return Flaw(at, str(said.get("problem") or said.get("reason")), said.get("context"))


_EVENTS: Final[Mapping[type, Callable[[_Reading, Any, int], None]]] = {
    yaml.DocumentStartEvent: _document,
    yaml.ScalarEvent: _scalar,
    yaml.AliasEvent: _alias,
    yaml.MappingStartEvent: _open,
    yaml.SequenceStartEvent: _open,
    yaml.MappingEndEvent: _close,
    yaml.SequenceEndEvent: _close,
}
