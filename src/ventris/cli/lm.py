"""`ventris lm build` and `ventris lm show`: label models from text, and what they know."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from ventris.cli.options import Characters, Config, Force, Json, Source
from ventris.label_model import defaults

if TYPE_CHECKING:
    from rich.table import Table

    from ventris.label_model.facts import LabelFacts
    from ventris.label_model.model import NgramModel


def build(
    labels: Source,
    *,
    out: Annotated[Path, Parameter(alias="-o")],
    order: int = defaults.ORDER,
    characters: Characters = False,
    alphabet: str | None = None,
    lower: Annotated[bool, Parameter(negative="")] = False,
    stay: float = 0.0,
    smoothing: Literal["witten-bell", "kneser-ney", "additive"] = "witten-bell",
    pseudo_count: float = 1.0,
    json: Json = False,
    force: Force = False,
    config: Config = None,
) -> None:
    """Make a label model of what there is, a text of labels or a table; write an ARPA file.

    Example: ventris lm build example/labels.txt -o labels.arpa --order 2

    Parameters
    ----------
    labels
        A text of labels, one sequence a line (- reads it from standard input); a matrix of probabilities or
        counts with names, .csv, .tsv or .json; a graph, .graphml, .gexf, .gml or .edgelist; an ARPA file or a
        KenLM binary.
    out
        The ARPA file to write.
    order
        Labels in the longest n-gram of a text.
    alphabet
        The labels, separated by spaces; with --characters, the characters that count: others are breaks.
    lower
        With --characters: turn the text to lower case first.
    stay
        Of a graph: the probability to stay where one is.
    smoothing
        How probability is kept for n-grams that were not seen.
    pseudo_count
        What additive smoothing adds to each count.
    """
    from ventris.cli.output import check_target, emit, show
    from ventris.label_model.facts import describe
    from ventris.readers import Told, is_label_model, read_label_model

    check_target(out, force)
    settings: dict[str, Any] = {"smoothing": smoothing, "pseudo_count": pseudo_count}
    if not characters and is_label_model(labels):
        told = Told(alphabet.split() if alphabet else None, stay, settings)
        lm = read_label_model(labels, told)
    else:
        lm = _count(labels, order, characters, alphabet, lower, settings)
    lm.to_arpa(out, force=force)
    facts = describe(lm)
    if json:
        emit({"written": str(out)} | facts.to_dict(), beside=out)
    else:
        show(_table(facts), f"The label model is in {out}.", beside=out)


def _count(
    path: Path, order: int, characters: bool, alphabet: str | None, lower: bool, settings: dict[str, Any]
) -> NgramModel:
    from ventris.label_model.model import NgramModel
    from ventris.readers import read_label_sequences, read_label_text

    if not characters:
        classes = alphabet.split() if alphabet else None
        return NgramModel.from_sequences(read_label_sequences(path), order, classes=classes, **settings)
    text = read_label_text(path)
    text = text.lower() if lower else text
    # A line is a sequence, so the end of a line is a break and no label.
    letters = alphabet or "".join(sorted(set(text) - {"\n", "\r"}))
    return NgramModel.from_text(text, order, alphabet=letters, **settings)


def show(lm: Source, /, *, top: int = 10, json: Json = False, config: Config = None) -> None:
    """Show what a label model knows, and whether it tells labels apart.

    Example: ventris lm show labels.arpa

    Parameters
    ----------
    lm
        An ARPA file, or whatever `ventris lm build` takes but a text.
    top
        How many n-grams to list.
    """
    from ventris.cli import output
    from ventris.label_model.facts import describe
    from ventris.readers import read_label_model

    facts = describe(read_label_model(lm), top)
    if json:
        output.emit(facts.to_dict())
    else:
        output.show(_table(facts), _ngram_table(facts))


def _table(facts: LabelFacts) -> Table:
    from rich.table import Table

    names = [str(label) for label in facts.classes]
    shown = " ".join(names[:40]) + (" …" if len(names) > 40 else "")
    table = Table(show_header=False, title=f"A label model of order {facts.order}", title_justify="left")
    table.add_row("labels", f"{len(names)}: {shown}")
    table.add_row("entropy", f"{facts.entropy:.4f} nats an n-gram, {facts.entropy_rate:.4f} nats a label")
    table.add_row("label model", facts.identifiability["sentence"])
    return table


def _ngram_table(facts: LabelFacts) -> Table:
    from rich.table import Table

    table = Table(title="Commonest n-grams", title_justify="left")
    table.add_column("n-gram")
    table.add_column("probability", justify="right")
    for row in facts.ngrams:
        table.add_row(" ".join(str(label) for label in row["labels"]), f"{row['prob']:.5f}")
    return table
