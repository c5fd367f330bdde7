"""A progress bar for notebooks: one piece of HTML, redrawn in place; IPython is all it needs."""

from __future__ import annotations

import sys
import time
from html import escape
from importlib import import_module
from typing import Any

_EVERY = 0.1  # seconds between two drawings: a notebook that is sent more falls behind


def in_notebook() -> bool:
    """Whether a Jupyter kernel runs this, which shows HTML; IPython on a terminal does not.

    Examples
    --------
    >>> in_notebook()
    False
    """
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


class NotebookBar:
    """One bar, drawn again and again in the same place."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._drawn = 0.0

    def show(self, name: str, done: int, total: int, beside: str, *, at_once: bool = False) -> None:
        """`done` of `total` parts of the step `name`; drawn now and then unless `at_once`."""
        now = time.monotonic()
        if not at_once and now - self._drawn < _EVERY:
            return
        self._drawn = now
        shown: Any = import_module("IPython.display")
        page = shown.HTML(as_html(name, done, total, beside))
        if self._handle is None:
            self._handle = shown.display(page, display_id=True)
        else:
            self._handle.update(page)


def as_html(name: str, done: int, total: int, beside: str) -> str:
    """The bar as HTML, in the colours of whatever theme the notebook has.

    Examples
    --------
    >>> as_html("refine", 1, 4, ", 3 s left")
    '<div>refine <progress value="1" max="4"></progress> 1 of 4, 3 s left</div>'
    """
    bar = f'<progress value="{done}" max="{max(total, 1)}"></progress>'
    return f"<div>{escape(name)} {bar} {done} of {total}{escape(beside)}</div>"
