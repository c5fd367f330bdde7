"""The page's modules as one script: browsers load no modules from a disk, and a page to send must open there.

Only what our own modules use is understood; anything else is an error, found by a test.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

_IMPORT = re.compile(r"^import \{([^}]*)\} from \"([^\"]+)\";$", re.M)
_EXPORT = re.compile(r"^export (?=(?:async )?function\*? (\w+)|const (\w+)|class (\w+))", re.M)
_LATER = re.compile(r"import\(`\./rooms/\$\{name\}\.js`\)")
_LEFT = re.compile(r"^(import|export)\b.*$|\bimport\(", re.M)


def bundle(folder: Path, first: str) -> str:
    """All modules that `first` and the rooms need, each once, after those it needs itself.

    Parameters
    ----------
    folder : Path
        Where the modules are.
    first : str
        Name of the module that begins.
    """
    rooms = sorted(f"rooms/{path.name}" for path in (folder / "rooms").glob("*.js"))
    order: list[str] = []
    for name in [*rooms, first]:
        _add(folder, name, order, ())
    parts = [f"M[{name!r}] = await (async () => {{\n{_body(folder, name)}}})();\n" for name in order]
    return f"(async () => {{\nconst M = {{}};\n{''.join(parts)}}})();\n"


def _add(folder: Path, name: str, order: list[str], under: tuple[str, ...]) -> None:
    if name in under:
        raise ValueError(f"modules need one another in a circle: {' → '.join((*under, name))}")
    if name in order:
        return
    for _, source in _IMPORT.findall((folder / name).read_text(encoding="utf-8")):
        _add(folder, _resolved(name, source), order, (*under, name))
    order.append(name)


def _resolved(name: str, source: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), source))


def _body(folder: Path, name: str) -> str:
    text = (folder / name).read_text(encoding="utf-8")
    exported = ["".join(found) for found in _EXPORT.findall(text)]
    text = _EXPORT.sub("", text)
    text = _IMPORT.sub(lambda found: _taken(name, found[1], found[2]), text)
    text = _LATER.sub("Promise.resolve(M[`rooms/${name}.js`])", text)
    if left := _LEFT.search(text):
        raise ValueError(f"{name} has what a bundle does not understand: {left[0].strip()}")
    return f"{text}return {{ {', '.join(exported)} }};\n"


def _taken(name: str, names: str, source: str) -> str:
    wanted = re.sub(r"\b(\w+) as (\w+)\b", r"\1: \2", " ".join(names.split()).strip(" ,"))
    return f"const {{ {wanted} }} = M[{_resolved(name, source)!r}];"
