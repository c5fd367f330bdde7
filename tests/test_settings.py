"""Settings: each field with its word, wherever in the package it is."""

from __future__ import annotations

import ast
import io
import tokenize
from dataclasses import FrozenInstanceError, dataclass, fields, is_dataclass
from importlib import import_module
from pathlib import Path

import pytest

import ventris
from ventris.errors import ParameterError
from ventris.settings import Settings, setting

SOURCE = Path(ventris.__file__).parent


TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(SOURCE.rglob("*.py"))}
# Modules whose numbers are all in settings.
WITHOUT_GLOBALS = {
    "deciphering": {
        *("race", "descent", "expectation", "annealing", "starts", "ciphertext"),
        *("key_search", "one_to_one", "many_to_one", "periodic", "shifts"),
    },
    "diagnostics": {"evidence", "report", "doctor"},
    "solvers": {"restarts"},
}
# Where a number that is no setting has a word beside it.
EXPLAINED = (
    *("deciphering", "route", "diagnostics", "solvers", "classifiers", "codes"),
    *("inference", "label_model", "data", "objective", "ciphers"),
)

NAMES = {"settings", "thresholds"}  # by which they are handed on


def settings_classes() -> list[str]:
    """module:class of every class in the package that names `Settings` as a base."""
    found = []
    for path, tree in TREES.items():
        module = ".".join(("ventris", *path.relative_to(SOURCE).with_suffix("").parts))
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and "Settings" in [ast.unparse(base) for base in node.bases]:
                found.append(f"{module}:{node.name}")
    return found


def modules_of(folder):
    return {name: TREES[SOURCE / folder / f"{name}.py"] for name in WITHOUT_GLOBALS[folder]}


@pytest.mark.parametrize("name", settings_classes())
def test_every_field_has_its_word_and_cannot_be_changed(name):
    module, _, kind = name.partition(":")
    settings = getattr(import_module(module), kind)()
    assert is_dataclass(settings)
    assert [field for field, why in settings.reasons().items() if not why.strip()] == []
    with pytest.raises(FrozenInstanceError):
        setattr(settings, fields(settings)[0].name, None)


@pytest.mark.parametrize("name", settings_classes())
def test_every_field_is_read_somewhere(name):
    module, _, kind = name.partition(":")
    read = {
        node.attr for tree in TREES.values() for node in ast.walk(tree) if isinstance(node, ast.Attribute)
    }
    assert [
        field.name for field in fields(getattr(import_module(module), kind)) if field.name not in read
    ] == []


def is_number(node: ast.AST) -> bool:
    """1, −1.5, 2**20 or 1 / 4, and tuples of such."""
    parts = [part for part in ast.walk(node) if isinstance(part, ast.expr)]
    kinds = (ast.Constant, ast.UnaryOp, ast.BinOp, ast.Tuple)
    constants = [part.value for part in parts if isinstance(part, ast.Constant)]
    return all(isinstance(part, kinds) for part in parts) and all(type(c) in (int, float) for c in constants)


def test_the_reader_of_numbers_sees_them():
    written = "a = 1; b = -1.5; c = 1, 2.0; d = 2**20; e = 1 / 4; f = 'x'; g = F(1); h = ('x', 1)"
    assert [is_number(node.value) for node in ast.parse(written).body] == [True] * 5 + [False] * 3


@pytest.mark.parametrize("folder", WITHOUT_GLOBALS)
def test_no_number_is_a_global(folder):
    found = {
        f"{name}:{node.lineno}"
        for name, tree in modules_of(folder).items()
        for node in tree.body
        if isinstance(node, ast.Assign) and is_number(node.value)
    }
    assert found == set()


def commented_lines(text: str) -> set[int]:
    """Numbers of the lines that hold a comment, as Python reads them and not inside a string."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {token.start[0] for token in tokens if token.type == tokenize.COMMENT}


def numbers_without_a_word(text: str) -> list[int]:
    """Lines of the numbers a module assigns with no comment on their line or on the line above."""
    commented = commented_lines(text)
    assigned = [node for node in ast.parse(text).body if isinstance(node, ast.Assign | ast.AnnAssign)]
    numbers = [node for node in assigned if node.value is not None and is_number(node.value)]
    return [node.lineno for node in numbers if not {node.lineno - 1, node.lineno} & commented]


def test_the_reader_of_comments_sees_them():
    told = "a = 1  # why\n# why\nb = 2\n"
    untold = "c = 3\n'''\n# no comment'''\nd: int = 4\n"
    assert numbers_without_a_word(told + untold + "e: int\nf = 'x'\n") == [4, 7]


@pytest.mark.parametrize("folder", EXPLAINED)
def test_every_number_that_is_no_setting_has_a_word_beside_it(folder):
    files = sorted((SOURCE / folder).rglob("*.py"))
    assert len(files) > 1
    found = {file.name: numbers_without_a_word(file.read_text(encoding="utf-8")) for file in files}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize("folder", WITHOUT_GLOBALS)
def test_settings_are_handed_on_at_every_call(folder):
    """A function that takes settings may be called without them from outside, not from its own folder."""
    nodes = [node for tree in modules_of(folder).values() for node in ast.walk(tree)]
    takes = {
        node.name
        for node in nodes
        if isinstance(node, ast.FunctionDef) and NAMES & {arg.arg for arg in node.args.kwonlyargs}
    }
    calls = [node for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) in takes]
    assert len(calls) >= len(takes) > 1
    without = [call for call in calls if not NAMES & {keyword.arg for keyword in call.keywords}]
    assert [ast.unparse(call) for call in without] == []


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
