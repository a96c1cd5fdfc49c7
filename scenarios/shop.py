"""The order desk of a tea shop, held to its promises.

`python -m evalkit scenarios/shop.py` runs it. One scenario, tagged `wrong`, expects what the desk
never promised, so that a failure can be looked at; `-t not:wrong` leaves it out.

Each prompt says all that its calls need to know, so that the same catalogue can be put to an agent:
`--agent scenarios.shop_agent:answer` does. Then what is asserted of the response is looked at as
well, with what only an agent can get wrong: other calls, more of them, or arguments of its own.
"""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

from order_desk import OrderDesk, open_database

from evalkit import Answers, Assertion, Budget, Env, Op, Ref, Scenario, State, ToolCall, _s


def fresh_desk() -> Iterator[Env]:
    """A desk for one scenario, on a database of its own that is closed after the last call."""
    with closing(open_database()) as db:
        yield Env(OrderDesk(db).tools(), db=db)


TOOL_DISPATCH = fresh_desk


def books(env: Env) -> dict[str, Any]:
    """What the shop's books say in the end: the stock by SKU, and which orders are cancelled."""
    cancelled = "select order_id from orders where status = 'cancelled' order by order_id"
    return {
        "stock": dict(env.db.execute("select sku, stock from products").fetchall()),
        "cancelled": [order_id for (order_id,) in env.db.execute(cancelled)],
    }


_s(
    Scenario(
        name="customer_by_email",
        prompt="My address is Mira@Example.org. Am I a gold customer yet?",
        tags=["customer", "lookup"],
        difficulty="basic",
        tool_calls=[
            ToolCall(
                "find_customer",
                {"email": "Mira@Example.org"},
                [
                    Assertion("customer_id", Op.EQ, 1),
                    Assertion("name", Op.EQ, "Mira Okafor"),
                    Assertion("email", Op.EQ, "mira@example.org"),
                    Assertion("tier", Op.EQ, "gold"),
                    Assertion("orders", Op.EQ, 3),
                    Assertion("spent_cents", Op.EQ, 8310),
                    Assertion("", Op.LACKS_KEY, "password_hash", "no secret leaves the desk"),
                ],
            )
        ],
        answers=Answers(["gold"], match="contains"),
    )
)

_s(
    Scenario(
        name="new_customer_has_spent_nothing",
        prompt="What has li.na@example.org ordered and spent so far?",
        tags=["customer", "lookup"],
        difficulty="basic",
        tool_calls=[
            ToolCall(
                "find_customer",
                {"email": "li.na@example.org"},
                [
                    Assertion("orders", Op.EQ, 0),
                    Assertion("spent_cents", Op.EQ, 0, "a sum over no orders is 0, not null"),
                    Assertion("tier", Op.IN, ["gold", "regular"]),
                ],
            )
        ],
    )
)

_s(
    Scenario(
        name="unknown_customer",
        prompt="Please look up the customer with the address nobody@example.org.",
        tags=["customer", "lookup", "refusal"],
        difficulty="basic",
        tool_calls=[
            ToolCall(
                "find_customer",
                {"email": "nobody@example.org"},
                [
                    Assertion("error.type", Op.EQ, "NotFoundError"),
                    Assertion("error.message", Op.NOT_CONTAINS, "mira", "names no other customer"),
                ],
                expect_error="no customer 'nobody@example.org'",
            )
        ],
    )
)

_s(
    Scenario(
        name="price_of_the_kettle",
        prompt="What does your enamel kettle cost, and do people like it?",
        tags=["lookup", "products"],
        difficulty="basic",
        tool_calls=[
            ToolCall(
                "search_products",
                {"query": "kettle"},
                [
                    Assertion("query", Op.MATCHES, "kettle$"),
                    Assertion("count", Op.EQ, 1),
                    Assertion("products[0].sku", Op.EQ, "kettle-1l"),
                    Assertion("products[0].price_cents", Op.EQ, 4900),
                    Assertion("products[0].rating", Op.BETWEEN, [4.5, 5.0]),
                ],
                arg_assertions=[Assertion("query", Op.MATCHES, "(?i)^(enamel )?kettle$")],
            )
        ],
        answers=Answers(["49 euros"], match="numeric"),
    )
)

_s(
    Scenario(
        name="tea_things_under_twenty_euros",
        prompt="Which tea things for 20 euros or less do you have in stock?",
        tags=["lookup", "products"],
        difficulty="standard",
        tool_calls=[
            ToolCall(
                "search_products",
                {"query": "tea", "max_price_cents": 2000, "in_stock": True},
                [
                    Assertion("count", Op.EQ, 3),
                    Assertion(
                        "products[*].sku", Op.SAME_ITEMS, ["tin-oolong", "tin-sencha", "strainer"]
                    ),
                    Assertion("products[*].price_cents", Op.LTE, 2000, each="all"),
                    Assertion(
                        "products[*].price_cents", Op.EQ, [690, 1640, 1890], "cheapest first"
                    ),
                    Assertion("products[*].stock", Op.GT, 0, each="all"),
                    Assertion("products[*].stock", Op.EQ, [60, 3, 25]),
                    Assertion("products[*].rating", Op.EQ, [3.9, 4.7, 4.9]),
                    Assertion("products[*].category", Op.IN, ["tea", "tools"], each="all"),
                    Assertion("products[*].name", Op.MATCHES, "(?i)tea|tin of", each="all"),
                ],
            )
        ],
    )
)

_s(
    Scenario(
        name="search_forgives_a_typo",
        prompt="Do you sell a ketle?",
        tags=["lookup", "products"],
        difficulty="basic",
        tool_calls=[
            ToolCall("search_products", {"query": "ketle"}, [Assertion("count", Op.GTE, 1)]),
        ],
        xfail="the search knows no near misses yet",
    )
)

_s(
    Scenario(
        name="white_cups_are_sold_out",
        prompt="When will the white stoneware cups (cup-white) be back?",
        tags=["lookup", "stock"],
        difficulty="basic",
        tool_calls=[
            ToolCall(
                "check_stock",
                {"sku": "cup-white"},
                [
                    Assertion("sku", Op.EQ, "cup-white"),
                    Assertion("name", Op.CONTAINS, "white"),
                    Assertion("stock", Op.EQ, 0),
                    Assertion("on_order", Op.EQ, 0),
                    Assertion("low", Op.IS_TRUE),
                    Assertion("expected_on", Op.EQ, "2024-06-28"),
                ],
            )
        ],
        assertions=[Assertion("response", Op.MATCHES, r"2024-06-28|28 June|June 28")],
    )
)

_s(
    Scenario(
        name="plenty_of_blue_cups",
        prompt="Could you send me thirty of the blue cups (cup-blue), or must you order more?",
        tags=["lookup", "stock"],
        difficulty="basic",
        tool_calls=[
            ToolCall(
                "check_stock",
                {"sku": "cup-blue"},
                [
                    Assertion("stock", Op.GTE, 30),
                    Assertion("low", Op.IS_FALSE),
                    Assertion("expected_on", Op.IS_NULL, description="nothing more is on its way"),
                ],
            )
        ],
    )
)

_s(
    Scenario(
        name="misspelt_sku",
        prompt="How many of kettel-1l are left?",
        tags=["lookup", "refusal", "stock"],
        difficulty="basic",
        tool_calls=[
            ToolCall(
                "check_stock",
                {"sku": "kettel-1l"},
                expect_error="no product 'kettel-1l', did you mean 'kettle-1l'",
            )
        ],
        assertions=[Assertion("response", Op.CONTAINS, "kettle-1l")],
    )
)

_s(
    Scenario(
        name="where_is_my_parcel",
        prompt="Where is my order 1004?",
        tags=["lookup", "order"],
        difficulty="basic",
        tool_calls=[
            ToolCall(
                "find_order",
                {"order_id": 1004},
                [
                    Assertion("status", Op.EQ, "shipped"),
                    Assertion("placed_on", Op.EQ, "2024-06-10"),
                    Assertion("delivered_on", Op.IS_NULL),
                    Assertion("events[*].event", Op.EQ, ["placed", "charged", "shipped"]),
                    Assertion("events[-1].note", Op.EQ, "post"),
                    Assertion(
                        "events[*].day", Op.BETWEEN, ["2024-06-10", "2024-06-14"], each="all"
                    ),
                ],
            )
        ],
    )
)

_s(
    Scenario(
        name="order_in_full",
        prompt="Send me the full invoice of order 1007, please, with the VAT.",
        tags=["lookup", "money", "order"],
        difficulty="standard",
        tool_calls=[
            ToolCall(
                "find_order",
                {"order_id": 1007},
                [
                    Assertion("order_id", Op.EQ, 1007),
                    Assertion("customer", Op.EQ, {"customer_id": 2, "name": "Jonas Weber"}),
                    Assertion("items", Op.LEN_EQ, 2),
                    Assertion("items[*].sku", Op.EQ, ["kettle-1l", "cup-blue"]),
                    Assertion("items[*].name", Op.CONTAINS, "Stoneware cup, blue"),
                    Assertion("items[*].quantity", Op.EQ, [1, 4]),
                    Assertion("items[*].price_cents", Op.EQ, [4900, 1250]),
                    Assertion("items[*].total_cents", Op.EQ, [4900, 5000]),
                    Assertion(
                        "payment",
                        Op.EQ,
                        {
                            "subtotal_cents": 9900,
                            "discount_cents": 990,
                            "shipping_cents": 0,
                            "total_cents": 8910,
                            "vat_cents": 1423,
                            "charged_cents": 8910,
                            "refunded_cents": 0,
                        },
                        "8910 / 119 * 19 is 1422.6, and half a cent goes up",
                        weight=3,
                    ),
                    Assertion("voucher", Op.MATCHES, "^[A-Z]+10$"),
                    Assertion("delivered_on", Op.GT, "2024-06-10", "after it was shipped"),
                ],
            )
        ],
    )
)

_s(
    Scenario(
        name="order_document_has_its_shape",
        prompt="Show me order 1003.",
        tags=["lookup", "order"],
        description="Other programs read this document: its shape is a promise of its own.",
        difficulty="standard",
        tool_calls=[
            ToolCall(
                "find_order",
                {"order_id": 1003},
                [
                    Assertion("payment.refunded_cents", Op.TYPE_IS, "integer"),
                    Assertion("payment.refunded_cents", Op.EQ, 690),
                    Assertion("voucher", Op.EXISTS, description="a null is there, a typo is not"),
                    Assertion("", Op.HAS_KEY, "events"),
                    Assertion("customer.name", Op.EQ, "Zoë Ångström"),
                    Assertion(
                        "items",
                        Op.SCHEMA,
                        {
                            "type": "array",
                            "minItems": 1,
                            "items": {
                                "type": "object",
                                "required": [
                                    "sku",
                                    "name",
                                    "quantity",
                                    "price_cents",
                                    "total_cents",
                                ],
                                "properties": {"quantity": {"type": "integer", "minimum": 1}},
                            },
                        },
                    ),
                ],
            )
        ],
    )
)

_s(
    Scenario(
        name="unknown_order",
        prompt="What became of order 9999?",
        tags=["lookup", "order", "refusal"],
        difficulty="basic",
        tool_calls=[ToolCall("find_order", {"order_id": 9999}, expect_error=True)],
    )
)

_s(
    Scenario(
        name="what_is_still_open",
        prompt="Which of my orders are placed and not shipped yet?",
        system_prompt="The user is signed in as customer 2.",
        tags=["lookup", "order"],
        difficulty="basic",
        tool_calls=[
            ToolCall(
                "list_orders",
                {"customer_id": 2, "status": "placed"},
                [
                    Assertion("customer_id", Op.EQ, 2),
                    Assertion("count", Op.EQ, 1),
                    Assertion("orders[0].order_id", Op.EQ, 1005),
                    Assertion("orders[*].status", Op.EQ, "placed", each="all"),
                ],
            )
        ],
    )
)

_s(
    Scenario(
        name="all_orders_of_a_customer",
        prompt="I am jonas@example.org. List everything I ever ordered, the newest first.",
        tags=["customer", "lookup", "order"],
        difficulty="standard",
        tool_calls=[
            ToolCall(
                "find_customer",
                {"email": "jonas@example.org"},
                save_as={"jonas": "customer_id", "how_many": "orders"},
            ),
            ToolCall(
                "list_orders",
                {},
                [
                    Assertion("count", Op.EQ, Ref("how_many"), "both tools count alike"),
                    Assertion("orders[*].order_id", Op.EQ, [1005, 1007, 1010, 1002]),
                    Assertion("orders[*].total_cents", Op.EQ, [4179, 8910, 2440, 4880]),
                    Assertion("orders[*].placed_on", Op.CONTAINS_ALL, ["2024-06-13", "2024-05-25"]),
                    Assertion("orders[*].status", Op.NE, "cancelled", each="all"),
                    Assertion("orders[?(@.total_cents > 4500)].order_id", Op.EQ, [1007, 1002]),
                ],
                context_args={"customer_id": "jonas"},
            ),
        ],
    )
)

_s(
    Scenario(
        name="unknown_status",
        prompt="List the orders of customer 3 with the status 'canceled'.",
        tags=["lookup", "order", "refusal"],
        description="An empty list would be a lie: it is the status that does not exist.",
        difficulty="standard",
        tool_calls=[
            ToolCall(
                "list_orders",
                {"customer_id": 3, "status": "canceled"},
                expect_error="did you mean 'cancelled'",
            )
        ],
        assertions=[Assertion("response", Op.CONTAINS, "cancelled", "it tells what was meant")],
    )
)

_s(
    Scenario(
        name="small_order_pays_shipping",
        prompt=(
            "Customer 2 wants two blue cups (cup-blue) and one tea strainer (strainer). "
            "Place the order."
        ),
        tags=["order", "placing"],
        difficulty="basic",
        tool_calls=[
            ToolCall(
                "place_order",
                {"customer_id": 2, "quantities": {"cup-blue": 2, "strainer": 1}},
                [
                    Assertion("order_id", Op.EQ, 1011),
                    Assertion("status", Op.EQ, "placed"),
                    Assertion("items[*].sku", Op.EQ, ["cup-blue", "strainer"]),
                    Assertion("items[*].quantity", Op.EQ, [2, 1]),
                    Assertion("items[*].price_cents", Op.EQ, [1250, 690]),
                    Assertion("items[*].total_cents", Op.EQ, [2500, 690]),
                    Assertion("items[*].name", Op.EQ, ["Stoneware cup, blue", "Tea strainer"]),
                    Assertion("shipping_cents", Op.EQ, 490),
                    Assertion("total_cents", Op.EQ, 3680),
                ],
            )
        ],
        assertions=[Assertion("errors", Op.LEN_EQ, 0)],
        match="exact",
    )
)

_s(
    Scenario(
        name="shipping_is_free_from_fifty_euros",
        prompt=(
            "Customer 3 takes four blue cups (cup-blue). In a second order, the customer takes "
            "one tea strainer (strainer)."
        ),
        tags=["order", "placing"],
        difficulty="standard",
        tool_calls=[
            ToolCall(
                "place_order",
                {"customer_id": 3, "quantities": {"cup-blue": 4}},
                [
                    Assertion("total_cents", Op.EQ, 5000),
                    Assertion("shipping_cents", Op.EQ, 0, "exactly 50 euros are enough"),
                ],
                label="50 euros",
                save_as={"first": "order_id"},
            ),
            ToolCall(
                "place_order",
                {"customer_id": 3, "quantities": {"strainer": 1}},
                [
                    Assertion("total_cents", Op.EQ, 1180),
                    Assertion("shipping_cents", Op.GT, 0),
                    Assertion("order_id", Op.GT, Ref("first")),
                ],
                label="less",
            ),
        ],
    )
)

_s(
    Scenario(
        name="gold_ships_for_nothing",
        prompt="I am mira@example.org and need one more tea strainer (strainer), please order it.",
        tags=["customer", "order", "placing"],
        difficulty="standard",
        tool_calls=[
            ToolCall(
                "find_customer",
                {"email": "mira@example.org"},
                [Assertion("tier", Op.EQ, "gold")],
                save_as={"mira": "customer_id"},
            ),
            ToolCall(
                "place_order",
                {"quantities": {"strainer": 1}},
                [
                    Assertion("shipping_cents", Op.EQ, 0),
                    Assertion("total_cents", Op.EQ, 690),
                ],
                context_args={"customer_id": "mira"},
            ),
        ],
        budget=Budget(max_calls=2),
    )
)

_s(
    Scenario(
        name="an_order_leaves_the_stock",
        prompt=(
            "How many glass teapots (teapot-glass) are there? Order three of them for customer 4, "
            "then tell me how many are left and how many are on order."
        ),
        tags=["order", "placing", "stock"],
        difficulty="standard",
        tool_calls=[
            ToolCall(
                "check_stock",
                {"sku": "teapot-glass"},
                [Assertion("stock", Op.EQ, 4), Assertion("on_order", Op.EQ, 0)],
                label="before",
            ),
            ToolCall(
                "place_order",
                {"customer_id": 4, "quantities": {"teapot-glass": 3}},
                save_as={"pieces": "items[0].quantity"},
            ),
            ToolCall(
                "check_stock",
                {"sku": "teapot-glass"},
                [
                    Assertion("stock", Op.EQ, 1),
                    Assertion("on_order", Op.EQ, Ref("pieces")),
                    Assertion("low", Op.IS_TRUE),
                ],
                label="after",
            ),
        ],
    )
)

_s(
    Scenario(
        name="the_last_tray",
        prompt=(
            "I am customer 4, do you have a tray in stock? Then I take one (tray-birch). "
            "And look again: is there another in stock?"
        ),
        tags=["order", "placing", "products"],
        difficulty="standard",
        tool_calls=[
            ToolCall(
                "search_products",
                {"query": "tray", "in_stock": True},
                [Assertion("products[*].sku", Op.EQ, ["tray-birch"])],
                save_as={"price": "products[0].price_cents"},
            ),
            ToolCall(
                "place_order",
                {"customer_id": 4, "quantities": {"tray-birch": 1}},
                [Assertion("items[0].price_cents", Op.EQ, Ref("price"), "sold at the price shown")],
            ),
            ToolCall(
                "search_products",
                {"query": "tray", "in_stock": True},
                [Assertion("products", Op.LEN_EQ, 0), Assertion("count", Op.EQ, 0)],
            ),
        ],
    )
)

_s(
    Scenario(
        name="a_refused_order_takes_nothing",
        prompt=(
            "Order two kettles (kettle-1l) and five tins of sencha (tin-sencha) for customer 4. "
            "Whatever comes of it, tell me how many kettles (kettle-1l) there are afterwards."
        ),
        tags=["order", "placing", "refusal", "stock"],
        description="The second line is refused, so the first one must be given back.",
        difficulty="advanced",
        tool_calls=[
            ToolCall(
                "place_order",
                {"customer_id": 4, "quantities": {"kettle-1l": 2, "tin-sencha": 5}},
                [Assertion("error.type", Op.EQ, "RuleError")],
                expect_error="only 3 of 'tin-sencha' in stock, 5 are wanted",
            ),
            ToolCall("check_stock", {"sku": "kettle-1l"}, [Assertion("stock", Op.EQ, 12)]),
        ],
        assertions=[
            Assertion("errors", Op.LEN_EQ, 1),
            Assertion("errors[0].message", Op.NOT_MATCHES, "sqlite|constraint", "in our own words"),
        ],
        state=State(
            {
                "stock": {
                    "cup-blue": 40,
                    "cup-white": 0,
                    "kettle-1l": 12,
                    "scale": 7,
                    "strainer": 60,
                    "teapot-glass": 4,
                    "tin-oolong": 25,
                    "tin-sencha": 3,
                    "tray-birch": 1,
                }
            },
            capture=books,
        ),
    )
)

_s(
    Scenario(
        name="an_order_of_nothing",
        prompt="Place an order of zero blue cups (cup-blue) for customer 2.",
        tags=["order", "placing", "refusal"],
        difficulty="basic",
        tool_calls=[
            ToolCall(
                "place_order",
                {"customer_id": 2, "quantities": {"cup-blue": 0}},
                expect_error="cannot order 0 pieces of 'cup-blue', the least is 1",
            )
        ],
    )
)

_s(
    Scenario(
        name="the_same_again",
        prompt=(
            "I am customer 2 and loved my order 1002. The same again, please! "
            "Then list all of my orders."
        ),
        tags=["chain", "order", "placing"],
        difficulty="advanced",
        tool_calls=[
            ToolCall(
                "find_order",
                {"order_id": 1002},
                [Assertion("customer.customer_id", Op.EQ, 2, "it is theirs")],
                save_as={"items": "items", "total": "payment.total_cents"},
            ),
            ToolCall(
                "place_order",
                {"customer_id": 2},
                [
                    Assertion("total_cents", Op.EQ, Ref("total")),
                    Assertion("items", Op.EQ, Ref("items")),
                    Assertion("order_id", Op.NE, 1002),
                ],
                context_args={"quantities": "items"},
                arg_transforms={
                    "quantities": lambda items: {item["sku"]: item["quantity"] for item in items}
                },
            ),
            ToolCall(
                "list_orders",
                {"customer_id": 2},
                [
                    Assertion("count", Op.EQ, 5),
                    Assertion("orders[0].placed_on", Op.EQ, "2024-06-14"),
                    Assertion("orders[*].placed_on", Op.GTE, "2024-05-25", each="all"),
                    Assertion("orders[0].total_cents", Op.EQ, Ref("total")),
                    Assertion("orders[*].order_id", Op.EQ, [1011, 1005, 1007, 1010, 1002]),
                    Assertion("orders[*].total_cents", Op.EQ, [4880, 4179, 8910, 2440, 4880]),
                    Assertion("orders[*].status", Op.TYPE_IS, "string", each="all"),
                ],
            ),
        ],
    )
)

_s(
    Scenario(
        name="as_many_cups_as_oolong",
        prompt=(
            "Customer 3 buys as many blue cups (cup-blue) as there are tins of oolong (tin-oolong) "
            "in stock: order them."
        ),
        tags=["chain", "order", "placing", "stock"],
        difficulty="advanced",
        tool_calls=[
            ToolCall("check_stock", {"sku": "tin-oolong"}, save_as={"tins": "stock"}),
            ToolCall(
                "place_order",
                {"customer_id": 3, "quantities": {"cup-blue": Ref("tins")}},
                [
                    Assertion("items[0].quantity", Op.EQ, 25),
                    Assertion("total_cents", Op.EQ, 31250),
                ],
            ),
        ],
        assertions=[Assertion("response", Op.CONTAINS, "312.50")],
    )
)

_s(
    Scenario(
        name="voucher_takes_ten_percent",
        prompt=(
            "Please check that my order 1008 is not shipped yet. Put the voucher SPRING10 on it, "
            "and read the new total back to me from the order."
        ),
        tags=["money", "voucher"],
        difficulty="standard",
        tool_calls=[
            ToolCall(
                "find_order",
                {"order_id": 1008},
                [
                    Assertion("voucher", Op.IS_NULL),
                    Assertion("payment.discount_cents", Op.EQ, 0),
                    Assertion("status", Op.EQ, "placed"),
                ],
            ),
            ToolCall(
                "apply_voucher",
                {"order_id": 1008, "code": "SPRING10"},
                [
                    Assertion("order_id", Op.EQ, 1008),
                    Assertion("code", Op.EQ, "SPRING10"),
                    Assertion("percent", Op.EQ, 10),
                    Assertion("discount_cents", Op.EQ, 399),
                    Assertion("total_cents", Op.EQ, 4081, "shipping has no discount"),
                ],
                save_as={"total": "total_cents"},
            ),
            ToolCall(
                "find_order",
                {"order_id": 1008},
                [
                    Assertion("voucher", Op.EQ, "SPRING10"),
                    Assertion("payment.total_cents", Op.EQ, Ref("total")),
                    Assertion("payment", Op.SUBSET, {"discount_cents": 399, "charged_cents": 0}),
                    Assertion("events[*].event", Op.CONTAINS, "voucher"),
                ],
            ),
        ],
    )
)

_s(
    Scenario(
        name="expired_voucher",
        prompt="Please put the voucher WINTER20 on my order 1005.",
        tags=["refusal", "voucher"],
        difficulty="basic",
        tool_calls=[
            ToolCall(
                "apply_voucher",
                {"order_id": 1005, "code": "WINTER20"},
                expect_error=r"expired on 2024-02-29",
            )
        ],
    )
)

_s(
    Scenario(
        name="voucher_needs_its_minimum",
        prompt="Can I use BIGTEA15 for my order 1005?",
        tags=["money", "refusal", "voucher"],
        difficulty="basic",
        tool_calls=[
            ToolCall(
                "apply_voucher",
                {"order_id": 1005, "code": "BIGTEA15"},
                expect_error=r"needs 10000 cents, order 1005 has 3689",
            )
        ],
    )
)

_s(
    Scenario(
        name="each_voucher_once_a_customer",
        prompt=(
            "I am customer 2. Order ten tins of oolong (tin-oolong) for me, with the voucher "
            "SPRING10, or, if that was used before, with BIGTEA15."
        ),
        tags=["chain", "money", "order", "voucher"],
        difficulty="advanced",
        tool_calls=[
            ToolCall(
                "place_order",
                {"customer_id": 2, "quantities": {"tin-oolong": 10}},
                [Assertion("total_cents", Op.EQ, 18900)],
                save_as={"order": "order_id", "before": "total_cents"},
            ),
            ToolCall(
                "apply_voucher",
                {"code": "SPRING10"},
                [Assertion("error.message", Op.CONTAINS_ANY, ["was used", "already used"])],
                context_args={"order_id": "order"},
                expect_error="voucher 'SPRING10' was used by Jonas Weber before",
            ),
            ToolCall(
                "apply_voucher",
                {"code": "BIGTEA15"},
                [
                    Assertion("order_id", Op.EQ, Ref("order")),
                    Assertion("percent", Op.EQ, 15),
                    Assertion("discount_cents", Op.EQ, 2835),
                    Assertion("total_cents", Op.LT, Ref("before")),
                ],
                context_args={"order_id": "order"},
            ),
        ],
        assertions=[
            Assertion("calls[*].tool", Op.EQ, ["place_order", "apply_voucher", "apply_voucher"]),
            Assertion("errors", Op.LEN_EQ, 1),
        ],
    )
)

_s(
    Scenario(
        name="one_voucher_for_two_customers",
        prompt=(
            "Place an order of one kettle (kettle-1l) for customer 4. Then put the voucher "
            "SPRING10 on that order, and after that put it on the order 1008 of customer 3."
        ),
        tags=["chain", "money", "voucher"],
        difficulty="standard",
        tool_calls=[
            ToolCall(
                "place_order",
                {"customer_id": 4, "quantities": {"kettle-1l": 1}},
                save_as={"order": "order_id"},
            ),
            ToolCall(
                "apply_voucher",
                {"order_id": Ref("order"), "code": "SPRING10"},
                [Assertion("discount_cents", Op.EQ, 490)],
            ),
            ToolCall(
                "apply_voucher",
                {"order_id": 1008, "code": "SPRING10"},
                [Assertion("discount_cents", Op.EQ, 399)],
            ),
        ],
    )
)

_s(
    Scenario(
        name="shipping_charges_the_customer",
        prompt=(
            "Twelve strainers (strainer) and one scale (scale) for customer 4. Order them, put "
            "SPRING10 on the order, send it with the courier, and look up in it what was charged."
        ),
        tags=["chain", "money", "shipping", "voucher"],
        difficulty="advanced",
        tool_calls=[
            ToolCall(
                "place_order",
                {"customer_id": 4, "quantities": {"strainer": 12, "scale": 1}},
                [Assertion("total_cents", Op.EQ, 11279)],
                save_as={"order": "order_id"},
            ),
            ToolCall(
                "apply_voucher",
                {"code": "SPRING10"},
                [Assertion("discount_cents", Op.EQ, 1128, "1127.9, and half a cent goes up")],
                context_args={"order_id": "order"},
                save_as={"total": "total_cents"},
            ),
            ToolCall(
                "ship_order",
                {"carrier": "courier"},
                [
                    Assertion("order_id", Op.EQ, Ref("order")),
                    Assertion("status", Op.EQ, "shipped"),
                    Assertion("charged_cents", Op.EQ, Ref("total")),
                    Assertion("carrier", Op.EQ, "courier"),
                    Assertion("parcels[*].pieces", Op.EQ, [6, 6, 1]),
                    Assertion("parcels[*].tracking", Op.MATCHES, r"^CR-\d{4}-\d$", each="all"),
                ],
                context_args={"order_id": "order"},
                timeout_s=5,
                retry=2,
            ),
            ToolCall(
                "find_order",
                {},
                [
                    Assertion("payment.charged_cents", Op.EQ, Ref("total")),
                    Assertion("events[-2:].event", Op.EQ, ["charged", "shipped"]),
                ],
                context_args={"order_id": "order"},
            ),
        ],
        assertions=[
            Assertion("errors", Op.LEN_EQ, 0),
            Assertion("calls", Op.LEN_LTE, 6, "no wandering about", severity="warn"),
            Assertion("response", Op.CONTAINS, "101.51"),
        ],
    )
)

_s(
    Scenario(
        name="two_parcels_out",
        prompt="Please send order 1005 by post and order 1008 with the courier.",
        tags=["shipping"],
        difficulty="standard",
        tool_calls=[
            ToolCall(
                "ship_order",
                {"order_id": 1005, "carrier": "post"},
                [
                    Assertion("charged_cents", Op.EQ, 4179),
                    Assertion("parcels", Op.EQ, [{"tracking": "PO-1005-1", "pieces": 2}]),
                ],
            ),
            ToolCall(
                "ship_order",
                {"order_id": 1008, "carrier": "courier"},
                [
                    Assertion("charged_cents", Op.EQ, 4480),
                    Assertion("parcels[0].tracking", Op.EQ, "CR-1008-1"),
                ],
            ),
        ],
    )
)

_s(
    Scenario(
        name="unknown_carrier",
        prompt="Send order 1005 with the stork, and then tell me its status.",
        tags=["refusal", "shipping"],
        difficulty="standard",
        tool_calls=[
            ToolCall(
                "ship_order",
                {"order_id": 1005, "carrier": "stork"},
                [Assertion("error.message", Op.CONTAINS_ALL, ["courier", "post"])],
                expect_error="no carrier 'stork'",
            ),
            ToolCall("find_order", {"order_id": 1005}, [Assertion("status", Op.EQ, "placed")]),
        ],
    )
)

_s(
    Scenario(
        name="spending_grows_when_the_parcel_leaves",
        prompt=(
            "What has jonas@example.org spent so far? Send his order 1005 by post, "
            "and tell me what he has spent then."
        ),
        tags=["customer", "money", "shipping"],
        difficulty="standard",
        tool_calls=[
            ToolCall(
                "find_customer",
                {"email": "jonas@example.org"},
                [Assertion("spent_cents", Op.EQ, 13790)],
            ),
            ToolCall("ship_order", {"order_id": 1005, "carrier": "post"}),
            ToolCall(
                "find_customer",
                {"email": "jonas@example.org"},
                [
                    Assertion("spent_cents", Op.EQ, 17969),
                    Assertion("orders", Op.EQ, 4, "shipping is no new order"),
                ],
            ),
        ],
        assertions=[Assertion("response", Op.CONTAINS_ALL, ["137.90", "179.69"])],
    )
)

_s(
    Scenario(
        name="cancelling_gives_everything_back",
        prompt=(
            "Customer 3 orders five tins of oolong (tin-oolong) and one kettle (kettle-1l), with "
            "the voucher SPRING10. Then the customer thinks better of it: cancel that order, and "
            "tell me how many tins of oolong (tin-oolong) there are."
        ),
        tags=["cancel", "chain", "order", "voucher"],
        difficulty="advanced",
        tool_calls=[
            ToolCall(
                "place_order",
                {"customer_id": 3, "quantities": {"tin-oolong": 5, "kettle-1l": 1}},
                save_as={"order": "order_id"},
            ),
            ToolCall("apply_voucher", {"order_id": Ref("order"), "code": "SPRING10"}),
            ToolCall(
                "cancel_order",
                {"order_id": Ref("order")},
                [
                    Assertion("order_id", Op.EQ, Ref("order")),
                    Assertion("status", Op.EQ, "cancelled"),
                    Assertion("freed_voucher", Op.EQ, "SPRING10"),
                    Assertion(
                        "restocked",
                        Op.EQ,
                        [
                            {"sku": "tin-oolong", "quantity": 5, "stock": 25},
                            {"sku": "kettle-1l", "quantity": 1, "stock": 12},
                        ],
                    ),
                ],
            ),
            ToolCall(
                "check_stock",
                {"sku": "tin-oolong"},
                [Assertion("stock", Op.EQ, 25), Assertion("on_order", Op.EQ, 0)],
            ),
        ],
        assertions=[Assertion("calls[*].tool", Op.NOT_CONTAINS, "refund", "nothing was paid yet")],
    )
)

_s(
    Scenario(
        name="two_orders_called_off",
        prompt="The orders 1005 and 1008 are both called off, cancel them in this order.",
        tags=["cancel"],
        difficulty="basic",
        tool_calls=[
            ToolCall(
                "cancel_order",
                {"order_id": 1005},
                [Assertion("restocked[*].sku", Op.SAME_ITEMS, ["scale", "strainer"])],
            ),
            ToolCall(
                "cancel_order",
                {"order_id": 1008},
                [
                    Assertion("restocked[*].sku", Op.EQ, ["tray-birch"]),
                    Assertion("freed_voucher", Op.IS_NULL),
                ],
            ),
        ],
        assertions=[Assertion("response", Op.CONTAINS_ALL, ["1005", "1008", "cancelled"])],
        state=State({"cancelled": [1005, 1006, 1008]}, capture=books),
    )
)

_s(
    Scenario(
        name="cancelled_is_no_longer_open",
        prompt=(
            "Look up which order of customer 3 is placed and not shipped yet, and cancel it. "
            "Then list the cancelled orders of this customer."
        ),
        tags=["cancel", "chain", "order"],
        difficulty="standard",
        tool_calls=[
            ToolCall(
                "list_orders",
                {"customer_id": 3, "status": "placed"},
                [Assertion("orders", Op.LEN_EQ, 1)],
                label="open",
                save_as={"open": "orders[0].order_id"},
            ),
            ToolCall("cancel_order", context_args={"order_id": "open"}),
            ToolCall(
                "list_orders",
                {"customer_id": 3, "status": "cancelled"},
                [
                    Assertion("orders[*].order_id", Op.EQ, [1008, 1006]),
                    Assertion("orders[*].order_id", Op.CONTAINS, Ref("open")),
                    Assertion("orders[*].total_cents", Op.GTE, 4480, each="all"),
                ],
                label="cancelled",
            ),
        ],
    )
)

_s(
    Scenario(
        name="a_cancelled_order_never_ships",
        prompt=["Cancel order 1005, please.", "No, wait, send it by post after all!"],
        tags=["cancel", "refusal", "shipping"],
        difficulty="standard",
        tool_calls=[
            ToolCall("cancel_order", {"order_id": 1005}),
            ToolCall(
                "ship_order",
                {"order_id": 1005, "carrier": "post"},
                expect_error="order 1005 is cancelled, this needs one that is placed",
            ),
        ],
        assertions=[
            Assertion("responses", Op.LEN_EQ, 2, "one for each turn"),
            Assertion("responses[0]", Op.CONTAINS, "cancelled"),
            Assertion("responses[1]", Op.NOT_MATCHES, r"\bPO-1005", "no parcel is made up"),
        ],
    )
)

_s(
    Scenario(
        name="too_late_to_cancel",
        prompt="Please cancel my order 1004, and tell me where it stands after that.",
        tags=["cancel", "refusal"],
        difficulty="standard",
        tool_calls=[
            ToolCall("cancel_order", {"order_id": 1004}, expect_error="order 1004 is shipped"),
            ToolCall("find_order", {"order_id": 1004}, [Assertion("status", Op.EQ, "shipped")]),
        ],
        forbid_tools=["refund"],
    )
)

_s(
    Scenario(
        name="broken_on_arrival",
        prompt="Everything in my order 1002 arrived broken. Check it, and refund me in full.",
        tags=["chain", "money", "refund"],
        difficulty="standard",
        tool_calls=[
            ToolCall(
                "find_order",
                {"order_id": 1002},
                [Assertion("status", Op.EQ, "delivered")],
                save_as={"paid": "payment.charged_cents"},
            ),
            ToolCall(
                "refund",
                {"order_id": 1002, "reason": "broken"},
                [
                    Assertion("order_id", Op.EQ, 1002),
                    Assertion("reason", Op.EQ, "broken"),
                    Assertion("amount_cents", Op.EQ, Ref("paid")),
                    Assertion("left_cents", Op.EQ, 0),
                ],
                args_match="subset",  # an agent may name the amount
            ),
        ],
        assertions=[
            Assertion("calls[*].tool", Op.CONTAINS, "refund"),
            Assertion("errors", Op.LEN_EQ, 0),
        ],
        metadata={"ticket": "T-118"},
    )
)

_s(
    Scenario(
        name="half_now_and_half_later",
        prompt=(
            "Order 1007 came late. Look up what was charged, refund half of it, then refund the "
            "rest as well, and tell me how much the order says is refunded."
        ),
        tags=["chain", "money", "refund"],
        difficulty="advanced",
        tool_calls=[
            ToolCall(
                "find_order",
                {"order_id": 1007},
                [Assertion("payment.refunded_cents", Op.EQ, 0)],
                save_as={"paid": "payment.charged_cents"},
            ),
            ToolCall(
                "refund",
                {"order_id": 1007, "reason": "late"},
                [
                    Assertion("amount_cents", Op.EQ, 4455),
                    Assertion("refunded_cents", Op.EQ, 4455),
                    Assertion("left_cents", Op.EQ, 4455),
                ],
                label="half",
                save_as={"left": "left_cents"},
                context_args={"amount_cents": "paid"},
                arg_transforms={"amount_cents": lambda paid: paid // 2},
            ),
            ToolCall(
                "refund",
                {"order_id": 1007, "reason": "late", "amount_cents": Ref("left")},
                [
                    Assertion("refunded_cents", Op.EQ, Ref("paid")),
                    Assertion("left_cents", Op.EQ, 0),
                ],
                label="rest",
            ),
            ToolCall(
                "find_order",
                {"order_id": 1007},
                [
                    Assertion("payment.refunded_cents", Op.EQ, Ref("paid")),
                    Assertion("events[?(@.event == 'refunded')].note", Op.EQ, ["late", "late"]),
                    Assertion("events[*].event", Op.NOT_CONTAINS, "cancelled"),
                    Assertion("events[*].note", Op.CONTAINS_ALL, ["SPRING10", "courier", None]),
                    Assertion(
                        "events[*].day", Op.BETWEEN, ["2024-06-08", "2024-06-14"], each="all"
                    ),
                ],
            ),
        ],
        assertions=[Assertion("response", Op.NUMERIC, [89.10])],
    )
)

_s(
    Scenario(
        name="no_more_than_was_paid",
        prompt="For the broken teapot of order 1003, refund 46.30 euros.",
        tags=["money", "refund", "refusal"],
        description="The order came to 46.30, and 6.90 of it are refunded already.",
        difficulty="standard",
        tool_calls=[
            ToolCall(
                "refund",
                {"order_id": 1003, "reason": "broken", "amount_cents": 4630},
                expect_error="cannot refund 4630 cents of order 1003, 3940 are left",
            )
        ],
        assertions=[
            Assertion("errors[*].type", Op.EQ, ["RuleError"]),
            Assertion("response", Op.CONTAINS_ANY, ["3940", "39.40"], "it says what can be had"),
        ],
    )
)

_s(
    Scenario(
        name="refund_window_is_over",
        prompt="I changed my mind about order 1001, I want all of my money back.",
        tags=["refund", "refusal"],
        difficulty="basic",
        tool_calls=[
            ToolCall(
                "refund",
                {"order_id": 1001, "reason": "changed_mind"},
                expect_error=r"delivered on 2024-04-22, a refund ends 30 days later",
            )
        ],
        assertions=[Assertion("response", Op.CONTAINS, "30 days", "it says why not")],
    )
)

_s(
    Scenario(
        name="nothing_to_refund_before_delivery",
        prompt="Order 1004 contains the wrong item, I am sure. Refund it all.",
        tags=["refund", "refusal"],
        difficulty="basic",
        tool_calls=[
            ToolCall(
                "refund",
                {"order_id": 1004, "reason": "wrong_item"},
                expect_error="is shipped, this needs one that is delivered",
            )
        ],
    )
)

_s(
    Scenario(
        name="audit_finds_nothing",
        prompt="Audit order 1002 for me.",
        tags=["audit"],
        difficulty="basic",
        tool_calls=[
            ToolCall(
                "audit_order",
                {"order_id": 1002},
                [
                    Assertion("order_id", Op.EQ, 1002),
                    Assertion("", Op.NO_ERRORS),
                    Assertion("", Op.NO_WARNINGS),
                    Assertion("issues", Op.LEN_EQ, 0),
                ],
            )
        ],
    )
)

_s(
    Scenario(
        name="audit_finds_an_unpaid_shipment",
        prompt="Something is odd about order 1010, could you audit it?",
        tags=["audit", "money"],
        difficulty="standard",
        tool_calls=[
            ToolCall(
                "audit_order",
                {"order_id": 1010},
                [
                    Assertion("", Op.HAS_ERROR),
                    Assertion("", Op.HAS_ERROR, "unpaid_shipment"),
                    Assertion("issues", Op.HAS_WARNING, "price_changed"),
                    Assertion("summary", Op.EQ, {"errors": 1, "warnings": 1}),
                    Assertion("issues[*].severity", Op.EQ, ["error", "warning"]),
                    Assertion("issues[*].message", Op.LEN_GTE, 20, each="all"),
                ],
            )
        ],
        forbid_tools=["cancel_order", "refund", "ship_order"],
    )
)

_s(
    Scenario(
        name="audit_finds_money_gone_astray",
        prompt="Audit the orders 1004 and 1009, and tell me for each what is wrong with the money.",
        tags=["audit", "money"],
        difficulty="standard",
        tool_calls=[
            ToolCall(
                "audit_order",
                {"order_id": 1004},
                [
                    Assertion("", Op.HAS_ERROR, "wrong_charge"),
                    Assertion("issues[0].message", Op.CONTAINS, "3820"),
                    Assertion("issues[*].check", Op.NOT_CONTAINS, "unpaid_shipment"),
                ],
            ),
            ToolCall(
                "audit_order",
                {"order_id": 1009},
                [
                    Assertion("issues", Op.HAS_ERROR, "over_refunded"),
                    Assertion("", Op.NO_ERRORS, "unpaid_shipment"),
                    Assertion("", Op.NO_WARNINGS),
                    Assertion("issues[*].check", Op.EQ, "over_refunded", each="any"),
                ],
            ),
        ],
        match="any_order",
    )
)

_s(
    Scenario(
        name="shipping_ends_the_delay",
        prompt="Audit order 1008. If it is only late, send it by post, and audit it again.",
        tags=["audit", "chain", "shipping"],
        difficulty="advanced",
        tool_calls=[
            ToolCall(
                "audit_order",
                {"order_id": 1008},
                [Assertion("", Op.HAS_WARNING, "late"), Assertion("", Op.NO_ERRORS)],
                label="before",
            ),
            ToolCall("ship_order", {"order_id": 1008, "carrier": "post"}),
            ToolCall(
                "audit_order",
                {"order_id": 1008},
                [Assertion("", Op.NO_WARNINGS), Assertion("", Op.NO_ERRORS)],
                label="after",
            ),
        ],
    )
)

_s(
    Scenario(
        name="report_of_may",
        prompt="How was May 2024? I need the monthly report.",
        tags=["money", "report"],
        difficulty="standard",
        tool_calls=[
            ToolCall(
                "monthly_report",
                {"month": "2024-05"},
                [
                    Assertion("month", Op.EQ, "2024-05"),
                    Assertion("placed", Op.EQ, 5),
                    Assertion("cancelled", Op.EQ, 1),
                    Assertion("charged_cents", Op.EQ, 11400),
                    Assertion("refunded_cents", Op.EQ, 2100),
                    Assertion("net_cents", Op.EQ, 9300),
                    Assertion("average_charge_cents", Op.APPROX, 3800, rel=0.0001),
                    Assertion("refund_rate", Op.APPROX, 0.1842, tolerance=0.0001),
                    Assertion("best_sellers", Op.LEN_LTE, 3),
                    Assertion("best_sellers[*].pieces", Op.EQ, [2, 2, 1]),
                    Assertion("best_sellers[*].sku", Op.NOT_CONTAINS, "kettle-1l", "was cancelled"),
                    Assertion(
                        "best_sellers[*].sku",
                        Op.IN,
                        ["cup-blue", "strainer", "teapot-glass", "tin-oolong", "tray-birch"],
                        each="all",
                    ),
                ],
            )
        ],
        assertions=[Assertion("response", Op.CONTAINS, "93.00")],
    )
)

_s(
    Scenario(
        name="report_of_an_empty_month",
        prompt="And what did we sell in March 2024?",
        tags=["report"],
        description="An average over nothing is no number: neither 0 nor NaN.",
        difficulty="standard",
        tool_calls=[
            ToolCall(
                "monthly_report",
                {"month": "2024-03"},
                [
                    Assertion("placed", Op.EQ, 0),
                    Assertion("charged_cents", Op.EQ, 0),
                    Assertion("average_charge_cents", Op.IS_NULL),
                    Assertion("refund_rate", Op.IS_NULL),
                    Assertion("best_sellers", Op.LEN_EQ, 0),
                ],
            )
        ],
    )
)

_s(
    Scenario(
        name="report_keeps_up",
        prompt=(
            "Give me the report of June 2024. Then send order 1005 by post, refund order 1003 "
            "because it came broken, and give me the report again."
        ),
        tags=["chain", "money", "report"],
        difficulty="advanced",
        tool_calls=[
            ToolCall(
                "monthly_report",
                {"month": "2024-06"},
                [Assertion("net_cents", Op.EQ, 12040)],
                label="before",
            ),
            ToolCall(
                "ship_order",
                {"order_id": 1005, "carrier": "post"},
                save_as={"charged": "charged_cents"},
            ),
            ToolCall(
                "refund",
                {"order_id": 1003, "reason": "broken"},
                [Assertion("amount_cents", Op.LT, Ref("charged"))],
            ),
            ToolCall(
                "monthly_report",
                {"month": "2024-06"},
                [
                    Assertion("charged_cents", Op.EQ, 16909),
                    Assertion("refunded_cents", Op.EQ, 4630),
                    Assertion("net_cents", Op.EQ, 12279),
                    Assertion("average_charge_cents", Op.APPROX, 5636.33, tolerance=0.01),
                ],
                label="after",
            ),
        ],
        timeout_s=20,
    )
)

_s(
    Scenario(
        name="a_month_that_is_none",
        prompt="Make me the report of the month 2024-13.",
        tags=["refusal", "report"],
        difficulty="basic",
        tool_calls=[
            ToolCall(
                "monthly_report",
                {"month": "2024-13"},
                expect_error=r"'2024-13' is no month, one is written like '\d{4}-\d{2}'",
            )
        ],
    )
)

_s(
    Scenario(
        name="wrong_on_purpose",
        prompt="What did order 1002 come to?",
        tags=["money", "wrong"],
        description="It forgets the shipping, and spells a key as nobody does: see the report.",
        difficulty="basic",
        tool_calls=[
            ToolCall(
                "find_order",
                {"order_id": 1002},
                [
                    Assertion("status", Op.EQ, "delivered"),
                    Assertion("payment.total_cents", Op.EQ, 4390, "the shipping is forgotten"),
                    Assertion("payment.shiping_cents", Op.EQ, 490, "the key is misspelt"),
                ],
            )
        ],
    )
)
