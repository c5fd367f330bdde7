"""What the how-tos and the gallery say, run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("skorch")

HOWTO = Path(__file__).parents[2] / "docs" / "howto"


def test_the_own_loop_runs_as_written(capsys):
    text = (HOWTO / "own_loop.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.S)
    names: dict = {}
    exec(compile(code, "own_loop.md", "exec"), names)
    chain, net, X = names["chain"], names["net"], names["X"]
    assert (net(X).argmax(dim=1).numpy() != chain.train.y).mean() < 0.06
    assert re.fullmatch(r"J − H = 0\.\d{3}\n", capsys.readouterr().out)
