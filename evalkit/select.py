"""Which scenarios of a catalogue are meant: by tag, difficulty, name, expression, share."""

import re
from collections.abc import Callable, Collection, Iterable

import attrs
from attrs import field

from evalkit.errors import CatalogueError, Problem
from evalkit.jsonvalue import brief
from evalkit.model import DIFFICULTIES, Scenario
from evalkit.registry import COMPARED, hint_for, nearest

EXCLUDES = "not:"
DEEPEST = 100
_TOKEN = re.compile(r"\s*(\(|\)|[^\s()]+)")
_WORDS = ("and", "or", "not")

Fits = Callable[[Scenario], bool]


def _listed(value: str | Iterable[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


@attrs.frozen(eq=False, repr=False)
class Selection:
    """What is asked of a scenario to be among the selected; all of it must fit.

    `tags` are any of (`not:x` excludes). `shard` is (number from 1, count); `sample` a size, drawn
    by `seed`. `failed` names what failed in an earlier run: only these are meant (all, where none
    of them is there any more), or with `failed_first` all, and these before the others.
    """

    tags: tuple[str, ...] = field(default=(), converter=_listed)
    difficulty: tuple[str, ...] = field(default=(), converter=_listed)
    names: tuple[str, ...] = field(default=(), converter=_listed)
    expr: str | None = None
    shard: tuple[int, int] | None = None
    sample: int | None = None
    seed: int = 0
    failed: frozenset[str] | None = None
    failed_first: bool = False

    def __attrs_post_init__(self) -> None:
        """Refuse shares and samples that there can't be."""
        if self.shard is not None and not 1 <= self.shard[0] <= self.shard[1]:
            raise CatalogueError(
                "shard", f"there is no share {self.shard}", "(number from 1, count)"
            )
        if self.sample is not None and self.sample < 1:
            raise CatalogueError("sample", f"expected 1 or more, got {self.sample}")

    def of_all(self, scenarios: list[Scenario]) -> list[Scenario]:
        """Give those that fit, in order; `CatalogueError` where a tag or name is nobody's."""
        self.check(_tags(scenarios), {scenario.name for scenario in scenarios})
        tests = self.tests()
        chosen = [scenario for scenario in scenarios if all(fits(scenario) for fits in tests)]
        if self.sample is not None and self.sample < len(chosen):
            chosen = _drawn(chosen, self.sample, self.seed)
        if self.shard is not None:
            number, count = self.shard
            chosen = chosen[number - 1 :: count]
        return chosen if self.failed is None else self._by_failure(chosen, self.failed)

    @property
    def in_passing(self) -> bool:
        """Say whether scenarios can be selected one by one, without knowing the others."""
        return self.sample is None and self.failed is None

    def _by_failure(self, chosen: list[Scenario], failed: frozenset[str]) -> list[Scenario]:
        """Take those that failed before: alone, or first."""
        bad = [scenario for scenario in chosen if scenario.name in failed]
        if self.failed_first:
            return bad + [scenario for scenario in chosen if scenario.name not in failed]
        return bad or chosen

    def __str__(self) -> str:
        """Write it as the options that ask for it."""
        parts = [f"-t {tag}" for tag in self.tags] + [
            f"--difficulty {each}" for each in self.difficulty
        ]
        parts += [f"--name {name}" for name in self.names]
        parts += [f"-k {self.expr!r}"] if self.expr else []
        parts += ["--shard {}/{}".format(*self.shard)] if self.shard else []
        parts += [f"--sample {self.sample}"] if self.sample is not None else []
        parts += [f"--seed {self.seed}"] if self.sample is not None and self.seed else []
        parts += [] if self.failed is None else ["--ff" if self.failed_first else "--lf"]
        return " ".join(parts)

    def nearest(self, scenarios: list[Scenario]) -> str | None:
        """Give the name or tag closest to a word of the expression, where nothing fitted."""
        known = {scenario.name for scenario in scenarios} | _tags(scenarios)
        words = [word for word in _tokens(self.expr or "") if word not in (*_WORDS, "(", ")")]
        return next((close for word in words if (close := nearest(word, known))), None)

    def tests(self) -> list[Fits]:
        """Give what a scenario must all fit."""
        tests: list[Fits] = []
        wanted = {tag for tag in self.tags if not tag.startswith(EXCLUDES)}
        unwanted = {tag.removeprefix(EXCLUDES) for tag in self.tags if tag.startswith(EXCLUDES)}
        if wanted:
            tests.append(lambda scenario: not wanted.isdisjoint(scenario.tags))
        if unwanted:
            tests.append(lambda scenario: unwanted.isdisjoint(scenario.tags))
        if self.difficulty:
            tests.append(lambda scenario: scenario.difficulty in self.difficulty)
        if self.names:
            tests.append(lambda scenario: scenario.name in self.names)
        if self.expr is not None:
            tests.append(_parsed(self.expr))
        return tests

    def check(self, tags: Collection[str], names: Collection[str]) -> None:
        """Refuse tags and names that are nobody's: a typo selects nothing in silence."""
        asked = (
            ("tag", [tag.removeprefix(EXCLUDES) for tag in self.tags], tags),
            ("difficulty", self.difficulty, DIFFICULTIES),
            ("name", self.names, names),
        )
        problems = [
            Problem("", f"unknown {what} {each!r}", hint_for(each, known))
            for what, given, known in asked
            for each in given
            if each not in known
        ]
        if problems:
            raise CatalogueError(problems=problems)


class Sieve:
    """Selects scenarios one by one; what is asked for and was never seen is told at the end."""

    def __init__(self, selection: Selection) -> None:
        """Take a selection that is possible `in_passing`."""
        self._selection = selection
        self._tests = selection.tests()
        self._tags: set[str] = set()
        self._names: set[str] = set()
        self._fitting = -1

    def takes(self, scenario: Scenario) -> bool:
        """Say whether a scenario is selected."""
        selection = self._selection
        if selection.tags:
            self._tags.update(scenario.tags)
        if selection.names:
            self._note(scenario.name)
        if not all(fits(scenario) for fits in self._tests):
            return False
        self._fitting += 1
        if selection.shard is None:
            return True
        number, count = selection.shard
        return self._fitting % count == number - 1

    def check(self) -> None:
        """Refuse tags and names that were nobody's."""
        self._selection.check(self._tags, self._names)

    def _note(self, name: str) -> None:
        """Keep a name that is asked for, or may be what was meant, as long as these are few."""
        if name in self._selection.names or len(self._names) < COMPARED:
            self._names.add(name)


def _drawn(scenarios: list[Scenario], size: int, seed: int) -> list[Scenario]:
    from random import Random  # noqa: PLC0415  - 3 ms, only where a sample is asked for

    kept = set(Random(seed).sample(range(len(scenarios)), size))  # noqa: S311
    return [scenario for index, scenario in enumerate(scenarios) if index in kept]


def _tags(scenarios: list[Scenario]) -> set[str]:
    return {tag for scenario in scenarios for tag in scenario.tags}


def _tokens(expr: str) -> list[str]:
    return _TOKEN.findall(expr)


def _parsed(expr: str) -> Fits:
    """Compile an expression of words, and, or, not and parentheses."""
    tokens = _tokens(expr)
    if tokens.count("(") + tokens.count("not") > DEEPEST:
        raise CatalogueError(f"-k {brief(expr)}", "is nested too deep", f"at most {DEEPEST} levels")
    fits, rest = _either(tokens, expr)
    if rest:
        raise CatalogueError(f"-k {expr!r}", f"unexpected {rest[0]!r}", "words, and, or, not, ( )")
    return fits


def _either(tokens: list[str], expr: str) -> tuple[Fits, list[str]]:
    left, rest = _both(tokens, expr)
    while rest[:1] == ["or"]:
        right, rest = _both(rest[1:], expr)
        left = _or(left, right)
    return left, rest


def _both(tokens: list[str], expr: str) -> tuple[Fits, list[str]]:
    left, rest = _one(tokens, expr)
    while rest[:1] == ["and"]:
        right, rest = _one(rest[1:], expr)
        left = _and(left, right)
    return left, rest


def _one(tokens: list[str], expr: str) -> tuple[Fits, list[str]]:
    if not tokens or tokens[0] in ("and", "or", ")"):
        found = repr(tokens[0]) if tokens else "the end"
        raise CatalogueError(
            f"-k {expr!r}", f"a word is missing before {found}", "words, and, or, not, ( )"
        )
    head, rest = tokens[0], tokens[1:]
    if head == "not":
        inner, rest = _one(rest, expr)
        return (lambda scenario: not inner(scenario)), rest
    if head == "(":
        inner, rest = _either(rest, expr)
        if rest[:1] != [")"]:
            raise CatalogueError(f"-k {expr!r}", "a parenthesis is not closed")
        return inner, rest[1:]
    word = head.casefold()
    return (
        lambda scenario: any(word in text.casefold() for text in (scenario.name, *scenario.tags))
    ), rest


def _or(left: Fits, right: Fits) -> Fits:
    return lambda scenario: left(scenario) or right(scenario)


def _and(left: Fits, right: Fits) -> Fits:
    return lambda scenario: left(scenario) and right(scenario)
