"""The cases as a pydantic-evals dataset with one evaluator, which gives five named assertions."""

# where the peer is absent, what comes from it is Any
# mypy: disallow-subclassing-any=false

import sys
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import Evaluator, EvaluatorContext

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

Document = dict[str, Any]
Context: TypeAlias = EvaluatorContext[Document, Document, None]


@dataclass
class FiveChecks(Evaluator[Document, Document, None]):
    """One evaluator for the five checks: five evaluators would cost pydantic-evals more."""

    def evaluate(self, ctx: Context) -> dict[str, bool]:
        """Put the five checks to what the task returned."""
        wanted = ctx.expected_output or {}
        shelf, verdict = ctx.output["design"], ctx.output["evaluate"]
        return {
            "width": shelf["exterior"]["width_mm"] == wanted["width_mm"],
            "inside": shelf["interior"]["width_mm"] > INSIDE_OVER_MM,
            "hinges": "hinges" in shelf["hardware"],
            "issues": len(verdict["issues"]) == ISSUES,
            "price": abs(verdict["cost"]["total"] - wanted["price"]) < 0.15,
        }


def task(inputs: Document) -> Document:
    """Make the two calls of one case."""
    shelf = design(**inputs)
    verdict = evaluate(width_mm=shelf["exterior"]["width_mm"], load_kg=LOAD_KG)
    return {"design": shelf, "evaluate": verdict}


def dataset() -> Dataset[Document, Document, None]:
    """All the cases, with what is wanted of each."""
    cases: list[Case[Document, Document, None]] = [
        Case(
            name=f"case_{case}",
            inputs={"width_mm": width_of(case), "height_mm": HEIGHT_MM},
            expected_output={"width_mm": width_of(case), "price": price_of(case)},
        )
        for case in range(size())
    ]
    return Dataset(name="bookcases", cases=cases, evaluators=[FiveChecks()])


def main() -> None:
    """Run every case, and say how many checks passed."""
    report = dataset().evaluate_sync(task, progress=False)
    passed = sum(check.value for case in report.cases for check in case.assertions.values())
    sys.stdout.write(f"{passed} checks passed\n")


if __name__ == "__main__":
    main()
