"""Options that several commands share, so that each is spelt and explained once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

if TYPE_CHECKING:
    from cyclopts import App, ArgumentCollection

    from ventris.readers import Data, Layout


def _only_a_hyphen(kind: type, value: Path) -> None:
    """- stands for standard input; anything else that begins so is a mistyped option."""
    if str(value).startswith("-") and str(value) != "-":
        raise ValueError(f"there is no option {value}")


Source = Annotated[Path, Parameter(allow_leading_hyphen=True, validator=_only_a_hyphen)]
Json = Annotated[bool, Parameter(negative="", help="Print the result as JSON.")]
Force = Annotated[bool, Parameter(negative="", help="Replace files that are there already.")]
Quiet = Annotated[bool, Parameter(negative="", help="Show no progress.")]
Characters = Annotated[
    bool, Parameter(negative="", help="In a text, each character counts, rather than each word.")
]


@Parameter(name="*", group="Tables")
@dataclass(frozen=True)
class TableOptions:
    """What the columns of a table are, and how it is written."""

    columns: Annotated[list[str] | None, Parameter(negative="")] = None
    "Columns to use, one by one or with commas between; all but sequence and label if none."
    sequence: str | None = None
    "The column that says which sequence a row belongs to; sequence by default."
    label: str | None = None
    "The column that holds labels, never a feature; label by default."
    separator: str | None = None
    "What parts the cells: a character, or tab; found out by default."
    decimal: str | None = None
    "What parts the whole of a number from its fraction, . or a comma; found out by default."

    @property
    def layout(self) -> Layout:
        """The same for the readers."""
        from ventris.readers import Layout

        return Layout(tuple(self.columns or ()), self.sequence, self.label, self.separator, self.decimal)


Config = Annotated[
    Path | None,
    Parameter(
        help="A TOML file with values for options, in a table named after the command; options given win."
    ),
]


def only_one_reads_stdin(**inputs: Path | None) -> None:
    """Refuse a second - : standard input can be read once."""
    from ventris.errors import ParameterError

    reading = [name for name, path in inputs.items() if path is not None and str(path) == "-"]
    if len(reading) > 1:
        raise ParameterError(
            "Only one input can be read from standard input",
            f"- was given for {' and '.join(name.replace('_', '-') for name in reading)}",
            "Give the others as files",
        )


def say_how_read(read: Data, path: Path) -> None:
    """A line for each choice that was made in reading a file."""
    from ventris.cli.output import say

    for note in read.sequences.notes:
        say(f"{path} was read {note}")


def from_config_file(app: App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
    """Fill in, from the file that --config names, every option that was not given."""
    from cyclopts.config import Toml

    for argument in arguments:
        if "--config" in argument.names and argument.tokens:
            path = Path(argument.tokens[0].value)
            _check_toml(path)
            Toml(path)(app, commands, arguments)


def _check_toml(path: Path) -> dict[str, Any]:
    import tomllib

    from ventris.errors import ParameterError

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise ParameterError(
            "--config must name a TOML file",
            f"{path} cannot be read: {problem}",
            "Check path and content",
        ) from None
