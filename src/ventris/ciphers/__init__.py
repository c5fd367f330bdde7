"""Ciphers on the same engine: symbols are codes, the key is the table, the label model is the language."""

from __future__ import annotations

from ventris.ciphers.ciphers import decipher_with, encipher
from ventris.ciphers.deciphering import decipher
from ventris.ciphers.homophonic import decipher_homophonic, encipher_homophonic
from ventris.ciphers.result import Alternative, Decipherment, ShortTextWarning

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
