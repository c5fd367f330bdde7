"""One reader for every data file a user may have: arrays, tables, images, symbols, labels.

>>> import tempfile, pathlib
>>> path = pathlib.Path(tempfile.mkdtemp()) / "points.csv"
>>> _ = path.write_text("sequence,x,y\\na,1,2\\na,3,4\\nb,5,6\\n")
>>> data = read_data(path)
>>> data.sequences.data.shape, data.sequences.lengths.tolist(), data.names
((3, 2), [2, 1], ('a', 'b'))
"""

from __future__ import annotations

from ventris.readers.columns import Column, columns_of
from ventris.readers.data import read_data
from ventris.readers.label_models import Told, is_label_model, read_label_model
from ventris.readers.labels import (
    LabelColumn,
    label_rows,
    match_labels,
    read_label_column,
    read_label_sequences,
    read_label_text,
)
from ventris.readers.schema import Data, Schema, load_schema, model_path, save_model
from ventris.readers.tables import Layout

__all__ = [
    "Column",
    "Data",
    "LabelColumn",
    "Layout",
    "Schema",
    "Told",
    "columns_of",
    "is_label_model",
    "label_rows",
    "load_schema",
    "match_labels",
    "model_path",
    "read_data",
    "read_label_column",
    "read_label_model",
    "read_label_sequences",
    "read_label_text",
    "save_model",
]
