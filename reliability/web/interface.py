"""Every call that the interface describes, asked in thousands of ways: no server error, no surprise."""

from __future__ import annotations

import time

from reliability.tally import Group


def losses(address: str, seconds: float) -> Group:
    """Let schemathesis ask for so many seconds; each kind of loss is named once."""
    import schemathesis
    from hypothesis import HealthCheck, Phase, given, settings

    schema = schemathesis.openapi.from_url(f"{address}/openapi.json")
    checks = [
        schemathesis.checks.not_a_server_error,
        schemathesis.openapi.checks.status_code_conformance,
        schemathesis.openapi.checks.response_schema_conformance,
    ]
    operations = [found.ok() for found in schema.get_all_operations()]
    group, until, number = (
        Group("calls made up from the interface's own description"),
        time.monotonic() + seconds,
        0,
    )
    while time.monotonic() < until:
        operation = operations[number % len(operations)]
        number += 1
        name = f"{operation.method.upper()} {operation.path}"

        @settings(
            max_examples=4, deadline=None, database=None, phases=[Phase.generate],
            suppress_health_check=list(HealthCheck), derandomize=False,
        )  # fmt: skip
        @given(case=operation.as_strategy())
        def ask(case: schemathesis.Case, name: str = name) -> None:
            if time.monotonic() > until or name in group.losses:
                return
            if name.endswith("/events"):
                case.query = {**(case.query or {}), "wait": 0} if "jobs" not in name else case.query
            group.hold(name, lambda: case.validate_response(case.call(timeout=60), checks=checks))

        ask()
    group.measured = f"{len(operations)} calls in {seconds:.0f} s"
    return group
