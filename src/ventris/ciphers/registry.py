"""The kinds of cipher, each one object: library, command line and page find them here and nowhere else.

To add a kind, write its class (`cipher.LetterCipher` and `cipher.TableCipher` say what one needs) and put its
home into `_HOMES`, or `register` an object of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ventris.errors import ParameterError

if TYPE_CHECKING:
    from ventris.ciphers.cipher import Cipher

# Few keys first. The classes are imported when asked for: the names alone keep `ventris --help` fast.
_HOMES = {
    "caesar": "kinds.Caesar",
    "affine": "kinds.Affine",
    "vigenere": "kinds.Vigenere",
    "substitution": "kinds.Substitution",
    "homophonic": "homophonic.Homophonic",
    "quagmire": "keyed.Quagmire",
    "columnar": "keyed.Columnar",
}
# Kinds whose plaintext is not of letters: they need a label model of one's own, and no language has them.
_OF_MODELS = {"syllabary": "syllabary.Syllabary"}
_objects: dict[str, Cipher] = {}


def kinds() -> tuple[str, ...]:
    """Names of the kinds that a language is enough for.

    Examples
    --------
    >>> kinds()
    ('caesar', 'affine', 'vigenere', 'substitution', 'homophonic', 'quagmire', 'columnar')
    """
    return tuple(name for name in {**_HOMES, **_objects} if name not in _OF_MODELS)


def cipher_of(kind: str) -> Cipher:
    """The cipher of a name."""
    if not isinstance(kind, str) or kind not in (*kinds(), *_OF_MODELS):
        names = ", ".join((*kinds(), *_OF_MODELS))
        raise ParameterError(f"kind must be one of {names}", f"it is {kind!r}", "Choose one")
    if kind not in _objects:
        module, name = {**_HOMES, **_OF_MODELS}[kind].split(".")
        _objects[kind] = getattr(import_module(f"ventris.ciphers.{module}"), name)()
    return _objects[kind]


def ciphers() -> list[Cipher]:
    """All ciphers, in the order of their names."""
    return [cipher_of(kind) for kind in kinds()]


def register(cipher: Cipher) -> None:
    """Add a cipher of one's own, or put it in the place of one with the same name."""
    _objects[cipher.kind] = cipher


def forget(kind: str) -> None:
    """Take a registered cipher out again; one that comes with Ventris is put back."""
    _objects.pop(kind, None)
