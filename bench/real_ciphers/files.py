"""Files from outside the repository: found by VENTRIS_DATA, and known by their hash."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

VARIABLE = "VENTRIS_DATA"
HASHES = {
    "ciphers/zodiac408.json": "884ff1da37cac3eb51991624d26e7688b219ac3c09fcfd625dccdcb66c35e3fa",
    "ciphers/zodiac340_sections_1_2.json": "7845a7294536a7da006a76ffc6e6fdebe8acba59ca3ba65cd12406ed143e4156",
    "ciphers/beale2.json": "9670d475eb168a8f9f702f6f49da23118413e3010f8e6ab2edb0ea54107ddc9e",
    "ciphers/homophonic_report.txt": "c873cfd1ba7031b8d9913d95559b9c40a2fc83b5ca5dabef1225e1540140f110",
    "ciphers/borg_5v-7r.txt": "6643ef439a8990edfd2c6e9dfa541e83f984a0b508718ae1c65b9b1dce64920d",
    "ciphers/borg_key.json": "1d92e7ad29894e56306e2acfeaf9e24acb493fdcba4ea790cdb9a4540c134c60",
    "ciphers/latin.txt": "9c45c4ee8e1955e2c9a444cf927940e983d72de63b01fe697bffaaea2a33d5c4",
    "english/books.txt.gz": "1e2b4531b661b1d14625020cb20214afa64f531fe4e43a21025f27b936ecb2bc",
}


def place(name: str) -> Path:
    """Where a file would be."""
    return Path(os.environ.get(VARIABLE, "")) / name


@cache
def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def missing(*names: str) -> str:
    """Why a family cannot be measured: files that are not there, or are others; empty if all is well."""
    if not os.environ.get(VARIABLE):
        return f"{VARIABLE} does not say where {names[0]} is"
    gone = [name for name in names if not place(name).is_file()]
    if gone:
        return f"{place(gone[0])} is not there"
    other = [name for name in names if _hash(place(name)) != HASHES[name]]
    return f"{place(other[0])} is another file than the one that was measured" if other else ""


def needs(*names: str) -> Callable[[], str]:
    """`missing` of some files, as a family asks for it."""
    return partial(missing, *names)


def read_json(name: str) -> dict[str, Any]:
    """A JSON file."""
    return json.loads(place(name).read_text(encoding="utf-8"))
