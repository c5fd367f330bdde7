"""Settings: each field with its word, wherever in the package it is."""

from __future__ import annotations

import ast
from dataclasses import FrozenInstanceError, dataclass, fields, is_dataclass
from importlib import import_module
from pathlib import Path

import pytest

import ventris
from ventris.errors import ParameterError
from ventris.settings import Settings, setting

SOURCE = Path(ventris.__file__).parent


def settings_classes() -> list[str]:
    """module:class of every class in the package that names `Settings` as a base."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        module = ".".join(("ventris", *path.relative_to(SOURCE).with_suffix("").parts))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and "Settings" in [ast.unparse(base) for base in node.bases]:
                found.append(f"{module}:{node.name}")
    return found


@pytest.mark.parametrize("name", settings_classes())
def test_every_field_has_its_word_and_cannot_be_changed(name):
    module, _, kind = name.partition(":")
    settings = getattr(import_module(module), kind)()
    assert is_dataclass(settings)
    assert [field for field, why in settings.reasons().items() if not why.strip()] == []
    with pytest.raises(FrozenInstanceError):
        setattr(settings, fields(settings)[0].name, None)


@pytest.mark.parametrize("why", ["", "  ", "unmeasured", "unmeasured:", "unmeasured:  "])
def test_a_setting_without_a_word_is_refused(why):
    with pytest.raises(ParameterError, match="must come with its reason"):
        setting(3, why)


def test_a_field_made_without_a_reason_is_seen():
    @dataclass(frozen=True)
    class Careless(Settings):
        told: int = setting(1, "one is enough")
        untold: int = 2

    assert Careless.reasons() == {"told": "one is enough", "untold": ""}
