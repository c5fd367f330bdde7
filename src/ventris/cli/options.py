"""Options that several commands share, so that each is spelt and explained once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

if TYPE_CHECKING:
    from cyclopts import App, ArgumentCollection


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
Columns = Annotated[
    list[str] | None,
    Parameter(
        negative="", help="A table's column to use, once for each; all but sequence and label if none."
    ),
]
Config = Annotated[
    Path | None,
    Parameter(
        help="A TOML file with values for options, in a table named after the command; options given win."
    ),
]


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
