"""Ciphers search and score with the engine's parts only: the imports are read."""

from __future__ import annotations

import ast
from pathlib import Path

import ventris

FOLDER = Path(ventris.__file__).parent / "ciphers"
# What a search or a score is made of; `deciphering` may use it, ciphers only through `deciphering`.
ENGINE_ROOM = (
    "ventris.kernels",
    "ventris.objective",
    "ventris.solvers",
    "ventris.inference",
    "scipy",
    "numba",
)
SEARCHES = {"anneal_key", "anneal_map", "descend", "score_key", "score_keys", "index_text"}


def imported(path: Path) -> set[str]:
    """Modules, and names with the module they come from."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_kernels_and_searches_come_only_through_deciphering():
    files = sorted(FOLDER.glob("*.py"))
    assert len(files) > 5
    everything = {path.name: imported(path) for path in files}
    engine = {
        name for names in everything.values() for name in names if name.startswith("ventris.deciphering")
    }
    assert {name.split(".")[2] for name in engine} >= {"key_score", "one_to_one", "many_to_one", "periodic"}
    assert {name.rsplit(".", 1)[1] for name in engine} & SEARCHES == set()
    inside = {
        (file, name) for file, names in everything.items() for name in names if name.startswith(ENGINE_ROOM)
    }
    assert inside == set()
