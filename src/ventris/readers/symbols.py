"""A text of symbols: one sequence a line; words, or characters, are the symbols."""

from __future__ import annotations

from array import array
from dataclasses import replace

import numpy as np

from ventris.data.inputs import sorted_symbols
from ventris.data.sequences import Sequences
from ventris.errors import DataError
from ventris.readers.schema import Data, Schema
from ventris.readers.text import Location, lines_of


def read_symbols(path: Location, characters: bool = False, numbered: tuple[str, ...] = ()) -> Data:
    """Number the symbols of a text, line by line.

    Parameters
    ----------
    path : path, or `-`
    characters : bool, default False
        Whether each character is a symbol, rather than each word.
    numbered : tuple of str
        The symbols a model was fitted on: their numbers are kept, others refused.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "cipher.txt"
    >>> _ = path.write_text("XYX\\nZY\\n")
    >>> data = read_symbols(path, characters=True)
    >>> data.sequences.data, data.sequences.lengths, data.schema.symbols
    (array([0, 1, 0, 2, 1]), array([3, 2]), ('X', 'Y', 'Z'))
    """
    number = {symbol: k for k, symbol in enumerate(numbered)}
    codes, lengths = array("q"), []
    for line, text in lines_of(path):
        symbols = list(text) if characters else text.split()
        if numbered:
            _check_numbered(path, line, symbols, number)
        codes.extend(number.setdefault(symbol, len(number)) for symbol in symbols)
        lengths.append(len(symbols))
    order = numbered or sorted_symbols(number)
    renumbered = np.empty(len(number), dtype=np.int64)
    renumbered[[number[symbol] for symbol in order]] = np.arange(len(order))
    data = renumbered[np.frombuffer(codes, dtype=np.int64)] if codes else np.zeros(0, dtype=np.int64)
    sequences = replace(Sequences.of(data, np.array(lengths, dtype=np.int64)), symbols=tuple(order))
    return Data.of(sequences, Schema("symbols", symbols=tuple(order), characters=characters))


def _check_numbered(path: Location, line: int, symbols: list[str], number: dict[str, int]) -> None:
    strange = next((symbol for symbol in symbols if symbol not in number), None)
    if strange is not None:
        raise DataError(
            f"{path} line {line}: symbols must be among the {len(number)} the model was fitted on",
            f"{strange!r} is not",
            "Correct it, or fit again on data that has it",
        )
