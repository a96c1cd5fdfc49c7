r"""Which number an answer states: the rules of `evalkit.texts.numbers`, row by row."""

import json
from fractions import Fraction
from pathlib import Path
from time import process_time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evalkit.texts import fraction_of, number_in
from evalkit.texts.amounts import MOST_DIGITS, MOST_EXPONENT
from evalkit.texts.numbers import LONGEST

CASES = Path(__file__).parents[2] / "../shared/data/reports/cases.ndjson"

READ = [
    # digits, signs, currency
    ("42", 42),
    ("0", 0),
    ("007", 7),
    (".5", "0.5"),
    ("5.", 5),
    ("-.5", "-0.5"),
    ("-5", -5),
    ("+5", 5),
    ("\u22125", -5),
    ("x = -5", -5),
    ("x=-5", -5),
    ('"-5"', -5),
    ("$5", 5),
    ("-$5", -5),
    ("$-5", -5),
    ("- $5", 5),
    ("-\u20ac 5", -5),
    (r"-\$5.50", "-5.5"),
    ("US$5", 5),
    ("\uff14\uff12", 42),
    # grouping
    ("1,234,567", 1_234_567),
    ("$1,234.50", "1234.5"),
    ("1 234 567", 1_234_567),
    ("12 345", 12_345),
    ("1 234.5", "1234.5"),
    ("1\u2009234\u2009567", 1_234_567),
    ("1\u00a0234", 1_234),
    ("1\u202f234", 1_234),
    ("1'234", 1_234),
    ("1\u2019234", 1_234),
    ("1{,}234", 1_234),
    (r"1\,234", 1_234),
    (r"1\;234", 1_234),
    (r"10\!080", 10_080),
    (r"10,\!080", 10_080),
    # exponents
    ("1e5", 100_000),
    ("1.5E-3", "0.0015"),
    ("1e+2kg", 100),
    (r"3 \times 10^{5}", 300_000),
    (r"3\times10^5", 300_000),
    (r"2 \cdot 10^{-2}", "0.02"),
    ("3 \u00d7 10^5", 300_000),
    ("3 x 10^5", 300_000),
    ("6.5 \u00d7 10\u00b9\u2070", 65_000_000_000),
    ("6.5 \u00d7 10\u207b\u00b9", "0.65"),
    # fractions
    (r"\frac{1}{3}", "1/3"),
    (r"-\dfrac{3}{4}", "-3/4"),
    (r"\frac{-3}{4}", "-3/4"),
    (r"\frac{ 1.5 }{ 2 }", "3/4"),
    (r"\tfrac {1,000}{3}", "1000/3"),
    ("1/3", "1/3"),
    ("-1/3", "-1/3"),
    ("1 / 3", "1/3"),
    ("1\u20443", "1/3"),
    ("10/20kg", "1/2"),
    # what follows: punctuation, units, percent
    *((f"It is 42{mark}", 42) for mark in [*".,;:!?)", "...", "**", "%", r"\%", " percent"]),
    ("(42)", 42),
    ("**42**", 42),
    ("_42_", 42),
    ("20kg", 20),
    ("5 USD", 5),
    ("5\u20ac", 5),
    ("25 m^2", 25),
    ("25 m\u00b2", 25),
    ("25 cm2", 25),
    (r"25\text{ cm}^{2}", 25),
    (r"90^\circ", 90),
    (r"90^{\circ}", 90),
    ("the 2nd", 2),
    ("5 million", 5),
    # the last one
    ("of 3 and 4, 7 remain", 7),
    ("10-20", 20),
    ("10%-20%", 20),
    ("10\u201320", 20),
    ("20kg-30kg", 30),
    ("1 234 56", 56),
    ("0 123", 123),
    ("2024 300", 300),
    ("3.5 100 200", 200),
    ("fig.3", 3),
    ("...5", 5),
    ("711 and 11", 11),
    # what is no number
    ("7 of H2O", 7),
    ("7, by x2 and x_3 and x_{4} and y^2", 7),
    ("7 against covid-19", 7),
    ("7 in v2.5.1", 7),
    # scripts without spaces
    ("\u7b54\u6848\u662f42\u3002", 42),
    ("\u5171\u67095\u4e2a\u4eba3\u53ea", 3),
    ("\u662f-5", -5),
]
MARKED = [
    ("711 apples. ANSWER: 11", 11),
    ("ANSWER: 3\nanswer: 4 of 5", 4),
    ("**Final Answer:** $1,200 (of 3)", 1_200),
    ("#### 18", 18),
    ("3 + 4 = 7\n#### 7 of 9", 7),
    (r"\boxed{7} of 9", 7),
    (r"\boxed {7}", 7),
    (r"\boxed{x = 7 \text{ of } 9}", 7),
    (r"\boxed{3}, no: \boxed{4}.", 4),
    (r"\boxed{\boxed{5}} 6", 5),
    (r"\boxed{\frac{1}{2}} 6", "1/2"),
    (r"\boxed{\{5\}}", 5),
    (r"ANSWER: \boxed{5} of 6", 5),
    (r"\boxed{5} ANSWER: 6", 6),
    (r"ANSWER: 5 #### 6", 6),
    ("the answer is 5 of 6", 6),
    ("ANSWER: 10-20", 10),
]
NOT_READ = [
    *("1.2.3", "1,2,3", "1.234,56", "12,34", "1,23,456", "1234,567", "0,123", "1.234.567"),
    *("1,234'567", "1'23", "5'10", "1_000", "1 234,567", r"1\,23", "1{,}2", "\u0661\u066b\u0665"),
    *("1/2/2024", "1/0", "1.5/2", "1/2.5", "2024-01-02", "2024\u201301\u201302", "12:30", "3:4:5"),
    *("1 1/2", r"1\frac{1}{2}", r"1 \frac{1}{2}", "\u00bd", "2\u00bd", "1/2e5", "1e5/2", "1e5.5"),
    *(r"\frac{x}{4}", r"\frac{\sqrt{3}}{2}", r"\frac12", r"\frac{1}{0}", r"\frac{1}", r"\frac{1"),
    *(r"\frac{1,2}{3}", r"\frac{1}{2}\pi", r"\frac{1}{2}^2", r"\frac{}{}", r"\frac{1}{--2}"),
    *(r"\sqrt{2}", r"\sqrt[3]{8}", r"\sqrt2", "\u221a2", "\u221a(2)", r"2\sqrt{3}", "2\u221a3"),
    *("2^10", "2^{10}", "10^5", "2**10", "10\u00b2", "2^{10}/5", r"2\pi", "2\u03c0", "101_{2}"),
    *("--5", "+-5", "\u00b15", "\u20135", "\uff0d5", "-$-5", "0x1F"),
]
NO_NUMBER = [
    *(
        "",
        " ",
        "forty-two",
        "H2O",
        "x2",
        "x2.5",
        "v1.2.3",
        "covid-19",
        "a-5",
        "x_2",
        "x_{2}",
        "y^2",
    ),
    *("-", "$", "%", ".", ",", "/", "\\", "{}", "NaN", "inf", "Infinity", "e5", "\u2160", "\u2460"),
]
AFTER_MARKERS = ["ANSWER: {}", "3 of 4\n#### {}", r"3 \boxed{{{}}} 4", r"ANSWER: 5 \boxed{{ {}}}"]


@pytest.mark.parametrize(("text", "value"), [*READ, *MARKED])
def test_what_is_read(text: str, value: str | int) -> None:
    """The number is the stated one, exactly, and what it was read from stands in the text."""
    stated = number_in(text)
    assert (stated.value, stated.why) == (Fraction(value), "")
    assert stated.said in text
    assert number_in(stated.said).value == Fraction(value)


@pytest.mark.parametrize("text", NOT_READ)
def test_what_can_not_be_read(text: str) -> None:
    """It has no value, is named, and neither a part of it nor an earlier number is taken for it."""
    for written in (text, f"Of 3 and 4, {text}", f"of 3 and 4: {text}."):
        stated = number_in(written)
        assert stated.value is None
        assert stated.said.strip()
        assert stated.said in written
        assert "is no number that can be read" in stated.why


@pytest.mark.parametrize("text", ["1.2.3", "12,34", "2^{10}", r"\sqrt{2}", "1/2/2024", "\u00b15"])
@pytest.mark.parametrize("marker", AFTER_MARKERS)
def test_after_a_marker_what_can_not_be_read_counts(marker: str, text: str) -> None:
    """A number that stands behind it is not taken in its place, nor one before the marker."""
    stated = number_in(marker.format(f"{text} or 7"))
    assert stated.value is None
    assert repr(text) in stated.why


@pytest.mark.parametrize("text", NO_NUMBER)
def test_where_there_is_none(text: str) -> None:
    """No number is no value, and the reason says so."""
    stated = number_in(text)
    assert (stated.value, stated.said, stated.why) == (None, "", "no number is stated")


@pytest.mark.parametrize("text", ["", "none", "H2O", "covid-19"])
@pytest.mark.parametrize("marker", AFTER_MARKERS)
def test_a_marker_without_a_number(marker: str, text: str) -> None:
    """Nothing earlier counts, and after a box nothing later."""
    stated = number_in(marker.format(text))
    assert (stated.value, stated.said) == (None, "")
    assert "no number stands after the last" in stated.why


@pytest.mark.parametrize("text", [r"\boxed{42", r"3 \boxed{4} \boxed{\frac{1}{2}", r"\boxed{\}"])
def test_a_box_that_is_not_closed(text: str) -> None:
    """An answer that was cut off may have gone on: it states no number."""
    stated = number_in(text)
    assert (stated.value, stated.why) == (None, r"the last '\\boxed{' is never closed")


currencies = st.characters(categories=["Sc"])


@settings(max_examples=100, deadline=None)
@given(currencies)
def test_every_currency_symbol_is_one(symbol: str) -> None:
    """A sign counts before and after any of them."""
    values = [number_in(text).value for text in (f"-{symbol}5", f"{symbol}-5", f"{symbol}5")]
    assert values == [-5, -5, 5]


@settings(max_examples=200, deadline=None)
@given(st.integers(-(10**30), 10**30), st.integers(0, 12))
def test_any_decimal_however_it_is_grouped(digits: int, places: int) -> None:
    """A number written with or without groups is read as itself."""
    value = Fraction(digits, 10**places)
    whole, rest = divmod(abs(digits), 10**places)
    sign, part = "-" * (digits < 0), f".{rest:0{places}}" * (places > 0)
    for group in ("", ",", "'", "\u00a0", " ", r"\,", "{,}", r"\!"):
        written = sign + f"{whole:,}".replace(",", group) + part
        assert number_in(f"it is {written}").value == value
        assert number_in(rf"1 or \boxed{{{written}\%}}").value == value


@settings(max_examples=200, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers())
@example(1e-300)
@example(-0.0)
def test_a_gold_is_what_is_written(value: float) -> None:
    """An int and a finite float are the number that their digits say."""
    assert fraction_of(value) == fraction_of(str(value)) == Fraction(str(value))


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), float("-inf"), True, False, "", "twenty", "1.2.3"]
)
def test_what_is_no_gold(value: float | str) -> None:
    """What states no number is none: a bool, NaN, infinity, words."""
    assert fraction_of(value) is None


def test_numbers_are_compared_as_numbers() -> None:
    """However they are written; the end of one is not another."""
    assert fraction_of("20%") == fraction_of("20") == fraction_of(20) == fraction_of(20.0)
    assert fraction_of("$1,234.50") == fraction_of(1234.5) == fraction_of(r"\frac{2469}{2}")
    assert fraction_of("711") != fraction_of("11")


@pytest.mark.parametrize(
    ("most", "more"),
    [
        ("9" * MOST_DIGITS, "9" * (MOST_DIGITS + 1)),
        ("0." + "1" * (MOST_DIGITS - 1), "0." + "1" * MOST_DIGITS),
        (f"1e{MOST_EXPONENT}", f"1e{MOST_EXPONENT + 1}"),
        (f"1e-{MOST_EXPONENT}", f"1e-{MOST_EXPONENT + 1}"),
        ("1e" + "1".zfill(MOST_DIGITS), "1e" + "1".zfill(MOST_DIGITS + 1)),
        (rf"3 \times 10^{{{MOST_EXPONENT}}}", rf"3 \times 10^{{{MOST_EXPONENT + 1}}}"),
        ("1/" + "9" * MOST_DIGITS, "1/" + "9" * (MOST_DIGITS + 1)),
    ],
)
def test_what_is_too_long_is_not_read(most: str, more: str) -> None:
    """Up to the bound a number is read; beyond it, it is none, and not blown up."""
    assert number_in(most).value is not None
    assert number_in(more).value is None
    assert len(number_in(more).why) < 200


def test_a_text_that_is_too_long_is_refused() -> None:
    """It is not cut, for what was cut off might be what counts."""
    assert number_in("5" + " " * (LONGEST - 1)).value == 5
    stated = number_in("5" + " " * LONGEST)
    assert (stated.value, stated.why) == (None, "the text has 1,000,001 characters, over 1,000,000")


CHARACTERS, SECONDS = 40_000, 1.0
"""Where each character looked at all the others, it would be many seconds."""
HOSTILE = [
    *("1,", "-", "\\boxed{", "\\frac{", "\\frac{}", "\\sqrt{1}{", "1 ", "123 ", "1.5 ", "$", "$ "),
    *("^{", "1^{", "_{", "1_{", "1-", "1/", "1:", "1e", "1'", "1{,}", "1 1/", "1 \u00d7 10^", "-1"),
    *("a-", "a1.", "\u221a(", "+-", "{", "\\", "\\sqrt[", "1\\sqrt{", "answer:", "####", "9", " "),
    *("\u00bd", "0x", "1  ", "word ", "1**", "\u00b2", "\\frac{1}{2}", "1\u00b2", "\n", "\u662f1"),
]


def seconds(text: str) -> float:
    """The CPU seconds that reading takes: the least of three, for others use the machine too."""
    spent = []
    for _ in range(3):
        began = process_time()
        number_in(text)
        spent.append(process_time() - began)
        if spent[-1] < SECONDS / 2:
            break
    return min(spent)


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_is_linear_on_hostile_texts(piece: str) -> None:
    """Of whatever a text consists, each character is looked at a few times, not by all others."""
    for head in ("", "\\boxed{", "\\frac{", "1"):
        assert seconds(head + piece * (CHARACTERS // len(piece))) < SECONDS


@pytest.mark.parametrize("piece", ["1,", "-", "\\boxed{"])
def test_200_000_hostile_characters_take_less_than_a_second(piece: str) -> None:
    """One endless number, no number at all, and boxes within boxes."""
    assert seconds(piece * (200_000 // len(piece))) < 1.0


hostile = st.lists(st.sampled_from([*HOSTILE, "}", "5", ".", "kg", "ANSWER: "]), max_size=10)


@settings(max_examples=500, deadline=None)
@given(hostile.map("".join) | st.text(max_size=20))
def test_never_raises_and_always_says(text: str) -> None:
    """Whatever the text is, there is a value or a reason, and what was read stands in it."""
    stated = number_in(text)
    assert (stated.value is None) is bool(stated.why)
    assert stated.said in text
    assert stated.value is None or stated.said


@pytest.mark.skipif(not CASES.exists(), reason="../shared/data is not there")
def test_reports_about_numbers() -> None:
    """No match by the end of a number, and no other number in place of a percentage."""
    rows = [json.loads(line) for line in CASES.read_bytes().split(b"\n") if line]
    reported = {row["id"]: row for row in rows if row["kind"] == "qa"}
    suffix, percent = reported["numeric-suffix"], reported["numeric-percent"]["input"]
    equal = [number_in(said).value == fraction_of(gold) for said, gold in suffix["input"]["pairs"]]
    assert equal == suffix["expected"]
    assert number_in(percent["output"]).value == fraction_of(percent["gold"]) == 20
