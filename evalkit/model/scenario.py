"""What a scenario is: what is asked, the tool calls that answer it, and what must hold."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

import attrs
from attrs import field

from evalkit.errors import CatalogueError
from evalkit.intervals import MOST_EPOCHS
from evalkit.jsonvalue import Json, brief
from evalkit.model import fields
from evalkit.model.answers import Answers, answers_of
from evalkit.model.assertion import Assertion
from evalkit.model.tool_call import ToolCall

if TYPE_CHECKING:
    from evalkit.model.bounds import Budget, Limits
    from evalkit.model.material import Attachment, FewShot
    from evalkit.model.state import State
else:  # few scenarios have them, and it costs 5 ms to make their classes
    Attachment = Budget = FewShot = Limits = State = Any

MATCHINGS = ("in_order", "exact", "any_order", "off")
Matching = Literal["in_order", "exact", "any_order", "off"]
DIFFICULTIES = ("basic", "standard", "advanced")
Role = Literal["user", "assistant", "system"]
ROLES = ("user", "assistant", "system")


def _role(value: Role) -> Role:
    return fields.one_of("Turn.role", value, ROLES)  # type: ignore[return-value]


def _content(value: str) -> str:
    return fields.prose("Turn.content", value)


@attrs.frozen
class Turn:
    """One message of a prompt: who says it, and what.

    >>> Turn("user", "Where is my order?").role
    'user'
    """

    role: Role = field(converter=_role)
    content: str = field(converter=_content)


Prompt = str | tuple[str, ...] | tuple[Turn, ...]


def _name(value: str) -> str:
    return fields.text("Scenario.name", value)


def _prompt(value: str | Sequence[str] | Sequence[Turn] | None) -> Prompt | None:
    """Take one turn as a string, several as a list of strings or of `Turn`; none is blank."""
    if value is None:
        return None
    if type(value) is str:
        return _said(value, "Scenario.prompt")
    turns = tuple(value) if isinstance(value, list | tuple) else ()
    if not turns:
        hint = "a string, or a list of strings or of Turn; leave it out where there is none"
        fields.fail("Scenario.prompt", f"expected a prompt, got {value!r}", hint)
    for index, turn in enumerate(turns):
        said = turn.content if isinstance(turn, Turn) else fields.prose("Scenario.prompt", turn)
        _said(said, f"Scenario.prompt[{index}]")
    if len({type(turn) for turn in turns}) > 1:
        fields.fail("Scenario.prompt", "mixes strings and Turn", "use one of them throughout")
    return turns


def _said(value: str, where: str) -> str:
    if not value or value.isspace():
        fields.fail(where, "is blank", "leave it out where there is no prompt")
    return value


def _tool_calls(value: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
    return fields.several("Scenario.tool_calls", value, ToolCall)


def _tags(value: Iterable[str]) -> tuple[str, ...]:
    """Take tags as a set in the author's order: one that stands twice counts once."""
    tags = fields.texts("Scenario.tags", value)
    return tuple(dict.fromkeys(tags)) if len(tags) > 1 else tags


def _assertions(value: Iterable[Assertion]) -> tuple[Assertion, ...]:
    return fields.several("Scenario.assertions", value, Assertion) if value else ()


def _forbid_tools(value: Iterable[str]) -> tuple[str, ...]:
    if value == ():
        return ()
    return tuple(dict.fromkeys(fields.texts("Scenario.forbid_tools", value)))


def _few_shot(value: Iterable[FewShot]) -> tuple[FewShot, ...]:
    if value == ():
        return ()
    kind: type[FewShot] = import_module("evalkit.model.material").FewShot
    return fields.several("Scenario.few_shot", value, kind)


def _attachments(value: Iterable[Attachment]) -> tuple[Attachment, ...]:
    if value == ():
        return ()
    kind: type[Attachment] = import_module("evalkit.model.material").Attachment
    return fields.several("Scenario.attachments", value, kind)


def _metadata(value: Mapping[str, Json] | None) -> dict[str, Json] | None:
    return None if value is None else fields.json_object("Scenario.metadata", value)


@attrs.frozen
class Scenario:
    """One thing to try: a prompt, the tool calls it comes down to, and what must hold.

    `tool_calls` are made in order against the tools. `assertions` are put to the whole trace;
    `answers` are the gold answers that the response is held against: a list of them, or `Answers`.
    A scenario without a prompt is for the tools only; one without tool calls, for agents only.
    `epochs` is how many times it is run, unless the run says another number, with the tools of a
    factory opened afresh each time; it passes where `pass_epochs` of them do, all unless given.
    `timeout_s` bounds an epoch as a whole. `xfail` gives the reason why it is known to fail, `skip`
    why it is not to be run. `state` is what must be there when it is over.

    Under an agent, the prompt is put to it (several turns, one after the other, on one
    conversation), after the `system_prompt`; `few_shot`, `attachments` and `session_id` are handed
    to it. Its own calls are then held against `tool_calls`: in this order, others between them
    allowed (`match`), or exactly these, or in any order, or not at all ("off"). It may call none of
    `forbid_tools`. `hygiene` asks that no call had malformed arguments or an invented tool; one
    that it repaired is forgiven, unless "strict". `budget` must be kept to, `limits` are given.

    `metadata` is any JSON, for the author's own use. `source` is where it was registered, and
    `home` the catalogue that it was registered in; neither is part of equality.

    >>> Scenario("stock_is_counted", tool_calls=[ToolCall("count", {"sku": "oak"})]).difficulty
    'standard'
    """

    name: str = field(converter=_name)
    prompt: Prompt | None = field(default=None, converter=_prompt)
    tool_calls: tuple[ToolCall, ...] = field(default=(), converter=_tool_calls)
    tags: tuple[str, ...] = field(default=(), converter=_tags)
    description: str = ""
    difficulty: Literal["basic", "standard", "advanced"] = "standard"
    assertions: tuple[Assertion, ...] = field(default=(), converter=_assertions, kw_only=True)
    answers: Answers | None = field(default=None, converter=answers_of, kw_only=True)
    epochs: int | None = field(default=None, kw_only=True)
    pass_epochs: int | None = field(default=None, kw_only=True)
    timeout_s: float | None = field(default=None, kw_only=True)
    xfail: str | None = field(default=None, kw_only=True)
    metadata: dict[str, Json] | None = field(default=None, converter=_metadata, kw_only=True)
    skip: str | None = field(default=None, kw_only=True)
    state: State | None = field(default=None, kw_only=True)
    match: Matching = field(default="in_order", kw_only=True)
    forbid_tools: tuple[str, ...] = field(default=(), converter=_forbid_tools, kw_only=True)
    hygiene: bool | Literal["strict"] = field(default=True, kw_only=True)
    budget: Budget | None = field(default=None, kw_only=True)
    limits: Limits | None = field(default=None, kw_only=True)
    system_prompt: str | None = field(default=None, kw_only=True)
    few_shot: tuple[FewShot, ...] = field(default=(), converter=_few_shot, kw_only=True)
    attachments: tuple[Attachment, ...] = field(default=(), converter=_attachments, kw_only=True)
    session_id: str | None = field(default=None, kw_only=True)
    source: str | None = field(default=None, kw_only=True, eq=False)
    home: Any = field(default=None, init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        """Check what has no converter; the rarely used fields only where one of them was used."""
        if type(self.description) is not str:
            fields.prose("Scenario.description", self.description)
        if self.difficulty not in DIFFICULTIES:
            fields.one_of("Scenario.difficulty", self.difficulty, DIFFICULTIES)
        if self.hygiene is not True or self.match != "in_order":
            fields.one_of("Scenario.match", self.match, MATCHINGS)
            if self.hygiene is not False and self.hygiene is not True and self.hygiene != "strict":
                problem = f"unknown value {brief(self.hygiene)}"
                fields.fail("Scenario.hygiene", problem, "one of True, False, 'strict'")
        if self.timeout_s is not None or self.epochs is not None or self.pass_epochs is not None:
            _check_numbers(self)
        rare = self.xfail, self.skip, self.state, self.budget, self.limits
        if (*rare, self.system_prompt, self.session_id) != _USUAL:
            _check_unusual(self)

    @staticmethod
    def single(
        id: str,  # noqa: A002  - the name that the seeds use
        prompt: str,
        expected: str,
        metadata: Mapping[str, Json] | None = None,
    ) -> "Scenario":
        """Make a question of one turn with one gold answer.

        >>> Scenario.single("capital", "What is the capital of France?", "Paris").answers.golds
        ('Paris',)
        """
        return Scenario(id, prompt, answers=[expected], metadata=metadata)

    def primary_prompt(self) -> str:
        """Give the text of the first user turn; `CatalogueError` names a scenario that has none."""
        if isinstance(self.prompt, str):
            return self.prompt
        for turn in self.prompt or ():
            if isinstance(turn, str):
                return turn
            if turn.role == "user":
                return turn.content
        raise CatalogueError(self.name, "has no user turn", source=self.source)

    def but(self, **changes: Any) -> "Scenario":  # noqa: ANN401
        """Give a copy with some fields changed, at home in the same catalogue."""
        changed = attrs.evolve(self, **changes)
        object.__setattr__(changed, "home", self.home)
        return changed

    def __getstate__(self) -> dict[str, Any]:
        """Be copied and sent without the catalogue, which leads to tools and modules."""
        names = (each.name for each in attrs.fields(Scenario) if each.name != "home")
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Come back without a home."""
        for name, value in {**state, "home": None}.items():
            object.__setattr__(self, name, value)


def _noun(module: str, name: str) -> Callable[[str, Any], Any]:
    """Ask for one kind of noun, whose module whoever has one has imported."""

    def check(where: str, value: object) -> None:
        if type(value) is not getattr(import_module(module), name):
            fields.fail(where, f"expected {name}(...), got {brief(value)}")

    return check


def _prose(where: str, value: object) -> None:
    _said(fields.prose(where, value), where)


_UNUSUAL: tuple[tuple[str, Callable[[str, Any], Any]], ...] = (
    ("xfail", fields.text),
    ("skip", fields.text),
    ("state", _noun("evalkit.model.state", "State")),
    ("budget", _noun("evalkit.model.bounds", "Budget")),
    ("limits", _noun("evalkit.model.bounds", "Limits")),
    ("system_prompt", _prose),
    ("session_id", fields.text),
)
"""The fields that few scenarios give, each with what it takes."""
_USUAL = (None,) * len(_UNUSUAL)


def _check_unusual(scenario: Scenario) -> None:
    for name, check in _UNUSUAL:
        value = getattr(scenario, name)
        if value is not None:
            check(f"Scenario.{name}", value)


def _check_numbers(scenario: Scenario) -> None:
    if scenario.timeout_s is not None:
        fields.positive("Scenario.timeout_s", scenario.timeout_s)
    if scenario.epochs is not None:
        fields.count("Scenario.epochs", scenario.epochs, 1, MOST_EPOCHS)
    if scenario.pass_epochs is not None:
        fields.count("Scenario.pass_epochs", scenario.pass_epochs, 1, MOST_EPOCHS)
