"""The order desk of a small tea shop: twelve tools over a SQLite database, for a clerk or an agent.

A desk is bound to one connection, and `open_database` gives a new one, filled with the same four
customers and ten orders. Today is always Friday, 14 June 2024, and nothing is random: equal calls
on equal databases give equal answers. Money is in whole cents, VAT included.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Collection
from datetime import date, timedelta
from difflib import get_close_matches
from typing import Any, NamedTuple

Document = dict[str, Any]

TODAY = date(2024, 6, 14)
REFUND_WINDOW = timedelta(days=30)
SHIP_WITHIN = timedelta(days=7)
LOW_STOCK = 5
PARCEL_HOLDS = 6
CARRIERS = {"courier": "CR", "post": "PO"}
REASONS = ("broken", "changed_mind", "late", "wrong_item")
STATUSES = ("cancelled", "delivered", "placed", "shipped")


class NotFoundError(LookupError):
    """The desk knows nothing of that name or number."""


class RuleError(ValueError):
    """The request is understood, and the rules of the shop forbid it."""


class Finding(NamedTuple):
    """One thing an audit looks for: it is found on the bills of which `applies` is true."""

    check: str
    severity: str
    applies: Callable[[Document], bool]
    message: str


FINDINGS = (
    Finding(
        "over_refunded",
        "error",
        lambda bill: bill["refunded_cents"] > bill["charged_cents"],
        "refunded {refunded_cents} cents of {charged_cents} charged",
    ),
    Finding(
        "unpaid_shipment",
        "error",
        lambda bill: bill["status"] in ("shipped", "delivered") and not bill["charged_cents"],
        "the order is {status} and nothing was charged",
    ),
    Finding(
        "wrong_charge",
        "error",
        lambda bill: bill["charged_cents"] not in (0, bill["total_cents"]),
        "charged {charged_cents} cents for a total of {total_cents}",
    ),
    Finding(
        "late",
        "warning",
        lambda bill: bill["status"] == "placed" and age(bill["placed_on"]) > SHIP_WITHIN,
        "placed on {placed_on} and still not shipped",
    ),
    Finding(
        "price_changed",
        "warning",
        lambda bill: bill["repriced_lines"] > 0,
        "{repriced_lines} of its products cost something else today",
    ),
)


class OrderDesk:
    """The tools: each public method but `tools` is one, and answers with a JSON document."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def tools(self) -> dict[str, Callable[..., Any]]:
        """Every tool under its own name: the dispatch table."""
        return {
            "apply_voucher": self.apply_voucher,
            "audit_order": self.audit_order,
            "cancel_order": self.cancel_order,
            "check_stock": self.check_stock,
            "find_customer": self.find_customer,
            "find_order": self.find_order,
            "list_orders": self.list_orders,
            "monthly_report": self.monthly_report,
            "place_order": self.place_order,
            "refund": self.refund,
            "search_products": self.search_products,
            "ship_order": self.ship_order,
        }

    def find_customer(self, email: str) -> Document:
        """One customer by email address, with what they have ordered and spent so far."""
        return self._one(
            "customer",
            email.strip().lower(),
            """
            select customer_id, customers.name, email, customers.tier, count(order_id) as orders,
                coalesce(sum(charged_cents - refunded_cents), 0) as spent_cents
            from customers left join bills using (customer_id) where email = ? group by customer_id
            """,
        )

    def search_products(
        self, query: str, max_price_cents: int | None = None, *, in_stock: bool = False
    ) -> Document:
        """The products whose name or category contains the query, the cheapest first."""
        products = self._all(
            """
            select sku, name, category, price_cents, stock, rating from products
            where instr(lower(name || ' ' || category), lower(?))
                and price_cents <= coalesce(?, price_cents) and stock >= ?
            order by price_cents, sku
            """,
            query,
            max_price_cents,
            int(in_stock),
        )
        return {"query": query, "count": len(products), "products": products}

    async def check_stock(self, sku: str) -> Document:
        """What there is of a product, what of it is on order, and when more is expected."""
        await asyncio.sleep(0)  # a real desk would ask the warehouse here
        product = self._product(sku)
        on_order = self._one(
            "product",
            sku,
            """
            select coalesce(sum(quantity), 0) as pieces from lines join orders using (order_id)
            where sku = ? and status = 'placed'
            """,
        )
        return {
            "sku": sku,
            "name": product["name"],
            "stock": product["stock"],
            "on_order": on_order["pieces"],
            "low": product["stock"] < LOW_STOCK,
            "expected_on": product["expected_on"],
        }

    def find_order(self, order_id: int) -> Document:
        """One order in full: customer, items, payment, voucher, and all that happened to it."""
        bill = self._bill(order_id)
        return {
            **pick(bill, "order_id", "status", "placed_on", "delivered_on", "voucher"),
            "customer": pick(bill, "customer_id", "name"),
            "items": self._items(order_id),
            "payment": pick(
                bill,
                "subtotal_cents",
                "discount_cents",
                "shipping_cents",
                "total_cents",
                "vat_cents",
                "charged_cents",
                "refunded_cents",
            ),
            "events": self._all(
                "select day, event, note from events where order_id = ? order by rowid", order_id
            ),
        }

    def list_orders(self, customer_id: int, status: str | None = None) -> Document:
        """The orders of a customer, the newest first: all of them, or those of one status."""
        self._customer(customer_id)
        if status is not None:
            known("status", status, STATUSES)
        orders = self._all(
            """
            select order_id, status, placed_on, total_cents from bills
            where customer_id = ? and status = coalesce(?, status)
            order by placed_on desc, order_id desc
            """,
            customer_id,
            status,
        )
        return {"customer_id": customer_id, "count": len(orders), "orders": orders}

    def place_order(self, customer_id: int, quantities: dict[str, int]) -> Document:
        """Order pieces of products, by SKU: they leave the stock, and nothing is charged yet."""
        self._customer(customer_id)
        if not quantities:
            raise RuleError("an order needs at least one product")
        with self._db:
            order_id = self._do(
                "insert into orders (customer_id, status) values (?, 'placed')", customer_id
            )
            for sku, quantity in quantities.items():
                self._take(order_id, sku, quantity)
            self._record(order_id, "placed")
        return {
            **pick(self._bill(order_id), "order_id", "status", "shipping_cents", "total_cents"),
            "items": self._items(order_id),
        }

    def apply_voucher(self, order_id: int, code: str) -> Document:
        """Put a voucher to an order that is not shipped yet: one an order, each once a customer."""
        bill = self._bill(order_id, "placed")
        voucher = self._one("voucher", code, "select * from vouchers where code = ?")
        if bill["voucher"] is not None:
            raise RuleError(f"order {order_id} already has voucher {bill['voucher']!r}")
        if voucher["expires_on"] < str(TODAY):
            raise RuleError(f"voucher {code!r} expired on {voucher['expires_on']}")
        if bill["subtotal_cents"] < voucher["minimum_cents"]:
            raise RuleError(
                f"voucher {code!r} needs {voucher['minimum_cents']} cents, "
                f"order {order_id} has {bill['subtotal_cents']}"
            )
        used = "select 1 from orders where customer_id = ? and voucher = ?"
        if self._all(used, bill["customer_id"], code):
            raise RuleError(f"voucher {code!r} was used by {bill['name']} before")
        with self._db:
            self._do("update orders set voucher = ? where order_id = ?", code, order_id)
            self._record(order_id, "voucher", note=code)
        return {
            **pick(voucher, "code", "percent"),
            **pick(self._bill(order_id), "order_id", "discount_cents", "total_cents"),
        }

    async def ship_order(self, order_id: int, carrier: str) -> Document:
        """Charge a placed order and hand it to a carrier, six pieces to a parcel."""
        prefix = CARRIERS[known("carrier", carrier, CARRIERS)]
        bill = self._bill(order_id, "placed")
        await asyncio.sleep(0)  # a real desk would ask the carrier here
        pieces = sum(item["quantity"] for item in self._items(order_id))
        parcels = [
            {
                "tracking": f"{prefix}-{order_id}-{number}",
                "pieces": min(PARCEL_HOLDS, pieces - packed),
            }
            for number, packed in enumerate(range(0, pieces, PARCEL_HOLDS), start=1)
        ]
        with self._db:
            self._do("update orders set status = 'shipped' where order_id = ?", order_id)
            self._record(order_id, "charged", bill["total_cents"])
            self._record(order_id, "shipped", note=carrier)
        return {
            **pick(self._bill(order_id), "order_id", "status", "charged_cents"),
            "carrier": carrier,
            "parcels": parcels,
        }

    def cancel_order(self, order_id: int) -> Document:
        """Call off an order that is not shipped yet: its pieces and its voucher are free again."""
        bill = self._bill(order_id, "placed")
        with self._db:
            self._do(
                "update orders set status = 'cancelled', voucher = null where order_id = ?",
                order_id,
            )
            self._do(
                """
                update products set stock = stock + quantity
                from lines where lines.sku = products.sku and order_id = ?
                """,
                order_id,
            )
            self._record(order_id, "cancelled")
        restocked = """
            select sku, quantity, stock from lines join products using (sku)
            where order_id = ? order by lines.rowid
        """
        return {
            **pick(self._bill(order_id), "order_id", "status"),
            "freed_voucher": bill["voucher"],
            "restocked": self._all(restocked, order_id),
        }

    def refund(self, order_id: int, reason: str, amount_cents: int | None = None) -> Document:
        """Pay back a delivered order within 30 days: an amount, or all that is left to pay back."""
        known("reason", reason, REASONS)
        bill = self._bill(order_id, "delivered")
        if age(bill["delivered_on"]) > REFUND_WINDOW:
            raise RuleError(
                f"order {order_id} was delivered on {bill['delivered_on']}, "
                f"a refund ends {REFUND_WINDOW.days} days later"
            )
        left_cents = max(0, bill["charged_cents"] - bill["refunded_cents"])
        amount_cents = left_cents if amount_cents is None else amount_cents
        if not 0 < amount_cents <= left_cents:
            raise RuleError(
                f"cannot refund {amount_cents} cents of order {order_id}, {left_cents} are left"
            )
        with self._db:
            self._record(order_id, "refunded", amount_cents, reason)
        return {
            "order_id": order_id,
            "reason": reason,
            "amount_cents": amount_cents,
            "refunded_cents": bill["refunded_cents"] + amount_cents,
            "left_cents": left_cents - amount_cents,
        }

    def audit_order(self, order_id: int) -> Document:
        """What is wrong with an order (errors), and what somebody should look at (warnings)."""
        bill = self._bill(order_id)
        issues = [
            {
                "check": finding.check,
                "severity": finding.severity,
                "message": finding.message.format_map(bill),
            }
            for finding in FINDINGS
            if finding.applies(bill)
        ]
        severities = [issue["severity"] for issue in issues]
        return {
            "order_id": order_id,
            "summary": {
                "errors": severities.count("error"),
                "warnings": severities.count("warning"),
            },
            "issues": issues,
        }

    def monthly_report(self, month: str) -> Document:
        """Orders, money and best sellers of a month, written like 2024-05."""
        try:
            date.fromisoformat(f"{month}-01")
        except ValueError as error:
            raise RuleError(f"{month!r} is no month, one is written like '2024-05'") from error
        report = self._one(
            "month",
            month,
            """
            select coalesce(sum(event = 'placed'), 0) as placed,
                coalesce(sum(event = 'cancelled'), 0) as cancelled,
                coalesce(sum(amount_cents) filter (where event = 'charged'), 0) as charged_cents,
                coalesce(sum(amount_cents) filter (where event = 'refunded'), 0) as refunded_cents,
                avg(amount_cents) filter (where event = 'charged') as average_charge_cents
            from events where substr(day, 1, 7) = ?
            """,
        )
        charged_cents, refunded_cents = report["charged_cents"], report["refunded_cents"]
        best_sellers = """
            select sku, sum(quantity) as pieces from lines join bills using (order_id)
            where substr(placed_on, 1, 7) = ? and status <> 'cancelled'
            group by sku order by pieces desc, sku limit 3
        """
        return {
            "month": month,
            **report,
            "net_cents": charged_cents - refunded_cents,
            "refund_rate": refunded_cents / charged_cents if charged_cents else None,
            "best_sellers": self._all(best_sellers, month),
        }

    def _customer(self, customer_id: int) -> Document:
        sql = "select * from customers where customer_id = ?"
        return self._one("customer", customer_id, sql)

    def _product(self, sku: str) -> Document:
        products = {product["sku"]: product for product in self._all("select * from products")}
        return products[known("product", sku, products)]

    def _bill(self, order_id: int, status: str | None = None) -> Document:
        bill = self._one("order", order_id, "select * from bills where order_id = ?")
        if status not in (None, bill["status"]):
            raise RuleError(
                f"order {order_id} is {bill['status']}, this needs one that is {status}"
            )
        return bill

    def _items(self, order_id: int) -> list[Document]:
        return self._all(
            """
            select sku, name, quantity, lines.price_cents,
                quantity * lines.price_cents as total_cents
            from lines join products using (sku) where order_id = ? order by lines.rowid
            """,
            order_id,
        )

    def _take(self, order_id: int, sku: str, quantity: int) -> None:
        product = self._product(sku)
        if quantity < 1:
            raise RuleError(f"cannot order {quantity} pieces of {sku!r}, the least is 1")
        if quantity > product["stock"]:
            raise RuleError(f"only {product['stock']} of {sku!r} in stock, {quantity} are wanted")
        self._do("update products set stock = stock - ? where sku = ?", quantity, sku)
        line = "insert into lines (order_id, sku, quantity, price_cents) values (?, ?, ?, ?)"
        self._do(line, order_id, sku, quantity, product["price_cents"])

    def _record(
        self, order_id: int, event: str, amount_cents: int = 0, note: str | None = None
    ) -> None:
        line = (
            "insert into events (order_id, day, event, amount_cents, note) values (?, ?, ?, ?, ?)"
        )
        self._do(line, order_id, str(TODAY), event, amount_cents, note)

    def _one(self, what: str, key: int | str, sql: str) -> Document:
        for row in self._all(sql, key):
            return row
        raise NotFoundError(f"no {what} {key!r}")

    def _all(self, sql: str, *values: object) -> list[Document]:
        return [dict(row) for row in self._db.execute(sql, values)]

    def _do(self, sql: str, *values: object) -> int:
        return self._db.execute(sql, values).lastrowid or 0


def known(what: str, value: str, choices: Collection[str]) -> str:
    """The value, if it is one of the choices; else an error with the nearest of them."""
    if value in choices:
        return value
    near = get_close_matches(value, choices, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(sorted(choices))}"
    raise NotFoundError(f"no {what} {value!r}, {hint}")


def age(day: str) -> timedelta:
    """How long ago a day was."""
    return TODAY - date.fromisoformat(day)


def pick(row: Document, *keys: str) -> Document:
    """Only these keys, in this order."""
    return {key: row[key] for key in keys}


def open_database() -> sqlite3.Connection:
    """A new database in memory, as it stood on the morning of 14 June 2024."""
    # its async tools may run on a loop of another thread; calls are made one after the other
    db = sqlite3.connect(":memory:", check_same_thread=False)
    db.row_factory = sqlite3.Row
    db.executescript(TABLES)
    db.executescript(ROWS)
    return db


TABLES = """
pragma foreign_keys = on;

create table customers (
    customer_id integer primary key, name text, email text unique, tier text, password_hash text
);
create table products (
    sku text primary key, name text, category text, price_cents integer,
    stock integer check (stock >= 0), rating real, expected_on text
);
create table vouchers (
    code text primary key, percent integer, minimum_cents integer, expires_on text
);
create table orders (
    order_id integer primary key, customer_id integer references customers, status text,
    voucher text references vouchers
);
create table lines (
    order_id integer references orders, sku text references products,
    quantity integer check (quantity > 0), price_cents integer
);
create table events (
    order_id integer references orders, day text, event text, amount_cents integer, note text
);

-- Every sum of money in one place. Shares are rounded half up; gold customers ship for nothing.
create view bills as
with goods as (
    select order_id, sum(quantity * lines.price_cents) as subtotal_cents,
        sum(lines.price_cents <> products.price_cents) as repriced_lines
    from lines join products using (sku) group by order_id
),
history as (
    select order_id, min(day) as placed_on,
        max(day) filter (where event = 'delivered') as delivered_on,
        coalesce(sum(amount_cents) filter (where event = 'charged'), 0) as charged_cents,
        coalesce(sum(amount_cents) filter (where event = 'refunded'), 0) as refunded_cents
    from events group by order_id
),
priced as (
    select order_id, customer_id, name, status, voucher, subtotal_cents, repriced_lines,
        coalesce((subtotal_cents * percent + 50) / 100, 0) as discount_cents,
        iif(tier = 'gold' or subtotal_cents >= 5000, 0, 490) as shipping_cents
    from orders join customers using (customer_id) join goods using (order_id)
        left join vouchers on code = voucher
),
summed as (
    select *, subtotal_cents - discount_cents + shipping_cents as total_cents from priced
)
select *, (2 * 19 * total_cents + 119) / (2 * 119) as vat_cents
from summed join history using (order_id);
"""

ROWS = """
insert into customers values
    (1, 'Mira Okafor', 'mira@example.org', 'gold', 'scrypt:9f2c'),
    (2, 'Jonas Weber', 'jonas@example.org', 'regular', 'scrypt:41d7'),
    (3, 'Zoë Ångström', 'zoe@example.org', 'regular', 'scrypt:c05e'),
    (4, 'Li Na', 'li.na@example.org', 'regular', 'scrypt:7ab1');

insert into products values
    ('cup-blue', 'Stoneware cup, blue', 'cups', 1250, 40, 4.6, null),
    ('cup-white', 'Stoneware cup, white', 'cups', 1250, 0, 4.4, '2024-06-28'),
    ('kettle-1l', 'Enamel kettle, 1 l', 'kettles', 4900, 12, 4.8, null),
    ('scale', 'Tea scale', 'tools', 2999, 7, 4.1, null),
    ('strainer', 'Tea strainer', 'tools', 690, 60, 3.9, null),
    ('teapot-glass', 'Glass teapot, 0.6 l', 'teapots', 3450, 4, 4.2, '2024-07-01'),
    ('tin-oolong', 'Oolong, tin of 100 g', 'tea', 1890, 25, 4.9, null),
    ('tin-sencha', 'Sencha, tin of 100 g', 'tea', 1640, 3, 4.7, '2024-06-20'),
    ('tray-birch', 'Birch tray', 'trays', 3990, 1, 4.0, null);

insert into vouchers values
    ('BIGTEA15', 15, 10000, '2024-12-31'),
    ('SPRING10', 10, 3000, '2024-06-30'),
    ('WINTER20', 20, 0, '2024-02-29');

insert into orders values
    (1001, 1, 'delivered', null),
    (1002, 2, 'delivered', null),
    (1003, 3, 'delivered', null),
    (1004, 1, 'shipped', null),
    (1005, 2, 'placed', null),
    (1006, 3, 'cancelled', null),
    (1007, 2, 'delivered', 'SPRING10'),
    (1008, 3, 'placed', null),
    (1009, 1, 'delivered', null),
    (1010, 2, 'shipped', null);

insert into lines values
    (1001, 'kettle-1l', 1, 4700),
    (1002, 'cup-blue', 2, 1250), (1002, 'tin-oolong', 1, 1890),
    (1003, 'teapot-glass', 1, 3450), (1003, 'strainer', 1, 690),
    (1004, 'tin-sencha', 2, 1640),
    (1005, 'scale', 1, 2999), (1005, 'strainer', 1, 690),
    (1006, 'kettle-1l', 1, 4900),
    (1007, 'kettle-1l', 1, 4900), (1007, 'cup-blue', 4, 1250),
    (1008, 'tray-birch', 1, 3990),
    (1009, 'tin-oolong', 1, 1890),
    (1010, 'strainer', 3, 650);

insert into events values
    (1001, '2024-04-18', 'placed', 0, null),
    (1001, '2024-04-19', 'charged', 4700, null),
    (1001, '2024-04-19', 'shipped', 0, 'post'),
    (1001, '2024-04-22', 'delivered', 0, null),
    (1002, '2024-05-25', 'placed', 0, null),
    (1002, '2024-05-27', 'charged', 4880, null),
    (1002, '2024-05-27', 'shipped', 0, 'post'),
    (1002, '2024-05-30', 'delivered', 0, null),
    (1003, '2024-05-30', 'placed', 0, null),
    (1003, '2024-05-31', 'charged', 4630, null),
    (1003, '2024-05-31', 'shipped', 0, 'courier'),
    (1003, '2024-06-03', 'delivered', 0, null),
    (1003, '2024-06-05', 'refunded', 690, 'broken'),
    (1004, '2024-06-10', 'placed', 0, null),
    (1004, '2024-06-11', 'charged', 3820, null),
    (1004, '2024-06-11', 'shipped', 0, 'post'),
    (1005, '2024-06-13', 'placed', 0, null),
    (1006, '2024-05-11', 'placed', 0, null),
    (1006, '2024-05-12', 'cancelled', 0, null),
    (1007, '2024-06-08', 'placed', 0, null),
    (1007, '2024-06-08', 'voucher', 0, 'SPRING10'),
    (1007, '2024-06-10', 'charged', 8910, null),
    (1007, '2024-06-10', 'shipped', 0, 'courier'),
    (1007, '2024-06-12', 'delivered', 0, null),
    (1008, '2024-05-28', 'placed', 0, null),
    (1009, '2024-05-15', 'placed', 0, null),
    (1009, '2024-05-16', 'charged', 1890, null),
    (1009, '2024-05-17', 'shipped', 0, 'post'),
    (1009, '2024-05-20', 'delivered', 0, null),
    (1009, '2024-05-22', 'refunded', 2100, 'broken'),
    (1010, '2024-06-05', 'placed', 0, null),
    (1010, '2024-06-07', 'shipped', 0, 'post');
"""
