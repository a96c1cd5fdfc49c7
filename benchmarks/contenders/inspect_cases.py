"""The cases as an inspect-ai task: a solver makes the calls, a scorer checks, no model is asked."""

# where the peer is absent, what comes from it is Any
# mypy: disallow-untyped-decorators=false

import json
import sys
from tempfile import TemporaryDirectory

from inspect_ai import Task, eval  # noqa: A004  its own name
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from benchmarks.workload import (
    HEIGHT_MM,
    INSIDE_OVER_MM,
    ISSUES,
    LOAD_KG,
    design,
    evaluate,
    price_of,
    size,
    width_of,
)


@solver
def two_calls() -> Solver:
    """Make the two calls of one case, and keep what they return."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        del generate
        shelf = design(width_mm=state.metadata["width_mm"], height_mm=HEIGHT_MM)
        width_mm = shelf["exterior"]["width_mm"]
        state.store.set("design", shelf)
        state.store.set("evaluate", evaluate(width_mm=width_mm, load_kg=LOAD_KG))
        return state

    return solve


@scorer(metrics=[mean()])
def five_checks() -> Scorer:
    """Put the five checks to what the calls returned: the score is how many hold."""

    async def score(state: TaskState, target: Target) -> Score:
        wanted = json.loads(target.text)
        shelf, verdict = state.store.get("design"), state.store.get("evaluate")
        checks = [
            shelf["exterior"]["width_mm"] == wanted["width_mm"],
            shelf["interior"]["width_mm"] > INSIDE_OVER_MM,
            "hinges" in shelf["hardware"],
            len(verdict["issues"]) == ISSUES,
            abs(verdict["cost"]["total"] - wanted["price"]) < 0.15,
        ]
        return Score(value=sum(checks))

    return score


def bookcases() -> Task:
    """All the cases, with what is wanted of each."""
    samples = [
        Sample(
            id=f"case_{case}",
            input=f"A bookcase {width_of(case)} mm wide, please.",
            target=json.dumps({"width_mm": width_of(case), "price": price_of(case)}),
            metadata={"width_mm": width_of(case)},
        )
        for case in range(size())
    ]
    return Task(dataset=MemoryDataset(samples), solver=two_calls(), scorer=five_checks())


def checks_passed(log: EvalLog) -> int:
    """How many checks the samples of a finished run passed."""
    scores = (score for sample in log.samples or [] for score in (sample.scores or {}).values())
    return sum(int(score.as_float()) for score in scores)


def main() -> None:
    """Run every case, and say how many checks passed."""
    with TemporaryDirectory() as folder:
        logs = eval(bookcases(), model="mockllm/model", display="none", log_dir=folder)
        passed = sum(map(checks_passed, logs))
    sys.stdout.write(f"{passed} checks passed\n")


if __name__ == "__main__":
    main()
