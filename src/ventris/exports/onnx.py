"""A classifier of single points as an ONNX graph: two outputs, `label` and `probabilities`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ventris.classifiers.loglinear import LogLinear
from ventris.errors import MissingExtraError, ParameterError

if TYPE_CHECKING:
    import onnx

OPSET = 17  # of 2022: every runtime in use reads it
_IR = 8  # the file format that goes with it


def loglinear_graph(
    model: LogLinear, classes: NDArray, centre: NDArray | None = None, dtype: str = "float32"
) -> onnx.ModelProto:
    """softmax(γ(Wx + b)) (E9) as MatMul, Add, Softmax: input `X` of shape (n, D).

    Parameters
    ----------
    model : LogLinear
    classes : array of shape (C,)
    centre : array of shape (D,), optional
        Taken from each row first, and its share put into the intercept: in single precision a pressure of
        1,013 hPa would otherwise leave few digits for the difference that matters.
    dtype : {"float32", "float64"}
        Of `X`.
    """
    onnx = _onnx()
    number = _number_type(dtype)
    c = np.zeros(model.coef.shape[1]) if centre is None else np.asarray(centre, dtype=float)
    weights = (model.gamma * np.asarray(model.coef, dtype=float)).T  # (D, C)
    bias = model.gamma * np.asarray(model.intercept, dtype=float) + c @ weights
    tensors = {"centre": c, "weights": weights, "bias": bias}
    nodes = [
        onnx.helper.make_node("Sub", ["X", "centre"], ["centred"]),
        onnx.helper.make_node("MatMul", ["centred", "weights"], ["products"]),
        onnx.helper.make_node("Add", ["products", "bias"], ["logits"]),
        onnx.helper.make_node("Softmax", ["logits"], ["probabilities"], axis=1),
    ]
    kept = [onnx.numpy_helper.from_array(each.astype(number), name) for name, each in tensors.items()]
    kind = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(number))
    X = onnx.helper.make_tensor_value_info("X", kind, [None, len(c)])
    return _model(nodes, kept, X, classes, kind)


def table_graph(table: NDArray, classes: NDArray) -> onnx.ModelProto:
    """p(label | symbol) as a lookup: input `X` of shape (n,), int64; an unknown symbol gets the mean row."""
    onnx = _onnx()
    rows = np.vstack([table, table.mean(axis=0)]).astype(np.float32)
    kept = [
        onnx.numpy_helper.from_array(rows, "table"),
        onnx.numpy_helper.from_array(np.array(len(table), dtype=np.int64), "unknown"),
    ]
    nodes = [
        onnx.helper.make_node("Min", ["X", "unknown"], ["known"]),
        onnx.helper.make_node("Gather", ["table", "known"], ["probabilities"], axis=0),
    ]
    X = onnx.helper.make_tensor_value_info("X", onnx.TensorProto.INT64, [None])
    return _model(nodes, kept, X, classes, onnx.TensorProto.FLOAT)


def _model(nodes: Sequence[Any], kept: Sequence[Any], X: Any, classes: NDArray, kind: int) -> onnx.ModelProto:
    onnx = _onnx()
    names, names_kind = _names(onnx, classes)
    label = [
        onnx.helper.make_node("ArgMax", ["probabilities"], ["likeliest"], axis=1, keepdims=0),
        onnx.helper.make_node("Gather", ["classes", "likeliest"], ["label"], axis=0),
    ]
    outputs = [
        onnx.helper.make_tensor_value_info("label", names_kind, [None]),
        onnx.helper.make_tensor_value_info("probabilities", kind, [None, len(classes)]),
    ]
    graph = onnx.helper.make_graph([*nodes, *label], "ventris", [X], outputs, [*kept, names])
    made = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", OPSET)])
    made.ir_version, made.producer_name = _IR, "ventris"
    onnx.checker.check_model(made, full_check=True)
    return made


def _names(onnx: Any, classes: NDArray) -> tuple[Any, int]:
    """The classes as a tensor: text or numbers."""
    if classes.dtype.kind in "US":
        texts = [str(label).encode() for label in classes.tolist()]
        kind = onnx.TensorProto.STRING
        return onnx.helper.make_tensor("classes", kind, [len(texts)], texts), kind
    numbers = classes.astype(np.int64 if classes.dtype.kind in "iub" else np.float64)
    kind = onnx.helper.np_dtype_to_tensor_dtype(numbers.dtype)
    return onnx.numpy_helper.from_array(numbers, "classes"), kind


def _number_type(dtype: str) -> type[np.floating]:
    if dtype not in ("float32", "float64"):
        raise ParameterError("dtype must be 'float32' or 'float64'", f"it is {dtype!r}", "Choose one")
    return np.float32 if dtype == "float32" else np.float64


def _onnx() -> Any:
    try:
        import onnx
    except ImportError:
        raise MissingExtraError("Writing ONNX files", "onnx", "onnx") from None
    return onnx
