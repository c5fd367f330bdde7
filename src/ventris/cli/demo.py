"""`ventris demo`: the method in a few seconds, and a figure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ventris.cli.options import Config, Force, Json

if TYPE_CHECKING:
    from rich.table import Table

    from ventris.demos.demonstration import ChainStory, ShiftMatch


def demo(
    *,
    out: Path = Path("ventris-demo"),
    data: Path | None = None,
    json: Json = False,
    force: Force = False,
    config: Config = None,
) -> None:
    """See the method work in a few seconds: a cipher, a classifier, a figure.

    Example: ventris demo --data example

    Parameters
    ----------
    out
        Folder for the figure, which is replaced if it is there.
    data
        Write example files to this folder instead: points.npy, test.npy, truth.csv and labels.txt.
    """
    if data is not None:
        _write_files(data, json, force)
    else:
        _tell(out, json)


def _write_files(folder: Path, as_json: bool, force: bool) -> None:
    from ventris.cli.output import emit, show
    from ventris.demos.example_files import write_example_files

    files = [str(path) for path in write_example_files(folder, force=force)]
    if as_json:
        emit({"written": files})
    else:
        show("Points to learn from and to test on, the truth about the latter, and a text of labels:", *files)


def _tell(out: Path, as_json: bool) -> None:
    from ventris.cli.output import emit, show
    from ventris.demos import demonstration

    caesar = demonstration.match_histograms(demonstration.PAPER_CIPHERTEXT)
    if not as_json:
        show(_caesar_table(caesar))
    story = demonstration.compare_on_chain(2)
    if not as_json:
        show(_chain_table(story))
    path = _draw(caesar, story, out)
    if as_json:
        emit(_facts(caesar, story, path))
    elif path:
        show(f"The figure is in {path}.")


def _draw(caesar: ShiftMatch, story: ChainStory, out: Path) -> Path | None:
    """The figure's file; without matplotlib there is none, and a sentence says how to get it."""
    from ventris.cli.output import say
    from ventris.demos import demonstration
    from ventris.errors import MissingExtraError
    from ventris.figures.canvas import save_figure
    from ventris.storage.files import make_folder

    try:
        figure = demonstration.draw(caesar, story)
    except MissingExtraError as missing:
        say(missing)
        return None
    path = make_folder(out) / "demo.png"
    save_figure(figure, path)
    return path


def _facts(match: ShiftMatch, story: ChainStory, path: Path | None) -> dict[str, Any]:
    return {
        "plaintext": match.plaintext,
        "key": match.key,
        "entropy": story.entropy,
        "readings": [vars(reading) for reading in story.readings],
        "written": path and str(path),
    }


def _caesar_table(match: ShiftMatch) -> Table:
    from rich.table import Table

    table = Table(title="A Caesar cipher, broken by matching letter frequencies", show_header=False)
    table.add_row("ciphertext", match.ciphertext)
    table.add_row("key", f"{match.key} (J − H = {match.costs.min() - match.entropy:.3f} nats)")
    runner_up = sorted(match.costs)[1] - match.entropy
    table.add_row("next best key", f"J − H = {runner_up:.3f} nats")
    table.add_row("plaintext", match.plaintext, style="bold")
    return table


def _chain_table(story: ChainStory) -> Table:
    from rich.table import Table

    table = Table(
        title=f"The paper's chain {story.chain.number}: learnt without a label",
        caption=f"entropy of the label model H = {story.entropy:.4f} nats, the least J there can be",
    )
    for heading in ("classifier", "J", "J − H", "test error"):
        table.add_column(heading, justify="left" if heading == "classifier" else "right")
    for reading in story.readings:
        excess = reading.cost - story.entropy
        table.add_row(
            reading.name, f"{reading.cost:.4f}", f"{excess:.4f}", f"{100 * reading.error_rate:.2f} %"
        )
    return table
