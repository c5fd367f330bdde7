"""What was read and how, so that a model reads later files the same way.

A table's columns, a text's symbols and an image's size decide what feature 3 or symbol 7 means. They are kept
in the model's own file: `predict` then picks the same columns, whatever their order.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ventris.data.sequences import Sequences
from ventris.model_file import save_classifier
from ventris.readers.text import is_stdin, keep_stdin
from ventris.storage.persistence import load_state

if TYPE_CHECKING:
    from ventris.classifier import SequenceClassifier

_KEY = "schema"


@dataclass(frozen=True)
class Schema:
    """How a data file was read.

    Attributes
    ----------
    kind : {"features", "symbols", "images"}
    columns : tuple of str
        Names of a table's columns, in the order of the features; empty for plain arrays.
    symbols : tuple of str
        Of a text of symbols: symbol k is number k.
    characters : bool
        Whether each character of the text is a symbol.
    size : tuple of int
        Height and width of the images.
    sequence : str
        The table's column that groups rows; empty if none does.
    """

    kind: Literal["features", "symbols", "images"] = "features"
    columns: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    characters: bool = False
    size: tuple[int, ...] = ()
    sequence: str = ""

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Schema:
        """The schema that `asdict` took apart.

        Examples
        --------
        >>> Schema.from_dict(asdict(Schema("symbols", symbols=("a", "b")))).symbols
        ('a', 'b')
        """
        values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in plain.items()}
        return cls(**values)


@dataclass(frozen=True)
class Data:
    """Sequences, the name of each, and how they were read."""

    sequences: Sequences
    schema: Schema
    names: tuple[str, ...]

    @classmethod
    def of(cls, sequences: Sequences, schema: Schema, names: tuple[str, ...] | None = None) -> Data:
        """Sequences without names are numbered from 0; results for them come as one array, not as a list."""
        numbered = tuple(str(k) for k in range(len(sequences)))
        return cls(replace(sequences, came_as_list=False), schema, numbered if names is None else names)


def save_model(
    clf: SequenceClassifier, path: str | os.PathLike[str], schema: Schema, *, force: bool = False
) -> None:
    """Write a fitted classifier and the schema of its data; `ventris.load` reads it as any other."""
    save_classifier(clf, path, force=force, more={_KEY: asdict(schema)})


def model_path(path: Path) -> Path:
    """Where a model file is; one on standard input (`-`) is kept for the time being."""
    return keep_stdin(".ventris") if is_stdin(path) else path


def load_schema(path: str | os.PathLike[str]) -> Schema | None:
    """How the data of a model was read, if the model says."""
    plain = load_state(path)[1].get(_KEY)
    return None if plain is None else Schema.from_dict(plain)
