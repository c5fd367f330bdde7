"""What is handed out: the sdist holds what a clone does, the wheel what a user needs, and it works alone."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
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
    ".venv/pyvenv.cfg", "build/old", "dist/old.whl", "docs/_build/index.html", "docs/gallery/a.rst",
    "docs/api/generated/a.rst", "node_modules/a.js",
    "ventris-demo/demo.png", "src/ventris/__pycache__/classifier.cpython-311.pyc",
    "src/ventris/kernels/__pycache__/chains.nbi", ".mypy_cache/a", ".hypothesis/a", ".git/config",
)  # fmt: skip
IMPORTS = {"Pillow": "PIL"}
# The optional packages play absent: this environment has them all.
BARE = f"""
import sys
from importlib import metadata

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {sorted(IMPORTS.get(name, name) for name in OPTIONAL)}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())

def version(name, found=metadata.version):
    if name in {sorted(OPTIONAL)}:
        raise metadata.PackageNotFoundError(name)
    return found(name)

metadata.version = version
from ventris.cli import main
main()
"""


def run(*command: object, **options: object) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, *map(str, command)], capture_output=True, text=True, timeout=600, **options
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
    made = {"_build", "gallery", "generated", "sg_execution_times.rst"}  # by `make docs`
    debris = {"__pycache__", "node_modules", "build", "dist", "ventris-*", *made, *hidden} - wanted
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


@pytest.fixture(scope="module")
def site(wheel, tmp_path_factory) -> Path:
    """The wheel, installed beside nothing."""
    folder = tmp_path_factory.mktemp("installed") / "site"
    done = run("-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", folder, wheel)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_demo_runs_from_a_bare_wheel(site, tmp_path):
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
    assert os.listdir(tmp_path) == []


README_COMMANDS = [
    line.split("#")[0].strip()
    for line in re.findall(
        r"^    ((?:echo [^|\n]+\| )?ventris [^\n]+)", (ROOT / "README.md").read_text(encoding="utf-8"), re.M
    )
]
NEED_AN_EXTRA = {"serve": "web", "reproduce": "paper"}  # with them: tests/web, tests/cli/test_reproduce.py


def test_the_readmes_commands_run_from_a_bare_wheel(site, tmp_path):
    """One after another, with no optional package; what needs one says which."""
    assert len(README_COMMANDS) >= 5
    alone = {"cwd": tmp_path, "env": os.environ | {"PYTHONPATH": str(site), "PYTHONIOENCODING": "utf-8"}}
    assert run("-c", BARE, "demo", "--data", "prepared", **alone).returncode == 0
    for made, name in (("labels.txt", "labels.txt"), ("points.npy", "inputs.npy")):  # names it may begin with
        shutil.copy(tmp_path / "prepared" / made, tmp_path / name)
    for command in README_COMMANDS:
        *echo, line = command.split(" | ")
        tokens = shlex.split(line)[1:]
        given = "\n".join(shlex.split(each, comments=True)[1] for each in echo)
        done = run("-c", BARE, *tokens, input=given, **alone)
        extra = NEED_AN_EXTRA.get(tokens[0])
        if extra is None:
            assert done.returncode == 0, (command, done.stderr)
        else:
            assert done.returncode == 1 and f"pip install 'ventris[{extra}]'" in done.stderr, command
    assert {"labels.arpa", "reader.ventris"} <= {path.name for path in tmp_path.iterdir()}


PROGRAM = """
import numpy as np
import ventris as vt

days = vt.datasets.make_weather(1000)
lm = vt.NgramModel.from_transition_matrix([[0.9, 0.1], [0.2, 0.8]], classes=["dry", "wet"])
clf = vt.SequenceClassifier(lm, random_state=0, adapt="auto")
reveal_type(clf.fit(days.train.X))
reveal_type(clf.report_)
reveal_type(clf.report_.estimated_error)
reveal_type(clf.score(days.test.X))
reveal_type(lm.order)
reveal_type(lm.joint(2))
reveal_type(days)
reveal_type(vt.load("reader.ventris"))
reveal_type(vt.decipher("QEB NRFZH YOLTK CLU").plaintext)
reveal_type(vt.doctor(np.zeros((10, 2)), lm).verdict)
clf.plot(days.test.X).savefig("fit.png")
wrong: int = lm.entropy()
"""
TYPES = [
    "SequenceClassifier", "Report", "float | None", "float", "int", "ndarray", "Story", "SequenceClassifier",
    "str", "Literal['go']",
]  # fmt: skip


def test_a_strict_type_check_of_a_users_program_finds_real_types(wheel, tmp_path):
    """Against the installed wheel: an environment of its own, which borrows all other packages."""
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    asked = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    own = Path(asked.stdout.strip())
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(own)
    (own / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    (tmp_path / "program.py").write_text(PROGRAM)
    where = ["--cache-dir", tmp_path / "cache", "--config-file", ""]
    done = run("-m", "mypy", "--strict", "--python-executable", python, *where, "program.py", cwd=tmp_path)
    found = re.findall(r'Revealed type is "(.*)"', done.stdout)
    assert len(found) == len(TYPES), done.stdout
    for type_, expected in zip(found, TYPES, strict=True):
        assert expected in type_ and type_ != "Any", (type_, expected)
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(errors) == 1 and 'expression has type "float", variable has type "int"' in errors[0], (
        done.stdout
    )
