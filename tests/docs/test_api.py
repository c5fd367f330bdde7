"""Every public name is in the API, with an example, and says what each of its parameters is."""

from __future__ import annotations

import inspect
import re
from enum import Enum
from importlib import import_module
from types import ModuleType

import pytest
from numpydoc.docscrape import NumpyDocString
from tools.run_pages import ROOT

import ventris as vt

INDEX = (ROOT / "docs" / "api" / "index.rst").read_text(encoding="utf-8")
LISTED = [f"ventris.{name}" for name in re.findall(r"^   ([A-Za-z][\w.]*)$", INDEX, re.M)]


def found(name: str) -> object:
    """A name of the index: a module, or something in one."""
    home, _, last = name.rpartition(".")
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return getattr(import_module(home), last)


def members(module: ModuleType) -> dict[str, object]:
    """What a module says it hands out, else what was written in it: the same rule as the site's."""
    names = getattr(module, "__all__", None) or [
        name
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", None) == module.__name__
    ]
    return {f"{module.__name__}.{name}": getattr(module, name) for name in names}


PUBLIC: dict[str, object] = {}
for listed in LISTED:
    try:
        thing = found(listed)
    except ImportError:  # of an extra that is not installed
        continue
    PUBLIC |= members(thing) if isinstance(thing, ModuleType) else {listed: thing}
PUBLIC = {name: thing for name, thing in PUBLIC.items() if inspect.isclass(thing) or inspect.isroutine(thing)}
CALLED = {
    **{name: (thing, thing) for name, thing in PUBLIC.items()},
    **{
        f"{name}.{method}": (getattr(thing, method), thing)
        for name, thing in PUBLIC.items()
        if inspect.isclass(thing) and not issubclass(thing, BaseException)
        for method, found in vars(thing).items()
        if not method.startswith("_") and inspect.isroutine(inspect.unwrap(getattr(found, "__func__", found)))
    },
}


def documented(text: str) -> set[str]:
    """Names that a docstring lists as parameters or attributes, or explains in its sentences."""
    sections = NumpyDocString(text)
    lists = (sections[part] for part in ("Parameters", "Attributes"))
    listed = {each.strip(" *") for part in lists for entry in part for each in entry.name.split(",")}
    return listed | set(re.findall(r"`(\w+)`", text))


def test_every_public_name_is_in_the_index():
    assert {f"ventris.{name}" for name in vt.__all__} - set(LISTED) == set()


@pytest.mark.parametrize("name", sorted(CALLED))
def test_every_parameter_is_documented(name):
    thing, owner = CALLED[name]
    text = inspect.getdoc(thing)
    assert text, f"{name} has no docstring"
    if inspect.isclass(thing) and issubclass(thing, BaseException | Enum):
        return  # raised or handed out by the library, not called by its users
    known = documented(text) | documented(inspect.getdoc(owner))
    asked = [each for each in inspect.signature(thing).parameters if not each.startswith("_")]
    assert set(asked) - {"self", "cls", "args", "kwds"} - known == set()


@pytest.mark.parametrize(
    "name",
    sorted(
        name
        for name, thing in PUBLIC.items()
        if not (inspect.isclass(thing) and issubclass(thing, BaseException))
    ),
)
def test_every_name_has_an_example(name):
    assert ">>>" in inspect.getdoc(PUBLIC[name])
