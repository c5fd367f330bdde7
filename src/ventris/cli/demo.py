"""`ventris demo`: the method in a few seconds, and a figure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from ventris.demonstration import ChainStory, ShiftMatch


def demo(*, out: Path = Path("ventris-demo"), force: bool = True) -> None:
    """Break the paper's cipher, then see a classifier the same way; write one figure.

    Example: ventris demo --out my-demo

    Parameters
    ----------
    out
        Folder for the figure.
    force
        Whether a figure that is already there may be replaced.
    """
    from rich.console import Console

    from ventris import demonstration
    from ventris.figures.canvas import save_figure

    console = Console()
    caesar = demonstration.match_histograms(demonstration.PAPER_CIPHERTEXT)
    console.print(_caesar_table(caesar))
    story = demonstration.compare_on_chain(2)
    console.print(_chain_table(story))
    out.mkdir(parents=True, exist_ok=True)
    path = out / "demo.png"
    save_figure(demonstration.draw(caesar, story), path, force=force)
    console.print(f"The figure is in [bold]{path}[/bold].")


def _caesar_table(match: ShiftMatch) -> Table:
    from rich.table import Table

    table = Table(title="A Caesar cipher, broken by matching letter frequencies", show_header=False)
    table.add_row("ciphertext", match.ciphertext)
    table.add_row("key", f"{match.key} (J − H = {match.costs.min() - match.entropy:.3f} nats)")
    runner_up = sorted(match.costs)[1] - match.entropy
    table.add_row("next best key", f"J − H = {runner_up:.3f} nats")
    table.add_row("plaintext", f"[bold]{match.plaintext}[/bold]")
    return table


def _chain_table(story: ChainStory) -> Table:
    from rich.table import Table

    table = Table(
        title=f"The paper's chain {story.chain.number}: J tells the classifiers apart without a label",
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
