"""Why something came to nothing: by a code, and in words."""

from typing import Any

from evalkit.result import CODES
from evalkit.trace import Call, NotRun, Trace, TraceError

BY_KIND = {
    "raised": "tool_raised",
    "timeout": "tool_timeout",
    "invalid_arguments": "invalid_arguments",
    "unserialisable": "unserialisable_result",
    "unknown_tool": "unknown_tool",
    "transport": "transport_failed",
    "error_if": "error_if_raised",
    "unobserved": "result_unobserved",
}
BY_STOP = {"raised": "agent_raised", "timeout": "agent_timeout", "no_output": "no_answer"}
"""The codes of an agent that did not come to its end; where it was cut short, by a limit."""
UNSEEN = {
    "calls": "calls_unobserved",
    "errors": "calls_unobserved",
    "usage": "usage_unknown",
    "cost_usd": "usage_unknown",
    "state": "state_uncaptured",
}
"""The codes of what a subject could have shown, and did not."""
BY_CALLS = frozenset({"meta.turns", "meta.ended_on_failed_call"})
"""What is not known of an agent either that does not show its calls."""
BY_CAUSE = {"transport": "transport_failed"}
STOPPED = "stopped_by_limit"
UNAVAILABLE = "tools_unavailable"
WHOLE = frozenset(
    {UNAVAILABLE, "crashed", "no_prediction", "no_answer", "no_recording", "agent_unreachable"}
)
"""The errors by which nothing of a scenario could be measured, or nothing of it was done."""


def why_failed(call: Call) -> tuple[str, str]:
    """Say why a call gave no result."""
    error: Any = call["error"]
    message = error["message"]
    kind = error["kind"]
    named = kind != "unobserved"  # which is an error of nobody's
    reason = f"{error['type']}: {message}" if named and message else message or error["type"]
    return BY_KIND.get(kind, "tool_raised"), reason


def why_not_run(entry: NotRun, trace: Trace) -> str:
    """Say why a step was not run, in words."""
    cause, needs = entry["cause"], entry["needs"]
    if needs is not None:
        return f"not run, for it needs {needs!r}, which was not saved"
    alike = [other["step"] for other in trace["not_run"] if other["cause"] == cause]
    errors = [error for error in trace["errors"] if error["kind"] == cause]
    if len(errors) == len(alike):
        error = errors[alike.index(entry["step"])]
        return f"not run: {error['type']}: {error['message']}"
    return f"not run: {CODES[cause].meaning}" if cause in CODES else f"not run: {cause}"


def why_stopped(trace: Trace) -> tuple[str, str]:
    """Say why an agent did not come to its end: by a code, and in words."""
    cause = str(trace["stop_cause"])
    code = BY_STOP.get(cause, STOPPED)
    if cause == "completed":
        return code, "it said nothing"
    errors = [each for each in trace["errors"] if each["call"] is None and each["kind"] == code]
    told = "; ".join(f"{error['type']}: {error['message']}" for error in errors)
    return code, told or f"it stopped by {cause!r}" * (code == STOPPED)


def unavailable(trace: Trace) -> TraceError | None:
    """Find the error by which the tools, or the process, were not to be had."""
    return next((error for error in trace["errors"] if error["kind"] in WHOLE), None)
