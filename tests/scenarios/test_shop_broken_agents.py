"""Broken agents of the order desk: the right checks notice each, and no others do."""

import importlib
import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attrs
import pytest

import evalkit
from evalkit import Catalogue, Check, Limits, RunReport, ScenarioResult, Status

SHOP = Path(__file__).parents[2] / "scenarios" / "shop.py"
WHOLE = frozenset({"missing_call", "no_error", "tool_raised", "unsaved_value"})
"""The codes that are about a call as a whole, and not about one value of it."""

Conversation = list[dict[str, str]]
Agent = Callable[[Conversation, Any], str]
Tools = dict[str, Callable[..., Any]]
Way = Callable[[Tools, str, dict[str, Any]], Any]
"""A way to break an agent: it is given the tools, and the call that the agent would make."""
Expected = dict[str, list[str]]
"""What fails, by scenario: for each step, and for the trace, the paths by code."""


@attrs.frozen
class Shop:
    """The catalogue without the scenario that is wrong on purpose, its agent, and its desk."""

    catalogue: Catalogue
    answer: Agent
    desk: Any


@pytest.fixture(scope="module")
def shop() -> Shop:
    """What stands in the folder of the scenarios; loading one file makes the others importable."""
    catalogue = evalkit.load(SHOP).select(tags=["not:wrong"])
    agent, desk = importlib.import_module("shop_agent"), importlib.import_module("order_desk")
    return Shop(catalogue, agent.answer, desk)


def wrong_tool(shop: Shop) -> Agent:
    """It cancels what it should audit, and tells of an audit."""

    def way(tools: Tools, tool: str, args: dict[str, Any]) -> Any:
        if tool != "audit_order":
            return tools[tool](**args)
        with suppress(ValueError):
            tools["cancel_order"](**args)
        return on_a_copy(shop, tool, args)

    return broken(shop, way)


def wrong_argument(shop: Shop) -> Agent:
    """It sends everything by post."""

    def way(tools: Tools, tool: str, args: dict[str, Any]) -> Any:
        return tools[tool](**{**args, "carrier": "post"} if tool == "ship_order" else args)

    return broken(shop, way)


def other_words(shop: Shop) -> Agent:
    """It looks for the plural of what is asked for."""

    def way(tools: Tools, tool: str, args: dict[str, Any]) -> Any:
        query = {"query": f"{args['query']}s"} if tool == "search_products" else {}
        return tools[tool](**args | query)

    return broken(shop, way)


def omitted_argument(shop: Shop) -> Agent:
    """It refunds without an amount, so all that is left."""

    def way(tools: Tools, tool: str, args: dict[str, Any]) -> Any:
        if tool == "refund":
            args.pop("amount_cents", None)
        return tools[tool](**args)

    return broken(shop, way)


def extra_call(shop: Shop) -> Agent:
    """It looks around in the shop before it places an order."""

    def way(tools: Tools, tool: str, args: dict[str, Any]) -> Any:
        if tool == "place_order":
            tools["search_products"](query="tea")
        return tools[tool](**args)

    return broken(shop, way)


def order_swapped(shop: Shop) -> Agent:
    """It takes two orders that are named together the other way round."""

    def answer(conversation: Conversation, ctx: Any) -> str:
        swapped = [
            {**said, "content": re.sub(r"(\d{4}) and (\d{4})", r"\2 and \1", said["content"])}
            for said in conversation
        ]
        return shop.answer(swapped, ctx)

    return answer


def no_call(shop: Shop) -> Agent:
    """It says that it has cancelled, and has not."""

    def way(tools: Tools, tool: str, args: dict[str, Any]) -> Any:
        if tool == "cancel_order":
            return on_a_copy(shop, tool, args)
        return tools[tool](**args)

    return broken(shop, way)


def stale_value(shop: Shop) -> Agent:
    """It goes on with an earlier order than the one that it has just placed."""

    def way(tools: Tools, tool: str, args: dict[str, Any]) -> Any:
        result = tools[tool](**args)
        return {**result, "order_id": 1005} if tool == "place_order" else result

    return broken(shop, way)


def lies(shop: Shop) -> Agent:
    """It does all as it should, and is one euro out in what it says."""

    def answer(conversation: Conversation, ctx: Any) -> str:
        told = shop.answer(conversation, ctx)
        return re.sub(r"\d+(?=\.\d\d euros)", lambda whole: str(int(whole[0]) + 1), told)

    return answer


def loops(shop: Shop) -> Agent:
    """It tries what was refused again, for ever."""

    def way(tools: Tools, tool: str, args: dict[str, Any]) -> Any:
        while True:
            with suppress(LookupError, ValueError):
                return tools[tool](**args)

    return broken(shop, way)


def raises(shop: Shop) -> Agent:
    """It is not prepared for a refusal."""

    def way(tools: Tools, tool: str, args: dict[str, Any]) -> Any:
        try:
            return tools[tool](**args)
        except (LookupError, ValueError) as refusal:
            raise RuntimeError("no plan for this") from refusal

    return broken(shop, way)


def broken(shop: Shop, way: Way) -> Agent:
    """The agent, with tools that are called in another way."""

    def answer(conversation: Conversation, ctx: Any) -> str:
        tools = {tool: partial(called, way, ctx.tools, tool) for tool in ctx.tools}
        return shop.answer(conversation, SimpleNamespace(tools=tools))

    return answer


def called(way: Way, tools: Tools, tool: str, **args: Any) -> Any:
    """One call of a tool, made in that way."""
    return way(tools, tool, args)


def on_a_copy(shop: Shop, tool: str, args: dict[str, Any]) -> Any:
    """What a tool answers on another database, so that nothing is called and nothing done."""
    return shop.desk.OrderDesk(shop.desk.open_database()).tools()[tool](**args)


def ends_at_a_refusal(code: str) -> Expected:
    """What fails where an agent does not come past a refusal."""
    alone = [f"trace: {code} stop_cause"]
    unsaid = [f"trace: no_answer response; {code} stop_cause"]
    undone = ["1: missing_call", f"trace: wrong_calls calls; {code} stop_cause"]
    return {
        "unknown_customer": alone,
        "misspelt_sku": unsaid,
        "unknown_order": alone,
        "unknown_status": unsaid,
        "a_refused_order_takes_nothing": [
            "1: missing_call",
            f"trace: wrong_value errors; wrong_calls calls; {code} stop_cause",
        ],
        "an_order_of_nothing": alone,
        "expired_voucher": alone,
        "voucher_needs_its_minimum": alone,
        "each_voucher_once_a_customer": [
            "2: missing_call",
            f"trace: wrong_value calls[*].tool errors; wrong_calls calls; {code} stop_cause",
        ],
        "unknown_carrier": undone,
        "a_cancelled_order_never_ships": [
            f"trace: wrong_value responses; unresolved_path responses[1]; {code} stop_cause"
        ],
        "too_late_to_cancel": undone,
        "no_more_than_was_paid": [
            f"trace: wrong_value errors[*].type; no_answer response; {code} stop_cause"
        ],
        "refund_window_is_over": unsaid,
        "nothing_to_refund_before_delivery": alone,
        "a_month_that_is_none": alone,
    }


BOTH_MISSING = ["0: missing_call", "1: missing_call"]
BROKEN: dict[str, tuple[Callable[[Shop], Agent], Expected]] = {
    "wrong_tool": (
        wrong_tool,
        {
            "audit_finds_nothing": ["0: missing_call", "trace: wrong_calls calls"],
            "audit_finds_an_unpaid_shipment": [
                "0: missing_call",
                "trace: wrong_calls calls; forbidden_call calls",
            ],
            "audit_finds_money_gone_astray": [*BOTH_MISSING, "trace: wrong_calls calls"],
            "shipping_ends_the_delay": [
                "0: missing_call",
                "1: tool_raised",
                "2: missing_call",
                "trace: wrong_calls calls",
            ],
        },
    ),
    "wrong_argument": (
        wrong_argument,
        {
            "shipping_charges_the_customer": ["2: missing_call", "trace: wrong_calls calls"],
            "two_parcels_out": ["1: missing_call", "trace: wrong_calls calls"],
            "unknown_carrier": [
                "0: missing_call",
                "1: wrong_value status",
                "trace: wrong_calls calls",
            ],
        },
    ),
    "other_words": (
        other_words,
        {
            "price_of_the_kettle": ["0: wrong_argument query; wrong_value query"],
            "tea_things_under_twenty_euros": ["0: missing_call", "trace: wrong_calls calls"],
            "the_last_tray": [
                "0: missing_call; unsaved_value",
                "1: unsaved_value",
                "2: missing_call",
                "trace: wrong_calls calls",
            ],
        },
    ),
    "omitted_argument": (
        omitted_argument,
        {
            "half_now_and_half_later": [
                (
                    "1: wrong_argument amount_cents; "
                    "wrong_value amount_cents refunded_cents left_cents"
                ),
                "2: wrong_argument amount_cents; tool_raised",
                "3: wrong_value events[?(@.event == 'refunded')].note",
            ],
            "no_more_than_was_paid": [
                "0: missing_call",
                "trace: wrong_value errors[*].type; wrong_calls calls",
            ],
        },
    ),
    "extra_call": (
        extra_call,
        {
            "small_order_pays_shipping": ["trace: wrong_calls calls"],
            "gold_ships_for_nothing": ["trace: over_budget calls"],
            "each_voucher_once_a_customer": ["trace: wrong_value calls[*].tool"],
        },
    ),
    "order_swapped": (
        order_swapped,
        {"two_orders_called_off": ["1: missing_call", "trace: wrong_calls calls"]},
    ),
    "no_call": (
        no_call,
        {
            "cancelling_gives_everything_back": [
                "2: missing_call",
                "3: wrong_value stock on_order",
                "trace: wrong_calls calls",
            ],
            "two_orders_called_off": [
                *BOTH_MISSING,
                "trace: wrong_state state.cancelled; wrong_calls calls",
            ],
            "cancelled_is_no_longer_open": [
                "1: missing_call",
                "2: wrong_value orders[*].order_id orders[*].order_id",
                "trace: wrong_calls calls",
            ],
            "a_cancelled_order_never_ships": [
                "0: missing_call",
                "1: no_error",
                "trace: wrong_value responses[1]; wrong_calls calls",
            ],
            "too_late_to_cancel": ["0: missing_call", "trace: wrong_calls calls"],
        },
    ),
    "stale_value": (
        stale_value,
        {
            "each_voucher_once_a_customer": [
                "1: wrong_argument order_id",
                "2: wrong_argument order_id; tool_raised",
                "trace: wrong_value errors",
            ],
            "one_voucher_for_two_customers": ["1: wrong_argument order_id; tool_raised"],
            "shipping_charges_the_customer": [
                "1: wrong_argument order_id; tool_raised; unsaved_value",
                "2: wrong_argument order_id; wrong_value order_id parcels[*].pieces; unsaved_value",
                "3: wrong_argument order_id; unsaved_value",
                "trace: wrong_value errors response",
            ],
            "cancelling_gives_everything_back": [
                "1: wrong_argument order_id; tool_raised",
                "2: wrong_argument order_id; wrong_value order_id freed_voucher restocked",
                "3: wrong_value stock on_order",
            ],
        },
    ),
    "lies": (
        lies,
        {
            "price_of_the_kettle": ["trace: wrong_value response"],
            "as_many_cups_as_oolong": ["trace: wrong_value response"],
            "shipping_charges_the_customer": ["trace: wrong_value response"],
            "spending_grows_when_the_parcel_leaves": ["trace: wrong_value response"],
            "half_now_and_half_later": ["trace: wrong_value response"],
            "report_of_may": ["trace: wrong_value response"],
        },
    ),
    "loops": (loops, ends_at_a_refusal("stopped_by_limit")),
    "raises": (raises, ends_at_a_refusal("agent_raised")),
}
"""Each broken agent, with all that fails."""


@pytest.mark.parametrize("name", list(BROKEN))
def test_the_right_checks_notice(name: str, shop: Shop) -> None:
    """Exactly the checks of the table fail, on its scenarios alone; all else passes."""
    breaking, expected = BROKEN[name]
    scenarios = [scenario.but(limits=Limits(max_calls=20)) for scenario in shop.catalogue]
    report = evalkit.run(scenarios, agent=breaking(shop))
    assert {result.name: failures(result.checks) for result in bad(report)} == expected


def test_nothing_fails_where_nothing_is_broken(shop: Shop) -> None:
    """The same tools and limits, with each call made as the agent makes it."""
    whole = broken(shop, lambda tools, tool, args: tools[tool](**args))
    scenarios = [scenario.but(limits=Limits(max_calls=20)) for scenario in shop.catalogue]
    assert bad(evalkit.run(scenarios, agent=whole)) == []


def bad(report: RunReport) -> list[ScenarioResult]:
    """The results that are neither passed nor known to fail."""
    fine = {Status.PASSED, Status.XFAILED}
    return [result for result in report.results if result.status not in fine]


def failures(found: list[Check]) -> list[str]:
    """What failed, as the table writes it: for each step, and for the trace, paths by code."""
    told: dict[str, dict[str, list[str]]] = {}
    for check in found:
        if check.status in (Status.FAILED, Status.ERROR) and check.assertion.severity == "fail":
            of_step = told.setdefault("trace" if check.step is None else str(check.step), {})
            paths = of_step.setdefault(str(check.code), [])
            if check.code not in WHOLE:
                paths.append(check.path)
    return [
        f"{step}: " + "; ".join(" ".join([code, *paths]) for code, paths in codes.items())
        for step, codes in told.items()
    ]
