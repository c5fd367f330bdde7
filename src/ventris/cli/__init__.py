"""The command line: each command parses, calls the library and shows; the mathematics is elsewhere.

Commands are registered by name and imported only when called, so that `ventris --help` stays fast.
"""

from __future__ import annotations

import sys

from cyclopts import App

import ventris

app = App(
    name="ventris",
    help="Learn sequence classifiers without labels, from a language model of the labels.",
    version=ventris.__version__,
)
app.command("ventris.cli.demo:demo", name="demo", help="See the method work in a few seconds.")


def main() -> None:
    """Run the command line; a Ventris error is one sentence on standard error and exit code 1."""
    from ventris.errors import VentrisError

    try:
        app()
    except VentrisError as error:
        print(f"ventris: {error}", file=sys.stderr)
        sys.exit(1)
