"""What an author says about tools beyond a plain function: how one is called, and what it needs."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import attrs
from attrs import field

from evalkit.jsonvalue import Json
from evalkit.model import fields

STYLES = ("kwargs", "dict")


def _handler(value: Callable[..., Any]) -> Callable[..., Any]:
    if not callable(value):
        fields.fail("Tool.handler", f"expected a function, got {value!r}")
    return value


@attrs.frozen
class Tool:
    """A handler with what its signature does not say.

    `style` is how it is called: "kwargs" (an argument each) or "dict" (all of them as one dict).
    `schema` is a JSON Schema that arguments are checked against. `error_if` is put to the JSON
    result: where it answers with anything true, the call counts as one that raised, and a string it
    gives is the message.
    """

    handler: Callable[..., Any] = field(converter=_handler)
    style: Literal["kwargs", "dict"] | None = field(default=None, kw_only=True)
    schema: dict[str, Json] | None = field(default=None, kw_only=True)
    error_if: Callable[[Json], bool | str | None] | None = field(default=None, kw_only=True)

    def __attrs_post_init__(self) -> None:
        """Refuse what no call could honour."""
        if self.style is not None:
            fields.one_of("Tool.style", self.style, STYLES)
        if self.schema is not None:
            object.__setattr__(self, "schema", fields.json_object("Tool.schema", self.schema))
        if self.error_if is not None and not callable(self.error_if):
            fields.fail("Tool.error_if", f"expected a function, got {self.error_if!r}")


class Env:
    """What a factory gives for one scenario: its tools, and the resources they stand on.

    >>> Env({"ping": lambda: "pong"}, db="a connection").db
    'a connection'
    """

    def __init__(self, tools: Mapping[str, Any], **resources: Any) -> None:  # noqa: ANN401
        """Take the table of tools, and anything else by name."""
        self.tools = tools
        self.resources = resources

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        """Give a resource by its name."""
        try:
            return self.__dict__["resources"][name]
        except KeyError:
            known = ", ".join(map(repr, self.__dict__.get("resources", ()))) or "none"
            raise AttributeError(f"no resource {name!r}; known: {known}") from None
