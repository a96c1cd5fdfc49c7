"""Where the scenarios of one catalogue are made jobs: its tools, and the one planner."""

from collections.abc import Iterable
from importlib import import_module
from typing import Any

import attrs

from evalkit.asked import Asked
from evalkit.callables import Callables, digest_of
from evalkit.cast import Cast
from evalkit.catalogue import Catalogue
from evalkit.errors import CatalogueError
from evalkit.fingerprints import declared, ref_written
from evalkit.jobs import Job
from evalkit.loaders import named_from_here
from evalkit.model import Scenario
from evalkit.planning import Planner
from evalkit.protocols import Services
from evalkit.registry import counted
from evalkit.subjects.kinds import PREDICTIONS, TOOLS
from evalkit.toolbox import FactoryToolbox, TableToolbox, toolbox_of
from evalkit.toolcode import ToolCode

Toolbox = TableToolbox | FactoryToolbox
MOST_TO_BE_SURE = 100
"""After so many epochs, unless more or fewer are asked for, it stays open what can't be told."""


class Desk:
    """One catalogue's tools, and the planner of its scenarios.

    The tools are open for planning; what was learned of them then holds when they are closed.
    """

    def __init__(  # noqa: PLR0913, PLR0917  - one thing after the other that planning needs
        self,
        asked: Asked,
        catalogue: Catalogue,
        toolbox: Toolbox,
        manager: Any,  # noqa: ANN401
        table: Any,  # noqa: ANN401
        services: Services,
        cast: Cast,
    ) -> None:
        """Take the open table of the tools, what opened it, and who is observed."""
        self.catalogue = catalogue
        self.manager = manager
        self._asked = asked
        self._toolbox = toolbox
        self._cast = cast
        given = asked.tools is not None or catalogue.tools is not None
        self.planner = Planner(
            table.entries if given and cast.recorded is None else None,
            catalogue.operators,
            asked.timeout_s,
            kind=cast.kind,
            services=services,
            own=table.own if cast.recorded is None else None,
        )
        self.may_call = given or cast.kind.talks or cast.recorded is not None
        self._offered = None
        if cast.agent is not None:
            self._offered = import_module("evalkit.toolbox.offered").Offered(table.entries)
        self.code = None
        if asked.digests:
            named = asked.agent if isinstance(asked.agent, str) else None
            self.code = ToolCode(table.entries, toolbox, catalogue, cast.agent, named)

    def job(self, scenario: Scenario) -> Job:
        """Plan a scenario; what is wrong with it is with the planner."""
        plan = self.planner.compile(scenario)
        if scenario.attachments:
            self._check_attachments(scenario)
        cast, scope = self._cast, self.catalogue.scope
        job = Job(
            plan,
            self._toolbox,
            scope,
            *self._epochs(scenario),
            recorded=cast.recorded,
            agent=cast.agent,
            offered=self._offered,
        )
        return job if self.code is None else self._printed(job, self.code)

    def _printed(self, job: Job, code: ToolCode) -> Job:
        """Add what a run log and other processes know a job by."""
        scenario, recorded = job.plan.scenario, self._cast.recorded
        callables = Callables()
        print_ = digest_of(declared(scenario, callables), ref_written)
        digest = code.digest(job.plan) if recorded is None else recorded.digest_of(scenario.name)
        if scenario.attachments:
            attachments = import_module("evalkit.subjects.attachments")
            digest = digest_of([digest, attachments.digests_of(scenario)])[:16]
        agent = self._cast.agent  # nobody can look into a program
        opaque = bool(callables.opaque) or hasattr(agent and agent.given, "command")
        return attrs.evolve(job, tools_digest=digest, fingerprint=print_, opaque=opaque)

    def _check_attachments(self, scenario: Scenario) -> None:
        """Note files that go with a prompt and are not there."""
        attachments = import_module("evalkit.subjects.attachments")
        for index, attachment in enumerate(scenario.attachments):
            problem = attachments.attachment_problem(attachment, scenario)
            if problem is not None:
                self.planner.problems.add(scenario, ("attachments", index, "path"), *problem)

    def _epochs(self, scenario: Scenario) -> tuple[int, int]:
        """Give how often a scenario runs, and how many of these times it must pass."""
        usual = MOST_TO_BE_SURE if self._asked.sure is not None else 1
        epochs = self._asked.epochs or scenario.epochs or usual
        needed = scenario.pass_epochs or epochs
        if needed > epochs:
            problem = f"{needed} epochs must pass, of {counted(epochs, 'epoch')}"
            hint = "raise epochs, or lower it"
            self.planner.problems.add(scenario, ("pass_epochs",), problem, hint)
        kind = self._cast.kind
        once = kind.skip(scenario) is not None or kind is PREDICTIONS
        return (1, 1) if once else (epochs, needed)


def toolbox_for(
    asked: Asked,
    catalogue: Catalogue,
    scenarios: Iterable[Scenario],
    place: str,
    cast: Cast,
) -> Toolbox:
    """Find the tools of a catalogue: those that were asked for, else its own.

    An agent may bring its own; the tools of what is recorded are not needed.
    """
    if cast.recorded is not None:
        return toolbox_of({})
    tools = catalogue.tools if asked.tools is None else asked.tools
    if isinstance(tools, str):
        tools = named_from_here(tools, "tools")
    needed = cast.kind is TOOLS or catalogue.tools_reference is not None
    if tools is None and needed and any(scenario.tool_calls for scenario in scenarios):
        raise no_tools(catalogue)
    try:
        return toolbox_of({} if tools is None else tools)
    except CatalogueError as error:
        raise placed(error, place) from error


def no_tools(catalogue: Catalogue) -> CatalogueError:
    """Say that there are no tools, and how to say which."""
    hint = f"{catalogue.tools_hint}, or name them: --tools package.module:NAME, run(tools=...)"
    place = catalogue.source or catalogue.name
    return CatalogueError(place, "has no tools to run against", hint)


def placed(error: CatalogueError, place: str) -> CatalogueError:
    """Say which file's tools a problem is about."""
    problems = [attrs.evolve(each, source=each.source or place) for each in error.problems]
    return CatalogueError(problems=problems)
