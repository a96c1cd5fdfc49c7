"""Which evaluators Swink has, and what each of them needs that a file does not hold."""

from collections.abc import Iterable, Mapping

JUDGE, CODE, MEASURE = "a judge", "code", "Swink's own measure"

_JUDGES = (
    *("helpfulness", "correctness", "conciseness", "coherence", "response_relevance"),
    *("hallucination", "faithfulness", "plan_adherence", "laziness"),
    *("harmfulness", "toxicity", "fairness", "pii_leakage", "prompt_injection", "code_injection"),
    *("rag_groundedness", "rag_retrieval_relevance", "rag_helpfulness"),
    *("trajectory_accuracy", "trajectory_accuracy_with_ref", "user_satisfaction", "agent_tone"),
    *("knowledge_retention", "language_detection", "perceived_error"),
    *("image_safety", "code_llm_judge"),
)
_IN_CODE = (
    *("exact_match", "levenshtein_distance", "json_match", "json_schema", "embedding_similarity"),
    *("cargo_check", "clippy", "sandboxed_execution"),
)
"""What is told in code what it compares with, or compiles what the agent has written."""

BY_FIELD: Mapping[str, tuple[str, ...]] = {
    "expected_trajectory": ("trajectory",),
    "expected_response": ("response",),
    "budget": ("budget",),
    "expected_environment_state": ("environment_state",),
    "expected_assertion": ("task_completion", "goal_success_rate"),
    "expected_interactions": ("interactions",),
    "expected_tool_intent": ("semantic_tool_parameter",),
    "semantic_tool_selection": ("semantic_tool_selection",),
}
"""The fields of a case that say what is expected, each with the evaluators that look at it."""

EVALUATORS: Mapping[str, str | None] = {
    **{name: None for names in BY_FIELD.values() for name in names},
    "efficiency": MEASURE,
    **dict.fromkeys(_JUDGES, JUDGE),
    **dict.fromkeys(_IN_CODE, CODE),
}
"""The evaluators by name, each with what it needs; None where it looks at a field of the case."""


def needs_of(evaluators: Iterable[str]) -> list[tuple[str, str]]:
    """Say what the evaluators of a case need, and by which name.

    >>> needs_of(["response", "helpfulness"])
    [('a judge', 'evaluators (helpfulness)')]
    """
    found = ((EVALUATORS.get(name), f"evaluators ({name})") for name in evaluators)
    return [(what, field) for what, field in found if what is not None]
