"""Modules made, compared and taken apart; what a learner is given is a class, an instance or a name."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ventris.errors import DataError, DataTypeError, FileFormatError, ParameterError
from ventris.torch import presets

PRESETS = ("mlp", "cnn", "tcn")
_WEIGHTS = "module."  # marks the arrays of the module


def check_module(given: Any) -> None:
    """Refuse what is neither a module, nor a class of such, nor a preset's name."""
    is_name = isinstance(given, str) and given in PRESETS
    is_class = isinstance(given, type) and issubclass(given, nn.Module)
    if not (is_name or is_class or isinstance(given, nn.Module)):
        raise DataTypeError(
            "module must be an nn.Module, a class of such, or one of " + ", ".join(map(repr, PRESETS)),
            f"it is {given!r}",
            "Derive your network from torch.nn.Module",
        )


def shape_of(given: Any, asked: tuple[int, ...] | None, n_features: int) -> tuple[int, ...] | None:
    """The shape of one point, for a preset found out."""
    check_module(given)
    shape = tuple(asked) if asked else presets.square(n_features) if given == "cnn" else None
    if shape is not None and int(np.prod(shape)) != n_features:
        raise DataError(
            f"input_shape={shape} needs rows of {int(np.prod(shape))} numbers",
            f"X has {n_features} columns",
            "Give the shape of one point, channels first",
        )
    return shape


def context_of(given: Any, asked: int | None) -> int:
    """Points on either side that the module sees: none, unless asked for or the preset's own."""
    if asked is None:
        return presets.TCN.context if given == "tcn" else 0
    return int(asked)


def built(
    given: Any, args: dict[str, Any] | None, n_features: int, shape: tuple[int, ...] | None, n_classes: int
) -> nn.Module:
    """A module of one's own to teach."""
    check_module(given)
    if isinstance(given, str):
        return presets.build(given, n_features, shape, n_classes, **(args or {}))
    if isinstance(given, nn.Module):
        return copy.deepcopy(given)
    module: nn.Module = given(**(args or {}))
    return module


# ---------------------------------------------------------------------------------------------- as a state


def path_of(given: Any) -> str:
    """What a file calls a module: a preset by its name, another by where its class is defined."""
    if isinstance(given, str):
        return given
    kind = given if isinstance(given, type) else type(given)
    return f"{kind.__module__}.{kind.__qualname__}"


def to_state(
    given: Any, args: dict[str, Any] | None, module: nn.Module | None
) -> tuple[dict[str, NDArray], dict[str, Any]]:
    """Weights as arrays, and the module's name and arguments."""
    _check_plain(args)
    tensors = {} if module is None else module.state_dict()
    arrays = {f"{_WEIGHTS}{name}": each.detach().cpu().numpy() for name, each in tensors.items()}
    return arrays, {"module": path_of(given), "module_args": args}


def _check_plain(args: dict[str, Any] | None) -> None:
    """Refuse arguments that a file could only keep as code."""
    try:
        json.dumps(args)
    except TypeError as problem:
        raise ParameterError(
            "module_args that are saved must be numbers, text, or lists and dicts of such",
            f"they are {args!r}: {problem}",
            "Give TorchLearner an instance of the module, and load with module= such an instance",
        ) from None


def for_state(meta: dict[str, Any], given: Any) -> Any:
    """The module of a state: a preset's name, or what the caller gives. A file imports nothing."""
    path = meta["module"]
    if given is None and path in PRESETS:
        return path
    if given is None:
        raise FileFormatError(
            "A model of one's own network is loaded with its class, for a file never runs code by itself",
            f"the file holds the weights of {path} and no module was given",
            f"Call ventris.load(path, module={str(path).rpartition('.')[2]})",
        )
    check_same(given, meta)
    return given


def has_weights(arrays: dict[str, NDArray]) -> bool:
    """Whether a state holds those of a module."""
    return any(name.startswith(_WEIGHTS) for name in arrays)


def check_same(given: Any, meta: dict[str, Any]) -> None:
    """Refuse a state that was taken from a module of another class."""
    if path_of(given) != meta["module"]:
        raise FileFormatError(
            f"The file must hold the weights of {path_of(given)}",
            f"it holds those of {meta['module']}",
            "Pass the class it was saved with",
        )


def filled(module: nn.Module, arrays: dict[str, NDArray]) -> nn.Module:
    """The module with the weights of a state."""
    weights = {
        name.removeprefix(_WEIGHTS): torch.from_numpy(np.array(array))
        for name, array in arrays.items()
        if name.startswith(_WEIGHTS)
    }
    try:
        module.load_state_dict(weights)
    except RuntimeError as problem:
        what = "; ".join(line.strip() for line in str(problem).splitlines()[1:])
        raise FileFormatError(
            f"The file must fit {type(module).__name__} layer by layer",
            what.rstrip(".") or str(problem),
            "Pass the module with the arguments it was saved with",
        ) from None
    return module
