"""Every call that the interface describes, asked in thousands of ways: no server error, no surprise."""

from __future__ import annotations

import time
from typing import Any

from reliability.tally import Group

_AT_A_TIME = 4  # questions before the next call has its turn


def losses(address: str, seconds: float) -> Group:
    """Let schemathesis ask for so many seconds; each kind of loss is named once."""
    import schemathesis

    schema = schemathesis.openapi.from_url(f"{address}/openapi.json")
    operations = [found.ok() for found in schema.get_all_operations()]
    group, until = Group("calls made up from the interface's own description"), time.monotonic() + seconds
    number = 0
    while time.monotonic() < until:
        _ask_about(operations[number % len(operations)], group, until)
        number += 1
    group.measured = f"{len(operations)} calls in {seconds:.0f} s"
    return group


def _ask_about(operation: Any, group: Group, until: float) -> None:
    """A few questions to one call; once it has been lost it is left alone."""
    import schemathesis
    from hypothesis import HealthCheck, Phase, given, settings
    from schemathesis.specs.openapi import checks

    name = f"{operation.method.upper()} {operation.path}"
    judged_by = [
        schemathesis.checks.not_a_server_error,
        checks.status_code_conformance,
        checks.response_schema_conformance,
    ]

    def hold(case: schemathesis.Case) -> None:
        if time.monotonic() > until or name in group.losses:
            return
        if operation.path == "/api/events":
            case.query = {**(case.query or {}), "wait": 0}  # not to hang
        group.hold(name, lambda: case.validate_response(case.call(timeout=60), checks=judged_by))

    asked = settings(
        max_examples=_AT_A_TIME, deadline=None, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    asked(given(case=operation.as_strategy())(hold))()
