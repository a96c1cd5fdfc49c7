"""An agent for the order desk, in plain Python: it reads a message, calls tools, says what came.

`python -m evalkit scenarios/shop.py --agent scenarios.shop_agent:answer` puts the catalogue to it.
It takes a message apart into clauses. What a clause mentions is noted by the clerk, so that a later
"it", "them" or "again" is understood; then the first of `INTENTS` whose pattern it matches acts.
No model is asked, so that equal conversations get equal answers. One would take the place of the
patterns; that a refusal is told, and that no answer says more than the tools did, would stay.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from shop_clerk import NUMBER, SKU, VOUCHER, Clerk, UnableError, number

Request = re.Match[str]
"""Where a clause matches the pattern of an intent; its `string` is the whole clause."""

SENTENCE = re.compile(r"[.?!]\s+")
CLAUSE = re.compile(r"[,:]\s+(?:and |then )*")


class Context(Protocol):
    """What an agent is handed beside the conversation; this one wants nothing of it but tools."""

    @property
    def tools(self) -> Mapping[str, Callable[..., Any]]:
        """The tools, by name."""


def answer(conversation: list[dict[str, str]], ctx: Context) -> str:
    """Answer the last message of a conversation; those before it are only read."""
    clerk = Clerk(ctx.tools)
    *earlier, message = (said["content"] for said in conversation)
    for clause in (each for said in earlier for each in CLAUSE.split(said)):
        clerk.read(clause)
    told = [
        said for sentence in SENTENCE.split(message) for said in answers_to(clerk, sentence) if said
    ]
    return " ".join(told) or "Sorry, I did not understand what I can do for you."


def answers_to(clerk: Clerk, sentence: str) -> list[str]:
    """Act on the clauses of a sentence, as far as its conditions hold."""
    told = []
    for clause in CLAUSE.split(sentence):
        if any(asked in clause.lower() and not holds(clerk) for asked, holds in CONDITIONS):
            break
        clerk.read(clause)
        told.append(act(clerk, clause))
    return told


def act(clerk: Clerk, clause: str) -> str:
    """Do what a clause asks for, and say what came of it; nothing where it asks for nothing."""
    for pattern, intent in INTENTS:
        request = re.search(pattern, clause, re.IGNORECASE)
        if request:
            try:
                return intent(request, clerk)
            except UnableError as why:
                return f"Sorry, that can't be done ({why})."
    return ""


def tell_customer(_: Request, clerk: Clerk) -> str:
    """Who it is, by email address."""
    found = clerk.call("find_customer", email=clerk.notes["email"])
    clerk.notes["customer"] = found["customer_id"]
    return (
        f"{found['name']} is a {found['tier']} customer with {found['orders']} orders, and has "
        f"spent {euros(found['spent_cents'])}."
    )


def search(request: Request, clerk: Clerk) -> str:
    """What there is by a word; "again" looks for the same once more."""
    query = request.groupdict().get("query")
    if query:
        most = re.search(r"(\d+) euros or less", request.string)
        clerk.notes["search"] = {
            "query": query,
            "max_price_cents": int(most[1]) * 100 if most else None,
            "in_stock": True if "in stock" in request.string else None,
        }
    found = clerk.call("search_products", **clerk.notes["search"])
    products = [
        f"{each['name']} ({each['sku']}), rated {each['rating']}, at {euros(each['price_cents'])}"
        for each in found["products"]
    ]
    return f"We have: {'; '.join(products)}." if products else f"We have no {found['query']}."


def tell_stock(_: Request, clerk: Clerk) -> str:
    """How many pieces there are, and when more come."""
    found = clerk.call("check_stock", sku=clerk.notes["sku"])
    more = f" More come on {found['expected_on']}." if found["expected_on"] else ""
    return f"{found['name']}: {found['stock']} in stock, {found['on_order']} on order.{more}"


def tell_order(_: Request, clerk: Clerk) -> str:
    """Where an order stands, and what it came to."""
    found = clerk.call("find_order", order_id=clerk.notes["orders"][-1])
    paid = found["payment"]
    clerk.notes["charged"] = paid["charged_cents"]
    delivered = f" and delivered on {found['delivered_on']}" if found["delivered_on"] else ""
    return (
        f"Order {found['order_id']} ({pieces(found['items'])}) is {found['status']}; it was placed "
        f"on {found['placed_on']}{delivered}. It comes to {euros(paid['total_cents'])}, of which "
        f"{euros(paid['vat_cents'])} are VAT. Charged: {euros(paid['charged_cents'])}. "
        f"Refunded: {euros(paid['refunded_cents'])}."
    )


def list_orders(request: Request, clerk: Clerk) -> str:
    """The orders of a customer, or those of one status."""
    status = re.search(r"\b(placed|shipped|delivered|cancelled)\b|'(\w+)'", request.string)
    named = status and (status[1] or status[2])
    found = clerk.call("list_orders", customer_id=customer_id(clerk), status=named)
    clerk.notes["orders"] = [each["order_id"] for each in found["orders"]]
    listed = [
        f"{each['order_id']} ({each['status']}, {euros(each['total_cents'])})"
        for each in found["orders"]
    ]
    return f"Found {found['count']}: {', '.join(listed)}." if listed else "There are no orders."


def place_order(request: Request, clerk: Clerk) -> str:
    """A new order of what was mentioned last."""
    notes = clerk.notes
    some = re.search(rf"({NUMBER}) of them", request.string)
    quantities = {notes["sku"]: number(some[1])} if some else notes["items"]
    customer = customer_id(clerk)
    notes.pop("orders", None)  # where this is refused, "that order" is none of the earlier ones
    placed = clerk.call("place_order", customer_id=customer, quantities=quantities)
    notes["orders"] = [placed["order_id"]]
    return (
        f"Order {placed['order_id']} is placed: {pieces(placed['items'])}, for "
        f"{euros(placed['total_cents'])}, with {euros(placed['shipping_cents'])} for shipping."
    )


def order_again(request: Request, clerk: Clerk) -> str:
    """A new order of the pieces of an earlier one."""
    found = clerk.call("find_order", order_id=clerk.notes["orders"][-1])
    clerk.notes["items"] = {each["sku"]: each["quantity"] for each in found["items"]}
    return place_order(request, clerk)


def count_out(request: Request, clerk: Clerk) -> str:
    """As many of one product as there are of another: ordered by what is said next."""
    wanted, measure = request.groups()
    found = clerk.call("check_stock", sku=measure)
    clerk.notes["items"] = {wanted: found["stock"]}
    return f"{found['name']}: {found['stock']} in stock."


def apply_voucher(_: Request, clerk: Clerk) -> str:
    """A voucher on the order that was mentioned last."""
    order_id, code = clerk.notes["orders"][-1], clerk.notes["voucher"]
    found = clerk.call("apply_voucher", order_id=order_id, code=code)
    return (
        f"{found['code']} takes {euros(found['discount_cents'])} off order {found['order_id']}, "
        f"which comes to {euros(found['total_cents'])} now."
    )


def ship_orders(request: Request, clerk: Clerk) -> str:
    """Each order by the carrier that is said with it."""
    told = []
    for which, carrier in re.findall(r"(order \d+|it) (?:by|with the) (\w+)", request.string):
        order_id = clerk.notes["orders"][-1] if which == "it" else int(which.split()[1])
        sent = clerk.call("ship_order", order_id=order_id, carrier=carrier)
        parcels = ", ".join(each["tracking"] for each in sent["parcels"])
        told.append(
            f"Order {sent['order_id']} is {sent['status']} by {sent['carrier']} ({parcels}), and "
            f"{euros(sent['charged_cents'])} were charged."
        )
    return " ".join(told)


def cancel_orders(_: Request, clerk: Clerk) -> str:
    """Every order that was mentioned last."""
    told = []
    for order_id in clerk.notes["orders"]:
        found = clerk.call("cancel_order", order_id=order_id)
        freed = found["freed_voucher"]
        also = f"; {freed} can be used again" if freed else ""
        told.append(f"Order {found['order_id']} is {found['status']}{also}.")
    return " ".join(told)


def refund(request: Request, clerk: Clerk) -> str:
    """An amount, half of what was charged, or the rest; without any of them all that is left."""
    notes, said = clerk.notes, request.string
    amount = None
    if named := re.search(r"(\d+)\.(\d\d) euros", said):
        amount = int(named[1] + named[2])
    elif "half" in said:
        amount = notes["charged"] // 2
    elif "rest" in said:
        amount = notes["left"]
    order_id = notes["orders"][-1]
    found = clerk.call("refund", order_id=order_id, reason=notes["reason"], amount_cents=amount)
    notes["left"] = found["left_cents"]
    return (
        f"{euros(found['amount_cents'])} of order {found['order_id']} are refunded, and "
        f"{euros(found['left_cents'])} are left."
    )


def audit(_: Request, clerk: Clerk) -> str:
    """What is wrong with each order that was mentioned last."""
    told = []
    for order_id in clerk.notes["orders"]:
        found = clerk.call("audit_order", order_id=order_id)
        clerk.notes["issues"] = [each["check"] for each in found["issues"]]
        issues = [f"{each['severity']}: {each['message']}" for each in found["issues"]]
        told.append(f"Order {order_id}: {'; '.join(issues) or 'nothing is wrong'}.")
    return " ".join(told)


def report(_: Request, clerk: Clerk) -> str:
    """How a month went."""
    found = clerk.call("monthly_report", month=clerk.notes["month"])
    best = ", ".join(f"{each['sku']} ({each['pieces']})" for each in found["best_sellers"])
    return (
        f"{found['month']}: {found['placed']} orders placed and {found['cancelled']} cancelled. "
        f"Best sellers: {best or 'none'}. Charged: {euros(found['charged_cents'])}. "
        f"Refunded: {euros(found['refunded_cents'])}. Net: {euros(found['net_cents'])}."
    )


def customer_id(clerk: Clerk) -> int:
    """The customer who was mentioned last, by number or by email address."""
    if "customer" not in clerk.notes and "email" in clerk.notes:
        found = clerk.call("find_customer", email=clerk.notes["email"])
        clerk.notes["customer"] = found["customer_id"]
    known: int = clerk.notes["customer"]
    return known


def euros(cents: int) -> str:
    """Cents, as people write them."""
    return f"{cents / 100:.2f} euros"


def pieces(items: list[dict[str, Any]]) -> str:
    """The lines of an order, in short."""
    return " and ".join(f"{each['quantity']} x {each['name']}" for each in items)


INTENTS: tuple[tuple[str, Callable[[Request, Clerk], str]], ...] = (
    (r"\baudit\b", audit),
    (r"\breport\b|did we sell", report),
    (r"\bcancel\b", cancel_orders),
    (r"\brefund\b|money back", refund),
    (rf"{VOUCHER}|\bput it\b", apply_voucher),
    (r"\bsend (?!me\b)", ship_orders),
    (r"same again", order_again),
    (rf"as many .*{SKU} as there are .*{SKU}", count_out),
    (rf"\borders? (it|them|{NUMBER})|place (an|the) order|\btakes?\b", place_order),
    (r"\blist\b|which (of my )?orders?\b", list_orders),
    (r"look again", search),
    (r"do you (have|sell) an? (?P<query>\w+)", search),
    (r"which (?P<query>\w+) things", search),
    (r"what does your .*?(?P<query>\w+) cost", search),
    (r"gold customer|\bspent\b|the customer with", tell_customer),
    (r"how many|be back|could you send me", tell_stock),
    (r"\bwhere\b|\bshow\b|\binvoice\b|what became of|come to|status", tell_order),
    (r"\bcheck\b|\blook up\b|\bread\b|the order says", tell_order),
)
"""What is asked for, by how it is said: of those that match a clause, the first is meant."""

CONDITIONS: tuple[tuple[str, Callable[[Clerk], bool]], ...] = (
    ("if it is only late", lambda clerk: clerk.notes.get("issues") == ["late"]),
    ("if that was used before", lambda clerk: clerk.was_refused),
)
"""What must hold for the rest of a sentence to be meant."""
