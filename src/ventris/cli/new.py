"""`ventris new`: four questions, and a file of settings that every command reads."""

from __future__ import annotations

import sys
from pathlib import Path

from ventris.cli.options import Config, Force, Json

_TABLES = (".csv", ".tsv", ".parquet")


def new(
    file: Path = Path("ventris.toml"),
    *,
    data: str | None = None,
    labels: str | None = None,
    sequence: str | None = None,
    model: str | None = None,
    json: Json = False,
    force: Force = False,
    config: Config = None,
) -> None:
    """Ask four questions and write a file of settings, ready for --config.

    Example: ventris new --data example/points.npy --labels example/labels.txt --model reader.ventris

    Parameters
    ----------
    file
        The file to write.
    data
        Answers the first question: where the unlabelled data are.
    labels
        The second: what tells how labels follow one another, a text of labels or a matrix.
    sequence
        The third: the column that says which sequence a row belongs to; empty for none.
    model
        The fourth: where the model is to go.
    """
    from ventris.cli.output import check_target, emit, show
    from ventris.storage.files import atomic_path

    check_target(file, force)
    points = data or _ask("Where are the data to learn from, without labels?", "points.csv")
    told = labels or _ask(
        "What tells how labels follow one another: a text of labels, or a matrix?", "labels.txt"
    )
    group = sequence
    if group is None and Path(points).suffix.lower() in _TABLES:
        group = _ask("Which column says what sequence a row belongs to? (empty: one sequence)", "")
    target = model or _ask("Where should the model go?", f"{Path(points).stem}.ventris")
    text = settings_of(points, told, group or "", target)
    with atomic_path(file, force=force) as temporary:
        temporary.write_text(text, encoding="utf-8")
    commands = _commands(file)
    if json:
        emit({"written": str(file), "commands": commands}, beside=file)
    else:
        show(f"The settings are in {file}. Now:", *commands, beside=file)


def _ask(question: str, default: str) -> str:
    """An answer from standard input; nothing said, or nobody there, means the default."""
    shown = f" [{default}]" if default else ""
    print(f"{question}{shown} ", end="", file=sys.stderr, flush=True)
    answer = sys.stdin.readline()
    if not sys.stdin.isatty():
        print(file=sys.stderr)
    return answer.strip() or default


def settings_of(data: str, labels: str, sequence: str, model: str) -> str:
    """The file's text: a table for each command.

    Examples
    --------
    >>> print(settings_of("points.csv", "labels.txt", "run", "reader.ventris").split("[doctor]")[0])
    # Settings of `ventris --config`; options given on the command line win.
    <BLANKLINE>
    [lm.build]
    labels = "labels.txt"
    out = "reader.arpa"
    order = 3
    <BLANKLINE>
    <BLANKLINE>
    """
    from ventris.label_model import defaults

    arpa = str(Path(model).with_suffix(".arpa"))
    group = f"sequence = {_quoted(sequence)}\n" if sequence else ""
    return (
        "# Settings of `ventris --config`; options given on the command line win.\n\n"
        f"[lm.build]\nlabels = {_quoted(labels)}\nout = {_quoted(arpa)}\norder = {defaults.ORDER}\n\n"
        f"[doctor]\ndata = {_quoted(data)}\nlm = {_quoted(arpa)}\n{group}\n"
        f"[fit]\ndata = {_quoted(data)}\nlm = {_quoted(arpa)}\nout = {_quoted(model)}\n{group}"
        '# adapt = "yes"     # the label model is a mere guess\n# n_init = 64       # more starts\n\n'
        f"[decode]\nmodel = {_quoted(model)}\ndata = {_quoted(data)}\nproba = true\n"
    )


def _quoted(text: str) -> str:
    """A text as TOML writes it."""
    import json

    return json.dumps(text, ensure_ascii=False)


def _commands(file: Path) -> list[str]:
    import shlex

    given = shlex.quote(str(file))
    return [f"  ventris {name} --config {given}" for name in ("lm build", "doctor", "fit", "decode")]
