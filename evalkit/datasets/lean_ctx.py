"""lean-ctx: tasks on a workspace, questions with gold answers or code with a test command."""

from collections.abc import Iterator

from evalkit.datasets.dataset import Dataset, Record, ScenarioData
from evalkit.datasets.reading import (
    Part,
    golds,
    has,
    kept,
    known,
    name,
    note,
    scenario,
    settled,
    text,
    whole,
)
from evalkit.jsonvalue import brief
from evalkit.registry import hint_for

FIELDS = {
    "id": "name",
    "domain": "tag `qa` or `code`, which says what the other fields mean",
    "prompt": "prompt",
    "workspace": "metadata",
    "retrieval_query": "metadata",
    "answers": "the golds of a question",
    "target_file": "metadata of a code task",
    "test_cmd": "metadata of a code task, whose exit code is to be 0",
}
DOMAINS = {"qa": ("answers",), "code": ("target_file", "test_cmd")}
"""The domains, and the fields that only they have."""


def scenarios(record: Record, _number: int) -> Iterator[ScenarioData]:
    """Give the task of a record: a gold is contained in the response, or the test command succeeds.

    What a code task is judged by is the exit code of the last command in the workspace. A subject
    that runs none there leaves it out, and the scenario is skipped by name.
    """
    part = whole(record)
    known(part, FIELDS)
    domain = _domain(part)
    text(part, "workspace")
    if has(part, "retrieval_query"):
        text(part, "retrieval_query")
    found = scenario(
        name=name(part, "id"),
        prompt=text(part, "prompt"),
        tags=[domain] if domain else [],
        metadata=kept(part, "workspace", "retrieval_query", "target_file", "test_cmd"),
        **_rule(part, domain),
    )
    return settled(part, [found])


def _domain(part: Part) -> str | None:
    """Give the domain, and note the fields that another one has."""
    domain = text(part, "domain")
    if domain not in DOMAINS:
        if domain:
            note(part, "domain", f"unknown domain {brief(domain)}", hint_for(domain, DOMAINS))
        return None
    for other, fields in DOMAINS.items():
        for key in fields:
            if other != domain and part.data.get(key):
                note(part, key, f"is for the domain {other!r}, and this is {domain!r}")
    return domain


def _rule(part: Part, domain: str | None) -> Record:
    if domain == "qa":
        rule = {"match": "contains", "normalize": "words"}
        return {"answers": {"golds": golds(part, "answers"), **rule}}
    if domain == "code":
        for key in DOMAINS["code"]:
            text(part, key)
        exit_code = "workspace.commands[-1].exit_code"
        return {"assertions": [{"path": exit_code, "op": "eq", "expected": 0}]}
    return {}


LEAN_CTX = Dataset(
    name="lean_ctx",
    about="tasks on a workspace: questions, and code with a test command",
    source="the suites of lean-ctx eval ab",
    fields=FIELDS,
    needs=(frozenset({"id", "domain", "prompt", "workspace"}),),
    scenarios=scenarios,
)
