"""Ciphers on the same engine: symbols are codes, the key is the table, the label model is the language."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ventris.ciphers.homophonic import decipher_homophonic as decipher_homophonic
    from ventris.ciphers.homophonic import encipher_homophonic as encipher_homophonic
    from ventris.ciphers.result import Alternative as Alternative
    from ventris.ciphers.result import Decipherment as Decipherment
    from ventris.ciphers.result import ShortTextWarning as ShortTextWarning
    from ventris.ciphers.solve import decipher as decipher
    from ventris.ciphers.with_key import decipher_with as decipher_with
    from ventris.ciphers.with_key import encipher as encipher

# Nothing is imported before it is asked for: the command line wants the names of the kinds alone.
_HOME = {
    "Alternative": "result",
    "Decipherment": "result",
    "ShortTextWarning": "result",
    "decipher": "solve",
    "decipher_homophonic": "homophonic",
    "decipher_with": "with_key",
    "encipher": "with_key",
    "encipher_homophonic": "homophonic",
}

__all__ = [
    "Alternative",
    "Decipherment",
    "ShortTextWarning",
    "decipher",
    "decipher_homophonic",
    "decipher_with",
    "encipher",
    "encipher_homophonic",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
