"""What is handed out: the sdist holds what a clone does, the wheel what a user needs, and it works alone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest

import ventris as vt
from ventris.versions import OPTIONAL

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow
# What work leaves in a clone and nobody should be sent.
DEBRIS = (
    ".venv/pyvenv.cfg", "build/old", "dist/old.whl", "docs/_build/index.html", "node_modules/a.js",
    "ventris-demo/demo.png", "src/ventris/__pycache__/classifier.cpython-311.pyc",
    "src/ventris/kernels/__pycache__/chains.nbi", ".mypy_cache/a", ".hypothesis/a", ".git/config",
)  # fmt: skip
IMPORTS = {"Pillow": "PIL"}
# The optional packages play absent: this environment has them all.
BARE = f"""
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {sorted(IMPORTS.get(name, name) for name in OPTIONAL)}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
from ventris.cli import main
main()
"""


def run(*command: object, **options: object) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, *map(str, command)], capture_output=True, text=True, timeout=300, **options
    )


def build(source: Path, kind: str, out: Path) -> Path:
    done = run("-m", "hatchling", "build", "-t", kind, "-d", out, cwd=source)
    assert done.returncode == 0, done.stderr
    return next(out.iterdir())


def files_below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def clone(tmp_path_factory) -> Path:
    """A copy of the repository with the debris of some work in it."""
    folder = tmp_path_factory.mktemp("clone") / "ventris"
    hidden = [path.name for path in ROOT.iterdir() if path.name.startswith(".")]
    wanted = {".ci", ".github", ".gitignore", ".pre-commit-config.yaml"}
    debris = {"__pycache__", "node_modules", "_build", "build", "dist", "ventris-*", *hidden} - wanted
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*debris))
    for name in DEBRIS:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("debris")
    return folder


@pytest.fixture(scope="module")
def unpacked(clone, tmp_path_factory) -> Path:
    archive = build(clone, "sdist", tmp_path_factory.mktemp("sdist"))
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    return folder / f"ventris-{vt.__version__}"


@pytest.fixture(scope="module")
def wheel(unpacked, tmp_path_factory) -> Path:
    """Built from the sdist, as an installer without a wheel does."""
    return build(unpacked, "wheel", tmp_path_factory.mktemp("wheel"))


def test_the_sdist_is_the_clone_without_debris(clone, unpacked):
    assert files_below(clone) - files_below(unpacked) == set(DEBRIS)
    assert files_below(unpacked) - files_below(clone) == {"PKG-INFO"}


def test_the_wheel_is_the_package_and_nothing_else(clone, wheel):
    package = clone / "src" / "ventris"
    expected = {f"ventris/{name}" for name in files_below(package) if "__pycache__" not in name}
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
        about = HeaderParser().parsestr(archive.read(f"ventris-{vt.__version__}.dist-info/METADATA").decode())
    assert held == expected and "ventris/py.typed" in held and "ventris/web/static/app.js" in held
    classifiers = about.get_all("Classifier")
    for minor in range(11, 15):
        assert f"Programming Language :: Python :: 3.{minor}" in classifiers
    home = re.search(r"repository-code: (\S+)", (ROOT / "CITATION.cff").read_text(encoding="utf-8"))[1]
    urls = dict(url.split(", ") for url in about.get_all("Project-URL"))
    assert urls["Source"] == home and all(url.startswith(home) for url in urls.values())


def test_the_demo_runs_from_a_bare_wheel(wheel, tmp_path):
    site = tmp_path / "site"
    done = run("-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", site, wheel)
    assert done.returncode == 0, done.stderr
    assert next(site.glob("bin/ventris*")).is_file()
    alone = {"cwd": tmp_path, "env": os.environ | {"PYTHONPATH": str(site), "PYTHONIOENCODING": "utf-8"}}
    found = run("-c", "import ventris; print(ventris.__file__)", **alone)
    assert Path(found.stdout.strip()) == site / "ventris" / "__init__.py"
    assert run("-m", "ventris", "--version", **alone).stdout.strip() == vt.__version__

    demo = run("-c", BARE, "demo", **alone)
    assert demo.returncode == 0, demo.stderr
    assert "THE QUICK BROWN FOX" in demo.stdout and "without labels" in demo.stdout
    assert demo.stderr == (
        "ventris: Drawing a figure needs the package 'matplotlib', but it is not installed. "
        "Run: pip install 'ventris[plot]'.\n"
    )
    assert os.listdir(tmp_path) == ["site"]
