"""The session of docs/start/cli.md, run once in a real shell; other tests work on what it leaves behind."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from ventris.cli import run

DOCUMENT = Path(__file__).parents[2] / "docs" / "start" / "cli.md"
ENVIRONMENT = os.environ | {
    "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    "PYTHONIOENCODING": "utf-8",
}


class Step(NamedTuple):
    command: str
    documented: list[str]
    printed: str


class Session(NamedTuple):
    folder: Path
    steps: list[Step]
    errors: str


def documented_steps() -> list[tuple[str, list[str]]]:
    """Commands of the console blocks, and the lines shown below each."""
    steps: list[tuple[str, list[str]]] = []
    for block in re.findall(r"```console\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.S):
        for line in block.splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            else:
                steps[-1][1].append(line)
    return steps


@pytest.fixture(scope="session")
def session(tmp_path_factory) -> Session:
    """All commands in one shell that stops at the first failure, in a folder whose name is no ASCII."""
    folder = tmp_path_factory.mktemp("session") / "Übung 数 1"
    folder.mkdir()
    steps = documented_steps()
    mark = "----next----"
    script = "\n".join(f"{command}\necho {mark}" for command, _ in steps)
    done = subprocess.run(
        ["bash", "-euc", script], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    printed = done.stdout.split(mark)
    return Session(folder, [Step(*s, p) for s, p in zip(steps, printed, strict=False)], done.stderr)


@pytest.fixture
def workshop(session, tmp_path, monkeypatch) -> Path:
    """A copy of what the session left, as the current folder."""
    folder = tmp_path / "Werkstatt ☃"
    shutil.copytree(session.folder, folder)
    monkeypatch.chdir(folder)
    return folder


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def ventris(capfd):
    """Run a command in this process: exit code, standard output and standard error."""

    def call(*tokens: object) -> Outcome:
        capfd.readouterr()
        code = run([str(token) for token in tokens])
        out, err = capfd.readouterr()
        return Outcome(code, out, err)

    return call
