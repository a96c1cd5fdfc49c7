"""What a run may cost, which is judged, and what it is given, which cuts it short."""

import attrs
from attrs import field

from evalkit.model import fields

COUNTS = ("max_turns", "max_calls", "max_input_tokens", "max_output_tokens", "compact_at_tokens")


def _checked(bounds: "Budget | Limits") -> None:
    """Refuse what is no number, and bounds that bound nothing."""
    noun = type(bounds).__name__
    given = {name: value for name, value in attrs.asdict(bounds).items() if value is not None}
    if not given:
        names = ", ".join(each.name for each in attrs.fields(type(bounds)))
        fields.fail(noun, "bounds nothing", f"give one of {names}, or leave it out")
    for name, value in given.items():
        if name not in COUNTS:
            fields.not_negative(f"{noun}.{name}", value)
        else:
            least = 1 if noun == "Limits" else 0
            fields.count(f"{noun}.{name}", value, least)


@attrs.frozen(kw_only=True)
class Budget:
    """What a run of an agent must keep within; each is a check on the trace, and stops nothing.

    `max_turns` counts turns of the model, `max_calls` calls of tools; cost is in US dollars.

    >>> Budget(max_turns=4).max_turns
    4
    """

    max_turns: int | None = field(default=None)
    max_calls: int | None = field(default=None)
    max_input_tokens: int | None = field(default=None)
    max_output_tokens: int | None = field(default=None)
    max_cost_usd: float | None = field(default=None)
    max_seconds: float | None = field(default=None)

    def __attrs_post_init__(self) -> None:
        """Check the numbers."""
        _checked(self)


@attrs.frozen(kw_only=True)
class Limits:
    """What a run of an agent is given; one that is cut short by it fails, `stopped_by_limit`.

    `max_turns` and `compact_at_tokens` are the agent's to keep to; after `max_calls` calls of tools
    (1,000 unless given) it is cut short.

    >>> Limits(max_turns=8).compact_at_tokens is None
    True
    """

    max_turns: int | None = field(default=None)
    max_calls: int | None = field(default=None)
    compact_at_tokens: int | None = field(default=None)

    def __attrs_post_init__(self) -> None:
        """Check the numbers."""
        _checked(self)
